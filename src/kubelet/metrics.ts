import { type DriverName, driverName, type HostPath, hostPath } from '../model/ids.ts';
import type { KubeletPlugins } from '../model/snapshot.ts';

/** How often kubelet called a driver, by the answer it got. */
export interface CsiOperation {
  readonly driver: DriverName;
  /** Full gRPC method, such as `/csi.v1.Node/NodePublishVolume`. */
  readonly method: string;
  /** gRPC status name, such as `OK` or `Unavailable`. */
  readonly code: string;
  readonly count: number;
}

type Labels = Readonly<Record<string, string>>;

/**
 * Sockets that kubelet's plugin manager wants registered and has registered.
 * A family without a sample is not printed: no line means no plugin (pkg/kubelet/pluginmanager/metrics).
 */
export function kubeletPlugins(text: string): KubeletPlugins {
  const plugins = samples(text, 'plugin_manager_total_plugins').filter(({ value }) => value > 0);
  const inState = (state: string): readonly HostPath[] =>
    plugins
      .filter(({ labels }) => labels.state === state)
      .map(({ labels }) => hostPath(labels.socket_path ?? ''));
  return { actual: inState('actual_state_of_world'), desired: inState('desired_state_of_world') };
}

const csiPlugin = 'kubernetes.io/csi:';

/** Volumes that kubelet's volume manager holds mounted, by CSI driver (pkg/kubelet/volumemanager/metrics). */
export function kubeletVolumes(text: string): Readonly<Record<string, number>> {
  const held = samples(text, 'volume_manager_total_volumes').filter(
    ({ labels }) => labels.state === 'actual_state_of_world' && labels.plugin_name?.startsWith(csiPlugin),
  );
  return Object.fromEntries(
    held.map(({ labels, value }) => [labels.plugin_name?.slice(csiPlugin.length), value]),
  );
}

/** Kubelet's CSI calls since its start (pkg/volume/csi/csi_metrics.go). */
export function csiOperations(text: string): readonly CsiOperation[] {
  return samples(text, 'csi_operations_seconds_count').map(({ labels, value }) => ({
    driver: driverName(labels.driver_name ?? ''),
    method: labels.method_name ?? '',
    code: labels.grpc_status_code ?? '',
    count: value,
  }));
}

/** Samples of one family in the Prometheus text format, version 0.0.4. Only its lines are taken apart. */
function samples(
  text: string,
  family: string,
): readonly { readonly labels: Labels; readonly value: number }[] {
  const lines = text.matchAll(new RegExp(`^${family}\\{(.*)\\} +([^ \\n]+)`, 'gm'));
  return [...lines].map(([, labels = '', value]) => ({ labels: parseLabels(labels), value: Number(value) }));
}

const escapes: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

function parseLabels(text: string): Labels {
  const pairs = text.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name, value = '']) => [
      name,
      value.replaceAll(/\\./g, (pair) => escapes[pair] ?? pair),
    ]),
  );
}

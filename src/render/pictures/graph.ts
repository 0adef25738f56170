import { countOf } from '../../model/count.ts';
import { keyText } from '../../model/ids.ts';
import type { Fate, Home, Service, VolumeImpact } from '../../model/impact.ts';
import { homeText, protectionText, workloadOf } from '../impact-words.ts';
import type { BlastRadiusReport } from '../report.ts';
import { unknown } from '../style.ts';

/** What dot and mermaid draw: per node the plugins, who serves, and the workloads that depend on it. */
export interface Graph {
  readonly nodes: readonly NodeGraph[];
}

export interface NodeGraph {
  readonly name: string;
  readonly boxes: readonly Box[];
  readonly edges: readonly (readonly [from: string, to: string])[];
}

export interface Box {
  readonly id: string;
  readonly kind: 'plugin' | 'server' | 'workload';
  readonly lines: readonly string[];
  /** When the node plugin restarts. */
  readonly fate: Fate;
}

export function graphOf({ plugins, volumes }: BlastRadiusReport): Graph {
  const names = [...new Set([...plugins, ...volumes].map(({ node }) => node))];
  return { nodes: names.map((name, index) => nodeGraph(name, `n${index}`, plugins, volumes)) };
}

function nodeGraph(
  name: string,
  prefix: string,
  plugins: BlastRadiusReport['plugins'],
  volumes: readonly VolumeImpact[],
): NodeGraph {
  const boxes = new Map<string, Box>();
  const edges = new Map<string, readonly [string, string]>();
  const box = (key: string, make: Omit<Box, 'id'>) => {
    const known = boxes.get(key) ?? { id: `${prefix}_${boxes.size}`, ...make };
    boxes.set(key, known);
    return known.id;
  };
  const edge = (from: string, to: string) => edges.set(`${from} ${to}`, [from, to]);
  for (const { driver, pod = 'no node plugin' } of plugins.filter(({ node }) => node === name))
    box(`plugin ${pod} ${driver}`, { kind: 'plugin', lines: [driver, pod], fate: 'dies' });
  const own = volumes.filter(({ node }) => node === name);
  for (const group of Map.groupBy(own, alike).values()) {
    const [first] = group as [VolumeImpact];
    const workload = box(`workload ${alike(first)}`, workloadBox(group));
    for (const service of first.services)
      for (const { key, home, ...server } of serversOf(service)) {
        const id = box(`server ${key}`, { ...server, kind: 'server', fate: first.onPluginRestart });
        edge(id, workload);
        const plugin =
          home?.kind === 'plugin' &&
          [...boxes].find(([each]) => each.startsWith(`plugin ${keyText(home.pod)} `));
        if (plugin) edge(plugin[1].id, id);
      }
  }
  return { name, boxes: [...boxes.values()], edges: [...edges.values()] };
}

const alike = (volume: VolumeImpact) =>
  JSON.stringify([
    workloadOf(volume),
    volume.services.flatMap((service) => serversOf(service).map(({ key }) => key)),
    volume.onPluginRestart,
    protectionText(volume.protection),
  ]);

function workloadBox(group: readonly VolumeImpact[]): Omit<Box, 'id'> {
  const [first] = group as [VolumeImpact];
  const pods = new Set(group.map(({ pod }) => keyText(pod))).size;
  return {
    kind: 'workload',
    lines: [
      workloadOf(first),
      `${countOf(pods, 'pod')}, ${countOf(group.length, 'volume')}`,
      `protected by: ${protectionText(first.protection)}`,
    ],
    fate: first.onPluginRestart,
  };
}

interface Server {
  readonly key: string;
  readonly lines: readonly string[];
  readonly home?: Home;
}

/** Daemons of one name in one home are one box. */
function serversOf(service: Service): readonly Server[] {
  switch (service.by) {
    case 'kernel':
      return [{ key: `kernel ${service.fsType}`, lines: [service.fsType, 'no daemon'] }];
    case 'nobody':
      return [{ key: 'nobody', lines: ['its daemon has ended'] }];
    case 'unknown':
      return [{ key: 'unknown', lines: [unknown] }];
    case 'daemons':
      return service.daemons.map(({ command, home }) => ({
        key: `${command} ${JSON.stringify(home)}`,
        lines: [command, homeText(home)],
        home,
      }));
  }
}

import assert from 'node:assert/strict';
import { csiOperations, kubeletPlugins, kubeletVolumes } from '../../../src/kubelet/metrics.ts';

const registry = '/var/lib/kubelet/plugins_registry';

/** As kubelet 1.34 prints them. */
const text = `# HELP csi_operations_seconds [ALPHA] Container Storage Interface operation duration with gRPC error code status total
# TYPE csi_operations_seconds histogram
csi_operations_seconds_bucket{driver_name="s3.csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Node/NodePublishVolume",migrated="false",le="0.1"} 2
csi_operations_seconds_sum{driver_name="s3.csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Node/NodePublishVolume",migrated="false"} 0.09
csi_operations_seconds_count{driver_name="s3.csi.example.com",grpc_status_code="OK",method_name="/csi.v1.Node/NodePublishVolume",migrated="false"} 2
csi_operations_seconds_count{driver_name="s3.csi.example.com",grpc_status_code="Unavailable",method_name="/csi.v1.Node/NodeStageVolume",migrated="false"} 1.2e+01
# HELP plugin_manager_total_plugins [ALPHA] Number of plugins in Plugin Manager
# TYPE plugin_manager_total_plugins gauge
plugin_manager_total_plugins{socket_path="${registry}/s3.csi.example.com-reg.sock",state="actual_state_of_world"} 1
plugin_manager_total_plugins{socket_path="${registry}/s3.csi.example.com-reg.sock",state="desired_state_of_world"} 1
plugin_manager_total_plugins{socket_path="${registry}/odd \\"name\\"\\\\.sock",state="desired_state_of_world"} 1
plugin_manager_total_plugins{socket_path="${registry}/gone.sock",state="desired_state_of_world"} 0
# HELP volume_manager_total_volumes [ALPHA] Number of volumes in Volume Manager
# TYPE volume_manager_total_volumes gauge
volume_manager_total_volumes{plugin_name="kubernetes.io/configmap",state="actual_state_of_world"} 4
volume_manager_total_volumes{plugin_name="kubernetes.io/csi:s3.csi.example.com",state="actual_state_of_world"} 3
volume_manager_total_volumes{plugin_name="kubernetes.io/csi:s3.csi.example.com",state="desired_state_of_world"} 5
volume_manager_total_volumes_other{plugin_name="kubernetes.io/csi:x",state="actual_state_of_world"} 9
`;

describe("kubelet's metrics", () => {
  it('name the sockets that are registered and those that should be', () => {
    const plugins = kubeletPlugins(text);
    assert.deepEqual(plugins.actual, [`${registry}/s3.csi.example.com-reg.sock`]);
    assert.deepEqual(plugins.desired, [
      `${registry}/s3.csi.example.com-reg.sock`,
      `${registry}/odd "name"\\.sock`,
    ]);
  });

  it('count the volumes of each CSI driver', () => {
    assert.deepEqual(kubeletVolumes(text), { 's3.csi.example.com': 3 });
  });

  it('count the calls by driver, method and answer', () => {
    assert.deepEqual(
      csiOperations(text).map(({ driver, method, code, count }) => [driver, method, code, count]),
      [
        ['s3.csi.example.com', '/csi.v1.Node/NodePublishVolume', 'OK', 2],
        ['s3.csi.example.com', '/csi.v1.Node/NodeStageVolume', 'Unavailable', 12],
      ],
    );
  });

  it('without a sample say that there is no plugin', () => {
    const other = 'kubelet_node_name{node="n"} 1\n';
    assert.deepEqual(kubeletPlugins(other), { actual: [], desired: [] });
    assert.deepEqual(kubeletVolumes(other), {});
  });

  it('of a megabyte are read in a moment', () => {
    const filler =
      'rest_client_request_duration_seconds_bucket{host="10.96.0.1:443",verb="GET",le="0.005"} 12\n';
    const large = filler.repeat(12_000) + text;
    const before = performance.now();
    assert.equal(kubeletPlugins(large).actual.length, 1);
    assert(performance.now() - before < 250);
  });
});

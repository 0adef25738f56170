import { pauseImage } from '../images/names.ts';

export function containerdConfig(): string {
  return `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  # A machine without CAP_SYS_RESOURCE refuses scores below its own, and then every sandbox fails.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`;
}

/** kubelet's configuration: fit for several kubelets on one kernel and for cgroup version 1. */
export function kubeletConfig(): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    // kubelet 1.35 and later refuse cgroup version 1 without this.
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    evictionHard: { 'memory.available': '1Mi' },
    imageGCHighThresholdPercent: 100,
    resolvConf: '',
    clusterDNS: ['10.96.0.10'],
    // Containers that are ended again and again by tests shall not be made to wait for minutes.
    featureGates: { KubeletCrashLoopBackOffMax: true },
    crashLoopBackOff: { maxContainerRestartPeriod: '5s' },
    nodeStatusUpdateFrequency: '5s',
  });
}

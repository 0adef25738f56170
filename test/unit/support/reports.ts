import type { Finding } from '../../../src/model/finding.ts';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import type { WorkloadPlan } from '../../../src/model/injection.ts';
import type { Plan, Step } from '../../../src/model/plan.ts';
import type { DoctorCase, Report } from '../../../src/render/report.ts';
import { blastRadius, upgradeCheck } from './impact-reports.ts';

const node = nodeName('worker-3.eu-central-1.example');
const lost: Finding = {
  rule: 'registration-lost',
  reason: 'queue-overflow',
  severity: 'error',
  subject: {
    node,
    driver: driverName('ebs.csi.aws.com'),
    socket: hostPath('/var/lib/kubelet/plugins_registry/ebs.csi.aws.com-reg.sock'),
    pod: { namespace: 'kube-system', name: 'ebs-csi-node-x7k2p' },
  },
  summary: 'ebs.csi.aws.com is not registered: pods that use it here wait for ever',
  proofs: [
    { what: 'CSINode does not list the driver', source: `CSINode ${node}` },
    { what: "kubelet's list of plugins lacks it", source: 'plugin_manager_total_plugins' },
  ],
  cure: `kubectl csi heal --node ${node}`,
};
const taint: Finding = {
  rule: 'plugin-missing',
  reason: 'taint',
  severity: 'warning',
  subject: {
    node,
    driver: driverName('nfs.csi.k8s.io'),
    daemonSet: { namespace: 'kube-system', name: 'csi-nfs-node' },
  },
  summary: 'the node plugin of nfs.csi.k8s.io does not run here: no toleration for dedicated=db:NoSchedule',
  proofs: [{ what: 'no toleration for dedicated=db:NoSchedule', source: 'DaemonSet spec and node taints' }],
  cure: 'add a toleration for dedicated=db:NoSchedule to daemonset csi-nfs-node -n kube-system',
};
const diagnosis = {
  findings: [lost, taint],
  blindSpots: [
    { rule: 'private-root', subject: { node: nodeName('worker-4') }, why: 'no answer within 30 s' },
  ],
};
const step: Step = {
  node,
  findings: [lost],
  rungs: [
    {
      repair: 'announce',
      risk: 'safe',
      does: 'rename ebs.csi.aws.com-reg.sock to a dot-name and back, so that kubelet sees it appear',
    },
    {
      repair: 'restart-kubelet',
      risk: 'disruptive',
      does: 'restart kubelet',
      barred: 'needs --max-risk disruptive',
    },
  ],
};
const plan: Plan = {
  version: 1,
  maxRisk: 'safe',
  steps: [step],
  refusals: [{ finding: taint, why: `no repair for this: ${taint.cure}` }],
};
const takenAt = '2026-01-02T03:04:05.000Z';

const lostCase: DoctorCase = {
  finding: lost,
  title: 'Kubelet never registered the driver',
  explanation: "Kubelet's inotify queue overflowed and the event that told of the socket was dropped.",
  repairs: [
    { id: 'announce', risk: 'safe', title: 'Announce the socket again' },
    { id: 'restart-kubelet', risk: 'disruptive', title: 'Restart kubelet' },
  ],
};

/** One report of every kind, with something in each of its parts. */
const injection: WorkloadPlan = {
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
  containers: [
    {
      name: 'app',
      does: 'inject',
      paths: ['/data'],
      drivers: ['s3.csi.example.com'],
      command: ['timeout', '-s', 'KILL', '4', 'stat', '-f', '/data'],
      notes: [],
    },
    {
      name: 'proxy',
      does: 'refuse',
      paths: ['/logs'],
      drivers: ['s3.csi.example.com'],
      why: 'it has a livenessProbe already: httpGet :8080/healthz',
      next: 'add --combine to ask both: first the mounts, then what it asks now',
      notes: [],
    },
  ],
  edits: [
    {
      path: ['containers', 'name=app', 'livenessProbe'],
      before: null,
      after: { exec: { command: ['timeout', '-s', 'KILL', '4', 'stat', '-f', '/data'] }, periodSeconds: 20 },
    },
  ],
  warnings: ['Argo CD manages it and may take the change out at its next sync'],
  diff: ['@@', '   name: app', '+  livenessProbe:', '+    periodSeconds: 20', '-  tty: true'],
  patch: {
    metadata: { annotations: { 'kubectl-csi/injected': '{"version":1,"edits":[]}' } },
    spec: {
      template: { spec: { containers: [{ name: 'app', livenessProbe: { periodSeconds: 20 } }] } },
    },
  },
  outcome: { result: 'validated', detail: 'the server would take it' },
};
const job: WorkloadPlan = {
  workload: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'import' },
  containers: [],
  edits: [],
  warnings: [],
  diff: [],
  refused: {
    why: "a Job's pod template cannot be changed (the API server refuses it)",
    next: '--replace deletes it and makes it again with the change',
  },
};

export const reports: readonly Report[] = [
  {
    kind: 'Status',
    takenAt,
    deep: true,
    rows: [
      {
        node,
        driver: 'ebs.csi.aws.com',
        kubelet: false,
        csiNode: false,
        socket: 'answers',
        plugin: 'ready',
        volumes: 12,
        dead: 1,
        hung: 0,
        verdict: 'error',
        cause: 'registration-lost',
      },
      {
        node,
        driver: 'nfs.csi.k8s.io',
        kubelet: false,
        csiNode: false,
        socket: 'none',
        plugin: 'none',
        volumes: 0,
        dead: 0,
        hung: 0,
        verdict: 'warning',
        cause: 'plugin-missing',
      },
      {
        node: 'worker-4',
        driver: 'ebs.csi.aws.com',
        kubelet: undefined,
        csiNode: true,
        socket: undefined,
        plugin: 'ready',
        volumes: undefined,
        dead: undefined,
        hung: undefined,
        verdict: 'unknown',
      },
      {
        node: 'worker-5',
        driver: 'ebs.csi.aws.com',
        kubelet: true,
        csiNode: true,
        socket: 'answers',
        plugin: 'ready',
        volumes: 3,
        dead: 0,
        hung: 0,
        verdict: 'ok',
      },
    ],
    diagnosis,
    footers: ['Mounts were not looked at: kubectl csi status --deep does.'],
  },
  {
    kind: 'Doctor',
    takenAt,
    cases: [lostCase],
    diagnosis,
  },
  {
    kind: 'PodDoctor',
    takenAt,
    pod: { namespace: 'shop', name: 'web-0' },
    node,
    status: 'ContainerCreating, 5 min old',
    verdict: lost.summary,
    blocker: lostCase,
    walk: [
      { link: 'claim', volume: 'data', state: 'sound', what: 'data is Bound' },
      { link: 'attachment', volume: 'data', state: 'unneeded', what: 'no attaching needed' },
      { link: 'registration', volume: 'data', state: 'broken', what: 'CSINode does not list it' },
      { link: 'mount', volume: 'data', state: 'unknown', what: 'no answer within 30 s' },
      { link: 'scheduling', state: 'sound', what: `placed on ${node}` },
      { link: 'container', state: 'waiting', what: 'web ContainerCreating' },
    ],
    cases: [],
    diagnosis,
  },
  {
    kind: 'Comparison',
    nodes: [node, 'worker-5'],
    differences: [
      { topic: 'system', item: 'kernelVersion', values: ['5.15.0-91-generic', '6.8.0-31-generic'] },
      {
        topic: 'plugins_registry',
        item: 'mount.options',
        values: [
          `rw,relatime,${'x'.repeat(60)}`,
          'rw,relatime,lowerdir=/var/lib/containerd/something/long/enough',
        ],
      },
    ],
    unseen: ['inotify of worker-5: no answer within 30 s'],
  },
  { kind: 'Plan', plan, diagnosis },
  {
    kind: 'Outcome',
    outcome: {
      run: 'a1b2c3',
      steps: [
        {
          step,
          result: 'failed',
          attempts: [
            {
              repair: 'announce',
              result: 'undone',
              detail: 'CSINode does not list the driver',
              took: 15_234,
            },
            {
              repair: 'restart-kubelet',
              result: 'failed',
              detail: 'the old kubelet still runs',
              took: 90_000,
            },
          ],
          left: ['restart-kubelet on worker-3 could not be taken back: no answer'],
        },
        {
          step: { ...step, node: nodeName('worker-5') },
          result: 'repaired',
          attempts: [
            { repair: 'announce', result: 'repaired', detail: 'Announce the socket again', took: 812 },
          ],
          left: [],
        },
      ],
      stopped: '1 nodes failed (--max-failures 1)',
    },
    refusals: plan.refusals,
    blindSpots: diagnosis.blindSpots,
    notes: ['worker-5: run 77 was interrupted at 2026-01-01T00:00:00Z during announce of x'],
  },
  blastRadius,
  upgradeCheck,
  {
    kind: 'Cleanup',
    removed: ['pod kube-system/kubectl-csi-1'],
    kept: ['configmap kube-system/kubectl-csi-2'],
    failed: ['/api/v1/namespaces/a/pods/kubectl-csi-3: forbidden'],
  },
  {
    kind: 'Version',
    client: { version: '0.1.0', node: '22.23.2', platform: 'linux/x64' },
    agents: { amd64: '9b74c989' },
    server: 'v1.34.4',
  },
  {
    kind: 'Injection',
    mode: 'probe',
    dryRun: 'server',
    workloads: [injection, job],
    footers: ['A probe is no repair.'],
  },
];

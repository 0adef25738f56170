/** Flags of every command that looks at nodes. */
export const scopeFlags = {
  node: { type: 'string', array: true, describe: 'Only this node, may be repeated' },
  selector: { type: 'string', alias: 'l', describe: 'Only nodes with these labels' },
  driver: { type: 'string', describe: 'Only this CSI driver' },
} as const;

/** Flags of every command that can be narrowed to volumes. */
export const targetFlags = {
  namespace: {
    type: 'string',
    alias: 'n',
    describe: 'Namespace of the pod or claim; alone: only its volumes',
  },
  'all-namespaces': {
    type: 'boolean',
    alias: 'A',
    default: false,
    describe: 'Volumes of all namespaces (the default)',
  },
} as const;

export const targetPositional = { name: 'target', describe: 'pod/NAME, pvc/NAME or pv/NAME' } as const;

/** Flags of every command that visits nodes with a debug pod. */
export const reachFlags = {
  image: {
    type: 'string',
    describe: 'Image for the debug pod; it must be on the node. Default: one that a pod there uses',
  },
  'image-pull-secret': { type: 'string', array: true, describe: 'Secret that the image was pulled with' },
  'debug-namespace': {
    type: 'string',
    describe: 'Namespace for the debug pod; it must admit privileged pods',
  },
  'node-timeout': { type: 'string', default: '30s', describe: 'Longest wait for one node' },
  concurrency: { type: 'number', default: 20, describe: 'Nodes visited at the same time' },
} as const;

export const fromFlag = {
  from: { type: 'string', describe: 'Read a file that kubectl csi capture wrote, instead of a cluster' },
} as const;

export const outputFlag = {
  output: { type: 'string', alias: 'o', default: 'table', describe: 'table, wide, json, yaml or name' },
} as const;

/** Flags of every command that repairs. */
export const healFlags = {
  all: { type: 'boolean', default: false, describe: 'All nodes' },
  'dry-run': {
    type: 'string',
    describe: 'client (or bare): print the plan and do nothing; none',
  },
  'max-risk': {
    type: 'string',
    default: 'safe',
    describe: 'safe, disruptive or destructive: the most that may be risked',
  },
  'max-failures': { type: 'number', default: 1, describe: 'Stop when so many nodes have failed' },
  force: {
    type: 'boolean',
    default: false,
    describe: 'Also restart a kubelet that carries a control plane along, or that would lose another driver',
  },
  yes: { type: 'boolean', alias: 'y', default: false, describe: 'Do not ask' },
} as const;

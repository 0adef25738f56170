import type { AppContainer, AppPod } from './pods.ts';
import { shell } from './pods.ts';

const data = { name: 'data', mountPath: '/data' };

/** A container that writes to the volume `data`, which is stored in the folder `stored`. */
const writer = (name: string, stored: string, more: Partial<AppContainer> = {}): AppContainer => ({
  name,
  mounts: [data],
  places: [{ path: '/data', stored }],
  ...more,
});

const oddPath = '/mnt/two words/ö tab\tback\\slash "quote" \u{1F4BE}';

const plain: AppPod = {
  name: 'plain',
  volumes: { data: { handle: 'plain' } },
  containers: [writer('app', 'plain')],
};

/** Joins `plain` while it runs. */
export const ephemeral: AppContainer = writer('debugger', 'plain');

const readers: AppPod = {
  name: 'readers',
  volumes: { data: { handle: 'plain', readOnly: true } },
  containers: [writer('by-claim', 'plain', { file: 'plain-app', mode: 'read' })],
};

const flags: AppPod = {
  name: 'flags',
  volumes: { data: { handle: 'flags', mountOptions: ['noexec', 'nosuid', 'nodev', 'noatime'] } },
  containers: [
    writer('writer', 'flags'),
    writer('by-mount', 'flags', {
      mounts: [{ ...data, readOnly: true }],
      file: 'flags-writer',
      mode: 'read',
    }),
    writer('slave', 'flags', { mounts: [{ ...data, mountPropagation: 'HostToContainer' }] }),
    writer('shared', 'flags', {
      mounts: [{ ...data, mountPropagation: 'Bidirectional' }],
      fields: { securityContext: { privileged: true } },
    }),
  ],
};

const subPaths: AppPod = {
  name: 'subpaths',
  volumes: { data: { handle: 'subpaths' } },
  setUp: [shell('make', ': >/data/single.log && mkdir -p /data/a/b/c', [data])],
  containers: [
    writer('directory', 'subpaths/one', { mounts: [{ ...data, subPath: 'one' }] }),
    writer('deeper', 'subpaths/a/b/c', { mounts: [{ ...data, subPath: 'a/b/c' }] }),
    writer('expression', 'subpaths/of-subpaths', {
      mounts: [{ ...data, subPathExpr: 'of-$(POD_NAME)' }],
      fields: { env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    }),
    writer('file', 'subpaths', {
      mounts: [{ name: 'data', mountPath: '/data/single.log', subPath: 'single.log' }],
      file: 'single',
    }),
    writer('twice', 'subpaths', {
      mounts: [
        { name: 'data', mountPath: '/first', subPath: 'one' },
        { name: 'data', mountPath: '/second', subPath: 'two words' },
        { name: 'data', mountPath: '/whole' },
      ],
      places: [
        { path: '/first', stored: 'subpaths/one' },
        { path: '/second', stored: 'subpaths/two words' },
        { path: '/whole', stored: 'subpaths' },
      ],
    }),
  ],
};

const longInit: AppPod = {
  name: 'long-init',
  volumes: { data: { handle: 'roles' } },
  containers: [
    writer('init', 'roles', { role: 'init' }),
    { name: 'later', mounts: [], places: [], args: ['/tmp'] },
  ],
};

const sidecar: AppPod = {
  name: 'sidecar',
  volumes: { data: { handle: 'roles' } },
  containers: [writer('side', 'roles', { role: 'sidecar' }), writer('app', 'roles')],
};

/** An emptyDir inside the volume. */
const nested: AppPod = {
  name: 'nested',
  volumes: { data: { handle: 'outer' }, scratch: { emptyDir: {} } },
  containers: [writer('app', 'outer', { mounts: [data, { name: 'scratch', mountPath: '/data/scratch' }] })],
};

/** A path that only percent-encoding carries whole, and one that a symbolic link of the pod moves to /run/data. */
const paths: AppPod = {
  name: 'paths',
  volumes: { data: { handle: 'paths' }, var: { emptyDir: {} } },
  setUp: [shell('make-link', 'ln -s /run /var/run', [{ name: 'var', mountPath: '/var' }])],
  containers: [
    writer('odd', 'paths', {
      mounts: [{ name: 'data', mountPath: oddPath }],
      places: [{ path: oddPath, stored: 'paths' }],
    }),
    writer('link', 'paths', {
      mounts: [
        { name: 'var', mountPath: '/var' },
        { name: 'data', mountPath: '/var/run/data' },
      ],
      places: [{ path: '/var/run/data', stored: 'paths' }],
    }),
  ],
};

const confined: AppPod = {
  name: 'confined',
  volumes: { data: { handle: 'confined', driver: 'group', attributes: { owner: '1000' } } },
  containers: [
    writer('app', 'confined', {
      fields: { securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } },
    }),
  ],
  fields: { securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000, runAsNonRoot: true } },
};

const unstaged: AppPod = {
  name: 'unstaged',
  volumes: { data: { handle: 'unstaged', driver: 'plain' }, inline: { driver: 'staging' } },
  containers: [
    {
      name: 'app',
      mounts: [data, { name: 'inline', mountPath: '/inline' }],
      places: [
        { path: '/data', stored: 'unstaged' },
        { path: '/inline', stored: '' },
      ],
    },
  ],
};

/** Two volumes, two pods, two nodes. */
const grid: readonly AppPod[] = ['node-1', 'node-2'].flatMap((node) =>
  ['first', 'second'].map((name) => ({
    name: `${name}-${node}`,
    node,
    volumes: { p: { handle: 'p' }, q: { handle: 'q' } },
    containers: [
      {
        name: 'app',
        mounts: [
          { name: 'p', mountPath: '/p' },
          { name: 'q', mountPath: '/q' },
        ],
        places: [
          { path: '/p', stored: 'p' },
          { path: '/q', stored: 'q' },
        ],
      },
    ],
  })),
);

/** Every shape of container and of mount in which a dead volume comes back without a restart. */
export const table: readonly AppPod[] = [
  plain,
  readers,
  flags,
  subPaths,
  longInit,
  sidecar,
  nested,
  paths,
  confined,
  unstaged,
  ...grid,
];

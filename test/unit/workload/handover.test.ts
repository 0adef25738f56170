import assert from 'node:assert/strict';
import { canRunTwice } from '../../../src/workload/handover.ts';

const folder = '/var/lib/kubelet/plugins/s3.example.com';
const host = (name: string, path: string) => ({ name, hostPath: { path } });

const registrar = {
  name: 'registrar',
  image: 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0',
  args: ['--csi-address=/csi/csi.sock', `--kubelet-registration-path=${folder}/csi.sock`],
  volumeMounts: [
    { name: 'plugin', mountPath: '/csi' },
    { name: 'registry', mountPath: '/registration' },
  ],
};
const driver = {
  name: 'driver',
  image: 'example.com/driver:v1',
  args: ['--endpoint=unix:///csi/csi.sock'],
  volumeMounts: [
    { name: 'plugin', mountPath: '/csi' },
    { name: 'kubelet', mountPath: '/var/lib/kubelet', mountPropagation: 'Bidirectional' },
  ],
};
const prober = {
  name: 'liveness-probe',
  image: 'registry.k8s.io/sig-storage/livenessprobe:v2.17.0',
  args: ['--csi-address=/csi/csi.sock', '--health-port=29643'],
  volumeMounts: [{ name: 'plugin', mountPath: '/csi' }],
};

interface Parts {
  readonly containers?: readonly object[];
  readonly volumes?: readonly object[];
  readonly [field: string]: unknown;
}

const judge = ({ containers = [driver, registrar], volumes = [], ...spec }: Parts) =>
  canRunTwice({
    spec: {
      containers,
      volumes: [
        host('plugin', `${folder}/`),
        host('registry', '/var/lib/kubelet/plugins_registry'),
        host('kubelet', '/var/lib/kubelet'),
        ...volumes,
      ],
      ...spec,
    } as never,
  });

function reasonsOf(parts: Parts): string {
  const judged = judge(parts);
  return judged.possible ? 'possible' : judged.reasons.join('; ');
}

describe('whether a driver can run twice on a node', () => {
  it('can with a socket folder that is a volume of its own', () => {
    const judged = judge({});
    assert.ok(judged.possible);
    assert.deepEqual(judged.second, {
      container: 'driver',
      leftOut: ['registrar'],
      socketVolume: 'plugin',
      socketFolder: folder,
      socketName: 'csi.sock',
    });
    assert.deepEqual(judged.cautions, [
      'a lock that the driver keeps on the node cannot be seen in its template',
    ]);
  });

  const possible: readonly [string, Parts][] = [
    [
      'an endpoint from a variable',
      {
        containers: [
          { ...driver, args: [], env: [{ name: 'CSI_ENDPOINT', value: 'unix:/csi/csi.sock' }] },
          registrar,
        ],
      },
    ],
    ['no word about the socket', { containers: [{ ...driver, args: [] }, registrar] }],
    [
      "hostNetwork with the prober's port",
      {
        hostNetwork: true,
        containers: [{ ...driver, ports: [{ containerPort: 29643 }] }, prober, registrar],
      },
    ],
    [
      'the address of a store',
      {
        hostNetwork: true,
        containers: [{ ...driver, args: [...driver.args, '--s3-endpoint=http://10.0.0.1:9000'] }, registrar],
      },
    ],
    [
      'a port of the pod alone',
      {
        containers: [
          { ...driver, args: [...driver.args, '--metrics-address=:8080'], ports: [{ containerPort: 8080 }] },
          registrar,
        ],
      },
    ],
  ];
  for (const [what, parts] of possible)
    it(`can with ${what}`, () => assert.equal(reasonsOf(parts), 'possible'));

  const impossible: readonly [string, Parts, RegExp][] = [
    [
      'a socket in the folder of all plugins',
      {
        containers: [
          {
            ...driver,
            args: [`--endpoint=unix://${folder}/csi.sock`],
            volumeMounts: [driver.volumeMounts[1]],
          },
          registrar,
        ],
      },
      /a path in \/var\/lib\/kubelet, not in a volume of its own/,
    ],
    ['no registrar', { containers: [driver] }, /no container of its own registers it/],
    [
      'a driver that registers itself',
      {
        containers: [
          {
            ...driver,
            volumeMounts: [...driver.volumeMounts, { name: 'registry', mountPath: '/registration' }],
          },
          registrar,
        ],
      },
      /mounts kubelet's registry/,
    ],
    [
      'two drivers',
      { containers: [driver, { ...driver, name: 'other' }, registrar] },
      /more than one.*driver, other/,
    ],
    [
      'a host port',
      { containers: [{ ...driver, ports: [{ containerPort: 80, hostPort: 8080 }] }, registrar] },
      /port 8080/,
    ],
    [
      'a port on hostNetwork',
      { hostNetwork: true, containers: [{ ...driver, ports: [{ containerPort: 9100 }] }, registrar] },
      /port 9100/,
    ],
    [
      'an argument with a port on hostNetwork',
      {
        hostNetwork: true,
        containers: [{ ...driver, args: [...driver.args, '--metrics-address=:8080'] }, registrar],
      },
      /--metrics-address=:8080/,
    ],
  ];
  for (const [what, parts, reason] of impossible)
    it(`cannot with ${what}`, () => assert.match(reasonsOf(parts), reason));

  it('says what no template tells', () => {
    const judged = judge({
      hostNetwork: true,
      initContainers: [{ name: 'install' }],
      containers: [
        { ...driver, volumeMounts: [...driver.volumeMounts, { name: 'state', mountPath: '/state' }] },
        { name: 'reloader' },
        registrar,
      ],
      volumes: [host('state', '/var/lib/state')],
    });
    assert.ok(judged.possible);
    assert.match(judged.cautions.join('\n'), /\/var\/lib\/state.*install.*reloader.*network/s);
  });
});

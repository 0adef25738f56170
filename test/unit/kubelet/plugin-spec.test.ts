import assert from 'node:assert/strict';
import { pluginSpec } from '../../../src/kubelet/plugin-spec.ts';

interface ContainerParts {
  readonly [key: string]: unknown;
}

const registry = '/var/lib/kubelet/plugins_registry';
const volumes = (...paths: readonly string[]) =>
  paths.map((path, index) => ({ name: `v${index}`, hostPath: { path } }));

const registrar = (parts: ContainerParts) => ({
  name: 'node-driver-registrar',
  image: 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0',
  ...parts,
});

const driver = { name: 'driver', image: 'example.com/driver:v1' };

const spec = (parts: ContainerParts, ...paths: readonly string[]) =>
  pluginSpec({ spec: { containers: [registrar(parts), driver], volumes: volumes(registry, ...paths) } });

describe('plugin spec', () => {
  it('reads the registrar and its path', () => {
    const path = '/var/lib/kubelet/plugins/s3.csi.example.com/csi.sock';
    const args = ['--v=5', `--kubelet-registration-path=${path}`];
    const plugin = spec({ args }, '/var/lib/kubelet/plugins/s3.csi.example.com/', '/dev');
    assert.deepEqual(plugin, {
      registrationPath: path,
      registryPath: registry,
      hostPaths: [registry, '/var/lib/kubelet/plugins/s3.csi.example.com', '/dev'],
      registrar: {
        container: 'node-driver-registrar',
        image: 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0',
        args,
      },
      otherContainers: ['driver'],
      nameHints: ['s3.csi.example.com'],
    });
  });

  const csi = '/var/lib/kubelet/plugins/d.example.com/csi.sock';
  const forms: readonly [string, ContainerParts, string | undefined][] = [
    ['a flag and its value apart', { args: ['--kubelet-registration-path', csi] }, csi],
    ['one dash', { args: [`-kubelet-registration-path=${csi}`] }, csi],
    ['the command', { command: ['/registrar', `--kubelet-registration-path=${csi}`] }, csi],
    [
      "a shell's command line",
      { command: ['sh', '-c', `exec /r --kubelet-registration-path="${csi}" --v=2`] },
      csi,
    ],
    [
      'a variable',
      { args: ['--kubelet-registration-path=$(SOCK)'], env: [{ name: 'SOCK', value: csi }] },
      csi,
    ],
    [
      'a variable made of another',
      {
        args: ['--kubelet-registration-path=$(SOCK)'],
        env: [
          { name: 'NAME', value: 'd.example.com' },
          { name: 'SOCK', value: '/var/lib/kubelet/plugins/$(NAME)/csi.sock' },
        ],
      },
      csi,
    ],
    [
      'a variable that only kubelet knows',
      {
        args: ['--kubelet-registration-path=/plugins/$(NODE)/csi.sock'],
        env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      },
      undefined,
    ],
    [
      'envFrom',
      { args: ['--kubelet-registration-path=$(SOCK)'], envFrom: [{ configMapRef: { name: 'c' } }] },
      undefined,
    ],
    [
      'a variable that nothing sets',
      { args: ['--kubelet-registration-path=/p/$(X)/csi.sock'] },
      '/p/$(X)/csi.sock',
    ],
    ['an escaped variable', { args: ['--kubelet-registration-path=/p/$$(X)/csi.sock'] }, '/p/$(X)/csi.sock'],
    ['no flag at all', { args: ['--v=5'] }, undefined],
  ];
  for (const [name, parts, path] of forms) {
    it(`takes the registration path from ${name}`, () => {
      const plugin = spec(parts);
      assert.equal(plugin?.registrationPath, path);
      assert.equal(plugin?.registrar?.container, 'node-driver-registrar');
    });
  }

  it('finds hints in folders, and in arguments, variables and labels for a driver’s name', () => {
    const env = [
      { name: 'CSI_DRIVER', value: 'plain-name' },
      { name: 'DRIVER_NAME', value: 'not a name' },
      { name: 'PLUGIN_NAME', value: `${'x'.repeat(62)}.y` },
      { name: 'PROVISIONER_NAME', value: 'e.example.com' },
      { name: 'PLUGIN_DIR', value: 'f.example.com' },
    ];
    const containers = [
      { ...driver, args: ['--drivername=by-flag', '--provisioner', 'by-word', '--x=b.example.com'], env },
    ];
    const labels = { app: 'csi', 'csi-driver': 'by-label', chart: 'c-1.0' };
    const plugin = pluginSpec({
      metadata: { labels },
      spec: { containers, volumes: volumes(registry, '/var/lib/kubelet/plugins/a.example.com') },
    });
    assert.deepEqual(plugin?.nameHints, [
      'a.example.com',
      'by-flag',
      'by-word',
      'plain-name',
      'e.example.com',
      'by-label',
    ]);
  });

  it('keeps no secret, wherever in the pod it stands', () => {
    const secrets = ['hunter2', 'abc.def.ghi', 'top.secret', 'swordfish'];
    const names = ['DRIVER_PASSWORD', 'PLUGIN_TOKEN', 'DRIVER_NAME_KEY', 'AUTH_PROVISIONER', 'ENDPOINT'];
    const env = names.flatMap((name) => secrets.map((value) => ({ name, value })));
    const made = [
      { name: 'DRIVER_NAME', value: '$(DRIVER_PASSWORD)' },
      { name: 'SOCK', value: '/var/lib/kubelet/plugins/$(PLUGIN_TOKEN)/csi.sock' },
    ];
    const flags = secrets.flatMap((value) => [
      value,
      `--password=${value}`,
      '--driver-token',
      value,
      `-plugin-key=${value}`,
      `--v=5 --x=${value}`,
    ]);
    const args = [...flags, '--kubelet-registration-path=$(SOCK)', '--mode=$(AUTH_PROVISIONER)'];
    const command = ['sh', '-c', secrets.map((value) => `TOKEN=${value} exec /r --auth ${value}`).join('; ')];
    const everywhere = { command, args, env: [...env, ...made] };
    const labels = Object.fromEntries(secrets.map((value, index) => [`driver-token-${index}`, value]));
    const plugin = pluginSpec({
      metadata: { labels, annotations: labels },
      spec: {
        containers: [registrar(everywhere), { ...driver, ...everywhere }],
        volumes: volumes(registry, '/var/lib/kubelet/plugins/a.example.com'),
      },
    });
    const kept = JSON.stringify(plugin);
    for (const secret of secrets) assert.ok(!kept.includes(secret), `${secret} in ${kept}`);
    assert.deepEqual(plugin?.nameHints, ['a.example.com']);
    assert.equal(plugin?.registrationPath, undefined);
  });

  it('knows a driver that registers itself', () => {
    const plugin = pluginSpec({ spec: { containers: [driver], volumes: volumes(`${registry}/`) } });
    assert.deepEqual(
      [plugin?.registryPath, plugin?.registrar, plugin?.otherContainers],
      [registry, undefined, ['driver']],
    );
  });

  it('knows the plugins folder of CSI 0.x, where there is a registrar', () => {
    const old = { name: 'registrar', image: 'quay.io/k8scsi/driver-registrar:v0.4.2', args: ['--v=5'] };
    const plugins = volumes('/var/lib/kubelet/plugins');
    assert.equal(
      pluginSpec({ spec: { containers: [old, driver], volumes: plugins } })?.registryPath,
      '/var/lib/kubelet/plugins',
    );
    assert.equal(pluginSpec({ spec: { containers: [driver], volumes: plugins } }), undefined);
  });

  it('counts a sidecar among the init containers, and no other init container', () => {
    const sidecar = {
      ...registrar({ args: [`--kubelet-registration-path=${csi}`] }),
      restartPolicy: 'Always',
    };
    const initContainers = [{ name: 'set-up', image: 'i' }, sidecar];
    const plugin = pluginSpec({ spec: { initContainers, containers: [driver], volumes: volumes(registry) } });
    assert.deepEqual(
      [plugin?.registrar?.container, plugin?.otherContainers],
      ['node-driver-registrar', ['driver']],
    );
  });

  it('knows other pods as none', () => {
    assert.equal(pluginSpec({ spec: { containers: [driver] } }), undefined);
    assert.equal(
      pluginSpec({ spec: { containers: [driver], volumes: volumes('/', '/var/lib/kubelet') } }),
      undefined,
    );
    assert.equal(pluginSpec({}), undefined);
  });
});

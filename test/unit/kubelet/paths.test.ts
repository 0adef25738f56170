import assert from 'node:assert/strict';
import { isBelow, isIgnoredName, join, knownRoots, registryOf } from '../../../src/kubelet/paths.ts';
import { hostPath } from '../../../src/model/ids.ts';

describe('paths of kubelet', () => {
  const below: readonly (readonly [string, string, boolean])[] = [
    ['/var/lib/kubelet/plugins/a/csi.sock', '/var/lib/kubelet', true],
    ['/var/lib/kubelet/plugins', '/var/lib/kubelet/', true],
    ['/var/lib/kubelet', '/var/lib/kubelet', false],
    ['/var/lib/kubelet-other/plugins', '/var/lib/kubelet', false],
    ['/var/lib', '/var/lib/kubelet', false],
    ['/etc', '/', true],
  ];
  for (const [path, folder, expected] of below)
    it(`${path} is ${expected ? '' : 'not '}below ${folder}`, () => {
      assert.equal(isBelow(path, folder), expected);
    });

  const ignored: readonly (readonly [string, boolean])[] = [
    ['a-reg.sock', false],
    ['.a-reg.sock', true],
    ['folder/a-reg.sock', false],
    ['folder/.a-reg.sock', true],
    ['.folder/a-reg.sock', true],
  ];
  for (const [name, expected] of ignored)
    it(`kubelet ${expected ? 'ignores' : 'looks at'} ${name}`, () => {
      assert.equal(isIgnoredName(name), expected);
    });

  it('puts the registry and its entries below the root', () => {
    const registry = registryOf(hostPath('/opt/kubelet'));
    assert.equal(registry, '/opt/kubelet/plugins_registry');
    assert.equal(join(registry, 'a-reg.sock'), '/opt/kubelet/plugins_registry/a-reg.sock');
  });

  it('asks the default root first', () => {
    assert.equal(knownRoots[0], '/var/lib/kubelet');
    assert.equal(new Set(knownRoots).size, knownRoots.length);
  });
});

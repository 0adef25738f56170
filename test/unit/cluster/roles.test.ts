import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { clusterRole, purposeNames } from '../../../src/cluster/roles.ts';

const rightsOf = (name: (typeof purposeNames)[number]) =>
  clusterRole(name).rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups[0]}/${resource}`)),
  );

describe('the roles', () => {
  it('each hold all of the lesser ones', () => {
    assert.deepEqual(purposeNames, ['read', 'look', 'heal', 'workloads']);
    for (const [index, name] of purposeNames.entries()) {
      const lesser = purposeNames[index - 1];
      if (lesser === undefined) continue;
      const all = new Set(rightsOf(name));
      assert.ok(rightsOf(lesser).every((right) => all.has(right)));
      assert.ok(all.size > rightsOf(lesser).length);
    }
  });
  it('read changes nothing and reads no secret', () => {
    assert.ok(rightsOf('read').every((right) => /^(get|list) /.test(right)));
    assert.ok(!rightsOf('look').some((right) => right.includes('secrets')));
  });
  it('name no wildcard', () => {
    assert.ok(purposeNames.flatMap(rightsOf).every((right) => !right.includes('*')));
  });
  it('have each right once', () => {
    for (const name of purposeNames) assert.equal(new Set(rightsOf(name)).size, rightsOf(name).length);
  });
});

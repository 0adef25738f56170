import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Cluster, type ClusterOptions, startCluster } from '../../cluster/index.ts';
import type { PublishCase } from './define-case.ts';
import { type Proof, startProof } from './proof.ts';
import { withComparableTokens } from './tokens.ts';

/**
 * The proof that a replay is kubelet's own request: a real kubelet stages and publishes every volume of the table
 * through drivers that record what they get; the requests built from the API are equal, field by field, and so is
 * what the driver gets when they are sent to it.
 */
export function provePublish(cases: readonly PublishCase[], options: ClusterOptions = {}): void {
  describe(`a replayed publish equals kubelet's own (${options.kubeVersion ?? 'usual version'})`, function () {
    this.timeout(60_000);
    let cluster: Cluster;
    let proof: Proof;

    before(async function () {
      this.timeout(2_400_000); // the first start builds Kubernetes
      cluster = await startCluster({ nodes: 1, ...options }, () => {});
      proof = await startProof(cluster, cases);
    });

    after(async () => {
      await proof?.stop();
      await cluster?.stop();
    });

    for (const test of cases) it(test.says, () => check(proof, test));
  });
}

async function check(proof: Proof, test: PublishCase): Promise<void> {
  const kubelet = await proof.recorded(test);
  const replay = await proof.replayed(test);
  assert.deepEqual(Object.keys(kubelet), proof.methods(test), 'the requests that kubelet sent');
  for (const [path, value] of Object.entries(test.shows)) {
    assert.deepEqual(at(kubelet.publish ?? kubelet.stage, path), value, path);
  }
  for (const method of proof.methods(test)) {
    const ours = replay[method] ?? {};
    assert.deepEqual(withComparableTokens(ours), withComparableTokens(kubelet[method] ?? {}), method);
    assert.deepEqual(await proof.sent(test, method), ours, `${method} as the driver got it`);
  }
  assert.deepEqual(replay.ownership, test.ownership);
  await proof.assertGroup(test);
}

/** The value at a path; names in it may have dots themselves. */
function at(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const object = value as Record<string, unknown>;
  if (path in object) return object[path];
  const dot = path.indexOf('.');
  return dot < 0 ? undefined : at(object[path.slice(0, dot)], path.slice(dot + 1));
}

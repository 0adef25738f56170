import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { kindOfWord, podSpecOf, refOf, templateOf } from '../../../src/workload/kinds.ts';
import { managersOf } from '../../../src/workload/managers.ts';
import { rolloutOf } from '../../../src/workload/rollout.ts';
import { deployment, podSpec } from './fixture.ts';

describe('kinds of workloads', () => {
  const words: readonly (readonly [string, string | undefined])[] = [
    ['deploy', 'Deployment'],
    ['Deployments', 'Deployment'],
    ['deployment.apps', 'Deployment'],
    ['sts', 'StatefulSet'],
    ['ds', 'DaemonSet'],
    ['cj', 'CronJob'],
    ['cronjobs.batch', 'CronJob'],
    ['job', 'Job'],
    ['rs', 'ReplicaSet'],
    ['po', 'Pod'],
    ['svc', undefined],
  ];
  for (const [word, kind] of words)
    it(`${word} is ${kind ?? 'none'}`, () => assert.equal(kindOfWord(word)?.kind, kind));

  it('have their pod spec in different places', () => {
    const spec = podSpec();
    const cron = { jobTemplate: { spec: { template: { spec } } } };
    const at = (kind: string, apiVersion: string, of: object) =>
      podSpecOf({ kind, apiVersion, metadata: { name: 'x' }, spec: of as Record<string, unknown> });
    assert.deepEqual(at('CronJob', 'batch/v1', cron), spec);
    assert.deepEqual(at('Pod', 'v1', spec), spec);
    assert.deepEqual(podSpecOf(deployment()), spec);
  });
  it('know the claims of a StatefulSet and of a pod', () => {
    const set = { ...deployment(), kind: 'StatefulSet' };
    const templates = [{ metadata: { name: 'www' } }];
    assert.deepEqual(
      templateOf({ ...set, spec: { ...set.spec, volumeClaimTemplates: templates } }, 'x').claimTemplates,
      { set: 'web', templates },
    );
    assert.equal(templateOf({ ...deployment(), apiVersion: 'v1', kind: 'Pod' }, 'x').pod, 'web');
    assert.equal(refOf(deployment()).namespace, 'shop');
  });
});

describe('managers of an object', () => {
  const table: readonly (readonly [string, object, RegExp])[] = [
    ['Helm', { annotations: { 'meta.helm.sh/release-name': 'r' } }, /^Helm manages it \(release r\)/],
    ['Helm by its label', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, /^Helm manages it/],
    ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'a' } }, /^Argo CD manages it/],
    ['Argo CD by its writes', { managedFields: [{ manager: 'argocd-controller' }] }, /^Argo CD/],
    ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'a' } }, /^Flux manages it/],
    ['Flux by its writes', { managedFields: [{ manager: 'helm-controller' }] }, /^Flux/],
    [
      'an operator',
      { ownerReferences: [{ apiVersion: 'x/v1', kind: 'Shop', name: 's', uid: 'u', controller: true }] },
      /^Shop s owns it/,
    ],
  ];
  for (const [what, metadata, expected] of table)
    it(what, () => {
      const [said = '', ...more] = managersOf(deployment(metadata));
      assert.match(said, expected);
      assert.deepEqual(more, []);
    });
  it('are none for what people applied', () =>
    assert.deepEqual(managersOf(deployment({ managedFields: [{ manager: 'kubectl' }] })), []));
});

describe('a rollout', () => {
  const done = {
    observedGeneration: 2,
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
    readyReplicas: 2,
  };
  it('is done when all pods have it and are there', () => {
    assert.equal(rolloutOf(deployment({}, done)).done, true);
    assert.equal(rolloutOf(deployment({}, { ...done, replicas: 3 })).done, false);
    assert.equal(rolloutOf(deployment({}, { ...done, availableReplicas: 1 })).done, false);
    assert.equal(rolloutOf(deployment({}, { ...done, observedGeneration: 1 })).done, false);
  });
  it('is stuck when it is paused or exceeded its deadline', () => {
    assert.match(String(rolloutOf(deployment({}, done, { paused: true })).stuck), /rollout resume/);
    const conditions = [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }];
    assert.match(String(rolloutOf(deployment({}, { ...done, conditions })).stuck), /deadline/);
  });
  it('of a StatefulSet ends at its partition, and with OnDelete does not begin', () => {
    const set = (spec: object, status: object) =>
      rolloutOf({ ...deployment({}, { ...done, ...status }, spec), kind: 'StatefulSet' });
    const revisions = { currentRevision: 'a', updateRevision: 'b', updatedReplicas: 1 };
    assert.equal(set({}, revisions).done, false);
    assert.equal(set({ updateStrategy: { rollingUpdate: { partition: 1 } } }, revisions).done, true);
    assert.match(set({ updateStrategy: { type: 'OnDelete' } }, revisions).text, /OnDelete/);
  });
  it('of a DaemonSet counts nodes', () => {
    const numbers = { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 };
    const set = (status: object) =>
      rolloutOf({ ...deployment({}, { ...done, ...status }), kind: 'DaemonSet' });
    assert.equal(set(numbers).done, false);
    assert.equal(set({ ...numbers, numberAvailable: 3 }).done, true);
  });
  it('of what has none is done', () =>
    assert.equal(rolloutOf({ ...deployment(), apiVersion: 'batch/v1', kind: 'CronJob' }).done, true));
});

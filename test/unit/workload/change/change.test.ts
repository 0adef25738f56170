import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { anew, lostAnew } from '../../../../src/workload/change/anew.ts';
import { diffLines } from '../../../../src/workload/change/diff.ts';
import { applied, inverse, onTop, valueAt, withValue } from '../../../../src/workload/change/edit.ts';
import { patchOf } from '../../../../src/workload/change/patch.ts';
import {
  changedSince,
  recordAnnotation,
  recordOf,
  recordText,
  stillThere,
} from '../../../../src/workload/change/record.ts';
import { editedObject, objectPatch } from '../../../../src/workload/change/write.ts';
import { podSpecOf } from '../../../../src/workload/kinds.ts';
import { deployment, podSpec } from '../fixture.ts';

const probe = { exec: { command: ['x'] }, periodSeconds: 20 };
const probePath = (name: string) => ['containers', `name=${name}`, 'livenessProbe'];
const mountPath = ['containers', 'name=app', 'volumeMounts', 'mountPath=/data', 'mountPropagation'];
const volume = { name: 'extra', configMap: { name: 'c' } };
const edits = [
  { path: ['volumes', 'name=extra'], before: null, after: volume },
  { path: probePath('beside'), before: { httpGet: { port: 80 } }, after: probe },
  { path: probePath('app'), before: null, after: probe },
  { path: mountPath, before: null, after: 'HostToContainer' },
];
const spec = podSpec();

describe('edits of a pod spec', () => {
  it('find fields through lists by their keys', () => {
    assert.deepEqual(valueAt(spec, probePath('beside')), { httpGet: { port: 80 } });
    assert.equal(valueAt(spec, probePath('app')), null);
    assert.equal(valueAt(spec, ['initContainers', 'name=x', 'livenessProbe']), null);
  });
  it('are taken back exactly by their inverse, the order of fields and items included', () => {
    const changed = applied(spec, edits);
    assert.notDeepEqual(changed, spec);
    assert.equal(JSON.stringify(applied(changed, inverse(edits))), JSON.stringify(spec));
  });
  it('leave what they are made on as it was', () => {
    const before = JSON.stringify(spec);
    withValue(spec, probePath('app'), probe);
    assert.equal(JSON.stringify(spec), before);
  });
  it('on top of earlier ones keep what was there first', () => {
    const second = { path: probePath('app'), before: probe, after: { ...probe, periodSeconds: 5 } };
    assert.deepEqual(onTop(edits, [second]).at(-1), { ...second, before: null });
    const deeper = { path: [...probePath('app'), 'periodSeconds'], before: 20, after: 5 };
    assert.deepEqual(
      onTop(edits, [deeper]).filter(({ path }) => path[1] === 'name=app' && path[2] === 'livenessProbe'),
      [deeper],
    );
    const back = { path: probePath('app'), before: probe, after: null };
    assert.equal(onTop(edits, [back]).length, edits.length - 1);
  });
});

describe('the strategic merge patch', () => {
  const patch = patchOf(spec, edits);
  it('names items by their keys, and keeps the order of lists', () => {
    assert.deepEqual(patch, {
      volumes: [volume],
      '$setElementOrder/volumes': [{ name: 'data' }, { name: 'extra' }],
      '$setElementOrder/containers': [{ name: 'app' }, { name: 'beside' }],
      containers: [
        {
          name: 'app',
          livenessProbe: probe,
          '$setElementOrder/volumeMounts': [{ mountPath: '/data' }],
          volumeMounts: [{ mountPath: '/data', mountPropagation: 'HostToContainer' }],
        },
        { name: 'beside', livenessProbe: { ...probe, $patch: 'replace' } },
      ],
    });
  });
  it('takes out what was added', () => {
    const changed = applied(spec, edits);
    const back = patchOf(changed, inverse(edits)) as Record<string, unknown>;
    assert.deepEqual(back.volumes, [{ name: 'extra', $patch: 'delete' }]);
    assert.deepEqual(back['$setElementOrder/volumes'], [{ name: 'data' }]);
    const [app] = back.containers as Record<string, unknown>[];
    assert.equal(app?.livenessProbe, null);
  });
  it('of an object holds the record in an annotation of the object, not of its template', () => {
    const record = { version: 1, edits } as const;
    assert.deepEqual(Object.keys(objectPatch(deployment(), edits, record)), ['metadata', 'spec']);
    assert.deepEqual(objectPatch(deployment(), [], null), {
      metadata: { annotations: { [recordAnnotation]: null } },
    });
  });
});

describe('the record of a change', () => {
  const record = { version: 1, edits } as const;
  const changed = editedObject(deployment(), edits);
  const marked = (text: string) => ({
    ...changed,
    metadata: { ...changed.metadata, annotations: { [recordAnnotation]: text } },
  });
  it('is read again from the object', () => {
    assert.deepEqual(recordOf(marked(recordText(record))), record);
    assert.equal(recordOf(changed), undefined);
    for (const text of ['', '{', '{"version":2,"edits":[]}', '{"version":1}'])
      assert.equal(recordOf(marked(text)), 'unreadable', text);
  });
  it('knows what somebody changed since, and what is back as it was', () => {
    assert.deepEqual(changedSince(changed, record), []);
    assert.equal(stillThere(changed, record).length, edits.length);
    assert.deepEqual(changedSince(deployment(), record), []);
    assert.deepEqual(stillThere(deployment(), record), []);
    const other = editedObject(changed, [
      { path: probePath('app'), before: probe, after: { ...probe, periodSeconds: 1 } },
    ]);
    assert.deepEqual(
      changedSince(other, record).map(({ path }) => path),
      [probePath('app')],
    );
  });
  it('changes nothing of the object but its pod spec', () => {
    const { spec: before, ...rest } = deployment();
    const { spec: after, ...others } = changed;
    assert.deepEqual(others, rest);
    assert.deepEqual({ ...after, template: null }, { ...before, template: null });
    assert.deepEqual(podSpecOf(changed), applied(spec, edits));
  });
});

describe('a diff', () => {
  it('shows what differs with some lines around it', () => {
    const lines = (...all: string[]) => all.join('\n');
    const before = lines('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    assert.deepEqual(diffLines(before, before.replace('g', 'G\nG2'), 1), [
      '@@',
      ' f',
      '-g',
      '+G',
      '+G2',
      ' h',
    ]);
    assert.deepEqual(diffLines(before, before.replace('a\n', ''), 1), ['-a', ' b']);
    assert.deepEqual(diffLines(before, before), []);
  });
});

describe('an object made anew', () => {
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'shop', uid: 'u', resourceVersion: '1', labels: { a: 'b' } },
    spec: {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: {
        metadata: { labels: { a: 'b', 'job-name': 'j', 'batch.kubernetes.io/controller-uid': 'u' } },
        spec: { containers: [] },
      },
    },
    status: { active: 1 },
  };
  it('has nothing that the server or a controller sets', () => {
    const made = anew(job);
    assert.deepEqual(made, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'shop', labels: { a: 'b' } },
      spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } },
    });
    const manual = { ...job, spec: { ...job.spec, manualSelector: true } };
    assert.deepEqual(anew(manual).spec, manual.spec);
  });
  it('is none where something would be lost', () => {
    const pod = { ...job, kind: 'Pod', spec: { volumes: [{ name: 'scratch', ephemeral: {} }] } };
    assert.match(String(lostAnew(pod)), /scratch goes with the pod/);
    assert.equal(lostAnew({ ...pod, spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } }), undefined);
  });
});

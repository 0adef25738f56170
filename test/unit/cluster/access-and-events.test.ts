import assert from 'node:assert/strict';
import { missingRights, rightText } from '../../../src/cluster/access.ts';
import type { Api } from '../../../src/cluster/api.ts';
import { recordEvent } from '../../../src/cluster/events.ts';
import { apiFor } from './support/kubeconfig.ts';
import { refuse, startServer, type TestServer } from './support/server.ts';

describe('access reviews and events', () => {
  let server: TestServer;
  let api: Api;
  let refused: boolean;

  beforeEach(async () => {
    refused = false;
    server = await startServer(({ body }, response) => {
      if (refused) return refuse(response, 403, 'Forbidden', 'events is forbidden');
      const object = JSON.parse(body);
      const verb = object.spec?.resourceAttributes?.verb;
      return { ...object, status: { allowed: verb === 'get' } };
    });
    api = await apiFor(server.url);
  });
  afterEach(() => server.close());

  const bodies = () => server.requests.map(({ body }) => JSON.parse(body));

  describe('access', () => {
    const exec = {
      verb: 'create',
      group: '',
      resource: 'pods',
      subresource: 'exec',
      namespace: 'kube-system',
    };
    const csiNodes = { verb: 'get', group: 'storage.k8s.io', resource: 'csinodes' };
    const leases = {
      verb: 'delete',
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'a',
      name: 'l',
    };

    it('finds the rights that lack, in their order', async () => {
      assert.deepEqual(await missingRights(api, [leases, csiNodes, exec]), [leases, exec]);
      assert.equal(server.requests[0]?.url, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
      assert(bodies().some(({ spec }) => spec.resourceAttributes.subresource === 'exec'));
    });

    it('asks nothing for nothing', async () => assert.deepEqual(await missingRights(api, []), []));

    it('names rights as RBAC does', () => {
      assert.equal(rightText(exec), 'create pods/exec in namespace kube-system');
      assert.equal(rightText(csiNodes), 'get csinodes.storage.k8s.io');
      assert.equal(rightText(leases), 'delete leases.coordination.k8s.io in namespace a');
    });

    it('throws where the question itself is refused', async () => {
      refused = true;
      await assert.rejects(missingRights(api, [exec]), { status: 403 });
    });
  });

  describe('events', () => {
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u-1' };
    const facts = { type: 'Normal', reason: 'DriverAnnouncedAgain', message: 'm' } as const;

    it('of a node go where kubelet puts them', async () => {
      assert.equal(await recordEvent(api, { involved: node, ...facts }), undefined);
      assert.equal(server.requests[0]?.url, '/api/v1/namespaces/default/events');
      const [event] = bodies();
      assert.equal(event.involvedObject.uid, 'n1');
      assert.match(event.metadata.name, /^n1\.[0-9a-f]{16}$/);
      assert.match(event.firstTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual([event.reason, event.message, event.count], ['DriverAnnouncedAgain', 'm', 1]);
    });

    it('of a pod go to its namespace', async () => {
      const pod = { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: 'apps', uid: 'u-2' };
      await recordEvent(api, { involved: pod, ...facts, message: 'x'.repeat(3000) });
      assert.equal(server.requests[0]?.url, '/api/v1/namespaces/apps/events');
      assert.equal(bodies()[0].involvedObject.uid, 'u-2');
      assert.equal(bodies()[0].message.length, 1024);
    });

    it('that fail come back as text', async () => {
      refused = true;
      const text = await recordEvent(api, { involved: node, ...facts });
      assert.equal(text, 'the event DriverAnnouncedAgain on Node n1 was not recorded: events is forbidden');
    });
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { connect } from '../../../src/cluster/connect.ts';
import { KubeconfigError } from '../../../src/cluster/errors.ts';
import { kubeconfig } from './support/kubeconfig.ts';
import { authority, brokenCertificate } from './support/pki.ts';
import { scratch, writeScratch } from './support/scratch.ts';

const failure = (message: RegExp, next: RegExp) => (error: unknown) => {
  assert(error instanceof KubeconfigError, String(error));
  assert.match(error.message, message);
  assert.match(error.next, next);
  return true;
};

const server = 'https://kube.test:6443';

describe('kubeconfig', () => {
  it('takes context, namespace and server from the file', async () => {
    const file = kubeconfig({ server }, {}, { namespace: 'storage' });
    const connection = await connect({ kubeconfig: file, env: {} });
    assert.deepEqual(
      [connection.context, connection.namespace, connection.api.server],
      ['test', 'storage', server],
    );
  });

  it('lets flags win over the file', async () => {
    const file = kubeconfig({ server }, {}, { namespace: 'storage' });
    const flags = { namespace: 'other', server: 'https://elsewhere.test/k8s/clusters/c-1/' };
    const connection = await connect({ kubeconfig: file, ...flags, env: {} });
    assert.equal(connection.namespace, 'other');
    assert.equal(connection.api.server, 'https://elsewhere.test/k8s/clusters/c-1');
  });

  it('merges the files of KUBECONFIG: the first word wins, missing files are passed over', async () => {
    const first = writeScratch(
      '{"current-context": "b", "contexts": [{"name": "b", "context": {"cluster": "here"}}]}',
    );
    const second = kubeconfig({ server });
    const env = { KUBECONFIG: ['/nonexistent/config', first, second].join(delimiter) };
    const connection = await connect({ env });
    assert.deepEqual([connection.context, connection.api.server], ['b', server]);
  });

  it('finds ~/.kube/config', async () => {
    mkdirSync(join(scratch, 'home/.kube'), { recursive: true });
    const text = `{clusters: [{name: c, cluster: {server: '${server}'}}], contexts: [{name: x, context: {cluster: c}}], current-context: x}`;
    writeFileSync(join(scratch, 'home/.kube/config'), text);
    assert.equal((await connect({ env: { HOME: join(scratch, 'home') } })).context, 'x');
  });

  it("uses a pod's own credentials where there is no kubeconfig", async () => {
    const folder = join(scratch, 'serviceaccount');
    mkdirSync(folder);
    writeFileSync(join(folder, 'token'), 'pod-token\n');
    writeFileSync(join(folder, 'namespace'), 'kube-system');
    writeFileSync(join(folder, 'ca.crt'), authority.cert);
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const connection = await connect({ env, serviceAccountFolder: folder });
    assert.deepEqual(
      [connection.context, connection.namespace, connection.api.server],
      ['in-cluster', 'kube-system', 'https://[fd00::1]'],
    );
  });
});

describe('a kubeconfig that cannot be used', () => {
  const cases: readonly [string, () => Parameters<typeof connect>[0], RegExp, RegExp][] = [
    [
      'is missing',
      () => ({ kubeconfig: '/nonexistent/config', env: {} }),
      /no kubeconfig \/nonexistent\/config/,
      /--kubeconfig/,
    ],
    [
      'is nowhere',
      () => ({ env: { HOME: '/nonexistent' } }),
      /no kubeconfig was found at ~\/\.kube\/config/,
      /KUBECONFIG/,
    ],
    [
      'is nowhere in the list',
      () => ({ env: { KUBECONFIG: '/nonexistent/a' } }),
      /in KUBECONFIG \(\/nonexistent\/a\)/,
      /--kubeconfig/,
    ],
    [
      'is empty',
      () => ({ kubeconfig: writeScratch(''), env: {} }),
      /is empty: it names no cluster/,
      /set-cluster/,
    ],
    [
      'is no YAML',
      () => ({ kubeconfig: writeScratch('a: 1\nb: [2}\n'), env: {} }),
      /cannot be read: .*line 2/,
      /kubectl config view/,
    ],
    ['is a text', () => ({ kubeconfig: writeScratch('hello'), env: {} }), /holds no kubeconfig/, /Repair/],
    [
      'has a list that is none',
      () => ({ kubeconfig: writeScratch('clusters: 3'), env: {} }),
      /clusters is not a list/,
      /--kubeconfig/,
    ],
    ['is a folder', () => ({ kubeconfig: scratch, env: {} }), /EISDIR/, /--kubeconfig/],
    [
      'lacks the context',
      () => ({ kubeconfig: kubeconfig({ server }), context: 'prod', env: {} }),
      /no context prod/,
      /--context: test/,
    ],
    [
      'lacks the user',
      () => ({ kubeconfig: kubeconfig({ server }), user: 'eve', env: {} }),
      /no user eve/,
      /--user: me/,
    ],
    [
      'lacks the cluster',
      () => ({ kubeconfig: kubeconfig({ server }), cluster: 'far', env: {} }),
      /no cluster far/,
      /--cluster: here/,
    ],
    ['names no server', () => ({ kubeconfig: kubeconfig({}), env: {} }), /no server address/, /--server/],
    [
      'names a strange server',
      () => ({ kubeconfig: kubeconfig({ server: 'ftp://x' }), env: {} }),
      /no http or https address/,
      /--server/,
    ],
  ];
  for (const [name, options, message, next] of cases) {
    it(name, () => assert.rejects(async () => connect(options()), failure(message, next)));
  }

  const atFirstUse: readonly [string, object, object, RegExp][] = [
    [
      'names a certificate that is not there',
      { 'certificate-authority': 'gone.crt' },
      {},
      /certificate authority .*gone\.crt cannot be read/,
    ],
    [
      'names a broken client certificate',
      {},
      { 'client-certificate': brokenCertificate, 'client-key': brokenCertificate },
      /certificates cannot be used/,
    ],
    [
      'names a certificate without its key',
      {},
      { 'client-certificate': authority.certFile },
      /certificate without its key/,
    ],
    [
      'names an auth-provider of the past',
      {},
      { 'auth-provider': { name: 'gcp' } },
      /auth-provider gcp, which no longer exists/,
    ],
    [
      'holds an OIDC token that has run out',
      {},
      { 'auth-provider': { name: 'oidc', config: { 'id-token': 'a.e30.c' } } },
      /OIDC token of user me has run out/,
    ],
  ];
  for (const [name, cluster, user, message] of atFirstUse) {
    it(name, () =>
      assert.rejects(
        async () => {
          const { api } = await connect({ kubeconfig: kubeconfig({ server, ...cluster }, user), env: {} });
          await api.get('/version');
        },
        failure(message, /./),
      ),
    );
  }
});

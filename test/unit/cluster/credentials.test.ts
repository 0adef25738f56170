import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { connect } from '../../../src/cluster/connect.ts';
import { KubeconfigError } from '../../../src/cluster/errors.ts';
import { apiFor, kubeconfig } from './support/kubeconfig.ts';
import { authority, jane } from './support/pki.ts';
import { writeScratch } from './support/scratch.ts';
import { refuse, startServer, type TestServer } from './support/server.ts';

const plugin = (script: string) => writeScratch(`#!/bin/sh\n${script}\n`, { mode: 0o700, name: 'plugin' });
const credential = (status: object) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status });

describe('credentials', () => {
  let server: TestServer;
  let accepted: string | undefined;

  before(async () => {
    server = await startServer(
      ({ headers }, response) =>
        accepted && headers.authorization !== accepted
          ? refuse(response, 401, 'Unauthorized', 'Unauthorized')
          : {},
      { clientCertificate: 'asked' },
    );
  });
  after(() => server.close());
  beforeEach(() => {
    accepted = undefined;
  });

  const lastSeen = () => server.requests.at(-1) ?? assert.fail('the server saw no request');

  async function authorizationOf(user: object) {
    await (await apiFor(server.url, { user })).get('/version');
    return lastSeen().headers.authorization;
  }

  it('sends a token', async () => {
    assert.equal(await authorizationOf({ token: 'abc' }), 'Bearer abc');
  });

  it('sends user name and password', async () => {
    assert.equal(await authorizationOf({ username: 'jane', password: 'p:w' }), `Basic ${btoa('jane:p:w')}`);
  });

  it('sends an OIDC token that still holds', async () => {
    const claims = Buffer.from(JSON.stringify({ exp: Date.now() / 1000 + 60 })).toString('base64url');
    const provider = { name: 'oidc', config: { 'id-token': `h.${claims}.s` } };
    assert.equal(await authorizationOf({ 'auth-provider': provider }), `Bearer h.${claims}.s`);
  });

  it('reads a token file, relative to the kubeconfig, and again when the server refuses the old token', async () => {
    const file = writeScratch('first\n');
    const path = kubeconfig(
      { server: server.url, 'certificate-authority': basename(authority.certFile) },
      { tokenFile: basename(file) },
    );
    assert.equal(dirname(path), dirname(file));
    const { api } = await connect({ kubeconfig: path, env: {} });
    await api.get('/version');
    assert.equal(lastSeen().headers.authorization, 'Bearer first');
    writeFileSync(file, 'second');
    accepted = 'Bearer second';
    await api.get('/version');
    assert.equal(lastSeen().headers.authorization, 'Bearer second');
  });

  it('shows a client certificate, from files or from the kubeconfig itself', async () => {
    await authorizationOf({ 'client-certificate': jane.certFile, 'client-key': jane.keyFile });
    assert.equal(lastSeen().client, 'jane');
    const inline = {
      'client-certificate-data': jane.cert.toString('base64'),
      'client-key-data': jane.key.toString('base64'),
    };
    await authorizationOf(inline);
    assert.equal(lastSeen().client, 'jane');
  });

  it('impersonates by flags and by the kubeconfig', async () => {
    const user = {
      token: 't',
      as: 'by-file',
      'as-groups': ['file'],
      'as-user-extra': { 'example.com/scope': ['a'] },
    };
    const file = kubeconfig({ server: server.url, 'certificate-authority': authority.certFile }, user);
    await (await connect({ kubeconfig: file, env: {} })).api.get('/version');
    assert.equal(lastSeen().headers['impersonate-user'], 'by-file');
    assert.equal(lastSeen().headers['impersonate-extra-example.com%2fscope'], 'a');
    const flags = { as: 'jane', asGroups: ['ops', 'dev'], asUid: '7' };
    await (await connect({ kubeconfig: file, ...flags, env: {} })).api.get('/version');
    const { headers, rawHeaders } = lastSeen();
    assert.deepEqual([headers['impersonate-user'], headers['impersonate-uid']], ['jane', '7']);
    const groups = rawHeaders.filter(
      (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'impersonate-group',
    );
    assert.deepEqual(groups, ['ops', 'dev']);
  });

  describe('from an exec plugin', () => {
    it('hands the cluster and the environment to it, and sends its token', async () => {
      const command = plugin(
        `printf '%s' "$KUBERNETES_EXEC_INFO" >"$0.info"; echo '${credential({ token: 'T-' })}' | sed "s/T-/T-$EXTRA-$1/"`,
      );
      const exec = {
        command,
        args: ['arg'],
        env: [{ name: 'EXTRA', value: 'env' }],
        provideClusterInfo: true,
      };
      assert.equal(await authorizationOf({ exec }), 'Bearer T-env-arg');
      const { readFileSync } = await import('node:fs');
      const info = JSON.parse(readFileSync(`${command}.info`, 'utf8'));
      assert.deepEqual([info.kind, info.spec.cluster.server], ['ExecCredential', server.url]);
    });

    it('runs it once for many requests, again when the server says 401 or the credential has expired', async () => {
      const answer = credential({ token: 'N' });
      const command = plugin(`echo x >>"$0.runs"; echo '${answer}' | sed "s/N/$(wc -l <"$0.runs")/"`);
      const api = await apiFor(server.url, { user: { exec: { command } } });
      await Promise.all([api.get('/a'), api.get('/b')]);
      assert.equal(lastSeen().headers.authorization, 'Bearer 1');
      accepted = 'Bearer 2';
      await api.get('/c');
      assert.equal(lastSeen().headers.authorization, 'Bearer 2');
    });

    it('runs it again when the credential has expired', async () => {
      const answer = credential({ token: 'N', expirationTimestamp: '2001-01-01T00:00:00Z' });
      const command = plugin(`echo x >>"$0.runs"; echo '${answer}' | sed "s/N/$(wc -l <"$0.runs")/"`);
      const api = await apiFor(server.url, { user: { exec: { command } } });
      await api.get('/a');
      const first = lastSeen().headers.authorization;
      await api.get('/b');
      assert.notEqual(lastSeen().headers.authorization, first);
    });

    it('shows the certificate that it gives', async () => {
      const answer = credential({ clientCertificateData: `${jane.cert}`, clientKeyData: `${jane.key}` });
      const file = writeScratch(answer);
      await authorizationOf({ exec: { command: plugin(`cat ${file}`) } });
      assert.equal(lastSeen().client, 'jane');
    });

    const failures: readonly [string, object, RegExp, RegExp][] = [
      [
        'is missing: its own hint',
        { command: 'no-such-plugin', installHint: 'Get it\n from the shop.' },
        /no-such-plugin is not installed/,
        /^Get it from the shop\.$/,
      ],
      ['is missing, no hint', { command: 'no-such-plugin' }, /not installed/, /Install no-such-plugin/],
      [
        'fails: its words',
        { command: 'sh', args: ['-c', 'echo log in first >&2; exit 3'] },
        /failed: log in first/,
        /Log in again/,
      ],
      [
        'cannot be started',
        { command: writeScratch('no program') },
        /cannot be started: .*EACCES/,
        /Install/,
      ],
      [
        'answers nonsense',
        { command: 'echo', args: ['hi'] },
        /did not answer with an ExecCredential/,
        /echo hi/,
      ],
      [
        'gives nothing',
        { command: 'echo', args: [credential({})] },
        /neither a token nor a client certificate/,
        /by hand/,
      ],
    ];
    for (const [name, exec, message, next] of failures) {
      it(name, () =>
        assert.rejects(authorizationOf({ exec }), (error: unknown) => {
          assert(error instanceof KubeconfigError, String(error));
          assert.match(error.message, message);
          assert.match(error.next, next);
          return true;
        }),
      );
    }
  });
});

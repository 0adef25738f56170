import assert from 'node:assert/strict';
import { proxyFromEnv } from '../../../src/cluster/connection/proxy.ts';
import { ConnectionError } from '../../../src/cluster/errors.ts';
import { apiFor } from './support/kubeconfig.ts';
import { innerIdentity, jane, strangerAuthority } from './support/pki.ts';
import { startConnectProxy, startSocksProxy, type TestProxy } from './support/proxies.ts';
import { startServer, type TestServer } from './support/server.ts';

const connectionError = (failure: string, message: RegExp) => (error: unknown) => {
  assert(error instanceof ConnectionError, String(error));
  assert.equal(error.failure, failure);
  assert.match(error.message, message);
  return true;
};

describe('TLS', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer(() => ({}), { identity: innerIdentity });
  });
  after(() => server.close());

  it('refuses a certificate for another name', async () => {
    const api = await apiFor(server.url);
    await assert.rejects(
      api.get('/version'),
      connectionError('tls', /IP: 127\.0\.0\.1 is not in the cert's list/),
    );
  });

  it('accepts it with tls-server-name', async () => {
    await (await apiFor(server.url, { cluster: { 'tls-server-name': 'inner.test' } })).get('/version');
  });

  it('refuses a certificate of a stranger', async () => {
    const cluster = { 'tls-server-name': 'inner.test', 'certificate-authority': strangerAuthority.certFile };
    const api = await apiFor(server.url, { cluster });
    await assert.rejects(
      api.get('/version'),
      connectionError('tls', /TLS connection to 127\.0\.0\.1:\d+ failed/),
    );
  });

  it('asks nothing of the certificate when insecure', async () => {
    const cluster = { 'insecure-skip-tls-verify': true, 'certificate-authority': undefined };
    await (await apiFor(server.url, { cluster })).get('/version');
  });

  it('says so when the server wants a client certificate', async () => {
    const strict = await startServer(() => ({}), { clientCertificate: 'required' });
    try {
      await assert.rejects(
        (await apiFor(strict.url)).get('/version'),
        connectionError('tls', /certificate required$/),
      );
      const user = { 'client-certificate': jane.certFile, 'client-key': jane.keyFile };
      await (await apiFor(strict.url, { user })).get('/version');
      assert.equal(strict.requests.at(-1)?.client, 'jane');
    } finally {
      await strict.close();
    }
  });

  it('says so when the server speaks plain HTTP', async () => {
    const plain = await startServer(() => ({}), { plain: true });
    try {
      const api = await apiFor(plain.url.replace('http:', 'https:'));
      await assert.rejects(api.get('/version'), connectionError('tls', /TLS connection/));
    } finally {
      await plain.close();
    }
  });
});

describe('proxies', () => {
  let server: TestServer;
  let proxy: TestProxy;
  before(async () => {
    server = await startServer(() => ({ ok: true }));
    proxy = await startConnectProxy(server.port);
  });
  after(() => Promise.all([server.close(), proxy.close()]));

  const far = 'https://kube.test:6443';
  const address = () => `http://127.0.0.1:${proxy.port}`;

  it('goes through proxy-url, with its login', async () => {
    const login = address().replace('//', '//jane:secret@');
    const api = await apiFor(far, { cluster: { 'proxy-url': login } });
    assert.deepEqual(await api.get('/version'), { ok: true });
    assert.equal(proxy.targets.at(-1), 'kube.test:6443');
    assert.equal(proxy.logins.at(-1), `Basic ${btoa('jane:secret')}`);
  });

  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    it(`goes through ${name}`, async () => {
      const before = proxy.targets.length;
      await (await apiFor(far, { env: { [name]: address() } })).get('/version');
      assert.equal(proxy.targets.length, before + 1);
    });
  }

  it('checks the server behind the proxy, by tls-server-name where there is one', async () => {
    const other = await apiFor('https://other.test:6443', { env: { HTTPS_PROXY: address() } });
    await assert.rejects(other.get('/version'), connectionError('tls', /other\.test/));
    const cluster = { 'tls-server-name': 'kube.test' };
    await (await apiFor('https://other.test:6443', { cluster, env: { HTTPS_PROXY: address() } })).get(
      '/version',
    );
  });

  it('does not use a proxy for a host that NO_PROXY names', async () => {
    const before = proxy.targets.length;
    const env = { HTTPS_PROXY: address(), NO_PROXY: '.test' };
    await assert.rejects(
      (await apiFor(far, { env })).get('/version'),
      connectionError('unknown-host', /kube\.test is not known/),
    );
    assert.equal(proxy.targets.length, before);
  });

  it('goes through a SOCKS5 proxy', async () => {
    const socks = await startSocksProxy(server.port);
    try {
      const cluster = { 'proxy-url': `socks5h://127.0.0.1:${socks.port}` };
      await (await apiFor(far, { cluster })).get('/version');
      assert.deepEqual(socks.targets, ['kube.test:6443']);
    } finally {
      await socks.close();
    }
  });

  it('says what a proxy answered', async () => {
    const closed = await startConnectProxy(server.port, '403 Forbidden');
    try {
      const env = { HTTPS_PROXY: `http://127.0.0.1:${closed.port}` };
      await assert.rejects((await apiFor(far, { env })).get('/version'), connectionError('proxy', /403/));
    } finally {
      await closed.close();
    }
  });

  it('refuses a proxy address that is none', async () => {
    const api = await apiFor(far, { cluster: { 'proxy-url': 'ftp://x' } });
    await assert.rejects(api.get('/version'), /proxy address ftp:\/\/x is neither/);
  });
});

describe('NO_PROXY', () => {
  const cases: readonly [string, string, boolean][] = [
    ['https://kube.test', 'kube.test', true],
    ['https://a.kube.test', 'kube.test', true],
    ['https://akube.test', 'kube.test', false],
    ['https://kube.test', '.kube.test', false],
    ['https://a.kube.test', '*.kube.test', true],
    ['https://kube.test:6443', 'kube.test:6443', true],
    ['https://kube.test:443', 'kube.test:6443', false],
    ['https://kube.test', 'kube.test:443', true],
    ['https://10.1.2.3', 'a.test, 10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
    ['https://10.1.2.3', 'fd00::/8', false],
    ['https://kube.test', '*', true],
    ['https://localhost:6443', '', true],
    ['https://127.0.0.9', '', true],
    ['https://[::1]', '', true],
    ['https://kube.test', '', false],
  ];
  for (const [server, list, exempt] of cases) {
    it(`${exempt ? 'exempts' : 'does not exempt'} ${server} with "${list}"`, () => {
      const proxy = proxyFromEnv(new URL(server), { HTTPS_PROXY: 'proxy.test:3128', NO_PROXY: list });
      assert.equal(proxy, exempt ? undefined : 'http://proxy.test:3128');
    });
  }

  it('reads HTTP_PROXY for a plain server', () => {
    const env = { HTTPS_PROXY: 'http://a.test', HTTP_PROXY: 'http://b.test' };
    assert.equal(proxyFromEnv(new URL('http://kube.test'), env), 'http://b.test');
  });
});

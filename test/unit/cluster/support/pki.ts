import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch, writeScratch } from './scratch.ts';

export interface Identity {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

const openssl = (...args: readonly string[]) =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });

function request(name: string, subject: string, more: readonly string[]): Identity {
  const [certFile, keyFile] = [join(scratch, `${name}.crt`), join(scratch, `${name}.key`)];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  openssl('req', '-x509', ...key, '-out', certFile, '-days', '2', '-subj', subject, ...more);
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

function signed(name: string, subject: string, authority: Identity, names?: string): Identity {
  const issuer = ['-CA', authority.certFile, '-CAkey', authority.keyFile];
  const usage = [
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    ...(names ? ['-addext', `subjectAltName=${names}`] : []),
  ];
  return request(name, subject, [...issuer, ...usage]);
}

export const authority = request('ca', '/CN=test authority', []);
export const strangerAuthority = request('stranger', '/CN=another authority', []);
/** Valid for 127.0.0.1 and kube.test. */
export const serverIdentity = signed('server', '/CN=apiserver', authority, 'IP:127.0.0.1,DNS:kube.test');
/** Valid for inner.test alone. */
export const innerIdentity = signed('inner', '/CN=apiserver', authority, 'DNS:inner.test');
export const jane = signed('jane', '/O=ops/CN=jane', authority);

export const brokenCertificate = writeScratch(
  '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
);

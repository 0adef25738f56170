import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ApiError } from '../errors.ts';
import { parseResourcePath } from '../resource-path.ts';

/** The body of an answer, unpacked. */
export function bodyStream(reply: IncomingMessage): Readable {
  if (reply.headers['content-encoding'] !== 'gzip') return reply;
  const plain = createGunzip();
  reply.on('error', (error) => plain.destroy(error));
  plain.on('close', () => reply.destroy());
  return reply.pipe(plain);
}

export async function readBody(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyStream(reply)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A refusal in the server's words: its Status object, or the first line of what a proxy sent instead. */
export function refusal(reply: IncomingMessage, body: string, verb: string, path: string): ApiError {
  const status = reply.statusCode ?? 0;
  const { message, reason } = statusObject(body);
  const said = message || firstLine(body) || reply.statusMessage || 'no reason given';
  const retryAfter = Number(reply.headers['retry-after']);
  return new ApiError(message ? said : `the server answered ${status}: ${said}`, {
    ...parseResourcePath(path),
    status,
    reason: reason ?? '',
    verb: deniedVerb(said) ?? verb,
    ...(retryAfter >= 0 && { retryAfter }),
  });
}

/**
 * The verb that RBAC missed, by the words of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
 * It need not be the one of the request: exec over WebSocket needs `get`, and from 1.35 on `create`.
 */
const deniedVerb = (message: string) => /cannot (\w+) resource "/.exec(message)?.[1];

export interface StatusObject {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
}

function statusObject(body: string): StatusObject {
  try {
    const parsed = JSON.parse(body) as StatusObject & { kind?: string };
    return parsed.kind === 'Status' ? parsed : {};
  } catch {
    return {};
  }
}

function firstLine(body: string): string {
  const text = body.replaceAll(/<(style|script|head)[\s\S]*?<\/\1>/gi, '').replaceAll(/<[^>]*>/g, '');
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}

/** `299 - "text"` of RFC 7234, 5.5, as the API server writes it. */
export function warningsOf(reply: IncomingMessage): readonly string[] {
  const headers = reply.headersDistinct.warning ?? [];
  return headers.map((header) => {
    const quoted = /^\d{3} \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1];
    return quoted?.replaceAll(/\\(.)/g, '$1') ?? header;
  });
}

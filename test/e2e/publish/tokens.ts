import type { RecordedRequest } from './record.ts';

const key = 'csi.storage.k8s.io/serviceAccount.tokens';

interface TokenStatus {
  readonly token: string;
  readonly expirationTimestamp: string;
}

interface Claims {
  readonly aud: readonly string[];
  readonly iss: string;
  readonly sub: string;
  readonly exp: number;
  readonly iat: number;
  readonly 'kubernetes.io': unknown;
}

/**
 * The request with its tokens made comparable. The API server signs a new token for everybody who asks, so tokens
 * cannot be equal byte by byte: what is compared is the text around them, and for each its audience, issuer, subject,
 * lifetime, and the pod, node and service account that it is bound to.
 */
export function withComparableTokens(request: RecordedRequest): RecordedRequest {
  const field = (['volumeContext', 'secrets'] as const).find((name) => request[name]?.[key] !== undefined);
  if (!field) return request;
  const text = request[field]?.[key] ?? '';
  const tokens = Object.entries(JSON.parse(text) as Record<string, TokenStatus>);
  const parameters = { ...request[field], [key]: textAround(text, tokens) };
  return { ...request, [field]: parameters, tokens: Object.fromEntries(tokens.map(tokenFacts)) };
}

const textAround = (text: string, tokens: readonly [string, TokenStatus][]) =>
  tokens.reduce(
    (rest, [, { token, expirationTimestamp }]) =>
      rest.replace(token, 'TOKEN').replace(expirationTimestamp, 'TIME'),
    text,
  );

function tokenFacts([audience, { token, expirationTimestamp }]: [string, TokenStatus]) {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  const { aud, iss, sub, exp, iat, 'kubernetes.io': bound } = JSON.parse(payload) as Claims;
  const facts = { aud, iss, sub, bound, lifetime: exp - iat };
  // The API server reads its clock once for the token and once for the answer: they may be a second apart.
  const isTold = Math.abs(Date.parse(expirationTimestamp) / 1000 - exp) <= 1;
  return [audience, { ...facts, isTold }] as const;
}

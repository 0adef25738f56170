import type { AudienceToken } from './input.ts';
import { Secret } from './secret.ts';

/** The key under which kubelet sends them, in the volume context or in the secrets. */
export const tokensKey = 'csi.storage.k8s.io/serviceAccount.tokens';

/**
 * Tokens by audience as Go's encoding/json writes the map (podServiceAccountTokenAttrs of csi_mounter.go):
 * keys in the order of their bytes, no white space, HTML characters escaped.
 */
export function tokensText(tokens: readonly AudienceToken[]): Secret<string> {
  const entries = [...tokens]
    .sort((one, other) => Buffer.compare(Buffer.from(one.audience), Buffer.from(other.audience)))
    .map(({ audience, token, expirationTimestamp }) => {
      const status = `{"token":${goString(token.reveal())},"expirationTimestamp":${goString(expirationTimestamp)}}`;
      return `${goString(audience)}:${status}`;
    });
  return new Secret(`{${entries.join(',')}}`);
}

const goString = (text: string) =>
  JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

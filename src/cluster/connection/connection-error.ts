import { ConnectionError, type ConnectionFailure } from '../errors.ts';

const tlsNext =
  'Check certificate-authority and tls-server-name in the kubeconfig; --insecure-skip-tls-verify goes without the check.';

/**
 * A socket's error in words. An abort stays what it was: the caller's own reason, or our time limit.
 * Codes: errno names, and OpenSSL's and Node's names for TLS failures (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
export function connectionError(error: Error, server: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return isTimeLimit(signal.reason) ? timedOut(server, error) : signal.reason;
  const { code = '' } = error as NodeJS.ErrnoException;
  const make = (failure: ConnectionFailure, message: string, next: string) =>
    new ConnectionError(failure, message, next, { cause: error });
  const at = server.host;
  switch (code) {
    case 'ECONNREFUSED':
      return make(
        'refused',
        `nothing listens at ${at}`,
        'Check the server address (kubectl config view --minify) and that the API server or the proxy runs.',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return make(
        'unknown-host',
        `the host name ${server.hostname} is not known`,
        'Check the server address (kubectl config view --minify), your DNS and your VPN.',
      );
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return timedOut(server, error);
    case 'ERR_PROXY_TUNNEL':
      return make(
        'proxy',
        `the proxy did not let through to ${at}: ${error.message}`,
        'Check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY.',
      );
    default:
      return isTls(code)
        ? make('tls', tlsText(error, at), tlsNext)
        : make('broken', `the connection to ${at} broke: ${error.message}`, 'Try again.');
  }
}

export const isTimeLimit = (reason: unknown) =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

const timedOut = (server: URL, cause: Error) =>
  new ConnectionError(
    'timeout',
    `${server.host} gave no answer in time`,
    'Check your network and VPN, or wait longer with --request-timeout.',
    { cause },
  );

const isTls = (code: string) =>
  /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_|EPROTO)/.test(code);

/** OpenSSL's errors bring their own words in `reason`. */
function tlsText(error: Error & { readonly reason?: string }, at: string) {
  return `the TLS connection to ${at} failed: ${error.reason ?? error.message.trim()}`;
}

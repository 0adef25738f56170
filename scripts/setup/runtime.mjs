// Builds a current containerd and runc into the cache folder: Debian's are too old for user namespaces of pods
// (containerd 2.0, runc 1.2). Starts on Node 20 and has no dependencies.
import { fileURLToPath } from 'node:url';
import { ensureDebianPackages } from './debian.mjs';
import { ensureModule } from './go-binaries.mjs';

const module = fileURLToPath(new URL('../../test/cluster/runtime', import.meta.url));

/**
 * @param {{ log: (line: string) => void, signal?: AbortSignal }} options
 * @returns {Promise<string>} the folder of containerd, its shim and runc
 * @throws when Go or a C compiler is missing or the build fails
 */
export async function ensureRuntime({ log, signal }) {
  await ensureDebianPackages(['gcc', 'libc6-dev', 'libseccomp-dev'], log);
  // runc enters namespaces by C code, and the runtime of a pod without seccomp is none that kubelet takes.
  const environment = { CGO_ENABLED: '1', GOFLAGS: '-buildvcs=false -tags=seccomp' };
  return ensureModule(module, log, signal, environment);
}

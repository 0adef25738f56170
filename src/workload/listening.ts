import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import type { Wire } from '../kubelet/wire.ts';
import { wordsOf } from './plugin-sockets.ts';

type Container = Wire<V1Container>;

/** `--metrics-address=:8080`, `--http-endpoint=0.0.0.0:9809`, `--port=10301`: an address without a host to connect to. */
const listenFlag =
  /^--?([\w.-]*(?:addr|address|port|endpoint|listen|bind)[\w.-]*)=(?:(?:0\.0\.0\.0|127\.0\.0\.1|localhost|\[::1?\])?:)?(\d{2,5})$/i;

/** Port numbers on which a container says that it listens, with the words that say so. */
export const listensOn = (container: Container): ReadonlyMap<number, string> =>
  new Map(
    wordsOf(container).flatMap((word) => {
      const port = listenFlag.exec(word)?.[2];
      return port === undefined ? [] : [[Number(port), word] as const];
    }),
  );

/**
 * Ports of the node that a container takes. With hostNetwork every declared port is one (API server's default of
 * hostPort, pkg/apis/core/v1 SetDefaults_PodSpec), and so is what its arguments say.
 */
export function nodePorts(pod: Wire<V1PodSpec>, container: Container): ReadonlyMap<number, string> {
  const declared = (container.ports ?? []).flatMap(({ hostPort, containerPort }) => {
    const port = hostPort || (pod.hostNetwork ? containerPort : 0);
    return port > 0 ? [[port, `its port ${port} is the node's`] as const] : [];
  });
  const said = pod.hostNetwork
    ? [...listensOn(container)].map(
        ([port, word]) => [port, `its argument ${word} takes a port of the node`] as const,
      )
    : [];
  return new Map([...said, ...declared]);
}

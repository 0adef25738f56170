import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { isBelow } from '../kubelet/paths.ts';
import { expand, variablesOf } from '../kubelet/variables.ts';
import type { Wire } from '../kubelet/wire.ts';
import { type HostPath, hostPath } from '../model/ids.ts';

type Pod = Wire<V1PodSpec>;
type Container = Wire<V1Container>;

/** A folder of the host as one volume of a pod. */
export interface HostFolder {
  readonly volume: string;
  readonly path: HostPath;
}

const plain = (path: string) => (path.length > 1 ? path.replace(/\/+$/, '') : path);

/** The host's folders that a container mounts, with where it mounts them. */
export const hostFolders = (pod: Pod, container: Container): readonly (HostFolder & { at: string })[] =>
  (container.volumeMounts ?? []).flatMap(({ name, mountPath, subPath }) => {
    const path = pod.volumes?.find((volume) => volume.name === name)?.hostPath?.path;
    if (path === undefined) return [];
    return {
      volume: name,
      path: hostPath(plain(subPath ? `${path}/${subPath}` : path)),
      at: plain(mountPath),
    };
  });

/** Words of a container's command line and variables, as far as they are known. */
export function wordsOf(container: Container): readonly string[] {
  const variables = variablesOf(container);
  const words = [...(container.command ?? []), ...(container.args ?? [])]
    .flatMap((word) => word.split(/\s+/))
    .map((word) => expand(word, variables));
  return [...words, ...variables.known.values()].filter((word) => word !== undefined);
}

/** Paths of sockets in a container's words, such as that of `--endpoint=unix:///csi/csi.sock`. */
const socketPaths = (container: Container) =>
  wordsOf(container).flatMap(
    (word) => /(?:^|[="']|unix:(?:\/\/)?)(\/[^\s"']+\.sock)\b/.exec(word)?.[1] ?? [],
  );

/** The folder through which a container has a socket of the host; undefined where none of its words names it. */
export function folderOfSocket(pod: Pod, container: Container, socket: HostPath): HostFolder | undefined {
  const folders = hostFolders(pod, container);
  return socketPaths(container)
    .map((path) => {
      const [folder] = folders
        .filter(({ at }) => isBelow(path, at))
        .sort((a, b) => b.at.length - a.at.length);
      return folder && plain(`${folder.path}${path.slice(folder.at.length)}`) === socket ? folder : undefined;
    })
    .find((folder) => folder !== undefined);
}

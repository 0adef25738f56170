import { after } from 'mocha';
import { type Cluster, type ClusterOptions, startCluster } from '../cluster/index.ts';

/**
 * One cluster for the tests of several files: it starts when it is first asked for and ends after the last test.
 * @param populate what the tests find in it
 */
export function shareCluster<T>(
  nodes: number,
  populate: (cluster: Cluster) => Promise<T>,
  options: ClusterOptions = {},
): () => Promise<T> {
  let starting: Promise<T> | undefined;
  let cluster: Cluster | undefined;
  after(async function () {
    this.timeout(120_000);
    await starting?.catch(() => undefined);
    await cluster?.stop();
  });
  const start = async () => {
    cluster = await startCluster({ ...options, nodes }, console.error);
    return populate(cluster);
  };
  return () => {
    starting ??= start();
    return starting;
  };
}

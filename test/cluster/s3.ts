import { join } from 'node:path';
import { logFile } from './control-plane/start.ts';
import { startDaemon } from './host/processes.ts';
import { waitUntil } from './wait.ts';

export const bucket = 'volumes';

/** An S3 server that keeps its objects in memory and asks for no particular key. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** The keys in the bucket that begin with `prefix`. */
  list(prefix?: string): Promise<string[]>;
  /** The content of an object; nothing when there is none. */
  read(key: string): Promise<string | undefined>;
}

export async function startS3(dir: string, helpers: string, address: string): Promise<string> {
  const endpoint = `http://${address}:9000`;
  const flags = ['-backend', 'memory', '-host', `${address}:9000`, '-initialbucket', bucket];
  startDaemon(dir, [join(helpers, 'gofakes3'), ...flags], logFile(dir, 's3'));
  await waitUntil('the S3 server', async () => (await fetch(`${endpoint}/${bucket}`)).ok);
  return endpoint;
}

export function openS3(endpoint: string): S3Server {
  return {
    endpoint,
    bucket,
    list: async (prefix = '') => {
      const response = await fetch(`${endpoint}/${bucket}?prefix=${encodeURIComponent(prefix)}`);
      return [...(await response.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) => match[1] ?? '');
    },
    read: async (key) => {
      const response = await fetch(`${endpoint}/${bucket}/${key}`);
      return response.ok ? response.text() : undefined;
    },
  };
}

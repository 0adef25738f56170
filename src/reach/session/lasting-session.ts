import type { NodeSession } from './session.ts';

/** A session, and whether its debug pod still runs. */
export interface FragileSession extends NodeSession {
  isGone(signal: AbortSignal): Promise<boolean>;
}

/**
 * A session that goes on in another debug pod when its own was deleted or evicted. No command is sent twice: the one
 * that broke fails, and the next one finds the new pod.
 */
export function lastingSession(
  first: FragileSession,
  open: (signal: AbortSignal) => Promise<FragileSession>,
): NodeSession {
  let session = first;
  let opening: Promise<void> | undefined;
  let broke = false;

  const renew = async (signal: AbortSignal) => {
    if (!(await session.isGone(signal))) return;
    await session.close();
    session = await open(signal);
  };
  const alive = async (signal: AbortSignal) => {
    if (!broke) return session;
    opening ??= renew(signal).finally(() => (opening = undefined));
    await opening;
    broke = false;
    return session;
  };
  const noticing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      broke ||= !(error instanceof Error && error.name === 'AgentError');
      throw error;
    }
  };
  return {
    place: first.place,
    run: async (args, signal) => noticing((await alive(signal)).run(args, signal)),
    converse: async (args, waits, signal) => {
      const conversation = await noticing((await alive(signal)).converse(args, waits, signal));
      return { ...conversation, say: (word) => noticing(conversation.say(word)) };
    },
    tunnel: async (at, path, signal) => noticing((await alive(signal)).tunnel(at, path, signal)),
    close: () => session.close(),
  };
}

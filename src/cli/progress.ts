import { escapeControls } from '../model/controls.ts';

/** What is going on, for a person at a terminal. Silent where nobody watches. */
export interface Progress {
  update(text: string): void;
  stop(): void;
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

/** @param watched whether stderr is a terminal */
export async function startProgress(text: string, watched: boolean): Promise<Progress> {
  if (!watched) return silent;
  const { default: ora } = await import('ora');
  const spinner = ora({ text: escapeControls(text), stream: process.stderr, discardStdin: false }).start();
  return {
    update: (next) => {
      spinner.text = escapeControls(next);
    },
    stop: () => spinner.stop(),
  };
}

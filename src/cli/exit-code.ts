/** What a command ends with; the same for every command. */
export const exitCode = {
  /** Nothing is wrong, or all was repaired and verified. */
  well: 0,
  findings: 1,
  usage: 2,
  /** Something in scope could not be seen. */
  unseen: 3,
  /** A repair failed; each thing has its old state or the new one. */
  undone: 4,
  /** A repair failed and something is left. */
  left: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

#ifndef JOURNAL_H
#define JOURNAL_H

/*
 * Journals of runs on the host: /run/kubectl-csi/RUN.jsonl, mode 0600 in a directory of mode 0700. They end
 * at a reboot, as mounts and processes do.
 */

/* Opens a run's journal for appending; fails when it is full or not ours. */
int journal_open(const char *run);

#endif

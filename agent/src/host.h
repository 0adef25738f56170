#ifndef HOST_H
#define HOST_H

/* Writes the hello record. */
void host_hello(void);

/*
 * Writes the host record; files of the host are read below root (PID 1's, an O_PATH descriptor);
 * with -1 they are unseen.
 */
void host_facts(int root);

#endif

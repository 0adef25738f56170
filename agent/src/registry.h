#ifndef REGISTRY_H
#define REGISTRY_H

#include <sys/types.h>

#include "protocol.gen.h"

/*
 * Writes an entry record for everything in a plugins_registry and below it, as kubelet walks it (symbolic
 * links are not followed), each socket judged by connecting; then how complete they are. registry is the
 * path of the directory below root (an O_PATH descriptor), kubelet_root what the records call it.
 */
void registry_entries(pid_t at, int root, const char *kubelet_root, const char *registry);

#endif

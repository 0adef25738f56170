#ifndef ANNOUNCE_H
#define ANNOUNCE_H

#include "place.h"

/*
 * Renames a file to its dot-name and back. Kubelet acts on the appearance of a name without a leading dot and
 * ignores renames away (pkg/kubelet/pluginmanager/pluginwatcher), so this announces a socket with no gap in
 * its registration. No signal can come between the two.
 */
void announce_by_rename(const struct place *place);

#endif

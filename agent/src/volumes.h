#ifndef VOLUMES_H
#define VOLUMES_H

#include "mountinfo.h"

/* What kubelet's directories say about CSI volumes; nothing in a mounted volume is touched. */
struct volumes {
	struct volume_record *volumes;
	size_t volume_count;
	struct staged_record *staged;
	size_t staged_count;
	struct subpath_record *subpaths;
	size_t subpath_count;
	struct block_volume_record *blocks;
	size_t block_count;
	bool truncated; /* more than the limits, or the file system of kubelet's root did not answer in time */
};

/* path, without symbolic links, is kubelet's root below root; mounts are those of kubelet's namespace. */
struct volumes *volumes_read(int root, const char *path, const struct mount_table *mounts, int milliseconds);

#endif

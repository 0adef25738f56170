#ifndef SURVEY_H
#define SURVEY_H

#include "answer.h"
#include "views.h"

/* What is known of one file system. */
struct device {
	const char *number; /* MAJOR:MINOR */
	bool known; /* asked, or found that it can't be */
	struct answer answer;
};

/* A mount of interest in a view. */
struct sighting {
	const struct view *view;
	const struct mount *mount;
	struct device *device;
	bool visible; /* the path leads to it, and every mount on the way that can die was seen alive */
	bool tried;
};

struct survey {
	struct sighting *items;
	size_t count;
	bool truncated;
};

/*
 * Picks the mounts that belong to CSI volumes and those that can die out of all views (the first is kubelet's)
 * and asks each of their file systems once, outer mounts first: a lookup through a dead mount would make the
 * kernel unmount what is nested in it. root is kubelet's, as its mount namespace knows it.
 */
struct survey survey_make(const struct view_list *views, const char *root, int milliseconds);

/* Whether a path of kubelet's namespace is one on which kubelet or a driver mounts CSI volumes. */
bool is_kubelet_csi_path(const char *path, const char *root);

#endif

#include "selection.h"

#include <string.h>

#include "layers.h"
#include "memory.h"

enum { MAX_SIGHTINGS = 20000 };

struct selection {
	struct survey survey;
	size_t capacity;
	struct device **devices;
	size_t device_count;
	size_t device_capacity;
	size_t published; /* the first so many sightings are kubelet's own of CSI volumes */
	const char *own_device; /* of the file system that holds kubelet's root */
};

/* What follows directory and a slash, NULL when path is not below it. */
static const char *below(const char *path, const char *directory)
{
	return path_is_within(path, directory) && strcmp(path, directory) != 0 ? path + strlen(directory) + 1 : NULL;
}

/* kubelet's layout: pkg/kubelet/kubelet_getters.go, pkg/volume/csi/csi_util.go */
bool is_kubelet_csi_path(const char *path, const char *root)
{
	const char *rest = below(path, root);
	if (!rest)
		return false;
	if (path_is_within(rest, "plugins/kubernetes.io/csi"))
		return true;
	const char *pod = below(rest, "pods");
	const char *slash = pod ? strchr(pod, '/') : NULL;
	return slash && (path_is_within(slash + 1, "volumes/kubernetes.io~csi") ||
		path_is_within(slash + 1, "volume-subpaths") || path_is_within(slash + 1, "volumeDevices"));
}

static struct device *device_of(struct selection *selection, const char *number)
{
	for (size_t i = 0; i < selection->device_count; i++)
		if (strcmp(selection->devices[i]->number, number) == 0)
			return selection->devices[i];
	if (selection->device_count == selection->device_capacity) {
		size_t size = selection->device_count * sizeof(struct device *);
		selection->device_capacity = 2 * selection->device_capacity + 64;
		selection->devices =
			memory_grow(selection->devices, size, selection->device_capacity * sizeof(struct device *));
	}
	struct device *device = memory_take(sizeof(*device));
	device->number = number;
	return selection->devices[selection->device_count++] = device;
}

static void add(struct selection *selection, const struct view *view, const struct mount *mount)
{
	struct survey *survey = &selection->survey;
	if (survey->count == MAX_SIGHTINGS) {
		survey->truncated = true;
		return;
	}
	struct device *device = device_of(selection, mount->device);
	if (survey->count == selection->capacity) {
		size_t size = survey->count * sizeof(struct sighting);
		selection->capacity = 2 * selection->capacity + 64;
		survey->items = memory_grow(survey->items, size, selection->capacity * sizeof(struct sighting));
	}
	survey->items[survey->count++] = (struct sighting){.view = view, .mount = mount, .device = device};
}

/* A container that was bound to a publish target or a subPath's place while nothing was mounted there. */
static bool is_bound_to_bare_directory(const struct selection *selection, const struct mount *mount)
{
	return strcmp(mount->device, selection->own_device) == 0 &&
		(strstr(mount->root, "/volumes/kubernetes.io~csi/") || strstr(mount->root, "/volume-subpaths/"));
}

/*
 * Whether it shows a file system of one of kubelet's CSI volumes. Of the file system that holds kubelet's root
 * itself (a driver that binds folders of the node's disk) only what lies in the volume's folder.
 */
static bool shows_published(const struct selection *selection, const struct mount *mount)
{
	for (size_t i = 0; i < selection->published; i++) {
		const struct mount *published = selection->survey.items[i].mount;
		if (strcmp(published->device, mount->device) != 0)
			continue;
		bool own = strcmp(mount->device, selection->own_device) == 0;
		if (!own || (strcmp(published->root, "/") != 0 && path_is_within(mount->root, published->root)))
			return true;
	}
	return false;
}

static const char *device_that_holds(const struct mount_table *table, const char *path)
{
	const struct mount *holder = NULL;
	for (size_t i = 0; i < table->count; i++) {
		const struct mount *mount = &table->mounts[i];
		bool longer = !holder || strlen(mount->mount_point) >= strlen(holder->mount_point);
		if (path_is_within(path, mount->mount_point) && longer && layer_is_visible(table, mount))
			holder = mount;
	}
	return holder ? holder->device : "";
}

static void select_rest(struct selection *selection, const struct view *view, const char *root)
{
	for (size_t i = 0; i < view->mounts.count; i++) {
		const struct mount *mount = &view->mounts.mounts[i];
		if (view->namespace.is_host && is_kubelet_csi_path(mount->mount_point, root))
			continue;
		if (can_die(mount) || is_bound_to_bare_directory(selection, mount) || shows_published(selection, mount))
			add(selection, view, mount);
	}
}

struct survey selection_make(const struct view_list *views, const char *root, size_t *devices)
{
	struct selection selection = {.own_device = device_that_holds(&views->items[0].mounts, root)};
	const struct mount_table *own = &views->items[0].mounts;
	for (size_t i = 0; i < own->count; i++)
		if (is_kubelet_csi_path(own->mounts[i].mount_point, root))
			add(&selection, &views->items[0], &own->mounts[i]);
	selection.published = selection.survey.count;
	for (size_t i = 0; i < views->count; i++)
		select_rest(&selection, &views->items[i], root);
	*devices = selection.device_count;
	return selection.survey;
}

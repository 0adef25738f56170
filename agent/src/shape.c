#include "shape.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"

static const struct {
	const char *name;
	uint64_t attribute;
	unsigned long flag; /* of mount(2) */
} options[] = {
	{"ro", KERNEL_READ_ONLY, MS_RDONLY},
	{"nosuid", KERNEL_NOSUID, MS_NOSUID},
	{"nodev", KERNEL_NODEV, MS_NODEV},
	{"noexec", KERNEL_NOEXEC, MS_NOEXEC},
	{"nodiratime", KERNEL_NODIRATIME, MS_NODIRATIME},
	{"nosymfollow", KERNEL_NOSYMFOLLOW, 256}, /* MS_NOSYMFOLLOW, Linux 5.10 */
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

static const unsigned long propagation_flags[] = {
	[PROPAGATION_PRIVATE] = MS_PRIVATE,
	[PROPAGATION_SLAVE] = MS_SLAVE,
	[PROPAGATION_SHARED] = MS_SHARED,
};

bool shape_has(const char *list, const char *option)
{
	size_t length = strlen(option);
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, option, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

enum propagation shape_propagation(const struct mount *mount)
{
	if (mount->shared)
		return PROPAGATION_SHARED;
	return mount->master ? PROPAGATION_SLAVE : PROPAGATION_PRIVATE;
}

static struct kernel_attributes attributes_of(const struct shape *shape)
{
	struct kernel_attributes attributes = {.clear = KERNEL_ATIME};
	for (size_t i = 0; i < OPTIONS; i++) {
		attributes.clear |= options[i].attribute;
		if (shape_has(shape->options, options[i].name))
			attributes.set |= options[i].attribute;
	}
	if (shape_has(shape->options, "noatime"))
		attributes.set |= KERNEL_NOATIME;
	else if (!shape_has(shape->options, "relatime"))
		attributes.set |= KERNEL_STRICTATIME;
	if (shape_has(shape->options, "idmapped") && shape->user_namespace >= 0) {
		attributes.set |= KERNEL_IDMAP;
		attributes.user_namespace = (uint64_t)shape->user_namespace;
	}
	return attributes;
}

static unsigned long flags_of(const struct shape *shape)
{
	unsigned long flags = MS_REMOUNT | MS_BIND;
	for (size_t i = 0; i < OPTIONS; i++)
		if (shape_has(shape->options, options[i].name))
			flags |= options[i].flag;
	if (shape_has(shape->options, "noatime"))
		return flags | MS_NOATIME;
	return flags | (shape_has(shape->options, "relatime") ? MS_RELATIME : MS_STRICTATIME);
}

static void bind_onto_itself(int descriptor, const char *path)
{
	const char *self = memory_format("%s/self/fd/%d", procfs_base, descriptor);
	if (mount(self, self, NULL, MS_BIND | MS_REC, NULL) < 0)
		fail_errno("bind in a private view", path);
}

/*
 * Before Linux 5.12, which has no mount_setattr: the mount is shaped in a copy of the mount namespace. The copy
 * is a slave, so that a slave stays one of the host's mount.
 */
static int copy_from_private_view(int descriptor, const struct shape *shape, const char *path)
{
	const char *where = path_of_descriptor(descriptor);
	if (shape_has(shape->options, "idmapped"))
		fail(ERROR_CODE_UNSUPPORTED, "this kernel can't map the ids of a mount", path);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		fail_errno("copy the mount namespace", path);
	int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bind_onto_itself(path_open(top, where, PATH_REFUSE), path);
	int bound = path_open(top, where, PATH_REFUSE);
	const char *self = memory_format("%s/self/fd/%d", procfs_base, bound);
	if (mount(NULL, self, NULL, flags_of(shape), NULL) < 0)
		fail_errno("set the flags of a mount", path);
	if (mount(NULL, self, NULL, MS_REC | propagation_flags[shape->propagation], NULL) < 0)
		fail_errno("set the propagation of a mount", path);
	int tree = kernel_clone_tree(bound, true);
	if (tree < 0)
		fail_errno("copy a mount", path);
	return tree;
}

int shape_copy(int descriptor, const struct shape *shape, const char *path)
{
	int tree = kernel_clone_tree(descriptor, true);
	if (tree < 0 && errno == ENOSYS)
		fail(ERROR_CODE_UNSUPPORTED, "this kernel has no open_tree: restart the container", path);
	if (tree < 0)
		fail_errno("copy a mount", path);
	/* A copy of a shared mount is a peer of it: mounts made in the container would show up on the host. */
	struct kernel_attributes propagation = {.propagation = propagation_flags[shape->propagation]};
	if (kernel_set_attributes(tree, true, &propagation) < 0) {
		if (errno != ENOSYS)
			fail_errno("set the propagation of a mount", path);
		close(tree);
		return copy_from_private_view(descriptor, shape, path);
	}
	struct kernel_attributes attributes = attributes_of(shape);
	if (kernel_set_attributes(tree, false, &attributes) < 0)
		fail_errno("set the flags of a mount", path);
	return tree;
}

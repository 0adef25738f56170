#include "answer.h"

#include <errno.h>
#include <string.h>
#include <sys/vfs.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"

static const long fuse_magic = 0x65735546; /* include/uapi/linux/magic.h */

static bool is_type(const char *type, const char *name)
{
	size_t length = strlen(name);
	return strncmp(type, name, length) == 0 && (type[length] == '\0' || type[length] == '.');
}

bool is_fuse(const struct mount *mount)
{
	return is_type(mount->fs_type, "fuse") || is_type(mount->fs_type, "fuseblk");
}

static bool is_network(const struct mount *mount)
{
	static const char *const types[] = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "9p", "glusterfs",
		"afs", "lustre", "gpfs", "beegfs", "ocfs2", "gfs2", "virtiofs", "orangefs", "panfs", "wekafs"};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (is_type(mount->fs_type, types[i]))
			return true;
	return false;
}

bool can_die(const struct mount *mount)
{
	return is_fuse(mount) || is_network(mount);
}

struct answer answer_judge(const struct mount *mount, int number, const struct statfs *statfs)
{
	bool empty = number == 0 && statfs->f_type == fuse_magic && statfs->f_bsize == 0 && statfs->f_namelen == 0;
	if (empty)
		return (struct answer){MOUNT_STATE_UNSEEN, 0};
	if (number == 0 || number == ENOSYS)
		return (struct answer){MOUNT_STATE_ALIVE, 0};
	bool disconnected = can_die(mount) && (number == ENOTCONN || number == ECONNABORTED);
	bool server_gone = is_network(mount) && (number == ESTALE || number == EHOSTDOWN);
	return (struct answer){disconnected || server_gone ? MOUNT_STATE_DEAD : MOUNT_STATE_UNSEEN, number};
}

struct answer answer_of(int descriptor, const struct mount *mount)
{
	struct statfs statfs;
	int number = fstatfs(descriptor, &statfs) < 0 ? errno : 0;
	return answer_judge(mount, number, &statfs);
}

struct asking {
	int descriptor;
	const struct mount *mount;
	struct answer answer;
};

static void ask(void *context)
{
	struct asking *asking = context;
	asking->answer = answer_of(asking->descriptor, asking->mount);
}

struct answer answer_within(int milliseconds, int descriptor, const struct mount *mount)
{
	struct asking *shared = memory_take(sizeof(*shared));
	*shared = (struct asking){.descriptor = descriptor, .mount = mount};
	bool answered = bounded_run(milliseconds, ask, shared);
	return answered ? shared->answer : (struct answer){MOUNT_STATE_HUNG, 0};
}

void answer_must_be_dead(int milliseconds, int descriptor, const struct mount *mount)
{
	struct answer answer = answer_within(milliseconds, descriptor, mount);
	if (answer.state == MOUNT_STATE_ALIVE)
		fail(ERROR_CODE_ALIVE, "the mount answers", mount->mount_point);
	if (answer.state == MOUNT_STATE_HUNG)
		fail(ERROR_CODE_HUNG, "the mount is hung, not dead", mount->mount_point);
	if (answer.state != MOUNT_STATE_DEAD)
		fail_with(&(struct failure){.code = ERROR_CODE_UNSEEN, .number = answer.number,
			.what = "whether the mount is dead can't be told", .path = mount->mount_point});
}

const char *answer_errno(struct answer answer)
{
	return answer.number ? errno_name(answer.number) : NULL;
}

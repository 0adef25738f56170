/* hung-mount PATH: mounts a FUSE file system there and never answers: every access to it waits. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char options[128];
	int device = open("/dev/fuse", O_RDWR);
	if (argc != 2 || device < 0)
		return 2;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (mount("hung", argv[1], "fuse", 0, options) < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	pause();
}

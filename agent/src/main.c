#include <signal.h>
#include <sys/prctl.h>

#include "arguments.h"
#include "json.h"
#include "memory.h"

int main(int argc, char **argv)
{
	const void *arguments;
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "agent"); /* a command of `serve` is started as /proc/self/exe */
	memory_setup();
	const struct command *command = arguments_parse(argc, argv, &arguments);
	command->run(arguments);
	json_finish(true);
	return 0;
}

#include <signal.h>

#include "arguments.h"
#include "host.h"
#include "json.h"
#include "memory.h"

void run_version(const struct version_arguments *arguments)
{
	(void)arguments;
	host_hello();
}

int main(int argc, char **argv)
{
	const void *arguments;
	signal(SIGPIPE, SIG_IGN);
	memory_setup();
	const struct command *command = arguments_parse(argc, argv, &arguments);
	command->run(arguments);
	json_finish(true);
	return 0;
}

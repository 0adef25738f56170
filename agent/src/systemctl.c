#include "systemctl.h"

#include <string.h>

#include "arguments.h"
#include "clock.h"
#include "detached.h"
#include "failure.h"
#include "memory.h"
#include "program.h"

enum { DEADLINE = 90000, MAX_OUTPUT = 1 << 18 };

static const char *const places[] = {
	"/usr/bin/systemctl",
	"/bin/systemctl",
	"/run/current-system/sw/bin/systemctl", /* NixOS */
	NULL,
};

/* Reads until systemctl ends; what is beyond the limit is thrown away. */
static enum program_state read_output(const struct program *program, struct systemctl_record *record, int64_t deadline)
{
	char *output = memory_take(MAX_OUTPUT + 1), spare[4096];
	record->output = output;
	size_t used = 0;
	enum program_state state = program_read(program, output, MAX_OUTPUT, &used, deadline);
	record->truncated = state == PROGRAM_FULL;
	while (state == PROGRAM_FULL) {
		used = 0;
		state = program_read(program, spare, sizeof(spare), &used, deadline);
	}
	return state;
}

struct systemctl_record systemctl_run(const char *const *arguments, int milliseconds)
{
	struct systemctl_record record = {0};
	struct program program = program_start(places, arguments);
	if (read_output(&program, &record, clock_milliseconds() + milliseconds) == PROGRAM_LATE) {
		program_kill(&program);
		fail(ERROR_CODE_HUNG, "systemctl did not end in time", NULL);
	}
	int code = program_wait(&program);
	if (code == PROGRAM_NO_ENTRY)
		fail(ERROR_CODE_NO_ACCESS, "enter the host's root: needs CAP_SYS_ADMIN and CAP_SYS_CHROOT", "/proc/1/root");
	if (code == PROGRAM_NOT_FOUND)
		fail(ERROR_CODE_UNSUPPORTED, "the host has no systemctl", NULL);
	record.exit_code = memory_uint((uint64_t)code);
	return record;
}

/* Units may carry secrets in their environment, and show without properties prints it. */
static void check_properties(const struct systemctl_arguments *arguments)
{
	bool show = arguments->verb == VERB_SHOW;
	if (show != (arguments->property.count > 0))
		arguments_refuse("systemctl: --property goes with show, and show with --property");
	for (size_t i = 0; i < arguments->property.count; i++)
		if (strncmp(arguments->property.items[i], "Environment", strlen("Environment")) == 0)
			arguments_refuse("systemctl: environments may hold secrets and are not shown");
}

static const char *const *command_line(const struct systemctl_arguments *arguments)
{
	const char **line = memory_take((arguments->property.count + 6) * sizeof(*line));
	size_t count = 0;
	line[count++] = "systemctl";
	line[count++] = "--no-ask-password";
	for (size_t i = 0; i < arguments->property.count; i++)
		line[count++] = memory_format("--property=%s", arguments->property.items[i]);
	line[count++] = verb_names[arguments->verb];
	if (arguments->unit) {
		line[count++] = "--";
		line[count++] = arguments->unit;
	}
	return line;
}

static void run_to_journal(void *context)
{
	struct systemctl_record record = systemctl_run(context, DEADLINE);
	record.detached = true;
	emit_systemctl(&record);
}

void run_systemctl(const struct systemctl_arguments *arguments)
{
	if ((arguments->unit == NULL) != (arguments->verb == VERB_DAEMON_RELOAD))
		arguments_refuse("systemctl: every verb but daemon-reload needs --unit");
	if (arguments->detach != (arguments->run != NULL))
		arguments_refuse("systemctl: --detach goes with --run");
	check_properties(arguments);
	const char *const *line = command_line(arguments);
	struct systemctl_record record = {.output = "", .detached = true};
	if (arguments->detach)
		detached_run(arguments->run, 0, run_to_journal, (void *)line);
	else
		record = systemctl_run(line, DEADLINE);
	emit_systemctl(&record);
}

#include "failure.h"

void run_holders(const struct holders_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}

void run_replace(const struct replace_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}

void run_unguard(const struct unguard_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}

void run_own(const struct own_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}

void run_subpath(const struct subpath_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}

void run_abort(const struct abort_arguments *arguments)
{
	(void)arguments;
	fail(ERROR_CODE_UNSUPPORTED, "this agent cannot do that yet", NULL);
}


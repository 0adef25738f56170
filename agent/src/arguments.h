#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "protocol.gen.h"

/* Finds the command that argv names and checks and stores its arguments; ends with "usage" on any doubt. */
const struct command *arguments_parse(int argc, char **argv, const void **arguments);

/* Ends with "usage". */
_Noreturn void arguments_refuse(const char *what);

#endif

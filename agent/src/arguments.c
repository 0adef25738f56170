#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "memory.h"
#include "text.h"

_Noreturn void arguments_refuse(const char *what)
{
	fail(ERROR_CODE_USAGE, what, NULL);
}

static _Noreturn void refuse_value(const struct argument *argument, const char *value, const char *wanted)
{
	arguments_refuse(memory_format("--%s must be %s, not \"%s\"", argument->name, wanted, value));
}

static uint64_t number(const struct argument *argument, const char *value)
{
	uint64_t parsed;
	if (!text_number(value, &parsed) || parsed < argument->min || parsed > argument->max)
		refuse_value(argument, value, argument->max == UINT64_MAX ? "a whole number"
			: memory_format("a whole number from %u to %u", (unsigned)argument->min, (unsigned)argument->max));
	return parsed;
}

static const char *decoded(const struct argument *argument, const char *value)
{
	const char *text = text_percent_decode(value);
	if (!text)
		refuse_value(argument, value, "percent-encoded");
	if (argument->type == ARGUMENT_PATH && (text[0] != '/' || !text_is_plain_path(text)))
		refuse_value(argument, value, "an absolute path without . and ..");
	if (argument->type == ARGUMENT_NAME && (text[0] == '/' || !text_is_plain_path(text)))
		refuse_value(argument, value, "a relative path without . and ..");
	return text;
}

static struct list words(const struct argument *argument, const char *value)
{
	const char **items = memory_take((strlen(value) + 1) * sizeof(*items));
	struct list list = {.items = items};
	while (*value) {
		size_t length = strcspn(value, ",");
		items[list.count] = memory_copy_bytes(value, length);
		if (!text_is_word(items[list.count++]))
			refuse_value(argument, value, "words, comma separated");
		value += length + (value[length] == ',');
	}
	return list;
}

static int choice(const struct argument *argument, const char *value)
{
	for (int i = 0; argument->values[i]; i++)
		if (strcmp(argument->values[i], value) == 0)
			return i;
	refuse_value(argument, value, "one of its values");
}

static const char *checked(const struct argument *argument, const char *value)
{
	if (argument->type == ARGUMENT_WORD && !text_is_word(value))
		refuse_value(argument, value, "a word of A-Z a-z 0-9 . _ -");
	if (argument->type == ARGUMENT_UNIT && !text_is_unit(value))
		refuse_value(argument, value, "the name of a systemd unit");
	if (argument->type == ARGUMENT_DEVICE && !text_is_device(value))
		refuse_value(argument, value, "MAJOR:MINOR");
	return value;
}

static void append(struct list *list, const char *item)
{
	size_t size = list->count * sizeof(item);
	const char **items = memory_grow((void *)list->items, size, size + sizeof(item));
	items[list->count++] = item;
	list->items = items;
}

static void store_text(const struct argument *argument, void *member, const char *text)
{
	if (argument->repeated)
		append(member, text);
	else
		*(const char **)member = text;
}

static void store(const struct argument *argument, void *member, const char *value)
{
	switch (argument->type) {
	case ARGUMENT_FLAG:
		*(bool *)member = true;
		break;
	case ARGUMENT_PATH:
	case ARGUMENT_NAME:
	case ARGUMENT_TEXT:
		store_text(argument, member, decoded(argument, value));
		break;
	case ARGUMENT_WORD:
	case ARGUMENT_UNIT:
	case ARGUMENT_DEVICE:
		store_text(argument, member, checked(argument, value));
		break;
	case ARGUMENT_WORDS:
		*(struct list *)member = words(argument, value);
		break;
	case ARGUMENT_UINT:
	case ARGUMENT_U64:
		*(uint64_t *)member = number(argument, value);
		break;
	case ARGUMENT_PID:
		*(pid_t *)member = (pid_t)number(&(struct argument){.name = argument->name, .min = 1, .max = 1 << 22}, value);
		break;
	case ARGUMENT_ENUM:
		*(int *)member = choice(argument, value);
		break;
	}
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	arguments_refuse(memory_format("unknown command \"%s\"", name));
}

static size_t find_argument(const struct command *command, const char *word)
{
	for (size_t i = 0; i < command->argument_count; i++)
		if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, command->arguments[i].name) == 0)
			return i;
	arguments_refuse(memory_format("%s: unknown argument \"%s\"", command->name, word));
}

/* Defaults for what was not given; what has none and is required is missed. */
static void complete(const struct command *command, char *base, const bool *given)
{
	for (size_t i = 0; i < command->argument_count; i++) {
		const struct argument *argument = &command->arguments[i];
		if (given[i])
			continue;
		if (argument->required)
			arguments_refuse(memory_format("%s: --%s is missing", command->name, argument->name));
		if (argument->fallback)
			store(argument, base + argument->offset, argument->fallback);
	}
}

const struct command *arguments_parse(int argc, char **argv, const void **arguments)
{
	if (argc < 2)
		arguments_refuse("a command is missing");
	const struct command *command = find_command(argv[1]);
	char *base = memory_take(command->size);
	bool *given = memory_take(command->argument_count + 1);
	for (int i = 2; i < argc; i++) {
		size_t index = find_argument(command, argv[i]);
		const struct argument *argument = &command->arguments[index];
		if (given[index] && !argument->repeated)
			arguments_refuse(memory_format("--%s is given twice", argument->name));
		if (argument->type != ARGUMENT_FLAG && ++i == argc)
			arguments_refuse(memory_format("--%s lacks its value", argument->name));
		store(argument, base + argument->offset, argv[i]);
		given[index] = true;
	}
	complete(command, base, given);
	*arguments = base;
	return command;
}

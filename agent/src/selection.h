#ifndef SELECTION_H
#define SELECTION_H

#include "survey.h"

/* Picks the mounts for survey_make; *devices counts the file systems they are of. */
struct survey selection_make(const struct view_list *views, const char *root, size_t *devices);

#endif

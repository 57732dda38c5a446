/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place in a YAML text, for the files that read nodes and scalars. */
#ifndef IWARP_WEB_YAML_READER_H
#define IWARP_WEB_YAML_READER_H

#include <stdbool.h>
#include <yaml.h>

struct yaml_reader {
    const char *text;
    size_t n, at, line, line_start;
    unsigned depth;
    const char *problem; /* NULL: none so far */
    yaml_document_t *document;
};

/* The octet `ahead` of the current one; '\0': past the end. */
char yaml_peek(const struct yaml_reader *reader, size_t ahead);
void yaml_advance(struct yaml_reader *reader, size_t n);
size_t yaml_column(const struct yaml_reader *reader);
/* Whether the current octet is a blank or a line end. */
bool yaml_is_space(const struct yaml_reader *reader, size_t ahead);
/* Skips blanks, comments and line ends. */
void yaml_skip(struct yaml_reader *reader);
/* Sets the problem unless there is one, and returns 0. */
int yaml_problem(struct yaml_reader *reader, const char *problem);

/* Scalars; least: a line that continues the scalar begins at this column or later. NULL: a problem; free() it. */
char *yaml_plain(struct yaml_reader *reader, size_t least, bool in_flow);
char *yaml_quoted(struct yaml_reader *reader);
char *yaml_block_text(struct yaml_reader *reader, size_t least);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: wrapped to the width of a terminal, and coloured there. In a file or a pipe it is unchanged. */
#ifndef IWARP_CONFORMANCE_REPORT_TERMINAL_H
#define IWARP_CONFORMANCE_REPORT_TERMINAL_H

#include "conformance/options/options.h"

#include <glib.h>
#include <stdio.h>

enum terminal_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD, STYLE_WARNING, STYLE_NOTE, STYLES };

struct terminal {
    FILE *out;
    unsigned columns; /* 0: lines are not wrapped */
    bool colour;
};

/* COLOR_AUTO: colour on a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb". */
void terminal_init(struct terminal *terminal, FILE *out, enum color_use color);

/*
 * The text in this style, or unchanged without colour; for terminal_line(). The result is valid until the fourth later
 * call in the same thread. Foreign text must pass through printable_text() first.
 */
const char *terminal_styled(const struct terminal *terminal, enum terminal_style style, const char *text);

/* A line after `indent` blanks; continuation lines are indented by two more columns. */
void terminal_line(const struct terminal *terminal, unsigned indent, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* An empty line. */
void terminal_gap(const struct terminal *terminal);

#endif

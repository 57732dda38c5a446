/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people: wrapped to the width of a terminal, and in colour there. Into a file or a pipe it goes as it is. */
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
 * The text in that style, or as it is without colour; for terminal_line(). The result is valid until the fourth call
 * after this one in the same thread. Text that is not ours goes through printable_text() before.
 */
const char *terminal_styled(const struct terminal *terminal, enum terminal_style style, const char *text);

/* A line after `indent` blanks; where it is wrapped, it goes on two columns further right. */
void terminal_line(const struct terminal *terminal, unsigned indent, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* An empty line. */
void terminal_gap(const struct terminal *terminal);

#endif

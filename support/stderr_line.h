/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program's messages on standard error. */
#ifndef IWARP_SUPPORT_STDERR_LINE_H
#define IWARP_SUPPORT_STDERR_LINE_H

#include <glib.h>

/* "PROGRAM: ..." in one line, safe for a terminal (support/printable.h), including the line end. */
void stderr_line(const char *program, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of a program on standard error. */
#ifndef IWARP_SUPPORT_STDERR_LINE_H
#define IWARP_SUPPORT_STDERR_LINE_H

#include <glib.h>

/* "PROGRAM: ..." in one line, made fit for a terminal (support/printable.h), with its line end. */
void stderr_line(const char *program, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes text from captures, devices, file names and configuration files safe for terminals, XML and JSON. */
#ifndef IWARP_SUPPORT_PRINTABLE_H
#define IWARP_SUPPORT_PRINTABLE_H

#include <glib.h>
#include <stdbool.h>

/*
 * A terminal acts on this character, or it hides or reorders text: C0 and C1 controls, DEL, bidirectional and other
 * format characters, line and paragraph separators.
 */
bool printable_is_hidden(gunichar c);
/* A copy in one line, with hidden characters, and octets that are not UTF-8, written as \xNN. g_free() it. */
gchar *printable_text(const char *text);
/* The same, but keeps line ends. */
gchar *printable_lines(const char *text);

#endif

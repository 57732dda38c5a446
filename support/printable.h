/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from captures, devices, file names and configuration files, made fit for terminals, XML and JSON. */
#ifndef IWARP_SUPPORT_PRINTABLE_H
#define IWARP_SUPPORT_PRINTABLE_H

#include <glib.h>
#include <stdbool.h>

/*
 * A terminal acts on it, or shows text in another order or not at all: C0 and C1 controls, DEL, bidirectional and other
 * format characters, separators of lines and paragraphs.
 */
bool printable_is_hidden(gunichar c);
/* A copy in one line: hidden characters, and octets that are not UTF-8, are written as \xNN. g_free() it. */
gchar *printable_text(const char *text);
/* The same, but line ends stay. */
gchar *printable_lines(const char *text);

#endif

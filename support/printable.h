/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from captures, devices, file names and configuration files, made fit for terminals, XML and JSON. */
#ifndef IWARP_SUPPORT_PRINTABLE_H
#define IWARP_SUPPORT_PRINTABLE_H

#include <glib.h>

/* A copy in one line: control characters, and octets that are not UTF-8, are written as \xNN. g_free() it. */
gchar *printable_text(const char *text);
/* The same, but line ends stay. */
gchar *printable_lines(const char *text);

#endif

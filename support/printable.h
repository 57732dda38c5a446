/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IWARP_SUPPORT_PRINTABLE_H
#define IWARP_SUPPORT_PRINTABLE_H

#include <glib.h>

/*
 * A copy in one line of printable characters: what file names and messages hold of control characters and of octets
 * that are no UTF-8 is written as \xNN. g_free() it.
 */
gchar *printable_text(const char *text);

#endif

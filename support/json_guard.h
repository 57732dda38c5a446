/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks on JSON of unknown origin before json-glib parses it. */
#ifndef IWARP_SUPPORT_JSON_GUARD_H
#define IWARP_SUPPORT_JSON_GUARD_H

#include <glib.h>
#include <stdbool.h>

/*
 * text ends with a NUL. False: not JSON, nested too deeply, or containing a number too large for a double. The parser
 * is recursive and accepts more than JSON: it must not be given deep nesting, comments, which could hide brackets from
 * this check, or numbers and escapes of other languages.
 */
bool json_guard_passes(const char *text, gsize length);

#endif

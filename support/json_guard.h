/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks on JSON of unknown origin before json-glib parses it. */
#ifndef IWARP_SUPPORT_JSON_GUARD_H
#define IWARP_SUPPORT_JSON_GUARD_H

#include <glib.h>
#include <stdbool.h>

/*
 * text ends with a NUL. False: this is not JSON, nested too deeply, or it has a number that no double holds. The parser
 * is recursive and accepts more than JSON: deep nesting, and comments, which could hide brackets from this count, must
 * not reach it.
 */
bool json_guard_passes(const char *text, gsize length);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is looked at in JSON by anybody before json-glib has it. */
#ifndef IWARP_SUPPORT_JSON_GUARD_H
#define IWARP_SUPPORT_JSON_GUARD_H

#include <glib.h>
#include <stdbool.h>

/*
 * False: this is no JSON, or nested too deep. The parser calls itself for what is nested and reads more than JSON: what
 * is too deep, and comments, which could hide brackets from this count, must not reach it.
 */
bool json_guard_passes(const char *text, gsize length);

#endif

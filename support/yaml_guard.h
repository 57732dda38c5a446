/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks on YAML of unknown origin before libyaml loads it as a document. */
#ifndef IWARP_SUPPORT_YAML_GUARD_H
#define IWARP_SUPPORT_YAML_GUARD_H

#include <stddef.h>

enum { YAML_GUARD_DEPTH = 64, YAML_GUARD_ANCHORS = 64, YAML_GUARD_TEXT = 4 << 20 };

/*
 * NULL: the n octets may be loaded; their syntax may still be wrong. Otherwise the reason; *line, from 1, is where.
 * libyaml needs time that grows with the square of the depth of flow collections, and of the number of anchors.
 */
const char *yaml_guard(const char *text, size_t n, size_t *line);

#endif

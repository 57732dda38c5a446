/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters by the names of Wireshark's built-in dissectors (iwarp_mpa, iwarp_ddp_rdmap, rpcordma) match what the plugins
 * show. Each protocol has a table of the built-in fields: those that a filter, a column or -e asks for are added,
 * hidden, by their own registration, so each release has its own types and masks. If nobody asks, nothing is done.
 */
#ifndef IWARP_PLUGINS_COMMON_BUILTIN_H
#define IWARP_PLUGINS_COMMON_BUILTIN_H

#include "plugins/common/compat.h"

struct builtin_field {
    const char *name;
    unsigned when;                 /* conditions, as bits: the field is added if all hold */
    int at, length;                /* octets, from the beginning of what was given; length BUILTIN_REST: all of that */
    const header_field_info *info; /* NULL: the release lacks the field */
};

enum { BUILTIN_REST = -1 };

struct builtin {
    const char *name; /* of the protocol */
    struct builtin_field *fields;
    unsigned n;
    const header_field_info *info; /* NULL: the release lacks the protocol */
};

/* Once all dissectors are registered. */
void builtin_find(struct builtin *builtin);
/*
 * Adds the hidden item of the protocol, and returns the tree for its fields; NULL: none is wanted. The functions
 * below then do nothing.
 */
proto_tree *builtin_tree(const struct builtin *builtin, proto_tree *root, tvbuff_t *tvb, int at, int length, int ett);
/* Adds the fields of tvb[at, at + length) under the conditions that hold, except those that are cut. */
void builtin_add(const struct builtin *builtin, unsigned holds, proto_tree *tree, tvbuff_t *tvb, int at, int length);
/* Adds a number that is not in the octets. */
void builtin_add_number(const struct builtin *builtin, unsigned holds, proto_tree *tree, tvbuff_t *tvb,
                        uint32_t number);

#endif

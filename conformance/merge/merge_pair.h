/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two JSON objects that become one: what is common to all kinds of them. False: input->error says why. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_PAIR_H
#define IWARP_CONFORMANCE_MERGE_MERGE_PAIR_H

#include "conformance/merge/merge_input.h"

/* What is read out of two objects of one kind: `from` is the later one, whose report errors name. */
struct merge_pair {
    struct merge_input *input;
    JsonObject *into, *from;
    const char *what; /* "a connection" */
};

/* The members of that name of both; take_latest: of the later one. add_or_take_count: the earlier one may lack it. */
bool merge_inner(const struct merge_pair *pair, const char *name, const char *what, struct merge_pair *found);
bool merge_add_count(const struct merge_pair *pair, const char *name);
bool merge_add_counts(const struct merge_pair *pair, const char *const *names);
bool merge_add_or_take_count(const struct merge_pair *pair, const char *name);
bool merge_take_latest(const struct merge_pair *pair, const char *name);
bool merge_take_each_latest(const struct merge_pair *pair, const char *const *names);
bool merge_members(const struct merge_pair *pair, bool (*join)(const struct merge_pair *pair, const char *name));

#endif

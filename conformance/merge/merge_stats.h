/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds up the statistics of a connection in two parts of a capture. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_STATS_H
#define IWARP_CONFORMANCE_MERGE_MERGE_STATS_H

#include "conformance/merge/merge_input.h"

/* The member "statistics" of `into` becomes the sum of both; `from` is later. False: input->error says why. */
bool merge_statistics(struct merge_input *input, JsonObject *into, JsonObject *from);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checker's verdict on packets in memory. */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_JUDGE_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_JUDGE_H

#include "engine/core/rule.h"
#include "traffic-gen/explore/simulate/packets.h"

struct judged_finding {
    const struct rule *rule;
    enum rule_severity severity;
    uint32_t frame, first_frame, related_frame; /* of the capture; 0: none */
    bool awaited;                               /* something is missing after the frame */
    char *message;
};

struct judge;

/* more: options of iwarp-check, up to NULL; NULL: none. NULL with *error (for g_free()): one of them is wrong. */
struct judge *judge_open(const char *const *more, char **error);
void judge_close(struct judge *judge);

/*
 * The findings, struct judged_finding; free with g_array_unref(). *undone: the checker says that it could not judge
 * everything; NULL: not wanted.
 */
GArray *judge_view(struct judge *judge, const struct packets *packets, const struct view *view, bool rfc5666,
                   bool *undone);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A JSON report from its first octet to its last, a piece at a time: what is in memory does not depend on its size. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_WALK_H
#define IWARP_CONFORMANCE_MERGE_MERGE_WALK_H

#include "conformance/merge/merge_input.h"

/* In the order of the text. False: input->error says why, and that is the end. Each may be NULL. */
struct merge_walk {
    void *ctx;
    bool (*member)(void *ctx, const char *name, struct json_view value); /* of the report, but "captures" */
    bool (*begin_capture)(void *ctx, uint64_t at);
    bool (*of_capture)(void *ctx, const char *name, struct json_view value); /* its members, but "connections" */
    bool (*begin_connections)(void *ctx, uint64_t at);                       /* of the opening bracket */
    bool (*connection)(void *ctx, struct json_view connection);              /* an object */
    bool (*end_connections)(void *ctx, uint64_t at);                         /* after the closing bracket */
    bool (*end_capture)(void *ctx, uint64_t at);
};

/* A whole report; the connections of a capture, which are the next value. False: input->error says why. */
bool merge_walk_report(struct merge_input *input, struct json_source *source, const struct merge_walk *walk);
bool merge_walk_connections(struct merge_input *input, struct json_source *source, const struct merge_walk *walk);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_report.h"
#include "conformance/merge/merge_pair.h"

#include <string.h>

static bool same_procedure(struct merge_input *input, JsonObject *a, JsonObject *b, bool *same)
{
    static const char *const names[] = {"program", "version", "procedure"};
    const char *direction_a = merge_string(input, a, "a call", "direction");
    const char *direction_b = direction_a ? merge_string(input, b, "a call", "direction") : NULL;

    if (!direction_b)
        return false;
    *same = strcmp(direction_a, direction_b) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        uint64_t first, second;

        if (!merge_count(input, a, "a call", names[i], &first) || !merge_count(input, b, "a call", names[i], &second))
            return false;
        *same &= first == second;
    }
    return true;
}

static bool join_call(struct merge_input *input, JsonArray *calls, JsonObject *call)
{
    static const char *const counts[] = {"calls", "replies", "errors", NULL};
    static const char *const octets[] = {"inline", "read", "write", NULL};

    for (guint i = 0; i < json_array_get_length(calls); i++) {
        struct merge_pair pair = {input, merge_element(input, calls, i, "calls"), call, "a call"}, of_octets;
        bool same;

        if (!pair.into || !same_procedure(input, pair.into, call, &same))
            return false;
        if (same)
            return merge_add_counts(&pair, counts) &&
                   merge_inner(&pair, "octets", "the octets of a call", &of_octets) &&
                   merge_add_counts(&of_octets, octets);
    }
    json_array_add_object_element(calls, json_object_ref(call));
    return true;
}

bool rpcrdma_report_join(const struct merge_pair *connection)
{
    static const char *const latest[] = {"client", "thresholds", NULL};
    struct merge_pair pair;
    JsonArray *into, *from;

    if (!json_object_has_member(connection->from, "rpcrdma"))
        return true;
    if (!json_object_has_member(connection->into, "rpcrdma"))
        return merge_take_latest(connection, "rpcrdma");
    if (!merge_inner(connection, "rpcrdma", "RPC-over-RDMA", &pair) || !merge_take_each_latest(&pair, latest) ||
        !merge_add_count(&pair, "other_calls"))
        return false;
    into = merge_array(pair.input, pair.into, pair.what, "calls");
    from = into ? merge_array(pair.input, pair.from, pair.what, "calls") : NULL;
    for (guint i = 0; from && i < json_array_get_length(from); i++) {
        JsonObject *call = merge_element(pair.input, from, i, "calls");

        if (!call || !join_call(pair.input, into, call))
            return false;
    }
    return from != NULL;
}

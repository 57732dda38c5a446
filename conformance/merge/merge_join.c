// SPDX-License-Identifier: GPL-2.0-or-later
/* Two parts of a capture, or of a connection, become one. */
#include "conformance/merge/merge_parts.h"
#include "conformance/merge/merge_stats.h"
#include "conformance/model/guest.h"

/* [initiator to responder, responder to initiator] */
static bool add_both_directions(const struct merge_pair *pair, const char *name)
{
    JsonArray *a = merge_array(pair->input, pair->into, pair->what, name);
    JsonArray *b = merge_array(pair->input, pair->from, pair->what, name), *sum;

    if (!a || !b)
        return false;
    sum = json_array_new();
    for (guint i = 0; i < 2; i++) {
        uint64_t first, second;

        if (!merge_count_element(pair->input, a, i, name, &first) ||
            !merge_count_element(pair->input, b, i, name, &second) || first + second > (uint64_t)MERGE_COUNT_MAX) {
            json_array_unref(sum);
            return merge_input_wrong(pair->input, pair->what, name, "a pair of counts that can be added");
        }
        json_array_add_int_element(sum, (gint64)(first + second));
    }
    json_object_set_array_member(pair->into, name, sum);
    return true;
}

/* ---- a connection ---- */

static bool join_rule(const struct merge_pair *rules, const char *id)
{
    static const char *const counts[] = {"passed", "failed", "inconclusive", NULL};
    struct merge_pair rule;

    if (!json_object_has_member(rules->into, id))
        return merge_take_latest(rules, id);
    return merge_inner(rules, id, "a rule", &rule) && merge_add_counts(&rule, counts);
}

bool merge_join_rules(const struct merge_pair *pair, const char *what)
{
    struct merge_pair rules;

    return merge_inner(pair, "rules", what, &rules) && merge_members(&rules, join_rule);
}

static bool join_guests(const struct merge_pair *pair)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->join && !(*face)->join(pair))
            return false;
    return true;
}

/* As in a report of all: by frame, then by octet. */
struct placed {
    uint64_t frame, offset;
    JsonObject *finding;
};

static gint join_by_place(gconstpointer a, gconstpointer b)
{
    const struct placed *first = a, *second = b;

    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static bool place_findings(const struct merge_pair *pair, JsonObject *connection, GArray *placed)
{
    JsonArray *findings = merge_array(pair->input, connection, pair->what, "findings");

    for (guint i = 0; findings && i < json_array_get_length(findings); i++) {
        struct placed each = {.finding = merge_element(pair->input, findings, i, "findings")};

        if (!each.finding || !merge_count(pair->input, each.finding, "a finding", "frame", &each.frame) ||
            !merge_count(pair->input, each.finding, "a finding", "stream_offset", &each.offset))
            return false;
        g_array_append_val(placed, each);
    }
    return findings != NULL;
}

static bool join_findings(const struct merge_pair *pair)
{
    GArray *placed = g_array_new(FALSE, FALSE, sizeof(struct placed));
    bool ok = place_findings(pair, pair->into, placed) && place_findings(pair, pair->from, placed);

    if (ok) {
        JsonArray *findings = json_array_new();

        g_array_sort(placed, join_by_place);
        for (guint i = 0; i < placed->len; i++)
            json_array_add_object_element(findings, json_object_ref(g_array_index(placed, struct placed, i).finding));
        json_object_set_array_member(pair->into, "findings", findings);
    }
    g_array_unref(placed);
    return ok;
}

/* Parts of a run have them all or none. */
static bool join_statistics(const struct merge_pair *pair)
{
    if (!json_object_has_member(pair->from, "statistics"))
        return true;
    if (!json_object_has_member(pair->into, "statistics"))
        return merge_take_latest(pair, "statistics");
    return merge_statistics(pair->input, pair->into, pair->from);
}

bool merge_join_connection(const struct merge_pair *pair)
{
    static const char *const latest[] = {"initiator", "responder", "roles_known", "end_frame", "continues", NULL};
    bool ib = json_object_has_member(pair->into, "ib"); /* its counts go through all parts */
    struct merge_pair counts, operations;

    return merge_take_each_latest(pair, latest) && merge_take_latest(pair, ib ? "ib" : "mpa") &&
           merge_inner(pair, "counts", "the counts", &counts) &&
           add_both_directions(&counts, ib ? "packets" : "fpdus") && add_both_directions(&counts, "octets") &&
           merge_inner(&counts, "operations", "the operations", &operations) &&
           merge_members(&operations, merge_add_or_take_count) && join_guests(pair) && join_statistics(pair) &&
           join_findings(pair) && merge_add_count(pair, "findings_not_listed") &&
           merge_join_rules(pair, "the rules of a connection");
}

/* ---- a capture ---- */

static bool join_truncated(const struct merge_pair *pair)
{
    bool a, b;

    if (!merge_bool(pair->input, pair->into, pair->what, "truncated", &a) ||
        !merge_bool(pair->input, pair->from, pair->what, "truncated", &b))
        return false;
    json_object_set_boolean_member(pair->into, "truncated", a || b);
    return true;
}

/* Only where there are any. */
static bool join_cut_short(const struct merge_pair *pair)
{
    return !json_object_has_member(pair->from, "connections_cut_short") ||
           merge_add_or_take_count(pair, "connections_cut_short");
}

/* Likewise. */
static bool join_rest(const struct merge_pair *pair)
{
    struct merge_pair rest;

    if (!json_object_has_member(pair->from, "not_listed"))
        return true;
    if (!json_object_has_member(pair->into, "not_listed"))
        json_object_set_object_member(pair->into, "not_listed", json_object_new());
    return merge_inner(pair, "not_listed", "not_listed", &rest) && merge_members(&rest, merge_add_or_take_count);
}

bool merge_join_capture(const struct merge_pair *pair)
{
    static const char *const counts[] = {"packets", "bytes", "dropped", "connections_without_mpa", NULL};
    static const char *const latest[] = {"last", "ended", "to", NULL};
    static const char *const troubles[] = {"error", "warning"};
    static const char *const so_far[] = {"calls", "trouble", NULL};
    struct merge_pair part;

    json_object_remove_member(pair->into, "nothing_checked"); /* it is about one part */
    for (size_t i = 0; i < G_N_ELEMENTS(troubles); i++)
        if (json_object_has_member(pair->from, troubles[i]) && !merge_take_latest(pair, troubles[i]))
            return false;
    if (json_object_has_member(pair->from, "trouble") && !merge_take_each_latest(pair, so_far))
        return false;
    return merge_add_counts(pair, counts) && join_cut_short(pair) && join_rest(pair) && join_truncated(pair) &&
           merge_inner(pair, "part", "a part", &part) && merge_take_each_latest(&part, latest) &&
           merge_join_rules(pair, "the rules of a capture");
}

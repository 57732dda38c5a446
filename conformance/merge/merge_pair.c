// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_pair.h"

bool merge_inner(const struct merge_pair *pair, const char *name, const char *what, struct merge_pair *found)
{
    *found = (struct merge_pair){pair->input, merge_object(pair->input, pair->into, pair->what, name),
                                 merge_object(pair->input, pair->from, pair->what, name), what};
    return found->into && found->from;
}

bool merge_add_count(const struct merge_pair *pair, const char *name)
{
    uint64_t a, b;

    if (!merge_count(pair->input, pair->into, pair->what, name, &a) ||
        !merge_count(pair->input, pair->from, pair->what, name, &b))
        return false;
    if (a + b > (uint64_t)MERGE_COUNT_MAX)
        return merge_input_wrong(pair->input, pair->what, name, "a count that can be added");
    json_object_set_int_member(pair->into, name, (gint64)(a + b));
    return true;
}

bool merge_add_counts(const struct merge_pair *pair, const char *const *names)
{
    for (; *names; names++)
        if (!merge_add_count(pair, *names))
            return false;
    return true;
}

/* Where the earlier part does not have it, it was 0. */
bool merge_add_or_take_count(const struct merge_pair *pair, const char *name)
{
    if (!json_object_has_member(pair->into, name))
        json_object_set_int_member(pair->into, name, 0);
    return merge_add_count(pair, name);
}

bool merge_take_latest(const struct merge_pair *pair, const char *name)
{
    JsonNode *node = json_object_get_member(pair->from, name);

    if (!node)
        return merge_input_wrong(pair->input, pair->what, name, "present");
    json_object_set_member(pair->into, name, json_node_copy(node));
    return true;
}

bool merge_take_each_latest(const struct merge_pair *pair, const char *const *names)
{
    for (; *names; names++)
        if (!merge_take_latest(pair, *names))
            return false;
    return true;
}

/* Every member of the later object. */
bool merge_members(const struct merge_pair *pair, bool (*join)(const struct merge_pair *pair, const char *name))
{
    GList *names = json_object_get_members(pair->from);
    bool ok = true;

    for (GList *name = names; ok && name; name = name->next)
        ok = join(pair, name->data);
    g_list_free(names);
    return ok;
}

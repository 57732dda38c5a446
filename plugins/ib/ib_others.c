// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wireshark calls the heuristic dissectors of a list in order, and moves one that accepts a packet to the front. If the
 * built-in dissector of an upper layer ever came before ours, it would accept all further messages. Therefore ours
 * accepts every packet: it calls the others itself, in the order that the list would have without ours, and stays at
 * the front.
 */
#include "plugins/ib/ib_plugin.h"

/* By short name of an entry: when its dissector last accepted a packet; 0: never. */
static wmem_map_t *latest;
static wmem_map_t *handles; /* protocol -> dissector_handle_t */
static unsigned now;
static const heur_dtbl_entry_t *asked;
static int without = -1; /* a protocol that is not asked; -1: all are asked */

/* Called through a handle, so that Wireshark adds the protocol's layer as it does for heuristic dissectors. */
static int others_ask(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return asked->dissector(tvb, pinfo, tree, data) ? MAX((int)tvb_captured_length(tvb), 1) : 0;
}

static dissector_handle_t handle_of(const heur_dtbl_entry_t *entry)
{
    int protocol = !entry->protocol ? -1 : proto_get_id(entry->protocol);
    dissector_handle_t handle = wmem_map_lookup(handles, GINT_TO_POINTER(protocol));

    if (!handle) {
        handle = create_dissector_handle(others_ask, protocol);
        wmem_map_insert(handles, GINT_TO_POINTER(protocol), handle);
    }
    return handle;
}

/* ---- order ---- */

enum { OTHERS_MAX = 64 }; /* Wireshark 4.0 has 11 */

struct others {
    heur_dtbl_entry_t *entry[OTHERS_MAX];
    unsigned latest[OTHERS_MAX];
    unsigned n;
};

/* First the dissectors that have accepted packets, the latest first; then the others in order of registration. */
static void others_add(const char *table, heur_dtbl_entry_t *entry, void *user)
{
    struct others *others = user;
    unsigned stamp = GPOINTER_TO_UINT(wmem_map_lookup(latest, entry->short_name)), at = others->n;

    (void)table;
    if (strcmp(entry->short_name, IB_HEURISTIC) == 0 || others->n == OTHERS_MAX ||
        (without >= 0 && entry->protocol && proto_get_id(entry->protocol) == without))
        return;
    for (; at > 0 && others->latest[at - 1] < stamp; at--) {
        others->entry[at] = others->entry[at - 1];
        others->latest[at] = others->latest[at - 1];
    }
    others->entry[at] = entry;
    others->latest[at] = stamp;
    others->n++;
}

static void others_remember(const heur_dtbl_entry_t *entry)
{
    wmem_map_insert(latest,
                    wmem_map_contains(latest, entry->short_name) ? entry->short_name
                                                                 : wmem_strdup(wmem_epan_scope(), entry->short_name),
                    GUINT_TO_POINTER(++now));
}

void ib_others_leave(packet_info *pinfo)
{
    wmem_list_remove_frame(pinfo->layers, wmem_list_tail(pinfo->layers));
    pinfo->curr_layer_num--;
}

void ib_others_return(packet_info *pinfo)
{
    pinfo->curr_layer_num++;
}

bool ib_others_ask(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, int except)
{
    const char *protocol = pinfo->current_proto;
    struct others others = {.n = 0};
    bool taken = false;

    without = except;
    heur_dissector_table_foreach(IB_LIST, others_add, &others);
    for (unsigned i = 0; i < others.n && !taken; i++) {
        asked = others.entry[i];
        if (!ib_entry_is_enabled(asked))
            continue;
        taken = call_dissector_only(handle_of(asked), tvb, pinfo, tree, data) > 0;
        if (taken)
            others_remember(others.entry[i]);
    }
    if (!taken)
        pinfo->current_proto = protocol;
    return taken;
}

void ib_others_register(void)
{
    latest = wmem_map_new(wmem_epan_scope(), g_str_hash, g_str_equal);
    handles = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
}

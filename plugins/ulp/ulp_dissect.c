// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/say.h"
#include "plugins/ulp/ulp_plugin.h"

#include "engine/smb_direct/smb_direct_ulp.h"

#include <epan/wmem_scopes.h>

static int proto = -1, hf_name = -1, hf_message = -1, ett = -1;
static dissector_handle_t payload_handle;
static wmem_map_t *ib_sends; /* struct ulp_kept, by the frame of the packet that ends the Send */

/* The description of a Send. */
struct ulp_kept {
    uint64_t key; /* the place of the last segment in its direction, and the side */
    const struct ulp_kind *kind;
    const char *text; /* of file scope */
};

/* ---- first pass ---- */

static uint64_t ulp_dissect_key_of(const struct place *place)
{
    return place->offset << 1 | place->side;
}

static struct ulp_kept *ulp_dissect_keep(const struct ulp_said *said)
{
    struct ulp_kept *kept = wmem_new(wmem_file_scope(), struct ulp_kept);

    *kept = (struct ulp_kept){.key = ulp_dissect_key_of(&said->send->place),
                              .kind = said->kind,
                              .text = wmem_strdup(wmem_file_scope(), said->text)};
    return kept;
}

void ulp_plugin_on_said(void *ctx, const struct ulp_said *said)
{
    struct connection *connection = ctx;
    struct ulp_kept *kept = ulp_dissect_keep(said);

    if (!connection->named)
        connection->named = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    wmem_map_insert(connection->named, &kept->key, kept);
}

void ulp_plugin_on_said_ib(void *connection, const struct ulp_said *said)
{
    const struct place *place = &said->send->place;
    uint32_t own = place->first_frame != 0 ? place->first_frame : place->frame;

    (void)connection;
    wmem_map_insert(ib_sends, GUINT_TO_POINTER(own), ulp_dissect_keep(said));
}

/* ---- every pass ---- */

/* Wireshark has a dissector for this kind, in the list of its own iWARP dissector. */
static bool is_shown_by_others(const struct ulp_kind *kind)
{
    return kind == &smb_direct_ulp && has_heur_dissector_list("iwarp_ddp_rdmap");
}

static void show(const struct ulp_kept *kept, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    proto_item *item;
    proto_tree *below;

    /* "NVMe" from "NVMe over RDMA": the column is narrow. */
    col_add_fstr(pinfo->cinfo, COL_PROTOCOL, "%.*s", (int)strcspn(kept->kind->title, " "), kept->kind->title);
    say_trim(pinfo);
    col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", kept->text);
    item = proto_tree_add_protocol_format(tree, proto, tvb, 0, -1, "%s: %s", kept->kind->title, kept->text);
    below = proto_item_add_subtree(item, ett);
    proto_tree_add_string(below, hf_name, tvb, 0, 0, kept->kind->title);
    proto_tree_add_string(below, hf_message, tvb, 0, -1, kept->text);
    call_data_dissector(tvb, pinfo, tree);
}

static compat_bool ulp_dissect_send(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct passed *about = passed_of(data);
    uint64_t key = about ? ulp_dissect_key_of(&about->place) : 0;
    const struct ulp_kept *kept =
        about && about->connection->named ? wmem_map_lookup(about->connection->named, &key) : NULL;

    if (!kept || is_shown_by_others(kept->kind))
        return 0;
    show(kept, tvb, pinfo, tree);
    return 1;
}

/* ---- InfiniBand and RoCE ---- */

static int ulp_dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ulp_kept *kept = wmem_map_lookup(ib_sends, GUINT_TO_POINTER(pinfo->num));

    (void)data;
    if (!kept)
        return 0;
    show(kept, tvb, pinfo, tree);
    return 1;
}

bool ulp_plugin_call_ib(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    return call_dissector_only(payload_handle, tvb, pinfo, tree, NULL) > 0;
}

/* ---- registration ---- */

void ulp_plugin_register(void)
{
    static hf_register_info fields[] = {
        {&hf_name,
         {"Upper layer", "rdma_ulp.name", FT_STRING, BASE_NONE, NULL, 0,
          "Which protocol the connection carries, by its private data and first messages", HFILL}},
        {&hf_message,
         {"Message", "rdma_ulp.message", FT_STRING, BASE_NONE, NULL, 0, "What the Send is, in short", HFILL}},
    };
    static int *trees[] = {&ett};

    proto = proto_register_protocol("RDMA upper layer", "RDMA-ULP", "rdma_ulp");
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(trees, array_length(trees));
    payload_handle = create_dissector_handle(ulp_dissect_payload, proto);
    ib_sends = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void ulp_plugin_handoff(void)
{
    heur_dissector_add(RDMAP_SEND_LIST, ulp_dissect_send, "NVMe, iSER, SRP over iWARP", "rdma_ulp_rdmap", proto,
                       HEURISTIC_ENABLE);
}

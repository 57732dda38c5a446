// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points: connections and Sends from the ddp_rdmap and rdma_ib plugins. */
#include "plugins/border/rdmap_payload.h"
#include "plugins/common/say.h"
#include "plugins/ulp/ulp_plugin.h"

#include "engine/smb_direct/smb_direct_ulp.h"

static int proto = -1, hf_name = -1, hf_message = -1, ett = -1;
static dissector_handle_t payload_handle;

static compat_bool ulp_dissect_listen(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rdmap_listeners *listeners = data;

    (void)tvb, (void)pinfo, (void)tree;
    if (listeners && listeners->size == sizeof *listeners)
        rdmap_listeners_add(listeners, &(struct rdmap_listener){.begin = ulp_flow_listen});
    return 0; /* others are asked, too */
}

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
    const struct rdmap_payload *payload = data;
    const struct ulp_kept *kept;

    if (!payload || payload->size != sizeof *payload)
        return 0;
    kept = ulp_flow_find(payload->ulpdu.connection, &payload->ulpdu.place);
    if (!kept || is_shown_by_others(kept->kind))
        return 0;
    show(kept, tvb, pinfo, tree);
    return 1;
}

/* ---- InfiniBand and RoCE ---- */

static compat_bool listen_ib(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct ib_listeners *listeners = data;

    (void)tvb, (void)pinfo, (void)tree;
    if (listeners && listeners->size == sizeof *listeners)
        ulp_flow_listen_ib(listeners, payload_handle);
    return 0;
}

/* Payload that Wireshark's own dissectors of NVMe, iSER and SMB Direct did not accept. */
static int ulp_dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ib_payload *payload = data;
    const struct ulp_kept *kept;

    if (!payload || payload->size != sizeof *payload)
        return 0;
    kept = ulp_flow_find_ib(pinfo->num);
    if (!kept)
        return 0;
    show(kept, tvb, pinfo, tree);
    return 1;
}

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
    ulp_flow_register();
}

void ulp_plugin_handoff(void)
{
    if (has_heur_dissector_list(RDMAP_LISTENER_LIST)) { /* else the ddp_rdmap plugin is missing */
        heur_dissector_add(RDMAP_LISTENER_LIST, ulp_dissect_listen, "RDMA upper layers", "rdma_ulp_listener", proto,
                           HEURISTIC_ENABLE);
        heur_dissector_add(RDMAP_SEND_LIST, ulp_dissect_send, "NVMe, iSER, SRP over iWARP", "rdma_ulp_rdmap", proto,
                           HEURISTIC_ENABLE);
    }
    if (has_heur_dissector_list(IB_LISTENER_LIST)) /* else the rdma_ib plugin is missing */
        heur_dissector_add(IB_LISTENER_LIST, listen_ib, "RDMA upper layers on InfiniBand and RoCE", "rdma_ulp_ib",
                           proto, HEURISTIC_ENABLE);
}

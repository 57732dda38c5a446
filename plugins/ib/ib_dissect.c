// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entry points: payload and private data from Wireshark's InfiniBand dissector, and a postdissector for packets whose
 * payload that dissector does not pass on.
 */
#include "plugins/common/findings.h"
#include "plugins/ib/ib_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"
#include "plugins/ulp/ulp_plugin.h"

#include <epan/conversation_filter.h>
#include <epan/dissectors/packet-infiniband.h>
#include <epan/expert.h>

static int proto = -1;
static int connection = -1, operation = -1, differs = -1;
static expert_field forgotten = EI_INIT;
static dissector_table_t choices;
static uint32_t passed; /* the current frame, once Wireshark has passed on its payload */

static const struct ib_frame *ib_dissect_frame_of(packet_info *pinfo)
{
    ib_flow_feed(pinfo);
    return ib_flow_frame(pinfo->num);
}

/* ---- upper layers ---- */

static bool ask_rpcrdma(const struct ib_frame *frame, bool rest, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct ib_payload payload = {.frame = frame, .rest = rest};

    return frame->connection->rpcrdma && rpcrdma_ib_call(tvb, pinfo, tree, &payload);
}

static bool ib_dissect_ask_all(const struct ib_frame *frame, bool rest, tvbuff_t *tvb, packet_info *pinfo,
                               proto_tree *tree)
{
    return ask_rpcrdma(frame, rest, tvb, pinfo, tree) || ulp_plugin_call_ib(tvb, pinfo, tree);
}

static bool is_of_rpcrdma(const struct ib_frame *frame)
{
    return frame && rpcrdma_knows(frame->connection);
}

/* ---- payload ---- */

static bool is_reliable(const struct infinibandinfo *info)
{
    return info->opCode >> 5 == 0;
}

/* The length of payload and pad is a multiple of 4. */
static tvbuff_t *without_pad(tvbuff_t *tvb, const struct infinibandinfo *info)
{
    unsigned n = tvb_reported_length(tvb);

    return n % 4 != 0 || info->pad_count > n ? tvb : tvb_new_subset_length(tvb, 0, (int)(n - info->pad_count));
}

/* The user has chosen a dissector, which Wireshark calls after the list. */
static bool is_chosen(void)
{
    return choices && dissector_get_payload_handle(choices);
}

/* Wireshark must not call dissectors again that were called here: some keep state. */
static bool leave_to_others(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return ib_others_ask(tvb, pinfo, tree, data, rpcrdma_ib_replaces(tvb));
}

static compat_bool ib_dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct infinibandinfo *info = data;
    const struct ib_frame *frame;
    bool known, taken;

    if (!info)
        return FALSE;
    passed = pinfo->num;
    frame = is_reliable(info) ? ib_dissect_frame_of(pinfo) : NULL;
    known = is_of_rpcrdma(frame);
    if (!known && is_chosen())
        return FALSE;
    ib_others_leave(pinfo);
    if (known)
        taken = ask_rpcrdma(frame, false, without_pad(tvb, info), pinfo, tree);
    else
        taken = leave_to_others(tvb, pinfo, tree, data) ||
                (frame && ib_dissect_ask_all(frame, false, without_pad(tvb, info), pinfo, tree));
    if (!taken && tvb_reported_length(tvb) > 0)
        call_data_dissector(known ? without_pad(tvb, info) : tvb, pinfo, tree);
    ib_others_return(pinfo);
    findings_mark(pinfo); /* not only after all dissectors: -T fields may take the columns before */
    return TRUE;
}

/* ---- private data ---- */

static compat_bool ib_dissect_private_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct infinibandinfo *info = data;
    const struct ib_frame *frame;
    struct ib_payload payload = {0};
    wmem_list_frame_t *layer = wmem_list_tail(pinfo->layers); /* added by Wireshark for this plugin */

    if (!info || (info->cm_attribute_id != ATTR_CM_REQ && info->cm_attribute_id != ATTR_CM_REP))
        return FALSE;
    frame = ib_dissect_frame_of(pinfo);
    if (!frame)
        return FALSE;
    payload.frame = frame;
    payload.reply = info->cm_attribute_id == ATTR_CM_REP;
    if (!rpcrdma_ib_call_private_data(tvb, pinfo, tree, &payload))
        return FALSE;
    wmem_list_remove_frame(pinfo->layers, layer);
    passed = pinfo->num;
    return TRUE;
}

/* ---- packets that were not passed on ---- */

/* The captured part of the payload; nothing for a complete packet. */
static tvbuff_t *cut_payload(const struct ib_frame *frame, tvbuff_t *tvb)
{
    if (!frame->more->cut || frame->more->payload_at == 0)
        return tvb_new_subset_length(tvb, 0, 0);
    return tvb_new_subset_length_caplen(tvb, (int)frame->more->payload_at, (int)frame->more->payload_captured,
                                        (int)frame->more->payload_len);
}

/* The InfiniBand dissector replaces the opcode in the Info column by "[Malformed Packet]", but adds no such item to the
 * tree. */
static void correct_info(const struct ib_frame *frame, packet_info *pinfo)
{
    col_clear_fence(pinfo->cinfo, COL_INFO);
    col_add_fstr(pinfo->cinfo, COL_INFO, "RC %s QP=0x%06x [Packet size limited during capture]", frame->more->cut->name,
                 frame->more->qp);
}

static void ib_dissect_hidden(proto_item *item)
{
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

/*
 * For columns and filters. Wireshark gives a RoCE connection two stream numbers, because each direction has its own UDP
 * port, and all its opcode names begin with the name of the service.
 */
static void ib_dissect_name(const struct ib_frame *frame, uint32_t number, tvbuff_t *tvb, proto_tree *tree)
{
    const struct ib_opcode_info *info = frame->more->cut ? frame->more->cut : ib_frame_info(frame);
    const char *difference = frame->repeated ? ib_flow_difference(number) : NULL;

    if (difference)
        proto_item_set_generated(proto_tree_add_string(tree, differs, tvb, 0, 0, difference));
    ib_dissect_hidden(proto_tree_add_uint(tree, connection, tvb, 0, 0, frame->connection->number));
    if (info)
        ib_dissect_hidden(proto_tree_add_string(tree, operation, tvb, 0, 0, info->name));
}

static int ib_dissect_rest(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ib_frame *frame;

    (void)data;
    ib_flow_clock(pinfo);
    if (pinfo->ptype != PT_IBQP)
        return 0;
    frame = ib_dissect_frame_of(pinfo);
    if (!frame && ib_flow_is_forgotten(pinfo->num))
        proto_tree_add_expert(tree, pinfo, &forgotten, tvb, 0, 0);
    if (frame && passed != pinfo->num) {
        if (frame->more->cut)
            correct_info(frame, pinfo);
        if (!is_of_rpcrdma(frame) || rpcrdma_ib_has_rest(frame, pinfo->num))
            ib_dissect_ask_all(frame, true, cut_payload(frame, tvb), pinfo, tree);
    } else if (frame && frame->repeated &&
               !is_of_rpcrdma(frame)) { /* findings about the connection, whoever has taken the payload */
        ib_dissect_ask_all(frame, true, tvb_new_subset_length(tvb, 0, 0), pinfo, tree);
    }
    if (is_of_rpcrdma(frame))
        ib_dissect_name(frame, pinfo->num, tvb, tree);
    findings_mark(pinfo);
    passed = 0;
    return 0;
}

/* ---- Conversation Filter: both directions of a connection, whose packets have different UDP ports ---- */

static compat_bool is_of_connection(COMPAT_OF_PACKET)
{
    return ib_flow_frame(pinfo->num) != NULL;
}

static char *filter_of_connection(COMPAT_OF_PACKET)
{
    const struct ib_frame *frame = ib_flow_frame(pinfo->num);

    return !frame ? NULL : ws_strdup_printf("rdma_ib.connection == %u", frame->connection->number);
}

/* ---- registration ---- */

void ib_plugin_register(void)
{
    static hf_register_info fields[] = {
        {&connection,
         {"Connection", "rdma_ib.connection", FT_UINT32, BASE_DEC, NULL, 0,
          "Number of the reliable connection, for both of its directions", HFILL}},
        {&operation,
         {"Operation", "rdma_ib.operation", FT_STRING, BASE_NONE, NULL, 0,
          "What the packet of a reliable connection is", HFILL}},
        {&differs,
         {"Retransmission that differs", "rdma_ib.differs", FT_STRING, BASE_NONE, NULL, 0,
          "How the packet differs from the first transmission", HFILL}},
    };

    static ei_register_info experts[] = {
        {&forgotten,
         {"rdma_ib.forgotten", PI_UNDECODED, PI_NOTE,
          "Not followed: too many queue pairs without counterpart, and this one had sent a single packet", EXPFILL}},
    };

    proto = proto_register_protocol("RDMA over InfiniBand and RoCE", "RDMA-IB", "rdma_ib");
    proto_register_field_array(proto, fields, array_length(fields));
    expert_register_field_array(expert_register_protocol(proto), experts, array_length(experts));
    ib_flow_register();
    ib_others_register();
    ib_follow_register(proto);
    compat_register_conversation_filter("rdma_ib", "RoCE and InfiniBand connection", is_of_connection,
                                        filter_of_connection);
}

void ib_plugin_handoff(void)
{
    choices = find_dissector_table(IB_DECODE_AS_TABLE);
    if (!choices)
        return;
    heur_dissector_add(IB_LIST, ib_dissect_payload, "RDMA over InfiniBand and RoCE", IB_HEURISTIC, proto,
                       HEURISTIC_ENABLE);
    heur_dissector_add("infiniband.mad.cm.private", ib_dissect_private_data, "Private data of upper layers",
                       "rdma_ib_private_data", proto, HEURISTIC_ENABLE);
    register_postdissector(create_dissector_handle(ib_dissect_rest, proto));
}

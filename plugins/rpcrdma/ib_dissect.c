// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entry points on InfiniBand: payload and private data from Wireshark's InfiniBand dissector, and a postdissector for
 * packets of which it passes nothing on.
 */
#include "plugins/rpcrdma/ib_flow.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/dissectors/packet-infiniband.h>
#include <epan/prefs.h>

static const char decode_as[] = "infiniband"; /* Wireshark's table of payload dissectors */

static compat_bool wanted = TRUE;
static dissector_table_t choices;
static dissector_handle_t ours;
static int builtin = -1; /* protocol of the built-in RPC-over-RDMA dissector */
static uint32_t drawn;   /* the current frame, once its segments are drawn */

/* ---- which dissector ---- */

/* The protocol that the user has chosen, or -1. */
static int choice(void)
{
    dissector_handle_t handle = !choices ? NULL : dissector_get_payload_handle(choices);

    return !handle ? -1 : dissector_handle_get_protocol_index(handle);
}

static bool is_ours(void)
{
    return wanted && (builtin < 0 || choice() != builtin);
}

static bool is_forced(void)
{
    return choice() == rpcrdma_proto;
}

static const struct ib_frame *frame_of(const packet_info *pinfo)
{
    if (!is_ours())
        return NULL;
    rpcrdma_ib_feed(pinfo, is_forced());
    rpcrdma_flow_judge_ended();
    return rpcrdma_ib_frame(pinfo->num);
}

/* ---- the segments of a frame ---- */

static tvbuff_t *send_of(const struct kept_message *message, tvbuff_t *payload, packet_info *pinfo)
{
    tvbuff_t *tvb;

    if (!message->octets)
        return payload;
    tvb = tvb_new_child_real_data(payload, message->octets, message->n, (int)message->n);
    add_new_data_source(pinfo, tvb, "Reassembled Send");
    return tvb;
}

static void draw_message(struct rpcrdma_canvas *canvas, tvbuff_t *payload)
{
    canvas->message = canvas->segment->message;
    canvas->tvb = send_of(canvas->message, payload, canvas->pinfo);
    canvas->n = tvb_captured_length(canvas->tvb);
    if (canvas->message->empty)
        rpcrdma_draw_empty(canvas);
    if (canvas->n == 0)
        return;
    canvas->p = tvb_get_ptr(canvas->tvb, 0, (int)canvas->n);
    rpcrdma_header_decode(&canvas->header, canvas->p, canvas->n);
    rpcrdma_draw_message(canvas);
}

/* Of a Send that was not seen to end, the header is shown if the packet is cut. */
static bool is_part(const struct rpcrdma_canvas *canvas)
{
    const struct kept_packet *packet = canvas->segment->packet;

    return packet->part_of || (packet->of_send && tvb_captured_length(canvas->tvb) == tvb_reported_length(canvas->tvb));
}

/* True when payload was shown. */
static bool draw_segment(struct rpcrdma_canvas *canvas, tvbuff_t *payload)
{
    bool own = canvas->segment->packet->own_frame == canvas->pinfo->num;

    canvas->tvb = own ? payload : tvb_new_subset_length(payload, 0, 0);
    if (canvas->segment->message) {
        draw_message(canvas, payload);
        return own;
    }
    if (rpcrdma_draw_move(canvas))
        return own;
    return own && is_part(canvas) && rpcrdma_draw_part(canvas);
}

/* "RC Send Only QP=0x000011 " ends in a blank, which does not go with a comma. */
static void trim_info(packet_info *pinfo)
{
    const char *text = col_get_text(pinfo->cinfo, COL_INFO);

    if (text && g_str_has_suffix(text, " "))
        col_add_str(pinfo->cinfo, COL_INFO, g_strchomp(wmem_strdup(pinfo->pool, text)));
}

/* RPC dissectors need the Calls of frames that were dissected before their connection was known. */
static void tell_untold(struct rpcrdma_flow *flow, tvbuff_t *tvb, packet_info *pinfo, unsigned side)
{
    const struct kept_segment *segment;

    while ((segment = rpcrdma_ib_next_untold(flow))) {
        struct rpcrdma_canvas canvas = {
            .flow = flow, .segment = segment, .tvb = tvb, .pinfo = pinfo, .against = segment->side != side};

        rpcrdma_tell_segment(&canvas);
    }
}

static bool draw_other(const struct ib_frame *frame, tvbuff_t *payload, packet_info *pinfo, proto_tree *tree)
{
    struct rpcrdma_canvas canvas = {.flow = frame->flow, .pinfo = pinfo, .root = tree, .tvb = payload};
    bool waits = frame->taken_in != 0 || (frame->waits && !PINFO_FD_VISITED(pinfo));

    if (waits)
        rpcrdma_draw_waiting(&canvas, frame->taken_in);
    else if (frame->repeated)
        rpcrdma_draw_repeated(&canvas, frame->copies,
                              frame->info && frame->info->message == IB_MESSAGE_SEND && frame->info->first);
    return waits || frame->repeated;
}

/* True when payload was shown. */
static bool draw_frame(const struct ib_frame *frame, tvbuff_t *payload, packet_info *pinfo, proto_tree *tree)
{
    bool shown = false;

    drawn = pinfo->num;
    trim_info(pinfo);
    tell_untold(frame->flow, payload, pinfo, frame->side);
    for (const struct kept_segment *segment = frame->segments; segment; segment = segment->packet->next_in_frame) {
        struct rpcrdma_canvas canvas = {.flow = frame->flow,
                                        .segment = segment,
                                        .pinfo = pinfo,
                                        .root = tree,
                                        .against = segment->side != frame->side};

        shown |= draw_segment(&canvas, payload);
    }
    return draw_other(frame, payload, pinfo, tree) || shown;
}

/* The InfiniBand dissector replaces the opcode in the Info column by "[Malformed Packet]", but adds no such item to the
 * tree. */
static void correct_info(const struct ib_frame *frame, packet_info *pinfo)
{
    col_clear_fence(pinfo->cinfo, COL_INFO);
    col_add_fstr(pinfo->cinfo, COL_INFO, "RC %s QP=0x%06x [Packet size limited during capture]", frame->cut->name,
                 frame->qp);
}

/* ---- payload ---- */

static bool is_reliable(const struct infinibandinfo *info)
{
    return info->opCode >> 5 == 0;
}

/* The built-in dissector takes any Send for RPC-over-RDMA that seems long enough, and then finds it malformed. */
static bool seems_rpcrdma(tvbuff_t *tvb)
{
    struct rpcrdma_canvas canvas = {.tvb = tvb};

    return rpcrdma_is_unrecorded(&canvas, false);
}

/* Dissectors that were called here must not be called again by Wireshark: some keep state. */
static bool leave_to_others(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (choice() >= 0) /* called by Wireshark, after the list */
        return false;
    if (!rpcrdma_ib_ask_others(tvb, pinfo, tree, data, !is_ours() || seems_rpcrdma(tvb) ? -1 : builtin))
        call_data_dissector(tvb, pinfo, tree);
    return true;
}

/* The length of payload and pad is a multiple of 4. */
static tvbuff_t *without_pad(tvbuff_t *tvb, const struct infinibandinfo *info)
{
    unsigned n = tvb_reported_length(tvb);

    return n % 4 != 0 || info->pad_count > n ? tvb : tvb_new_subset_length(tvb, 0, (int)(n - info->pad_count));
}

static compat_bool dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct infinibandinfo *info = data;
    const struct ib_frame *frame;

    if (!info)
        return FALSE;
    frame = is_reliable(info) ? frame_of(pinfo) : NULL;
    if (!frame || !frame->flow->recognised)
        return leave_to_others(tvb, pinfo, tree, data);
    tvb = without_pad(tvb, info);
    if (!draw_frame(frame, tvb, pinfo, tree) && tvb_reported_length(tvb) > 0)
        call_data_dissector(tvb, pinfo, tree);
    return TRUE;
}

/* The entry in "Decode As"; dissect_payload() has already been called. */
static int dissect_chosen(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    (void)tvb, (void)pinfo, (void)tree, (void)data;
    return 0;
}

/* ---- private data ---- */

static compat_bool dissect_private_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct infinibandinfo *info = data;
    const struct ib_frame *frame;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};

    if (!info || (info->cm_attribute_id != ATTR_CM_REQ && info->cm_attribute_id != ATTR_CM_REP))
        return FALSE;
    frame = frame_of(pinfo);
    if (!frame)
        return FALSE;
    canvas.flow = frame->flow;
    canvas.segment = frame->segments;
    rpcrdma_draw_startup(&canvas, info->cm_attribute_id == ATTR_CM_REQ ? MPA_REQUEST : MPA_REPLY);
    if (!canvas.item && canvas.root)
        return FALSE;
    drawn = pinfo->num;
    return canvas.item != NULL;
}

/* ---- packets that were not passed on ---- */

/* What was captured of it; nothing for a packet that is whole. */
static tvbuff_t *cut_payload(const struct ib_frame *frame, tvbuff_t *tvb)
{
    if (!frame->cut || frame->payload_at == 0)
        return tvb_new_subset_length(tvb, 0, 0);
    return tvb_new_subset_length_caplen(tvb, (int)frame->payload_at, (int)frame->payload_captured,
                                        (int)frame->payload_len);
}

static bool has_message(const struct ib_frame *frame)
{
    for (const struct kept_segment *segment = frame->segments; segment; segment = segment->packet->next_in_frame)
        if (segment->message || segment->packet->part_of)
            return true;
    return false;
}

/* The engine makes no message of a Send whose header is cut. */
static void draw_cut_send(const struct ib_frame *frame, tvbuff_t *payload, packet_info *pinfo, proto_tree *tree)
{
    struct rpcrdma_canvas canvas = {.flow = frame->flow,
                                    .side = frame->side,
                                    .tvb = payload,
                                    .pinfo = pinfo,
                                    .root = tree,
                                    .more = !frame->cut->last};

    if (frame->cut->message != IB_MESSAGE_SEND || !frame->cut->first ||
        !rpcrdma_is_unrecorded(&canvas, frame->flow->recognised || frame->flow->seems || is_forced()))
        return;
    frame->flow->seems = true;
    if (!frame->flow->recognised)
        correct_info(frame, pinfo);
    rpcrdma_draw_unrecorded(&canvas);
}

static int dissect_rest(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ib_frame *frame;

    (void)data;
    rpcrdma_ib_clock(pinfo);
    if (pinfo->ptype != PT_IBQP)
        return 0;
    frame = frame_of(pinfo);
    if (frame && drawn != pinfo->num) {
        tvbuff_t *payload = cut_payload(frame, tvb);

        if (frame->flow->recognised && frame->cut)
            correct_info(frame, pinfo);
        if (frame->flow->recognised && (frame->segments || frame->flow->untold))
            draw_frame(frame, payload, pinfo, tree);
        if (tvb_reported_length(payload) > 0 && !(frame->flow->recognised && has_message(frame)))
            draw_cut_send(frame, payload, pinfo, tree);
    }
    drawn = 0;
    return 0;
}

/* ---- registration ---- */

void rpcrdma_ib_register(void)
{
    module_t *module = prefs_register_protocol(rpcrdma_proto, NULL);

    prefs_register_bool_preference(
        module, "infiniband", "Dissect RPC-over-RDMA on InfiniBand and RoCE",
        "Whether this dissector handles RPC-over-RDMA on InfiniBand and RoCE, instead of Wireshark's "
        "built-in one",
        &wanted);
    rpcrdma_ib_flow_register();
    rpcrdma_ib_others_register();
    ours = register_dissector("rpcrdma.infiniband", dissect_chosen, rpcrdma_proto);
}

void rpcrdma_ib_handoff(void)
{
    choices = find_dissector_table(decode_as);
    builtin = proto_get_id_by_filter_name("rpcordma");
    if (!choices)
        return;
    dissector_add_for_decode_as(decode_as, ours);
    heur_dissector_add(RPCRDMA_IB_LIST, dissect_payload, "RPC-over-RDMA on InfiniBand and RoCE", RPCRDMA_IB_HEURISTIC,
                       rpcrdma_proto, HEURISTIC_ENABLE);
    heur_dissector_add("infiniband.mad.cm.private", dissect_private_data, "RPC-over-RDMA private data (RFC 8797)",
                       "rpcrdma_ib_private_data", rpcrdma_proto, HEURISTIC_ENABLE);
    register_postdissector(create_dissector_handle(dissect_rest, rpcrdma_proto));
}

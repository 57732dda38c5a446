// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points on InfiniBand and RoCE: connections, payload and private data from the rdma_ib dissector. */
#include "plugins/common/say.h"
#include "plugins/rpcrdma/ib_flow.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/prefs.h>

static const char switches[] = "rpcrdma.switches", switch_name[] = "rpcrdma_ib";

static compat_bool wanted = TRUE;
static dissector_table_t choices;
static dissector_handle_t payload_handle, private_data_handle, chosen_handle;
static const heur_dtbl_entry_t *entry; /* switches the layer off; not called */
static int builtin = -1;               /* protocol of the built-in RPC-over-RDMA dissector */

/* ---- which dissector ---- */

/* The protocol that the user has chosen, or -1. */
static int rpcrdma_ib_dissect_choice(void)
{
    dissector_handle_t handle = !choices ? NULL : dissector_get_payload_handle(choices);

    return !handle ? -1 : dissector_handle_get_protocol_index(handle);
}

bool rpcrdma_ib_is_wanted(void)
{
    return wanted && (builtin < 0 || rpcrdma_ib_dissect_choice() != builtin) && entry->enabled && rpcrdma_is_enabled();
}

bool rpcrdma_ib_is_forced(void)
{
    return rpcrdma_ib_dissect_choice() == rpcrdma_proto;
}

/* The built-in dissector takes any Send that seems long enough for RPC-over-RDMA, and then finds it malformed. */
int rpcrdma_ib_replaces(tvbuff_t *tvb)
{
    struct rpcrdma_canvas canvas = {.tvb = tvb};

    return rpcrdma_ib_is_wanted() && !rpcrdma_is_unrecorded(&canvas, false) ? builtin : -1;
}

/* ---- the segments of a frame ---- */

static tvbuff_t *rpcrdma_ib_dissect_send_of(const struct kept_message *message, tvbuff_t *payload, packet_info *pinfo)
{
    const struct kept_sent *sent = kept_sent_of(message);
    tvbuff_t *tvb;

    if (!sent->octets)
        return payload;
    tvb = tvb_new_child_real_data(payload, sent->octets, sent->n, (int)sent->n);
    add_new_data_source(pinfo, tvb, "Reassembled Send");
    return tvb;
}

static void rpcrdma_ib_dissect_draw_message(struct rpcrdma_canvas *canvas, tvbuff_t *payload)
{
    canvas->message = canvas->segment->message;
    canvas->tvb = rpcrdma_ib_dissect_send_of(canvas->message, payload, canvas->pinfo);
    canvas->n = tvb_captured_length(canvas->tvb);
    if (canvas->message->empty)
        rpcrdma_draw_empty(canvas);
    if (canvas->n == 0)
        return;
    canvas->p = tvb_get_ptr(canvas->tvb, 0, (int)canvas->n);
    rpcrdma_header_decode(&canvas->header, canvas->p, canvas->n);
    rpcrdma_builtin_sent(canvas);
    rpcrdma_draw_message(canvas);
}

/* If the end of a Send was not seen, its header is shown only if the packet is cut. */
static bool is_part(const struct rpcrdma_canvas *canvas)
{
    return canvas->segment->packet->part_of ||
           (canvas->segment->of_send && tvb_captured_length(canvas->tvb) == tvb_reported_length(canvas->tvb));
}

/* True when payload was shown. */
static bool rpcrdma_ib_dissect_draw_segment(struct rpcrdma_canvas *canvas, tvbuff_t *payload)
{
    bool own = kept_own_frame(canvas->segment) == canvas->pinfo->num;

    canvas->tvb = own ? payload : tvb_new_subset_length(payload, 0, 0);
    if (canvas->segment->message) {
        rpcrdma_ib_dissect_draw_message(canvas, payload);
        return own;
    }
    if (rpcrdma_draw_move(canvas))
        return own;
    return own && is_part(canvas) && rpcrdma_draw_part(canvas);
}

/* RPC dissectors need the Calls in frames that were dissected before their connection was known. */
static void tell_untold(struct rpcrdma_flow *flow, tvbuff_t *tvb, packet_info *pinfo, unsigned side)
{
    const struct kept_untold *untold;

    while ((untold = rpcrdma_ib_next_untold(flow))) {
        struct rpcrdma_canvas canvas = {.flow = flow,
                                        .segment = untold->segment,
                                        .tvb = tvb,
                                        .pinfo = pinfo,
                                        .against = untold->segment->side != side};

        rpcrdma_tell_segment(&canvas, untold->time_ns);
    }
}

static bool draw_other(struct rpcrdma_flow *flow, const struct ib_frame *frame, tvbuff_t *payload, packet_info *pinfo,
                       proto_tree *tree)
{
    struct rpcrdma_canvas canvas = {.flow = flow, .pinfo = pinfo, .root = tree, .tvb = payload};
    const struct ib_opcode_info *info = ib_frame_info(frame);
    bool waits = frame->more->taken_in != 0 || (frame->waits && !PINFO_FD_VISITED(pinfo));

    if (waits)
        rpcrdma_draw_waiting(&canvas, frame->more->taken_in);
    else if (frame->repeated)
        rpcrdma_draw_repeated(&canvas, frame->more->copies, info && info->message == IB_MESSAGE_SEND && info->first);
    return waits || frame->repeated;
}

/* True when payload was shown. */
static bool draw_frame(struct rpcrdma_flow *flow, const struct ib_frame *frame, tvbuff_t *payload, packet_info *pinfo,
                       proto_tree *tree)
{
    bool shown = false;

    say_trim(pinfo);
    tell_untold(flow, payload, pinfo, frame->side);
    for (const struct kept_segment *segment = rpcrdma_ib_segments(pinfo->num); segment;
         segment = segment->packet->next_in_frame) {
        struct rpcrdma_canvas canvas = {
            .flow = flow, .segment = segment, .pinfo = pinfo, .root = tree, .against = segment->side != frame->side};

        shown |= rpcrdma_ib_dissect_draw_segment(&canvas, payload);
    }
    return draw_other(flow, frame, payload, pinfo, tree) || shown;
}

/* ---- payload ---- */

static bool has_message(uint32_t number)
{
    for (const struct kept_segment *segment = rpcrdma_ib_segments(number); segment;
         segment = segment->packet->next_in_frame)
        if (segment->message || segment->packet->part_of)
            return true;
    return false;
}

/* The engine does not make a message of a Send whose header is cut. */
static bool draw_cut_send(struct rpcrdma_flow *flow, const struct ib_frame *frame, tvbuff_t *payload,
                          packet_info *pinfo, proto_tree *tree)
{
    struct rpcrdma_canvas canvas = {.flow = flow,
                                    .side = frame->side,
                                    .tvb = payload,
                                    .pinfo = pinfo,
                                    .root = tree,
                                    .more = !frame->more->cut->last};

    if (frame->more->cut->message != IB_MESSAGE_SEND || !frame->more->cut->first ||
        !rpcrdma_is_unrecorded(&canvas, flow->recognised || flow->seems || rpcrdma_ib_is_forced()))
        return false;
    flow->seems = true;
    rpcrdma_draw_unrecorded(&canvas);
    return true;
}

/* Packets whose payload Wireshark does not pass on may show segments that were held until they came. */
static bool rest_has_segments(const struct rpcrdma_flow *flow, uint32_t number)
{
    return flow->recognised && (rpcrdma_ib_segments(number) || flow->untold);
}

bool rpcrdma_ib_has_rest(const struct ib_frame *frame, uint32_t number)
{
    return frame->more->cut || rest_has_segments(frame->connection->rpcrdma, number);
}

static bool rpcrdma_ib_dissect_rest(struct rpcrdma_flow *flow, const struct ib_frame *frame, tvbuff_t *tvb,
                                    packet_info *pinfo, proto_tree *tree)
{
    bool shown = rest_has_segments(flow, pinfo->num);

    if (shown)
        draw_frame(flow, frame, tvb, pinfo, tree);
    if (tvb_reported_length(tvb) > 0 && !(flow->recognised && has_message(pinfo->num)))
        shown |= draw_cut_send(flow, frame, tvb, pinfo, tree);
    return shown;
}

/* Draws findings that apply to any upper layer: a copy must equal the first packet. */
static void draw_found(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    for (const struct kept_segment *segment = rpcrdma_ib_segments(pinfo->num); segment;
         segment = segment->packet->next_in_frame)
        rpcrdma_draw_found(segment->record.remarks, tvb, pinfo, tree);
}

static int rpcrdma_ib_dissect_payload(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ib_payload *payload = data;
    struct rpcrdma_flow *flow = payload->frame->connection->rpcrdma;

    if (!flow)
        return 0;
    if (payload->rest && !flow->recognised)
        draw_found(tvb, pinfo, tree);
    if (payload->rest)
        return rpcrdma_ib_dissect_rest(flow, payload->frame, tvb, pinfo, tree);
    if (!flow->recognised)
        return payload->frame->more->cut && draw_cut_send(flow, payload->frame, tvb, pinfo, tree);
    if (!draw_frame(flow, payload->frame, tvb, pinfo, tree) && tvb_reported_length(tvb) > 0)
        call_data_dissector(tvb, pinfo, tree);
    return 1;
}

bool rpcrdma_ib_call(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct ib_payload *payload)
{
    return call_dissector_only(payload_handle, tvb, pinfo, tree, (void *)payload) > 0;
}

/* The entry in "Decode As"; the payload has already been shown. */
static int dissect_chosen(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    (void)tvb, (void)pinfo, (void)tree, (void)data;
    return 0;
}

/* ---- private data ---- */

static int rpcrdma_ib_dissect_private_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct ib_payload *payload = data;
    struct rpcrdma_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};

    canvas.flow = payload->frame->connection->rpcrdma;
    if (!canvas.flow)
        return 0;
    canvas.segment = rpcrdma_ib_segments(pinfo->num);
    rpcrdma_draw_startup(&canvas, payload->reply ? MPA_REPLY : MPA_REQUEST);
    return canvas.item != NULL;
}

bool rpcrdma_ib_call_private_data(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct ib_payload *payload)
{
    return call_dissector_only(private_data_handle, tvb, pinfo, tree, (void *)payload) > 0;
}

/* ---- registration ---- */

static compat_bool dissect_nothing(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    (void)tvb, (void)pinfo, (void)tree, (void)data;
    return FALSE;
}

void rpcrdma_ib_register(void)
{
    module_t *module = prefs_register_protocol(rpcrdma_proto, NULL);

    prefs_register_bool_preference(
        module, "infiniband", "Dissect RPC-over-RDMA on InfiniBand and RoCE",
        "Whether this dissector handles RPC-over-RDMA on InfiniBand and RoCE, instead of Wireshark's "
        "built-in one",
        &wanted);
    rpcrdma_ib_flow_register();
    payload_handle = create_dissector_handle(rpcrdma_ib_dissect_payload, rpcrdma_proto);
    private_data_handle = create_dissector_handle(rpcrdma_ib_dissect_private_data, rpcrdma_proto);
    register_heur_dissector_list(switches, rpcrdma_proto);
    chosen_handle = register_dissector("rpcrdma.infiniband", dissect_chosen, rpcrdma_proto);
}

void rpcrdma_ib_handoff(void)
{
    choices = find_dissector_table(IB_DECODE_AS_TABLE);
    builtin = proto_get_id_by_filter_name("rpcordma");
    if (!choices)
        return;
    dissector_add_for_decode_as(IB_DECODE_AS_TABLE, chosen_handle);
    heur_dissector_add(switches, dissect_nothing, "RPC-over-RDMA on InfiniBand and RoCE", switch_name, rpcrdma_proto,
                       HEURISTIC_ENABLE);
    entry = find_heur_dissector_by_unique_short_name(switch_name);
}

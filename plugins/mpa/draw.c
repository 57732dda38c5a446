// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/mpa_plugin.h"

#include "plugins/ddp_rdmap/rdmap_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/exceptions.h>
#include <epan/prefs.h>
#include <epan/show_exception.h>

static const char *hole_text(enum hole_cause cause)
{
    switch (cause) {
    case HOLE_CAPTURE_LOSS:
        return "not captured, or held back by the TCP dissector";
    case HOLE_SNAP_LENGTH:
        return "cut by the snap length";
    case HOLE_MEMORY_LIMIT:
        return "too many out-of-order octets";
    case HOLE_END:
        return "not captured";
    }
    return "unknown";
}

void mpa_info_next(struct mpa_canvas *canvas)
{
    if (canvas->named)
        col_append_str(canvas->pinfo->cinfo, COL_INFO, " | ");
    canvas->named = true;
}

/* ---- findings ---- */

static bool remark_is_of(const struct remark *remark, const struct mpa_item *item)
{
    return remark->place.side == item->place.side && remark->place.offset >= item->offset &&
           remark->place.offset - item->offset < item->length;
}

static bool remark_is_of_any(const struct remark *remark, const struct mpa_canvas *canvas)
{
    for (const struct mpa_item *item = canvas->items; item; item = item->next)
        if (remark_is_of(remark, item))
            return true;
    return false;
}

/* ---- items ---- */

static void protocol(struct mpa_canvas *canvas, unsigned at, unsigned length)
{
    if (!canvas->root)
        return;
    canvas->proto = proto_tree_add_item(canvas->root, mpa_proto, canvas->tvb, (int)at, (int)length, ENC_NA);
    canvas->tree = proto_item_add_subtree(canvas->proto, mpa_ett.mpa);
}

static dissector_table_t ulpdu_table;
static dissector_handle_t fallback;

/*
 * Wireshark's built-in dissector of DDP and RDMAP, used if ours is absent. It throws exceptions on some correct ULPDUs
 * (Sends of less than 16 octets, Immediate Data), which are not malformed.
 */
static void call_fallback(struct mpa_canvas *canvas, tvbuff_t *next)
{
    packet_info *pinfo = canvas->pinfo;
    const char *volatile saved = pinfo->current_proto;
    volatile bool failed = false;

    if (!fallback) {
        call_data_dissector(next, pinfo, canvas->root);
        return;
    }
    TRY
    {
        call_dissector(fallback, next, pinfo, canvas->root);
    }
    CATCH_BOUNDS_AND_DISSECTOR_ERRORS
    {
        failed = true;
    }
    ENDTRY;
    pinfo->current_proto = saved;
    if (failed)
        proto_tree_add_item(canvas->root, mpa_hf.beyond, next, 0, -1, ENC_NA);
}

/*
 * Wireshark stops dissecting a frame when the number of dissectors called exceeds the maximum tree depth. A large
 * segment, or one that completes held segments, may have more small FPDUs than that: the layers of all but the first
 * FPDUs are removed.
 */
static void forget_layers(packet_info *pinfo, unsigned before)
{
    if (before < prefs.gui_max_tree_depth / 2)
        return;
    while (wmem_list_count(pinfo->layers) > before)
        wmem_list_remove_frame(pinfo->layers, wmem_list_tail(pinfo->layers));
}

struct passed mpa_passed(const struct mpa_canvas *canvas)
{
    return (struct passed){.connection = (struct connection *)&canvas->flow->connection,
                           .place = canvas->item->place,
                           .direction = canvas->item->direction};
}

/* The dissector of each ULPDU clears the column up to the fence. */
static void begin_next(struct mpa_canvas *canvas)
{
    bool named = canvas->named;

    mpa_info_next(canvas);
    if (named)
        col_set_fence(canvas->pinfo->cinfo, COL_INFO);
}

/* An FPDU of which only the ULPDU is shown without a tree, and whose octets are all in the frame. */
static bool is_brief(const struct mpa_canvas *canvas)
{
    const struct mpa_item *item = canvas->item;

    return !canvas->root && canvas->flow->brief && item->kind == MPA_ITEM_FPDU && !item->octets && !item->fpdu.ulpdu &&
           item->fpdu.n_markers == 0 && item->fpdu.cut == 0 && !canvas->piece->record.remarks &&
           !mpa_crc_is_remarked(item);
}

static bool draw_brief(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    const struct mpa_item *item = canvas->item;
    struct passed about = mpa_passed(canvas);
    unsigned at = (unsigned)(item->offset - canvas->piece->record.offset) + item->fpdu.header_at + MPA_LENGTH_LEN;

    return rdmap_dissect_brief(canvas->pinfo, &about, tvb_get_ptr(frame_tvb, (int)at, item->fpdu.ulpdu_length),
                               item->fpdu.ulpdu_length);
}

static void call_next(struct mpa_canvas *canvas, tvbuff_t *next)
{
    const struct mpa_parameters *parameters = &canvas->item->state->parameters;
    const struct passed *const outer = passed_now;
    struct passed about = mpa_passed(canvas);
    packet_info *pinfo = canvas->pinfo;
    port_type saved = pinfo->ptype;
    unsigned layers = wmem_list_count(pinfo->layers);
    bool known = parameters->request_seen || parameters->reply_seen;
    volatile bool taken = false;

    /* Tells the upper layers that the transport preserves message boundaries. */
    pinfo->ptype = PT_IWARP_MPA;
    passed_now = &about;
    /* An exception in one ULPDU must not prevent the others in the frame from being dissected. */
    TRY
    {
        taken = compat_dissector_try_uint(ulpdu_table, known ? parameters->revision : 1, next, pinfo, canvas->root,
                                          TRUE, &about);
    }
    CATCH_NONFATAL_ERRORS
    {
        taken = true;
        show_exception(next, pinfo, canvas->root, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
    passed_now = outer;
    if (!taken)
        call_fallback(canvas, next);
    forget_layers(pinfo, layers);
    pinfo->ptype = saved;
}

static void draw_hole(struct mpa_canvas *canvas)
{
    const struct mpa_item *item = canvas->item;
    proto_item *hole;

    protocol(canvas, 0, 0);
    proto_item_append_text(canvas->proto, ", %u octets missing", item->length);
    hole = proto_tree_add_uint64(canvas->tree, mpa_hf.hole, canvas->tvb, 0, 0, item->length);
    proto_item_set_generated(hole);
    proto_item_append_text(hole, " (%s)", hole_text(item->hole.cause));
    if (item->hole.first && item->hole.cause != HOLE_SNAP_LENGTH)
        expert_add_info_format(
            canvas->pinfo, hole, &mpa_ei.hole_remedy,
            "%u octets of the stream did not reach the MPA dissector. If they are in the capture, the TCP "
            "preference \"Reassemble out-of-order segments\" (tcp.reassemble_out_of_order:TRUE) "
            "delivers them",
            item->length);
    else
        expert_add_info_format(canvas->pinfo, hole, &mpa_ei.hole, "%u octets of the stream are missing", item->length);
}

static void draw_skipped(struct mpa_canvas *canvas)
{
    const struct mpa_item *item = canvas->item;
    const struct mpa_piece *piece = canvas->piece;
    uint64_t from = item->offset, to = item->offset + item->length;
    bool streaming = item->state->phase != MPA_PHASE_FULL_OPERATION;
    unsigned at = 0, length = 0;
    proto_item *skipped;

    /* Only octets of this frame can be highlighted. */
    if (piece->placed && piece->side == item->place.side && from < piece->record.offset + piece->length &&
        to > piece->record.offset) {
        if (from < piece->record.offset)
            from = piece->record.offset;
        if (to > piece->record.offset + piece->length)
            to = piece->record.offset + piece->length;
        at = (unsigned)(from - piece->record.offset);
        length = (unsigned)(to - from);
    }
    protocol(canvas, at, length);
    proto_item_append_text(canvas->proto, ", %s", item->skipped.why);
    skipped = proto_tree_add_item(canvas->tree, streaming ? mpa_hf.streaming : mpa_hf.skipped, canvas->tvb, (int)at,
                                  (int)length, ENC_NA);
    proto_item_append_text(skipped, ": %u", item->length);
    if (!streaming)
        expert_add_info_format(canvas->pinfo, skipped, &mpa_ei.skipped, "%u octets are part of no FPDU: %s",
                               item->length, item->skipped.why);
    proto_item_set_generated(
        proto_tree_add_string(canvas->tree, mpa_hf.skipped_why, canvas->tvb, 0, 0, item->skipped.why));
    mpa_info(canvas, "[%u octets: %s]", item->length, item->skipped.why);
}

/* Finds the octets of the item: in the frame, or in the copy of an item of several frames. */
static void find_octets(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    const struct mpa_item *item = canvas->item;
    uint32_t cut = item->kind == MPA_ITEM_FPDU ? item->fpdu.cut : 0;

    if (!item->octets) {
        canvas->tvb = frame_tvb;
        canvas->at = (unsigned)(item->offset - canvas->piece->record.offset);
        return;
    }
    canvas->tvb = tvb_new_child_real_data(frame_tvb, item->octets, item->length - cut, (int)item->length);
    canvas->at = 0;
    add_new_data_source(canvas->pinfo, canvas->tvb,
                        item->kind == MPA_ITEM_FPDU ? "Reassembled FPDU" : "Reassembled MPA frame");
}

/* Octets [at, at + length) of the piece, which are part of no item. */
static void draw_part(struct mpa_canvas *canvas, tvbuff_t *frame_tvb, unsigned at, unsigned length)
{
    const struct mpa_piece *piece = canvas->piece;
    const char *what = NULL;
    proto_item *item;
    int field = -1;

    canvas->tvb = frame_tvb;
    protocol(canvas, at, length);
    switch (piece->state->phase) {
    case MPA_PHASE_STREAMING:
    case MPA_PHASE_REJECTED: /* 7.1.2: anything may follow */
    case MPA_PHASE_NOT_MPA:
        field = mpa_hf.streaming;
        what = "octets outside MPA";
        break;
    case MPA_PHASE_STARTUP:
        field = mpa_hf.part;
        what = "octets of a start-up frame, or held until it is complete";
        break;
    case MPA_PHASE_FULL_OPERATION:
        field = mpa_hf.part;
        what = "octets of an FPDU";
        break;
    }
    item = proto_tree_add_item(canvas->tree, field, frame_tvb, (int)at, (int)length, ENC_NA);
    proto_item_append_text(item, ": %u", length);
    proto_item_append_text(canvas->proto, ", %u %s", length, what);
    proto_item_set_generated(proto_tree_add_uint(canvas->tree, mpa_hf.part_length, frame_tvb, 0, 0, length));
    if (piece->more && piece->more->continued_in != 0) {
        proto_item_append_text(canvas->proto, ", complete in frame %u", piece->more->continued_in);
        proto_item_set_generated(
            proto_tree_add_uint(canvas->tree, mpa_hf.continued_in, frame_tvb, 0, 0, piece->more->continued_in));
    }
    mpa_info(canvas, "[%u %s]", length, what);
}

static bool is_covered(const struct mpa_canvas *canvas, uint64_t offset)
{
    for (const struct mpa_item *item = canvas->items; item; item = item->next)
        if (item->kind != MPA_ITEM_HOLE && item->place.side == canvas->piece->side && mpa_item_covers(item, offset))
            return true;
    return false;
}

/* The end of the last item before this offset. */
static uint64_t covered_to(const struct mpa_canvas *canvas, uint64_t offset)
{
    const struct mpa_piece *piece = canvas->piece;
    uint64_t to = piece->record.offset;

    for (const struct mpa_item *item = canvas->items; item; item = item->next) {
        uint64_t end = item->offset + item->length;

        if (item->kind != MPA_ITEM_HOLE && item->place.side == piece->side && end <= offset && end > to)
            to = end;
    }
    return to;
}

/*
 * If the snap length cut the segment in an item, that item says so. If there is no such item, the octets before the
 * hole are shown.
 */
static void draw_cut(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    const struct mpa_piece *piece = canvas->piece;
    uint64_t end = canvas->item->offset, at;

    if (is_covered(canvas, end))
        return;
    if (piece->placed && piece->side == canvas->item->place.side && end == piece->record.offset + piece->length) {
        at = covered_to(canvas, end);
        if (at < end)
            draw_part(canvas, frame_tvb, (unsigned)(at - piece->record.offset), (unsigned)(end - at));
    }
    canvas->tvb = frame_tvb;
    draw_hole(canvas);
}

static void draw_item(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    const struct mpa_item *item = canvas->item;
    tvbuff_t *next = NULL;
    bool brief = is_brief(canvas);

    if (brief) {
        begin_next(canvas);
        if (draw_brief(canvas, frame_tvb))
            return;
    }
    canvas->tvb = frame_tvb;
    switch (item->kind) {
    case MPA_ITEM_HOLE:
        if (item->hole.cause == HOLE_SNAP_LENGTH)
            draw_cut(canvas, frame_tvb);
        else
            draw_hole(canvas);
        break;
    case MPA_ITEM_SKIPPED:
        draw_skipped(canvas);
        break;
    case MPA_ITEM_STARTUP:
        find_octets(canvas, frame_tvb);
        protocol(canvas, canvas->at, item->length);
        mpa_draw_startup(canvas);
        break;
    case MPA_ITEM_FPDU:
        find_octets(canvas, frame_tvb);
        protocol(canvas, canvas->at, item->length - item->fpdu.cut);
        mpa_draw_fpdu(canvas, &next);
        break;
    }
    for (const struct remark *remark = canvas->piece->record.remarks; remark; remark = remark->next)
        if (remark_is_of(remark, item))
            findings_draw(&mpa_findings, canvas->pinfo, canvas->proto, canvas->tvb, remark);
    if (!next)
        return;
    if (!brief)
        begin_next(canvas);
    call_next(canvas, next);
}

static void draw_unread(struct mpa_canvas *canvas)
{
    protocol(canvas, 0, canvas->piece->length);
    proto_item_append_text(canvas->proto, ", octets that were not followed");
    expert_add_info(canvas->pinfo, canvas->proto, &mpa_ei.unread);
    mpa_info(canvas, "[not followed]");
}

/* Octets of the piece after the last item. */
static void draw_rest(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    const struct mpa_piece *piece = canvas->piece;
    unsigned at;

    canvas->tvb = frame_tvb;
    if (piece->unread) {
        draw_unread(canvas);
        return;
    }
    if (!piece->placed || piece->repeated) {
        protocol(canvas, 0, piece->length);
        proto_item_append_text(canvas->proto, ", retransmitted octets");
        proto_tree_add_item(canvas->tree, mpa_hf.repeated, frame_tvb, 0, (int)piece->length, ENC_NA);
        mpa_info(canvas, "[octets seen before]");
        return;
    }
    at = piece->more ? (unsigned)(piece->more->taken - piece->record.offset) : piece->length;
    if (at >= piece->length)
        return;
    draw_part(canvas, frame_tvb, at, piece->length - at);
}

static void swap_ends(packet_info *pinfo)
{
    address source = pinfo->src;
    uint32_t port = pinfo->srcport;

    pinfo->src = pinfo->dst;
    pinfo->dst = source;
    pinfo->srcport = pinfo->destport;
    pinfo->destport = port;
}

/* Drawn as if in their own frames, so that upper layers record them there. */
static void draw_late(struct mpa_canvas *canvas, tvbuff_t *frame_tvb)
{
    packet_info *pinfo = canvas->pinfo;
    uint32_t frame = pinfo->num;
    nstime_t time = pinfo->abs_ts;
    bool against;

    for (canvas->item = canvas->piece->more->late; canvas->item; canvas->item = canvas->item->next) {
        pinfo->num = canvas->item->place.frame;
        pinfo->abs_ts.secs = (time_t)(canvas->item->place.time_ns / 1000000000);
        pinfo->abs_ts.nsecs = (int)(canvas->item->place.time_ns % 1000000000);
        against = canvas->item->place.side != canvas->piece->side;
        if (against)
            swap_ends(pinfo);
        draw_item(canvas, frame_tvb);
        if (against)
            swap_ends(pinfo);
    }
    pinfo->num = frame;
    pinfo->abs_ts = time;
}

void mpa_draw_piece(const struct mpa_flow *flow, const struct mpa_piece *piece, tvbuff_t *tvb, packet_info *pinfo,
                    proto_tree *tree)
{
    struct mpa_canvas canvas = {.flow = flow, .piece = piece, .pinfo = pinfo, .root = tree};

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "MPA");
    col_clear(pinfo->cinfo, COL_INFO);
    canvas.items = mpa_flow_items(piece, tvb, pinfo);
    if (!PINFO_FD_VISITED(pinfo) && piece->more)
        draw_late(&canvas, tvb);
    for (canvas.item = canvas.items; canvas.item; canvas.item = canvas.item->next)
        draw_item(&canvas, tvb);
    draw_rest(&canvas, tvb);
    for (const struct remark *remark = piece->record.remarks; remark; remark = remark->next) {
        if (remark_is_of_any(remark, &canvas))
            continue;
        if (!canvas.proto) {
            canvas.tvb = tvb;
            protocol(&canvas, 0, piece->length);
        }
        findings_draw(&mpa_findings, pinfo, canvas.proto, tvb, remark);
    }
}

/* tvb: the segment from its TCP header on. */
static void draw_conflict(struct mpa_canvas *canvas, const struct mpa_conflict *conflict)
{
    tvbuff_t *tvb = canvas->tvb;
    proto_item *item;
    proto_tree *tree;

    if (!canvas->proto)
        protocol(canvas, 0, 0);
    item = proto_tree_add_item(canvas->tree, mpa_hf.differs, tvb, 0, 0, ENC_NA);
    proto_item_set_generated(item);
    proto_item_append_text(item, ": octet 0x%02x, 0x%02x in frame %u", conflict->again, conflict->first,
                           conflict->first_frame);
    tree = proto_item_add_subtree(item, mpa_ett.differs);
    proto_item_set_generated(proto_tree_add_uint64(tree, mpa_hf.differs_offset, tvb, 0, 0, conflict->offset));
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.differs_first, tvb, 0, 0, conflict->first));
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.differs_again, tvb, 0, 0, conflict->again));
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.differs_first_frame, tvb, 0, 0, conflict->first_frame));
}

void mpa_draw_bare(const struct mpa_flow *flow, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct mpa_canvas canvas = {.flow = flow, .pinfo = pinfo, .root = tree, .tvb = tvb};
    const struct mpa_conflict *conflict = tree ? mpa_flow_conflict(pinfo->num) : NULL;

    if (conflict)
        draw_conflict(&canvas, conflict);
    for (const struct remark *remark = judge_bare(&flow->judge, pinfo->num); remark; remark = remark->next) {
        if (!canvas.proto)
            protocol(&canvas, 0, 0);
        findings_draw(&mpa_findings, pinfo, canvas.proto, tvb, remark);
    }
    rdmap_draw_bare(&flow->connection, tvb, pinfo, tree);
    rpcrdma_draw_bare(&flow->connection, tvb, pinfo, tree);
}

void mpa_draw_handoff(void)
{
    fallback = find_dissector("iwarp_ddp_rdmap");
    mpa_builtin_handoff();
}

void mpa_draw_register(void)
{
    ulpdu_table = register_dissector_table(MPA_ULPDU_TABLE, "MPA revision", mpa_proto, FT_UINT8, BASE_DEC);
}

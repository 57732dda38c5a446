// SPDX-License-Identifier: GPL-2.0-or-later
/* The trees of one DDP Segment: RFC 5041 section 4, RFC 5040 section 4.1. */
#include "plugins/common/label.h"
#include "plugins/common/say.h"
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include <string.h>

void rdmap_link(proto_tree *tree, int field, tvbuff_t *tvb, uint32_t frame)
{
    if (frame != 0)
        proto_item_set_generated(proto_tree_add_uint(tree, field, tvb, 0, 0, frame));
}

void rdmap_duration(proto_tree *tree, int field, tvbuff_t *tvb, int64_t ns)
{
    nstime_t time = {.secs = ns / 1000000000, .nsecs = (int)(ns % 1000000000)};

    proto_item_set_generated(proto_tree_add_time(tree, field, tvb, 0, 0, &time));
}

/* ---- findings ---- */

static bool is_of_ddp(const struct remark *remark)
{
    return strcmp(rule_catalogue[remark->rule].layer, "ddp") == 0;
}

static void draw_remarks(struct rdmap_canvas *canvas)
{
    if (!canvas->seg)
        return;
    for (const struct remark *remark = canvas->seg->record.remarks; remark; remark = remark->next) {
        bool ddp = is_of_ddp(remark) || !canvas->rdmap_item;

        findings_draw(ddp ? &rddp_findings : &rdmap_findings, canvas->pinfo,
                      ddp ? canvas->ddp_item : canvas->rdmap_item, canvas->tvb, remark);
    }
}

/* ---- position in the message ---- */

/* The text of the item says everything; the fields exist only for filters. */
static void hide_children(proto_tree *tree)
{
    for (proto_node *node = tree ? tree->first_child : NULL; node; node = node->next)
        proto_item_set_hidden(node);
}

/* The message of a segment that is in one. */
static struct rdmap_msg message_of_segment(const struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;

    if (!seg->alone)
        return *seg->msg;
    return (struct rdmap_msg){.number = seg->message,
                              .segments = 1,
                              .first_frame = seg->record.frame,
                              .last_frame = seg->record.frame,
                              .ended = true,
                              .to = canvas->ddp->to};
}

static void label_message(const struct rdmap_canvas *canvas, const struct rdmap_msg *msg, proto_item *item, bool whole)
{
    const struct rdmap_seg *seg = canvas->seg;
    struct label label;

    if (!label_begin(&label, item))
        return;
    if (!seg->first_known)
        label_text(&label, ", its beginning was not captured");
    label_text(&label, whole ? " octets in one segment" : " octets so far");
    label_number(&label, seg->message_octets);
    if (!whole) {
        label_text(&label, ", ");
        if (msg->ended) {
            label_number(&label, msg->segments);
            label_text(&label, " of ");
        }
        label_number(&label, seg->index + UINT64_C(1));
        label_text(&label, "segment ");
    }
    label_text(&label, ": ");
    label_number(&label, msg->number + 1);
    label_text(&label, " ");
    label_end(&label, item, rddp_hf.message);
}

static void rdmap_draw_message(struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;
    struct rdmap_msg msg;
    proto_item *item;
    proto_tree *tree;
    bool whole;

    if (!seg || !seg->in_message)
        return;
    msg = message_of_segment(canvas);
    whole = seg->index == 0 && canvas->ddp->last && seg->first_known;
    item = proto_tree_add_item(canvas->ddp_tree, rddp_hf.message, canvas->tvb, 0, 0, ENC_NA);
    proto_item_set_generated(item);
    label_message(canvas, &msg, item, whole);
    tree = proto_item_add_subtree(item, rdmap_ett.message);
    proto_item_set_generated(proto_tree_add_uint64(tree, rddp_hf.message_number, canvas->tvb, 0, 0, msg.number + 1));
    proto_item_set_generated(proto_tree_add_uint(tree, rddp_hf.message_segment, canvas->tvb, 0, 0, seg->index + 1));
    if (msg.ended)
        proto_item_set_generated(proto_tree_add_uint(tree, rddp_hf.message_segments, canvas->tvb, 0, 0, msg.segments));
    proto_item_set_generated(
        proto_tree_add_uint64(tree, rddp_hf.message_octets, canvas->tvb, 0, 0, seg->message_octets));
    if (canvas->ddp->tagged)
        proto_item_set_generated(proto_tree_add_uint64(tree, rddp_hf.message_from, canvas->tvb, 0, 0, msg.to));
    if (!seg->first_known)
        proto_item_set_generated(proto_tree_add_boolean(tree, rddp_hf.message_partial, canvas->tvb, 0, 0, 1));
    rdmap_link(tree, rddp_hf.message_first_frame, canvas->tvb, msg.first_frame);
    if (msg.ended)
        rdmap_link(tree, rddp_hf.message_last_frame, canvas->tvb, msg.last_frame);
    if (whole)
        hide_children(tree);
}

static void rdmap_draw_gap(struct rdmap_canvas *canvas)
{
    const struct rdmap_gap *gap = canvas->seg ? canvas->seg->more->gap : NULL;
    wmem_strbuf_t *text;

    if (!gap)
        return;
    text = wmem_strbuf_new(canvas->pinfo->pool, "");
    if (gap->msns == 1)
        wmem_strbuf_append_printf(text, "MSN %u", gap->msn);
    else if (gap->msns > 1)
        wmem_strbuf_append_printf(text, "MSN %u to %u", gap->msn, gap->msn + gap->msns - 1);
    if (gap->to > gap->from)
        wmem_strbuf_append_printf(text, "%soctets %u-%u of MSN %u", gap->msns > 0 ? ", " : "", gap->from, gap->to - 1,
                                  canvas->ddp->msn);
    if (wmem_strbuf_get_len(text) == 0)
        return;
    proto_item_set_generated(
        proto_tree_add_string(canvas->ddp_tree, rddp_hf.gap, canvas->tvb, 0, 0, wmem_strbuf_get_str(text)));
    expert_add_info_format(canvas->pinfo, canvas->ddp_item, &rdmap_ei.gap, "Before this segment, %s had not come",
                           wmem_strbuf_get_str(text));
}

/* ---- DDP ---- */

static void draw_stag(struct rdmap_canvas *canvas)
{
    const struct rdmap_stag_life *life = canvas->seg ? canvas->seg->stag : NULL;
    proto_item *item = proto_tree_add_item(canvas->ddp_tree, rddp_hf.stag, canvas->tvb, 2, 4, ENC_BIG_ENDIAN);

    if (!life)
        return;
    rdmap_draw_stag_life(canvas, proto_item_add_subtree(item, rdmap_ett.stag), life);
}

void rdmap_draw_stag_life(struct rdmap_canvas *canvas, proto_tree *tree, const struct rdmap_stag_life *life)
{
    rdmap_link(tree, rddp_hf.stag_first_seen, canvas->tvb, life->first_frame);
    rdmap_link(tree, rddp_hf.stag_invalidated_in, canvas->tvb, life->invalidated_in);
    rdmap_link(tree, rddp_hf.stag_reused_after, canvas->tvb, life->former_end);
}

static void label_ddp(const struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    struct label label;

    if (!label_begin(&label, canvas->ddp_item))
        return;
    label_text(&label, ddp->last ? " octets, last" : " octets");
    label_number(&label, ddp->payload_len + ddp->lacking);
    label_text(&label, ", ");
    if (ddp->tagged) {
        label_hex(&label, ddp->to, 1);
        label_text(&label, ", TO ");
        label_hex(&label, ddp->stag, 8);
        label_text(&label, ", Tagged, STag ");
    } else {
        label_number(&label, ddp->mo);
        label_text(&label, ", MO ");
        label_number(&label, ddp->msn);
        label_text(&label, ", MSN ");
        label_number(&label, ddp->qn);
        label_text(&label, ", Untagged, QN ");
    }
    label_end(&label, canvas->ddp_item, rddp_proto);
}

static void label_ddp_control(const struct rdmap_canvas *canvas, proto_item *item)
{
    const struct ddp_segment *ddp = canvas->ddp;
    struct label label;

    if (!label_begin(&label, item))
        return;
    label_text(&label, ")");
    label_number(&label, ddp->dv);
    label_text(&label, ddp->last ? "last, version " : "version ");
    label_text(&label, ddp->tagged ? " (Tagged, " : " (Untagged, ");
    label_hex(&label, *tvb_get_ptr(canvas->tvb, 0, 1), 2);
    label_text(&label, ": ");
    label_end(&label, item, rddp_hf.control);
}

static void rdmap_draw_ddp(struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    tvbuff_t *tvb = canvas->tvb;
    proto_tree *tree;
    proto_item *item;

    canvas->ddp_item = proto_tree_add_item(canvas->root, rddp_proto, tvb, 0, ddp->header_len, ENC_NA);
    canvas->ddp_tree = proto_item_add_subtree(canvas->ddp_item, rdmap_ett.rddp);
    if (!canvas->fields)
        return;
    label_ddp(canvas);
    item = proto_tree_add_item(canvas->ddp_tree, rddp_hf.control, tvb, 0, 1, ENC_NA);
    label_ddp_control(canvas, item);
    tree = proto_item_add_subtree(item, rdmap_ett.control);
    proto_tree_add_item(tree, rddp_hf.tagged, tvb, 0, 1, ENC_NA);
    proto_tree_add_item(tree, rddp_hf.last, tvb, 0, 1, ENC_NA);
    proto_tree_add_item(tree, rddp_hf.rsvd, tvb, 0, 1, ENC_NA);
    proto_tree_add_item(tree, rddp_hf.version, tvb, 0, 1, ENC_NA);
    if (ddp->tagged) {
        draw_stag(canvas);
        proto_tree_add_item(canvas->ddp_tree, rddp_hf.to, tvb, 6, 8, ENC_BIG_ENDIAN);
    } else {
        proto_tree_add_item(canvas->ddp_tree, rddp_hf.qn, tvb, 6, 4, ENC_BIG_ENDIAN);
        proto_tree_add_item(canvas->ddp_tree, rddp_hf.msn, tvb, 10, 4, ENC_BIG_ENDIAN);
        proto_tree_add_item(canvas->ddp_tree, rddp_hf.mo, tvb, 14, 4, ENC_BIG_ENDIAN);
    }
    item = proto_tree_add_uint(canvas->ddp_tree, rddp_hf.payload_length, tvb, 0, 0,
                               (uint32_t)(ddp->payload_len + ddp->lacking));
    proto_item_set_generated(item);
    rdmap_draw_message(canvas);
}

/* ---- RDMAP ---- */

static void label_rdmap(const struct rdmap_canvas *canvas)
{
    struct label label;

    if (!label_begin(&label, canvas->rdmap_item))
        return;
    label_text(&label, canvas->info ? canvas->info->name : "unassigned opcode");
    label_text(&label, ", ");
    label_end(&label, canvas->rdmap_item, rdmap_proto);
}

static void label_rdmap_control(const struct rdmap_canvas *canvas, proto_item *item)
{
    struct label label;

    if (!label_begin(&label, item))
        return;
    label_text(&label, ")");
    label_number(&label, canvas->ddp->rv);
    label_text(&label, ", version ");
    label_text(&label, canvas->info ? canvas->info->name : "unassigned");
    label_text(&label, " (");
    label_hex(&label, *tvb_get_ptr(canvas->tvb, 1, 1), 2);
    label_text(&label, ": ");
    label_end(&label, item, rdmap_hf.control);
}

static void draw_rdmap(struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    const struct rdmap_opcode_info *info = canvas->info;
    tvbuff_t *tvb = canvas->tvb;
    unsigned header = !info || ddp->tagged ? 0 : info->header_max;
    proto_tree *tree;
    proto_item *item;

    header = header < ddp->payload_len ? header : (unsigned)ddp->payload_len;
    canvas->rdmap_item = proto_tree_add_item(canvas->root, rdmap_proto, tvb, header > 0 ? ddp->header_len : 1,
                                             header > 0 ? (int)header : 1, ENC_NA);
    canvas->rdmap_tree = proto_item_add_subtree(canvas->rdmap_item, rdmap_ett.rdmap);
    if (!canvas->fields)
        return;
    label_rdmap(canvas);
    item = proto_tree_add_item(canvas->rdmap_tree, rdmap_hf.control, tvb, 1, 1, ENC_NA);
    label_rdmap_control(canvas, item);
    tree = proto_item_add_subtree(item, rdmap_ett.rdmap_control);
    proto_tree_add_item(tree, rdmap_hf.version, tvb, 1, 1, ENC_NA);
    proto_tree_add_item(tree, rdmap_hf.rsv, tvb, 1, 1, ENC_NA);
    proto_tree_add_item(tree, rdmap_hf.opcode, tvb, 1, 1, ENC_NA);
    if (!ddp->tagged) {
        int word = rdmap_names_stag(info) ? rdmap_hf.invalidate_stag : rdmap_hf.reserved;

        item = proto_tree_add_item(canvas->rdmap_tree, word, tvb, 2, 4, ENC_BIG_ENDIAN);
        if (info && info->invalidates && canvas->seg && canvas->seg->stag)
            rdmap_draw_stag_life(canvas, proto_item_add_subtree(item, rdmap_ett.stag), canvas->seg->stag);
    }
}

/* ---- Info column ---- */

static char *place_in_message(char *at, const struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;

    if (!seg || !seg->in_message || (seg->index == 0 && canvas->ddp->last && seg->first_known))
        return at;
    if (!seg->first_known)
        return text_before(at, " [beginning not captured]");
    at = text_before(at, "]");
    if (!message_of_segment(canvas).ended)
        return text_before(uint_to_str_back(at, seg->index + 1), " [segment ");
    at = text_before(uint_to_str_back(at, message_of_segment(canvas).segments), " of ");
    return text_before(uint_to_str_back(at, seg->index + 1), " [");
}

/* more: text that follows the text of the segment. */
static void draw_say_segment(struct rdmap_canvas *canvas, const char *more)
{
    const struct ddp_segment *ddp = canvas->ddp;
    const struct rdmap_opcode_info *info = canvas->info;
    char text[384], *end = text + sizeof text - 1, *at = end;

    if (!col_get_writable(canvas->pinfo->cinfo, COL_INFO))
        return;
    *at = '\0';
    at = text_before(at, more);
    at = place_in_message(at, canvas);
    if (!ddp->tagged && info && info->invalidates)
        at = text_before(hex_to_str_back_len(at, ddp->stag, 8), ", invalidates STag ");
    if (ddp->tagged || !info || info->ulp_data)
        at = text_before(uint64_to_str_back(text_before(at, " octets"), ddp->payload_len + ddp->lacking), ", ");
    if (ddp->tagged)
        at = text_before(hex_to_str_back_len(text_before(hex64_to_str_back_len(at, ddp->to, 1), ", TO "), ddp->stag, 8),
                         ", STag ");
    else if (!info || info->ulp_data)
        at = text_before(uint_to_str_back(at, ddp->msn), ", MSN ");
    at = info ? text_before(at, info->name)
              : text_before(uint_to_str_back(text_before(at, " (unassigned)"), ddp->opcode), "Opcode ");
    say(canvas->pinfo->cinfo, at, (size_t)(end - at));
}

static void draw_without_header(struct rdmap_canvas *canvas)
{
    int length = (int)tvb_captured_length(canvas->tvb);
    proto_item *item;

    canvas->ddp_item = proto_tree_add_item(canvas->root, rddp_proto, canvas->tvb, 0, length, ENC_NA);
    canvas->ddp_tree = proto_item_add_subtree(canvas->ddp_item, rdmap_ett.rddp);
    item = proto_tree_add_item(canvas->ddp_tree, rddp_hf.truncated, canvas->tvb, 0, length, ENC_NA);
    expert_add_info(canvas->pinfo, item, &rdmap_ei.truncated);
    rdmap_say(canvas, "[%d octets without DDP header]", length);
}

bool rdmap_draw_brief(struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;
    const char *more;

    /*
     * Only for segments without faults. Of the operation only the opcode is shown: it must be one for Tagged segments.
     */
    if (!seg || !seg->told || seg->record.remarks || seg->more->gap || !canvas->info || !canvas->info->tagged)
        return false;
    more = rdmap_payload_brief(canvas);
    if (!more)
        return false;
    col_set_str(canvas->pinfo->cinfo, COL_PROTOCOL, "RDMAP");
    draw_say_segment(canvas, more);
    rdmap_tap(canvas);
    return true;
}

void rdmap_draw(struct rdmap_canvas *canvas)
{
    col_set_str(canvas->pinfo->cinfo, COL_PROTOCOL, "RDMAP");
    rdmap_builtin_segment(canvas);
    if (!canvas->ddp) {
        draw_without_header(canvas);
        draw_remarks(canvas);
        return;
    }
    if (canvas->root) {
        rdmap_draw_ddp(canvas);
        draw_rdmap(canvas);
    }
    rdmap_draw_gap(canvas);
    draw_say_segment(canvas, "");
    rdmap_draw_operation(canvas);
    draw_remarks(canvas);
    rdmap_tap(canvas);
    rdmap_payload(canvas);
}

static proto_item *empty_item(proto_tree *tree, tvbuff_t *tvb, int protocol, int ett)
{
    return proto_tree_get_parent(proto_item_add_subtree(proto_tree_add_item(tree, protocol, tvb, 0, 0, ENC_NA), ett));
}

void rdmap_draw_bare(const struct connection *connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct rdmap_flow *flow = connection->rdmap;
    proto_item *items[2] = {NULL, NULL};

    if (!flow)
        return;
    for (const struct remark *remark = judge_bare(&flow->judge, pinfo->num); remark; remark = remark->next) {
        bool ddp = is_of_ddp(remark);

        if (!items[ddp])
            items[ddp] = empty_item(tree, tvb, ddp ? rddp_proto : rdmap_proto, ddp ? rdmap_ett.rddp : rdmap_ett.rdmap);
        findings_draw(ddp ? &rddp_findings : &rdmap_findings, pinfo, items[ddp], tvb, remark);
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of an MPA Request or Reply Frame: RFC 5044 section 7.1.1, RFC 6581 section 6. */
#include "plugins/mpa/mpa_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <string.h>

static void startup_draw_flags(struct mpa_canvas *canvas, proto_tree *tree, unsigned at)
{
    static int *const flags[] = {
        &mpa_hf.flags_m, &mpa_hf.flags_c, &mpa_hf.flags_r, &mpa_hf.flags_s, &mpa_hf.flags_res, NULL,
    };

    proto_tree_add_bitmask(tree, canvas->tvb, (int)at, mpa_hf.flags, mpa_ett.flags, flags, ENC_BIG_ENDIAN);
}

static void draw_ird_ord(struct mpa_canvas *canvas, proto_tree *tree, int field, unsigned at, uint16_t value)
{
    proto_item *item = proto_tree_add_item(tree, field, canvas->tvb, (int)at, 2, ENC_BIG_ENDIAN);

    if (value == MPA_IRD_ORD_NOT_NEGOTIATED)
        proto_item_append_text(item, " (left to the upper layer)");
}

static void draw_enhanced(struct mpa_canvas *canvas, proto_tree *tree, unsigned at, const struct mpa_enhanced *data)
{
    proto_item *item;
    proto_tree *below;

    item = proto_tree_add_item(tree, mpa_hf.enhanced, canvas->tvb, (int)at, MPA_ENHANCED_LEN, ENC_NA);
    below = proto_item_add_subtree(item, mpa_ett.enhanced);
    proto_tree_add_item(below, mpa_hf.enhanced_a, canvas->tvb, (int)at, 2, ENC_BIG_ENDIAN);
    proto_tree_add_item(below, mpa_hf.enhanced_b, canvas->tvb, (int)at, 2, ENC_BIG_ENDIAN);
    draw_ird_ord(canvas, below, mpa_hf.ird, at, data->ird);
    proto_tree_add_item(below, mpa_hf.enhanced_c, canvas->tvb, (int)at + 2, 2, ENC_BIG_ENDIAN);
    proto_tree_add_item(below, mpa_hf.enhanced_d, canvas->tvb, (int)at + 2, 2, ENC_BIG_ENDIAN);
    draw_ird_ord(canvas, below, mpa_hf.ord, at + 2, data->ord);
    proto_item_append_text(item, ": IRD %u, ORD %u%s%s%s%s", data->ird, data->ord,
                           data->peer_to_peer ? ", peer-to-peer, RTR" : "",
                           data->peer_to_peer && data->rtr & MPA_RTR_SEND ? " Send" : "",
                           data->peer_to_peer && data->rtr & MPA_RTR_WRITE ? " Write" : "",
                           data->peer_to_peer && data->rtr & MPA_RTR_READ ? " Read" : "");
}

/* Request and Reply link to each other; the time of the Reply is known in one pass. */
static void startup_draw_links(struct mpa_canvas *canvas, proto_tree *tree, enum mpa_startup_kind kind)
{
    const struct mpa_startup_seen *request = &canvas->flow->startup[MPA_REQUEST];
    const struct mpa_startup_seen *reply = &canvas->flow->startup[MPA_REPLY];
    proto_item *item;

    if (kind == MPA_REQUEST && reply->frame != 0) {
        item = proto_tree_add_uint(tree, mpa_hf.reply_in, canvas->tvb, 0, 0, reply->frame);
        proto_item_set_generated(item);
    }
    if (kind == MPA_REPLY && request->frame != 0) {
        int64_t ns = canvas->item->place.time_ns - request->time_ns;
        nstime_t time = {.secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000)};

        item = proto_tree_add_uint(tree, mpa_hf.request_in, canvas->tvb, 0, 0, request->frame);
        proto_item_set_generated(item);
        item = proto_tree_add_time(tree, mpa_hf.time, canvas->tvb, 0, 0, &time);
        proto_item_set_generated(item);
    }
}

/* Offers the private data to the upper layer. */
static void call_upper(struct mpa_canvas *canvas, unsigned at, const struct mpa_startup *frame)
{
    struct passed about = mpa_passed(canvas);
    tvbuff_t *tvb = tvb_new_subset_length(canvas->tvb, (int)at, frame->ulp_length);

    about.direction = frame->kind == MPA_REQUEST ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    rpcrdma_call_startup(tvb, canvas->pinfo, canvas->root, &about);
}

/* "MPA Reply, Rev 2, rejected, CRC, Markers, IRD 1, ORD 32, 36 octets of private data" */
static const char *summary(wmem_allocator_t *pool, const struct mpa_startup *frame)
{
    wmem_strbuf_t *text = wmem_strbuf_new(pool, frame->kind == MPA_REQUEST ? "MPA Request" : "MPA Reply");

    wmem_strbuf_append_printf(text, ", Rev %u", frame->revision);
    if (frame->flags & MPA_FLAG_R && frame->kind == MPA_REPLY)
        wmem_strbuf_append(text, ", rejected");
    if (frame->flags & MPA_FLAG_C)
        wmem_strbuf_append(text, ", CRC");
    if (frame->flags & MPA_FLAG_M)
        wmem_strbuf_append(text, ", Markers");
    if (frame->has_enhanced) {
        if (frame->enhanced.peer_to_peer)
            wmem_strbuf_append(text, ", peer-to-peer");
        wmem_strbuf_append_printf(text, ", IRD %u, ORD %u", frame->enhanced.ird, frame->enhanced.ord);
    }
    if (frame->ulp_length > 0)
        wmem_strbuf_append_printf(text, ", %u octets of private data", frame->ulp_length);
    return wmem_strbuf_get_str(text);
}

/* The engine ends a frame early if its PD_Length is too large, and the snap length may cut it after the header. */
static void decode_cut(struct mpa_startup *frame, const uint8_t *octets, unsigned length)
{
    uint8_t padded[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX] = {0};
    size_t need;

    if (mpa_startup_decode(frame, &need, octets, length) != MPA_STARTUP_MORE || need > sizeof padded) {
        *frame = (struct mpa_startup){
            .kind = frame->kind, .flags = octets[MPA_KEY_LEN], .revision = octets[MPA_KEY_LEN + 1]};
        return;
    }
    memcpy(padded, octets, length);
    mpa_startup_decode(frame, &need, padded, need);
    frame->ulp_data = NULL;
    if (length < MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN)
        frame->has_enhanced = false;
}

void mpa_draw_startup(struct mpa_canvas *canvas)
{
    struct mpa_startup frame = {.kind = canvas->item->startup.kind};
    size_t need;
    unsigned at = canvas->at, length = canvas->item->length, end = at + length;
    const uint8_t *octets = tvb_get_ptr(canvas->tvb, (int)at, (int)length);
    bool whole = mpa_startup_decode(&frame, &need, octets, length) == MPA_STARTUP_OK;
    proto_item *item;
    proto_tree *tree;
    const char *text;

    if (!whole) {
        if (length < MPA_STARTUP_HEADER_LEN)
            return;
        decode_cut(&frame, octets, length);
    }
    mpa_builtin_startup(canvas, frame.kind);
    text = summary(canvas->pinfo->pool, &frame);
    proto_item_append_text(canvas->proto, ", %s", text + 4);
    mpa_info(canvas, "%s", text);
    item = proto_tree_add_item(canvas->tree, frame.kind == MPA_REQUEST ? mpa_hf.request : mpa_hf.reply, canvas->tvb,
                               (int)at, (int)length, ENC_NA);
    tree = proto_item_add_subtree(item, mpa_ett.fpdu);
    proto_tree_add_item(tree, mpa_hf.key, canvas->tvb, (int)at, MPA_KEY_LEN, ENC_ASCII);
    startup_draw_flags(canvas, tree, at + 16);
    proto_tree_add_item(tree, mpa_hf.rev, canvas->tvb, (int)at + 17, 1, ENC_NA);
    proto_tree_add_item(tree, mpa_hf.pd_length, canvas->tvb, (int)at + 18, 2, ENC_BIG_ENDIAN);
    at += MPA_STARTUP_HEADER_LEN;
    if (frame.has_enhanced) {
        draw_enhanced(canvas, tree, at, &frame.enhanced);
        at += MPA_ENHANCED_LEN;
    }
    if (!whole && at < end)
        proto_tree_add_item(tree, mpa_hf.private_data, canvas->tvb, (int)at, (int)(end - at), ENC_NA);
    if (canvas->item->startup.cut > 0)
        proto_item_append_text(item, ", the last %u octets not captured", canvas->item->startup.cut);
    if (whole && frame.ulp_length > 0) {
        proto_tree_add_item(tree, mpa_hf.private_data, canvas->tvb, (int)at, frame.ulp_length, ENC_NA);
        rpcrdma_draw_private_data(tree, canvas->tvb, (int)at, frame.ulp_length);
    }
    startup_draw_links(canvas, tree, frame.kind);
    if (whole)
        call_upper(canvas, at, &frame);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of an FPDU: RFC 5044 section 4. */
#include "plugins/common/label.h"
#include "plugins/mpa/mpa_plugin.h"

#include <string.h>

/* "Initiator", "Responder" or "unknown": the sender in this direction. */
static const char *mpa_sender_name(enum direction direction)
{
    switch (direction) {
    case DIR_TO_RESPONDER:
        return "Initiator";
    case DIR_TO_INITIATOR:
        return "Responder";
    case DIR_UNKNOWN:
        break;
    }
    return "unknown";
}

static void add_switch(struct mpa_canvas *canvas, proto_tree *tree, int field, enum tristate value)
{
    if (value != UNKNOWN)
        proto_item_set_generated(proto_tree_add_boolean(tree, field, canvas->tvb, 0, 0, value == ON));
}

static void label_state(proto_item *item, const struct mpa_parameters *parameters, enum tristate markers)
{
    struct label label;

    if (!label_begin(&label, item))
        return;
    if (parameters->midstream)
        label_text(&label, " (inferred: the start was not captured)");
    label_text(&label, markers == ON ? ", Markers" : ", no Markers");
    label_text(&label, parameters->crc == ON ? ": CRC" : ": no CRC");
    label_end(&label, item, mpa_hf.state);
}

static void draw_state(struct mpa_canvas *canvas)
{
    const struct mpa_parameters *parameters = &canvas->item->state->parameters;
    enum direction direction = canvas->item->direction;
    enum tristate markers = parameters->markers[canvas->item->place.side];
    proto_item *item = proto_tree_add_item(canvas->tree, mpa_hf.state, canvas->tvb, 0, 0, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, mpa_ett.state);

    proto_item_set_generated(item);
    label_state(item, parameters, markers);
    if (parameters->request_seen || parameters->reply_seen)
        proto_item_set_generated(
            proto_tree_add_uint(tree, mpa_hf.state_revision, canvas->tvb, 0, 0, parameters->revision));
    add_switch(canvas, tree, mpa_hf.state_crc, parameters->crc);
    add_switch(canvas, tree, mpa_hf.state_markers, markers);
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.state_direction, canvas->tvb, 0, 0, direction));
    proto_item_set_generated(
        proto_tree_add_string(tree, mpa_hf.state_sender, canvas->tvb, 0, 0, mpa_sender_name(direction)));
    if (parameters->midstream)
        proto_item_set_generated(proto_tree_add_boolean(tree, mpa_hf.state_midstream, canvas->tvb, 0, 0, 1));
}

static void draw_marker(struct mpa_canvas *canvas, proto_tree *parent, const struct mpa_marker *marker)
{
    const struct mpa_item *fpdu = canvas->item;
    int at = (int)(canvas->at + (unsigned)(marker->offset - fpdu->offset));
    int header = (int)(canvas->at + fpdu->fpdu.header_at);
    proto_item *item = proto_tree_add_item(parent, mpa_hf.marker, canvas->tvb, at, MPA_MARKER_LEN, ENC_NA), *sub;
    proto_tree *tree = proto_item_add_subtree(item, mpa_ett.marker);

    proto_item_append_text(item, ": FPDUPTR %u", marker->fpduptr);
    proto_tree_add_item(tree, mpa_hf.marker_reserved, canvas->tvb, at, 2, ENC_BIG_ENDIAN);
    sub = proto_tree_add_item(tree, mpa_hf.marker_fpduptr, canvas->tvb, at + 2, 2, ENC_BIG_ENDIAN);
    if (marker->fpduptr != marker->expected) {
        proto_item_append_text(item, ", wrong: expected %u", marker->expected);
        proto_item_append_text(sub, ", wrong");
        sub = proto_tree_add_uint(tree, mpa_hf.marker_expected, canvas->tvb, at + 2, 2, marker->expected);
        proto_item_set_generated(sub);
    }
    /* Selecting the field highlights the header of the FPDU. */
    sub = proto_tree_add_uint64(tree, mpa_hf.marker_fpdu, canvas->tvb, header, MPA_LENGTH_LEN,
                                fpdu->offset + fpdu->fpdu.header_at);
    proto_item_set_generated(sub);
}

/* Draws the Markers before octet `to` of the FPDU, from *index on: the fields are in wire order. */
static void draw_markers(struct mpa_canvas *canvas, proto_tree *tree, unsigned *index, size_t to)
{
    const struct mpa_item *fpdu = canvas->item;

    for (; *index < fpdu->fpdu.n_markers && fpdu->fpdu.markers[*index].offset - fpdu->offset < to; (*index)++)
        draw_marker(canvas, tree, &fpdu->fpdu.markers[*index]);
}

static enum mpa_crc_display shown_crc(const struct mpa_item *item, const char **reason)
{
    *reason = "not captured";
    if (item->fpdu.cut > 0)
        return MPA_CRC_DISPLAY_UNVERIFIED;
    *reason = NULL;
    switch (item->fpdu.crc) {
    case MPA_CRC_VERIFIED:
    case MPA_CRC_WRONG:
        if (mpa_prefs.verify_crc)
            return item->fpdu.crc == MPA_CRC_VERIFIED ? MPA_CRC_DISPLAY_GOOD : MPA_CRC_DISPLAY_BAD;
        *reason = "disabled by preference";
        break;
    case MPA_CRC_NOT_USED:
        *reason = "not negotiated";
        break;
    case MPA_CRC_UNKNOWN:
        *reason = "whether this connection uses CRCs is not known";
        break;
    }
    return MPA_CRC_DISPLAY_UNVERIFIED;
}

static void label_good_crc(const struct mpa_canvas *canvas, proto_item *item, int at)
{
    struct label label;

    if (!label_begin(&label, item))
        return;
    label_text(&label, " [good]");
    label_hex(&label, tvb_get_letohl(canvas->tvb, at), 8);
    label_text(&label, ": ");
    label_end(&label, item, mpa_hf.crc);
}

static void draw_crc(struct mpa_canvas *canvas, proto_tree *parent)
{
    const char *reason;
    enum mpa_crc_display status = shown_crc(canvas->item, &reason);
    int at = (int)(canvas->at + canvas->item->length - MPA_CRC_LEN);
    uint32_t computed = canvas->item->fpdu.crc_computed;
    proto_item *field, *item;
    proto_tree *tree;

    if (canvas->item->fpdu.cut > 0) {
        proto_item_set_generated(proto_tree_add_uint(parent, mpa_hf.crc_status, canvas->tvb, 0, 0, status));
        proto_item_set_generated(proto_tree_add_string(parent, mpa_hf.crc_reason, canvas->tvb, 0, 0, reason));
        return;
    }
    field = proto_tree_add_item(parent, mpa_hf.crc, canvas->tvb, at, MPA_CRC_LEN, ENC_LITTLE_ENDIAN);
    tree = proto_item_add_subtree(field, mpa_ett.crc);
    item = proto_tree_add_uint(tree, mpa_hf.crc_status, canvas->tvb, at, MPA_CRC_LEN, status);
    proto_item_set_generated(item);
    switch (status) {
    case MPA_CRC_DISPLAY_GOOD:
        label_good_crc(canvas, field, at);
        break;
    case MPA_CRC_DISPLAY_BAD:
        proto_item_append_text(field, " [bad, expected 0x%08x]", computed);
        proto_item_append_text(canvas->proto, ", bad CRC");
        mpa_info(canvas, "[bad CRC]");
        item = proto_tree_add_uint(tree, mpa_hf.crc_computed, canvas->tvb, at, MPA_CRC_LEN, computed);
        proto_item_set_generated(item);
        expert_add_info_format(canvas->pinfo, field, &mpa_ei.crc_bad, "Bad CRC: expected 0x%08x; found 0x%08x",
                               computed, tvb_get_letohl(canvas->tvb, at));
        break;
    case MPA_CRC_DISPLAY_UNVERIFIED:
        proto_item_append_text(field, " [unverified: %s]", reason);
        item = proto_tree_add_string(tree, mpa_hf.crc_reason, canvas->tvb, at, MPA_CRC_LEN, reason);
        proto_item_set_generated(item);
        if (canvas->item->fpdu.number == 0) /* the same holds for all FPDUs of this direction */
            expert_add_info_format(canvas->pinfo, field, &mpa_ei.crc_unchecked, "CRC not verified: %s", reason);
        break;
    }
}

bool mpa_crc_is_remarked(const struct mpa_item *item)
{
    const char *reason;
    enum mpa_crc_display status = shown_crc(item, &reason);

    return status == MPA_CRC_DISPLAY_BAD || (status == MPA_CRC_DISPLAY_UNVERIFIED && item->fpdu.number == 0);
}

static tvbuff_t *ulpdu_tvb(struct mpa_canvas *canvas)
{
    const struct mpa_item *item = canvas->item;
    size_t at = item->fpdu.header_at + (size_t)MPA_LENGTH_LEN, left = item->fpdu.ulpdu_length;
    size_t run = mpa_item_run(item, &at, left);
    uint8_t *octets, *to;
    tvbuff_t *next;

    /* Contiguous, without Markers inside: a subset of the frame is enough. */
    if (!item->fpdu.ulpdu && run == left)
        return tvb_new_subset_length(canvas->tvb, (int)(canvas->at + (unsigned)at), item->fpdu.ulpdu_length);
    octets = to = wmem_alloc(canvas->pinfo->pool, left);
    if (item->fpdu.ulpdu) {
        memcpy(octets, item->fpdu.ulpdu, left);
        left = 0;
    }
    for (left -= item->fpdu.ulpdu ? 0 : item->fpdu.lacking; left > 0 && run > 0; left -= run, at += run, to += run) {
        run = mpa_item_run(item, &at, left);
        tvb_memcpy(canvas->tvb, to, (int)(canvas->at + (unsigned)at), run);
    }
    next = tvb_new_child_real_data(canvas->tvb, octets, item->fpdu.ulpdu_length - (guint)item->fpdu.lacking,
                                   item->fpdu.ulpdu_length);
    add_new_data_source(canvas->pinfo, next, "ULPDU without Markers");
    return next;
}

static void label_protocol(const struct mpa_canvas *canvas)
{
    struct label label;

    if (!label_begin(&label, canvas->proto))
        return;
    label_text(&label, " octets of ULPDU");
    label_number(&label, canvas->item->fpdu.ulpdu_length);
    label_text(&label, ", ");
    label_number(&label, canvas->item->fpdu.number + 1);
    label_text(&label, ", FPDU ");
    label_end(&label, canvas->proto, mpa_proto);
}

static void label_fpdu(const struct mpa_item *fpdu, proto_item *item)
{
    struct label label;

    if (!label_begin(&label, item))
        return;
    if (fpdu->fpdu.cut > 0) {
        label_text(&label, " octets not captured");
        label_number(&label, fpdu->fpdu.cut);
        label_text(&label, ", the last ");
    }
    label_text(&label, fpdu->fpdu.n_markers == 1 ? " Marker" : " Markers");
    label_number(&label, fpdu->fpdu.n_markers);
    label_text(&label, ", ");
    label_number(&label, fpdu->fpdu.pad_length);
    label_text(&label, ", PAD ");
    label_number(&label, fpdu->fpdu.ulpdu_length);
    label_text(&label, ": ULPDU ");
    label_end(&label, item, mpa_hf.fpdu);
}

void mpa_draw_fpdu(struct mpa_canvas *canvas, tvbuff_t **next)
{
    const struct mpa_item *fpdu = canvas->item;
    unsigned at = canvas->at, markers = 0;
    size_t pad = fpdu->fpdu.header_at + (size_t)MPA_LENGTH_LEN, left = fpdu->fpdu.ulpdu_length, run;
    proto_item *item;
    proto_tree *tree;

    *next = ulpdu_tvb(canvas);
    mpa_builtin_fpdu(canvas);
    if (!proto_field_is_referenced(canvas->root, mpa_proto) && !mpa_crc_is_remarked(fpdu))
        return;
    do {
        run = mpa_item_run(fpdu, &pad, left);
        pad += run;
        left -= run;
    } while (run > 0 && left > 0);
    label_protocol(canvas);
    item = proto_tree_add_item(canvas->tree, mpa_hf.fpdu, canvas->tvb, (int)at, (int)(fpdu->length - fpdu->fpdu.cut),
                               ENC_NA);
    label_fpdu(fpdu, item);
    tree = proto_item_add_subtree(item, mpa_ett.fpdu);
    draw_markers(canvas, tree, &markers, fpdu->fpdu.header_at);
    proto_tree_add_item(tree, mpa_hf.ulpdu_length, canvas->tvb, (int)(at + fpdu->fpdu.header_at), MPA_LENGTH_LEN,
                        ENC_BIG_ENDIAN);
    draw_markers(canvas, tree, &markers, pad);
    if (fpdu->fpdu.pad_length > 0 && fpdu->fpdu.cut == 0)
        proto_tree_add_bytes_with_length(tree, mpa_hf.pad, canvas->tvb, (int)(at + pad),
                                         MIN(fpdu->fpdu.pad_length, (int)(fpdu->length - pad)), fpdu->fpdu.pad,
                                         fpdu->fpdu.pad_length);
    draw_markers(canvas, tree, &markers, fpdu->length);
    draw_crc(canvas, tree);
    proto_item_set_generated(proto_tree_add_uint64(tree, mpa_hf.fpdu_number, canvas->tvb, 0, 0, fpdu->fpdu.number + 1));
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.fpdu_length, canvas->tvb, 0, 0, fpdu->length));
    if (fpdu->place.first_frame != canvas->piece->record.frame)
        proto_item_set_generated(
            proto_tree_add_uint(tree, mpa_hf.fpdu_first_frame, canvas->tvb, 0, 0, fpdu->place.first_frame));
    draw_state(canvas);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of an FPDU: RFC 5044 section 4. */
#include "plugins/mpa/mpa_plugin.h"

#include "wire/octets.h"

/* Reused from FPDU to FPDU: Wireshark dissects in one thread. */
static struct mpa_fpdu_scratch scratch;

const char *mpa_sender_name(enum direction direction)
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

static void draw_state(struct mpa_canvas *canvas)
{
    const struct mpa_parameters *parameters = &canvas->item->state->parameters;
    enum direction direction = canvas->item->direction;
    enum tristate markers = parameters->markers[canvas->item->place.side];
    proto_item *item = proto_tree_add_item(canvas->tree, mpa_hf.state, canvas->tvb, 0, 0, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, mpa_ett.state);

    proto_item_set_generated(item);
    proto_item_append_text(item, ": %s%s%s", parameters->crc == ON ? "CRC" : "no CRC",
                           markers == ON ? ", Markers" : ", no Markers",
                           parameters->midstream ? " (recognised: the start is not captured)" : "");
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

static void draw_marker(struct mpa_canvas *canvas, proto_tree *parent, const struct mpa_fpdu *fpdu,
                        const struct mpa_marker *marker)
{
    int at = (int)(canvas->at + (marker->offset - fpdu->offset));
    int header = (int)(canvas->at + (fpdu->header - fpdu->offset));
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
    /* Selecting it highlights the header of the FPDU. */
    sub = proto_tree_add_uint64(tree, mpa_hf.marker_fpdu, canvas->tvb, header, MPA_LENGTH_LEN, fpdu->header);
    proto_item_set_generated(sub);
}

/* The Markers from the index on that lie before stream offset `to`: fields stand in the tree as they stand on the wire.
 */
static void draw_markers(struct mpa_canvas *canvas, proto_tree *tree, const struct mpa_fpdu *fpdu, unsigned *index,
                         uint64_t to)
{
    for (; *index < fpdu->n_markers && fpdu->markers[*index].offset < to; (*index)++)
        draw_marker(canvas, tree, fpdu, &fpdu->markers[*index]);
}

static enum mpa_crc_display shown_crc(const struct mpa_item *item, const char **reason)
{
    *reason = NULL;
    switch (item->fpdu.crc) {
    case MPA_CRC_VERIFIED:
    case MPA_CRC_WRONG:
        if (mpa_prefs.verify_crc)
            return item->fpdu.crc == MPA_CRC_VERIFIED ? MPA_CRC_DISPLAY_GOOD : MPA_CRC_DISPLAY_BAD;
        *reason = "turned off by preference";
        break;
    case MPA_CRC_NOT_USED:
        *reason = "not negotiated";
        break;
    case MPA_CRC_UNKNOWN:
        *reason = "it is not known whether this connection uses CRCs";
        break;
    }
    return MPA_CRC_DISPLAY_UNVERIFIED;
}

static void draw_crc(struct mpa_canvas *canvas, proto_tree *parent, const struct mpa_fpdu *fpdu)
{
    const char *reason;
    enum mpa_crc_display status = shown_crc(canvas->item, &reason);
    int at = (int)(canvas->at + fpdu->length - MPA_CRC_LEN);
    proto_item *field, *item;
    proto_tree *tree;

    field = proto_tree_add_item(parent, mpa_hf.crc, canvas->tvb, at, MPA_CRC_LEN, ENC_LITTLE_ENDIAN);
    tree = proto_item_add_subtree(field, mpa_ett.crc);
    item = proto_tree_add_uint(tree, mpa_hf.crc_status, canvas->tvb, at, MPA_CRC_LEN, status);
    proto_item_set_generated(item);
    switch (status) {
    case MPA_CRC_DISPLAY_GOOD:
        proto_item_append_text(field, " [good]");
        break;
    case MPA_CRC_DISPLAY_BAD:
        proto_item_append_text(field, " [bad, expected 0x%08x]", canvas->item->fpdu.crc_computed);
        proto_item_append_text(canvas->proto, ", bad CRC");
        col_append_str(canvas->pinfo->cinfo, COL_INFO, " [bad CRC]");
        item = proto_tree_add_uint(tree, mpa_hf.crc_computed, canvas->tvb, at, MPA_CRC_LEN,
                                   canvas->item->fpdu.crc_computed);
        proto_item_set_generated(item);
        expert_add_info_format(canvas->pinfo, field, &mpa_ei.crc_bad, "Bad CRC: expected 0x%08x, found 0x%08x",
                               canvas->item->fpdu.crc_computed, fpdu->crc);
        break;
    case MPA_CRC_DISPLAY_UNVERIFIED:
        proto_item_append_text(field, " [unverified: %s]", reason);
        item = proto_tree_add_string(tree, mpa_hf.crc_reason, canvas->tvb, at, MPA_CRC_LEN, reason);
        proto_item_set_generated(item);
        break;
    }
}

/* Where the octet that the FPDU without Markers has at `bare` lies in the FPDU. */
static unsigned place_with_markers(const struct mpa_fpdu *fpdu, unsigned bare)
{
    uint64_t at = fpdu->offset + bare;

    for (unsigned i = 0; i < fpdu->n_markers; i++)
        if (fpdu->markers[i].offset <= at)
            at += MPA_MARKER_LEN;
    return (unsigned)(at - fpdu->offset);
}

static tvbuff_t *ulpdu_tvb(struct mpa_canvas *canvas, const struct mpa_fpdu *fpdu)
{
    tvbuff_t *next;

    /* In one run of octets, no Marker inside: a view of the frame. */
    if (fpdu->ulpdu >= fpdu->octets && fpdu->ulpdu < fpdu->octets + fpdu->length)
        return tvb_new_subset_length(canvas->tvb, (int)(canvas->at + (unsigned)(fpdu->ulpdu - fpdu->octets)),
                                     fpdu->ulpdu_length);
    next = tvb_new_child_real_data(canvas->tvb, wmem_memdup(canvas->pinfo->pool, fpdu->ulpdu, fpdu->ulpdu_length),
                                   fpdu->ulpdu_length, fpdu->ulpdu_length);
    add_new_data_source(canvas->pinfo, next, "ULPDU without Markers");
    return next;
}

void mpa_draw_fpdu(struct mpa_canvas *canvas, tvbuff_t **next)
{
    const struct mpa_item *recorded = canvas->item;
    struct mpa_framing framing = {.markers = recorded->fpdu.has_markers, .seq_start = recorded->fpdu.grid};
    struct mpa_fpdu fpdu;
    size_t need;
    const uint8_t *octets = tvb_get_ptr(canvas->tvb, (int)canvas->at, (int)recorded->length);
    unsigned at = canvas->at, markers = 0, pad;
    proto_item *item;
    proto_tree *tree;

    *next = NULL;
    if (mpa_fpdu_parse(&fpdu, &need, &framing, false, recorded->offset, octets, recorded->length, &scratch) !=
        MPA_FPDU_OK)
        return;
    pad = place_with_markers(&fpdu, MPA_LENGTH_LEN + fpdu.ulpdu_length);
    proto_item_append_text(canvas->proto, ", FPDU %" PRIu64 ", %u octets of ULPDU", recorded->fpdu.number + 1,
                           fpdu.ulpdu_length);
    item = proto_tree_add_item(canvas->tree, mpa_hf.fpdu, canvas->tvb, (int)at, (int)fpdu.length, ENC_NA);
    proto_item_append_text(item, ": ULPDU %u, PAD %u, %u Marker%s", fpdu.ulpdu_length, fpdu.pad_length, fpdu.n_markers,
                           fpdu.n_markers == 1 ? "" : "s");
    tree = proto_item_add_subtree(item, mpa_ett.fpdu);
    draw_markers(canvas, tree, &fpdu, &markers, fpdu.header);
    proto_tree_add_item(tree, mpa_hf.ulpdu_length, canvas->tvb, (int)(at + (unsigned)(fpdu.header - fpdu.offset)),
                        MPA_LENGTH_LEN, ENC_BIG_ENDIAN);
    *next = ulpdu_tvb(canvas, &fpdu);
    draw_markers(canvas, tree, &fpdu, &markers, fpdu.offset + pad);
    if (fpdu.pad_length > 0) {
        unsigned end = place_with_markers(&fpdu, MPA_LENGTH_LEN + fpdu.ulpdu_length + fpdu.pad_length - 1) + 1;

        proto_tree_add_bytes(tree, mpa_hf.pad, canvas->tvb, (int)(at + pad), (int)(end - pad), fpdu.pad);
    }
    draw_markers(canvas, tree, &fpdu, &markers, fpdu.offset + fpdu.length);
    draw_crc(canvas, tree, &fpdu);
    proto_item_set_generated(
        proto_tree_add_uint64(tree, mpa_hf.fpdu_number, canvas->tvb, 0, 0, recorded->fpdu.number + 1));
    proto_item_set_generated(proto_tree_add_uint(tree, mpa_hf.fpdu_length, canvas->tvb, 0, 0, fpdu.length));
    if (recorded->place.first_frame != recorded->place.frame)
        proto_item_set_generated(
            proto_tree_add_uint(tree, mpa_hf.fpdu_first_frame, canvas->tvb, 0, 0, recorded->place.first_frame));
    draw_state(canvas);
}

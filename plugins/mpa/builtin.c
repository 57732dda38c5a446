// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of Wireshark's built-in iwarp_mpa: plugins/common/builtin.h. */
#include "plugins/common/builtin.h"
#include "plugins/mpa/mpa_plugin.h"

enum {
    /* start-up frames */
    STARTUP = 1 << 0,
    REQUEST = 1 << 1,
    REPLY = 1 << 2,
    PD_FITS = 1 << 3,
    PD_TOO_LONG = 1 << 4,
    PD_PRESENT = 1 << 5,
    RES_SET = 1 << 6,
    REV_OTHER = 1 << 7,
    REJECTED = 1 << 8,
    /* FPDUs, part by part */
    FPDU = 1 << 9,
    PAD = 1 << 10,
    CRC_USED = 1 << 11,
    CRC_UNUSED = 1 << 12,
    MARKERS = 1 << 13,
    MARKER = 1 << 14,
};

static struct builtin_field mpa_builtin_fields[] = {
    {"iwarp_mpa.req", REQUEST, 0, 0, NULL},
    {"iwarp_mpa.rep", REPLY, 0, 0, NULL},
    {"iwarp_mpa.key.req", REQUEST, 0, MPA_KEY_LEN, NULL},
    {"iwarp_mpa.key.rep", REPLY, 0, MPA_KEY_LEN, NULL},
    {"iwarp_mpa.marker_flag", STARTUP, 16, 1, NULL},
    {"iwarp_mpa.crc_flag", STARTUP, 16, 1, NULL},
    {"iwarp_mpa.rej_flag", STARTUP, 16, 1, NULL},
    {"iwarp_mpa.res", STARTUP, 16, 1, NULL},
    {"iwarp_mpa.rev", STARTUP, 17, 1, NULL},
    {"iwarp_mpa.pdlength", PD_FITS, 18, 2, NULL},
    {"iwarp_mpa.privatedata", PD_PRESENT, MPA_STARTUP_HEADER_LEN, BUILTIN_REST, NULL},
    {"iwarp_mpa.bad_length", PD_TOO_LONG, 18, 0, NULL},
    {"iwarp_mpa.res.not_set0", REQUEST | RES_SET, 16, 0, NULL},
    {"iwarp_mpa.rev.not_set1", REQUEST | REV_OTHER, 17, 0, NULL},
    {"iwarp_mpa.reject_bit_responder", REPLY | REJECTED, 16, 0, NULL},
    {"iwarp_mpa.fpdu", FPDU, 0, 0, NULL},
    {"iwarp_mpa.ulpdulength", FPDU, 0, MPA_LENGTH_LEN, NULL},
    {"iwarp_mpa.pad", PAD, 0, BUILTIN_REST, NULL},
    {"iwarp_mpa.crc_check", CRC_USED, 0, MPA_CRC_LEN, NULL},
    {"iwarp_mpa.crc", CRC_UNUSED, 0, MPA_CRC_LEN, NULL},
    {"iwarp_mpa.markers", MARKERS, 0, 0, NULL},
    {"iwarp_mpa.marker_res", MARKER, 0, 2, NULL},
    {"iwarp_mpa.marker_fpduptr", MARKER, 2, 2, NULL},
};

static struct builtin iwarp_mpa = {"iwarp_mpa", mpa_builtin_fields, array_length(mpa_builtin_fields), NULL};

void mpa_builtin_handoff(void)
{
    builtin_find(&iwarp_mpa);
}

void mpa_builtin_startup(const struct mpa_canvas *canvas, enum mpa_startup_kind kind)
{
    int at = (int)canvas->at;
    unsigned holds = STARTUP | (kind == MPA_REQUEST ? REQUEST : REPLY), length;
    proto_tree *tree =
        builtin_tree(&iwarp_mpa, canvas->root, canvas->tvb, at, (int)canvas->item->length, mpa_ett.mpa);
    uint8_t flags;

    if (!tree)
        return;
    flags = tvb_get_guint8(canvas->tvb, at + MPA_KEY_LEN);
    length = tvb_get_ntohs(canvas->tvb, at + 18);
    holds |= length > MPA_PRIVATE_DATA_MAX ? PD_TOO_LONG : PD_FITS;
    holds |= length > 0 && length <= MPA_PRIVATE_DATA_MAX ? PD_PRESENT : 0;
    holds |= flags & 0x1F ? RES_SET : 0;
    holds |= tvb_get_guint8(canvas->tvb, at + MPA_KEY_LEN + 1) != 1 ? REV_OTHER : 0;
    holds |= flags & MPA_FLAG_R ? REJECTED : 0;
    builtin_add(&iwarp_mpa, holds, tree, canvas->tvb, at, (int)(MPA_STARTUP_HEADER_LEN + length));
}

static void mpa_builtin_markers(const struct mpa_canvas *canvas, proto_tree *tree)
{
    const struct mpa_item *fpdu = canvas->item;

    if (fpdu->fpdu.n_markers > 0)
        builtin_add(&iwarp_mpa, MARKERS, tree, canvas->tvb, (int)canvas->at, 0);
    for (unsigned i = 0; i < fpdu->fpdu.n_markers; i++)
        builtin_add(&iwarp_mpa, MARKER, tree, canvas->tvb,
                    (int)(canvas->at + (fpdu->fpdu.markers[i].offset - fpdu->offset)), 0);
}

void mpa_builtin_fpdu(const struct mpa_canvas *canvas)
{
    const struct mpa_item *fpdu = canvas->item;
    unsigned at = canvas->at, n_pad = fpdu->fpdu.pad_length;
    unsigned crc = fpdu->state->parameters.crc == ON ? CRC_USED : CRC_UNUSED;
    proto_tree *tree = builtin_tree(&iwarp_mpa, canvas->root, canvas->tvb, (int)at,
                                    (int)(fpdu->length - fpdu->fpdu.cut), mpa_ett.mpa);

    if (!tree)
        return;
    builtin_add(&iwarp_mpa, FPDU, tree, canvas->tvb, (int)at + fpdu->fpdu.header_at, 0);
    if (n_pad > 0 && fpdu->fpdu.cut == 0) /* a Marker may divide it */
        builtin_add(&iwarp_mpa, PAD, tree, tvb_new_child_real_data(canvas->tvb, fpdu->fpdu.pad, n_pad, (int)n_pad), 0,
                    (int)n_pad);
    if (fpdu->fpdu.cut == 0)
        builtin_add(&iwarp_mpa, crc, tree, canvas->tvb, (int)(at + fpdu->length - MPA_CRC_LEN), 0);
    mpa_builtin_markers(canvas, tree);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of Wireshark's built-in iwarp_mpa: plugins/common/builtin.h. */
#include "plugins/common/builtin.h"
#include "plugins/mpa/mpa_plugin.h"

enum {
    /* start-up frames */
    STARTUP = 1 << 0,
    REQUEST = 1 << 1,
    REPLY = 1 << 2,
    PD_TOO_LONG = 1 << 3,
    PD_FITS = 1 << 4,
    PD_PRESENT = 1 << 5,
    /* in releases that know enhanced connection data, these are not a part of the private data */
    ENHANCED = 1 << 6,
    PD_AFTER = 1 << 7,
    PD_AFTER_PRESENT = 1 << 8,
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
    {"iwarp_mpa.enhanced_flag", STARTUP, 16, 1, NULL},
    {"iwarp_mpa.enhanced", ENHANCED, MPA_STARTUP_HEADER_LEN, 0, NULL},
    {"iwarp_mpa.enhanced.a", ENHANCED, MPA_STARTUP_HEADER_LEN, 1, NULL},
    {"iwarp_mpa.enhanced.b", ENHANCED, MPA_STARTUP_HEADER_LEN, 1, NULL},
    {"iwarp_mpa.enhanced.ird", ENHANCED, MPA_STARTUP_HEADER_LEN, 2, NULL},
    {"iwarp_mpa.enhanced.c", ENHANCED, MPA_STARTUP_HEADER_LEN + 2, 1, NULL},
    {"iwarp_mpa.enhanced.D", ENHANCED, MPA_STARTUP_HEADER_LEN + 2, 1, NULL},
    {"iwarp_mpa.enhanced.ord", ENHANCED, MPA_STARTUP_HEADER_LEN + 2, 2, NULL},
    {"iwarp_mpa.pdlength", PD_AFTER, 0, 0, NULL},
    {"iwarp_mpa.privatedata", PD_AFTER_PRESENT, MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN, BUILTIN_REST, NULL},
    {"iwarp_mpa.bad_length", PD_TOO_LONG, 18, 0, NULL},
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

static bool knows_enhanced; /* this release does */

void mpa_builtin_handoff(void)
{
    builtin_find(&iwarp_mpa);
    knows_enhanced = proto_registrar_get_byname("iwarp_mpa.enhanced_flag") != NULL;
}

static unsigned of_private_data(unsigned length, bool enhanced)
{
    if (length > MPA_PRIVATE_DATA_MAX)
        return PD_TOO_LONG;
    if (enhanced)
        return ENHANCED | PD_AFTER | (length > MPA_ENHANCED_LEN ? PD_AFTER_PRESENT : 0);
    return PD_FITS | (length > 0 ? PD_PRESENT : 0);
}

void mpa_builtin_startup(const struct mpa_canvas *canvas, enum mpa_startup_kind kind)
{
    int at = (int)canvas->at;
    unsigned holds = STARTUP | (kind == MPA_REQUEST ? REQUEST : REPLY), length;
    proto_tree *tree = builtin_tree(&iwarp_mpa, canvas->root, canvas->tvb, at, (int)canvas->item->length, mpa_ett.mpa);

    if (!tree)
        return;
    length = tvb_get_ntohs(canvas->tvb, at + 18);
    holds |= of_private_data(length, knows_enhanced && length >= MPA_ENHANCED_LEN &&
                                         tvb_get_uint8(canvas->tvb, at + MPA_KEY_LEN) & MPA_FLAG_S);
    builtin_add(&iwarp_mpa, holds & ~(unsigned)PD_AFTER, tree, canvas->tvb, at, (int)(MPA_STARTUP_HEADER_LEN + length));
    builtin_add_number(&iwarp_mpa, holds & PD_AFTER, tree, canvas->tvb, length - MPA_ENHANCED_LEN);
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
    proto_tree *tree =
        builtin_tree(&iwarp_mpa, canvas->root, canvas->tvb, (int)at, (int)(fpdu->length - fpdu->fpdu.cut), mpa_ett.mpa);

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

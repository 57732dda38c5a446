/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the mpa plugin gives the next layer beside the ULPDU: the `data` of a dissector in the table "mpa.ulpdu".
 *
 * The table is keyed by the MPA revision in effect (0, 1, 2; 1 where the start of the connection is missing), because
 * the versions of DDP and RDMAP go with it (RFC 5044 Appendix C). The plugins find one another by this table alone, so
 * this header is the whole of what they share; `size` tells a later layout from an earlier one.
 */
#ifndef IWARP_PLUGINS_MPA_ULPDU_H
#define IWARP_PLUGINS_MPA_ULPDU_H

#include "engine/mpa.h"

#define MPA_ULPDU_TABLE "mpa.ulpdu"

struct mpa_ulpdu {
    uint32_t size;       /* sizeof(struct mpa_ulpdu) of the mpa plugin */
    uint32_t connection; /* counts MPA connections of the capture file from 0 */
    struct place place;  /* of the FPDU; place.frame: where it became complete */
    enum direction direction;
    uint64_t number; /* FPDUs of this direction before it */
    enum mpa_crc_verdict crc;
    bool after_resync;                /* FPDUs are missing before it */
    struct mpa_parameters parameters; /* as negotiated when the FPDU came */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the diagnosis. */
#ifndef IWARP_ENGINE_MPA_MPA_DIAGNOSE_H
#define IWARP_ENGINE_MPA_MPA_DIAGNOSE_H

#include "engine/mpa/mpa_framing.h"

struct diagnosing {
    struct mpa_connection *mpa;
    unsigned side;
    struct mpa_side *s;
    struct mpa_framing_state *fs;
    uint64_t at;           /* the cursor */
    struct mpa_fpdu *fpdu; /* the FPDU at the cursor, as parsed by the framing in use; NULL when incomplete */
    bool last;             /* no more octets follow */
    bool strict;           /* the FPDU is incomplete because the stream ends: only proof counts */
    bool unsure;           /* a hypothesis needs octets still to come */
    unsigned scratch_uses; /* mpa_scratch_uses() at the time fpdu was parsed */
};

/* An FPDU with a trusted header, but not a trusted end. */
struct suspect {
    uint64_t start, header;
    uint16_t length; /* ULPDU_Length as sent */
};

/*
 * Trying or following a shape overwrites the scratch memory that an FPDU with Markers borrows: this reads fpdu again.
 */
void mpa_diagnose_refresh(struct diagnosing *d);
bool mpa_diagnose_suspect(struct diagnosing *d, struct suspect *suspect, uint64_t start);
/* mpa_follow(); also notes when octets are missing. */
enum follow mpa_diagnose_next(struct diagnosing *d, uint64_t at);

/* mpa_diagnose_length.c. Each returns true when it has explained the octets and moved the cursor. */
bool mpa_try_end_by_crc(struct diagnosing *d); /* the FPDU's CRC is not where ULPDU_Length says */
bool mpa_try_no_pad(struct diagnosing *d);
bool mpa_try_no_field(struct diagnosing *d); /* like the previous FPDU, this one has no CRC field */
/* The FPDU ends at `end` and its CRC covers the right ULPDU_Length: reports the length that was sent. */
bool mpa_try_corrected_end(struct diagnosing *d, const struct suspect *suspect, uint64_t end);
bool mpa_try_lengths(struct diagnosing *d);    /* usual mistakes in ULPDU_Length, PAD or CRC field */
bool mpa_try_other_grid(struct diagnosing *d); /* mpa_diagnose_grid.c */
/* mpa_diagnose_stray.c */
bool mpa_try_lone_marker(struct diagnosing *d); /* 00000000 between FPDUs of a direction without Markers */
bool mpa_try_next_fpdu(struct diagnosing *d);   /* the next provable FPDU shows what the octets before it are */

/* A Marker at `found`, where the framing in use has none: reports the broken rule. */
void mpa_diagnose_found_marker(struct diagnosing *d, uint64_t found, uint64_t header);
/* ULPDU_Length, PAD or CRC field was wrong: reports the FPDU as intended. */
void mpa_report_length(struct diagnosing *d, const struct suspect *suspect, unsigned length, uint64_t end);

#endif

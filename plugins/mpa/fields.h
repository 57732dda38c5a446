/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol, header fields, subtrees and expert infos of MPA. */
#ifndef IWARP_PLUGINS_MPA_FIELDS_H
#define IWARP_PLUGINS_MPA_FIELDS_H

#include "plugins/common/compat.h"

#include "plugins/common/findings.h"

#include <epan/expert.h>

/* Header fields: the names of the members follow the filter names. */
struct mpa_hf {
    /* start-up frames */
    int request, reply, key;
    int flags, flags_m, flags_c, flags_r, flags_s, flags_res;
    int rev, pd_length, private_data;
    int enhanced, enhanced_a, enhanced_b, enhanced_c, enhanced_d, ird, ord;
    int request_in, reply_in, time;
    /* FPDUs */
    int fpdu, fpdu_number, fpdu_length, fpdu_first_frame;
    int ulpdu_length, pad;
    int crc, crc_status, crc_computed, crc_reason;
    int marker, marker_reserved, marker_fpduptr, marker_expected, marker_fpdu;
    /* state */
    int state, state_revision, state_crc, state_markers, state_direction, state_sender, state_midstream;
    /* octets of incomplete frames, or of none */
    int part, part_length, continued_in, streaming, skipped, skipped_why, hole, repeated, beyond;
    int differs, differs_offset, differs_first, differs_again, differs_first_frame;
};

struct mpa_ett {
    int mpa, flags, enhanced, fpdu, crc, marker, state, differs;
};

struct mpa_ei {
    expert_field crc_bad, crc_unchecked, hole, hole_remedy, skipped, unread;
};

extern int mpa_proto;
extern struct mpa_hf mpa_hf;
extern struct mpa_ett mpa_ett;
extern struct mpa_ei mpa_ei;
extern struct finding_fields mpa_findings;

/* Values of mpa.crc.status, numbered as in other dissectors. */
enum mpa_crc_display { MPA_CRC_DISPLAY_BAD, MPA_CRC_DISPLAY_GOOD, MPA_CRC_DISPLAY_UNVERIFIED };

void mpa_fields_register(void);

#endif

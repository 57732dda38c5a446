/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocols, header fields, subtrees and expert infos of DDP and RDMAP. */
#ifndef IWARP_PLUGINS_DDP_RDMAP_FIELDS_H
#define IWARP_PLUGINS_DDP_RDMAP_FIELDS_H

#include "plugins/common/compat.h"

#include "plugins/common/findings.h"

#include <epan/expert.h>
#include <epan/reassemble.h>

/* Header fields of DDP: the names of the members follow the filter names. */
struct rddp_hf {
    int control, tagged, last, rsvd, version;
    int stag, to, qn, msn, mo, payload_length;
    int stag_first_seen, stag_invalidated_in, stag_reused_after;
    int message, message_number, message_segment, message_segments, message_octets, message_from, message_first_frame,
        message_last_frame, message_partial;
    int missing, gap;
    int fragments, fragment, fragment_overlap, fragment_conflict, fragment_tails, fragment_too_long, fragment_error,
        fragment_count, reassembled_in, reassembled_length;
    int truncated;
};

struct rdmap_hf {
    int control, version, rsv, opcode;
    int invalidate_stag, reserved;
    int sink_stag, sink_to, read_size, source_stag, source_to;
    int immediate, after_write;
    int atomic_reserved, atomic_opcode, atomic_identifier, atomic_stag, atomic_to, atomic_data, atomic_mask,
        atomic_compare, atomic_compare_mask, atomic_original, atomic_after;
    int terminate_layer, terminate_etype, terminate_code, terminate_flags, terminate_m, terminate_d, terminate_r,
        terminate_reserved, terminate_length, terminate_layout, terminate_trailing;
    int terminated_ddp, terminated_tagged, terminated_last, terminated_rsvd, terminated_dv, terminated_rv,
        terminated_rsv, terminated_opcode, terminated_stag, terminated_to, terminated_invalidate, terminated_reserved,
        terminated_qn, terminated_msn, terminated_mo;
    int terminated_read, terminated_sink_stag, terminated_sink_to, terminated_size, terminated_source_stag,
        terminated_source_to;
    int caused_by, caused_by_operation;
    int operation, response_in, response_to, time;
};

struct rdmap_ett {
    int rddp, control, stag, message, fragments, fragment;
    int rdmap, rdmap_control, header, terminated, terminate_flags;
};

struct rdmap_ei {
    expert_field truncated, missing, gap, terminate;
};

extern int rddp_proto, rdmap_proto;
extern struct rddp_hf rddp_hf;
extern struct rdmap_hf rdmap_hf;
extern struct rdmap_ett rdmap_ett;
extern struct rdmap_ei rdmap_ei;
extern struct finding_fields rddp_findings, rdmap_findings;
extern const fragment_items rddp_fragment_items;

void rdmap_fields_register(void);

#endif

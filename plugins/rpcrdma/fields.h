/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol, header fields, subtrees and expert infos of RPC-over-RDMA. */
#ifndef IWARP_PLUGINS_RPCRDMA_FIELDS_H
#define IWARP_PLUGINS_RPCRDMA_FIELDS_H

#include "plugins/common/compat.h"

#include "plugins/common/findings.h"

#include <epan/expert.h>

/* The names of the members follow the filter names. */
struct rpcrdma_hf {
    int xid, version, credit, proc, align, thresh;
    int read_list, write_list, reply_chunk, present;
    int chunk, chunk_kind, chunk_number, chunk_position, chunk_segments, chunk_octets, chunk_offered, chunk_moved;
    int segment, position, handle, length, offset;
    int operation, operation_octets, operation_request_in, operation_first_in, operation_last_in;
    int err, vers_low, vers_high;
    int kind, transaction, reverse, repeated, response_in, response_to, time, unanswered, copy_of, refused_in,
        complete_in, received_in;
    int credit_in_use, credit_granted, send_length, threshold;
    int move_xid, move_segment, move_offset, move_octets, move_data, move_call_in, move_answer_in;
    int send_first_in, send_complete_in, taken_in, packet_repeated, packet_copies, part_data;
    int rpc, rpc_length, rpc_missing, rpc_piece, rpc_data;
    int startup, startup_send_size, startup_receive_size, startup_to_responder, startup_to_initiator,
        startup_identifier, startup_version, startup_flags, startup_flags_r, startup_invalidation, startup_request_in,
        startup_reply_in;
    int fault, beyond;
};

struct rpcrdma_ett {
    int rpcrdma, list, chunk, segment, operation, rpc, startup, credit;
};

struct rpcrdma_ei {
    expert_field fault, incomplete, unplaced, error;
};

extern int rpcrdma_proto;
extern struct rpcrdma_hf rpcrdma_hf;
extern struct rpcrdma_ett rpcrdma_ett;
extern struct rpcrdma_ei rpcrdma_ei;
extern struct finding_fields rpcrdma_findings;

void rpcrdma_fields_register(void);

#endif

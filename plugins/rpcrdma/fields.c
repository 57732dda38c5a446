// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/fields.h"

#include "engine/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

int rpcrdma_proto = -1;
struct rpcrdma_hf rpcrdma_hf;
/* Wireshark 4.0 wants -1 in those that are not registered yet. */
struct rpcrdma_ett rpcrdma_ett = {-1, -1, -1, -1, -1, -1, -1, -1};
struct rpcrdma_ei rpcrdma_ei;

static const value_string procs[] = {
    {RPCRDMA_MSG, "RDMA_MSG"},   {RPCRDMA_NOMSG, "RDMA_NOMSG"}, {RPCRDMA_MSGP, "RDMA_MSGP"},
    {RPCRDMA_DONE, "RDMA_DONE"}, {RPCRDMA_ERROR, "RDMA_ERROR"}, {0, NULL},
};

static const value_string errs[] = {
    {RPCRDMA_ERR_VERS, "ERR_VERS"},
    {RPCRDMA_ERR_CHUNK, "ERR_CHUNK"},
    {0, NULL},
};

static const value_string kinds[] = {
    {RPCRDMA_KIND_UNKNOWN, "unknown"},
    {RPCRDMA_KIND_CALL, "Call"},
    {RPCRDMA_KIND_REPLY, "Reply"},
    {RPCRDMA_KIND_ERROR, "Error"},
    {0, NULL},
};

static const value_string chunk_kinds[] = {
    {RPCRDMA_READ_CHUNK, "Read chunk"},
    {RPCRDMA_WRITE_CHUNK, "Write chunk"},
    {RPCRDMA_REPLY_CHUNK, "Reply chunk"},
    {0, NULL},
};

static const true_false_string directions = {"from server to client", "from client to server"};

#define FIELD(member, name, abbrev, type, base, strings, blurb)                                                        \
    {                                                                                                                  \
        &rpcrdma_hf.member,                                                                                            \
        {                                                                                                              \
            name, "rpcrdma." abbrev, type, base, strings, 0x0, blurb, HFILL                                            \
        }                                                                                                              \
    }
#define FIELD_MASKED(member, name, abbrev, mask, blurb)                                                                \
    {                                                                                                                  \
        &rpcrdma_hf.member,                                                                                            \
        {                                                                                                              \
            name, "rpcrdma." abbrev, FT_BOOLEAN, 8, NULL, mask, blurb, HFILL                                           \
        }                                                                                                              \
    }
#define U32(member, name, abbrev, blurb)  FIELD(member, name, abbrev, FT_UINT32, BASE_DEC, NULL, blurb)
#define HEX(member, name, abbrev, blurb)  FIELD(member, name, abbrev, FT_UINT32, BASE_HEX, NULL, blurb)
#define U64(member, name, abbrev, blurb)  FIELD(member, name, abbrev, FT_UINT64, BASE_DEC, NULL, blurb)
#define TREE(member, name, abbrev, blurb) FIELD(member, name, abbrev, FT_NONE, BASE_NONE, NULL, blurb)
#define FRAME(member, name, abbrev, type, blurb)                                                                       \
    FIELD(member, name, abbrev, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), blurb)

static hf_register_info fields[] = {
    HEX(xid, "XID", "xid", "rdma_xid: the transaction, as in the RPC message"),
    U32(version, "Version", "version", "rdma_vers"),
    U32(credit, "Credits", "credit", "rdma_credit: requested by Calls, granted by Replies"),
    FIELD(proc, "Message type", "proc", FT_UINT32, BASE_DEC, VALS(procs), "rdma_proc"),
    U32(align, "Alignment", "align", "rdma_align of RDMA_MSGP"),
    U32(thresh, "Alignment threshold", "thresh", "rdma_thresh of RDMA_MSGP"),
    TREE(read_list, "Read list", "read_list", "RFC 8166 section 4.3.1"),
    TREE(write_list, "Write list", "write_list", "RFC 8166 section 4.3.2"),
    TREE(reply_chunk, "Reply chunk", "reply_chunk", "RFC 8166 section 4.3.3"),
    U32(present, "Present", "present", "1: an entry follows; 0: the end of the list"),
    TREE(chunk, "Chunk", "chunk", NULL),
    FIELD(chunk_kind, "Chunk", "chunk.kind", FT_UINT32, BASE_DEC, VALS(chunk_kinds), NULL),
    U32(chunk_number, "Number", "chunk.number", "Among the chunks of its kind, from 1"),
    U32(chunk_position, "Position", "chunk.position", "Where a Read chunk belongs in the RPC message"),
    U32(chunk_segments, "Segments", "chunk.segments", NULL),
    U64(chunk_octets, "Octets of the chunk", "chunk.octets", "Of all its segments together"),
    U64(chunk_offered, "Octets offered by the Call", "chunk.offered", NULL),
    U64(chunk_moved, "Octets moved in all", "chunk.moved", "By RDMA Reads or Writes that were seen"),
    TREE(segment, "Segment", "segment", NULL),
    U32(position, "Position", "position", "Offset in the RPC message of what the Read chunk holds; 0: all of it"),
    HEX(handle, "Handle", "segment.handle", "STag of the memory"),
    U32(length, "Length", "segment.length", NULL),
    FIELD(offset, "Offset", "segment.offset", FT_UINT64, BASE_HEX, NULL, "Tagged Offset of its first octet"),
    U64(operation, "RDMA operation", "operation", "As rdmap.operation counts them"),
    U64(operation_octets, "Octets moved", "operation.octets", "Moved between this segment and the peer"),
    FRAME(operation_request_in, "Read Request in", "operation.request_in", FT_FRAMENUM_REQUEST, NULL),
    FRAME(operation_first_in, "First octets in", "operation.first_in", FT_FRAMENUM_NONE, NULL),
    FRAME(operation_last_in, "Last octets in", "operation.last_in", FT_FRAMENUM_NONE, NULL),
    FIELD(err, "Error", "err", FT_UINT32, BASE_DEC, VALS(errs), "rdma_err"),
    U32(vers_low, "Lowest version supported", "vers_low", "rdma_vers_low"),
    U32(vers_high, "Highest version supported", "vers_high", "rdma_vers_high"),

    FIELD(kind, "Kind", "kind", FT_UINT32, BASE_DEC, VALS(kinds), NULL),
    U64(transaction, "Transaction", "transaction", "Transactions of the connection, counted from 1"),
    FIELD(reverse, "Direction of the Call", "reverse", FT_BOOLEAN, BASE_NONE, TFS(&directions),
          "Whether the server calls the client (RFC 8167)"),
    FIELD(repeated, "Repeated", "repeated", FT_BOOLEAN, BASE_NONE, NULL, "A retransmitted Call, or a second answer"),
    FRAME(response_in, "Answer in", "response_in", FT_FRAMENUM_RESPONSE, "The Reply or RDMA_ERROR to this Call"),
    FRAME(response_to, "Answer to", "response_to", FT_FRAMENUM_REQUEST, "The Call that this answers"),
    FIELD(time, "Time since the Call", "time", FT_RELATIVE_TIME, BASE_NONE, NULL, NULL),
    FRAME(complete_in, "RPC message complete in", "complete_in", FT_FRAMENUM_NONE,
          "Where the last octets of the Read chunks came"),
    U32(credit_in_use, "Calls outstanding", "credit.in_use", "On the caller's side, after this message"),
    U32(credit_granted, "Credits granted", "credit.granted", "By the latest Reply"),
    U32(send_length, "Length of the Send", "length", NULL),
    U32(threshold, "Inline threshold", "inline_threshold", "Octets that a Send of this direction may have"),

    HEX(move_xid, "XID", "move.xid", "Of the Call that offers this memory"),
    U32(move_segment, "Segment", "move.segment", "Of the chunk, from 1"),
    U64(move_offset, "Offset in the chunk", "move.offset", NULL),
    U64(move_octets, "Octets here", "move.octets", NULL),
    FIELD(move_data, "Chunk data", "move.data", FT_BYTES, BASE_NONE, NULL, NULL),
    FRAME(move_call_in, "Call in", "call_in", FT_FRAMENUM_REQUEST, NULL),
    FRAME(move_answer_in, "Answer in", "answer_in", FT_FRAMENUM_RESPONSE, NULL),

    FRAME(send_first_in, "Send begins in", "send.first_in", FT_FRAMENUM_NONE,
          "InfiniBand: the first packet of this Send"),
    FRAME(send_complete_in, "Send complete in", "send.complete_in", FT_FRAMENUM_NONE,
          "InfiniBand: the last packet of the Send that this one belongs to"),
    FRAME(taken_in, "Taken up in", "taken_in", FT_FRAMENUM_NONE,
          "InfiniBand: where the packets before this one had come, or were known to be missing"),
    FIELD(packet_repeated, "Sent again", "packet.repeated", FT_BOOLEAN, BASE_NONE, NULL,
          "InfiniBand: a retransmission of a packet that was seen before"),
    FIELD(part_data, "Data", "part.data", FT_BYTES, BASE_NONE, NULL,
          "InfiniBand: payload that is dissected in another frame"),

    TREE(rpc, "Reassembled RPC message", "rpc", "Inline part and chunks put together"),
    U32(rpc_length, "Octets", "rpc.length", NULL),
    U32(rpc_missing, "Octets missing", "rpc.missing", "From the first one on that was not captured"),
    FIELD(rpc_data, "RPC message", "rpc.data", FT_BYTES, BASE_NONE, NULL, NULL),
    TREE(rpc_piece, "Piece", "rpc.piece", NULL),

    TREE(startup, "Connection set-up", "startup", "RFC 8797"),
    HEX(startup_identifier, "Format identifier", "startup.identifier", "f6ab0e18: RPC-over-RDMA"),
    FIELD(startup_version, "Version", "startup.version", FT_UINT8, BASE_DEC, NULL, "Of the private data"),
    FIELD(startup_flags, "Flags", "startup.flags", FT_UINT8, BASE_HEX, NULL, "Of the private data"),
    FIELD_MASKED(startup_flags_r, "R: Remote invalidation", "startup.flags.r", RPCRDMA_PD_FLAG_R,
                 "This side supports remote invalidation"),
    U32(startup_send_size, "Send size", "startup.send_size", NULL),
    U32(startup_receive_size, "Receive size", "startup.receive_size", NULL),
    U32(startup_to_responder, "Inline threshold to the Responder", "startup.to_responder", NULL),
    U32(startup_to_initiator, "Inline threshold to the Initiator", "startup.to_initiator", NULL),
    FIELD(startup_invalidation, "Remote invalidation", "startup.remote_invalidation", FT_BOOLEAN, BASE_NONE, NULL,
          "Both sides support it"),
    FRAME(startup_request_in, "Request in", "startup.request_in", FT_FRAMENUM_REQUEST, NULL),
    FRAME(startup_reply_in, "Reply in", "startup.reply_in", FT_FRAMENUM_RESPONSE, NULL),

    FIELD(fault, "Octets that cannot be understood", "fault", FT_BYTES, BASE_NONE, NULL, NULL),
    FIELD(beyond, "Octets behind the header", "beyond", FT_BYTES, BASE_NONE, NULL, NULL),
    FIELD(rule, "Rule", "rule", FT_STRING, BASE_NONE, NULL, "Id of a rule of RPC-over-RDMA or NFS that is broken here"),
    FRAME(rule_related, "See also", "rule.related", FT_FRAMENUM_NONE, NULL),
};

static ei_register_info experts[] = {
    {&rpcrdma_ei.rule[SEVERITY_NOTE],
     {"rpcrdma.rule.note", PI_PROTOCOL, PI_NOTE, "Departure from the standards", EXPFILL}},
    {&rpcrdma_ei.rule[SEVERITY_WARNING],
     {"rpcrdma.rule.warning", PI_PROTOCOL, PI_WARN, "Recommendation not followed", EXPFILL}},
    {&rpcrdma_ei.rule[SEVERITY_ERROR],
     {"rpcrdma.rule.error", PI_PROTOCOL, PI_ERROR, "Violation of the standards", EXPFILL}},
    {&rpcrdma_ei.fault, {"rpcrdma.fault.found", PI_PROTOCOL, PI_WARN, "Header that cannot be understood", EXPFILL}},
    {&rpcrdma_ei.incomplete,
     {"rpcrdma.incomplete", PI_REASSEMBLE, PI_NOTE, "Octets of the RPC message are missing", EXPFILL}},
    {&rpcrdma_ei.unplaced,
     {"rpcrdma.unplaced", PI_REASSEMBLE, PI_NOTE, "Chunk that cannot be put back into the RPC message", EXPFILL}},
    {&rpcrdma_ei.error, {"rpcrdma.error", PI_RESPONSE_CODE, PI_NOTE, "The transaction failed", EXPFILL}},
};

static int *ett[] = {
    &rpcrdma_ett.rpcrdma,   &rpcrdma_ett.list, &rpcrdma_ett.chunk,   &rpcrdma_ett.segment,
    &rpcrdma_ett.operation, &rpcrdma_ett.rpc,  &rpcrdma_ett.startup, &rpcrdma_ett.credit,
};

void rpcrdma_fields_register(void)
{
    rpcrdma_proto = proto_register_protocol("RPC-over-RDMA", "RPC-over-RDMA", "rpcrdma");
    proto_register_field_array(rpcrdma_proto, fields, array_length(fields));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(rpcrdma_proto), experts, array_length(experts));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/fields.h"

#include "engine/rpcrdma/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

int rpcrdma_proto = -1;
struct rpcrdma_hf rpcrdma_hf;
/* Wireshark 4.0 requires -1 for subtrees that are not registered yet. */
struct rpcrdma_ett rpcrdma_ett = {-1, -1, -1, -1, -1, -1, -1, -1};
struct rpcrdma_ei rpcrdma_ei;
struct finding_fields rpcrdma_findings;

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
    HEX(xid, "XID", "xid", "rdma_xid: identifies the transaction, as the XID of the RPC message"),
    U32(version, "Version", "version", "rdma_vers"),
    U32(credit, "Credits", "credit", "rdma_credit: requested by a Call, granted by a Reply"),
    FIELD(proc, "Message type", "proc", FT_UINT32, BASE_DEC, VALS(procs), "rdma_proc"),
    U32(align, "Alignment", "align", "rdma_align of RDMA_MSGP"),
    U32(thresh, "Alignment threshold", "thresh", "rdma_thresh of RDMA_MSGP"),
    TREE(read_list, "Read list", "read_list", "RFC 8166 section 4.3.1"),
    TREE(write_list, "Write list", "write_list", "RFC 8166 section 4.3.2"),
    TREE(reply_chunk, "Reply chunk", "reply_chunk", "RFC 8166 section 4.3.3"),
    U32(present, "Present", "present", "1: an entry follows; 0: end of the list"),
    TREE(chunk, "Chunk", "chunk", "Segments that belong together"),
    FIELD(chunk_kind, "Chunk", "chunk.kind", FT_UINT32, BASE_DEC, VALS(chunk_kinds), "The list that the chunk is in"),
    U32(chunk_number, "Number", "chunk.number", "Position among the chunks of its kind, from 1"),
    U32(chunk_position, "Position", "chunk.position", "Offset in the RPC message of the contents of a Read chunk"),
    U32(chunk_segments, "Segments", "chunk.segments", "Number of segments"),
    U64(chunk_octets, "Octets of the chunk", "chunk.octets", "Sum of the lengths of its segments"),
    U64(chunk_offered, "Octets offered by the Call", "chunk.offered", "Sum of the lengths of the segments in the Call"),
    U64(chunk_moved, "Octets moved in total", "chunk.moved", "Octets of all RDMA operations on the chunk"),
    TREE(segment, "Segment", "segment", "A range of memory"),
    U32(position, "Position", "position",
        "Offset in the RPC message of the contents of the Read chunk; 0: the whole message"),
    HEX(handle, "Handle", "segment.handle", "STag or R_Key of the memory"),
    U32(length, "Length", "segment.length", "Octets of the memory"),
    FIELD(offset, "Offset", "segment.offset", FT_UINT64, BASE_HEX, NULL,
          "Tagged Offset or virtual address of its first octet"),
    U64(operation, "RDMA operation", "operation",
        "iWARP: as counted by rdmap.operation; InfiniBand: counted by request"),
    U64(operation_octets, "Octets moved", "operation.octets",
        "Octets that the operation moved to or from this segment"),
    FRAME(operation_request_in, "Read Request in", "operation.request_in", FT_FRAMENUM_REQUEST,
          "The RDMA Read Request"),
    FRAME(operation_first_in, "First octets in", "operation.first_in", FT_FRAMENUM_NONE,
          "The first frame with octets of the operation"),
    FRAME(operation_last_in, "Last octets in", "operation.last_in", FT_FRAMENUM_NONE,
          "The last frame with octets of the operation"),
    FIELD(err, "Error", "err", FT_UINT32, BASE_DEC, VALS(errs), "rdma_err"),
    U32(vers_low, "Lowest version supported", "vers_low", "rdma_vers_low"),
    U32(vers_high, "Highest version supported", "vers_high", "rdma_vers_high"),

    FIELD(kind, "Kind", "kind", FT_UINT32, BASE_DEC, VALS(kinds), "Role of the message in its transaction"),
    U64(transaction, "Transaction", "transaction", "Position among the transactions of the connection, from 1"),
    FIELD(reverse, "Direction of the Call", "reverse", FT_BOOLEAN, BASE_NONE, TFS(&directions),
          "Whether the server calls the client (RFC 8167)"),
    FIELD(repeated, "Repeated", "repeated", FT_BOOLEAN, BASE_NONE, NULL, "A retransmitted Call, or a second answer"),
    FRAME(response_in, "Answer in", "response_in", FT_FRAMENUM_RESPONSE, "The Reply or RDMA_ERROR to this Call"),
    FIELD(unanswered, "Unanswered", "unanswered", FT_BOOLEAN, BASE_NONE, TFS(&tfs_yes_no),
          "No copy of the Call is answered in the capture; known from the second pass on"),
    FRAME(copy_of, "Copy of", "copy_of", FT_FRAMENUM_RETRANS_PREV, "The first Call that this one repeats"),
    FRAME(refused_in, "Refused in", "refused_in", FT_FRAMENUM_NONE,
          "The Terminate or NAK by which the receiver refused the message or an RDMA operation for it"),
    FRAME(response_to, "Answer to", "response_to", FT_FRAMENUM_REQUEST, "The Call that this answers"),
    FIELD(time, "Time since the Call", "time", FT_RELATIVE_TIME, BASE_NONE, NULL,
          "Time between the Call and this answer"),
    FRAME(complete_in, "RPC message complete in", "complete_in", FT_FRAMENUM_NONE,
          "The frame with the last octets of the Read chunks"),
    U32(credit_in_use, "Calls outstanding", "credit.in_use",
        "Calls of the caller without an answer, after this message"),
    U32(credit_granted, "Credits granted", "credit.granted", "Credits granted by the latest Reply"),
    U32(send_length, "Length of the Send", "length", "Octets of the Send"),
    U32(threshold, "Inline threshold", "inline_threshold", "Largest Send of this direction"),

    HEX(move_xid, "XID", "move.xid", "XID of the Call that offers this memory"),
    U32(move_segment, "Segment", "move.segment", "Position of the segment in the chunk, from 1"),
    U64(move_offset, "Offset in the chunk", "move.offset", "Octets of the chunk before these"),
    U64(move_octets, "Octets here", "move.octets", "Octets of the chunk in this frame"),
    FIELD(move_data, "Chunk data", "move.data", FT_BYTES, BASE_NONE, NULL, "Octets of the chunk"),
    FRAME(move_call_in, "Call in", "call_in", FT_FRAMENUM_REQUEST, "The Call that offers this memory"),
    FRAME(move_answer_in, "Answer in", "answer_in", FT_FRAMENUM_RESPONSE, "The answer to that Call"),

    FRAME(send_first_in, "Send begins in", "send.first_in", FT_FRAMENUM_NONE,
          "InfiniBand: the first packet of this Send"),
    FRAME(send_complete_in, "Send complete in", "send.complete_in", FT_FRAMENUM_NONE,
          "InfiniBand: the last packet of the Send that this packet belongs to"),
    FRAME(taken_in, "Dissected in", "taken_in", FT_FRAMENUM_NONE,
          "InfiniBand: an out-of-order packet is dissected once the packets before it have arrived or are known to be "
          "missing"),
    FIELD(packet_repeated, "Retransmission", "packet.repeated", FT_BOOLEAN, BASE_NONE, NULL,
          "InfiniBand: the packet was seen before"),
    FRAME(received_in, "Received with the copy in", "received_in", FT_FRAMENUM_NONE,
          "InfiniBand: an answer that was sent again, by its latest copy before the Acknowledge. The response time "
          "ends with it"),
    FRAME(packet_copies, "Retransmission of", "packet.copies", FT_FRAMENUM_RETRANS_PREV,
          "InfiniBand: the latest copy of the packet before it"),
    FIELD(part_data, "Data", "part.data", FT_BYTES, BASE_NONE, NULL,
          "InfiniBand: payload that is dissected in another frame"),

    TREE(rpc, "Reassembled RPC message", "rpc", "Inline part and chunks of the message"),
    U32(rpc_length, "Octets", "rpc.length", "Octets of the whole RPC message"),
    U32(rpc_missing, "Octets missing", "rpc.missing", "Octets from the first one that was not captured"),
    FIELD(rpc_data, "RPC message", "rpc.data", FT_BYTES, BASE_NONE, NULL, "Octets of the whole RPC message"),
    TREE(rpc_piece, "Piece", "rpc.piece", "Octets that were moved together"),

    TREE(startup, "Connection set-up", "startup", "RFC 8797"),
    HEX(startup_identifier, "Format identifier", "startup.identifier",
        "0xf6ab0e18 identifies RPC-over-RDMA private data"),
    FIELD(startup_version, "Version", "startup.version", FT_UINT8, BASE_DEC, NULL,
          "Version of the private data format"),
    FIELD(startup_flags, "Flags", "startup.flags", FT_UINT8, BASE_HEX, NULL, "RFC 8797 section 4.1"),
    FIELD_MASKED(startup_flags_r, "R: Remote invalidation", "startup.flags.r", RPCRDMA_PD_FLAG_R,
                 "The sender of this frame supports remote invalidation"),
    U32(startup_send_size, "Send size", "startup.send_size", "Largest Send of the sender of this frame"),
    U32(startup_receive_size, "Receive size", "startup.receive_size",
        "Largest Send that the sender of this frame can receive"),
    U32(startup_to_responder, "Inline threshold to the Responder", "startup.to_responder",
        "Largest Send to the Responder"),
    U32(startup_to_initiator, "Inline threshold to the Initiator", "startup.to_initiator",
        "Largest Send to the Initiator"),
    FIELD(startup_invalidation, "Remote invalidation", "startup.remote_invalidation", FT_BOOLEAN, BASE_NONE, NULL,
          "Both sides support remote invalidation"),
    FRAME(startup_request_in, "Request in", "startup.request_in", FT_FRAMENUM_REQUEST,
          "The private data of the Initiator"),
    FRAME(startup_reply_in, "Reply in", "startup.reply_in", FT_FRAMENUM_RESPONSE, "The private data of the Responder"),

    FIELD(fault, "Octets not understood", "fault", FT_BYTES, BASE_NONE, NULL,
          "Octets from the first one that cannot be decoded"),
    FIELD(beyond, "Octets after the header", "beyond", FT_BYTES, BASE_NONE, NULL,
          "Octets of the Send after the header of a message that carries no RPC message"),
};

static ei_register_info experts[] = {
    {&rpcrdma_ei.fault, {"rpcrdma.fault.found", PI_PROTOCOL, PI_WARN, "Header that cannot be decoded", EXPFILL}},
    {&rpcrdma_ei.incomplete,
     {"rpcrdma.incomplete", PI_REASSEMBLE, PI_NOTE, "Octets of the RPC message are missing", EXPFILL}},
    {&rpcrdma_ei.unplaced,
     {"rpcrdma.unplaced", PI_REASSEMBLE, PI_NOTE, "Chunk whose position in the RPC message is not known", EXPFILL}},
    {&rpcrdma_ei.error, {"rpcrdma.error", PI_RESPONSE_CODE, PI_NOTE, "The transaction failed", EXPFILL}},
};

static int *ett[] = {
    &rpcrdma_ett.rpcrdma,   &rpcrdma_ett.list, &rpcrdma_ett.chunk,   &rpcrdma_ett.segment,
    &rpcrdma_ett.operation, &rpcrdma_ett.rpc,  &rpcrdma_ett.startup, &rpcrdma_ett.credit,
};

void rpcrdma_fields_register(void)
{
    static const char *const layers[] = {"rpcrdma", "rpc", "nfs"};
    expert_module_t *module;

    rpcrdma_proto = proto_register_protocol("RPC-over-RDMA", "RPC-over-RDMA", "rpcrdma");
    proto_register_field_array(rpcrdma_proto, fields, array_length(fields));
    proto_register_subtree_array(ett, array_length(ett));
    module = expert_register_protocol(rpcrdma_proto);
    expert_register_field_array(module, experts, array_length(experts));
    findings_register(&rpcrdma_findings, rpcrdma_proto, "rpcrdma", "related");
    for (size_t i = 0; i < array_length(layers); i++)
        findings_register_layer(module, "rpcrdma", layers[i]);
}

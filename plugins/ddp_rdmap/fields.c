// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ddp_rdmap/fields.h"

#include "wire/rdmap_terminate.h"

int rddp_proto = -1, rdmap_proto = -1;
struct rddp_hf rddp_hf;
struct rdmap_hf rdmap_hf;
/* Wireshark 4.0 requires -1 for subtrees that are not registered yet. */
struct rdmap_ett rdmap_ett = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
struct rdmap_ei rdmap_ei;
struct finding_fields rddp_findings, rdmap_findings;

static const true_false_string models = {"Tagged", "Untagged"};
static value_string opcodes[17];

static const value_string queues[] = {
    {DDP_QN_SEND, "Send"},
    {DDP_QN_READ_REQUEST, "Read and Atomic Requests"},
    {DDP_QN_TERMINATE, "Terminate"},
    {DDP_QN_ATOMIC_RESPONSE, "Atomic Responses"},
    {0, NULL},
};

static const value_string atomics[] = {
    {RDMAP_ATOMIC_FETCH_ADD, "FetchAdd"},
    {RDMAP_ATOMIC_CMP_SWAP, "CmpSwap"},
    {0, NULL},
};

static const value_string layers[] = {
    {RDMAP_LAYER_RDMA, "RDMA"},
    {RDMAP_LAYER_DDP, "DDP"},
    {RDMAP_LAYER_LLP, "LLP"},
    {0, NULL},
};

#define FIELD(hf, member, name, abbrev, type, base, strings, mask, blurb)                                              \
    {                                                                                                                  \
        &hf.member,                                                                                                    \
        {                                                                                                              \
            name, abbrev, type, base, strings, mask, blurb, HFILL                                                      \
        }                                                                                                              \
    }
#define D(member, name, abbrev, type, base, strings, mask, blurb)                                                      \
    FIELD(rddp_hf, member, name, "rddp." abbrev, type, base, strings, mask, blurb)
#define R(member, name, abbrev, type, base, strings, mask, blurb)                                                      \
    FIELD(rdmap_hf, member, name, "rdmap." abbrev, type, base, strings, mask, blurb)
#define D_FRAME(member, name, abbrev, type, blurb)                                                                     \
    D(member, name, abbrev, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), 0x0, blurb)
#define R_FRAME(member, name, abbrev, type, blurb)                                                                     \
    R(member, name, abbrev, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), 0x0, blurb)

static hf_register_info ddp_fields[] = {
    D(control, "DDP control", "control", FT_UINT8, BASE_HEX, NULL, 0x0, "RFC 5041 section 4.1"),
    D(tagged, "T: Buffer model", "tagged", FT_BOOLEAN, 8, TFS(&models), 0x80,
      "Tagged: the segment names its place in a buffer of the receiver"),
    D(last, "L: Last segment of the message", "last", FT_BOOLEAN, 8, TFS(&tfs_yes_no), 0x40,
      "The last segment of a DDP Message"),
    D(rsvd, "Rsvd", "rsvd", FT_UINT8, BASE_HEX, NULL, 0x3C, "Reserved, sent as zero"),
    D(version, "DV: DDP version", "version", FT_UINT8, BASE_DEC, NULL, 0x03, "0 with MPA revision 0, else 1"),
    D(stag, "STag", "stag", FT_UINT32, BASE_HEX, NULL, 0x0, "Steering Tag of the receiver's buffer"),
    D(to, "TO", "to", FT_UINT64, BASE_HEX, NULL, 0x0, "Tagged Offset in the buffer"),
    D(qn, "QN", "qn", FT_UINT32, BASE_DEC, VALS(queues), 0x0, "Queue Number"),
    D(msn, "MSN", "msn", FT_UINT32, BASE_DEC, NULL, 0x0, "Message Sequence Number in the queue, from 1"),
    D(mo, "MO", "mo", FT_UINT32, BASE_DEC, NULL, 0x0, "Message Offset: octets of the message before this segment"),
    D(payload_length, "Payload length", "payload_length", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Octets after the DDP header"),

    D_FRAME(stag_first_seen, "STag first seen in", "stag.first_seen", FT_FRAMENUM_NONE,
            "The first frame that uses the STag since it was last invalidated"),
    D_FRAME(stag_invalidated_in, "STag invalidated in", "stag.invalidated_in", FT_FRAMENUM_NONE,
            "The Send with Invalidate that invalidates the STag"),
    D_FRAME(stag_reused_after, "STag previously invalidated in", "stag.reused_after", FT_FRAMENUM_NONE,
            "The Send with Invalidate that invalidated an earlier STag of this value"),

    D(message, "Message", "message", FT_NONE, BASE_NONE, NULL, 0x0, "The DDP Message of this segment"),
    D(message_number, "Number", "message.number", FT_UINT64, BASE_DEC, NULL, 0x0,
      "Position among the messages of this direction, from 1"),
    D(message_segment, "Segment", "message.segment", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Position of the segment in the message, from 1"),
    D(message_segments, "Segments in total", "message.segments", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Segments of the whole message"),
    D(message_octets, "Octets so far", "message.octets", FT_UINT64, BASE_DEC, NULL, 0x0,
      "Payload of the message up to the end of this segment"),
    D(message_from, "Buffer from TO", "message.from", FT_UINT64, BASE_HEX, NULL, 0x0,
      "TO of the first segment of the message"),
    D_FRAME(message_first_frame, "First segment in", "message.first_frame", FT_FRAMENUM_NONE,
            "The frame with the first segment of the message"),
    D_FRAME(message_last_frame, "Last segment in", "message.last_frame", FT_FRAMENUM_NONE,
            "The frame with the last segment of the message"),
    D(message_partial, "Beginning not captured", "message.partial", FT_BOOLEAN, BASE_NONE, TFS(&tfs_yes_no), 0x0,
      "The capture lacks the first segments of the message"),
    D(gap, "Not received before", "gap", FT_STRING, BASE_NONE, NULL, 0x0,
      "MSNs of the queue, or octets of the message, that had not come before this segment"),
    D(missing, "Missing octets", "missing", FT_STRING, BASE_NONE, NULL, 0x0,
      "Octets of the message that had not arrived before its last segment"),

    D(fragments, "Segments of the message", "fragments", FT_NONE, BASE_NONE, NULL, 0x0,
      "Segments that the message was reassembled from"),
    D_FRAME(fragment, "Segment", "fragment", FT_FRAMENUM_NONE, "A segment of the message"),
    D(fragment_overlap, "Overlap", "fragment.overlap", FT_BOOLEAN, BASE_NONE, NULL, 0x0,
      "The segment overlaps another one"),
    D(fragment_conflict, "Overlap with different octets", "fragment.conflict", FT_BOOLEAN, BASE_NONE, NULL, 0x0,
      "The overlapping octets differ"),
    D(fragment_tails, "Several last segments", "fragment.tails", FT_BOOLEAN, BASE_NONE, NULL, 0x0,
      "More than one segment is marked as the last one"),
    D(fragment_too_long, "Segment beyond the end", "fragment.too_long", FT_BOOLEAN, BASE_NONE, NULL, 0x0,
      "The segment continues beyond the end of the message"),
    D_FRAME(fragment_error, "Error", "fragment.error", FT_FRAMENUM_NONE, "The segments cannot be reassembled"),
    D(fragment_count, "Segments", "fragment.count", FT_UINT32, BASE_DEC, NULL, 0x0, "Number of segments"),
    D_FRAME(reassembled_in, "Message complete in", "reassembled.in", FT_FRAMENUM_NONE,
            "The frame with the last octets of the message to arrive"),
    D(reassembled_length, "Length of the message", "reassembled.length", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Octets of the reassembled message"),

    D(truncated, "Octets without DDP header", "truncated", FT_BYTES, BASE_NONE, NULL, 0x0,
      "ULPDU that is too short for a DDP header"),
};

static hf_register_info rdmap_fields[] = {
    R(control, "RDMAP control", "control", FT_UINT8, BASE_HEX, NULL, 0x0, "RFC 5040 section 4.1"),
    R(version, "RV: RDMAP version", "version", FT_UINT8, BASE_DEC, NULL, 0xC0, "0 with MPA revision 0, else 1"),
    R(rsv, "Rsv", "rsv", FT_UINT8, BASE_HEX, NULL, 0x30, "Reserved, sent as zero"),
    R(opcode, "Opcode", "opcode", FT_UINT8, BASE_HEX, VALS(opcodes), 0x0F, "RFC 5040 section 4.3, RFC 7306 section 4"),
    R(invalidate_stag, "Invalidate STag", "invalidate_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "STag of the receiver that a Send with Invalidate invalidates; zero in the messages of RFC 7306"),
    R(reserved, "Reserved", "reserved", FT_UINT32, BASE_HEX, NULL, 0x0, "Reserved, sent as zero"),

    R(sink_stag, "Data Sink STag", "read.sink_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Buffer of the requester that the Read writes to"),
    R(sink_to, "Data Sink Tagged Offset", "read.sink_to", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Offset in the Data Sink buffer"),
    R(read_size, "RDMA Read Message Size", "read.size", FT_UINT32, BASE_DEC, NULL, 0x0, "Octets to be read"),
    R(source_stag, "Data Source STag", "read.source_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Buffer of the responder that is read"),
    R(source_to, "Data Source Tagged Offset", "read.source_to", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Offset in the Data Source buffer"),

    R(immediate, "Immediate Data", "immediate", FT_BYTES, BASE_NONE, NULL, 0x0, "RFC 7306 section 6"),
    R_FRAME(after_write, "Preceding RDMA Write in", "after_write", FT_FRAMENUM_NONE,
            "The last frame of the last RDMA Write of this direction before the Immediate Data"),

    R(atomic_reserved, "Reserved", "atomic.reserved", FT_UINT32, BASE_HEX, NULL, 0xFFFFFFF0, "Reserved, sent as zero"),
    R(atomic_opcode, "Atomic operation", "atomic.opcode", FT_UINT32, BASE_DEC, VALS(atomics), 0x0000000F,
      "RFC 7306 section 5.2"),
    R(atomic_identifier, "Request Identifier", "atomic.identifier", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Repeated in the Response"),
    R(atomic_stag, "Remote STag", "atomic.stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Buffer of the responder that is operated on"),
    R(atomic_to, "Remote Tagged Offset", "atomic.to", FT_UINT64, BASE_HEX, NULL, 0x0, "Offset in that buffer"),
    R(atomic_data, "Add or Swap Data", "atomic.data", FT_UINT64, BASE_HEX, NULL, 0x0,
      "FetchAdd: value to add; CmpSwap: new value"),
    R(atomic_mask, "Add or Swap Mask", "atomic.mask", FT_UINT64, BASE_HEX, NULL, 0x0,
      "FetchAdd: boundaries of the fields to add; CmpSwap: bits to swap"),
    R(atomic_compare, "Compare Data", "atomic.compare", FT_UINT64, BASE_HEX, NULL, 0x0,
      "CmpSwap: value to compare with"),
    R(atomic_compare_mask, "Compare Mask", "atomic.compare_mask", FT_UINT64, BASE_HEX, NULL, 0x0,
      "CmpSwap: bits to compare"),
    R(atomic_original, "Original Remote Data", "atomic.original", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Value before the operation"),
    R(atomic_after, "Value after the operation", "atomic.after", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Computed from the Request and the original value (RFC 7306 section 5.1)"),

    R(terminate_layer, "Layer", "terminate.layer", FT_UINT8, BASE_HEX, VALS(layers), 0xF0,
      "Layer that detected the error"),
    R(terminate_etype, "EType", "terminate.etype", FT_UINT8, BASE_HEX, NULL, 0x0F, "Error Type"),
    R(terminate_code, "Error Code", "terminate.code", FT_UINT8, BASE_HEX, NULL, 0x0, "Error Code"),
    R(terminate_flags, "Header control bits", "terminate.flags", FT_UINT16, BASE_HEX, NULL, 0x0,
      "Which parts of the header follow"),
    R(terminate_m, "M: DDP Segment Length valid", "terminate.m", FT_BOOLEAN, 16, TFS(&tfs_yes_no), 0x8000,
      "Header control bit M"),
    R(terminate_d, "D: DDP header included", "terminate.d", FT_BOOLEAN, 16, TFS(&tfs_yes_no), 0x4000,
      "Header control bit D"),
    R(terminate_r, "R: RDMAP header included", "terminate.r", FT_BOOLEAN, 16, TFS(&tfs_yes_no), 0x2000,
      "Header control bit R"),
    R(terminate_reserved, "Reserved", "terminate.reserved", FT_UINT16, BASE_HEX, NULL, 0x1FFF,
      "Reserved, sent as zero"),
    R(terminate_length, "DDP Segment Length", "terminate.segment_length", FT_UINT16, BASE_DEC, NULL, 0x0,
      "Length of the segment that caused the error"),
    R(terminate_layout, "Control word read as", "terminate.layout", FT_STRING, BASE_NONE, NULL, 0x0,
      "The control word is not laid out as in RFC 5040; the fields are shown as they were meant"),
    R(terminate_trailing, "Trailing octets", "terminate.trailing", FT_BYTES, BASE_NONE, NULL, 0x0,
      "Octets after the headers of the Terminate"),
    R(terminated_ddp, "Terminated DDP Header", "terminate.ddp", FT_NONE, BASE_NONE, NULL, 0x0,
      "Copied from the segment that caused the error"),
    R(terminated_tagged, "T: Buffer model", "terminate.ddp.tagged", FT_BOOLEAN, 8, TFS(&models), 0x80,
      "Of the segment that caused the error"),
    R(terminated_last, "L: Last segment of the message", "terminate.ddp.last", FT_BOOLEAN, 8, TFS(&tfs_yes_no), 0x40,
      "Of the segment that caused the error"),
    R(terminated_rsvd, "Rsvd", "terminate.ddp.rsvd", FT_UINT8, BASE_HEX, NULL, 0x3C,
      "Reserved by DDP, sent as zero; of the segment that caused the error"),
    R(terminated_dv, "DV: DDP version", "terminate.ddp.dv", FT_UINT8, BASE_DEC, NULL, 0x03,
      "Of the segment that caused the error"),
    R(terminated_rv, "RV: RDMAP version", "terminate.ddp.rv", FT_UINT8, BASE_DEC, NULL, 0xC0,
      "Of the segment that caused the error"),
    R(terminated_rsv, "Rsv", "terminate.ddp.rsv", FT_UINT8, BASE_HEX, NULL, 0x30,
      "Reserved by RDMAP, sent as zero; of the segment that caused the error"),
    R(terminated_opcode, "Opcode", "terminate.ddp.opcode", FT_UINT8, BASE_HEX, VALS(opcodes), 0x0F,
      "Of the segment that caused the error"),
    R(terminated_stag, "STag", "terminate.ddp.stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Of the segment that caused the error"),
    R(terminated_to, "TO", "terminate.ddp.to", FT_UINT64, BASE_HEX, NULL, 0x0, "Of the segment that caused the error"),
    R(terminated_invalidate, "Invalidate STag", "terminate.ddp.invalidate_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Of the segment that caused the error"),
    R(terminated_reserved, "Reserved", "terminate.ddp.reserved", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Of the segment that caused the error"),
    R(terminated_qn, "QN", "terminate.ddp.qn", FT_UINT32, BASE_DEC, VALS(queues), 0x0,
      "Of the segment that caused the error"),
    R(terminated_msn, "MSN", "terminate.ddp.msn", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Of the segment that caused the error"),
    R(terminated_mo, "MO", "terminate.ddp.mo", FT_UINT32, BASE_DEC, NULL, 0x0, "Of the segment that caused the error"),
    R(terminated_read, "Terminated RDMA Header", "terminate.read", FT_NONE, BASE_NONE, NULL, 0x0,
      "Copied from the Read Request that caused the error"),
    R(terminated_sink_stag, "Data Sink STag", "terminate.read.sink_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Of the Read Request that caused the error"),
    R(terminated_sink_to, "Data Sink Tagged Offset", "terminate.read.sink_to", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Of the Read Request that caused the error"),
    R(terminated_size, "RDMA Read Message Size", "terminate.read.size", FT_UINT32, BASE_DEC, NULL, 0x0,
      "Of the Read Request that caused the error"),
    R(terminated_source_stag, "Data Source STag", "terminate.read.source_stag", FT_UINT32, BASE_HEX, NULL, 0x0,
      "Of the Read Request that caused the error"),
    R(terminated_source_to, "Data Source Tagged Offset", "terminate.read.source_to", FT_UINT64, BASE_HEX, NULL, 0x0,
      "Of the Read Request that caused the error"),
    R_FRAME(caused_by, "Caused by the segment in", "terminate.caused_by", FT_FRAMENUM_NONE,
            "The segment whose DDP header the Terminate returns"),
    R(caused_by_operation, "Caused by operation", "terminate.caused_by_operation", FT_UINT64, BASE_DEC, NULL, 0x0,
      "Operation of the segment that caused the error"),

    R(operation, "Operation", "operation", FT_UINT64, BASE_DEC, NULL, 0x0,
      "Position among the operations of the connection, from 1; a Request and its Response are one operation"),
    R_FRAME(response_in, "Response in", "response_in", FT_FRAMENUM_RESPONSE,
            "The last segment of the Response to this Request"),
    R_FRAME(response_to, "Response to", "response_to", FT_FRAMENUM_REQUEST, "The Request that this Response answers"),
    R(time, "Time since the Request", "time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0x0,
      "Time between the Request and this segment of the Response"),
};

const fragment_items rddp_fragment_items = {
    &rdmap_ett.fragment,
    &rdmap_ett.fragments,
    &rddp_hf.fragments,
    &rddp_hf.fragment,
    &rddp_hf.fragment_overlap,
    &rddp_hf.fragment_conflict,
    &rddp_hf.fragment_tails,
    &rddp_hf.fragment_too_long,
    &rddp_hf.fragment_error,
    &rddp_hf.fragment_count,
    NULL,
    &rddp_hf.reassembled_length,
    NULL,
    "segments",
};

static ei_register_info ddp_experts[] = {
    {&rdmap_ei.truncated, {"rddp.no_header", PI_PROTOCOL, PI_WARN, "ULPDU without a whole DDP header", EXPFILL}},
    {&rdmap_ei.gap, {"rddp.gap.seen", PI_SEQUENCE, PI_NOTE, "Segments are missing before this one", EXPFILL}},
    {&rdmap_ei.missing, {"rddp.incomplete", PI_REASSEMBLE, PI_NOTE, "Octets of the message are missing", EXPFILL}},
};

static ei_register_info rdmap_experts[] = {
    {&rdmap_ei.terminate, {"rdmap.terminated", PI_RESPONSE_CODE, PI_NOTE, "The RDMAP stream is terminated", EXPFILL}},
};

static int *ett[] = {
    &rdmap_ett.rddp,       &rdmap_ett.control,         &rdmap_ett.stag,
    &rdmap_ett.message,    &rdmap_ett.fragments,       &rdmap_ett.fragment,
    &rdmap_ett.rdmap,      &rdmap_ett.header,          &rdmap_ett.rdmap_control,
    &rdmap_ett.terminated, &rdmap_ett.terminate_flags,
};

void rdmap_fields_register(void)
{
    expert_module_t *ddp, *rdmap;

    for (unsigned opcode = 0; opcode < 16; opcode++) {
        const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

        opcodes[opcode] = (value_string){opcode, info ? info->name : "unassigned"};
    }
    opcodes[RDMAP_OPCODE_EXPERIMENTAL].strptr = "experimental";
    rddp_proto = proto_register_protocol("Direct Data Placement", "DDP/iWARP", "rddp");
    rdmap_proto = proto_register_protocol("Remote Direct Memory Access Protocol", "RDMAP", "rdmap");
    proto_register_field_array(rddp_proto, ddp_fields, array_length(ddp_fields));
    proto_register_field_array(rdmap_proto, rdmap_fields, array_length(rdmap_fields));
    proto_register_subtree_array(ett, array_length(ett));
    ddp = expert_register_protocol(rddp_proto);
    rdmap = expert_register_protocol(rdmap_proto);
    expert_register_field_array(ddp, ddp_experts, array_length(ddp_experts));
    expert_register_field_array(rdmap, rdmap_experts, array_length(rdmap_experts));
    findings_register(&rddp_findings, rddp_proto, "rddp", "related");
    findings_register(&rdmap_findings, rdmap_proto, "rdmap", "related");
    findings_register_layer(ddp, "rddp", "ddp");
    findings_register_layer(rdmap, "rdmap", "rdmap");
}

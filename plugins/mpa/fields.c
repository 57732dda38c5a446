// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/fields.h"

#include "engine/core/verdict.h"
#include "wire/mpa_startup.h"

int mpa_proto = -1;
struct mpa_hf mpa_hf;
/* Wireshark 4.0 requires -1 for subtrees that are not registered yet. */
struct mpa_ett mpa_ett = {-1, -1, -1, -1, -1, -1, -1, -1};
struct mpa_ei mpa_ei;
struct finding_fields mpa_findings;

static const true_false_string required = {"Required by the sender of this frame", "Not required"};
static const true_false_string preferred = {"Preferred by the sender of this frame", "Not preferred"};
static const true_false_string rejected = {"Rejected", "Accepted"};
static const true_false_string offered = {"Offered", "Not offered"};

static const value_string crc_status[] = {
    {MPA_CRC_DISPLAY_BAD, "bad"},
    {MPA_CRC_DISPLAY_GOOD, "good"},
    {MPA_CRC_DISPLAY_UNVERIFIED, "unverified"},
    {0, NULL},
};

static const value_string directions[] = {
    {DIR_TO_RESPONDER, "initiator-to-responder"},
    {DIR_TO_INITIATOR, "responder-to-initiator"},
    {DIR_UNKNOWN, "unknown"},
    {0, NULL},
};

#define NONE(member, name, abbrev, blurb)                                                                              \
    {                                                                                                                  \
        &mpa_hf.member,                                                                                                \
        {                                                                                                              \
            name, "mpa." abbrev, FT_NONE, BASE_NONE, NULL, 0x0, blurb, HFILL                                           \
        }                                                                                                              \
    }
#define FIELD(member, name, abbrev, type, base, strings, mask, blurb)                                                  \
    {                                                                                                                  \
        &mpa_hf.member,                                                                                                \
        {                                                                                                              \
            name, "mpa." abbrev, type, base, strings, mask, blurb, HFILL                                               \
        }                                                                                                              \
    }
#define FLAG(member, name, abbrev, bits, strings, mask, blurb)                                                         \
    FIELD(member, name, abbrev, FT_BOOLEAN, bits, TFS(&strings), mask, blurb)
#define FRAME(member, name, abbrev, type, blurb)                                                                       \
    FIELD(member, name, abbrev, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(type), 0x0, blurb)

static hf_register_info fields[] = {
    NONE(request, "MPA Request Frame", "request", "RFC 5044 section 7.1.1"),
    NONE(reply, "MPA Reply Frame", "reply", "RFC 5044 section 7.1.1"),
    FIELD(key, "Key", "key", FT_STRING, BASE_NONE, NULL, 0x0, "MPA ID Req Frame or MPA ID Rep Frame"),
    FIELD(flags, "Flags", "flags", FT_UINT8, BASE_HEX, NULL, 0x0, "RFC 5044 section 7.1.1"),
    FLAG(flags_m, "M: Markers", "flags.m", 8, required, MPA_FLAG_M,
         "The sender of this frame requires Markers in the FPDUs it receives"),
    FLAG(flags_c, "C: CRC", "flags.c", 8, preferred, MPA_FLAG_C, "CRCs are used if either side sets it"),
    FLAG(flags_r, "R: Rejected connection", "flags.r", 8, rejected, MPA_FLAG_R,
         "Reply Frames only: the Responder rejects the connection"),
    FLAG(flags_s, "S: Enhanced connection setup", "flags.s", 8, tfs_set_notset, MPA_FLAG_S,
         "Enhanced connection data precede the Private Data (RFC 6581)"),
    FIELD(flags_res, "Res", "flags.res", FT_UINT8, BASE_HEX, NULL, MPA_FLAGS_RES, "Reserved, sent as zero"),
    FIELD(rev, "Revision", "rev", FT_UINT8, BASE_DEC, NULL, 0x0, "Revision of MPA: 1, or 2 with RFC 6581"),
    FIELD(pd_length, "PD_Length", "pd_length", FT_UINT16, BASE_DEC, NULL, 0x0, "Octets of Private Data, at most 512"),
    FIELD(private_data, "Private Data", "private_data", FT_BYTES, BASE_NONE, NULL, 0x0,
          "Private Data of the upper layer"),

    NONE(enhanced, "Enhanced connection data", "enhanced", "RFC 6581 section 6"),
    FLAG(enhanced_a, "A: Peer-to-peer", "enhanced.a", 16, tfs_set_notset, 0x8000,
         "The Initiator sends an RTR indication first"),
    FLAG(enhanced_b, "B: Zero-length Send as RTR", "enhanced.b", 16, offered, 0x4000,
         "RTR indication: Send of zero octets"),
    FIELD(ird, "IRD", "ird", FT_UINT16, BASE_DEC, NULL, MPA_IRD_ORD_NOT_NEGOTIATED,
          "Inbound RDMA Reads that the sender of this frame can have outstanding; 0x3fff: left to the upper layer"),
    FLAG(enhanced_c, "C: Zero-length Write as RTR", "enhanced.c", 16, offered, 0x8000,
         "RTR indication: RDMA Write of zero octets"),
    FLAG(enhanced_d, "D: Zero-length Read as RTR", "enhanced.d", 16, offered, 0x4000,
         "RTR indication: RDMA Read of zero octets"),
    FIELD(ord, "ORD", "ord", FT_UINT16, BASE_DEC, NULL, MPA_IRD_ORD_NOT_NEGOTIATED,
          "Outbound RDMA Reads that the sender of this frame can have outstanding; 0x3fff: left to the upper layer"),

    FRAME(request_in, "Request in", "request_in", FT_FRAMENUM_REQUEST,
          "The MPA Request Frame that this Reply Frame answers"),
    FRAME(reply_in, "Reply in", "reply_in", FT_FRAMENUM_RESPONSE,
          "The MPA Reply Frame that answers this Request Frame"),
    FIELD(time, "Time since the Request", "time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0x0,
          "Time between the MPA Request Frame and this Reply Frame"),

    NONE(fpdu, "FPDU", "fpdu", "RFC 5044 section 4"),
    FIELD(fpdu_number, "FPDU number", "fpdu.number", FT_UINT64, BASE_DEC, NULL, 0x0,
          "Position among the FPDUs of this direction, from 1"),
    FIELD(fpdu_length, "FPDU length", "fpdu.length", FT_UINT32, BASE_DEC, NULL, 0x0,
          "Octets of the whole FPDU, including Markers"),
    FRAME(fpdu_first_frame, "Begins in", "fpdu.first_frame", FT_FRAMENUM_NONE,
          "The frame with the first octets of this FPDU"),
    FIELD(ulpdu_length, "ULPDU_Length", "ulpdu_length", FT_UINT16, BASE_DEC, NULL, 0x0,
          "Octets of the ULPDU, without Markers and PAD"),
    FIELD(pad, "PAD", "pad", FT_BYTES, BASE_NONE, NULL, 0x0, "Octets of zero up to a multiple of four"),
    FIELD(crc, "CRC", "crc", FT_UINT32, BASE_HEX, NULL, 0x0, "CRC32c, least significant octet first"),
    FIELD(crc_status, "CRC status", "crc.status", FT_UINT8, BASE_NONE, VALS(crc_status), 0x0,
          "Result of the CRC verification"),
    FIELD(crc_computed, "Computed CRC", "crc.computed", FT_UINT32, BASE_HEX, NULL, 0x0,
          "CRC32c computed over the FPDU"),
    FIELD(crc_reason, "Not verified because", "crc.reason", FT_STRING, BASE_NONE, NULL, 0x0,
          "Why the CRC was not verified"),

    NONE(marker, "Marker", "marker", "RFC 5044 section 4.3"),
    FIELD(marker_reserved, "Reserved", "marker.reserved", FT_UINT16, BASE_HEX, NULL, 0x0, "Reserved, sent as zero"),
    FIELD(marker_fpduptr, "FPDUPTR", "marker.fpduptr", FT_UINT16, BASE_DEC, NULL, 0x0,
          "Octets from the Marker back to the ULPDU_Length of its FPDU"),
    FIELD(marker_expected, "Expected FPDUPTR", "marker.expected", FT_UINT16, BASE_DEC, NULL, 0x0,
          "FPDUPTR that this Marker should have"),
    FIELD(marker_fpdu, "FPDU begins at stream offset", "marker.fpdu", FT_UINT64, BASE_DEC, NULL, 0x0,
          "Stream offset that FPDUPTR leads to"),

    NONE(state, "Negotiated", "state", "Parameters in effect for this FPDU"),
    FIELD(state_revision, "Revision in effect", "state.revision", FT_UINT8, BASE_DEC, NULL, 0x0,
          "MPA revision agreed on at start-up"),
    FLAG(state_crc, "CRC used", "state.crc", 8, tfs_yes_no, 0x0, "Whether the FPDUs of this connection have a CRC"),
    FLAG(state_markers, "Markers in this direction", "state.markers", 8, tfs_yes_no, 0x0,
         "Whether this direction has Markers"),
    FIELD(state_direction, "Direction", "state.direction", FT_UINT8, BASE_NONE, VALS(directions), 0x0,
          "Direction of this FPDU"),
    FIELD(state_sender, "Sender", "state.sender", FT_STRING, BASE_NONE, NULL, 0x0,
          "Role of the sender: Initiator or Responder"),
    FLAG(state_midstream, "Start not captured", "state.midstream", 8, tfs_yes_no, 0x0,
         "The parameters were inferred from the FPDUs"),

    NONE(part, "Part of a longer frame", "part", "Octets of an FPDU or start-up frame that continues in later frames"),
    FIELD(part_length, "Length of the part", "part.length", FT_UINT32, BASE_DEC, NULL, 0x0,
          "Octets of it in this frame"),
    FRAME(continued_in, "Complete in", "continued_in", FT_FRAMENUM_NONE,
          "The frame in which the FPDU or start-up frame that begins here is complete"),
    NONE(streaming, "Octets outside MPA", "streaming", "Octets before start-up, or after a rejected one"),
    NONE(skipped, "Octets that are part of no FPDU", "skipped", "Octets of the stream that are part of no FPDU"),
    FIELD(skipped_why, "Reason", "skipped.why", FT_STRING, BASE_NONE, NULL, 0x0, "Why they are part of no FPDU"),
    FIELD(hole, "Octets missing", "hole", FT_UINT64, BASE_DEC, NULL, 0x0,
          "Octets of the stream that the dissector did not receive"),
    NONE(repeated, "Octets seen before", "repeated", "A retransmission; dissected where the octets were first seen"),

    NONE(differs, "Retransmission that differs", "differs",
         "The segment sends octets again with other contents (RFC 9293 section 3.4)"),
    FIELD(differs_offset, "First differing octet at stream offset", "differs.offset", FT_UINT64, BASE_DEC, NULL, 0x0,
          "Stream offset of the first octet that differs"),
    FIELD(differs_first, "Octet as first seen", "differs.first", FT_UINT8, BASE_HEX, NULL, 0x0,
          "The octet in the first transmission"),
    FIELD(differs_again, "Octet here", "differs.again", FT_UINT8, BASE_HEX, NULL, 0x0, "The octet in this segment"),
    FRAME(differs_first_frame, "First seen in", "differs.first_frame", FT_FRAMENUM_RETRANS_PREV,
          "The frame with the first transmission"),

    NONE(beyond, "ULPDU not understood by the built-in dissector", "beyond_builtin",
         "ULPDU that made the built-in dissector stop"),
};

static int *const subtrees[] = {
    &mpa_ett.mpa, &mpa_ett.flags,  &mpa_ett.enhanced, &mpa_ett.fpdu,
    &mpa_ett.crc, &mpa_ett.marker, &mpa_ett.state,    &mpa_ett.differs,
};

static ei_register_info experts[] = {
    {&mpa_ei.crc_bad, {"mpa.crc.bad", PI_CHECKSUM, PI_ERROR, "Bad CRC", EXPFILL}},
    {&mpa_ei.crc_unchecked, {"mpa.crc.unchecked", PI_CHECKSUM, PI_CHAT, "CRC not verified", EXPFILL}},
    {&mpa_ei.hole, {"mpa.hole.missing", PI_SEQUENCE, PI_NOTE, "Octets of the stream are missing", EXPFILL}},
    {&mpa_ei.hole_remedy, {"mpa.hole.remedy", PI_SEQUENCE, PI_WARN, "Octets of the stream are missing", EXPFILL}},
    {&mpa_ei.skipped, {"mpa.skipped.octets", PI_UNDECODED, PI_WARN, "Octets that are part of no FPDU", EXPFILL}},
    {&mpa_ei.unread,
     {"mpa.unread", PI_UNDECODED, PI_NOTE,
      "Not followed: too many connections at a time, and this one had been idle longest", EXPFILL}},
};

void mpa_fields_register(void)
{
    expert_module_t *module;

    mpa_proto = proto_register_protocol("Marker PDU Aligned Framing (iWARP)", "MPA", "mpa");
    proto_register_field_array(mpa_proto, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    module = expert_register_protocol(mpa_proto);
    expert_register_field_array(module, experts, array_length(experts));
    findings_register(&mpa_findings, mpa_proto, "mpa", "related_frame");
    findings_register_layer(module, "mpa", "mpa");
}

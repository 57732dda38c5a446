// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Proper answers of conforming scenarios to the stimuli of rules about reactions: the scenario is played as it is. What
 * is answered wrongly is in the table of the rule's family.
 */
#include "traffic-gen/faults/fault.h"

#define PROPER(id_, scenario_, summary_)                                                                               \
    {                                                                                                                  \
        .id = id_ "+ok", .scenario = scenario_, .summary = summary_                                                    \
    }

static const struct fault faults[] = {
    PROPER("MPA-4.1-11", "no-crc", "CRC fields that are no CRC are not looked at"),
    PROPER("MPA-4.3-07", "wrap", "Markers after the wrap of sequence numbers are understood"),
    PROPER("MPA-4.4-09", "no-crc", "the first FPDU without CRC is not checked"),
    PROPER("MPA-4.5-07", "tiny-mss", "MSS 88 and ULPDUs of 128 octets"),
    PROPER("MPA-5.1-06", "unaligned", "FPDUs anywhere in segments are received"),
    PROPER("MPA-5.2-01", "rev1", "faultless FPDUs are received"),
    PROPER("MPA-7.1.2-10", "rev1", "the Request is answered by a Reply"),
    PROPER("MPA-7.1.2-12", "rev1", "the first FPDU is passed to DDP"),
    PROPER("MPA-7.1.5-04", "loss", "startup frames and first FPDUs that come again are received"),
    PROPER("MPA-A.5.1-02", "fragments", "IP fragments are put together"),
    PROPER("MPA-A.5.2-01", "reorder-inside", "an FPDU in segments out of order is received"),
    PROPER("MPA-C.2.1-01", "rdmac-refused", "Request of revision 0, Reply of revision 1, and the Responder closes"),
    PROPER("MPA2-8-01", "rtr-none", "no common RTR type: a Terminate of the LLP, type MPA"),
    PROPER("MPA2-9.1-03", "reads-at-limit", "the Responder serves as many reads as its Reply allowed"),
    PROPER("MPA2-9.1-14", "reads-at-limit", "the Initiator serves as many reads as the Reply announced"),
    PROPER("MPA2-9.2-05", "rtr-send", "the Responder takes the RTR that it had named"),
    PROPER("MPA2-9.2-13", "rtr-none", "no common RTR type: a Terminate"),
    PROPER("MPA2-9.2-14", "rtr-none", "no common RTR type: a Terminate, and the connection is closed"),
    PROPER("MPA2-9.2-15", "rtr-none", "no common RTR type: Terminate 20 07"),
    PROPER("MPA2-9.2-26", "rtr-stag-zero", "the Responder does not look at the STag of an RTR Write"),
    PROPER("DDP-7.2-02", "terminates", "Terminate 1/0/00"),
    PROPER("NFSULB-6.4.2-04", "nfs41", "WRITEs with one Read chunk are carried out"),
};

const struct fault_table proper_faults = {faults, sizeof faults / sizeof faults[0]};

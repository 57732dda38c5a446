// SPDX-License-Identifier: GPL-2.0-or-later
/* Markers: RFC 5044 sections 4.2 and 4.3, and their negotiation in 7.1.1. */
#include "traffic-gen/faults/fault_rows.h"

#define WALK(id, also, summary, deviation) DEVIATION("marker-walk", id, also, summary, deviation)
#define ONE_INSIDE                         "I fpdu from=2 when=one-marker-inside,no-marker-leads "
#define TWO_INSIDE                         "I fpdu from=2 when=two-markers-inside,no-marker-leads "
#define FROM_512                           " mpa.grid=512 mpa.grid-from=512"
#define TERMINATED                         "; R term 2/0/03"

static const struct fault faults[] = {
    WALK("MPA-4.2-01", NULL, "FPDUPTR with its octets swapped", ONE_INSIDE "mpa.ptr-swapped" TERMINATED),
    WALK("MPA-4.2-02", NULL, "RESERVED is 1, covered by the CRC", ONE_INSIDE "mpa.reserved=1"),
    WALK("MPA-4.2-05", NULL, "lowest bit of FPDUPTR set", ONE_INSIDE "mpa.ptr|1"),
    WALK("MPA-4.3-03", NULL, "no Markers inside a long FPDU", TWO_INSIDE "mpa.no-inner-markers; R term 2/0/02"),
    DEVIATION("jumbo-markers", "MPA-4.3-04", NULL, "no Marker before the first FPDU, the next one in its place",
              "I fpdu when=marker-leads mpa.grid=512 mpa.grid-from=512; R close"),
    SCRIPT("markers", "MPA-4.3-04/short", NULL,
           "no Marker before the first FPDU, and the next one where Markers 256 octets apart would be, too",
           "with markers plain; I send len=100" FROM_512 "; R send; I send len=300" FROM_512 "; I send len=200" FROM_512
           "; I send len=600" FROM_512 "; R send"),
    DEVIATION("markers", "MPA-4.3-05", NULL, "the first Marker is 00000004",
              "I fpdu when=marker-leads mpa.first-marker mpa.ptr=4"),
    DEVIATION("jumbo-markers", "MPA-4.3-06", NULL, "second Marker 516 octets after the first",
              "I fpdu when=marker-inside mpa.grid=516; R close"),
    DEVIATION("jumbo-markers", "MPA-4.3-06/period-516", NULL, "all Markers 516 octets apart",
              "I fpdu every mpa.grid=516"),
    DEVIATION("jumbo-markers", "MPA-4.3-06/period-256", NULL, "all Markers 256 octets apart",
              "I fpdu every mpa.grid=256"),
    WALK("MPA-4.3-06/period-500", NULL, "all Markers 500 octets apart", "I fpdu every mpa.grid=500"),
    DEVIATION("jumbo-markers", "MPA-4.3-06/late", NULL, "the first Marker, and all that follow, 8 octets late",
              "I fpdu every mpa.grid=512 mpa.grid-from=8"),
    DEVIATION("wrap", "MPA-4.3-08", NULL, "the Marker after the wrap of sequence numbers is one octet late",
              "I fpdu from=1 when=marker-after-wrap mpa.marker-late=1" TERMINATED),
    WALK("MPA-4.3-09", NULL, "FPDUPTR too large by 4", ONE_INSIDE "mpa.ptr+4" TERMINATED),
    /* That one filled the period after its own Marker. */
    WALK("MPA-4.3-10", NULL, "Marker between FPDUs points back to the one that ended",
         "I fpdu from=1 when=marker-leads mpa.first-marker mpa.ptr=508" TERMINATED),
    WALK("MPA-4.3-11", NULL, "Marker inside an FPDU is zero", ONE_INSIDE "mpa.ptr=0" TERMINATED),
    WALK("MPA-4.3-14", NULL, "second Marker of an FPDU points to the Marker before it",
         TWO_INSIDE "mpa.later-markers mpa.ptr=512" TERMINATED),
    /* The first FPDU of the interval begins right after the Marker before. */
    WALK("MPA-4.3-15", NULL, "Marker points to the first FPDU of the interval",
         "I fpdu from=5 when=one-marker-inside,no-marker-leads,short mpa.ptr=508" TERMINATED),
    /* Private Data of another length, so that the two grids differ. */
    DEVIATION("jumbo-markers", "MPA-4.3-17", NULL, "the Responder's second Marker is on the Initiator's grid",
              "with dataR=120; R fpdu from=1 when=two-markers-inside,no-marker-leads mpa.grid-of-peer; I term 2/0/03"),
    SCRIPT("markers", "MPA-4.3-17/first", NULL, "the Initiator's first Marker is on the Responder's grid",
           "with markers plain dataR=120; I send len=983 mpa.grid-of-peer; R term 2/0/03"),
    WALK("MPA-4.2-03", "MPA-4.2-02", "the receiver answers nonzero RESERVED with a Terminate",
         ONE_INSIDE "mpa.reserved=1" TERMINATED),
    WALK("MPA-4.2-03+ok", "MPA-4.2-02", "the receiver goes on after nonzero RESERVED", ONE_INSIDE "mpa.reserved=1"),
    WALK("MPA-4.2-06", "MPA-4.2-05", "the receiver answers low bits of FPDUPTR with a Terminate",
         ONE_INSIDE "mpa.ptr|1" TERMINATED),
    WALK("MPA-4.2-06+ok", "MPA-4.2-05", "the receiver goes on after low bits of FPDUPTR", ONE_INSIDE "mpa.ptr|1"),
    DEVIATION("wrap", "MPA-4.3-07", NULL, "the receiver complains of a Marker after the wrap of sequence numbers",
              "I fpdu when=wrap-before-marker" TERMINATED),
    SCRIPT("ends-on-grid", "MPA-4.3-18", NULL, "a Marker after the last FPDU",
           "with markers plain; I send len=484; R send; I stream 00000000"),
    DEVIATION("markers-to-initiator", "MPA-7.1.1-08", NULL, "Request with M = 1, the Responder sends no Markers",
              "R fpdu when=markers mpa.markers=0 more=2; I term 2/0/02"),
    DEVIATION("markers-to-responder", "MPA-7.1.1-09", NULL, "Reply with M = 1, the Initiator sends no Markers",
              "I fpdu when=markers mpa.markers=0 more=9; R close"),
    DEVIATION("markers-to-responder", "MPA-7.1.1-10", NULL, "Request with M = 0, the Responder sends Markers",
              "R fpdu when=no-markers mpa.markers=1 more=1; I term 2/0/02"),
    DEVIATION("markers-to-initiator", "MPA-7.1.1-11", NULL, "Reply with M = 0, the Initiator sends Markers",
              "I fpdu when=no-markers mpa.markers=1 more=1; R close"),
    SCRIPT("rev1", "MPA-7.1.1-11/word", NULL, "Reply with M = 0, a lone 00000000 before the Initiator's first FPDU",
           "with plain; I send mpa.before=00000000; R send; I traffic"),
    DEVIATION("permissive", "MPA-C.2.5-04", NULL,
              "Reply of revision 0, the Initiator goes on without Markers as its Request had asked for",
              "I fpdu when=rdmac mpa.markers=0 more=3; R close"),
};

const struct fault_table marker_faults = {faults, sizeof faults / sizeof faults[0]};

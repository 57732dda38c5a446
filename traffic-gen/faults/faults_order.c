// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may speak when, and about what: RFC 5044 sections 7.1 to 7.2. */
#include "traffic-gen/faults/fault_rows.h"

/* Streaming data of the Initiator ("HELLO\n") and the Responder ("Hello Ack"). */
#define HELLO "48454c4c4f0a"
#define ACK   "48656c6c6f2041636b"

static const struct fault faults[] = {
    /* Read as a header the data announce 5 octets, so that the Initiator soon finds that this is no FPDU. */
    SCRIPT("streaming-first", "MPA-7.1-01", NULL, "the Responder sends streaming data after its Reply, then FPDUs",
           "with plain; I send len=24; R stream 00054f4b; R send len=24; I term 2/0/02"),
    SCRIPT("rev1", "MPA-7.1-06", NULL, "the Request is sent twice", "I mpa-request; I mpa-request wait-us=20; R close"),
    SCRIPT("rev2", "MPA2-10-09", NULL, "a second Request, of revision 1, on the same connection",
           "with rev2; I mpa-request; R mpa-reply; "
           "I mpa-request mpa.rev=1 mpa.flags=0x40 mpa.enhanced=0 mpa.data=; R close"),
    SCRIPT("rev1", "MPA-7.1.2-01", NULL, "FPDUs without any startup frame",
           "with plain no-mpa; I send len=24; I send len=48; R close"),
    /* The Private Data follows later; the Reply does not wait for it. */
    SCRIPT(
        "private-data", "MPA-7.1.2-03", NULL, "Reply before the Private Data of the Request has arrived",
        "with dataI=16; I mpa-request mpa.cut=16; R mpa-reply; I stream 707269766174652064617461206f6620; I traffic"),
    SCRIPT("rev1", "MPA-7.1.2-14", NULL, "Reply without a Request", "R mpa-reply"),
    DEVIATION("rev1", "MPA-7.1.2-16", NULL, "the Initiator's first FPDU before the Reply",
              "I fpdu when=not-corked mpa.early"),
    DEVIATION("rev1", "MPA-7.1.2-23", NULL, "the Responder's first FPDU before any of the Initiator's",
              "R fpdu when=not-corked mpa.after-request"),
    DEVIATION("markers", "MPA-7.1.2-25", NULL, "the Responder's first Marker before any FPDU of the Initiator",
              "R fpdu when=markers,not-corked mpa.marker-alone"),
    SCRIPT("rev1", "MPA-7.1.2-24", "MPA-4.4-12", "the Responder answers a first FPDU with a bad CRC",
           "with plain; I send len=24 mpa@-7^0x10; R send len=24; R close"),
    SCRIPT("reject-then-streaming", "MPA-7.1.2-07", NULL, "Terminate after a rejecting Reply",
           "with rejectR=1; R term 2/0/06"),
    SCRIPT("reject-then-streaming", "MPA-7.1.2-19", NULL, "Send after a rejecting Reply",
           "with plain rejectR=1; I send len=24; R close"),
    SCRIPT("rev1", "MPA-7.1.2-32", NULL, "both ends send a Request", "I mpa-request; R mpa-request early"),
    SCRIPT("streaming-first", "MPA-7.1.3-01", NULL, "streaming data between Request and Reply",
           "I stream " HELLO "; I mpa-request; R stream " ACK "; R mpa-reply"),
    SCRIPT("streaming-first", "MPA-7.1.3-01/shared", NULL,
           "streaming data between the Reply and a Request that shares its segment with streaming data",
           "I mpa-request mpa.before=" HELLO "; R stream " ACK "; R mpa-reply"),
    /* The Initiator switches too soon for an answer; that one was sent when only the streaming data had arrived. */
    SCRIPT("streaming-first", "MPA-7.1.5-01", NULL, "Request while the Responder still sends streaming data",
           "I stream " HELLO "; I mpa-request early wait-us=30; R stream " ACK " unread=20; R mpa-reply"),
    SCRIPT("rev1", "MPA-7.2-03", NULL, "FIN after 20 of 48 octets of an FPDU",
           "I traffic; I stream 002a41430000000000000000000000" /* MSN 9 */ "0900000000"),
    DEVIATION("rev1", "MPA-A.1-03", NULL, "an FPDU is left off half way and the next one begun",
              "I fpdu from=3 mpa.half more=2; R term 2/0/02"),
};

const struct fault_table order_faults = {faults, sizeof faults / sizeof faults[0]};

// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's own conduct under MPA, and how FPDUs are cut into segments: RFC 5044 sections 1.2, 5, 7.1.5, 7.2, A. */
#include "traffic-gen/faults/fault_rows.h"

#define BEGUN "with plain; I send len=24; R send len=24; I send len=200; "

/* One FPDU and a half in the first segment, the rest in the second. */
#define HALF "I cork; I 2* send len=176; I uncork; R send len=20; "

static const struct fault faults[] = {
    SCRIPT("rev1", "MPA-1.2-04", NULL, "ACK of octets that were never sent", BEGUN "R segment ack=5000; I traffic"),
    SCRIPT("rev1", "MPA-7.1.5-03", NULL, "retransmission with other octets",
           BEGUN "I segment at=-100 len=100 value=0xEE push wait-us=20; I traffic"),
    SCRIPT("half-close", "MPA-7.2-01", NULL, "octets beyond the FIN",
           BEGUN "I fin; R write len=100; I segment at=1 push hex=002a41430000000000000000000000" /* MSN 9 */
                 "090000000000000000000000000000000000000000000000000000000000000000; R fin"),
    /* FPDUs of 364 octets: segments of 1460 hardly ever begin with one. */
    SCRIPT("unaligned", "MPA-5.1-04", NULL, "all segments begin inside FPDUs that are smaller than a segment",
           BEGUN "I cork; I 400* send len=337; I uncork; R send len=24"),
    SCRIPT("unaligned", "MPA-5.1-05", NULL, "a whole FPDU and a part of the next in one segment",
           "with plain mss=300; I send len=24; R send len=24; " HALF HALF HALF HALF HALF HALF HALF HALF HALF HALF
           "I traffic"),
    DEVIATION("rev1", "MPA-5.1-07", NULL, "a segment sent after a silence begins inside an FPDU",
              "I fpdu from=3 when=not-corked mpa.split-half mpa.acked mpa.gap=3000000"),
    SCRIPT("rev1", "MPA-A.1-05", NULL, "retransmission with other segment boundaries",
           BEGUN "I 2* send len=600; I 12* segment at=-1248 step=100 len=100 push wait-us=20; I traffic"),
    DEVIATION("rev1", "MPA-A.3-04", NULL, "SYN without SACK-permitted", "with no-sack"),
    DEVIATION("rev1", "MPA-A.5.1-01", NULL, "IPv4 without Don't Fragment", "with no-df"),
};

const struct fault_table tcp_faults = {faults, sizeof faults / sizeof faults[0]};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Replies that do not fit their Request: RFC 6581 sections 9 and 10, RFC 5044 Appendix C. */
#include "traffic-gen/faults/fault_rows.h"

static const struct fault faults[] = {
    DEVIATION("ird-zero", "MPA2-9.1-04", NULL, "Request with ORD 16, Reply with IRD 4", "with ordI=16 irdR=4"),
    DEVIATION("rev2", "MPA2-9.1-10", NULL, "Request with IRD 4, accepting Reply with ORD 8", "with irdI=4 ordR=8"),
    DEVIATION("rev2", "MPA2-9.1-22", NULL, "Request with ORD 0x3FFF, Reply with IRD 8", "with ordI=0x3FFF"),
    DEVIATION("rev2", "MPA2-9.1-25", NULL, "Request with IRD 0x3FFF, Reply with ORD 16", "with irdI=0x3FFF"),
    DEVIATION("rev2", "MPA2-9.1-29", NULL, "Reply with IRD 0x3FFF to a Request with ORD 8", "with irdR=0x3FFF"),
    DEVIATION("rev2", "MPA2-9.2-06", NULL, "Request with A = 1, Reply with A = 0", "with rtrI=4"),
    DEVIATION("rev2", "MPA2-9.2-18", NULL, "Request with A = 0, Reply with A = 1 and C = 1", "with rtrR=2"),
    /* The Initiator has nothing in common to send. */
    SCRIPT("rtr-none", "MPA2-9.2-11", NULL, "Reply with A = 1 and none of B, C, D",
           "with rev2 rtrI=1 rtrR=0 aR=1; I term 2/0/07"),
    DEVIATION("rev2", "MPA2-10-01", NULL, "enhanced Request, Reply of revision 1 with S = 0",
              "with revR=1 flagsR=0x40 dataR=0"),
    DEVIATION("rev2-plain", "MPA2-10-02", NULL, "Request with S = 0, Reply with S = 1",
              "with revR=2 flagsR=0x50 irdR=8 ordR=16 rtrR=0 dataR=8"),
    DEVIATION("rev1", "MPA2-10-10", NULL, "Request of revision 1, Reply of revision 2 with S = 0", "with revR=2"),
    DEVIATION("rdmac", "MPA-C.2.5-01", NULL, "Request of revision 0", "with"),
    /* It ends there (Figure 15). Here it goes on. */
    SCRIPT("rdmac-refused", "MPA-C.2-01", NULL, "Request of revision 0, Reply of revision 1, and FPDUs nevertheless",
           "with rev0 revR=1; I traffic"),
};

const struct fault_table negotiation_faults = {faults, sizeof faults / sizeof faults[0]};

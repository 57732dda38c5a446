// SPDX-License-Identifier: GPL-2.0-or-later
/* RTR, outstanding reads, Terminates of the establishment, versions: RFC 6581 sections 5 to 9, RFC 5044 Appendix C. */
#include "traffic-gen/faults/fault_rows.h"

/* Sets of RTR types: 1 Send, 2 Write, 4 Read. */
#define TYPES(offered, supported) "with rev2 plain rtrI=" offered " rtrR=" supported "; "
#define LIMITED                   "with rev2 plain irdI=1 ordI=1 irdR=1 ordR=1; I send len=24; R send len=24; "
#define SPOKEN_24                 "with plain; I send len=24; R send len=24; "
#define ON                        "R send len=40; I traffic"

static const struct fault faults[] = {
    DEVIATION("rev1", "MPA-C.1-01", NULL, "DDP version 1 and RDMAP version 0 in one Send",
              "I fpdu from=2 mpa.ulpdu1&0x3F; R term 0/2/05"),
    SCRIPT("rev1", "MPA-C.1-03", NULL, "version 1 to the Responder, version 0 to the Initiator",
           "with plain; I send len=24; R send len=24 dv=0 rv=0; I term 1/2/06"),
    SCRIPT("rdmac", "MPA-C-01", NULL, "FPDUs of version 0 without startup frames",
           "with rev0 plain no-mpa; I send len=24; R send len=24; I write len=3000; I send len=24"),
    SCRIPT("rtr-choice", "MPA2-1.1-01", "MPA-3-07", "an FPDU with ULPDU_Length 0 as RTR",
           TYPES("7", "7") "I fpdu; R term 1/0/00"),
    SCRIPT("rtr-choice", "MPA2-5-02", NULL, "a Send with data before the RTR",
           TYPES("7", "7") "I send len=24; I rtr write; " ON),
    SCRIPT("reads-at-limit", "MPA2-9.1-15", NULL, "two Read Requests outstanding, Reply with IRD 1",
           LIMITED "I read size=100; I read size=200; R 2* answer; I send len=24"),
    SCRIPT("reads-at-limit", "MPA2-9.1-15/atomics", NULL,
           "five Atomic Requests outstanding, Reply with IRD 4; the fifth is refused",
           "with rev2 ird=4; I send; R send; I 5* fadd; R term 1/2/02"),
    SCRIPT("reads-at-limit", "MPA2-9.1-28", NULL, "two Read Requests of the Responder outstanding, Reply with ORD 1",
           LIMITED "R read size=100; R read size=200; I 2* answer; R send len=24"),
    SCRIPT("rtr-choice", "MPA2-9.2-12", NULL, "RTR Write although only Read is common",
           TYPES("6", "4") "I rtr write; " ON),
    SCRIPT("rtr-send", "MPA2-9.2-21", NULL, "RTR Send with four octets of payload",
           TYPES("1", "1") "I send len=4; " ON),
    SCRIPT("rtr-write", "MPA2-9.2-22", NULL, "RTR Write with four octets of payload",
           TYPES("2", "2") "I write len=4; " ON),
    SCRIPT("rtr-read", "MPA2-9.2-23", NULL, "RTR Read of eight octets", TYPES("4", "4") "I read size=8; R answer; " ON),
    SCRIPT("rtr-read", "MPA2-9.2-24", NULL, "no Read Response to the RTR Read",
           TYPES("4", "4") "I read size=0; R send len=40; I send len=24"),
    SCRIPT("rtr-send", "MPA2-9.2-27", NULL, "MSN 1 again after an RTR Send",
           TYPES("1", "1") "I rtr send; I send len=24 msn=1; R term 1/2/03"),
    SCRIPT("rtr-read", "MPA2-9.2-28", NULL, "RTR Read although the Reply has IRD 0",
           "with rev2 plain rtrI=4 rtrR=4 ordI=0 irdR=0; I rtr read; R send len=40; I send len=40"),
    SCRIPT("rtr-read", "MPA2-9.2-28/refused", NULL, "RTR Read although the Reply has IRD 0, which is refused",
           "with rev2 ordI=0 irdR=0 rtrI=4 rtrR=4; I read size=0; R term 1/2/02"),
    SCRIPT("terminate", "MPA-8-16", NULL, "Terminate 20 09", SPOKEN_24 "R term 2/0/09"),
    SCRIPT("terminate", "MPA2-8-02", NULL, "Terminate 20 06 under revision 1", SPOKEN_24 "R term 2/0/06"),
    /* As Terminates of the upper layers have it. */
    SCRIPT("rtr-none", "MPA2-8-03", NULL, "Terminate 20 07 with a DDP header in it",
           TYPES("1", "4") "I term 2/0/07 m=1 d=1 have-len=1 have-ddp=1 tlen=22 e.l=1 e.dv=1 e.rv=1 e.op=3 e.msn=1"),
};

const struct fault_table rtr_faults = {faults, sizeof faults / sizeof faults[0]};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of DDP headers, queues and Tagged messages: RFC 5041 sections 4, 5 and 6. */
#include "traffic-gen/faults/fault_rows.h"

#define DDP(id, summary, script) SCRIPT("ddp", id, NULL, summary, SPOKEN script)

static const struct fault faults[] = {
    /* Control octet, header */
    SCRIPT("ddp", "DDP-3-08", NULL, "neither end wants CRC", "with no-crc; I send; R send"),
    DDP("DDP-4.1-01", "a Write with DV in the highest bits of the control octet, T and L in the lowest",
        "I write @0=0x43; R term 1/2/06"),
    DDP("DDP-4.1-10", "a Send with one bit of Rsvd set", "I send rsvd=1; R send"),
    DDP("DDP-4.1-10/write", "a Write with all bits of Rsvd set", "I write rsvd=15; R send"),
    DDP("DDP-4.1-12", "a Send with DV 2", "I send dv=2; R term 1/2/06"),
    DDP("DDP-4.1-12/write", "a Write with DV 3", "I write dv=3; R term 1/1/04"),
    DDP("DDP-4.2-01", "a Tagged segment of 10 octets", "I write cut=10; R term 1/0/00"),
    DDP("DDP-4.3-01", "an Untagged segment of 14 octets", "I send cut=14; R term 1/0/00"),
    DDP("DDP-4.4-01", "an ULPDU of one octet", "I send cut=1; R term 1/0/00"),
    /* Last */
    DDP("DDP-4.1-04", "a Send without Last, and the next Send",
        "I send l=0 len=100; I send fresh len=20; R term 1/2/03"),
    DDP("DDP-4.1-04/write", "a Write without Last, and a Write to another STag",
        "I write l=0 len=100; I write fresh stag=0x5B17C201 to=0x700 len=50; R send"),
    DDP("DDP-4.1-04/immediate", "Immediate Data without Last", "I imm l=0; I send; R term 1/2/03 back=1"),
    DDP("DDP-4.1-04/answer", "a Read Response without Last, and the next one",
        "I 2* read size=500; R answer l=0; R answer fresh of=1; I send"),
    DDP("DDP-4.1-05", "Last on the first of two segments of a Send",
        "I send len=100; I send fresh msn-1 mo=100 len=20; R term 1/2/03"),
    DDP("DDP-4.1-06", "the segment with Last comes first",
        "I cork; I send mo=100 len=20; I send fresh msn-1 l=0 len=100; I uncork; R term 1/2/04 back=1"),
    DDP("DDP-4.1-07", "Last not on the highest MO",
        "I send l=0 len=100; I send mo=200 l=0 len=50; I send mo=100 len=100; R send"),
    /* Untagged messages */
    DDP("DDP-4.3-06", "another Invalidate STag in the second segment",
        "I send-inv len=100 l=0; I send-inv stag=0 len=20; R send"),
    DDP("DDP-4.3-09", "another QN in the second segment", "I send l=0 len=100; I send qn=1 len=20; R term 0/2/06"),
    DDP("DDP-4.3-12", "MSN 4 after MSN 1", "I send msn+2; R term 1/2/03"),
    DDP("DDP-4.3-12/next", "MSN 3 after MSN 1", "I send msn+1; R term 1/2/03"),
    DDP("DDP-4.3-12/again", "MSN 1 twice", "I send msn-1; R term 1/2/03"),
    SCRIPT("ddp", "DDP-4.3-13", NULL, "MSN 0 in the first Send", "I send msn=0; R term 1/2/03"),
    SCRIPT("ddp", "DDP-4.3-13/read", NULL, "MSN 0 in the first Read Request", SPOKEN "I read msn=0; R term 1/2/03"),
    SCRIPT("ddp", "DDP-4.3-13/negotiated", NULL, "MSN 7 in the first Read Request, IRD negotiated",
           "with rev2; " SPOKEN "I read msn=7; R term 1/2/03"),
    SCRIPT("ddp", "DDP-4.3-14", NULL, "MSN 1 after MSN FFFFFFFF",
           "with late msn=0xFFFFFFFD; I 2* send; R send; I send msn=1; R term 1/2/03"),
    DDP("DDP-4.3-15", "MSN 4 in the first Read Request, after three Sends", "I 2* send; I read msn=4; R term 1/2/03"),
    DDP("DDP-4.3-16", "the next MSN in the second segment", "I send l=0 len=100; I send msn+1 len=20; R term 1/2/03"),
    DDP("DDP-4.3-18", "MO in words of four octets", "I send l=0 len=100; I send mo=25 len=20; R term 1/2/04"),
    DDP("DDP-4.3-19", "a Send in one segment with MO 4", "I send mo=4 len=20; R term 1/2/04"),
    DDP("DDP-5.2-01", "an empty segment with Last after the payload", "I send l=0 len=100; I send len=0; R send"),
    DDP("DDP-5.2-03", "MO and length exceed 2^32", "I send mo=0xFFFFFFF0 len=32; R term 1/2/04"),
    DDP("DDP-5.2-07", "a gap of four octets in MO", "I send l=0 len=100; I send mo=104 len=20; R term 1/2/04"),
    DDP("DDP-5.2-14", "an empty Send in two segments", "I send l=0 len=0; I send len=0; R send"),
    DDP("DDP-5.3-02", "MSN 3 before MSN 2", "I cork; I send msn+1; I send msn-2; I uncork; R term 1/2/03 back=1"),
    DDP("DDP-5.3-03", "the first two of three segments in the other order",
        "I send mo=100 l=0 len=100; I send mo=0 l=0 len=100; I send mo=200 len=50; R send"),
    /* Tagged messages */
    DDP("DDP-4.2-06", "the opcode of a Read Response in the second segment of a Write",
        "I write l=0 len=100; I write op=2 len=50; R term 0/2/06"),
    DDP("DDP-4.2-12", "another STag in the second segment",
        "I write l=0 len=100; I write stag+1 len=50; R term 1/1/00"),
    DDP("DDP-4.2-15", "TO in the other octet order in the second segment",
        "I write to=0x1000 l=0 len=100; I write to=0x6410000000000000 len=50; R term 1/1/01"),
    DDP("DDP-5.2-11", "a gap of 100 octets in TO", "I write l=0 len=100; I write to+100 len=50; R send"),
    DDP("DDP-5.3-04", "the first two of three segments in the other order",
        "I write to=0x10100 l=0 len=256; I write to=0x10000 l=0 len=256; I write to=0x10200 len=50; R send"),
    DDP("DDP-5.3-05", "a Send between the segments of a Read Response",
        "I read size=2000; R answer len=1000 l=0; R send; R answer"),
    DDP("DDP-4.2-08", "a Write to the STag that was just invalidated",
        "I send-inv stag=0x5B17C201; I write stag=0x5B17C201 len=4; R term 1/1/00"),
    DDP("DDP-7.1-16", "TO and length exceed 2^64", "I write to=0xFFFFFFFFFFFFFFFC len=8; R term 1/1/03"),
    DDP("DDP-7.1-16/read", "SrcTO and length exceed 2^64", "I read srcto=0xFFFFFFFFFFFFFFFC size=8; R term 0/1/04"),
    /* Ends */
    DDP("DDP-6.2.1-02", "FIN after the first segment of a Send", "I send l=0 len=50; I fin; R fin"),
};

const struct fault_table ddp_faults = {faults, sizeof faults / sizeof faults[0]};

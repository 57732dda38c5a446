// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of Terminate messages: RFC 5040 sections 4.8 and 7.1, RFC 5041 section 7.2. */
#include "traffic-gen/faults/fault_rows.h"

#define TERM(id, also, summary, script) SCRIPT("rdmap", id, also, summary, SPOKEN script)
#define WRONG_DV                        "I send dv=2; "
/* What a Terminate about a Read says after 2048 of its octets were sent. */
#define HALF_READ "I read size=5000; R answer len=2048 l=0; "

static const struct fault faults[] = {
    TERM("RDMAP-4.2-03", "DDP-4.1-12", "text after the Terminate header",
         WRONG_DV "R term 1/2/06 grow=10 @42=0x74 @43=0x65 @44=0x78 @45=0x74"),
    TERM("RDMAP-4.8-01", NULL, "a Terminate of two octets", "R term 0/0/00 cut=20"),
    TERM("RDMAP-4.8-02", "DDP-4.1-12", "the control word in the other octet order",
         WRONG_DV "R term 1/2/06 @18=0 @19=0xC0 @20=0x06 @21=0x12"),
    TERM("RDMAP-4.8-02/crc", "MPA-4.4-12", "Terminate 2/0/02 with Layer and EType in each other's place",
         "I send bad-crc; R term 0/0/00 @18=0x02 @19=0x02"),
    TERM("RDMAP-4.8-02/host", "DDP-4.1-12,RDMAP-4.1-14,RDMAP-4.8-26",
         "Terminates of two connections with Layer and EType in each other's place, the second without headers",
         WRONG_DV "R term 1/2/06 @18=0x21 @20=0x03; next; I send; R send; I send op=12; R term 0/2/06 "
                  "have-len=0 have-ddp=0 m=0 d=0 @18=0x20"),
    TERM("RDMAP-4.8-03", NULL, "Terminate 0/3/00", "R term 0/3/00"),
    TERM("RDMAP-4.8-04", NULL, "Terminate 5/0/00", "R term 5/0/00"),
    TERM("RDMAP-4.8-20", NULL, "Terminate 0/1/05", "I read; R term 0/1/05"),
    TERM("RDMAP-4.8-21", NULL, "Terminate 0/2/00", "R term 0/2/00"),
    TERM("RDMAP-4.8-25", "DDP-4.1-12", "M = 0 in Terminate 1/2/06", WRONG_DV "R term 1/2/06 m=0"),
    TERM("RDMAP-4.8-26", NULL, "D = 0 in Terminate 0/1/00 about a Read",
         "I read; R term 0/1/00 m=0 d=0 r=0 have-len=0 have-ddp=0 have-read=0"),
    TERM("RDMAP-4.8-27", NULL, "R = 0 in Terminate 0/1/01 about a Read", "I read; R term 0/1/01 r=0 have-read=0"),
    TERM("RDMAP-4.8-28", NULL, "a reserved bit is set", "I read; R term 0/1/00 res=1"),
    TERM("RDMAP-4.8-30", "DDP-4.1-12", "DDP Segment Length 0", WRONG_DV "R term 1/2/06 tlen=0"),
    TERM("RDMAP-4.8-31", "DDP-4.3-12", "no DDP Segment Length", "I send msn-1; R term 1/2/03 have-len=0"),
    TERM("RDMAP-4.8-32", "DDP-4.1-12", "ten octets of an Untagged header", WRONG_DV "R term 1/2/06 cut=34"),
    TERM("RDMAP-4.8-33", NULL, "the header of no segment that there was", "R term 1/2/03 e.msn=77"),
    TERM("RDMAP-4.8-34", NULL, "D = 1 in Terminate 0/0/00", "R term 0/0/00 d=1 have-len=1 have-ddp=1"),
    TERM("RDMAP-4.8-35", "DDP-4.1-12", "D = 1 without DDP Header", WRONG_DV "R term 1/2/06 have-ddp=0"),
    TERM("RDMAP-4.8-36", NULL, "R = 1 in Terminate 0/1/09 about a Send with Invalidate",
         "I send-inv; R term 0/1/09 r=1 have-read=1"),
    TERM("RDMAP-4.8-37", NULL, "R = 1 without RDMA Header", "I read; R term 0/1/00 have-read=0"),
    TERM("RDMAP-4.8-38", NULL, "another size in the RDMA Header", "I read; R term 0/1/00 size-1"),
    TERM("RDMAP-4.8-39", NULL, "another SinkSTag in the RDMA Header of a Read half done",
         HALF_READ "R term 0/1/01 sink+1 sinkto+2048 size-2048 srcto+2048"),
    TERM("RDMAP-4.8-40", NULL, "the first SinkTO in the RDMA Header of a Read half done",
         HALF_READ "R term 0/1/01 size-2048 srcto+2048"),
    TERM("RDMAP-4.8-41", NULL, "the whole size in the RDMA Header of a Read half done",
         HALF_READ "R term 0/1/01 sinkto+2048 srcto+2048"),
    TERM("RDMAP-4.8-42", NULL, "another SrcSTag in the RDMA Header of a Read half done",
         HALF_READ "R term 0/1/01 src+1 sinkto+2048 size-2048 srcto+2048"),
    TERM("RDMAP-4.8-43", NULL, "the first SrcTO in the RDMA Header of a Read half done",
         HALF_READ "R term 0/1/01 sinkto+2048 size-2048"),
    TERM("RDMAP-4.8-45", NULL, "M = 1 in Terminate 0/0/00", "R term 0/0/00 m=1 have-len=1"),
    TERM("RDMAP-4.8-46", NULL, "Terminate 0/1/00 about a Write", "I write; R term 0/1/00"),
    TERM("RDMAP-4.8-47", "RDMAP-4.1-14", "R = 1 in Terminate 0/2/06 about a Send",
         "I send op=12; R term 0/2/06 r=1 have-read=1"),
    TERM("RDMAP-4.8-48", "DDP-4.1-12", "R = 1 in Terminate 1/1/04", "I write dv=2; R term 1/1/04 r=1 have-read=1"),
    TERM("RDMAP-4.8-49", "MPA-4.4-12", "D = 1 in Terminate 2/0/02",
         "I send bad-crc; R term 2/0/02 d=1 have-len=1 have-ddp=1"),
    TERM("RDMAP-4.8-50", NULL, "Terminate 0/1/09 about a plain Send", "I send; R term 0/1/09"),
    TERM("RDMAP-7.1-03", NULL, "octets of some RDMA Header in Terminate 0/0/00",
         "R term 0/0/00 r=1 have-read=1 sink=1"),
    TERM("DDP-7.2-01", "DDP-4.1-12", "Terminate 1/2/00", WRONG_DV "R term 1/2/00"),
    TERM("DDP-7.2-02", NULL, "Terminate 1/0/05", "R term 1/0/05"),
    TERM("DDP-7.2-14", NULL, "Terminate 1/3/00", "R term 1/3/00"),
    TERM("DDP-7.2-15", "DDP-4.1-12", "Terminate 1/2/06 about a Tagged segment", "I write dv=3; R term 1/2/06"),
    TERM("DDP-7.2-16", NULL, "Terminate 1/2/06 about a segment with DV 1", "R term 1/2/06"),
    TERM("RDMAP-5.4-04", NULL, "a Terminate with MSN 2", "R term 0/0/00 msn=2"),
};

const struct fault_table terminate_faults = {faults, sizeof faults / sizeof faults[0]};

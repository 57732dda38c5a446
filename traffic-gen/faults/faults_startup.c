// SPDX-License-Identifier: GPL-2.0-or-later
/* Startup frames, each on its own: RFC 5044 section 7.1, RFC 6581 sections 6 and 9. */
#include "traffic-gen/faults/fault_rows.h"

static const struct fault faults[] = {
    DEVIATION("rev1", "MPA-7.1.1-01", NULL, "key of the Request is 'MPA ID req Frame'",
              "I mpa-request mpa@7=0x72; R close"),
    DEVIATION("rev1", "MPA-7.1.1-04", NULL, "key of the Reply is 'MPA ID rep Frame'",
              "R mpa-reply mpa@7=0x72; I close"),
    DEVIATION("rev1", "MPA-7.1.1-07", NULL, "PD_Length of the Reply is little-endian",
              "with dataI=4 dataR=4; R mpa-reply mpa.len-swapped; I close"),
    DEVIATION("rev1", "MPA-7.1.1-18", NULL, "Request with R = 1", "I mpa-request mpa.flags|0x20"),
    DEVIATION("rev1", "MPA-7.1.1-21", NULL, "Request with a Res bit (0x01)", "I mpa-request mpa.flags|0x01"),
    DEVIATION("rev1", "MPA-7.1.1-23", NULL, "Request of revision 7", "I mpa-request mpa.rev=7; R close"),
    DEVIATION("rev1", "MPA-7.1-05", NULL, "Request followed by its CRC32c", "I mpa-request mpa.crc; R close"),
    DEVIATION("private-data", "MPA-7.1.1-28", NULL, "Request with four octets more than PD_Length says",
              "with dataI=4 dataR=4; I mpa-request mpa.after=666f7572; R close"),
    DEVIATION("private-data", "MPA-7.1.1-28/short", NULL, "four octets fewer than PD_Length says, then silence",
              "with dataI=4 dataR=4; I mpa-request mpa.len+4; R close"),
    DEVIATION("rev1", "MPA-7.1.1-29", NULL, "PD_Length 0, yet four zero octets follow",
              "I mpa-request mpa.after=00000000; R close"),
    DEVIATION("rev1", "MPA-7.1.1-34", NULL, "513 octets of Private Data",
              "I mpa-request mpa.fill=533 mpa.filler=0x66 mpa@18=2 mpa@19=1; R close"),
    DEVIATION("rev1", "MPA-C.1-05", NULL, "Request of revision 0 with M = 0",
              "I mpa-request mpa.rev=0 mpa.flags=0x40; R close"),
    DEVIATION("rdmac", "MPA-C.2.3-01", NULL, "Reply of revision 0 with M = 0 to a Request of revision 0",
              "R mpa-reply mpa.flags&0x7F"),
    DEVIATION("permissive", "MPA-C.2.5-02", NULL, "Reply of revision 0 with M = 0 to a Request of revision 1",
              "R mpa-reply mpa.flags&0x7F"),
    DEVIATION("rev2", "MPA2-6-02", NULL, "enhanced Request with Res bit 0x08", "I mpa-request mpa.flags|0x08"),
    DEVIATION("rev2", "MPA2-6-04", NULL, "Request with S = 1 and revision 1",
              "I mpa-request enhanced mpa.rev=1; R close"),
    DEVIATION("rev2", "MPA2-6-07", NULL, "PD_Length counts the upper layer's octets alone",
              "I mpa-request enhanced mpa.len-4; R close"),
    DEVIATION("rev2-reject", "MPA2-6-08", NULL, "rejecting Reply with S = 1 and PD_Length 0",
              "R mpa-reply enhanced mpa.enhanced=0 mpa.data="),
    DEVIATION("rev2", "MPA2-6-08/two", NULL, "Request with S = 1 and PD_Length 2",
              "I mpa-request enhanced mpa.enhanced=0 mpa.data=0008; R close"),
    /* A = 1, D = 1, IRD 16, ORD 8. */
    DEVIATION("rev2-plain", "MPA2-6-01", NULL, "enhanced data in a Request with S = 0",
              "I mpa-request mpa.flags&0xEF mpa.enhanced=0 mpa.data=80104008"),
    DEVIATION("rev2", "MPA2-9-01", NULL, "enhanced data after the upper layer's",
              "I mpa-request enhanced mpa.enhanced-last mpa@-4=0x80 mpa@-3=0x10 mpa@-2=0x40 mpa@-1=0x08; R close"),
    /* IRD 16 with A as 10 80, ORD 8 with D as 08 40. */
    DEVIATION("rev2", "MPA2-9-02", NULL, "enhanced data in little-endian order",
              "I mpa-request enhanced mpa@20=0x10 mpa@21=0x80 mpa@22=0x08 mpa@23=0x40"),
    DEVIATION("rev2", "MPA2-9.2-04", NULL, "Request with A = 1 and none of B, C, D",
              "I mpa-request enhanced mpa.a=1 mpa.rtr=0; R close"),
    DEVIATION("rev2", "MPA2-9.2-19", NULL, "Request with A = 0 and D = 1", "I mpa-request enhanced mpa.rtr=4"),
};

const struct fault_table startup_faults = {faults, sizeof faults / sizeof faults[0]};

// SPDX-License-Identifier: GPL-2.0-or-later
/* The CRC: RFC 5044 section 4.4. Each fault puts a particular wrong value where CRC32c over the right octets is due. */
#include "traffic-gen/faults/fault_rows.h"

static const struct fault faults[] = {
    DEVIATION("rev1", "MPA-4.4-07", NULL, "CRC right in many FPDUs, then 00000000",
              "I fpdu from=12 mpa.crc=0; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.4-12", NULL, "CRC-32 of Ethernet instead of CRC32c",
              "I fpdu from=2 mpa.crc-of-ethernet; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.4-13", NULL, "CRC with its most significant octet first",
              "I fpdu from=2 mpa.crc-swapped; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.4-14", NULL, "CRC without ULPDU_Length",
              "I fpdu from=2 mpa.crc-without-length; R term 2/0/02"),
    DEVIATION("marker-walk", "MPA-4.4-15", NULL, "CRC without the Marker between PAD and CRC",
              "I fpdu from=1 when=marker-before-crc mpa.crc-without-last-marker; R term 2/0/02"),
    DEVIATION("marker-walk", "MPA-4.4-16", NULL, "CRC of a later FPDU begun after its leading Marker",
              "I fpdu from=1 when=marker-leads mpa.crc-without-leading-marker; R term 2/0/02"),
    DEVIATION("marker-walk", "MPA-4.4-17", NULL, "CRC covers the Marker that follows the FPDU",
              "I fpdu from=1 when=ends-on-grid mpa.crc-with-next-marker; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.4-18", NULL, "CRC straight after ULPDU_Length",
              "I fpdu from=2 mpa.crc-after-length; R term 2/0/02"),
    /* The first FPDU: the Responder may not send any (7.1.2). */
    DEVIATION("figures", "MPA-4.3-12", NULL, "Figure 5 with a CRC that leaves the leading Marker out",
              "I fpdu when=marker-leads mpa.crc-without-leading-marker; R close"),
    DEVIATION("marker-walk", "MPA-4.3-13", NULL, "CRC without the Marker inside the FPDU",
              "I fpdu from=2 when=marker-in-ulpdu mpa.crc-without-marker; R term 2/0/02"),
    DEVIATION("crc-by-reply", "MPA-7.1.1-15", NULL, "the Initiator sends 00000000 although the Reply has C = 1",
              "I fpdu every mpa.crc=0; R close"),
    DEVIATION("rdmac", "MPA-C.1-04", NULL, "revision 0 without CRC", "I fpdu every mpa.crc=0; R close"),
    DEVIATION("rev1", "MPA-4.4-12/damaged", NULL, "an octet changed on its way, as every CRC is for",
              "I fpdu from=4 when=send mpa@-7^0x10; R term 2/0/02"),
};

const struct fault_table crc_faults = {faults, sizeof faults / sizeof faults[0]};

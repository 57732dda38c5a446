// SPDX-License-Identifier: GPL-2.0-or-later
/* FPDU format: RFC 5044 sections 3 and 4.1. */
#include "traffic-gen/faults/fault_rows.h"

static const struct fault faults[] = {
    DEVIATION("rev1", "MPA-3-01", NULL, "two RDMA Read Requests in one FPDU, ULPDU_Length 92",
              "I fpdu when=read mpa.twice; R term 1/2/05"),
    DEVIATION("rev1", "MPA-3-03", NULL, "ULPDUs of 8000 octets with an MSS of 1460", "with mulpdu=8000"),
    DEVIATION("jumbo", "MPA-3-05", NULL, "ULPDU_Length 64769", "I fpdu from=1 mpa.ulpdu=64769"),
    DEVIATION("rev1", "MPA-3-07", NULL, "FPDU with ULPDU_Length 0 and a right CRC",
              "I fpdu from=2 mpa.ulpdu=0; R term 1/0/00"),
    DEVIATION("rev1", "MPA-3-16", NULL, "DDP and RDMAP version 0 in a Send under MPA revision 1",
              "I fpdu from=2 mpa.ulpdu0&0xFC mpa.ulpdu1&0x3F; R term 1/2/06"),
    SCRIPT("rev1", "MPA-3-16/first", NULL, "the same in the first FPDU, whose receiver closes at once",
           "with plain; I send len=24 dv=0 rv=0; R fin; I fin"),
    /* Read as a header the stray octets announce 5 octets, so that the receiver soon finds a wrong CRC. */
    DEVIATION("rev1", "MPA-4.1-01", NULL, "three stray octets between two FPDUs",
              "I fpdu from=3 mpa.before=00055a; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.1-02", NULL, "ULPDU_Length counts itself and the CRC, too",
              "I fpdu from=2 when=end-of-send mpa.len+6 more=1; R term 2/0/02"),
    DEVIATION("marker-walk", "MPA-4.1-03", NULL, "ULPDU_Length counts the Marker inside the FPDU",
              "I fpdu from=2 when=one-marker-inside,no-marker-leads mpa.len+4 more=1; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.1-04", NULL, "the three PAD octets are missing",
              "I fpdu from=1 when=pad-3 mpa.pad=0 more=1; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.1-05", NULL, "PAD octets 01 02 03, covered by the CRC",
              "I fpdu from=1 when=pad mpa.padding=010203"),
    DEVIATION("rev1", "MPA-4.1-06", "MPA-4.1-05", "the receiver answers nonzero PAD with a Terminate",
              "I fpdu from=1 when=pad mpa.padding=010203; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.1-06+ok", "MPA-4.1-05", "the receiver goes on after nonzero PAD",
              "I fpdu from=1 when=pad mpa.padding=010203"),
    DEVIATION("rev1", "MPA-4.1-07", "MPA-4.1-05", "nonzero PAD under the CRC of zero PAD is accepted",
              "I fpdu from=1 when=pad mpa.old-crc mpa.padding=010203"),
    DEVIATION("rev1", "MPA-4.1-07+ok", "MPA-4.1-05",
              "nonzero PAD under the CRC of zero PAD is answered with Terminate 20 02",
              "I fpdu from=1 when=pad mpa.old-crc mpa.padding=010203; R term 2/0/02"),
    DEVIATION("rev1", "MPA-4.1-08", NULL, "CRC before the PAD",
              "I fpdu from=1 when=pad-3,no-markers mpa.crc-before-pad; R term 2/0/02"),
    DEVIATION("no-crc", "MPA-4.1-09", NULL, "no CRC field in the FPDUs of the Initiator",
              "I fpdu from=1 every mpa.no-crc more=3; R close"),
    DEVIATION("rev1", "MPA-4.1-12", "DDP-4.3-01", "FPDU with a ULPDU of 10 octets, too short for any DDP header",
              "I fpdu from=2 mpa.ulpdu=10; R term 1/0/00"),
    DEVIATION("jumbo", "MPA-4.5-05", NULL, "messages cut into ULPDUs of 200 octets", "with mulpdu=200"),
    DEVIATION("tiny-mss", "MPA-4.5-07", NULL, "MSS 88 and ULPDUs of 80 octets", "with mulpdu=80"),
};

const struct fault_table fpdu_faults = {faults, sizeof faults / sizeof faults[0]};

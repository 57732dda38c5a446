// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers to FPDUs and to TCP's troubles: RFC 5044 sections 4.1, 4.4, 5, 6, 7.1.5, 8, A. Each stimulus comes twice:
 * answered wrongly under the rule's id, and properly under id+ok where no conforming scenario has it.
 */
#include "traffic-gen/faults/fault_rows.h"

#define BEGUN_WITH(setup) "with plain " setup "; I send len=24; R send len=24; "
#define BEGUN             BEGUN_WITH("")
#define DAMAGED(setup)    BEGUN_WITH(setup) "I send len=60 mpa@-9^0x10; "
#define CRC_REFUSED       "R term 2/0/02"
/* The receiver goes on for longer than any reaction could take. */
#define GOES_ON "R send len=30; I send len=30 wait=3000; R send len=30"

/* The misleading FPDU arrives before the one that precedes it; its CRC is right. */
#define MISLEADING BEGUN_WITH("markers") "I send len=300 net=late; I send len=800 mpa.ptr+4; "
/* Under the CRC of the Marker with RESERVED zero. */
#define RESERVED BEGUN_WITH("markers") "I send len=600 mpa.old-crc mpa.reserved=1; "

/* A Read Request whose last four octets come half a second later. */
#define IN_PARTS BEGUN "I read size=100 mpa.split=-4 mpa.gap=500000; "

/* A stimulus under a wrong CRC. */
#define CRC(id, scenario, summary, script) SCRIPT(scenario, id, "MPA-4.4-12", summary, script)

static const struct fault faults[] = {
    SCRIPT("no-crc", "MPA-4.1-11", NULL, "Terminate 20 02 although CRC is not in use",
           BEGUN_WITH("no-crc") "I send len=31; I send len=32; " CRC_REFUSED),
    SCRIPT("no-crc", "MPA-4.4-09", NULL, "Terminate 20 02 at the first FPDU although CRC is not in use",
           "with plain no-crc; I send len=24; " CRC_REFUSED),
    CRC("MPA-4.4-19", "rev1", "a Read Request with a wrong CRC is answered",
        BEGUN "I read size=100 mpa@-9^0x10; R answer"),
    CRC("MPA-4.4-19+ok", "rev1", "a Read Request with a wrong CRC is answered with Terminate 20 02",
        BEGUN "I read size=100 mpa@-9^0x10; " CRC_REFUSED),
    CRC("MPA-7.1.1-16", "crc-by-request", "an end with C = 0 does not check although the peer has C = 1",
        DAMAGED("crcR=0") GOES_ON),
    CRC("MPA-7.1.1-16+ok", "crc-by-request", "an end with C = 0 checks because the peer has C = 1",
        DAMAGED("crcR=0") CRC_REFUSED),
    CRC("MPA-8-02", "rev1", "a wrong CRC has no consequence", DAMAGED("") GOES_ON),
    CRC("MPA-8-02+ok", "rev1", "a wrong CRC is answered with Terminate 20 02 and close", DAMAGED("") CRC_REFUSED),
    CRC("MPA-8-05", "rev1", "a wrong CRC is answered with Terminate 00 00", DAMAGED("") "R term 0/0/00"),
    CRC("MPA-8-05+ok", "rev1", "a wrong CRC is answered with Terminate 20 02", DAMAGED("") CRC_REFUSED),
    CRC("MPA-8-12", "rev1", "a Read Request after an FPDU with a wrong CRC is answered",
        DAMAGED("") "I read size=100; R answer"),
    CRC("MPA-8-12+ok", "rev1", "a Read Request after an FPDU with a wrong CRC is not answered",
        DAMAGED("") "I read size=100; " CRC_REFUSED),
    CRC("MPA-8-14", "rev1", "Terminate 20 02, and the connection stays open for more than two minutes",
        DAMAGED("") CRC_REFUSED "; I silence wait=130000; I close"),
    CRC("MPA-8-14+ok", "rev1", "Terminate 20 02 and close", DAMAGED("") CRC_REFUSED),
    SCRIPT("markers", "MPA-8-03", "MPA-4.3-09", "a Marker at variance with the FPDU start is accepted after a gap",
           MISLEADING GOES_ON),
    SCRIPT("markers", "MPA-8-03+ok", "MPA-4.3-09",
           "a Marker at variance with the FPDU start is answered with Terminate 20 03 after a gap",
           MISLEADING "R term 2/0/03"),
    SCRIPT("markers", "MPA-4.2-04", "MPA-4.2-02", "nonzero RESERVED under the CRC of zero RESERVED is accepted",
           RESERVED GOES_ON),
    SCRIPT("markers", "MPA-4.2-04+ok", "MPA-4.2-02",
           "nonzero RESERVED under the CRC of zero RESERVED is answered with Terminate 20 02", RESERVED CRC_REFUSED),
    SCRIPT("unaligned", "MPA-5.1-06", NULL, "Terminate 20 02 because FPDUs and segments are not aligned",
           BEGUN "I cork; I 2* send len=900; I uncork; " CRC_REFUSED),
    SCRIPT("rev1", "MPA-5.2-01", NULL, "Terminate 20 02 although everything was faultless",
           BEGUN "I send len=31; " CRC_REFUSED),
    SCRIPT("rev1", "MPA-6-06", NULL, "a Read Request is answered before its last octets have arrived",
           IN_PARTS "R answer unread=12; I traffic"),
    /* So soon that the second part and the answer to the first cross on the way. */
    SCRIPT("rev1", "MPA-6-06/crossing", NULL, "a Read Request is answered while its last octets are on their way",
           BEGUN "I read size=100 mpa.split=-4 mpa.gap=40; R answer unread=12; I traffic"),
    SCRIPT("rev1", "MPA-6-06+ok", NULL, "a Read Request is answered when its last octets have arrived",
           IN_PARTS "R answer; I traffic"),
    /* It is lost on the Responder's upper layer; a later one is not. */
    SCRIPT("rev1", "MPA-7.1.2-12", NULL, "the first FPDU, a Read Request, is not answered",
           "with plain; I read size=100; I read size=200 wait=3000; R answer len=200"),
    SCRIPT("rev1", "MPA-7.1.2-42", NULL, "half an FPDU is waited on for more than two minutes",
           BEGUN "I send len=200 mpa.half; I rst wait=130000"),
    SCRIPT("rev1", "MPA-7.1.2-42+ok", NULL, "half an FPDU is waited on for half a minute",
           BEGUN "I send len=200 mpa.half; R rst wait=30000"),
    /* The first 12 octets arrive after the others. */
    SCRIPT("loss", "MPA-7.1.5-04", NULL, "Terminate 20 02 after a Request that came out of order",
           "with plain; I mpa-request mpa.cut=8 net=late; I stream 72616d6540010000; R mpa-reply; I send "
           "len=24; " CRC_REFUSED),
    SCRIPT("fragments", "MPA-A.5.1-02", "MPA-A.5.1-01", "IP fragments are dropped again and again",
           BEGUN "I send len=500 mpa.lost-fragments; I rst"),
    SCRIPT("unaligned", "MPA-A.5.2-01", NULL, "Terminate 20 02 after an FPDU in segments out of order",
           BEGUN "I write len=986 ulpdu=1000 zeros to=0 mpa.split=600 net=late; " CRC_REFUSED),
};

const struct fault_table reaction_faults = {faults, sizeof faults / sizeof faults[0]};

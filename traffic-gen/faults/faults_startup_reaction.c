// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to startup frames: RFC 5044 sections 7.1.1, 7.1.2, 8, C, RFC 6581 sections 6 to 10. */
#include "traffic-gen/faults/fault_rows.h"

/* A stimulus answered wrongly, and properly. */
#define PAIR(id_, scenario_, also_, wrong_, wrong_script, right_, right_script)                                        \
    SCRIPT(scenario_, id_, also_, wrong_, wrong_script), SCRIPT(scenario_, id_ "+ok", also_, right_, right_script)

/* Nothing happens until this side gives up. */
#define LEFT_OPEN(side, seconds) side " close wait=" seconds "000"

#define BAD_KEY       "I mpa-request mpa@7=0x72; "
#define BAD_REPLY_KEY "with plain; I mpa-request; R mpa-reply mpa@7=0x72; "
#define LONG          " mpa.fill=533 mpa@18=2 mpa@19=1; " /* 513 octets of Private Data */
#define LONG_REQUEST  "I mpa-request" LONG
#define LONG_REPLY    "I mpa-request; R mpa-reply" LONG
#define TWO_REQUESTS  "I mpa-request; R mpa-request early"
#define TWO_OCTETS    "with rev2; I mpa-request mpa.enhanced=0 mpa.data=0008; "
#define CUT_BY_FIN    "with dataI=16; I mpa-request mpa.cut=8; I fin; "
#define ENHANCED      "with revR=2 flagsR=0x50 irdR=8 ordR=16 dataR=8"
#define UNENHANCED    "with rev2 plain rtrI=2 revR=1 flagsR=0x40 dataR=0"
#define ORD_ABOVE_IRD "with rev2 irdI=4 ordR=200"
#define READS         "with rev2 plain irdI=4 ordI=4 irdR=4 ordR=4; I send len=24; R send len=24; "
#define TYPES(i, r)   "with rev2 rtrI=" i " rtrR=" r

static const struct fault faults[] = {
    PAIR("MPA-7.1.1-02", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is accepted", BAD_KEY "R mpa-reply",
         "a Request with a damaged key is closed upon", BAD_KEY "R close"),
    PAIR("MPA-7.1.1-05", "rev1", "MPA-7.1.1-04", "an FPDU after a Reply with a damaged key",
         BAD_REPLY_KEY "I send len=24; R close", "a Reply with a damaged key is closed upon", BAD_REPLY_KEY "I close"),
    PAIR("MPA-7.1.1-19", "rev1", "MPA-7.1.1-18", "a Request with R = 1 is rejected", "with flagsI=0x60 rejectR=1",
         "a Request with R = 1 is accepted", "with flagsI=0x60; I traffic"),
    PAIR("MPA-7.1.1-22", "rev1", "MPA-7.1.1-21", "a Request with a Res bit is rejected", "with flagsI=0x44 rejectR=1",
         "a Request with a Res bit is accepted", "with flagsI=0x44; I traffic"),
    PAIR("MPA-7.1.1-24", "rev1", "MPA-7.1.1-23", "FPDUs after a Reply of revision 7", "with revR=7; I traffic",
         "a Request of revision 7 is closed upon", "with revI=7; I mpa-request; R close"),
    PAIR("MPA-7.1.1-25", "rev1", "MPA-7.1.1-23", "a Request of revision 7, and nothing happens",
         "with revI=7; I mpa-request; " LEFT_OPEN("I", "20"), "a Request of revision 7 is closed upon",
         "with revI=7; I mpa-request; R close"),
    PAIR("MPA-7.1.1-30", "private-data", "MPA-7.1.1-28", "Private Data cut by FIN, and nothing happens",
         CUT_BY_FIN "R silence wait=20000", "Private Data cut by FIN, closed upon", CUT_BY_FIN "R fin"),
    PAIR("MPA-7.1.1-31", "private-data", "MPA-7.1.1-34", "513 octets of Private Data are accepted",
         LONG_REQUEST "R mpa-reply", "513 octets of Private Data are closed upon", LONG_REQUEST "R close"),
    PAIR("MPA-7.1.2-04", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is rejected instead of closed upon",
         "with rejectR=1; " BAD_KEY "R mpa-reply", "a Request with a damaged key is closed upon", BAD_KEY "R close"),
    SCRIPT("private-data", "MPA-7.1.2-04/open", "MPA-7.1.1-34", "513 octets of Private Data, and nothing happens",
           LONG_REQUEST LEFT_OPEN("I", "20")),
    SCRIPT("rev1", "MPA-7.1.2-10", NULL, "no answer to a Request until the Initiator gives up",
           "I mpa-request; " LEFT_OPEN("I", "15")),
    PAIR("MPA-7.1.2-17", "private-data", "MPA-7.1.1-34", "Reply with 513 octets of Private Data, and nothing happens",
         LONG_REPLY LEFT_OPEN("R", "20"), "Reply with 513 octets of Private Data is closed upon", LONG_REPLY "I close"),
    PAIR("MPA-7.1.2-26", "rev1", "MPA-7.1.1-01", "a Request with a damaged key, and nothing happens",
         BAD_KEY LEFT_OPEN("I", "20"), "a Request with a damaged key is closed upon", BAD_KEY "R close"),
    PAIR("MPA-7.1.2-34", "rev1", "MPA-7.1.2-32", "two Initiators, and nothing happens",
         TWO_REQUESTS "; I silence wait=20000", "two Initiators part", TWO_REQUESTS),
    PAIR("MPA-7.1.2-40", "private-data", "MPA-7.1.1-34", "513 octets of Private Data are rejected, not closed upon",
         "with rejectR=1; " LONG_REQUEST "R mpa-reply", "513 octets of Private Data are closed upon",
         LONG_REQUEST "R close"),
    /* It would wait for ever; the Responder ends it. */
    SCRIPT("rev1", "MPA-7.1.2-41", NULL, "the Initiator waits for a Reply for more than a minute",
           "I mpa-request; " LEFT_OPEN("R", "90")),
    SCRIPT("rev1", "MPA-7.1.2-41+ok", "MPA-7.1.2-10", "the Initiator gives up after a quarter of a minute",
           "I mpa-request; " LEFT_OPEN("I", "15")),
    PAIR("MPA-8-09", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is closed upon after 20 seconds",
         BAD_KEY LEFT_OPEN("R", "20"), "a Request with a damaged key is closed upon at once", BAD_KEY "R close"),
    SCRIPT("rdmac-refused", "MPA-C.2.1-01", "MPA-C.2.5-01",
           "Request of revision 0, Reply of revision 1, and nothing happens",
           "with rev0 revR=1; " LEFT_OPEN("I", "20")),
    PAIR("MPA2-6-09", "rev2", "MPA2-6-08", "a Request with S = 1 and two octets of Private Data is accepted",
         TWO_OCTETS "R mpa-reply", "a Request with S = 1 and two octets of Private Data is closed upon",
         TWO_OCTETS "R close"),
    SCRIPT("rtr-none", "MPA2-8-01", NULL, "no common RTR type: Terminate 02 07", TYPES("1", "4") "; I term 0/2/07"),
    SCRIPT("reads-at-limit", "MPA2-9.1-03", NULL, "the Responder refuses the reads that its Reply allowed",
           READS "I 4* read size=100; R term 1/2/02"),
    SCRIPT("reads-at-limit", "MPA2-9.1-14", NULL, "the Initiator refuses the reads that the Reply announced",
           READS "R 4* read size=100; I term 1/2/02"),
    PAIR("MPA2-9.1-16", "rev2", "MPA2-9.1-10", "more ORD than can be served: closed without Terminate", ORD_ABOVE_IRD,
         "more ORD than can be served: Terminate 20 06", ORD_ABOVE_IRD "; I term 2/0/06"),
    PAIR("MPA2-9.1-17", "rev2", "MPA2-9.1-10", "Terminate 20 06, and the connection stays open",
         ORD_ABOVE_IRD "; I term 2/0/06; " LEFT_OPEN("R", "20"), "Terminate 20 06 and close",
         ORD_ABOVE_IRD "; I term 2/0/06"),
    PAIR("MPA2-9.1-18", "rev2", "MPA2-9.1-10", "more ORD than can be served: Terminate 20 05",
         ORD_ABOVE_IRD "; I term 2/0/05", "more ORD than can be served: Terminate 20 06",
         ORD_ABOVE_IRD "; I term 2/0/06"),
    SCRIPT("rtr-send", "MPA2-9.2-05", NULL, "the Responder refuses the RTR that it had named",
           TYPES("1", "1") "; I rtr send; R term 0/2/FF"),
    SCRIPT("rtr-none", "MPA2-9.2-13", NULL, "no common RTR type: closed without Terminate", TYPES("1", "4")),
    SCRIPT("rtr-none", "MPA2-9.2-04/supported", NULL,
           "no common RTR type, but the RTR is of the one that the Reply names",
           TYPES("1", "4") "; I rtr read; I traffic"),
    SCRIPT("rtr-none", "MPA2-9.2-13/other", NULL, "no common RTR type: an RTR of neither",
           TYPES("1", "4") "; I rtr write; I traffic"),
    SCRIPT("rtr-none", "MPA2-9.2-14", NULL, "no common RTR type: Terminate 20 07, and the connection stays open",
           TYPES("1", "4") "; I term 2/0/07; " LEFT_OPEN("R", "20")),
    SCRIPT("rtr-none", "MPA2-9.2-15", NULL, "no common RTR type: Terminate 20 05", TYPES("1", "4") "; I term 2/0/05"),
    PAIR("MPA2-9.2-20", "rev2", "MPA2-9.2-06", "RTR although the Reply has A = 0",
         TYPES("2", "2") " aR=0; I rtr write; I traffic", "types without A in the Reply are ignored",
         TYPES("2", "2") " aR=0; I traffic"),
    /* DDP-5.2-16 says the same of every zero-length message. */
    SCRIPT("rtr-write", "MPA2-9.2-26", "DDP-5.2-16", "the Responder complains of the STag of an RTR Write",
           TYPES("2", "2") "; I rtr write; R term 1/1/00"),
    PAIR("MPA2-9.3-04", "rev2", "MPA2-9.2-18", "Reply with A = 1 to A = 0: Terminate 20 06",
         "with rev2 rtrR=2; I term 2/0/06", "Reply with A = 1 to A = 0: Terminate 20 05",
         "with rev2 rtrR=2; I term 2/0/05"),
    PAIR("MPA2-10-11", "rev2", "MPA2-10-01", "RTR after an unenhanced Reply",
         UNENHANCED "; I rtr write; I send len=24; R send len=24", "close after an unenhanced Reply", UNENHANCED),
    PAIR("MPA2-10-12", "rev1", "MPA2-10-02", "FPDUs after an enhanced Reply to revision 1", ENHANCED "; I traffic",
         "close after an enhanced Reply to revision 1", ENHANCED),
    DEVIATION("private-data", "MPA-7.1.1-30/answered", "MPA-7.1.1-28",
              "a Request with four octets more than PD_Length says is accepted, and what follows it answered",
              "with dataI=4 dataR=4; I mpa-request mpa.after=666f7572"),
};

const struct fault_table startup_reaction_faults = {faults, sizeof faults / sizeof faults[0]};

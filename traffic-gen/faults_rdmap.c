// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of RDMAP messages and of Reads: RFC 5040 sections 3 to 6. */
#include "traffic-gen/fault_script.h"

#define RDMAP(id, summary, script) SCRIPT("rdmap", id, NULL, summary, SPOKEN script)

static const struct fault faults[] = {
    /* Control octet */
    RDMAP("RDMAP-4-01", "no control octet in a Send", "I send @1=0; R term 0/2/06"),
    RDMAP("RDMAP-4.1-01", "the control octet at the end of RsvdULP", "I send @1=0 @5=0x43; R term 0/2/06"),
    RDMAP("RDMAP-4.1-02", "the halves of the control octet of a Send exchanged", "I send @1=0x34; R term 0/2/05"),
    RDMAP("RDMAP-4.1-14", "opcode 12", "I send op=12; R term 0/2/06"),
    RDMAP("RDMAP-4.1-14/experimental", "opcode 15", "I send op=15; R term 0/2/06"),
    RDMAP("RDMAP-4.1-23", "a Send with RV 2", "I send rv=2; R term 0/2/05"),
    RDMAP("RDMAP-4.1-23/write", "a Write with RV 3", "I write rv=3; R term 0/2/05"),
    SCRIPT("rdmap", "RDMAP-4.1-24", NULL, "RV changes in the stream",
           "with late; I send; R send; I send rv=0 dv=0; R send"),
    RDMAP("RDMAP-4.1-26", "a Send with one bit of Rsv set", "I send rsv=1; R send"),
    RDMAP("RDMAP-4.1-26/write", "a Write with both bits of Rsv set", "I write rsv=3; R send"),
    RDMAP("RDMAP-4.1-29", "an Invalidate STag in a Send", "I send stag=1; R send"),
    RDMAP("RDMAP-4.1-29/se", "an Invalidate STag in a Send with SE", "I send-se stag=0x80000000; R send"),
    RDMAP("RDMAP-4.1-29/read", "an Invalidate STag in a Read Request", "I read stag=1; R answer"),
    RDMAP("RDMAP-4.1-29/terminate", "an Invalidate STag in a Terminate", "R term 0/0/00 stag=1"),
    /* T bit */
    RDMAP("RDMAP-4.1-06", "a Write with T = 0", "I write t=0 qn=0 msn=2 stag=0; R term 0/2/06"),
    RDMAP("RDMAP-4.1-07", "a Read Request with T = 1", "I read t=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-08", "a Read Response with T = 0", "I read; R answer t=0 fresh qn=0 msn=2 stag=0; I term 0/2/06"),
    RDMAP("RDMAP-4.1-09", "a Send with T = 1", "I send t=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-10", "a Send with Invalidate with T = 1", "I send-inv t=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-11", "a Send with SE with T = 1", "I send-se t=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-12", "a Send with SE and Invalidate with T = 1", "I send-se-inv t=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-13", "a Terminate with T = 1", "I term 0/0/00 t=1; R term 0/2/06"),
    /* Queues */
    RDMAP("RDMAP-3.1-04", "a Send on QN 2", "I send qn=2 msn=1; R term 0/2/06"),
    RDMAP("RDMAP-3.1-05", "a Send on QN 4", "I send qn=4 msn=1; R term 1/2/01"),
    RDMAP("RDMAP-4.1-16", "a Read Request on QN 0", "I read qn=0 msn=2; R term 0/2/06"),
    RDMAP("RDMAP-4.1-17", "a Send on QN 1", "I send qn=1 msn=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-18", "a Send with Invalidate on QN 1", "I send-inv qn=1 msn=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-19", "a Send with SE on QN 1", "I send-se qn=1 msn=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-20", "a Send with SE and Invalidate on QN 1", "I send-se-inv qn=1 msn=1; R term 0/2/06"),
    RDMAP("RDMAP-4.1-21", "a Terminate on QN 0", "I term 0/0/00 qn=0 msn=2; R term 0/2/06"),
    /* Reads */
    RDMAP("RDMAP-4.2-02", "a Read Request of 32 octets", "I read grow=4; R term 1/2/05"),
    RDMAP("RDMAP-4.2-02/short", "a Read Request of 24 octets", "I read cut=42; R term 0/2/FF"),
    RDMAP("RDMAP-4.4-02", "a Read Request in two segments", "I read ulpdu=32; R answer"),
    RDMAP("RDMAP-4.4-03", "another STag in a Read Response", "I read; R answer stag+1; I term 1/1/00"),
    RDMAP("RDMAP-4.4-03/to", "another TO in a Read Response", "I read; R answer to+8; I term 1/1/01"),
    RDMAP("RDMAP-4.4-08", "one octet missing in a Read Response", "I read size=100; R answer len=99; I send"),
    RDMAP("RDMAP-4.4-08/more", "one octet too many in a Read Response",
          "I read size=100; R answer len=101; I term 1/1/01"),
    RDMAP("RDMAP-4.4-09", "a Read from the STag that was just invalidated",
          "I send-inv stag=0x5B17C201; I read src=0x5B17C201; R term 0/1/00"),
    RDMAP("RDMAP-5.2-01", "a Read Response that nobody asked for", "R answer; I term 0/2/06"),
    RDMAP("RDMAP-5.2.1-14", "a Read Request is not answered", "I read; R send; R fin; I fin"),
    RDMAP("RDMAP-5.2.1-18", "a Read of no octets is answered with four",
          "I read size=0; R answer len=4; I term 1/1/01"),
    RDMAP("RDMAP-5.2.2-01", "the requester answers itself",
          "I read sink=0x7A03C911 sinkto=0x5000; I answer stag=0x7A03C911 to=0x5000 len=1000; R term 0/2/06"),
    RDMAP("RDMAP-5.2.2-08", "the second Read is answered first",
          "I read; I read size=500; R answer of=1; R answer; I send"),
    RDMAP("RDMAP-5.5-12", "a Read Response before its request",
          "R answer stag=0x7A03C911 to=0x5000 len=100; I read sink=0x7A03C911 sinkto=0x5000 size=100"),
    /* Ends */
    RDMAP("RDMAP-5.4-06", "two Terminates", "R term 0/0/00; R term 0/0/00"),
    RDMAP("RDMAP-5.4-11", "a Send behind a Terminate", "R term 0/0/00; R send"),
    RDMAP("DDP-3-14", "the connection stays for three minutes after a Terminate",
          "R term 0/0/00; I silence wait=100000; I silence wait=100000; I hang"),
    SCRIPT("rdmap", "RDMAP-6.2.1-06", "DDP-4.1-12", "RST right behind the Terminate",
           SPOKEN "I send dv=2; R term 1/2/06; R rst early"),
    RDMAP("RDMAP-8.1.1-08", "each sink STag is the one before and 256",
          "I 40* read sink=0x7A010000 stride=0x100; R 40* answer"),
    RDMAP("RDMAP-8.1.1-09", "all sink STags are small",
          "I 6* read sink=0x100 stride=0x300; R 6* answer; I 12* read sink=0x5000 stride=0x500; R 12* answer"),
    SCRIPT("rdmap", "SEC-5.4.2-01", NULL, "the first Send begins with a TLS record",
           "I send len=100 @18=0x16 @19=3 @20=1 @21=0 @22=95 @23=1 @24=0 @25=0 @26=91; R send"),
};

const struct fault_table rdmap_faults = {faults, sizeof(faults) / sizeof(faults[0])};

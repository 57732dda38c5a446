// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of Immediate Data and Atomics: RFC 7306. */
#include "traffic-gen/faults/fault_rows.h"

#define ATOMIC(id, summary, script) SCRIPT("atomics", id, NULL, summary, SPOKEN script)

static const struct fault faults[] = {
    /* Headers */
    ATOMIC("RDMAPX-4-02", "a Send on QN 3", "I send qn=3 msn=1; R term 1/2/01"),
    ATOMIC("RDMAPX-4.1-01", "Immediate Data with RV 0", "I imm rv=0; R term 0/2/05"),
    ATOMIC("RDMAPX-4.1-01/request", "an Atomic Request with RV 0", "I fadd rv=0; R term 0/2/05"),
    ATOMIC("RDMAPX-4.1-03", "an Invalidate STag in Immediate Data", "I imm stag=1; R send"),
    ATOMIC("RDMAPX-4.1-03/request", "an Invalidate STag in an Atomic Request", "I fadd stag=1; R result"),
    ATOMIC("RDMAPX-4.1-05", "Immediate Data with T = 1", "I imm t=1; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-06", "Immediate Data with SE with T = 1", "I imm-se t=1; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-07", "an Atomic Request with T = 1", "I fadd t=1; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-08", "an Atomic Response with T = 1", "I fadd; R result t=1; I term 0/2/06"),
    ATOMIC("RDMAPX-4.1-09", "Immediate Data on QN 1", "I imm qn=1 msn=1; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-10", "Immediate Data with SE on QN 1", "I imm-se qn=1 msn=1; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-11", "an Atomic Request on QN 0", "I fadd qn=0 msn=2; R term 0/2/06"),
    ATOMIC("RDMAPX-4.1-12", "an Atomic Response on QN 1", "I fadd; R result qn=1 msn=1; I term 0/2/06"),
    ATOMIC("RDMAPX-4.2-01", "Immediate Data of 12 octets", "I imm grow=4; R term 0/2/FF"),
    ATOMIC("RDMAPX-4.2-01/short", "Immediate Data of 4 octets", "I imm cut=22; R term 0/2/FF"),
    ATOMIC("RDMAPX-4.2-02", "an Atomic Request without Compare Mask", "I fadd cut=62; R term 0/2/FF"),
    ATOMIC("RDMAPX-4.2-03", "an Atomic Response of 32 octets", "I fadd; R result grow=20; I term 0/2/FF"),
    ATOMIC("RDMAPX-5.2.1-01", "AOpCode in the highest bits of its word",
           "I cswap cmask=0xFFFFFFFFFFFFFFFF @18=0x20 @21=0; R result keep"),
    ATOMIC("RDMAPX-5.2.1-02", "a reserved bit is set in an Atomic Request", "I fadd word0=1; R result"),
    ATOMIC("RDMAPX-5.2.1-04", "AOpCode 1", "I fadd aop=1; R term 0/2/FF"),
    ATOMIC("RDMAPX-5.2.1-12", "Compare Data in a FetchAdd", "I fadd cdata=1; R result"),
    ATOMIC("RDMAPX-5.2.1-14", "Compare Mask 0 in a FetchAdd", "I fadd cmask=0; R result"),
    /* Requests and responses */
    ATOMIC("RDMAPX-5-07", "an Atomic on the STag that was just invalidated",
           "I send-inv stag=0x5B17C201; I fadd astag=0x5B17C201; R term 0/1/00"),
    ATOMIC("RDMAPX-5.1.1-04", "FetchAdd on TO 1004", "I fadd ato=0x1004; R term 0/2/07"),
    ATOMIC("RDMAPX-5.2.1-26", "an Atomic Request is not answered", "I fadd; R send; R fin; I fin"),
    ATOMIC("RDMAPX-5.2.2-02", "another identifier in an Atomic Response", "I fadd; R result id+1; I term 0/2/FF"),
    ATOMIC("RDMAPX-5.2.2-04", "an Atomic Response that nobody asked for", "R result; I term 0/2/FF"),
    ATOMIC("RDMAPX-5.2.2-13", "the second Atomic is answered first",
           "I fadd ato=0x2000; I fadd ato=0x3000; R result of=1; R result; I send"),
    ATOMIC("RDMAPX-5.4-04", "an Atomic Response before its request", "R result id=0x1234; I fadd id=0x1234"),
    ATOMIC("RDMAPX-7-08", "a Read after an Atomic is answered first",
           "I fadd; I read; R answer of=1; R result; I send"),
    ATOMIC("RDMAPX-7-12", "an Atomic after a Read is answered first",
           "I read; I fadd; R result of=1; R answer; I send"),
    /* Values */
    ATOMIC("RDMAPX-5.1.1-01", "FetchAdd of 1 adds 6", "I fadd; R result orig=7; I fadd; R result orig=13"),
    ATOMIC("RDMAPX-5.1.1-02", "the carry goes beyond a field",
           "I fadd mask=0x80000000 data=1; R result orig=0xFFFFFFFF; I fadd data=0; R result orig=0x100000000"),
    ATOMIC("RDMAPX-5.1.1-03", "mask 0 adds nothing", "I fadd; R result orig=7; I fadd; R result orig=7"),
    ATOMIC("RDMAPX-5.1.1-10", "original values with the lowest octet first",
           "I fadd; R result orig=0x0500000000000000; I fadd; R result orig=0x0600000000000000"),
    ATOMIC("RDMAPX-5.1.2-01", "CmpSwap compares what is masked out",
           "I cswap cdata=0x05 cmask=0xFF data=9; R result orig=0x1105; I fadd data=0; R result orig=0x1105"),
    ATOMIC("RDMAPX-5.1.2-02", "CmpSwap stores what is masked out",
           "I cswap cdata=0x1105 data=0x99 mask=0x0F; R result orig=0x1105; I fadd data=0; R result orig=0x99"),
    ATOMIC("RDMAPX-5.1.2-03", "CmpSwap swaps what differs",
           "I cswap cdata=7 data=9; R result orig=5; I fadd data=0; R result orig=9"),
    ATOMIC("RDMAPX-5.1.2-04", "CmpSwap returns the value after the swap",
           "I fadd data=0; R result orig=5; I cswap cdata=5 data=9; R result orig=9; I fadd data=0; R result orig=9"),
    ATOMIC("RDMAPX-5.1.2-06", "CmpSwap that matches changes nothing",
           "I cswap cdata=5 data=9; R result orig=5; I fadd data=0; R result orig=5"),
    ATOMIC("RDMAPX-5.2.1-25", "the second of two Atomics is performed first",
           "I fadd; I fadd; R result orig=8; R result orig=7"),
    ATOMIC("RDMAPX-7-11", "FetchAdd does not see the Write before it",
           "I write stag=0x5B17C201 to=0x1000 value=5 len=0; I fadd astag=0x5B17C201; R result orig=99"),
};

const struct fault_table atomic_faults = {faults, sizeof faults / sizeof faults[0]};

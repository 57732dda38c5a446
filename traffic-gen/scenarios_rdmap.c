// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 5041, RFC 5040 and RFC 7306; most are written as scripts (script.h). */
#include "traffic-gen/operations.h"
#include "traffic-gen/scenario.h"
#include "traffic-gen/setups.h"

enum { IN_FLIGHT = 16, OPERATIONS_DEFAULT = 1000, READ_OCTETS = 256 };

/* Reads and Atomics alternate, so many of them in flight that the queue is always full. */
static void play_operations(struct stage *stage)
{
    unsigned count = stage->count ? stage->count : OPERATIONS_DEFAULT;
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced.ord = setup.wish[RESPONDER].enhanced.ird = IN_FLIGHT;
    setup.wish[INITIATOR].enhanced.ird = setup.wish[RESPONDER].enhanced.ord = IN_FLIGHT;

    struct conversation *c = conversation_new(stage, &setup);
    struct message message = {0};

    say_startup(c);
    for (unsigned i = 0; i < count + IN_FLIGHT; i++) {
        if (i >= IN_FLIGHT) {
            bool atomic = (i - IN_FLIGHT) % 2;

            message.answers = 0;
            message_init(c, RESPONDER, atomic ? RDMAP_ATOMIC_RESPONSE : RDMAP_READ_RESPONSE, &message);
            say_message(c, RESPONDER, &message);
        }
        if (i < count) {
            message_init(c, INITIATOR, i % 2 ? RDMAP_ATOMIC_REQUEST : RDMAP_READ_REQUEST, &message);
            message.read.size = READ_OCTETS;
            message.atomic.to += 8 * (i % 64);
            say_message(c, INITIATOR, &message);
        }
    }
    say_close(c, INITIATOR);
}

static const struct scenario scenarios[] = {
    {.name = "operations", .summary = "--count Reads and Atomics, 16 in flight", .play = play_operations},
    {.name = "msn-wrap",
     .summary = "a capture that begins late: MSN goes through 0 on queues 0, 1 and 3",
     .script =
         "with late msn=0xFFFFFFFC; I 8* send; R 8* send; I 8* fadd; R 8* result; R 4* fadd; R 4* read; I 4* result;"
         "I 4* answer"},
    {.name = "late",
     .summary = "a capture that begins in the middle",
     .script = "with late msn=77; I 2* send; R send; I read; R answer; I write; R imm"},
    {.name = "ddp",
     .summary = "Sends and Writes of one and several segments in both directions",
     .script = "I send; R send len=0; I write len=5000; I send-se len=5000; R write len=3000 to=0xFFFFFFFFFFFF0001;"
               "R send len=4000; I send-inv len=2000; R send-se-inv len=20; I write len=0 stag=0 to=0; I send len=0;"
               "I cork; I 5* send len=33; I write len=40; I uncork; R 3* send len=1;"
               "I write len=100 l=0; I write len=50; R send len=100 l=0; R send len=7"},
    {.name = "rdmap",
     .summary = "Reads of all sizes, several in flight, Sends in four kinds between them",
     .script =
         "with rev2; I read size=1; R answer; I read size=0 src=0; R answer; I read size=10000; R answer;"
         "R read size=100; I answer; I 6* read size=700; R answer; R send; R answer; I 2* read size=33;"
         "R answer; R 5* answer; R send-se; I send-inv; R send-se-inv; I read sinkto=1 size=5000; I send; R answer"},
    {.name = "atomics",
     .summary = "FetchAdd and CmpSwap, with and without masks, on one memory",
     .script =
         "with rev2; I write stag=0x8C5A1907 to=0x1000 value=0x00000000FFFFFFFF len=0; I send len=8; R send len=8;"
         "I fadd astag=0x8C5A1907 data=1; R result; I fadd astag=0x8C5A1907 data=0; R result;"
         "I fadd astag=0x8C5A1907 data=0xFFFFFFFF mask=0x0000000080000000; R result;"
         "I fadd astag=0x8C5A1907 data=0x0101010101010101 mask=0x8080808080808080; R result;"
         "I cswap astag=0x8C5A1907 cdata=5 data=9; R result; I fadd astag=0x8C5A1907 data=0; R result;"
         "I cswap astag=0x8C5A1907 cdata=0 cmask=0 data=0x77 mask=0xFF; R result;"
         "I cswap astag=0x8C5A1907 cdata=0x77 cmask=0xFF data=0x1111111111111111 mask=0x00FFFFFFFFFFFF00; R result;"
         "I cswap astag=0x8C5A1907 cdata=0x78 cmask=0xFF data=0; R result; I fadd astag=0x8C5A1907; R result;"
         "I 3* fadd data=7; I read; I cswap cdata=1; R 3* result; R answer; R result;"
         "R fadd; I result; R cswap; I send; I result"},
    {.name = "immediate",
     .summary = "Immediate Data behind Writes, its MSN shared with the Sends",
     .script =
         "I write; I imm; R imm-se; I write len=3000; I imm-se; I send; I imm; R send; R imm; I read; R answer; R imm"},
    {.name = "directions",
     .summary = "both sides ask and answer at the same time",
     .script = "with rev2 ird=8; I send; R 3* read size=1500; I 3* read size=2000 early; R answer; I answer; R send; I "
               "write len=2000;"
               "R answer; I answer; I fadd; R fadd early; R answer; R result; I answer; I result; R write len=1500;"
               "I send; R send"},
    {.name = "rdmac-operations",
     .summary = "RDMA Consortium peers: DDP and RDMAP version 0",
     .script = "with rev0; I send len=2000; R send; I write len=2000; I 2* read; R 2* answer; R send-inv; I send-se"},
    {.name = "small-segments",
     .summary = "messages of many segments of 128 octets",
     .script =
         "with mulpdu=128 mss=140; I send len=1000; R send-inv len=700; I write len=2000; I read size=2000; R answer;"
         "R send-se-inv len=111; I send-se len=222; I send len=110; I imm; I fadd; R result"},
    {.name = "offsets-end",
     .summary = "the last octets of the Tagged Offset's range",
     .script =
         "I write to=0xFFFFFFFFFFFFFF00 len=255; I read sinkto=0xFFFFFFFFFFFFFF00 srcto=0xFFFFFFFFFFFFF000 size=200;"
         "R answer; I write to=0xFFFFFFFFFFFFFFFF len=0; I send"},
    {.name = "half-close-answers",
     .summary = "a Read Request, a FIN, and then the answer",
     .script = "I send; I read size=5000; I fin; R answer; R send; R fin"},
    {.name = "stag-again",
     .summary = "STags that are invalidated and advertised anew",
     .script = "I write stag=0x3A51C207; R send-inv stag=0x3A51C207; I send; I send-inv stag=0x71B2C303; R send;"
               "R send; I write stag=0x71B2C303; I send-inv stag=0x71B2C303"},
    {.name = "stag-use",
     .summary = "other STags than the one that was just invalidated",
     .script = "I send; R send; I send-inv; I write; I send-inv; I read; R answer; I send-inv; I fadd; R result"},
    {.name = "write-then-atomic",
     .summary = "FetchAdd on what a Write has just left",
     .script = "I send; R send; I write stag=0x8C5A1907 to=0x1000 value=41 len=0; I fadd astag=0x8C5A1907; R result;"
               "I fadd astag=0x8C5A1907 data=0; R result"},
    {.name = "read-half-done",
     .summary = "a Read meets the end of its buffer half-way: Terminate 0/1/01 with what is left of it",
     .script = "I send; R send; I 2* read size=5000; R answer; R answer len=2048 l=0;"
               "R term 0/1/01 sinkto+2048 size-2048 srcto+2048"},
    {.name = "terminates",
     .summary = "Terminates for what the capture cannot show, a connection each",
     .script =
         "I send; R send; I write; R term 1/1/00; next; I send; R send; R term 1/2/02; next;"
         "I send; R send; I read; R term 0/1/00; next; I send; R send; I send-inv; R term 0/1/09; next;"
         "I send; R send; R term 0/0/07; next; I send; R send; R term 1/0/00; next;"
         "I send; R send; I fadd; R term 0/1/02; next; I send; R send; I write; I term 0/2/07; next;"
         "I send; R send; I read; R answer len=500 l=0; I term 1/1/01; next; I send; R term 0/0/00; I term 0/0/00;"
         "R close"},
};

const struct scenario_table rdmap_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};

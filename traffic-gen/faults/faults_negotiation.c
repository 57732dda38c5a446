// SPDX-License-Identifier: GPL-2.0-or-later
/* Replies that do not fit their Request: RFC 6581 sections 9 and 10, RFC 5044 Appendix C. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"

/* ---- setups ---- */

static void reply_ird_below_ord(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].enhanced.ord = 16;
    setup->wish[RESPONDER].enhanced.ird = 4;
}

static void reply_ord_above_ird(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].enhanced.ird = 4;
    setup->wish[RESPONDER].enhanced.ord = 8;
}

static void ord_left_open_ird_not(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].enhanced.ord = MPA_IRD_ORD_NOT_NEGOTIATED;
}

static void ird_left_open_ord_not(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].enhanced.ird = MPA_IRD_ORD_NOT_NEGOTIATED;
}

static void reply_leaves_ird_open(struct conversation_setup *setup)
{
    setup->wish[RESPONDER].enhanced.ird = MPA_IRD_ORD_NOT_NEGOTIATED;
}

static void reply_without_a(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].enhanced.peer_to_peer = true;
    setup->wish[INITIATOR].enhanced.rtr = MPA_RTR_READ;
}

static void reply_with_a(struct conversation_setup *setup)
{
    setup->wish[RESPONDER].enhanced.peer_to_peer = true;
    setup->wish[RESPONDER].enhanced.rtr = MPA_RTR_WRITE;
}

static void reply_unenhanced(struct conversation_setup *setup)
{
    setup->wish[RESPONDER] = (struct startup_wish){.revision = 1, .flags = MPA_FLAG_C};
}

static void reply_enhanced(struct conversation_setup *setup)
{
    setup->wish[RESPONDER] = setup_rev2.wish[RESPONDER];
}

static void reply_revision_2(struct conversation_setup *setup)
{
    setup->wish[RESPONDER].revision = 2;
}

static void unchanged(struct conversation_setup *setup)
{
    (void)setup;
}

/* ---- scripts ---- */

/* The Reply names no type at all: the Initiator has nothing in common to send. */
static void play_reply_without_types(struct stage *stage)
{
    struct conversation_setup setup = setup_peer_to_peer(MPA_RTR_SEND, 0);

    setup.wish[RESPONDER].enhanced.peer_to_peer = true;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_terminate(c, INITIATOR, 0x2007);
    say_close(c, INITIATOR);
}

/* RDMAC Request, non-permissive Reply: it ends there (Figure 15). Here it goes on. */
static void play_revision_0_and_1(struct stage *stage)
{
    struct conversation_setup setup = setup_rev0;

    setup.wish[RESPONDER].revision = 1;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static const struct fault faults[] = {
    {.id = "MPA2-9.1-04",
     .scenario = "ird-zero",
     .summary = "Request with ORD 16, Reply with IRD 4",
     .setup = reply_ird_below_ord},
    {.id = "MPA2-9.1-10",
     .scenario = "rev2",
     .summary = "Request with IRD 4, accepting Reply with ORD 8",
     .setup = reply_ord_above_ird},
    {.id = "MPA2-9.1-22",
     .scenario = "rev2",
     .summary = "Request with ORD 0x3FFF, Reply with IRD 8",
     .setup = ord_left_open_ird_not},
    {.id = "MPA2-9.1-25",
     .scenario = "rev2",
     .summary = "Request with IRD 0x3FFF, Reply with ORD 16",
     .setup = ird_left_open_ord_not},
    {.id = "MPA2-9.1-29",
     .scenario = "rev2",
     .summary = "Reply with IRD 0x3FFF to a Request with ORD 8",
     .setup = reply_leaves_ird_open},
    {.id = "MPA2-9.2-06",
     .scenario = "rev2",
     .summary = "Request with A = 1, Reply with A = 0",
     .setup = reply_without_a},
    {.id = "MPA2-9.2-18",
     .scenario = "rev2",
     .summary = "Request with A = 0, Reply with A = 1 and C = 1",
     .setup = reply_with_a},
    {.id = "MPA2-9.2-11",
     .scenario = "rtr-none",
     .summary = "Reply with A = 1 and none of B, C, D",
     .play = play_reply_without_types},
    {.id = "MPA2-10-01",
     .scenario = "rev2",
     .summary = "enhanced Request, Reply of revision 1 with S = 0",
     .setup = reply_unenhanced},
    {.id = "MPA2-10-02",
     .scenario = "rev2-plain",
     .summary = "Request with S = 0, Reply with S = 1",
     .setup = reply_enhanced},
    {.id = "MPA2-10-10",
     .scenario = "rev1",
     .summary = "Request of revision 1, Reply of revision 2 with S = 0",
     .setup = reply_revision_2},
    {.id = "MPA-C.2.5-01", .scenario = "rdmac", .summary = "Request of revision 0", .setup = unchanged},
    {.id = "MPA-C.2-01",
     .scenario = "rdmac-refused",
     .summary = "Request of revision 0, Reply of revision 1, and FPDUs nevertheless",
     .play = play_revision_0_and_1},
};

const struct fault_table negotiation_faults = {faults, sizeof faults / sizeof faults[0]};

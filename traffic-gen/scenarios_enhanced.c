// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 6581: revision 2, IRD and ORD, peer-to-peer. */
#include "traffic-gen/scenario.h"
#include "traffic-gen/setups.h"

static void converse(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = conversation_new(stage, setup);

    say_startup(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void converse_with_rtr(struct stage *stage, uint8_t offered, uint8_t supported, enum mpa_rtr chosen,
                              uint8_t flags)
{
    struct conversation_setup setup = setup_peer_to_peer(offered, supported);

    setup.wish[INITIATOR].flags |= flags;
    setup.wish[RESPONDER].flags |= flags;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_rtr(c, chosen);
    say_send(c, RESPONDER, 40); /* what the RTR is for: the Responder may speak first (section 9.2) */
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_rtr_send(struct stage *stage)
{
    converse_with_rtr(stage, MPA_RTR_SEND, MPA_RTR_SEND, MPA_RTR_SEND, 0);
}

static void play_rtr_write(struct stage *stage)
{
    converse_with_rtr(stage, MPA_RTR_WRITE, MPA_RTR_WRITE, MPA_RTR_WRITE, 0);
}

static void play_rtr_read(struct stage *stage)
{
    converse_with_rtr(stage, MPA_RTR_READ, MPA_RTR_READ, MPA_RTR_READ, 0);
}

static void play_rtr_choice(struct stage *stage)
{
    converse_with_rtr(stage, RTR_ALL, MPA_RTR_WRITE | MPA_RTR_READ, MPA_RTR_READ, 0);
    /* The Reply may name types that were not offered. */
    converse_with_rtr(stage, MPA_RTR_WRITE | MPA_RTR_READ, MPA_RTR_SEND | MPA_RTR_WRITE, MPA_RTR_WRITE, 0);
    converse_with_rtr(stage, RTR_ALL, RTR_ALL, MPA_RTR_SEND, 0);
}

static void play_rtr_markers(struct stage *stage)
{
    converse_with_rtr(stage, RTR_ALL, MPA_RTR_SEND, MPA_RTR_SEND, MPA_FLAG_M);
    converse_with_rtr(stage, RTR_ALL, MPA_RTR_WRITE, MPA_RTR_WRITE, MPA_FLAG_M);
    converse_with_rtr(stage, RTR_ALL, MPA_RTR_READ, MPA_RTR_READ, MPA_FLAG_M);
}

/* An RTR with STag 0 is as good as any (RFC 6581 section 9.2): it carries no data. */
static void play_rtr_stag_zero(struct stage *stage)
{
    struct conversation_setup setup = setup_peer_to_peer(RTR_ALL, RTR_ALL);
    struct conversation *c = conversation_new(stage, &setup);
    struct ddp_segment segment = {.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE};

    say_startup(c);
    say_segment(c, INITIATOR, &segment, NULL, 0);
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* 0x3FFF: left to the upper layer, in each field alone and in both. */
static void play_not_negotiated(struct stage *stage)
{
    static const struct {
        bool ird, ord;
    } cases[] = {{true, false}, {false, true}, {true, true}};

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct conversation_setup setup = setup_rev2;

        if (cases[i].ird)
            setup.wish[INITIATOR].enhanced.ird = setup.wish[RESPONDER].enhanced.ord = MPA_IRD_ORD_NOT_NEGOTIATED;
        if (cases[i].ord)
            setup.wish[INITIATOR].enhanced.ord = setup.wish[RESPONDER].enhanced.ird = MPA_IRD_ORD_NOT_NEGOTIATED;
        converse(stage, &setup);
    }
}

/* As many Read Requests at once as were negotiated, in both directions. */
static void play_reads_at_limit(struct stage *stage)
{
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced = (struct mpa_enhanced){.ird = 3, .ord = 4};
    setup.wish[RESPONDER].enhanced = (struct mpa_enhanced){.ird = 4, .ord = 3};

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 4; i++)
            say_read_request(c, INITIATOR, 200 + i);
        for (unsigned i = 0; i < 4; i++)
            say_read_response(c, RESPONDER, 200 + i);
        for (unsigned i = 0; i < 3; i++)
            say_read_request(c, RESPONDER, 2000 + i);
        for (unsigned i = 0; i < 3; i++)
            say_read_response(c, INITIATOR, 2000 + i);
    }
    say_send(c, INITIATOR, 1);
    say_close(c, INITIATOR);
}

/* The Reply's IRD is the smaller one and bounds the Initiator; no reads at all in the other direction. */
static void play_ird_zero(struct stage *stage)
{
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced = (struct mpa_enhanced){.ird = 0, .ord = 1};
    setup.wish[RESPONDER].enhanced = (struct mpa_enhanced){.ird = 1, .ord = 0};

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_read(c, INITIATOR, 100);
    say_read(c, INITIATOR, 3000);
    say_send(c, RESPONDER, 10);
    say_close(c, INITIATOR);
}

/* A Responder without RFC 6581 closes; the Initiator tries again unenhanced (section 10). */
static void play_downgrade(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev2);

    say_request(c);
    say_close(c, RESPONDER);

    struct conversation_setup again = setup_rev1;

    again.after = c->tcp;
    converse(stage, &again);
}

static const struct scenario scenarios[] = {
    {"rtr-send", "peer-to-peer, zero-length Send as RTR", play_rtr_send, 0, NULL, NULL},
    {"rtr-write", "peer-to-peer, zero-length RDMA Write as RTR", play_rtr_write, 0, NULL, NULL},
    {"rtr-read", "peer-to-peer, zero-length RDMA Read as RTR", play_rtr_read, 0, NULL, NULL},
    {"rtr-choice", "several RTR types offered and supported", play_rtr_choice, 0, NULL, NULL},
    {"rtr-markers", "each RTR type behind a Marker", play_rtr_markers, 0, NULL, NULL},
    {"rtr-stag-zero", "RTR Write with STag 0 and TO 0", play_rtr_stag_zero, 0, NULL, NULL},
    {"not-negotiated", "IRD and ORD 0x3FFF", play_not_negotiated, 0, NULL, NULL},
    {"reads-at-limit", "as many outstanding reads as negotiated", play_reads_at_limit, 0, NULL, NULL},
    {"ird-zero", "reads in one direction only", play_ird_zero, 0, NULL, NULL},
    {"downgrade", "closed by an unenhanced Responder, then revision 1", play_downgrade, 0, NULL, NULL},
};

const struct scenario_table enhanced_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};

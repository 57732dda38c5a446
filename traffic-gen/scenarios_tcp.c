// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations over a troubled TCP, and captures that do not show everything. */
#include "traffic-gen/scenario.h"
#include "traffic-gen/setups.h"

/* One kind of trouble strikes the startup frames and the first FPDUs in turn. */
static void play_trouble(struct stage *stage, const struct sim_how *trouble, const struct conversation_setup *setup)
{
    for (unsigned victim = 0; victim < 4; victim++) {
        struct conversation *c = conversation_new(stage, setup);

        if (victim == 0)
            c->how = *trouble;
        say_request(c);
        if (victim == 1)
            c->how = *trouble;
        say_reply(c);
        if (victim == 2)
            c->how = *trouble;
        say_send(c, INITIATOR, 24);
        say_send(c, INITIATOR, 600);
        say_send(c, INITIATOR, 31);
        if (victim == 3)
            c->how = *trouble;
        say_send(c, RESPONDER, 24);
        say_write(c, RESPONDER, 6000);
        say_send(c, RESPONDER, 31);
        say_traffic(c);
        say_close(c, INITIATOR);
    }
}

static void play_loss(struct stage *stage)
{
    play_trouble(stage, &(struct sim_how){.lose = true}, &setup_rev1_markers);
    play_trouble(stage, &(struct sim_how){.lose_before = true}, &setup_rev1);
}

static void play_reorder(struct stage *stage)
{
    play_trouble(stage, &(struct sim_how){.late = true}, &setup_rev1_markers);
}

/* An FPDU that spans segments, which come in the wrong order. */
static void play_reorder_inside(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1_markers;

    setup.mss[0] = setup.mss[1] = 536;
    setup.ulpdu_max = 516;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    for (unsigned i = 0; i < 4; i++) {
        c->how.late = true;
        cork(c, i % 2 ? RESPONDER : INITIATOR);
        say_send(c, i % 2 ? RESPONDER : INITIATOR, 300);
        say_send(c, i % 2 ? RESPONDER : INITIATOR, 400);
        uncork(c, i % 2 ? RESPONDER : INITIATOR);
        say_send(c, i % 2 ? INITIATOR : RESPONDER, 12);
    }
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_duplicate(struct stage *stage)
{
    play_trouble(stage, &(struct sim_how){.twice = true}, &setup_rev2);
}

static void play_fragments(struct stage *stage)
{
    play_trouble(stage, &(struct sim_how){.fragment = true}, &setup_rev1);
}

/* Super-segments as a capture on the sending host shows them under segmentation offload. */
static void play_offload(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.segment_max = 60000;
    setup.mss[0] = setup.mss[1] = 1460;
    for (unsigned i = 0; i < 2; i++) {
        struct conversation *c = conversation_new(stage, &setup);

        say_startup(c);
        say_send(c, INITIATOR, 10);
        cork(c, INITIATOR);
        say_write(c, INITIATOR, 100000);
        uncork(c, INITIATOR);
        cork(c, RESPONDER);
        say_write(c, RESPONDER, 50000);
        uncork(c, RESPONDER);
        say_traffic(c);
        say_close(c, INITIATOR);
        setup = setup_rev1_markers;
        setup.segment_max = 60000;
    }
}

static void play_keep_alive(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    static const uint8_t garbage = 0;

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);

    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        unsigned side = c->side[role];
        struct sim_how how = orderly(c, role);
        uint64_t next = sim_written(c->tcp, side);

        how.delay_ns = INT64_C(5000000000);
        sim_raw(c->tcp, side, &(struct sim_raw){.offset = next - 1}, &how);
        sim_raw(c->tcp, side, &(struct sim_raw){.offset = next - 1, .p = &garbage, .n = 1}, &how);
    }
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* The receiver's window closes; the sender probes with the next octet, which is then sent again with its segment. */
static void play_zero_window(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 2000);

    struct sim_how how = orderly(c, RESPONDER);
    unsigned side = c->side[RESPONDER];

    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side), .zero_window = true}, &how);
    how = (struct sim_how){.acked = true, .delay_ns = 300000000};

    /* A Send of 24 octets: ULPDU_Length 42, whose first octet is 0. */
    const uint8_t probe = 0;

    side = c->side[INITIATOR];
    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side), .p = &probe, .n = 1}, &how);
    pause_before_next(c, 500000000);
    say_send(c, INITIATOR, 24);
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* Every FPDU is cut somewhere else by the path, or sent in pieces of one octet for a while. */
static void play_unaligned(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1_markers;

    setup.segment_max = 0;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    cork(c, INITIATOR);
    for (unsigned i = 0; i < 40; i++)
        say_send(c, INITIATOR, 100 + 37 * i);
    uncork(c, INITIATOR);
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* The same pair of ports again, with other parameters. */
static void play_port_reuse(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.port = 50000;

    struct conversation *first = conversation_new(stage, &setup);

    say_startup(first);
    say_traffic(first);
    say_close(first, INITIATOR);

    setup = setup_rev1_markers;
    setup.port = 50000;
    setup.after = first->tcp;

    struct conversation *second = conversation_new(stage, &setup);

    say_startup(second);
    say_traffic(second);
    say_reset(second, RESPONDER);

    setup = setup_rev2;
    setup.port = 50000;
    setup.after = second->tcp;

    struct conversation *third = conversation_new(stage, &setup);

    say_startup(third);
    say_traffic(third);
    say_close(third, RESPONDER);
}

static void begin_captured_late(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = conversation_new(stage, setup);

    sim_capturing(c->tcp, 0, false, NULL);
    say_startup(c);
    say_traffic(c);

    struct sim_how how = orderly(c, INITIATOR);

    how.delay_ns = 1000000;
    sim_capturing(c->tcp, c->side[INITIATOR], true, &how);
    say_traffic(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_midstream(struct stage *stage)
{
    begin_captured_late(stage, &setup_rev1);
}

static void play_midstream_markers(struct stage *stage)
{
    begin_captured_late(stage, &setup_rev1_markers);
}

static void play_midstream_no_crc(struct stage *stage)
{
    begin_captured_late(stage, &setup_rev1_no_crc);
}

/* Some packets reached the peer, but not the capture. */
static void play_capture_loss(struct stage *stage)
{
    static const struct conversation_setup *const setups[] = {&setup_rev1, &setup_rev1_markers};

    for (unsigned i = 0; i < 2; i++) {
        struct conversation *c = conversation_new(stage, setups[i]);

        say_startup(c);
        say_traffic(c);
        c->how.uncaptured = true;
        say_send(c, INITIATOR, 700);
        say_send(c, RESPONDER, 700);
        say_traffic(c);
        c->how.uncaptured = true;
        say_send(c, RESPONDER, 31);
        say_send(c, INITIATOR, 3);
        say_traffic(c);
        say_close(c, INITIATOR);
    }
}

/* Two connections at the same time. */
static void play_two_at_once(struct stage *stage)
{
    for (unsigned i = 0; i < 2; i++) {
        struct conversation *c = conversation_new(stage, i ? &setup_rev1_markers : &setup_rev2);

        say_startup(c);
        for (unsigned round = 0; round < 3; round++)
            say_traffic(c);
        say_close(c, INITIATOR);
    }
}

static const struct scenario scenarios[] = {
    {"loss", "startup frames and first FPDUs lost and retransmitted", play_loss, 0, NULL, NULL},
    {"reorder", "startup frames and first FPDUs overtaken", play_reorder, 0, NULL, NULL},
    {"reorder-inside", "the segments of one FPDU in the wrong order", play_reorder_inside, 0, NULL, NULL},
    {"duplicate", "startup frames and first FPDUs delivered twice", play_duplicate, 0, NULL, NULL},
    {"fragments", "startup frames and first FPDUs in IP fragments", play_fragments, 0, NULL, NULL},
    {"offload", "super-segments of segmentation offload", play_offload, 0, NULL, NULL},
    {"keep-alive", "keep-alive probes with and without a garbage octet", play_keep_alive, 0, NULL, NULL},
    {"zero-window", "closed window and a window probe", play_zero_window, 0, NULL, NULL},
    {"unaligned", "many FPDUs share segments and span them", play_unaligned, 0, NULL, NULL},
    {"port-reuse", "three connections in turn on the same ports", play_port_reuse, 0, NULL, NULL},
    {"midstream", "the capture begins inside the connection", play_midstream, 0, NULL, NULL},
    {"midstream-markers", "the capture begins inside a connection with Markers", play_midstream_markers, 0, NULL, NULL},
    {"midstream-no-crc", "the capture begins inside a connection without CRC", play_midstream_no_crc, 0, NULL, NULL},
    {"capture-loss", "packets missing from the capture", play_capture_loss, 0, NULL, NULL},
    {"two-at-once", "two connections at the same time", play_two_at_once, 0, NULL, NULL},
};

const struct scenario_table tcp_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};

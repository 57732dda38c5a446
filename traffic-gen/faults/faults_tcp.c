// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's own conduct under MPA, and how FPDUs lie in segments: RFC 5044 sections 1.2, 5, 7.1.5, 7.2, A. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"

#include <string.h>

static struct conversation *begin(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    say_send(c, INITIATOR, 200);
    return c;
}

static void end(struct conversation *c)
{
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_ack_of_nothing(struct stage *stage)
{
    struct conversation *c = begin(stage);
    struct sim_how how = orderly(c, RESPONDER);
    unsigned side = c->side[RESPONDER];

    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side), .ack_delta = 5000}, &how);
    end(c);
}

/* The last 100 octets again, one of them changed. */
static void play_other_octets_again(struct stage *stage)
{
    struct conversation *c = begin(stage);
    unsigned side = c->side[INITIATOR];
    struct sim_how how = orderly(c, INITIATOR);
    uint64_t next = sim_written(c->tcp, side);
    uint8_t octets[100];

    /* The end of a Send of 200 octets as say_segment() fills it; then something else. */
    memset(octets, 0xEE, sizeof octets);
    how.delay_ns = 20000;
    sim_raw(c->tcp, side,
            &(struct sim_raw){.flags = SEG_ACK | SEG_PSH, .offset = next - 100, .p = octets, .n = sizeof octets}, &how);
    end(c);
}

static void play_data_after_fin(struct stage *stage)
{
    struct conversation *c = begin(stage);
    unsigned side = c->side[INITIATOR];
    static const uint8_t octets[48] = {0x00, 0x2A, 0x41, 0x43, [15] = 9};

    say_fin(c, INITIATOR);
    say_write(c, RESPONDER, 100);

    struct sim_how how = orderly(c, INITIATOR);

    sim_raw(c->tcp, side,
            &(struct sim_raw){
                .flags = SEG_ACK | SEG_PSH, .offset = sim_written(c->tcp, side) + 1, .p = octets, .n = sizeof octets},
            &how);
    say_fin(c, RESPONDER);
}

static void no_sack(struct conversation_setup *setup)
{
    setup->no_sack = true;
}

static void no_df(struct conversation_setup *setup)
{
    setup->no_df = true;
}

/* FPDUs of a quarter segment, and every segment begins inside one. */
static void play_unaligned(struct stage *stage)
{
    struct conversation *c = begin(stage);

    cork(c, INITIATOR);
    for (unsigned i = 0; i < 400; i++)
        say_send(c, INITIATOR, 337); /* 364 octets each: segments of 1460 hardly ever begin with one */
    uncork(c, INITIATOR);
    say_send(c, RESPONDER, 24);
    say_close(c, INITIATOR);
}

/* One whole FPDU and the half of the next in one segment, then the rest. */
static void play_half_fpdus(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.mss[0] = setup.mss[1] = 300;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    for (unsigned i = 0; i < 10; i++) {
        cork(c, INITIATOR);
        say_send(c, INITIATOR, 176);
        say_send(c, INITIATOR, 176);
        uncork(c, INITIATOR);
        say_send(c, RESPONDER, 20);
    }
    say_traffic(c);
    say_close(c, INITIATOR);
}

static bool not_corked(const struct fpdu_write *w)
{
    return !w->conversation->is_corked[w->role];
}

static void pause_inside(struct fpdu_write *w)
{
    struct conversation *c = w->conversation;
    guint first = w->octets->len / 2;

    sim_write(c->tcp, c->side[w->role], w->octets->data, first, &w->how);
    g_byte_array_remove_range(w->octets, 0, first);
    w->how = (struct sim_how){.acked = true, .delay_ns = INT64_C(3000000000)};
}

/* Everything since `from` again, in segments of 100 octets. */
static void play_other_boundaries(struct stage *stage)
{
    struct conversation *c = begin(stage);
    unsigned side = c->side[INITIATOR];
    uint64_t from = sim_written(c->tcp, side);

    say_send(c, INITIATOR, 600);
    say_send(c, INITIATOR, 600);

    struct sim_how how = orderly(c, INITIATOR);

    how.delay_ns = 20000;
    for (; from + 100 <= sim_written(c->tcp, side); from += 100) {
        sim_raw(c->tcp, side,
                &(struct sim_raw){
                    .flags = SEG_ACK | SEG_PSH, .offset = from, .p = sim_stream(c->tcp, side) + from, .n = 100},
                &how);
    }
    end(c);
}

static const struct fault faults[] = {
    {.id = "MPA-1.2-04",
     .scenario = "rev1",
     .summary = "ACK of octets that were never sent",
     .play = play_ack_of_nothing},
    {.id = "MPA-7.1.5-03",
     .scenario = "rev1",
     .summary = "retransmission with other octets",
     .play = play_other_octets_again},
    {.id = "MPA-7.2-01", .scenario = "half-close", .summary = "octets beyond the FIN", .play = play_data_after_fin},
    {.id = "MPA-5.1-04",
     .scenario = "unaligned",
     .summary = "all segments begin inside FPDUs that are smaller than a segment",
     .play = play_unaligned},
    {.id = "MPA-5.1-05",
     .scenario = "unaligned",
     .summary = "a whole FPDU and a part of the next in one segment",
     .play = play_half_fpdus},
    {.id = "MPA-5.1-07",
     .scenario = "rev1",
     .summary = "a segment sent after a silence begins inside an FPDU",
     .index = 3,
     .where = not_corked,
     .fpdu_octets = pause_inside},
    {.id = "MPA-A.1-05",
     .scenario = "rev1",
     .summary = "retransmission with other segment boundaries",
     .play = play_other_boundaries},
    {.id = "MPA-A.3-04", .scenario = "rev1", .summary = "SYN without SACK-permitted", .setup = no_sack},
    {.id = "MPA-A.5.1-01", .scenario = "rev1", .summary = "IPv4 without Don't Fragment", .setup = no_df},
};

const struct fault_table tcp_faults = {faults, sizeof faults / sizeof faults[0]};

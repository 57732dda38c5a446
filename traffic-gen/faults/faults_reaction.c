// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers to FPDUs and to TCP's troubles: RFC 5044 sections 4.1, 4.4, 5, 6, 7.1.5, 8, A. Each stimulus comes twice:
 * answered wrongly under the rule's id, and properly under id+ok where no conforming scenario has it.
 */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/octets.h"

#include <string.h>

enum { TERMINATE_CRC = 0x2002, TERMINATE_MARKER = 0x2003 };

static const int64_t second = 1000000000;

/* ---- stimuli ---- */

static void damage(struct fpdu_write *w)
{
    w->octets->data[w->octets->len - MPA_CRC_LEN - 5] ^= 0x10;
}

/* The last Marker points 4 octets too far back; the CRC is right. */
static void add_four(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    put_be16(marker + 2, (uint16_t)(get_be16(marker + 2) + 4));
}

static void mislead(struct fpdu_write *w)
{
    w->plan.marker_hook = add_four;
    g_byte_array_set_size(w->octets, MPA_FPDU_OCTETS_MAX);
    g_byte_array_set_size(w->octets, (guint)mpa_fpdu_encode(&w->plan, w->octets->data, w->octets->len));
}

static void set_reserved(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx, (void)offset, (void)index;
    marker[1] = 1;
}

/* RESERVED not zero, under the CRC of the Marker with RESERVED zero. */
static void reserve_outside_crc(struct fpdu_write *w)
{
    w->plan.crc = get_le32(w->octets->data + w->octets->len - MPA_CRC_LEN);
    w->plan.crc_fixed = true;
    w->plan.marker_hook = set_reserved;
    g_byte_array_set_size(w->octets, MPA_FPDU_OCTETS_MAX);
    g_byte_array_set_size(w->octets, (guint)mpa_fpdu_encode(&w->plan, w->octets->data, w->octets->len));
}

/* All but the last four octets now, those after a while. */
static void send_in_parts(struct fpdu_write *w, int64_t delay_ns)
{
    struct conversation *c = w->conversation;
    guint first = w->octets->len - 4;

    sim_write(c->tcp, c->side[w->role], w->octets->data, first, &w->how);
    g_byte_array_remove_range(w->octets, 0, first);
    w->how = (struct sim_how){.delay_ns = delay_ns};
}

static void send_in_two_parts(struct fpdu_write *w)
{
    send_in_parts(w, second / 2);
}

/* So soon that the second part and an answer to the first cross on the way. */
static void send_in_quick_parts(struct fpdu_write *w)
{
    send_in_parts(w, 40000);
}

/* Half of it, and never the rest. */
static void send_half(struct fpdu_write *w)
{
    g_byte_array_set_size(w->octets, w->octets->len / 2 & ~3u);
}

/* Three times in IP fragments that reach nobody. */
static void send_lost_fragments(struct fpdu_write *w)
{
    struct conversation *c = w->conversation;
    unsigned side = c->side[w->role];

    for (unsigned i = 0; i < 4; i++) {
        struct sim_how how = {.received = w->how.received, .fragment = true, .delay_ns = i * second};

        sim_raw(c->tcp, side,
                &(struct sim_raw){.flags = SEG_ACK | SEG_PSH,
                                  .offset = sim_written(c->tcp, side),
                                  .p = w->octets->data,
                                  .n = w->octets->len},
                &how);
    }
    g_byte_array_set_size(w->octets, 0);
}

static struct conversation *begin(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = conversation_new(stage, setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    return c;
}

static void end(struct conversation *c)
{
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* ---- CRC ---- */

static void play_crc_checked_although_unused(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1_no_crc);

    say_send(c, INITIATOR, 31);
    say_send(c, INITIATOR, 32);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_crc_checked_in_first(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_no_crc);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static struct conversation *with_damaged_read(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    c->spoil = damage;
    say_read_request(c, INITIATOR, 100);
    return c;
}

static void play_damaged_read_answered(struct stage *stage)
{
    struct conversation *c = with_damaged_read(stage);

    say_read_response(c, RESPONDER, 100);
    say_close(c, INITIATOR);
}

static void play_damaged_read_terminated(struct stage *stage)
{
    say_error_close(with_damaged_read(stage), INITIATOR, TERMINATE_CRC);
}

static struct conversation *with_damaged_send(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = begin(stage, setup);

    c->spoil = damage;
    say_send(c, INITIATOR, 60);
    return c;
}

/* The receiver goes on for longer than any reaction could take. */
static void go_on(struct conversation *c)
{
    say_send(c, RESPONDER, 30);
    pause_before_next(c, 3 * second);
    say_send(c, INITIATOR, 30);
    say_send(c, RESPONDER, 30);
    say_close(c, INITIATOR);
}

static void play_damage_ignored(struct stage *stage)
{
    go_on(with_damaged_send(stage, &setup_rev1));
}

static void play_damage_terminated(struct stage *stage)
{
    say_error_close(with_damaged_send(stage, &setup_rev1), INITIATOR, TERMINATE_CRC);
}

static const struct conversation_setup only_request_wants_crc = SETUP(1, MPA_FLAG_C, 0);

static void play_own_wish_only(struct stage *stage)
{
    go_on(with_damaged_send(stage, &only_request_wants_crc));
}

static void play_peers_wish_too(struct stage *stage)
{
    say_error_close(with_damaged_send(stage, &only_request_wants_crc), INITIATOR, TERMINATE_CRC);
}

static void play_wrong_code(struct stage *stage)
{
    say_error_close(with_damaged_send(stage, &setup_rev1), INITIATOR, 0x0000);
}

static void play_later_read_answered(struct stage *stage)
{
    struct conversation *c = with_damaged_send(stage, &setup_rev1);

    say_read(c, INITIATOR, 100);
    say_close(c, INITIATOR);
}

static void play_later_read_refused(struct stage *stage)
{
    struct conversation *c = with_damaged_send(stage, &setup_rev1);

    say_read_request(c, INITIATOR, 100);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_half_dead(struct stage *stage)
{
    struct conversation *c = with_damaged_send(stage, &setup_rev1);

    say_terminate(c, RESPONDER, TERMINATE_CRC);
    say_nothing(c, INITIATOR, 130 * second);
    say_close(c, INITIATOR);
}

/* ---- Markers ---- */

/* The misleading FPDU arrives before the one that precedes it. */
static struct conversation *with_misleading_marker_in_gap(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1_markers);

    c->how.late = true;
    say_send(c, INITIATOR, 300);
    c->spoil = mislead;
    say_send(c, INITIATOR, 800);
    return c;
}

static void play_misleading_marker_accepted(struct stage *stage)
{
    go_on(with_misleading_marker_in_gap(stage));
}

static void play_misleading_marker_refused(struct stage *stage)
{
    say_error_close(with_misleading_marker_in_gap(stage), INITIATOR, TERMINATE_MARKER);
}

static struct conversation *with_reserved_outside_crc(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1_markers);

    c->spoil = reserve_outside_crc;
    say_send(c, INITIATOR, 600);
    return c;
}

static void play_reserved_accepted(struct stage *stage)
{
    go_on(with_reserved_outside_crc(stage));
}

static void play_reserved_refused(struct stage *stage)
{
    say_error_close(with_reserved_outside_crc(stage), INITIATOR, TERMINATE_CRC);
}

/* ---- segments ---- */

static void play_alignment_expected(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    cork(c, INITIATOR);
    say_send(c, INITIATOR, 900);
    say_send(c, INITIATOR, 900);
    uncork(c, INITIATOR);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_terminate_for_nothing(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    say_send(c, INITIATOR, 31);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_answer_before_end(struct stage *stage, void (*parts)(struct fpdu_write *w))
{
    struct conversation *c = begin(stage, &setup_rev1);
    uint64_t before = sim_written(c->tcp, c->side[INITIATOR]);

    c->spoil = parts;
    say_read_request(c, INITIATOR, 100);
    c->how.received = before + 40;
    c->early = true;
    say_read_response(c, RESPONDER, 100);
    end(c);
}

static void play_answer_long_before_end(struct stage *stage)
{
    play_answer_before_end(stage, send_in_two_parts);
}

static void play_answer_shortly_before_end(struct stage *stage)
{
    play_answer_before_end(stage, send_in_quick_parts);
}

static void play_answer_behind_end(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    c->spoil = send_in_two_parts;
    say_read(c, INITIATOR, 100);
    end(c);
}

static void play_half_for_ever(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    c->spoil = send_half;
    say_send(c, INITIATOR, 200);
    pause_before_next(c, 130 * second);
    say_reset(c, INITIATOR);
}

static void play_half_then_closed(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    c->spoil = send_half;
    say_send(c, INITIATOR, 200);
    pause_before_next(c, 30 * second);
    say_reset(c, RESPONDER);
}

/* The first part of the Request arrives after the second; that confuses the Responder. */
static void play_confused_by_reordering(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    struct mpa_startup frame;
    uint8_t octets[MPA_STARTUP_HEADER_LEN];

    startup_frame_init(c, INITIATOR, &frame);
    mpa_startup_encode(&frame, octets, sizeof octets);
    c->how.late = true;
    say_octets(c, INITIATOR, octets, 12);
    say_octets(c, INITIATOR, octets + 12, sizeof octets - 12);
    say_reply(c);
    say_send(c, INITIATOR, 24);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_confused_by_order(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);
    uint8_t ulpdu[1000] = {0xC1, 0x40, 0x00, 0x00, 0x56};
    g_autofree uint8_t *octets = g_malloc(MPA_FPDU_OCTETS_MAX);
    struct mpa_fpdu_plan plan;

    /* One FPDU in two segments, the first of which is overtaken. */
    mpa_fpdu_plan_init(&plan, &c->framing[INITIATOR], sim_written(c->tcp, c->side[INITIATOR]), ulpdu, sizeof ulpdu,
                       true);

    size_t n = mpa_fpdu_encode(&plan, octets, MPA_FPDU_OCTETS_MAX);

    c->how.late = true;
    say_octets(c, INITIATOR, octets, 600);
    say_octets(c, INITIATOR, octets + 600, n - 600);
    say_error_close(c, INITIATOR, TERMINATE_CRC);
}

static void play_fragments_dropped(struct stage *stage)
{
    struct conversation *c = begin(stage, &setup_rev1);

    c->spoil = send_lost_fragments;
    say_send(c, INITIATOR, 500);
    say_reset(c, INITIATOR);
}

/* A Read Request is lost on the Responder's ULP; a later one is not. */
static void play_first_fpdu_lost(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_read_request(c, INITIATOR, 100);
    pause_before_next(c, 3 * second);
    say_read_request(c, INITIATOR, 200);
    say_read_response(c, RESPONDER, 200);
    say_close(c, INITIATOR);
}

static const struct fault faults[] = {
    {.id = "MPA-4.1-11",
     .scenario = "no-crc",
     .summary = "Terminate 20 02 although CRC is not in use",
     .play = play_crc_checked_although_unused},
    {.id = "MPA-4.4-09",
     .scenario = "no-crc",
     .summary = "Terminate 20 02 at the first FPDU although CRC is not in use",
     .play = play_crc_checked_in_first},
    {.id = "MPA-4.4-19",
     .scenario = "rev1",
     .summary = "a Read Request with a wrong CRC is answered",
     .also = "MPA-4.4-12",
     .play = play_damaged_read_answered},
    {.id = "MPA-4.4-19+ok",
     .scenario = "rev1",
     .summary = "a Read Request with a wrong CRC is answered with Terminate 20 02",
     .also = "MPA-4.4-12",
     .play = play_damaged_read_terminated},
    {.id = "MPA-7.1.1-16",
     .scenario = "crc-by-request",
     .summary = "an end with C = 0 does not check although the peer has C = 1",
     .also = "MPA-4.4-12",
     .play = play_own_wish_only},
    {.id = "MPA-7.1.1-16+ok",
     .scenario = "crc-by-request",
     .summary = "an end with C = 0 checks because the peer has C = 1",
     .also = "MPA-4.4-12",
     .play = play_peers_wish_too},
    {.id = "MPA-8-02",
     .scenario = "rev1",
     .summary = "a wrong CRC has no consequence",
     .also = "MPA-4.4-12",
     .play = play_damage_ignored},
    {.id = "MPA-8-02+ok",
     .scenario = "rev1",
     .summary = "a wrong CRC is answered with Terminate 20 02 and close",
     .also = "MPA-4.4-12",
     .play = play_damage_terminated},
    {.id = "MPA-8-05",
     .scenario = "rev1",
     .summary = "a wrong CRC is answered with Terminate 00 00",
     .also = "MPA-4.4-12",
     .play = play_wrong_code},
    {.id = "MPA-8-05+ok",
     .scenario = "rev1",
     .summary = "a wrong CRC is answered with Terminate 20 02",
     .also = "MPA-4.4-12",
     .play = play_damage_terminated},
    {.id = "MPA-8-12",
     .scenario = "rev1",
     .summary = "a Read Request behind an FPDU with a wrong CRC is answered",
     .also = "MPA-4.4-12",
     .play = play_later_read_answered},
    {.id = "MPA-8-12+ok",
     .scenario = "rev1",
     .summary = "a Read Request behind an FPDU with a wrong CRC is not answered",
     .also = "MPA-4.4-12",
     .play = play_later_read_refused},
    {.id = "MPA-8-14",
     .scenario = "rev1",
     .summary = "Terminate 20 02, and the connection stays for more than two minutes",
     .also = "MPA-4.4-12",
     .play = play_half_dead},
    {.id = "MPA-8-14+ok",
     .scenario = "rev1",
     .summary = "Terminate 20 02 and close",
     .also = "MPA-4.4-12",
     .play = play_damage_terminated},
    {.id = "MPA-8-03",
     .scenario = "markers",
     .summary = "a Marker at variance with the FPDU start is accepted after a gap",
     .also = "MPA-4.3-09",
     .play = play_misleading_marker_accepted},
    {.id = "MPA-8-03+ok",
     .scenario = "markers",
     .summary = "a Marker at variance with the FPDU start is answered with Terminate 20 03 after a gap",
     .also = "MPA-4.3-09",
     .play = play_misleading_marker_refused},
    {.id = "MPA-4.2-04",
     .scenario = "markers",
     .also = "MPA-4.2-02",
     .summary = "nonzero RESERVED under the CRC of zero RESERVED is accepted",
     .play = play_reserved_accepted},
    {.id = "MPA-4.2-04+ok",
     .scenario = "markers",
     .also = "MPA-4.2-02",
     .summary = "nonzero RESERVED under the CRC of zero RESERVED is answered with Terminate 20 02",
     .play = play_reserved_refused},
    {.id = "MPA-5.1-06",
     .scenario = "unaligned",
     .summary = "Terminate 20 02 because FPDUs and segments are not aligned",
     .play = play_alignment_expected},
    {.id = "MPA-5.2-01",
     .scenario = "rev1",
     .summary = "Terminate 20 02 although everything was faultless",
     .play = play_terminate_for_nothing},
    {.id = "MPA-6-06",
     .scenario = "rev1",
     .summary = "a Read Request is answered before its last octets arrived",
     .play = play_answer_long_before_end},
    {.id = "MPA-6-06/crossing",
     .scenario = "rev1",
     .summary = "a Read Request is answered while its last octets are on their way",
     .play = play_answer_shortly_before_end},
    {.id = "MPA-6-06+ok",
     .scenario = "rev1",
     .summary = "a Read Request is answered when its last octets arrived",
     .play = play_answer_behind_end},
    {.id = "MPA-7.1.2-12",
     .scenario = "rev1",
     .summary = "the first FPDU, a Read Request, gets no answer",
     .play = play_first_fpdu_lost},
    {.id = "MPA-7.1.2-42",
     .scenario = "rev1",
     .summary = "half an FPDU is waited on for more than two minutes",
     .play = play_half_for_ever},
    {.id = "MPA-7.1.2-42+ok",
     .scenario = "rev1",
     .summary = "half an FPDU is waited on for half a minute",
     .play = play_half_then_closed},
    {.id = "MPA-7.1.5-04",
     .scenario = "loss",
     .summary = "Terminate 20 02 after a Request that came out of order",
     .play = play_confused_by_reordering},
    {.id = "MPA-A.5.1-02",
     .scenario = "fragments",
     .summary = "IP fragments are dropped again and again",
     .also = "MPA-A.5.1-01",
     .play = play_fragments_dropped},
    {.id = "MPA-A.5.2-01",
     .scenario = "unaligned",
     .summary = "Terminate 20 02 after an FPDU in segments out of order",
     .play = play_confused_by_order},
};

const struct fault_table reaction_faults = {faults, sizeof faults / sizeof faults[0]};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may speak when, and about what: RFC 5044 sections 7.1 to 7.2. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/octets.h"

static const char streaming[] = "Hello Ack";

/* ---- FPDUs out of turn ---- */

static uint64_t end_of_startup(const struct fpdu_write *w, enum role role)
{
    return w->conversation->framing[role].seq_start;
}

/* The Initiator's first FPDU straight behind its Request: the Reply has not been received. */
static void before_the_reply(struct fpdu_write *w)
{
    w->how.received = 0;
}

/* The Responder's first FPDU straight behind its Reply. */
static void before_the_initiator(struct fpdu_write *w)
{
    w->how.received = end_of_startup(w, INITIATOR);
}

static bool is_led_by_marker(const struct fpdu_write *w)
{
    return w->plan.framing.markers && !w->conversation->is_corked[w->role];
}

static bool not_corked(const struct fpdu_write *w)
{
    return !w->conversation->is_corked[w->role];
}

/* The leading Marker alone is sent early. */
static void marker_before_the_initiator(struct fpdu_write *w)
{
    struct sim_how how = {.received = end_of_startup(w, INITIATOR)};
    struct conversation *c = w->conversation;

    sim_write(c->tcp, c->side[w->role], w->octets->data, MPA_MARKER_LEN, &how);
    g_byte_array_remove_range(w->octets, 0, MPA_MARKER_LEN);
}

/* ---- cut FPDUs ---- */

static void first_half_only(struct fpdu_write *w)
{
    g_byte_array_set_size(w->octets, w->octets->len / 2 & ~3u);
}

static void damage(struct fpdu_write *w)
{
    w->octets->data[w->octets->len - MPA_CRC_LEN - 3] ^= 0x10;
}

/* ---- scripts ---- */

static void play_request_twice(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    struct mpa_startup frame;

    say_request(c);
    startup_frame_init(c, INITIATOR, &frame);
    pause_before_next(c, 20000);
    say_startup_frame(c, INITIATOR, &frame);
    say_close(c, RESPONDER);
}

static void play_request_again_as_revision_1(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev2);

    say_request(c);
    say_reply(c);
    say_startup_frame(c, INITIATOR, &(struct mpa_startup){.kind = MPA_REQUEST, .revision = 1, .flags = MPA_FLAG_C});
    say_close(c, RESPONDER);
}

static void play_fpdu_without_request(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_send(c, INITIATOR, 24);
    say_send(c, INITIATOR, 48);
    say_close(c, RESPONDER);
}

static void play_early_reply(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;
    struct mpa_startup frame;
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX];

    setup.wish[INITIATOR].ulp_length = 16;

    struct conversation *c = conversation_new(stage, &setup);

    startup_frame_init(c, INITIATOR, &frame);

    size_t n = mpa_startup_encode(&frame, octets, sizeof octets);

    /* The Private Data follows later; the Reply does not wait for it. */
    say_octets(c, INITIATOR, octets, MPA_STARTUP_HEADER_LEN);
    say_reply(c);
    say_octets(c, INITIATOR, octets + MPA_STARTUP_HEADER_LEN, n - MPA_STARTUP_HEADER_LEN);
    c->framing[INITIATOR].seq_start = n;
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_unsolicited_reply(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_reply(c);
    say_close(c, INITIATOR);
}

static struct conversation *play_rejected(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[RESPONDER].flags |= MPA_FLAG_R;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    return c;
}

static void play_terminate_after_rejection(struct stage *stage)
{
    struct conversation *c = play_rejected(stage);

    say_terminate(c, RESPONDER, 0x2006);
    say_close(c, RESPONDER);
}

static void play_send_after_rejection(struct stage *stage)
{
    struct conversation *c = play_rejected(stage);

    say_send(c, INITIATOR, 24);
    say_close(c, RESPONDER);
}

static void play_answer_to_bad_first(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    c->spoil = damage;
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    say_close(c, RESPONDER);
}

static void play_two_initiators(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    struct mpa_startup frame;

    say_request(c);
    startup_frame_init(c, INITIATOR, &frame);
    c->early = true;
    say_startup_frame(c, RESPONDER, &frame);
    say_close(c, INITIATOR);
}

static void play_streaming_before_reply(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_streaming(c, INITIATOR, "HELLO\n", 6);
    say_request(c);
    say_streaming(c, RESPONDER, streaming, sizeof streaming - 1);
    say_reply(c);
    say_close(c, INITIATOR);
}

/* The Request shares a segment with streaming data. */
static void play_streaming_before_reply_to_both(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    cork(c, INITIATOR);
    say_streaming(c, INITIATOR, "HELLO\n", 6);
    say_request(c);
    uncork(c, INITIATOR);
    say_streaming(c, RESPONDER, streaming, sizeof streaming - 1);
    say_reply(c);
    say_close(c, INITIATOR);
}

/* The Initiator switched although the Responder still had something to say. */
static void play_switched_too_soon(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_streaming(c, INITIATOR, "HELLO\n", 6);
    c->early = true;
    pause_before_next(c, 30000); /* too short for an answer */
    say_request(c);

    /* In flight at that moment: said when only the first words had arrived. */
    c->early = true;
    c->how.received = 6;
    say_streaming(c, RESPONDER, streaming, sizeof streaming - 1);
    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_streaming_after_reply(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    /* Read as a header: 5 octets, so that the Initiator soon finds that this is no FPDU. */
    say_octets(c, RESPONDER, "\x00\x05OK", 4);
    say_send(c, RESPONDER, 24);
    say_error_close(c, RESPONDER, 0x2002);
}

static void play_fin_inside_fpdu(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    static const uint8_t head[20] = {0x00, 0x2A, 0x41, 0x43, [15] = 9};

    say_startup(c);
    say_traffic(c);
    say_octets(c, INITIATOR, head, sizeof head);
    say_close(c, INITIATOR);
}

static const struct fault faults[] = {
    {.id = "MPA-7.1-01",
     .scenario = "streaming-first",
     .summary = "the Responder sends streaming data behind its Reply, then FPDUs",
     .play = play_streaming_after_reply},
    {.id = "MPA-7.1-06", .scenario = "rev1", .summary = "the Request is sent twice", .play = play_request_twice},
    {.id = "MPA2-10-09",
     .scenario = "rev2",
     .summary = "a second Request, of revision 1, on the same connection",
     .play = play_request_again_as_revision_1},
    {.id = "MPA-7.1.2-01",
     .scenario = "rev1",
     .summary = "FPDUs without any startup frame",
     .play = play_fpdu_without_request},
    {.id = "MPA-7.1.2-03",
     .scenario = "private-data",
     .summary = "Reply before the Private Data of the Request has arrived",
     .play = play_early_reply},
    {.id = "MPA-7.1.2-14", .scenario = "rev1", .summary = "Reply without a Request", .play = play_unsolicited_reply},
    {.id = "MPA-7.1.2-16",
     .scenario = "rev1",
     .summary = "the Initiator's first FPDU before the Reply",
     .where = not_corked,
     .fpdu = before_the_reply},
    {.id = "MPA-7.1.2-23",
     .scenario = "rev1",
     .summary = "the Responder's first FPDU before any of the Initiator",
     .role = RESPONDER,
     .where = not_corked,
     .fpdu = before_the_initiator},
    {.id = "MPA-7.1.2-25",
     .scenario = "markers",
     .summary = "the Responder's first Marker before any FPDU of the Initiator",
     .role = RESPONDER,
     .where = is_led_by_marker,
     .fpdu_octets = marker_before_the_initiator},
    {.id = "MPA-7.1.2-24",
     .scenario = "rev1",
     .summary = "the Responder answers a first FPDU with a bad CRC",
     .also = "MPA-4.4-12",
     .play = play_answer_to_bad_first},
    {.id = "MPA-7.1.2-07",
     .scenario = "reject-then-streaming",
     .summary = "Terminate after a rejecting Reply",
     .play = play_terminate_after_rejection},
    {.id = "MPA-7.1.2-19",
     .scenario = "reject-then-streaming",
     .summary = "Send after a rejecting Reply",
     .play = play_send_after_rejection},
    {.id = "MPA-7.1.2-32", .scenario = "rev1", .summary = "both ends send a Request", .play = play_two_initiators},
    {.id = "MPA-7.1.3-01",
     .scenario = "streaming-first",
     .summary = "streaming data between Request and Reply",
     .play = play_streaming_before_reply},
    {.id = "MPA-7.1.3-01/shared",
     .scenario = "streaming-first",
     .summary = "streaming data between a Request that shares its segment with such, and the Reply",
     .play = play_streaming_before_reply_to_both},
    {.id = "MPA-7.1.5-01",
     .scenario = "streaming-first",
     .summary = "Request while the Responder still sends streaming data",
     .play = play_switched_too_soon},
    {.id = "MPA-7.2-03",
     .scenario = "rev1",
     .summary = "FIN after 20 of 48 octets of an FPDU",
     .play = play_fin_inside_fpdu},
    {.id = "MPA-A.1-03",
     .scenario = "rev1",
     .summary = "an FPDU is left off half way and the next one begun",
     .index = 3,
     .fpdu_octets = first_half_only,
     .aftermath = TERMINATED,
     .more = 2},
};

const struct fault_table order_faults = {faults, sizeof faults / sizeof faults[0]};

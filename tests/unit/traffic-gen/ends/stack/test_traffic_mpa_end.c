// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MPA ends: every start-up between two of them, wrong hand-made frames and FPDUs, octets one at a time, truncated and
 * random.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/mpa_end.h"
#include "traffic-gen/ends/stack/pair.h"
#include "wire/octets.h"
#include "wire/rdmap.h"

#include <glib.h>

enum { I, R, STEPS = 100000, NO_ERROR = -1, RTR_ALL = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ };

/* One side: an end and its reports. */
struct side {
    struct mpa_end *end;
    struct mpa_end_terms terms;
    bool requested, established, may_send, ended, reset;
    unsigned ulpdus, rtrs;
    int error;
    GByteArray *got; /* ULPDUs, one after another */
    unsigned speaks; /* FPDUs to send as soon as it may */
};

struct mpa_ends {
    struct pair *pair;
    struct side side[2];
};

static void on_requested(void *ctx, const struct mpa_end_terms *terms)
{
    struct side *side = ctx;

    assert_false(side->established);
    side->requested = true;
    side->terms = *terms;
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct side *side = ctx;

    assert_false(side->established || side->ended);
    side->established = true;
    side->terms = *terms;
}

static const uint8_t rtr_send[] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
static const uint8_t rtr_write[14] = {0xC1, 0x40, 0, 0, 0, 9};
static const uint8_t rtr_read[46] = {0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};

static void speak(struct side *side)
{
    const struct mpa_end_terms *terms = &side->terms;
    uint8_t body[700];

    if (terms->role == MPA_END_INITIATOR && terms->peer_to_peer) {
        if (terms->rtr & MPA_RTR_READ)
            mpa_end_send(side->end, rtr_read, sizeof rtr_read, NULL, 0);
        else if (terms->rtr & MPA_RTR_WRITE)
            mpa_end_send(side->end, rtr_write, 4, rtr_write + 4, 10);
        else
            mpa_end_send(side->end, rtr_send, sizeof rtr_send, NULL, 0);
    }
    for (unsigned i = 0; i < side->speaks; i++) {
        memset(body, (int)i, sizeof body);
        mpa_end_send(side->end, rtr_send, sizeof rtr_send, body, i * 37 % sizeof body);
    }
}

static void on_may_send(void *ctx)
{
    struct side *side = ctx;

    assert_true(side->established && !side->may_send && mpa_end_may_send(side->end));
    side->may_send = true;
    speak(side);
}

static void on_ulpdu(void *ctx, const uint8_t *p, size_t n, bool rtr)
{
    struct side *side = ctx;

    assert_true(side->established && side->error == NO_ERROR && !side->ended);
    side->rtrs += rtr;
    side->ulpdus += !rtr;
    if (!rtr)
        g_byte_array_append(side->got, p, (guint)n);
}

static void on_error(void *ctx, enum mpa_end_error error)
{
    struct side *side = ctx;

    assert_int_equal(side->error, NO_ERROR);
    assert_false(side->ended);
    side->error = (int)error;
}

static void on_ended(void *ctx, bool reset)
{
    struct side *side = ctx;

    assert_false(side->ended);
    side->ended = true;
    side->reset = reset;
}

static void receive(void *end, const uint8_t *p, size_t n)
{
    mpa_end_receive(end, p, n);
}

static void receive_fin(void *end)
{
    mpa_end_receive_fin(end);
}

static void receive_reset(void *end)
{
    mpa_end_receive_reset(end);
}

static void tick(void *end)
{
    mpa_end_tick(end);
}

static void side_open(struct mpa_ends *ends, unsigned number, struct mpa_end_wish wish)
{
    struct side *side = &ends->side[number];
    const struct mpa_end_events events = {side,     on_requested, on_established, on_may_send,
                                          on_ulpdu, on_error,     on_ended};

    wish.role = number == I ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    side->error = NO_ERROR;
    side->got = g_byte_array_new();
    side->end = mpa_end_new(&wish, pair_stream(ends->pair, number), &events);
    pair_attach(ends->pair, number,
                &(struct pair_end){
                    .end = side->end,
                    .receive = receive,
                    .receive_fin = receive_fin,
                    .receive_reset = receive_reset,
                    .tick = tick,
                });
}

/* Two ends. */
static void open_both(struct mpa_ends *ends, const struct mpa_end_wish *initiator, const struct mpa_end_wish *responder)
{
    *ends = (struct mpa_ends){.pair = pair_new(1460, 1000)};
    side_open(ends, R, *responder);
    side_open(ends, I, *initiator);
}

/* One end with hand-made octets. */
static void open_one(struct mpa_ends *ends, unsigned number, const struct mpa_end_wish *wish)
{
    *ends = (struct mpa_ends){.pair = pair_new(1460, 1000)};
    side_open(ends, number, *wish);
    mpa_end_start(ends->side[number].end);
    assert_true(pair_run(ends->pair, STEPS));
}

static void close_all(struct mpa_ends *ends)
{
    for (unsigned i = 0; i < 2; i++) {
        if (ends->side[i].end) {
            mpa_end_free(ends->side[i].end);
            g_byte_array_unref(ends->side[i].got);
        }
    }
    pair_free(ends->pair);
}

static void run(struct mpa_ends *ends)
{
    mpa_end_start(ends->side[R].end);
    mpa_end_start(ends->side[I].end);
    assert_true(pair_run(ends->pair, STEPS));
}

/* The peer of side `number` sends octets. */
static void say(struct mpa_ends *ends, unsigned number, const uint8_t *p, size_t n)
{
    pair_write(ends->pair, !number, p, n);
    assert_true(pair_run(ends->pair, STEPS));
}

/* ---- two ends ---- */

UNIT_TEST(revision_1)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        const struct mpa_end_wish initiator = {
            .revision = 1, .markers = bits & 1, .crc = bits & 2, .private_data = rtr_send, .private_length = 7};
        const struct mpa_end_wish responder = {.revision = (bits & 1) + 1, .markers = bits & 4, .crc = bits & 8};
        struct mpa_ends ends;
        const struct mpa_end_terms *i = &ends.side[I].terms, *r = &ends.side[R].terms;

        open_both(&ends, &initiator, &responder);
        ends.side[I].speaks = 200;
        ends.side[R].speaks = 150;
        run(&ends);
        assert_true(ends.side[I].may_send && ends.side[R].may_send);
        assert_int_equal(i->revision, 1);
        assert_int_equal(r->revision, 1);
        assert_int_equal(i->markers_in, initiator.markers);
        assert_int_equal(i->markers_out, responder.markers);
        assert_int_equal(r->markers_in, i->markers_out);
        assert_int_equal(r->markers_out, i->markers_in);
        assert_int_equal(i->crc, (bits & 10) != 0);
        assert_int_equal(r->crc, i->crc);
        assert_int_equal(r->peer_length, 7);
        assert_memory_equal(r->peer_data, rtr_send, 7);
        assert_int_equal(ends.side[R].ulpdus, 200);
        assert_int_equal(ends.side[I].ulpdus, 150);
        assert_memory_equal(ends.side[I].got->data, ends.side[R].got->data, ends.side[I].got->len);
        mpa_end_close(ends.side[I].end, false);
        assert_true(pair_run(ends.pair, STEPS));
        assert_true(ends.side[R].ended && !ends.side[I].ended);
        mpa_end_close(ends.side[R].end, false);
        assert_true(pair_run(ends.pair, STEPS));
        assert_true(ends.side[I].ended);
        assert_int_equal(ends.side[I].error, NO_ERROR);
        assert_int_equal(ends.side[R].error, NO_ERROR);
        close_all(&ends);
    }
}

/* Which revisions are compatible, and what each side sees otherwise. */
UNIT_TEST(revisions)
{
    static const struct {
        uint8_t initiator, responder;
        bool permissive[2], enhanced;
        int revision; /* -1: incompatible */
        int error[2];
    } cases[] = {
        {0, 0, {false, false}, false, 0, {NO_ERROR, NO_ERROR}},
        {0, 1, {false, true}, false, 0, {NO_ERROR, NO_ERROR}},
        {0, 2, {false, true}, false, 0, {NO_ERROR, NO_ERROR}},
        {0, 1, {false, false}, false, -1, {MPA_END_BAD_FRAME, MPA_END_BAD_FRAME}},
        {1, 0, {true, false}, false, 0, {NO_ERROR, NO_ERROR}},
        {1, 0, {false, false}, false, -1, {MPA_END_BAD_FRAME, MPA_END_CLOSED_EARLY}},
        {1, 1, {true, true}, false, 1, {NO_ERROR, NO_ERROR}},
        {1, 2, {false, false}, false, 1, {NO_ERROR, NO_ERROR}},
        {2, 2, {false, false}, true, 2, {NO_ERROR, NO_ERROR}},
        {2, 2, {false, false}, false, 2, {NO_ERROR, NO_ERROR}},
        {2, 1, {false, false}, true, -1, {MPA_END_CLOSED_EARLY, MPA_END_BAD_FRAME}},
        {2, 0, {false, false}, true, -1, {MPA_END_CLOSED_EARLY, MPA_END_BAD_FRAME}},
    };

    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        const struct mpa_end_wish initiator = {
            .revision = cases[k].initiator, .permissive = cases[k].permissive[I], .enhanced = cases[k].enhanced};
        const struct mpa_end_wish responder = {.revision = cases[k].responder, .permissive = cases[k].permissive[R]};
        bool fits = cases[k].revision >= 0;
        struct mpa_ends ends;

        print_message("%u to %u\n", cases[k].initiator, cases[k].responder);
        open_both(&ends, &initiator, &responder);
        ends.side[I].speaks = ends.side[R].speaks = 40;
        run(&ends);
        for (unsigned s = 0; s < 2; s++) {
            assert_int_equal(ends.side[s].ulpdus, fits ? 40 : 0);
            assert_true(!fits || (ends.side[s].established && !pair_finished(ends.pair, s)));
            if (fits) {
                assert_int_equal(ends.side[s].terms.revision, cases[k].revision);
                assert_int_equal(ends.side[s].terms.markers_in, cases[k].revision == 0);
                assert_int_equal(ends.side[s].terms.crc, cases[k].revision == 0);
                assert_int_equal(ends.side[s].terms.enhanced, cases[k].enhanced);
            }
        }
        if (fits) {
            assert_int_equal(ends.side[I].error, NO_ERROR);
            assert_int_equal(ends.side[R].error, NO_ERROR);
        } else if (cases[k].error[I] == MPA_END_BAD_FRAME && cases[k].error[R] == MPA_END_CLOSED_EARLY) {
            /* The Responder was content, but the peer closes before the first FPDU. */
            assert_int_equal(ends.side[I].error, MPA_END_BAD_FRAME);
            assert_true(ends.side[R].ended);
        } else {
            assert_int_equal(ends.side[I].error, cases[k].error[I]);
            assert_int_equal(ends.side[R].error, cases[k].error[R]);
            assert_true(pair_finished(ends.pair, I) && pair_finished(ends.pair, R));
        }
        close_all(&ends);
    }
}

UNIT_TEST(enhanced)
{
    enum { NONE = MPA_IRD_ORD_NOT_NEGOTIATED };
    static const struct {
        uint16_t ird, ord, able_ird, able_ord; /* Request, the Responder's wish */
        uint16_t i_ird, i_ord, r_ird, r_ord;   /* the resulting terms */
    } cases[] = {
        {16, 8, 8, 16, 16, 8, 8, 16},
        {16, 8, 4, 4, 16, 4, 4, 4},
        {4, 8, 32, 32, 4, 8, 32, 4},
        {0, 0, 8, 8, 0, 0, 8, 0},
        {NONE, NONE, 8, 8, NONE, NONE, NONE, NONE},
        {NONE, 5, 8, 8, NONE, 5, 8, NONE},
        {5, NONE, 8, 8, 5, NONE, NONE, 5},
        {5, 6, NONE, NONE, 5, 6, 6, 5},
    };

    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        const struct mpa_end_wish initiator = {.revision = 2,
                                               .enhanced = true,
                                               .enhanced_data = {.ird = cases[k].ird, .ord = cases[k].ord},
                                               .private_data = rtr_read,
                                               .private_length = 11};
        const struct mpa_end_wish responder = {.revision = 2,
                                               .enhanced_data = {.ird = cases[k].able_ird, .ord = cases[k].able_ord}};
        struct mpa_ends ends;

        open_both(&ends, &initiator, &responder);
        ends.side[I].speaks = ends.side[R].speaks = 3;
        run(&ends);
        assert_int_equal(ends.side[I].terms.ird, cases[k].i_ird);
        assert_int_equal(ends.side[I].terms.ord, cases[k].i_ord);
        assert_int_equal(ends.side[R].terms.ird, cases[k].r_ird);
        assert_int_equal(ends.side[R].terms.ord, cases[k].r_ord);
        assert_int_equal(ends.side[R].terms.peer_length, 11);
        assert_memory_equal(ends.side[R].terms.peer_data, rtr_read, 11);
        assert_int_equal(ends.side[I].ulpdus, 3);
        close_all(&ends);
    }
}

UNIT_TEST(peer_to_peer)
{
    for (unsigned bits = 0; bits < 64 * 2; bits++) {
        uint8_t offered = bits & 7, taken = bits >> 3 & 7, common = taken ? offered & taken : offered;
        const struct mpa_end_wish initiator = {
            .revision = 2,
            .markers = bits & 64,
            .crc = true,
            .enhanced = true,
            .enhanced_data = {.peer_to_peer = true, .rtr = offered, .ird = 4, .ord = 0}};
        const struct mpa_end_wish responder = {
            .revision = 2, .markers = bits & 64, .enhanced_data = {.rtr = taken, .ird = 0, .ord = 4}};
        struct mpa_ends ends;

        open_both(&ends, &initiator, &responder);
        ends.side[I].speaks = 0;
        ends.side[R].speaks = 5; /* at once after the RTR */
        run(&ends);
        assert_int_equal(ends.side[R].terms.rtr, common);
        if (common) {
            assert_int_equal(ends.side[I].terms.rtr, common);
            assert_int_equal(ends.side[R].rtrs, 1);
            assert_int_equal(ends.side[R].ulpdus, 0);
            assert_int_equal(ends.side[I].ulpdus, 5);
        } else {
            assert_int_equal(ends.side[I].error, MPA_END_NO_RTR);
            assert_false(ends.side[I].established || ends.side[R].may_send);
            assert_true(pair_finished(ends.pair, I));
        }
        close_all(&ends);
    }
}

UNIT_TEST(rejection)
{
    for (unsigned bits = 0; bits < 4; bits++) {
        const struct mpa_end_wish initiator = {.revision = bits & 1 ? 2 : 1, .enhanced = bits & 1};
        const struct mpa_end_wish responder = {
            .revision = 2, .reject = !(bits & 2), .manual = bits & 2, .private_data = rtr_read, .private_length = 5};
        struct mpa_ends ends;

        open_both(&ends, &initiator, &responder);
        run(&ends);
        if (bits & 2) {
            assert_true(ends.side[R].requested && !ends.side[I].established);
            mpa_end_set_private_data(ends.side[R].end, rtr_send, 5);
            mpa_end_reply(ends.side[R].end, false);
            assert_true(pair_run(ends.pair, STEPS));
        }
        for (unsigned s = 0; s < 2; s++) {
            assert_int_equal(ends.side[s].error, MPA_END_REJECTED);
            assert_false(ends.side[s].established);
            assert_true(ends.side[s].ended && pair_finished(ends.pair, s));
            assert_true(mpa_end_get_terms(ends.side[s].end)->rejected);
        }
        assert_int_equal(mpa_end_get_terms(ends.side[I].end)->peer_length, 5);
        assert_memory_equal(mpa_end_get_terms(ends.side[I].end)->peer_data, bits & 2 ? rtr_send : rtr_read, 5);
        close_all(&ends);
    }
}

UNIT_TEST(delayed_acceptance)
{
    const struct mpa_end_wish initiator = {.revision = 1}, responder = {.revision = 1, .manual = true};
    struct mpa_ends ends;

    open_both(&ends, &initiator, &responder);
    ends.side[I].speaks = ends.side[R].speaks = 2;
    run(&ends);
    pair_wait(ends.pair, INT64_C(5000000000));
    assert_int_equal(ends.side[I].error, NO_ERROR);
    mpa_end_reply(ends.side[R].end, true);
    mpa_end_reply(ends.side[R].end, true); /* the second call has no effect */
    assert_true(pair_run(ends.pair, STEPS));
    assert_int_equal(ends.side[I].ulpdus, 2);
    assert_int_equal(ends.side[R].ulpdus, 2);
    close_all(&ends);
}

UNIT_TEST(silence)
{
    const struct mpa_end_wish wish = {.revision = 1, .t_startup = 1000000000};

    for (unsigned s = 0; s < 2; s++) {
        struct mpa_ends ends;

        open_one(&ends, s, &wish);
        pair_wait(ends.pair, 900000000);
        assert_int_equal(ends.side[s].error, NO_ERROR);
        pair_wait(ends.pair, 100000000);
        assert_int_equal(ends.side[s].error, MPA_END_TIMEOUT);
        assert_true(pair_finished(ends.pair, s));
        pair_wait(ends.pair, 100000000);
        close_all(&ends);
    }
}

/* ---- frames by hand ---- */

static size_t frame_of(uint8_t *out, struct mpa_startup frame)
{
    static const uint8_t data[600];

    if (!frame.ulp_data)
        frame.ulp_data = data;
    if (frame.pd_length == 0)
        mpa_startup_fix_length(&frame);
    return mpa_startup_encode(&frame, out, 1000);
}

UNIT_TEST(wrong_frames)
{
    static const struct mpa_end_wish wish = {.revision = 2, .enhanced = true};
    static const struct {
        const char *what;
        unsigned side;
        struct mpa_startup frame;
        unsigned spoiled, more; /* index of the wrong octet of the key, + 1; octets after the frame */
        int error;
    } cases[] = {
        {"fine", R, {.kind = MPA_REQUEST, .revision = 1}, 0, 0, NO_ERROR},
        {"largest", R, {.kind = MPA_REQUEST, .revision = 1, .ulp_length = 512}, 0, 0, NO_ERROR},
        {"R is ignored", R, {.kind = MPA_REQUEST, .revision = 1, .flags = MPA_FLAG_R}, 0, 0, NO_ERROR},
        {"Res is ignored", R, {.kind = MPA_REQUEST, .revision = 1, .flags = MPA_FLAGS_RES}, 0, 0, NO_ERROR},
        {"wrong key", R, {.kind = MPA_REQUEST, .revision = 1}, 1, 0, MPA_END_BAD_FRAME},
        {"wrong key's end", R, {.kind = MPA_REQUEST, .revision = 1}, 16, 0, MPA_END_BAD_FRAME},
        {"Reply to a Responder", R, {.kind = MPA_REPLY, .revision = 1}, 0, 0, MPA_END_BAD_FRAME},
        {"excess", R, {.kind = MPA_REQUEST, .revision = 1}, 0, 1, MPA_END_BAD_FRAME},
        {"too large", R, {.kind = MPA_REQUEST, .revision = 1, .ulp_length = 513}, 0, 0, MPA_END_BAD_FRAME},
        {"far too large", R, {.kind = MPA_REQUEST, .revision = 1, .pd_length = 65535}, 0, 0, MPA_END_BAD_FRAME},
        {"revision 3", R, {.kind = MPA_REQUEST, .revision = 3}, 0, 0, MPA_END_BAD_FRAME},
        {"revision 255", R, {.kind = MPA_REQUEST, .revision = 255}, 0, 0, MPA_END_BAD_FRAME},
        {"S in revision 1", R, {.kind = MPA_REQUEST, .revision = 1, .flags = MPA_FLAG_S}, 0, 0, MPA_END_BAD_FRAME},
        {"S without data", R, {.kind = MPA_REQUEST, .revision = 2, .flags = MPA_FLAG_S}, 0, 0, MPA_END_BAD_FRAME},
        {"S with 2 octets",
         R,
         {.kind = MPA_REQUEST, .revision = 2, .flags = MPA_FLAG_S, .ulp_length = 2, .pd_length = 2},
         0,
         0,
         MPA_END_BAD_FRAME},
        {"A = 0 with types",
         R,
         {.kind = MPA_REQUEST,
          .revision = 2,
          .flags = MPA_FLAG_S,
          .has_enhanced = true,
          .enhanced = {.rtr = 7, .ird = 1, .ord = 1}},
         0,
         0,
         NO_ERROR},
        {"fine", I, {.kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S, .has_enhanced = true}, 0, 0, NO_ERROR},
        {"premature",
         I,
         {.kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S, .has_enhanced = true},
         0,
         9,
         MPA_END_BAD_FRAME},
        {"Request to an Initiator", I, {.kind = MPA_REQUEST, .revision = 2}, 0, 0, MPA_END_BAD_FRAME},
        {"revision 1", I, {.kind = MPA_REPLY, .revision = 1}, 0, 0, MPA_END_BAD_FRAME},
        {"no S", I, {.kind = MPA_REPLY, .revision = 2, .ulp_length = 4}, 0, 0, MPA_END_BAD_FRAME},
        {"no enhanced data", I, {.kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S}, 0, 0, MPA_END_BAD_FRAME},
        {"rejected",
         I,
         {.kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S | MPA_FLAG_R, .has_enhanced = true},
         0,
         0,
         MPA_END_REJECTED},
        {"rejected in revision 1", I, {.kind = MPA_REPLY, .revision = 1, .flags = MPA_FLAG_R}, 0, 0, MPA_END_REJECTED},
        {"ORD above IRD",
         I,
         {.kind = MPA_REPLY, .revision = 2, .flags = MPA_FLAG_S, .has_enhanced = true, .enhanced = {.ord = 1}},
         0,
         0,
         MPA_END_IRD_ORD},
        {"A not asked for",
         I,
         {.kind = MPA_REPLY,
          .revision = 2,
          .flags = MPA_FLAG_S,
          .has_enhanced = true,
          .enhanced = {.peer_to_peer = true, .rtr = 7}},
         0,
         0,
         MPA_END_LOCAL},
    };
    uint8_t octets[1200];

    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        unsigned s = cases[k].side;

        for (unsigned piece = 1; piece < 1000; piece += 998) { /* octet by octet, and at once */
            struct mpa_ends ends;
            size_t n, own;

            print_message("%s, %u at a time\n", cases[k].what, piece);
            memset(octets, 0, sizeof octets);
            n = frame_of(octets, cases[k].frame);
            if (cases[k].frame.ulp_length > 512) {
                put_be16(octets + 18, cases[k].frame.ulp_length);
                n = 20u + cases[k].frame.ulp_length;
            }
            if (cases[k].spoiled)
                octets[cases[k].spoiled - 1] ^= 0x20;
            n += cases[k].more;
            open_one(&ends, s, &wish);
            pair_written(ends.pair, s, &own);
            if (cases[k].more == 0 || piece > 1) {
                for (size_t at = 0; at < n; at += piece)
                    say(&ends, s, octets + at, MIN(piece, n - at));
                assert_int_equal(ends.side[s].error, cases[k].error);
                assert_int_equal(pair_finished(ends.pair, s), cases[k].error != NO_ERROR);
                assert_int_equal(ends.side[s].established, cases[k].error == NO_ERROR);
            }
            pair_close(ends.pair, !s, false);
            assert_true(pair_run(ends.pair, STEPS));
            assert_true(ends.side[s].ended);
            close_all(&ends);
        }
    }
}

UNIT_TEST(every_truncation_of_a_frame)
{
    static const struct mpa_end_wish wish = {.revision = 2};
    uint8_t octets[1000];
    size_t n = frame_of(octets, (struct mpa_startup){.kind = MPA_REQUEST, .revision = 1, .ulp_length = 100});

    for (size_t cut = 0; cut < n; cut++) {
        for (unsigned reset = 0; reset < 2; reset++) {
            struct mpa_ends ends;
            size_t own;

            open_one(&ends, R, &wish);
            say(&ends, R, octets, cut);
            assert_int_equal(ends.side[R].error, NO_ERROR);
            pair_close(ends.pair, I, reset);
            assert_true(pair_run(ends.pair, STEPS));
            assert_int_equal(ends.side[R].error, MPA_END_CLOSED_EARLY);
            assert_true(ends.side[R].ended);
            pair_written(ends.pair, R, &own);
            assert_int_equal(own, 0);
            close_all(&ends);
        }
    }
}

/* ---- FPDUs by hand ---- */

/* A Responder in full operation; returns the stream offset after the Request. */
static uint64_t open_responder(struct mpa_ends *ends, bool markers, bool crc)
{
    const struct mpa_end_wish wish = {.revision = 1, .markers = markers, .crc = crc};
    uint8_t octets[1000];
    size_t n = frame_of(octets, (struct mpa_startup){.kind = MPA_REQUEST, .revision = 1});

    open_one(ends, R, &wish);
    say(ends, R, octets, n);
    assert_true(ends->side[R].established);
    return n;
}

static uint8_t marker_xor[4];

static void spoil_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    if (index == 1) {
        for (unsigned i = 0; i < 4; i++)
            marker[i] ^= marker_xor[i];
    }
}

UNIT_TEST(wrong_fpdus)
{
    enum { NOTHING, CRC, MARKER_LOW_BITS, MARKER_RESERVED, MARKER, LENGTH_0 };
    static const struct {
        bool markers, crc;
        unsigned what;
        int error;
    } cases[] = {
        {false, true, NOTHING, NO_ERROR},
        {true, true, NOTHING, NO_ERROR},
        {false, true, CRC, MPA_END_BAD_CRC},
        {true, true, CRC, MPA_END_BAD_CRC},
        {false, false, CRC, NO_ERROR},
        {true, false, CRC, NO_ERROR},
        {true, true, MARKER_LOW_BITS, NO_ERROR},
        {true, true, MARKER_RESERVED, NO_ERROR},
        {true, true, MARKER, MPA_END_BAD_MARKER},
        {true, false, MARKER, MPA_END_BAD_MARKER},
        {false, true, LENGTH_0, MPA_END_BAD_FPDU},
    };
    static uint8_t ulpdu[600], octets[2000];

    memcpy(ulpdu, rtr_send, sizeof rtr_send);
    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        unsigned what = cases[k].what;
        struct mpa_ends ends;
        uint64_t at = open_responder(&ends, cases[k].markers, cases[k].crc);
        const struct mpa_framing framing = {.markers = cases[k].markers, .seq_start = at};
        size_t n = 0;

        memset(marker_xor, 0, sizeof marker_xor);
        marker_xor[1] = what == MARKER_RESERVED;
        marker_xor[3] = what == MARKER_LOW_BITS ? 3 : what == MARKER ? 4 : 0;
        for (unsigned i = 0; i < 2; i++) { /* the second is never read when the first is wrong */
            struct mpa_fpdu_plan plan;

            mpa_fpdu_plan_init(&plan, &framing, at + n, ulpdu, what == LENGTH_0 && i == 0 ? 0 : sizeof ulpdu,
                               cases[k].crc);
            plan.marker_hook = i == 0 ? spoil_marker : NULL;
            if (what == CRC && i == 0) {
                plan.crc_fixed = true;
                plan.crc = 0x12345678;
            }
            n += mpa_fpdu_encode(&plan, octets + n, sizeof octets - n);
        }
        say(&ends, R, octets, n);
        assert_int_equal(ends.side[R].error, cases[k].error);
        assert_int_equal(ends.side[R].ulpdus, cases[k].error == NO_ERROR ? 2 : 0);
        assert_int_equal(ends.side[R].may_send, cases[k].error == NO_ERROR);
        assert_int_equal(pair_finished(ends.pair, R), cases[k].error != NO_ERROR);
        close_all(&ends);
    }
}

UNIT_TEST(cut_off)
{
    static uint8_t octets[200];

    for (unsigned markers = 0; markers < 2; markers++) {
        for (size_t cut = 0;; cut++) {
            struct mpa_ends ends;
            uint64_t at = open_responder(&ends, markers, true);
            const struct mpa_framing framing = {.markers = markers, .seq_start = at};
            struct mpa_fpdu_plan plan;
            size_t n;

            mpa_fpdu_plan_init(&plan, &framing, at, rtr_send, sizeof rtr_send, true);
            n = mpa_fpdu_encode(&plan, octets, sizeof octets);
            for (size_t i = 0; i < cut; i++)
                say(&ends, R, octets + i, 1);
            assert_int_equal(ends.side[R].ulpdus, cut == n);
            pair_close(ends.pair, I, false);
            assert_true(pair_run(ends.pair, STEPS));
            assert_true(ends.side[R].ended);
            assert_int_equal(ends.side[R].error, cut == 0 || cut == n ? NO_ERROR : MPA_END_CUT_OFF);
            close_all(&ends);
            if (cut == n)
                break;
        }
    }
}

UNIT_TEST(wrong_rtr)
{
    static const struct {
        const char *octets;
        uint8_t types;
        bool rtr;
    } cases[] = {
        {"4143 00000000 00000000 00000001 00000000", MPA_RTR_SEND, true},
        {"4143 00000000 00000000 00000001 00000000", MPA_RTR_WRITE, false},
        {"4143 00000000 00000000 00000002 00000000", RTR_ALL, false},
        {"4143 00000000 00000000 00000001 00000000 00", RTR_ALL, false},
        {"0143 00000000 00000000 00000001 00000000", RTR_ALL, false},
        {"c140 00000000 [8]", MPA_RTR_WRITE, true},
        {"c140 00000000 [8] 00", MPA_RTR_WRITE, false},
        {"c140 00000000 [8]", MPA_RTR_READ | MPA_RTR_SEND, false},
        {"4141 00000000 00000001 00000001 00000000 [28]", MPA_RTR_READ, true},
        {"4141 00000000 00000001 00000001 00000000 [15] 01 [12]", MPA_RTR_READ, false},
        {"c142 00000000 [8]", RTR_ALL, false},
        {"c1", RTR_ALL, false},
    };
    uint8_t octets[1000], ulpdu[100];

    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        const struct mpa_end_wish wish = {.revision = 2, .enhanced_data = {.rtr = cases[k].types, .ird = 1, .ord = 1}};
        struct mpa_ends ends;
        size_t n, at = frame_of(octets, (struct mpa_startup){.kind = MPA_REQUEST,
                                                             .revision = 2,
                                                             .flags = MPA_FLAG_S,
                                                             .has_enhanced = true,
                                                             .enhanced = {.peer_to_peer = true, .rtr = RTR_ALL}});
        struct mpa_fpdu_plan plan;
        const struct mpa_framing framing = {0};

        open_one(&ends, R, &wish);
        say(&ends, R, octets, at);
        assert_true(ends.side[R].established);
        n = octets_of(cases[k].octets, ulpdu, sizeof ulpdu);
        mpa_fpdu_plan_init(&plan, &framing, at, ulpdu, (uint16_t)n, false);
        n = mpa_fpdu_encode(&plan, octets, sizeof octets);
        say(&ends, R, octets, n);
        assert_int_equal(ends.side[R].rtrs, cases[k].rtr);
        assert_int_equal(ends.side[R].may_send, cases[k].rtr);
        assert_int_equal(ends.side[R].error, cases[k].rtr ? NO_ERROR : MPA_END_NO_RTR);
        close_all(&ends);
    }
}

UNIT_TEST(random_octets)
{
    uint64_t seed = 4;
    uint8_t octets[3000];

    for (unsigned round = 0; round < 3000; round++) {
        struct mpa_ends ends;
        size_t n = next_random(&seed) % sizeof octets;
        bool markers = next_random(&seed) & 1, crc = next_random(&seed) % 8 == 0;

        fill_random(&seed, octets, n);
        if (round % 3 == 0) {
            const struct mpa_end_wish wish = {.revision = 2, .enhanced = true};

            open_one(&ends, round % 2, &wish);
            if (round % 2 == R && n > 20) {
                const struct mpa_startup frame = {.kind = MPA_REQUEST, .revision = (uint8_t)(round % 4)};
                uint8_t flags = octets[16];

                frame_of(octets, frame);
                octets[16] = flags;
            }
            say(&ends, round % 2, octets, n);
        } else {
            open_responder(&ends, markers, crc);
            for (size_t at = 0, step; at < n; at += step) {
                step = 1 + next_random(&seed) % 700;
                step = MIN(step, n - at);
                say(&ends, R, octets + at, step);
            }
        }
        close_all(&ends);
    }
}

/* ---- sending ---- */

UNIT_TEST(largest_ulpdu)
{
    static const struct {
        uint16_t mss;
        bool markers;
        size_t ulpdu;
    } cases[] = {{1460, false, 1454}, {1460, true, 1442}, {536, true, 522}, {128, false, 128}, {65495, false, 64768}};

    for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
        const struct mpa_end_wish wish = {.revision = 1, .markers = cases[k].markers, .crc = true};
        struct mpa_ends ends = {.pair = pair_new(cases[k].mss, 0)};
        static uint8_t body[65535];
        size_t max;

        side_open(&ends, R, wish);
        side_open(&ends, I, wish);
        run(&ends);
        max = mpa_end_ulpdu_max(ends.side[I].end);
        assert_int_equal(max, cases[k].ulpdu);
        mpa_end_send(ends.side[I].end, rtr_send, 18, body, max - 18);
        mpa_end_send(ends.side[I].end, rtr_send, 18, body, 65535 - 18);
        mpa_end_send(ends.side[I].end, rtr_send, 18, body, 65535 - 17); /* too long for the field */
        assert_true(pair_run(ends.pair, STEPS));
        assert_int_equal(ends.side[R].ulpdus, 2);
        close_all(&ends);
    }
}

static void spoil_plan(void *ctx, struct mpa_fpdu_plan *plan)
{
    unsigned *calls = ctx;

    plan->crc_fixed = ++*calls == 2;
}

UNIT_TEST(hooks_of_faults)
{
    const struct mpa_end_wish wish = {.revision = 1, .crc = true};
    unsigned calls = 0;
    const struct mpa_end_spoil spoil = {.ctx = &calls, .plan = spoil_plan};
    struct mpa_ends ends;

    open_both(&ends, &wish, &wish);
    ends.side[I].speaks = 5;
    mpa_end_set_spoil(ends.side[I].end, &spoil);
    run(&ends);
    assert_int_equal(calls, 5);
    assert_int_equal(ends.side[R].ulpdus, 1);
    assert_int_equal(ends.side[R].error, MPA_END_BAD_CRC);
    close_all(&ends);
}

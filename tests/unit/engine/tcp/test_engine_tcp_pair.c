// SPDX-License-Identifier: GPL-2.0-or-later
/* Each trap of TCP reassembly as a small conversation. */
#include "tests/unit/support/tcp_pair_log.h"

CONVERSATION(octets_in_order_go_straight_through, log_connect)
{
    send_at(c, 0, 0, "abc");
    log_expect(c, "0@0:abc/4<>");
    c->acked[1] = 3;
    send_at(c, 1, 0, "xy");
    log_expect(c, "1@0:xy/5<>");
    assert_true(c->acked_known);
    assert_int_equal(c->segment_acked, 3);
    send_at(c, 0, 3, "def");
    log_finish(c);
    log_expect(c, "0@3:def/6<>");
}

CONVERSATION(out_of_order, log_connect)
{
    send_at(c, 0, 6, "ghi");
    send_at(c, 0, 3, "def");
    log_expect(c, "");
    send_at(c, 0, 0, "abc");
    log_expect(c, "0@0:abc/6<>r 0@3:def/5!<>r 0@6:ghi/4!<>");
}

CONVERSATION(retransmission_with_other_boundaries, log_connect)
{
    send_at(c, 0, 0, "abcd");
    send_at(c, 0, 2, "cdefgh");
    log_expect(c, "0@0:abcd/4<> 0@4:efgh/5>r");
    send_at(c, 0, 0, "abcdefgh");
    log_expect(c, "");
}

CONVERSATION(a_piece_between_held_ones_is_cut_out, log_connect)
{
    send_at(c, 0, 2, "cd");
    send_at(c, 0, 6, "gh");
    send_at(c, 0, 1, "bcdefghi"); /* around both */
    log_expect(c, "");
    send_at(c, 0, 0, "a");
    log_expect(c, "0@0:a/7<>r 0@1:b/6!<r 0@2:cd/4!<> 0@4:ef/6!r 0@6:gh/5!<> 0@8:i/6!>r");
}

CONVERSATION(first_octets_win_and_a_difference_is_reported, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_at(c, 0, 3, "def");
    send_at(c, 0, 1, "bcdXfg");
    log_expect(c, "0@0:abc/4<> 0@3:def/5<> conflict0@4:eX/5 0@6:g/6>r");
    /* Against octets that still wait. */
    send_at(c, 0, 9, "jkl");
    send_at(c, 0, 8, "ijZl");
    log_expect(c, "conflict0@10:kZ/7");
    send_at(c, 0, 7, "h");
    log_expect(c, "0@7:h/9<>r 0@8:i/8!<r 0@9:jkl/7!<>");
}

CONVERSATION(keep_alive_garbage_is_no_conflict, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 3);
    send_at(c, 0, 2, "?");
    send_at(c, 0, 2, ""); /* and without garbage */
    log_expect(c, "0@0:abc/4<>");
    send_at(c, 0, 3, "d");
    log_expect(c, "0@3:d/8<>");
}

CONVERSATION(keep_alive_garbage_fills_no_gap, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 4); /* "d" was not captured */
    c->now += 100000000;
    send_at(c, 0, 3, "?");
    send_at(c, 0, 4, "ef");
    send_ack(c, 1, 0, 6);
    log_expect(c, "0@0:abc/4<> hole0@3-4:lost/7 0@4:ef/7!<>");
}

/* Captured after its acknowledgment, because the directions came through different queues. */
CONVERSATION(one_late_octet_fills_its_gap, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 4);
    c->now += 50000000;
    send_at(c, 0, 3, "d");
    log_expect(c, "0@0:abc/4<> 0@3:d/6<>");
}

/* The acknowledgment was lost on the path. A probe has no FIN. */
CONVERSATION(the_last_octet_sent_again_with_fin_fills_its_gap, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 5); /* "d" and FIN were not captured */
    c->now += 200000000;
    send_flags(c, 0, TCP_ACK | TCP_FIN, 3, "d");
    log_expect(c, "0@0:abc/4<> 0@3:d/6<> fin0@4/6");
}

CONVERSATION(one_unacknowledged_octet_sent_again_is_compared, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 2);
    send_at(c, 0, 2, "?");
    log_expect(c, "0@0:abc/4<> conflict0@2:c?/4");
}

CONVERSATION(a_zero_window_probe_carries_data, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 3);
    send_at(c, 0, 3, "d"); /* refused by the receiver */
    send_ack(c, 1, 0, 3);
    send_at(c, 0, 3, "def");
    log_expect(c, "0@0:abc/4<> 0@3:d/6<> 0@4:ef/8>r");
}

CONVERSATION(sequence_numbers_wrap, log_start)
{
    c->isn[0] = UINT32_MAX - 3;
    c->isn[1] = UINT32_MAX;
    send_handshake(c);
    send_at(c, 0, 2, "cdef"); /* across the wrap, out of order */
    send_at(c, 0, 0, "ab");
    log_expect(c, "0@0:ab/5<>r 0@2:cdef/4!<>");
    assert_int_equal(c->segment_offset, 0);
    send_ack(c, 1, 0, 6);
    assert_int_equal(c->segment_acked, 6);
    send_at(c, 0, 6, "g");
    log_expect(c, "0@6:g/7<>");
}

CONVERSATION(one_side_ends_the_other_goes_on, log_connect)
{
    send_flags(c, 0, TCP_FIN, 0, "bye");
    send_ack(c, 1, 0, 4);
    log_expect(c, "0@0:bye/4<> fin0@3/4");
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_OPEN);
    send_at(c, 1, 0, "more");
    send_flags(c, 1, TCP_FIN, 4, "");
    log_expect(c, "1@0:more/6<> fin1@4/7");
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_OPEN);
    send_ack(c, 0, 4, 5);
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_CLOSED);
    assert_true(tcp_pair_facts(c->pair, 0)->fin && tcp_pair_facts(c->pair, 1)->fin);
}

CONVERSATION(a_fin_waits_for_the_octets_before_it, log_connect)
{
    send_flags(c, 0, TCP_FIN, 3, "def");
    log_expect(c, "");
    send_at(c, 0, 0, "abc");
    log_expect(c, "0@0:abc/5<>r 0@3:def/4!<> fin0@6/4");
    /* The FIN again, with the data before it, and octets after it. */
    send_flags(c, 0, TCP_FIN, 0, "abcdef");
    send_at(c, 0, 6, "beyond");
    assert_int_equal(c->segment_offset, 6);
    assert_int_equal(c->segment_length, 6);
}

CONVERSATION(octets_held_beyond_a_fin_are_dropped, log_connect)
{
    send_at(c, 0, 4, "efgh");
    send_flags(c, 0, TCP_FIN, 3, "def");
    send_at(c, 0, 0, "abc");
    log_finish(c);
    log_expect(c, "0@0:abc/6<>r 0@3:d/5!<r 0@4:ef/4!< fin0@6/5");
}

CONVERSATION(a_reset_in_the_window_closes, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 3);
    send_raw(c, 0, TCP_RST, c->isn[0] + 1 + 400000000, 0, "", 0); /* far outside the window */
    send_raw(c, 0, TCP_RST, c->isn[0] - 1000, 0, "", 0);
    log_expect(c, "0@0:abc/4<>");
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_OPEN);
    send_raw(c, 0, TCP_RST, c->isn[0] + 4, 0, "", 0);
    send_raw(c, 0, TCP_RST, c->isn[0] + 4, 0, "", 0);
    log_expect(c, "rst0/8");
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_CLOSED);
}

CONVERSATION(a_reset_refuses_a_syn, log_start)
{
    send_raw(c, 0, TCP_SYN, 77, 0, "", 0);
    send_raw(c, 1, TCP_RST | TCP_ACK, 0, 78, "", 0);
    log_expect(c, "rst1/2");
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_CLOSED);
    /* The same SYN again, accepted now. */
    send_raw(c, 0, TCP_SYN, 77, 0, "", 0);
    assert_int_equal(tcp_pair_state(c->pair), TCP_PAIR_OPEN);
}

CONVERSATION(octets_of_a_reset_are_no_stream_octets, log_connect)
{
    send_flags(c, 0, TCP_RST, 0, "why");
    log_finish(c);
    log_expect(c, "rst0/4");
}

CONVERSATION(a_start_in_mid_stream_is_offset_zero, log_start)
{
    send_raw(c, 0, TCP_ACK, 100000, 200000, "abc", 3);
    assert_false(c->acked_known);
    send_raw(c, 1, TCP_ACK, 200000, 100003, "x", 1);
    assert_true(c->acked_known);
    assert_int_equal(c->segment_acked, 3);
    log_expect(c, "0@0:abc/1<> 1@0:x/2<>");
    /*
     * Octets older than the capture have no offset and are dropped; of a segment across its beginning the rest counts.
     */
    send_raw(c, 0, TCP_ACK, 99990, 200000, "0123456789", 10);
    assert_int_equal(c->segment_offset, 0);
    assert_int_equal(c->segment_length, 0);
    send_raw(c, 0, TCP_ACK, 99999, 200000, "9abcd", 5);
    assert_int_equal(c->segment_length, 4);
    log_expect(c, "0@3:d/4>r");
    /* An ACK from before the start. */
    send_raw(c, 1, TCP_ACK, 200001, 99000, "", 0);
    assert_int_equal(c->segment_acked, 0);
}

CONVERSATION(mid_stream_after_a_keep_alive_begins_after_it, log_start)
{
    send_raw(c, 0, TCP_ACK, 99999, 200000, "", 0);
    send_raw(c, 1, TCP_ACK, 200000, 100000, "", 0);
    send_raw(c, 0, TCP_ACK, 100000, 200000, "abc", 3);
    log_finish(c);
    log_expect(c, "0@0:abc/3<>");
}

CONVERSATION(a_super_segment_is_one_run, log_connect)
{
    static char text[60001];

    memset(text, 'a', 60000);
    c->log[0] = '\0';
    struct tcp_segment segment = {.frame = 4,
                                  .flags = TCP_ACK,
                                  .window_scale = 255,
                                  .seq = c->isn[0] + 1,
                                  .ack = c->isn[1] + 1,
                                  .length = 60000,
                                  .captured = 60000,
                                  .payload = (const uint8_t *)text};
    c->frame = 4;
    struct tcp_pair_events none = {0};
    struct tcp_pair *pair = tcp_pair_new(NULL, &none, NULL);
    tcp_pair_segment(pair, &segment);
    assert_int_equal(tcp_pair_facts(pair, 0)->largest_segment, 60000);
    assert_int_equal(tcp_pair_facts(pair, 0)->next, 60000);
    tcp_pair_free(pair);
}

CONVERSATION(what_the_snap_length_cut_is_a_hole, log_connect)
{
    send_raw(c, 0, TCP_ACK, c->isn[0] + 1, c->isn[1] + 1, "abcdef", 4);
    send_at(c, 0, 6, "ghi");
    log_expect(c, "0@0:abcd/4< hole0@4-6:snap/4 0@6:ghi/5<>");
    /* Nothing captured at all, and out of order. */
    send_raw(c, 0, TCP_ACK, c->isn[0] + 1 + 12, c->isn[1] + 1, "mno", 0);
    send_at(c, 0, 9, "jkl");
    log_expect(c, "0@9:jkl/7<>r hole0@12-15:snap/6");
}

CONVERSATION(loss_in_the_network_is_no_hole, log_connect)
{
    send_at(c, 0, 0, "abc");
    send_at(c, 0, 6, "ghi");
    for (int i = 0; i < 200; i++)
        send_ack(c, 1, 0, 3); /* duplicate ACKs: not received either */
    c->now += 1000000000;
    send_at(c, 0, 3, "def");
    log_finish(c);
    log_expect(c, "0@0:abc/4<> 0@3:def/206<>r 0@6:ghi/5!<>");
}

CONVERSATION(loss_in_the_capture_shows_by_the_ack, log_start)
{
    c->step = 1000000;
    send_handshake(c);
    send_at(c, 0, 0, "abc");
    send_at(c, 0, 6, "ghi");
    send_ack(c, 1, 0, 9);
    log_expect(c, "0@0:abc/4<> hole0@3-6:lost/5 0@6:ghi/5!<>");
    send_at(c, 0, 9, "jkl");
    log_expect(c, "0@9:jkl/7<>");
    /* Octets that were given up and come late are not delivered. */
    send_at(c, 0, 3, "def");
}

/* The receiver asked for the octets in the gap, so they may be sent again, and be captured after their ACK. */
CONVERSATION(octets_that_were_asked_for_may_come_yet, log_start)
{
    c->step = 1000000;
    send_handshake(c);
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 3);
    send_at(c, 0, 6, "ghi");
    send_ack(c, 1, 0, 3);
    send_ack(c, 1, 0, 9);
    log_expect(c, "0@0:abc/4<>");
    send_at(c, 0, 3, "def");
    log_expect(c, "0@3:def/9<>r 0@6:ghi/6!<>");
    /* The next gap is another one. */
    send_at(c, 0, 12, "mno");
    send_ack(c, 1, 0, 15);
    log_expect(c, "hole0@9-12:lost/10 0@12:mno/10!<>");
}

static int64_t latest_ns;

static void note_time(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    (void)ctx;
    (void)side;
    (void)offset;
    (void)p;
    (void)n;
    latest_ns = origin->time_ns;
}

/* Waiting octets reached their receiver when they were captured, if only the capture lost the octets before them. */
UNIT_TEST(octets_behind_a_gap_keep_their_time)
{
    static const struct tcp_pair_events events = {.octets = note_time};

    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        struct tcp_pair *pair = tcp_pair_new(NULL, &events, NULL);
        struct tcp_segment segment = {.side = 0,
                                      .seq = 100,
                                      .flags = TCP_ACK,
                                      .length = 3,
                                      .captured = 3,
                                      .frame = 1,
                                      .payload = (const uint8_t *)"abc",
                                      .time_ns = 1000};

        assert_non_null(pair);
        tcp_pair_segment(pair, &segment);
        segment.seq += 6;
        segment.frame = 2;
        segment.time_ns = 2000;
        tcp_pair_segment(pair, &segment);
        assert_int_equal(latest_ns, 1000);
        if (lost) {
            segment = (struct tcp_segment){.side = 1, .flags = TCP_ACK, .ack = 109, .frame = 3, .time_ns = 9000};
        } else {
            segment.seq -= 3;
            segment.frame = 3;
            segment.time_ns = 9000;
        }
        tcp_pair_segment(pair, &segment);
        assert_int_equal(latest_ns, lost ? 2000 : 9000);
        tcp_pair_free(pair);
    }
}

CONVERSATION(octets_captured_after_their_ack_are_no_hole, log_connect)
{
    send_ack(c, 1, 0, 6); /* the other queue of the interface was read first */
    send_at(c, 0, 3, "def");
    send_at(c, 0, 0, "abc");
    send_at(c, 0, 6, "ghi");
    log_finish(c);
    log_expect(c, "0@0:abc/6<>r 0@3:def/5!<> 0@6:ghi/7<>");
}

CONVERSATION(capture_loss_without_octets_after_it, log_start)
{
    c->step = 1000000;
    send_handshake(c);
    send_at(c, 0, 0, "abc");
    send_ack(c, 1, 0, 9); /* [3, 9) not captured */
    for (int i = 0; i < 10; i++)
        send_ack(c, 1, 0, 9);
    log_expect(c, "0@0:abc/4<>"); /* an ACK of octets that were never sent looks the same */
    for (int i = 0; i < 6; i++)
        send_ack(c, 0, 9, 0); /* but they were sent: the sender's numbers prove it */
    log_expect(c, "hole0@3-9:lost/0");
}

UNIT_TEST(capture_loss_at_the_very_end)
{
    struct conversation c;

    log_connect(&c);
    send_at(&c, 0, 0, "abc");
    send_ack(&c, 1, 0, 9);
    log_finish(&c);
    log_expect(&c, "0@0:abc/4<> hole0@3-9:lost/0");
    /* One more than captured: a FIN that was not captured. */
    log_connect(&c);
    send_at(&c, 0, 0, "abc");
    send_ack(&c, 1, 0, 4);
    for (int i = 0; i < 100; i++)
        send_ack(&c, 0, 4, 0);
    log_finish(&c);
    log_expect(&c, "0@0:abc/4<>");
}

CONVERSATION(loss_between_acks_gives_up_all_that_was_acknowledged, log_start)
{
    c->step = 1000000;
    send_handshake(c);
    send_at(c, 0, 2, "c");
    send_at(c, 0, 5, "f");
    send_at(c, 0, 8, "i"); /* this gap is not acknowledged */
    for (int i = 0; i < 5; i++)
        send_ack(c, 1, 0, 6);
    log_expect(c, "hole0@0-2:lost/4 0@2:c/4!<> hole0@3-5:lost/5 0@5:f/5!<>");
    send_at(c, 0, 6, "gh");
    log_finish(c);
    log_expect(c, "0@6:gh/12<>r 0@8:i/6!<>");
}

CONVERSATION(what_is_missing_at_the_end, log_connect)
{
    send_at(c, 0, 3, "def");
    send_flags(c, 1, TCP_FIN, 2, "");
    log_finish(c);
    log_expect(c, "hole0@0-3:end/4 0@3:def/4!<> hole1@0-2:end/0 fin1@2/5");
}

UNIT_TEST(held_octets_are_bounded)
{
    struct tcp_pair_options options = {.limit = 1000};
    struct conversation c;

    log_connect_with(&c, &options);
    for (unsigned i = 0; i < 20; i++)
        send_at(&c, 0, 1 + 2 * i, "x");
    assert_non_null(strstr(c.log, "hole0@0-1:memory/4 0@1:x/4!<>"));
    log_finish(&c);
    c.log[0] = '\0';
    /* One segment larger than the bound. */
    options.limit = 1;
    log_connect_with(&c, &options);
    send_at(&c, 0, 2, "cd");
    log_expect(&c, "hole0@0-2:memory/4 0@2:cd/4<>");
    log_finish(&c);
}

UNIT_TEST(eager_holes_do_not_wait)
{
    struct tcp_pair_options options = {.eager_holes = true};
    struct conversation c;

    log_connect_with(&c, &options);
    send_at(&c, 0, 0, "ab");
    send_at(&c, 0, 4, "ef");
    send_at(&c, 0, 2, "cd");
    log_finish(&c);
    log_expect(&c, "0@0:ab/4<> hole0@2-4:lost/5 0@4:ef/5<>");
}

CONVERSATION(a_syn_may_carry_octets, log_start)
{
    send_raw(c, 0, TCP_SYN, c->isn[0], 0, "abc", 3);
    log_expect(c, "0@0:abc/1<>");
    send_raw(c, 0, TCP_SYN, c->isn[0], 0, "", 0); /* again, without */
    send_raw(c, 1, TCP_SYN | TCP_ACK, c->isn[1], c->isn[0] + 1, "", 0);
    assert_true(c->acked_known);
    assert_int_equal(c->segment_acked, 0);
    send_at(c, 0, 0, "abcdef");
    log_expect(c, "0@3:def/4>r");
}

UNIT_TEST(a_handshake_captured_on_one_side)
{
    struct conversation c;

    /* SYN-ACK first: the SYN is not captured, but the answer shows its sequence number. */
    log_start(&c);
    send_raw(&c, 1, TCP_SYN | TCP_ACK, c.isn[1], c.isn[0] + 1, "", 0);
    send_at(&c, 0, 3, "def");
    assert_true(c.acked_known);
    log_expect(&c, "");
    send_at(&c, 0, 0, "abc");
    log_finish(&c);
    log_expect(&c, "0@0:abc/3<>r 0@3:def/2!<>");
    /* SYN-ACK captured after the client's first octets. */
    log_start(&c);
    send_raw(&c, 0, TCP_SYN, c.isn[0], 0, "", 0);
    send_at(&c, 0, 0, "abc");
    assert_false(c.acked_known); /* the other side may have sent octets before it */
    send_raw(&c, 1, TCP_SYN | TCP_ACK, c.isn[1], c.isn[0] + 1, "", 0);
    send_at(&c, 0, 3, "d");
    assert_true(c.acked_known);
    send_at(&c, 1, 0, "x");
    log_finish(&c);
    log_expect(&c, "0@0:abc/2<> 0@3:d/4<> 1@0:x/5<>");
}

UNIT_TEST(facts_of_the_syn)
{
    struct conversation c;
    struct tcp_segment syn = {
        .frame = 1, .flags = TCP_SYN, .mss = 1460, .sack_permitted = true, .window_scale = 7, .seq = 9};

    log_start(&c);
    tcp_pair_segment(c.pair, &syn);
    const struct tcp_side_facts *facts = tcp_pair_facts(c.pair, 0);
    assert_true(facts->syn_seen && facts->sack_permitted);
    assert_int_equal(facts->isn, 10);
    assert_int_equal(facts->mss, 1460);
    assert_false(facts->acked_known);
    log_finish(&c);
}

CONVERSATION(far_outside_the_window_is_not_believed_at_once, log_connect)
{
    send_at(c, 0, 100000000, "stray");
    send_at(c, 0, 0, "abc");
    log_finish(c);
    log_expect(c, "0@0:abc/5<>");
}

UNIT_TEST(reuse)
{
    struct conversation c;
    struct tcp_segment syn = {.frame = 50, .flags = TCP_SYN, .window_scale = 255, .seq = 1000};

    log_connect(&c);
    assert_false(tcp_pair_is_reuse(c.pair, &syn)); /* its own SYN again */
    syn.seq = 4000;
    assert_true(tcp_pair_is_reuse(c.pair, &syn));
    syn.flags = TCP_SYN | TCP_ACK;
    syn.side = 1;
    assert_true(tcp_pair_is_reuse(c.pair, &syn));
    syn.seq = c.isn[1];
    assert_false(tcp_pair_is_reuse(c.pair, &syn));
    log_finish(&c);
    /* In mid-stream every SYN is a new connection. */
    log_start(&c);
    send_raw(&c, 0, TCP_ACK, 100000, 200000, "abc", 3);
    syn = (struct tcp_segment){.frame = 2, .flags = TCP_SYN, .seq = 7};
    assert_true(tcp_pair_is_reuse(c.pair, &syn));
    syn.side = 1;
    assert_true(tcp_pair_is_reuse(c.pair, &syn));
    log_finish(&c);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The segments of a message as a TCP may send them, and for comparison with the same cuts and nothing odd. */
#include "traffic-gen/suite/cases/suite_wire_deeds.h"

#include "traffic-gen/suite/talk/talk_wire.h"

enum {
    ORDERS = 5,
    PIECE = 50, /* octets of a segment, where there are many */
    TINY_PIECE = 7,
    PLACES = 5, /* in an FPDU where it is cut */
    MANY = 8,   /* FPDUs */
    FAR = 1 << 20,
    LONG_PAST = 100000,
    ECE_AND_CWR = 0xC0,
    SYN = 0x02,
    RST = 0x04,
    URG = 0x20,
    CONGESTED = 3, /* RFC 3168: Congestion Experienced */
};

static void put(const struct stretch *stretch, size_t from, size_t to, const char *what)
{
    talk_put(stretch->talk,
             &(struct wire_put){.from = (int64_t)(stretch->at + from), .p = stretch->p + from, .n = to - from}, what);
}

/* The stretch with its first n octets inverted; the caller frees it. */
static uint8_t *with_others(const struct stretch *stretch, size_t n)
{
    uint8_t *octets = g_memdup2(stretch->p, stretch->n);

    for (size_t i = 0; i < n; i++)
        octets[i] ^= 0xFF;
    return octets;
}

/* Before this octet, of so many places from the second octet to the last. */
static size_t place(const struct stretch *stretch, unsigned step, unsigned steps)
{
    return 1 + (stretch->n - 2) * step / MAX(steps - 1, 1u);
}

/* For the comparison: the same cuts, in order, each octet once and as it is. */
static void put_plainly(const struct stretch *stretch, const size_t *cuts, unsigned n)
{
    size_t from = 0;

    for (unsigned i = 0; i < n; i++, from = cuts[i - 1])
        put(stretch, from, cuts[i], "with nothing odd");
    put(stretch, from, stretch->n, "with nothing odd");
}

static void put_in_one(const struct stretch *stretch, unsigned step)
{
    (void)step;
    put_plainly(stretch, NULL, 0);
}

static void put_in_two_plainly(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    put_plainly(stretch, &cut, 1);
}

static void put_in_pieces(const struct stretch *stretch, size_t piece)
{
    for (size_t from = 0; from < stretch->n; from += piece)
        put(stretch, from, MIN(from + piece, stretch->n), "with nothing odd");
}

static void put_pieces(const struct stretch *stretch, unsigned step)
{
    (void)step;
    put_in_pieces(stretch, PIECE);
}

static void put_tiny_pieces(const struct stretch *stretch, unsigned step)
{
    (void)step;
    put_in_pieces(stretch, TINY_PIECE);
}

static void put_in_two(const struct stretch *stretch, unsigned step)
{
    put(stretch, 0, step + 1, "cut");
    put(stretch, step + 1, stretch->n, "the rest");
}

/* Of three segments. */
static void cuts_in_three(const struct stretch *stretch, unsigned step, size_t cuts[2])
{
    cuts[0] = place(stretch, step / ORDERS, PLACES - 1);
    cuts[1] = cuts[0] + (stretch->n - cuts[0]) / 2;
}

static void put_in_three_plainly(const struct stretch *stretch, unsigned step)
{
    size_t cuts[2];

    cuts_in_three(stretch, step, cuts);
    put_plainly(stretch, cuts, cuts[1] < stretch->n && cuts[1] > cuts[0] ? 2 : 1);
}

static void put_out_of_order(const struct stretch *stretch, unsigned step)
{
    static const uint8_t orders[ORDERS][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const uint8_t *order = orders[step % ORDERS];
    size_t cuts[] = {0, 0, 0, stretch->n};

    cuts_in_three(stretch, step, cuts + 1);
    for (unsigned i = 0; i < 3; i++)
        put(stretch, cuts[order[i]], cuts[order[i] + 1], "out of order");
}

static void put_first_last(const struct stretch *stretch, unsigned step)
{
    (void)step;
    for (size_t from = PIECE; from < stretch->n; from += PIECE)
        put(stretch, from, MIN(from + PIECE, stretch->n), "too early");
    put(stretch, 0, MIN(PIECE, stretch->n), "the first one, last");
}

static void put_backwards(const struct stretch *stretch, unsigned step)
{
    (void)step;
    for (size_t pieces = (stretch->n + TINY_PIECE - 1) / TINY_PIECE; pieces-- > 0;)
        put(stretch, pieces * TINY_PIECE, MIN((pieces + 1) * TINY_PIECE, stretch->n), "backwards");
}

static void put_twice(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    for (unsigned again = 0; again < 2; again++)
        put(stretch, 0, cut, again ? "again" : "once");
    for (unsigned again = 0; again < 2; again++)
        put(stretch, cut, stretch->n, again ? "again" : "once");
    if (talk_await_ack(stretch->talk, stretch->at + stretch->n))
        put(stretch, 0, stretch->n, "all of it again, although acknowledged");
}

/* As after a loss: the first segments, then all of it at once, then with another cut. */
static void put_with_other_cuts(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    put(stretch, 0, cut, "once");
    put(stretch, 0, stretch->n, "all of it, in a segment that begins as early");
    put(stretch, cut / 2, cut, "with other cuts");
    put(stretch, cut - 1, MIN(cut + 1, stretch->n), "with other cuts");
}

static void put_others_again(const struct stretch *stretch, unsigned step)
{
    g_autofree uint8_t *others = with_others(stretch, stretch->n);
    const size_t from = place(stretch, step, PLACES) - 1;

    put(stretch, 0, stretch->n, "once");
    if (talk_await_ack(stretch->talk, stretch->at + stretch->n))
        talk_put(stretch->talk,
                 &(struct wire_put){.from = (int64_t)(stretch->at + from), .p = others + from, .n = stretch->n - from},
                 "again with other octets, although acknowledged");
}

static void put_overlap(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);
    g_autofree uint8_t *others = with_others(stretch, cut);

    put(stretch, 0, cut, "the beginning");
    if (talk_await_ack(stretch->talk, stretch->at + cut))
        talk_put(stretch->talk, &(struct wire_put){.from = (int64_t)stretch->at, .p = others, .n = stretch->n},
                 "the rest, and before it other octets for those that were acknowledged");
}

static void put_damaged(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);
    g_autofree uint8_t *others = with_others(stretch, stretch->n);

    put(stretch, 0, cut, "the beginning");
    talk_put(stretch->talk,
             &(struct wire_put){
                 .from = (int64_t)(stretch->at + cut), .p = others + cut, .n = stretch->n - cut, .bad_checksum = true},
             "the rest with other octets and a wrong checksum");
    put(stretch, cut, stretch->n, "the rest");
}

static void put_outside_window(const struct stretch *stretch, unsigned step)
{
    const int64_t here = (int64_t)stretch->at, places[] = {here + FAR, here - LONG_PAST};
    const size_t cut = place(stretch, step, PLACES);
    g_autofree uint8_t *others = with_others(stretch, stretch->n);

    put(stretch, 0, cut, "the beginning");
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
        talk_put(stretch->talk, &(struct wire_put){.from = places[i], .p = others, .n = stretch->n},
                 i == 0 ? "beyond the window" : "long past");
    put(stretch, cut, stretch->n, "the rest");
}

/* RFC 9293 section 3.10.7.4: an RST outside the window is dropped; in the window RFC 793 allows it to take effect. */
static void put_resets(const struct stretch *stretch, unsigned step)
{
    const int64_t here = (int64_t)stretch->at, places[] = {here + FAR, here - LONG_PAST};
    const size_t cut = place(stretch, step, PLACES);

    put(stretch, 0, cut, "the beginning");
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
        talk_put(stretch->talk, &(struct wire_put){.from = places[i], .flags = RST},
                 i == 0 ? "an RST beyond the window" : "an RST long past");
    put(stretch, cut, stretch->n, "the rest");
}

static void put_old_syn(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    put(stretch, 0, cut, "the beginning");
    talk_put(stretch->talk, &(struct wire_put){.from = -1, .flags = SYN, .no_ack = true}, "the SYN once more");
    put(stretch, cut, stretch->n, "the rest");
}

/* RFC 9293 section 3.8.4: with the last octet that was acknowledged, or with none. */
static void put_keep_alives(const struct stretch *stretch, unsigned step)
{
    static const uint8_t garbage = 0x5A;
    const size_t cut = place(stretch, step, PLACES);
    const int64_t last = (int64_t)(stretch->at + cut) - 1;

    put(stretch, 0, cut, "the beginning");
    if (!talk_await_ack(stretch->talk, stretch->at + cut))
        return;
    talk_put(stretch->talk, &(struct wire_put){.from = last}, "a keep-alive without an octet");
    talk_put(stretch->talk, &(struct wire_put){.from = last, .p = &garbage, .n = 1},
             "a keep-alive with an octet of garbage");
    put(stretch, cut, stretch->n, "the rest");
}

/*
 * RFC 9293 section 3.8.5: without URG the pointer means nothing, and with it nothing new when all that it is about has
 * been received.
 */
static void put_urgent(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    put(stretch, 0, cut, "the beginning");
    if (!talk_await_ack(stretch->talk, stretch->at + cut))
        return;
    talk_put(stretch->talk,
             &(struct wire_put){
                 .from = (int64_t)stretch->at, .p = stretch->p, .n = cut, .flags = URG, .urgent = (uint16_t)cut},
             "the beginning again, all of it urgent, although acknowledged");
    talk_put(stretch->talk,
             &(struct wire_put){
                 .from = (int64_t)(stretch->at + cut), .p = stretch->p + cut, .n = stretch->n - cut, .urgent = 1},
             "the rest, with an urgent pointer but without URG");
}

static void put_congested(const struct stretch *stretch, unsigned step)
{
    const size_t cut = place(stretch, step, PLACES);

    talk_put(stretch->talk,
             &(struct wire_put){.from = (int64_t)stretch->at, .p = stretch->p, .n = cut, .traffic_class = CONGESTED},
             "the beginning, Congestion Experienced");
    talk_put(
        stretch->talk,
        &(struct wire_put){
            .from = (int64_t)(stretch->at + cut), .p = stretch->p + cut, .n = stretch->n - cut, .flags = ECE_AND_CWR},
        "the rest, with ECE and CWR");
}

const struct wire_deed wire_deeds[] = {
    [IN_TWO] = {put_in_two, put_in_one, 0, 0},
    [OUT_OF_ORDER] = {put_out_of_order, put_in_three_plainly, ORDERS *(PLACES - 1), 0},
    [FIRST_LAST] = {put_first_last, put_pieces, 2, MANY},
    [BACKWARDS] = {put_backwards, put_tiny_pieces, 2, 0},
    [TWICE] = {put_twice, put_in_two_plainly, PLACES, 0},
    [OTHER_CUTS] = {put_with_other_cuts, put_in_two_plainly, PLACES, 0},
    [OTHERS_AGAIN] = {put_others_again, put_in_one, PLACES, 0},
    [OVERLAP] = {put_overlap, put_in_two_plainly, PLACES, 0},
    [DAMAGED] = {put_damaged, put_in_two_plainly, PLACES, 0},
    [OUTSIDE_WINDOW] = {put_outside_window, put_in_two_plainly, PLACES, 0},
    [RESETS] = {put_resets, put_in_two_plainly, PLACES, 0},
    [OLD_SYN] = {put_old_syn, put_in_two_plainly, PLACES, 0},
    [KEEP_ALIVES] = {put_keep_alives, put_in_two_plainly, PLACES, 0},
    [CONGESTION] = {put_congested, put_in_two_plainly, PLACES, 0},
    [URGENT] = {put_urgent, put_in_two_plainly, PLACES, 0},
};

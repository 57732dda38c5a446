// SPDX-License-Identifier: GPL-2.0-or-later
/* The segments of a message as a TCP may send them, and for comparison the same cuts without anything odd. */
#include "traffic-gen/tester/suite/cases/suite_wire_deeds.h"

#include "traffic-gen/tester/suite/talk/talk_wire.h"

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

/* The octet before which to cut, at this place of so many from the second octet to the last. */
static size_t place(const struct stretch *stretch, unsigned step, unsigned steps)
{
    return 1 + (stretch->n - 2) * step / MAX(steps - 1, 1u);
}

/*
 * For the comparison: the same cuts, in order, each octet once and as it is. A device may join two segments that arrive
 * right after each other, and never see the cut.
 */
static const int64_t between_cuts = 50 * INT64_C(1000000);

static void put_plainly(const struct stretch *stretch, const size_t *cuts, unsigned n)
{
    size_t from = 0;

    for (unsigned i = 0; i < n; i++, from = cuts[i - 1]) {
        put(stretch, from, cuts[i], "with nothing odd");
        if (!talk_await_ack(stretch->talk, stretch->at + cuts[i]))
            return;
        talk_sleep(stretch->talk, between_cuts);
    }
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

/* ---- with one cut ---- */

/* Places in the stretch of octets, around its cut. */
enum edge { START, HALF, BEFORE, CUT, AFTER, END };
enum octets { THEIRS, OTHERS, OTHERS_BEFORE_CUT };

/* A segment. */
struct piece {
    const char *what; /* NULL: there are no more */
    enum edge from, to;
    enum octets octets;
    struct wire_put put; /* its other fields; .from: how much further in the stream */
    enum edge awaits;    /* all before it must be acknowledged first, or no more is sent; START: nothing */
};

enum { PIECES = 6 };

#define BEGINNING                                                                                                      \
    {                                                                                                                  \
        "the beginning", START, CUT                                                                                    \
    }
#define REST                                                                                                           \
    {                                                                                                                  \
        "the rest", CUT, END                                                                                           \
    }

static const struct piece deed_pieces[][PIECES] = {
    [IN_TWO] = {{"cut", START, CUT}, {"the rest", CUT, END, .awaits = CUT}},
    [TWICE] = {{"once", START, CUT},
               {"again", START, CUT},
               {"once", CUT, END},
               {"again", CUT, END},
               {"all of it again, although acknowledged", START, END, .awaits = END}},
    /* As after a loss: the first segments, then all of it at once, then with another cut. */
    [OTHER_CUTS] = {{"once", START, CUT},
                    {"all of it, in a segment that begins as early", START, END},
                    {"with other cuts", HALF, CUT},
                    {"with other cuts", BEFORE, AFTER}},
    [OTHERS_AGAIN] = {{"once", START, END},
                      {"again with other octets, although acknowledged", BEFORE, END, OTHERS, .awaits = END}},
    [OVERLAP] = {BEGINNING,
                 {"the rest, and before it other octets for those that were acknowledged", START, END,
                  OTHERS_BEFORE_CUT, .awaits = CUT}},
    [DAMAGED] = {BEGINNING,
                 {"the rest with other octets and a wrong checksum", CUT, END, OTHERS, {.bad_checksum = true}},
                 REST},
    [OUTSIDE_WINDOW] = {BEGINNING,
                        {"beyond the window", START, END, OTHERS, {.from = FAR}},
                        {"long past", START, END, OTHERS, {.from = -LONG_PAST}},
                        REST},
    /* RFC 9293 section 3.10.7.4: outside the window it is dropped; in the window RFC 793 allows it to take effect. */
    [RESETS] = {BEGINNING,
                {"an RST beyond the window", START, START, THEIRS, {.from = FAR, .flags = RST}},
                {"an RST long past", START, START, THEIRS, {.from = -LONG_PAST, .flags = RST}},
                REST},
    [OLD_SYN] = {BEGINNING, {"the SYN once more", START, START, THEIRS, {.flags = SYN, .no_ack = true}}, REST},
    /* RFC 9293 section 3.8.4: with the last octet that was acknowledged, or with none. */
    [KEEP_ALIVES] = {BEGINNING,
                     {"a keep-alive without an octet", BEFORE, BEFORE, .awaits = CUT},
                     {"a keep-alive with an octet of garbage", BEFORE, CUT, OTHERS},
                     REST},
    /*
     * RFC 9293 section 3.8.5: without URG the pointer means nothing; with URG it says nothing new if all octets before
     * the pointer have been received.
     */
    [URGENT] =
        {BEGINNING,
         {"the beginning again, all of it urgent, although acknowledged", START, CUT, THEIRS, {.flags = URG}, CUT},
         {"the rest, with an urgent pointer but without URG", CUT, END, THEIRS, {.urgent = 1}}},
    [CONGESTION] = {{"the beginning, Congestion Experienced", START, CUT, THEIRS, {.traffic_class = CONGESTED}},
                    {"the rest, with ECE and CWR", CUT, END, THEIRS, {.flags = ECE_AND_CWR}}},
};

static size_t at_edge(const struct stretch *stretch, enum edge edge, size_t cut)
{
    const size_t edges[] = {
        [START] = 0,        [HALF] = cut / 2, [BEFORE] = cut - 1, [CUT] = cut, [AFTER] = MIN(cut + 1, stretch->n),
        [END] = stretch->n,
    };

    return edges[edge];
}

static void put_piece(const struct stretch *stretch, const struct piece *piece, size_t cut)
{
    const size_t from = at_edge(stretch, piece->from, cut), n = at_edge(stretch, piece->to, cut) - from;
    const size_t others = piece->octets == OTHERS ? stretch->n : piece->octets == OTHERS_BEFORE_CUT ? cut : 0;
    g_autofree uint8_t *octets = g_memdup2(stretch->p, stretch->n);
    struct wire_put segment = piece->put;

    for (size_t i = 0; i < others; i++)
        octets[i] ^= 0xFF;
    segment.from += (int64_t)(stretch->at + from);
    segment.p = octets + from;
    segment.n = n;
    if (segment.flags & SYN)
        segment.from = -1;
    if (segment.flags & URG)
        segment.urgent = (uint16_t)cut;
    talk_put(stretch->talk, &segment, piece->what);
}

static void put_cut(const struct stretch *stretch, enum deed deed, unsigned step)
{
    const size_t cut = deed == IN_TWO ? step + 1 : place(stretch, step, PLACES);

    for (const struct piece *piece = deed_pieces[deed]; piece < deed_pieces[deed] + PIECES && piece->what; piece++) {
        if (piece->awaits != START &&
            !talk_await_ack(stretch->talk, stretch->at + at_edge(stretch, piece->awaits, cut)))
            return;
        put_piece(stretch, piece, cut);
    }
}

/* ---- deeds ---- */

const struct wire_deed wire_deeds[] = {
    [IN_TWO] = {NULL, put_in_one, 0, 0},
    [OUT_OF_ORDER] = {put_out_of_order, put_in_three_plainly, ORDERS *(PLACES - 1), 0},
    [FIRST_LAST] = {put_first_last, put_pieces, 2, MANY},
    [BACKWARDS] = {put_backwards, put_tiny_pieces, 2, 0},
    [OTHERS_AGAIN] = {NULL, put_in_one, PLACES, 0},
    [TWICE] = {NULL, put_in_two_plainly, PLACES, 0},
    [OTHER_CUTS] = {NULL, put_in_two_plainly, PLACES, 0},
    [OVERLAP] = {NULL, put_in_two_plainly, PLACES, 0},
    [DAMAGED] = {NULL, put_in_two_plainly, PLACES, 0},
    [OUTSIDE_WINDOW] = {NULL, put_in_two_plainly, PLACES, 0},
    [RESETS] = {NULL, put_in_two_plainly, PLACES, 0},
    [OLD_SYN] = {NULL, put_in_two_plainly, PLACES, 0},
    [KEEP_ALIVES] = {NULL, put_in_two_plainly, PLACES, 0},
    [CONGESTION] = {NULL, put_in_two_plainly, PLACES, 0},
    [URGENT] = {NULL, put_in_two_plainly, PLACES, 0},
};

void wire_put_deed(const struct stretch *stretch, enum deed deed, unsigned step)
{
    if (wire_deeds[deed].put)
        wire_deeds[deed].put(stretch, step);
    else
        put_cut(stretch, deed, step);
}

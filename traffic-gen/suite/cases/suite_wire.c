// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation, on our own TCP: what TCP may do to FPDUs and no kernel does on demand (RFC 5044 sections
 * 5.1, A.3 to A.5). Each message is a Write that is read back, or a Send that is echoed, as far as the device offers
 * either, so that its octets are compared: a device has to go on as if nothing had happened. New urgent data is not
 * among it: RFC 5044 does not say what becomes of it, and interfaces of TCP take it out of the stream (RFC 6093).
 */
#include "traffic-gen/suite/cases/suite_rows.h"
#include "traffic-gen/suite/talk/talk_internal.h"
#include "traffic-gen/suite/talk/talk_wire.h"

#include <string.h>

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

/* Octets of the stream that are held, and where they begin in it. */
struct stretch {
    struct talk *talk;
    const uint8_t *p;
    size_t n;
    uint64_t at;
};

/* ---- segments ---- */

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

static void put_in_two(const struct stretch *stretch, unsigned step)
{
    put(stretch, 0, step + 1, "cut");
    put(stretch, step + 1, stretch->n, "the rest");
}

static void put_out_of_order(const struct stretch *stretch, unsigned step)
{
    static const uint8_t orders[ORDERS][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const uint8_t *order = orders[step % ORDERS];
    const size_t first = place(stretch, step / ORDERS, PLACES - 1), second = first + (stretch->n - first) / 2;
    const size_t cuts[] = {0, first, second, stretch->n};

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

/* ---- what is done to messages ---- */

enum deed {
    IN_TWO,
    OUT_OF_ORDER,
    FIRST_LAST,
    BACKWARDS,
    TWICE,
    OTHER_CUTS,
    OTHERS_AGAIN,
    OVERLAP,
    DAMAGED,
    OUTSIDE_WINDOW,
    RESETS,
    OLD_SYN,
    KEEP_ALIVES,
    CONGESTION,
    URGENT
};

static const struct {
    void (*put)(const struct stretch *stretch, unsigned step);
    unsigned steps; /* messages; 0: one for each octet but the first */
    unsigned fpdus; /* of a message, at a time; 0: one */
} deeds[] = {
    [IN_TWO] = {put_in_two, 0, 0},
    [OUT_OF_ORDER] = {put_out_of_order, ORDERS *(PLACES - 1), 0},
    [FIRST_LAST] = {put_first_last, 2, MANY},
    [BACKWARDS] = {put_backwards, 2, 0},
    [TWICE] = {put_twice, PLACES, 0},
    [OTHER_CUTS] = {put_with_other_cuts, PLACES, 0},
    [OTHERS_AGAIN] = {put_others_again, PLACES, 0},
    [OVERLAP] = {put_overlap, PLACES, 0},
    [DAMAGED] = {put_damaged, PLACES, 0},
    [OUTSIDE_WINDOW] = {put_outside_window, PLACES, 0},
    [RESETS] = {put_resets, PLACES, 0},
    [OLD_SYN] = {put_old_syn, PLACES, 0},
    [KEEP_ALIVES] = {put_keep_alives, PLACES, 0},
    [CONGESTION] = {put_congested, PLACES, 0},
    [URGENT] = {put_urgent, PLACES, 0},
};

/* How the octets of a message come back. */
enum message { MESSAGE_WRITE, MESSAGE_SEND, MESSAGE_PLAIN };

static enum message message_of(const struct talk *talk)
{
    if (talk_advert(talk)->n > REGION_ALL && talk_reads(talk))
        return MESSAGE_WRITE;
    return talk_echoes(talk) ? MESSAGE_SEND : MESSAGE_PLAIN;
}

static void fill(uint8_t octets[TALK_MESSAGE])
{
    for (unsigned i = 0; i < TALK_MESSAGE; i++)
        octets[i] = (uint8_t)g_random_int();
}

/* False: the same octets have not come back. A verdict is set if others have. */
static bool comes_back(struct talk *talk, enum message message, unsigned echoes, const uint8_t octets[TALK_MESSAGE])
{
    const struct talk_heard *heard = NULL;

    if (message == MESSAGE_PLAIN)
        return talk_is_open(talk);
    if (message == MESSAGE_WRITE && !talk_say(talk, "read region=all size=%u", TALK_MESSAGE))
        return false;
    for (unsigned i = 0; i < (message == MESSAGE_WRITE ? 1 : echoes); i++) {
        heard = talk_hear_opcode(talk, message == MESSAGE_WRITE ? RDMAP_READ_RESPONSE : RDMAP_SEND);
        if (!heard)
            return false;
    }
    if (heard->ddp.payload_len == TALK_MESSAGE && memcmp(heard->ddp.payload, octets, TALK_MESSAGE) == 0)
        return true;
    talk_failed(talk, "expected the octets that were sent; the device %s others: %s",
                message == MESSAGE_WRITE ? "has" : "sends back", talk_describe(talk, heard));
    return false;
}

/* One message. False: no more of them. */
static bool say_message(struct talk *talk, enum deed deed, unsigned step, bool odd, unsigned *steps)
{
    const enum message message = message_of(talk);
    static const char *const statements[] = {"write region=all", "send", "write"};
    const unsigned fpdus = MAX(deeds[deed].fpdus, 1u);
    uint8_t payload[TALK_MESSAGE];
    g_autoptr(GByteArray) octets = NULL;

    fill(payload);
    if (odd && !talk_hold(talk))
        return false;
    octets = talk_octets_of(talk, payload, message == MESSAGE_PLAIN ? 0 : TALK_MESSAGE, "%u* %s", fpdus,
                            statements[message]);
    if (!octets)
        return false;

    const struct stretch stretch = {talk, octets->data, octets->len, talk_out_offset(talk)};

    *steps = deeds[deed].steps ? deeds[deed].steps : octets->len - 1;
    talk_write(talk, octets->data, octets->len);
    if (odd) {
        deeds[deed].put(&stretch, step);
        talk_let_go(talk);
    }
    return comes_back(talk, message, fpdus, payload);
}

static bool say_messages(struct talk *talk, const struct suite_case *row, bool odd)
{
    unsigned steps = 1;

    if (!talk_start(talk, NULL))
        return false;
    for (unsigned step = 0; step < steps; step++) {
        if (!say_message(talk, (enum deed)row->variant, step, odd, &steps))
            break;
    }
    return true;
}

/* A Terminate that came in answer to a message has been heard by now. */
static enum talk_life still_alive(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_last(talk)->is_terminate ? LIFE_TERMINATE : talk_probe(talk);
}

static void goes_on(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_messages, still_alive);
}

/* ---- how the connection is opened ---- */

enum opening { WITH_OCTETS, CROSSED };

/* The SYN has our Request, or its beginning; with a stack that ignores that, it comes again. */
static bool open_with_octets(struct talk *talk)
{
    uint8_t request[TALK_FRAME_ROOM];
    size_t n;

    if (!talk_start(talk, NULL)) /* as usual, for the Request */
        return false;
    n = talk->startup[WATCH_SUITE].n;
    memcpy(request, talk->startup[WATCH_SUITE].octets, n);
    talk_renew(talk);
    talk_set_early(talk, request, n);
    talk_start(talk, NULL);
    return true;
}

static bool say_opening(struct talk *talk, const struct suite_case *row, bool odd)
{
    unsigned steps;

    if (odd && row->variant == WITH_OCTETS) {
        if (!open_with_octets(talk))
            return false;
    } else {
        if (odd)
            talk_cross(talk);
        if (!talk_start(talk, NULL) && (!odd || talk->fd < 0))
            return false;
    }
    if (talk->operating)
        say_message(talk, IN_TWO, 0, false, &steps);
    return true;
}

static void opens(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_opening, still_alive);
}

/* ---- what the device sends ---- */

enum { READ_OCTETS = 6000, WRITE_OCTETS = 1000, SMALL_WINDOW = 700, WIDE_WINDOW = 60000, NARROW = 1280 };

static const int64_t unread_us = 1200 * 1000;

enum reading { SMALL_AND_CLOSED, NARROW_PATH, NARROW_WITHIN };

static uint8_t octet_at(size_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

static void write_memory(struct talk *talk)
{
    uint8_t octets[WRITE_OCTETS];

    for (unsigned at = 0; at < READ_OCTETS; at += WRITE_OCTETS) {
        for (unsigned i = 0; i < WRITE_OCTETS; i++)
            octets[i] = octet_at(at + i);
        talk_say_octets(talk, octets, WRITE_OCTETS, "write region=all to+%u", at);
    }
}

/* A Read of what was written before, whose Response our window, or the path, has not enough room for. */
static bool say_read(struct talk *talk, const struct suite_case *row, bool odd)
{
    const bool closes = odd && row->variant != NARROW_PATH;

    talk_renew(talk); /* the window is that of a new connection */
    talk_set_window(talk, closes ? SMALL_WINDOW : 0);
    if (!talk_start(talk, NULL) || !talk_region(talk, REGION_ALL))
        return false;
    if (!talk_reads(talk)) {
        talk_not_applicable(talk, "the device is not known to answer Reads");
        return false;
    }
    write_memory(talk);
    if (!talk_delivered(talk))
        return true;
    if (odd && !closes)
        talk_narrow(talk, NARROW);
    talk_say(talk, "%s size=%u", row->says, READ_OCTETS);
    if (closes)
        g_usleep((gulong)unread_us); /* it closes in the middle of an FPDU, and the device probes it */
    if (odd && row->variant == NARROW_WITHIN) {
        talk_narrow(talk, NARROW);
        talk_set_window(talk, WIDE_WINDOW);
    }
    return true;
}

/* Of octets that were written from `from` on: which is another one; n: none. */
static size_t first_other(const uint8_t *p, size_t n, size_t from)
{
    size_t i = 0;

    while (i < n && p[i] == octet_at(from + i))
        i++;
    return i;
}

/* All octets of the Read Response. A verdict is set if they are others than were written. */
static enum talk_life hear_read(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    size_t n = 0, other;

    (void)row;
    do {
        heard = talk_hear(talk, talk_t_react(talk));
        if (heard->is_terminate)
            return LIFE_TERMINATE;
        if (heard->what != TALK_FPDU)
            return heard->what == TALK_SILENCE ? LIFE_MUTE : LIFE_CLOSED;
        if (!heard->has_ddp || heard->ddp.opcode != RDMAP_READ_RESPONSE)
            continue;
        other = first_other(heard->ddp.payload, heard->ddp.payload_len, n);
        if (other < heard->ddp.payload_len) {
            talk_failed(talk, "expected the octets that were written; octet %zu of the Read Response is another one",
                        n + other);
            return LIFE_ANSWERS;
        }
        n += heard->ddp.payload_len;
    } while (n < READ_OCTETS);
    return LIFE_ANSWERS;
}

static void answers_whole(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_read, hear_read);
}

/* ---- rows: rules/mpa.cases ---- */

static const struct suite_case tests[] = {
#include "suite_wire.inc"
};

const struct suite suite_mpa_wire = {"mpa", tests, G_N_ELEMENTS(tests)};

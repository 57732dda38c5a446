// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation, on our own TCP: legal treatment of FPDUs by TCP that no kernel shows on demand (RFC 5044
 * sections 5.1, A.3 to A.5). Each message is a Write that is read back, or a Send that is echoed, as far as the device
 * offers either, so that its octets are compared: a device has to go on as if nothing had happened. New urgent data is
 * not tested: RFC 5044 does not mention it, and interfaces of TCP take it out of the stream (RFC 6093).
 */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/cases/suite_wire_deeds.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/talk/talk_wire.h"

#include <limits.h>
#include <string.h>

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

/* False: the same octets have not come back. A verdict is set if other octets have come back. */
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

/* One message, put so. False: no more of them. */
static bool wire_say_message(struct talk *talk, enum deed deed, unsigned step, bool odd, unsigned *steps)
{
    const enum message message = message_of(talk);
    static const char *const statements[] = {"write region=all", "send", "write"};
    const unsigned fpdus = MAX(wire_deeds[deed].fpdus, 1u);
    uint8_t payload[TALK_MESSAGE];
    g_autoptr(GByteArray) octets = NULL;

    fill(payload);
    if (!talk_hold(talk))
        return false;
    octets =
        talk_octets(talk, payload, message == MESSAGE_PLAIN ? 0 : TALK_MESSAGE, "%u* %s", fpdus, statements[message]);
    if (!octets)
        return false;

    const struct stretch stretch = {talk, octets->data, octets->len, talk_out_offset(talk)};

    *steps = wire_deeds[deed].steps ? wire_deeds[deed].steps : octets->len - 1;
    talk_write(talk, octets->data, octets->len);
    if (odd)
        wire_put_deed(&stretch, deed, step);
    else
        wire_deeds[deed].plainly(&stretch, step);
    talk_let_go(talk);
    return comes_back(talk, message, fpdus, payload);
}

/* Messages of a case on one connection. */
struct steps {
    unsigned from, to; /* the first, and the last that was said */
    unsigned n;        /* of the case */
};

/* Says messages up to `last`, or to one that does not come back. False: no connection could be started. */
static bool say_steps(struct talk *talk, enum deed deed, struct steps *these, unsigned last, bool odd)
{
    bool back = true;

    these->n = these->from + 1;
    if (!talk_start(talk, NULL))
        return false;
    for (unsigned step = these->from; back && step <= last && step < these->n; step++) {
        back = wire_say_message(talk, deed, step, odd, &these->n);
        these->to = step;
    }
    return true;
}

/* A Terminate that came in answer to a message has been heard by now. */
static enum life still_alive(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_last(talk)->is_terminate ? LIFE_TERMINATE : life_probe(talk);
}

/* The same cuts without anything odd, twice, because one connection may fail by chance. */
static bool continues_with_cuts(struct talk *talk, const struct suite_case *row, const struct steps *these)
{
    for (unsigned i = 0; i < 2; i++) {
        struct steps plain = {.from = these->from};

        if (!say_steps(talk, (enum deed)row->variant, &plain, these->to, false) || !life_good(still_alive(talk, row)))
            return false;
    }
    return true;
}

static void fail_by(struct talk *talk, enum life life, const char *what)
{
    talk_show(talk, life == LIFE_MUTE || life == LIFE_GARBAGE ? SHOWN_LOST : SHOWN_CLOSED);
    talk_failed(talk, "expected the device to continue; found %s; without the oddity it continues", what);
}

/* passed_over: messages that show nothing, as the device does not accept the same cuts either; NULL: none. */
static void pass_with_cuts(struct talk *talk, const struct suite_case *row, const char *passed_over)
{
    enum life life;

    if (passed_over && !talk_start(talk, NULL))
        return;
    life = still_alive(talk, row);
    if (!life_good(life)) {
        talk_inconclusive(talk, "%s", life_words(talk, life));
        return;
    }
    talk_passed(talk, "the device continues%s: %s", passed_over ? passed_over : "", life_words(talk, life));
    talk_show(talk, life == LIFE_STAYS ? SHOWN_STAYS : SHOWN_CONTINUES);
}

/*
 * If the device does not accept the same cuts without the oddity either, the message fails by the rule about cuts,
 * which has its own cases. The case continues after this message.
 */
void wire_goes_on(struct talk *talk, const struct suite_case *row)
{
    struct steps these = {.n = 1};
    unsigned passed_over = 0;
    g_autofree char *what = NULL, *but = NULL;

    for (; these.from < these.n; these.from = these.to + 1) {
        enum life life;

        if (!say_steps(talk, (enum deed)row->variant, &these, UINT_MAX, true))
            return;
        life = still_alive(talk, row);
        if (life_good(life))
            continue;
        g_free(what);
        what = g_strdup(life_words(talk, life));
        if (continues_with_cuts(talk, row, &these)) {
            fail_by(talk, life, what);
            return;
        }
        passed_over++;
    }
    if (passed_over == these.n) {
        talk_inconclusive(talk, "%s; without the oddity the device does not continue either", what);
        return;
    }
    if (passed_over > 0)
        but =
            g_strdup_printf(", but for %u of %u messages that it does not take with nothing but the same cuts, either",
                            passed_over, these.n);
    pass_with_cuts(talk, row, but);
}

/* ---- how the connection is opened ---- */

/* The SYN has our Request, or its beginning; if the stack ignores data in a SYN, the Request is sent again. */
static bool open_with_octets(struct talk *talk)
{
    uint8_t request[TALK_FRAME_ROOM];
    size_t n;

    if (!talk_start(talk, NULL)) /* as usual, for the Request */
        return false;
    n = talk_frame_octets(talk, true, request);
    talk_renew(talk);
    talk_for_next(talk)->early = request;
    talk_for_next(talk)->n_early = n;
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
            talk_for_next(talk)->crosses = true;
        if (!talk_start(talk, NULL) && (!odd || talk_job(talk)->open_error != 0))
            return false;
    }
    if (talk_is_operating(talk))
        wire_say_message(talk, IN_TWO, 0, false, &steps);
    return true;
}

void wire_opens(struct talk *talk, const struct suite_case *row)
{
    expect_taken(talk, row, say_opening, still_alive);
}

/* ---- what the device sends ---- */

enum { READ_OCTETS = 6000, WRITE_OCTETS = 1000, SMALL_WINDOW = 700, WIDE_WINDOW = 60000, NARROW = 1280 };

static const int64_t unread_us = 1200 * 1000;

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

/* A Read of the octets written before, whose Response is too large for our window, or for the path. */
static bool say_read(struct talk *talk, const struct suite_case *row, bool odd)
{
    const bool closes = odd && row->variant != NARROW_PATH;

    talk_renew(talk); /* the window of a new connection */
    talk_set_window(talk, closes ? SMALL_WINDOW : 0);
    if (!talk_start(talk, NULL) || !talk_region(talk, REGION_ALL) || !talk_needs_reads(talk))
        return false;
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

/* The index of the first octet that differs from those written from `from` on; n: none. */
static size_t first_other(const uint8_t *p, size_t n, size_t from)
{
    size_t i = 0;

    while (i < n && p[i] == octet_at(from + i))
        i++;
    return i;
}

/* All octets of the Read Response. A verdict is set if they differ from the written octets. */
static enum life hear_read(struct talk *talk, const struct suite_case *row)
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

void wire_answers_whole(struct talk *talk, const struct suite_case *row)
{
    expect_taken(talk, row, say_read, hear_read);
}

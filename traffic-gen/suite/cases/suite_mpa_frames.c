// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, start-up: frames at the limits of what is allowed, and what comes together with a frame or right after it
 * (RFC 5044 section 7.1 and Appendix C, RFC 6581 section 6).
 */
#include "traffic-gen/suite/cases/suite_rows.h"

enum { CODE_CRC = 2 };

static const int64_t read_pause = 20 * INT64_C(1000000);

/* ---- much Private Data ---- */

static bool say_long_data(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct mpa_startup *theirs;

    if (!row_say(talk, row, odd))
        return false;
    theirs = talk_frame(talk, false);
    if (odd && theirs && theirs->flags & MPA_FLAG_R) {
        talk_inconclusive(talk, "rejected, as the ULP may do: %s", talk_describe(talk, talk_last(talk)));
        return false;
    }
    return true;
}

static void long_data(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_long_data, NULL);
}

/* ---- flags and revisions ---- */

/* After a rejecting Reply an Initiator has no more to say in MPA. */
static void rejected(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.frame = "mpa.flags|0x20", .wait_only = true};
    const struct talk_heard *heard;

    (void)row;
    if (!talk_start(talk, &wish))
        return;
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, heard));
    else if (!talk_answer(talk) && heard->what == TALK_SILENCE)
        talk_passed(talk, "the device says nothing more");
    else
        talk_failed(talk, "expected no FPDU after a Reply with R = 1; found %s", talk_describe(talk, heard));
}

enum { WITHOUT_MARKERS = 1 };

/*
 * Devices that also speak revision 0 say so; others name the revision that they speak, and close. M = 1 belongs to
 * revision 0 (RFC 5044 Appendix C.1): who takes a Request without it sets M in the Reply all the same.
 */
static void revision_0(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.revision_0 = true, .markers = row->variant != WITHOUT_MARKERS, .crc = true};
    const struct mpa_startup *reply;
    const struct talk_heard *heard;

    if (!talk_open(talk) || !talk_send_frame(talk, &wish))
        return;
    reply = talk_hear_frame(talk);
    if (reply && reply->revision == 0 && reply->flags & MPA_FLAG_R) {
        talk_inconclusive(talk, "rejected, for revision 0 or for M = 1, which belongs to it: %s",
                          talk_describe(talk, talk_last(talk)));
        return;
    }
    if (reply && reply->revision == 0 && row->variant == WITHOUT_MARKERS && !(reply->flags & MPA_FLAG_M)) {
        talk_failed(talk, "expected M = 1 in a Reply of revision 0; found %s", talk_describe(talk, talk_last(talk)));
        return;
    }
    if (reply && reply->revision == 0) {
        talk_passed(talk, "the device also speaks revision 0: %s", talk_describe(talk, talk_last(talk)));
        return;
    }
    heard = reply ? talk_hear(talk, talk_t_close(talk)) : talk_last(talk);
    if (!reply && !talk_is_open(talk) && talk_refuses_markers(talk))
        talk_inconclusive(talk, "the device closes, for revision 0 or for M = 1, which belongs to it: it refuses M = 1 "
                                "alone");
    else if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "%s", reply ? "the device names its own revision, and closes" : "the device closes");
    else
        talk_failed(talk, "expected the device to close; found %s", talk_describe(talk, heard));
}

/* An Initiator that also speaks revision 0 goes on with DDP and RDMAP of version 0; others close. */
static void reply_of_revision_0(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {
        .frame = "mpa.rev=0 mpa.flags&0xEF mpa.enhanced=0", .markers = true, .crc = true, .wait_only = true};
    const struct talk_heard *heard;

    (void)row;
    if (!talk_open(talk) || !talk_hear_frame(talk) || !talk_send_frame(talk, &wish))
        return;
    talk_begin_operation(talk);
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU && heard->has_ddp && heard->ddp.dv == 0 && heard->ddp.rv == 0)
        talk_passed(talk, "the device also speaks revision 0: %s", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_failed(talk, "expected a close, or DDP of version 0; found %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "neither a close nor a message that shows which version is spoken: %s",
                          talk_describe(talk, heard));
}

/* For RFC 5044 it is a reserved bit, for RFC 6581 a contradiction: nobody may take the octets as IRD and ORD. */
static void enhanced_revision_1(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.revision = 1, .frame = "mpa.flags|0x10 mpa.enhanced=0 mpa.data=00040004"};
    const struct mpa_startup *reply;

    (void)row;
    if (!talk_open(talk) || !talk_send_frame(talk, &wish))
        return;
    reply = talk_hear_frame(talk);
    if (!reply && talk_is_open(talk))
        talk_failed(talk, "expected a Reply or a close; found %s", talk_describe(talk, talk_last(talk)));
    else if (!reply)
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, talk_last(talk)));
    else if (reply->flags & MPA_FLAG_S)
        talk_failed(talk, "expected a Reply with S = 0; the device answers as if the Request were enhanced: %s",
                    talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
}

/* ---- Markers of the device ---- */

/*
 * An FPDU of 512 octets and its Marker: the next one begins 4 octets later between Markers, so that after 128 of them a
 * Marker has been at each place.
 */
enum { PLACES = MPA_MARKER_PERIOD / MPA_MARKER_LEN, PLACES_READ = 492, PLACES_TRIES = 2 * PLACES };

/* False: verdict is set (failed). */
static bool note_places(struct talk *talk, const struct mpa_fpdu *fpdu, bool seen[PLACES])
{
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        const struct mpa_marker *marker = &fpdu->markers[i];

        if (marker->fpduptr != marker->expected || marker->reserved != 0) {
            talk_failed(talk, "expected Marker %04x%04x in the FPDU; found %04x%04x", 0, marker->expected,
                        marker->reserved, marker->fpduptr);
            return false;
        }
        seen[marker->expected / MPA_MARKER_LEN % PLACES] = true;
    }
    return true;
}

/* A Read, until the last segment of its Response. False: verdict is set. */
static bool read_with_markers(struct talk *talk, bool seen[PLACES])
{
    const struct talk_heard *heard;

    if (!talk_say(talk, "read region=all size=%u", (unsigned)PLACES_READ))
        return false;
    do {
        heard = talk_hear(talk, talk_t_react(talk));
        if (heard->what != TALK_FPDU || heard->is_terminate) {
            talk_inconclusive(talk, "expected a Read Response; found %s", talk_describe(talk, heard));
            return false;
        }
        if (!note_places(talk, &heard->fpdu, seen))
            return false;
    } while (heard->ddp.opcode != RDMAP_READ_RESPONSE || !heard->ddp.last);
    return true;
}

static unsigned count_places(const bool seen[PLACES])
{
    unsigned n = 0;

    for (unsigned k = 0; k < PLACES; k++)
        n += seen[k];
    return n;
}

static void marker_places(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.markers = true};
    const struct advert_memory *region;
    bool seen[PLACES] = {false};

    (void)row;
    if (!talk_start(talk, &wish) || !(region = talk_region(talk, REGION_ALL)))
        return;
    if (region->length < PLACES_READ) {
        talk_not_applicable(talk, "the device's memory has %u octets", region->length);
        return;
    }
    for (unsigned i = 0; i < PLACES_TRIES && count_places(seen) < PLACES; i++) {
        if (!read_with_markers(talk, seen))
            return;
    }
    if (count_places(seen) == PLACES)
        talk_passed(talk, "a Marker at each of %u places, right", (unsigned)PLACES);
    else
        talk_inconclusive(talk, "Markers at %u of %u places, right: the device cuts its FPDUs otherwise",
                          count_places(seen), (unsigned)PLACES);
}

/* ---- what leaves together with a frame ---- */

/* A Request and our FIN. Whatever the device makes of it, it must accept the next connection. */
static void request_and_fin(struct talk *talk, const struct suite_case *row)
{
    g_autofree char *what = NULL;
    bool answers;

    (void)row;
    if (!talk_open(talk))
        return;
    talk_together(talk, true);
    if (!talk_send_frame(talk, NULL))
        return;
    talk_finish(talk);
    talk_together(talk, false);
    answers = talk_hear(talk, talk_t_close(talk))->what == TALK_FRAME;
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    if (!talk_start(talk, NULL) || !talk_life_good(talk_probe(talk)))
        talk_failed(talk, "%s; expected the next connection to be accepted; found %s", what,
                    talk_describe(talk, talk_last(talk)));
    else if (answers)
        talk_passed(talk, "%s; the next connection was accepted", what);
    else
        talk_passed_by_end(talk, "%s; the next connection was accepted", what);
}

/*
 * Our Reply and an FPDU, or its first octet, in one segment: we should have waited for the device's own FPDU. It may
 * close; but what follows the Reply is FPDUs, and what is not refused must not be lost.
 */
static void reply_and_fpdu(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.wait_only = true};
    g_autoptr(GByteArray) octets = NULL;
    enum talk_sign sign;
    enum talk_life life;
    size_t first;

    if (!talk_open(talk) || !talk_hear_frame(talk))
        return;
    if ((sign = needs_question(talk)) == SIGN_TCP)
        return;
    talk_together(talk, true);
    talk_send_frame(talk, &wish);
    talk_begin_operation(talk);
    if (!(octets = talk_octets(talk, "ask")))
        return;
    first = row->variant ? (size_t)row->variant : octets->len;
    talk_write(talk, octets->data, first);
    talk_together(talk, false);
    if (first < octets->len) {
        talk_delivered(talk);
        talk_sleep(talk, read_pause);
        talk_write(talk, octets->data + first, octets->len - first);
    }
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_TERMINATE && talk_last(talk)->meant.layer == RDMAP_LAYER_LLP &&
        talk_last(talk)->meant.code == CODE_CRC)
        talk_failed(talk, "expected the FPDU after the Reply intact; found %s", talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_ANSWERS)
        talk_passed(talk, "the FPDU was accepted: %s", talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_TERMINATE || life == LIFE_CLOSED)
        talk_passed_by_end(talk, "the device does not accept an FPDU before its own: %s",
                           talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the FPDU accepted or refused; found %s", talk_describe(talk, talk_last(talk)));
}

/*
 * A Responder that has not received a valid FPDU may send none; but section 8 asks for a Terminate, so that one does
 * not count against it.
 */
static void invalid_first(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "no FPDU, but %s", talk_describe(talk, heard));
    else if (heard->is_terminate && heard->meant.layer != RDMAP_LAYER_LLP)
        talk_inconclusive(talk,
                          "refused, but not by MPA, which is about the contents of an FPDU whose CRC is wrong: %s",
                          talk_describe(talk, heard));
    else if (heard->is_terminate)
        talk_passed_by_end(talk, "no FPDU, but %s", talk_describe(talk, heard));
    else if (heard->what == TALK_SILENCE && !talk_answer(talk))
        talk_passed(talk, "no FPDU: nothing");
    else
        talk_failed(talk, "expected no FPDU from the device; found %s", talk_describe(talk, heard));
}

static const struct suite_case tests[] = {
#include "suite_mpa_frames.inc"
};

const struct suite suite_mpa_frames = {"mpa", tests, G_N_ELEMENTS(tests)};

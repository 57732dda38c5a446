// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, start-up: frames at the limits of the standard, and octets that come with a frame or right after it (RFC
 * 5044 section 7.1 and Appendix C, RFC 6581 section 6).
 */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/life.h"

enum { CODE_CRC = 2 };

static const int64_t read_pause = 20 * INT64_C(1000000);

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

void mpa_frames_marker_places(struct talk *talk, const struct suite_case *row)
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

/* A Request and our FIN. The device may do anything with this connection, but it must accept the next one. */
void mpa_frames_request_and_fin(struct talk *talk, const struct suite_case *row)
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
    what = g_strdup(talk_found(talk));
    talk_wait_to_listen(talk);
    if (!talk_start(talk, NULL) || !life_good(life_probe(talk)))
        talk_failed(talk, "%s; expected the next connection to be accepted; found %s", what, talk_found(talk));
    else if (answers)
        talk_passed(talk, "%s; the next connection was accepted", what);
    else
        talk_passed_by_end(talk, "%s; the next connection was accepted", what);
}

/*
 * Our Reply and an FPDU, or its first octet, in one segment: we should have waited for the device's own FPDU. The
 * device may close; but FPDUs follow the Reply, and an FPDU that is not refused must not be lost.
 */
void mpa_frames_reply_and_fpdu(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.wait_only = true};
    g_autoptr(GByteArray) octets = NULL;
    enum talk_sign sign;
    enum life life;
    size_t first;

    if (!talk_open(talk) || !talk_hear_frame(talk))
        return;
    if ((sign = needs_question(talk)) == SIGN_TCP)
        return;
    talk_together(talk, true);
    talk_send_frame(talk, &wish);
    talk_begin_operation(talk);
    if (!(octets = talk_octets(talk, NULL, 0, "ask")))
        return;
    first = row->variant ? (size_t)row->variant : octets->len;
    talk_write(talk, octets->data, first);
    talk_together(talk, false);
    if (first < octets->len) {
        talk_delivered(talk);
        talk_sleep(talk, read_pause);
        talk_write(talk, octets->data + first, octets->len - first);
    }
    life = life_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_TERMINATE && talk_last(talk)->meant.layer == RDMAP_LAYER_LLP &&
        talk_last(talk)->meant.code == CODE_CRC)
        talk_failed(talk, "expected the FPDU after the Reply intact; found %s", talk_found(talk));
    else if (life == LIFE_ANSWERS)
        talk_passed(talk, "the FPDU was accepted: %s", talk_found(talk));
    else if (life == LIFE_TERMINATE || life == LIFE_CLOSED)
        talk_passed_by_end(talk, "the device does not accept an FPDU before its own: %s", talk_found(talk));
    else
        talk_failed(talk, "expected the FPDU accepted or refused; found %s", talk_found(talk));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The octets at FO, right after a startup frame: RFC 5044 sections 7.1, 7.1.1 (PD_Length), 7.1.3, RFC 6581 section 6.
 *
 * Octets at FO that are not an FPDU can have several causes; the octets themselves show which rule was broken:
 * - another startup frame: MPA-7.1-06, or MPA2-10-09 when it steps down from enhanced to unenhanced setup;
 * - CRC32c of the frame, or a Marker counted into the frame: MPA-7.1-05;
 * - octets in the segment that ends the frame: more Private Data than PD_Length says. Their number shows why: PD_Length
 *   little-endian (MPA-7.1.1-07), without the enhanced data (MPA2-6-07), 0 (MPA-7.1.1-29), else MPA-7.1.1-28;
 * - octets in segments of their own: streaming data, MPA-7.1.3-01 from an Initiator that waits, else MPA-7.1-01.
 */
#include "engine/mpa/mpa_startup_state.h"
#include "wire/crc32c.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum {
    SEARCH_LIMIT = 1024, /* octets searched for the first FPDU after stray octets */
    KEY_MATCHES_MIN = 12,
};

static const uint8_t zeros[MPA_MARKER_LEN];

/* A right CRC is proof for any ULPDU_Length; with Markers, only up to the next Marker. */
static bool boundary_crc_right(const uint8_t *p, size_t n, bool marker)
{
    size_t lead = marker ? MPA_MARKER_LEN : 0, total;

    if (n < lead + MPA_LENGTH_LEN)
        return false;
    total = lead + MPA_LENGTH_LEN + get_be16(p + lead) + mpa_pad_length(get_be16(p + lead)) + MPA_CRC_LEN;
    return total <= n && (!marker || total <= MPA_MARKER_PERIOD) &&
           crc32c(p, total - MPA_CRC_LEN) == get_le32(p + total - MPA_CRC_LEN);
}

static enum fpdu_likeness likeness(const uint8_t *p, size_t n, bool marker)
{
    size_t lead = marker ? MPA_MARKER_LEN : 0;

    if (n < lead + MPA_LENGTH_LEN)
        return marker && memcmp(p, zeros, n < lead ? n : lead) != 0 ? FPDU_NO : FPDU_TOO_SHORT;
    if (marker && memcmp(p, zeros, lead) != 0)
        return FPDU_NO;
    return boundary_crc_right(p, n, marker) ? FPDU_CONVINCING : mpa_header_likeness(p + lead, n - lead);
}

enum fpdu_likeness mpa_fpdu_likeness(const uint8_t *p, size_t n)
{
    enum fpdu_likeness plain = likeness(p, n, false), marked = likeness(p, n, true);

    return plain > marked ? plain : marked;
}

static bool boundary_proven(const uint8_t *p, size_t n, bool marker)
{
    size_t lead = marker ? MPA_MARKER_LEN : 0, total;
    const uint8_t *q = p + lead;
    bool zero_pad = true;
    unsigned pad;

    if (n < lead + MPA_LENGTH_LEN || likeness(p, n, marker) != FPDU_CONVINCING)
        return false;
    pad = mpa_pad_length(get_be16(q));
    total = lead + MPA_LENGTH_LEN + get_be16(q) + pad + MPA_CRC_LEN;
    if (total > n || (marker && total > MPA_MARKER_PERIOD))
        return false;
    if (boundary_crc_right(p, n, marker))
        return true;
    for (unsigned i = 0; i < pad; i++)
        zero_pad &= p[total - MPA_CRC_LEN - 1 - i] == 0;
    /* Without CRC: needs version 1 headers, zero PAD, and another FPDU or the segment's end right after it. */
    return zero_pad && (q[2] & 0x03) == 1 && (q[3] & 0xc0) == 0x40 &&
           (total == n || likeness(p + total, n - total, false) == FPDU_CONVINCING);
}

bool mpa_fpdu_proven(const uint8_t *p, size_t n)
{
    return boundary_proven(p, n, false) || boundary_proven(p, n, true);
}

/* The length of another startup frame, as far as known; 0 if there is none. */
static size_t frame_length(const uint8_t *p, size_t n)
{
    struct mpa_startup frame;
    size_t need = 0;

    if (n < MPA_KEY_LEN || (mpa_startup_key_matches(MPA_REQUEST, p, n) < KEY_MATCHES_MIN &&
                            mpa_startup_key_matches(MPA_REPLY, p, n) < KEY_MATCHES_MIN))
        return 0;
    if (mpa_startup_decode(&frame, &need, p, n) == MPA_STARTUP_NO_KEY)
        need = MPA_STARTUP_HEADER_LEN;
    return need;
}

/* The octets may be the beginning of a frame that comes in several segments; its flags decide which rule it breaks. */
static bool may_become_frame(const uint8_t *p, size_t n)
{
    return (n < MPA_KEY_LEN && mpa_startup_key_matches(MPA_REQUEST, p, n) == n) || frame_length(p, n) > n;
}

/* Names four octets that are the frame's CRC32c, or that a Marker at octet 512 of the frame pushed out of the frame. */
static const char *trailer(const struct startup_seen *seen, const uint8_t *p, size_t n)
{
    size_t length = MPA_STARTUP_HEADER_LEN + seen->frame.pd_length;
    const uint8_t *marker = seen->octets + MPA_MARKER_PERIOD;
    uint32_t crc;

    if (n < MPA_CRC_LEN || !seen->octets || seen->frame.pd_length > MPA_PRIVATE_DATA_MAX)
        return NULL;
    crc = crc32c(seen->octets, length);
    if (get_le32(p) == crc || get_be32(p) == crc)
        return "the CRC32c of the frame";
    if (length >= MPA_MARKER_PERIOD + MPA_MARKER_LEN && get_be16(marker) == 0 && get_be16(marker + 2) != 0 &&
        get_be16(marker + 2) <= MPA_MARKER_PERIOD && get_be16(marker + 2) % 4 == 0 &&
        (n == MPA_MARKER_LEN || mpa_fpdu_likeness(p + MPA_MARKER_LEN, n - MPA_MARKER_LEN) == FPDU_CONVINCING))
        return "as many octets as the Marker in the frame takes up";
    return NULL;
}

/* A length long enough for a DDP header, and not too long for an FPDU. */
static bool plausible_length(const uint8_t *p, size_t n)
{
    const uint8_t *q =
        n > MPA_MARKER_LEN + MPA_LENGTH_LEN && memcmp(p, zeros, MPA_MARKER_LEN) == 0 ? p + MPA_MARKER_LEN : p;

    return n >= MPA_LENGTH_LEN && get_be16(q) >= DDP_TAGGED_HEADER_LEN && get_be16(q) <= MPA_ULPDU_MAX;
}

/*
 * Where the FPDU after stray octets begins; 0 when none is found, or when the octets before it may be an FPDU
 * themselves, going by their length.
 */
static size_t find_fpdu(const uint8_t *p, size_t n)
{
    size_t plain = n < 2 ? 0 : MPA_LENGTH_LEN + get_be16(p) + mpa_pad_length(get_be16(p)) + MPA_CRC_LEN;
    size_t marked =
        n < 6 ? 0 : MPA_MARKER_LEN + MPA_LENGTH_LEN + get_be16(p + 4) + mpa_pad_length(get_be16(p + 4)) + MPA_CRC_LEN;

    if (n < 2 || (plain == n && get_be16(p) >= DDP_TAGGED_HEADER_LEN))
        return 0;
    if (plain < n && mpa_fpdu_likeness(p + plain, n - plain) == FPDU_CONVINCING)
        return 0;
    if (marked != 0 && marked < n && memcmp(p, zeros, MPA_MARKER_LEN) == 0 &&
        mpa_fpdu_likeness(p + marked, n - marked) == FPDU_CONVINCING)
        return 0;
    for (size_t at = 1; at < n && at <= SEARCH_LIMIT; at++)
        if (mpa_fpdu_likeness(p + at, n - at) == FPDU_CONVINCING && plausible_length(p + at, n - at))
            return at;
    return 0;
}

/* Whether the octets at FO look like an FPDU, preceded by a Marker if Markers are negotiated. */
static enum fpdu_likeness likeness_at_start(bool markers, const uint8_t *p, size_t n, size_t early)
{
    /* If Markers are off, four zero octets that came alone are not a Marker of the FPDU that came later. */
    if (!markers && early == MPA_MARKER_LEN)
        return likeness(p, n, false);
    /* A first Marker with wrong contents is still the Marker due there. */
    if (markers && n > MPA_MARKER_LEN &&
        (boundary_crc_right(p, n, true) || likeness(p + MPA_MARKER_LEN, n - MPA_MARKER_LEN, false) == FPDU_CONVINCING))
        return FPDU_CONVINCING;
    return mpa_fpdu_likeness(p, n);
}

/* Number of octets before the first FPDU; 0 when the octets at FO may be a damaged FPDU. */
static size_t stray_octets(const uint8_t *p, size_t n, size_t early, enum fpdu_likeness like)
{
    /* The octets that came in time most likely begin with an FPDU. */
    bool in_time = early > 0 && early < n && mpa_fpdu_likeness(p + early, n - early) == FPDU_CONVINCING;
    size_t found = in_time ? early : find_fpdu(p, n);

    if (found != 0)
        return early == 0 || found < early ? found : early;
    /*
     * Octets that were sent before an FPDU was allowed and do not look like an FPDU need no further proof; later ones
     * may be a damaged FPDU unless an FPDU follows them.
     */
    return like == FPDU_TOO_SHORT && n > MPA_MARKER_LEN ? 0 : early;
}

/* PD_Length counts no enhanced data, which follow. */
static bool leaves_out_enhanced(const struct mpa_startup *frame, size_t count)
{
    return (frame->flags & MPA_FLAG_S) != 0 && count == MPA_ENHANCED_LEN;
}

struct boundary mpa_boundary_classify(const struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n,
                                      size_t early, bool last)
{
    const struct startup_seen *seen = &mpa->side[side].startup;
    struct boundary b = {.what = BOUNDARY_FPDU};
    size_t found = frame_length(p, n);
    enum fpdu_likeness like;

    if (found > 0 && (last || found <= n)) {
        b.count = found < n ? found : n;
        b.what = BOUNDARY_FRAME;
        INVARIANT(b.count > 0 && b.count <= n);
        return b;
    }
    b.trailer = trailer(seen, p, n);
    if (b.trailer) {
        b.what = BOUNDARY_TRAILER;
        b.count = MPA_CRC_LEN;
        INVARIANT(b.count <= n);
        return b;
    }
    like = likeness_at_start(mpa->parameters.markers[side] == ON, p, n, early);
    if (like == FPDU_CONVINCING)
        return b;
    if (!last && (like == FPDU_TOO_SHORT || may_become_frame(p, n) || n < SEARCH_LIMIT / 8)) {
        b.what = BOUNDARY_MORE;
        return b;
    }
    b.count = stray_octets(p, n, early, like);
    INVARIANT(b.count <= n);
    if (b.count > 0)
        b.what =
            mpa_origin(mpa, side, seen->end)->frame == seen->last.frame || leaves_out_enhanced(&seen->frame, b.count)
                ? BOUNDARY_EXCESS
                : BOUNDARY_STREAMING;
    return b;
}

static void boundary_hex(char out[32], const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    size_t shown = n < 8 ? n : 8;
    char *to = out;

    for (size_t i = 0; i < shown; i++) {
        *to++ = digits[p[i] >> 4];
        *to++ = digits[p[i] & 15];
        *to++ = ' ';
    }
    INVARIANT(to - out <= 24);
    if (n > shown)
        memcpy(to, "...", 4);
    else
        to[shown > 0 ? -1 : 0] = '\0';
}

bool mpa_is_startup(const uint8_t *p, size_t n)
{
    unsigned there = n < MPA_KEY_LEN ? (unsigned)n : MPA_KEY_LEN;

    return there >= 4 &&
           (mpa_startup_key_matches(MPA_REQUEST, p, n) == there || mpa_startup_key_matches(MPA_REPLY, p, n) == there);
}

bool mpa_may_be_rejected(const struct mpa_connection *mpa, unsigned side, uint32_t frame)
{
    const struct tcp_side_facts *facts = mpa->tcp ? tcp_pair_facts(mpa->tcp, 1 - side) : NULL;
    const struct mpa_side *other = &mpa->side[1 - side];

    if (other->hole)
        return true;
    /* The first captured octets of the peer come after this frame, and they are not known to be the first. */
    return facts && !facts->syn_seen && (!other->any || (other->startup.seen && other->startup.place.frame > frame));
}

static void report_frame(struct mpa_connection *mpa, unsigned side, const struct place *place, const uint8_t *p,
                         size_t n)
{
    const struct mpa_startup *first = &mpa->side[side].startup.frame;
    struct mpa_startup second;
    size_t need;
    bool request = first->kind == MPA_REQUEST;
    bool step_down = request && mpa_startup_decode(&second, &need, p, n) == MPA_STARTUP_OK &&
                     second.kind == MPA_REQUEST &&
                     (second.revision < first->revision || ((first->flags & ~second.flags) & MPA_FLAG_S) != 0);

    if (step_down)
        verdict_failed(mpa->verdict, RULE_MPA2_10_09, direction_of(mpa, side), place,
                       mpa->side[side].startup.place.frame,
                       "expected a new TCP connection for unenhanced setup; found a second MPA Request (Rev %u, flags "
                       "0x%02x) after one with Rev %u, flags 0x%02x",
                       second.revision, second.flags, first->revision, first->flags);
    else if (request && mpa_may_be_rejected(mpa, side, place->frame))
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_06, LOST_OR(WHY_ORDER), place->frame);
    else
        verdict_failed(
            mpa->verdict, RULE_MPA_7_1_06, direction_of(mpa, side), place, mpa->side[side].startup.place.frame,
            "expected one MPA %s; found another startup frame after the first", request ? "Request" : "Reply");
}

static void report_excess(struct mpa_connection *mpa, unsigned side, const struct place *place, size_t count,
                          const char *octets)
{
    const struct mpa_startup *f = &mpa->side[side].startup.frame;
    const char *name = f->kind == MPA_REQUEST ? "Request" : "Reply";
    uint16_t swapped = (uint16_t)(f->pd_length << 8 | f->pd_length >> 8);
    uint32_t related = mpa->side[side].startup.place.frame;
    enum direction direction = direction_of(mpa, side);
    struct verdict *v = mpa->verdict;

    if ((f->flags & MPA_FLAG_S) != 0 && f->revision >= 2 && f->pd_length < MPA_ENHANCED_LEN)
        return; /* MPA2-6-08 was reported at the frame itself */
    if (f->pd_length != 0 && swapped == f->pd_length + count)
        verdict_failed(v, RULE_MPA_7_1_1_07, direction, place, related,
                       "expected PD_Length in network byte order (%02x %02x for the %u octets that follow); found "
                       "PD_Length octets %02x %02x",
                       swapped >> 8, swapped & 0xff, swapped, f->pd_length >> 8, f->pd_length & 0xff);
    else if (leaves_out_enhanced(f, count))
        verdict_failed(v, RULE_MPA2_6_07, direction, place, related,
                       "expected PD_Length to include the 4 octets of enhanced data (%u); found PD_Length %u, and 4 "
                       "more octets: %s",
                       f->pd_length + MPA_ENHANCED_LEN, f->pd_length, octets);
    else if (f->pd_length == 0)
        verdict_failed(v, RULE_MPA_7_1_1_29, direction, place, related,
                       "expected nothing after an MPA %s with PD_Length 0; found %zu octets after the MPA %s: %s", name,
                       count, name, octets);
    else
        verdict_failed(v, RULE_MPA_7_1_1_28, direction, place, related,
                       "expected %u octets of Private Data in the MPA %s, as PD_Length says; found %zu more octets of "
                       "Private Data: %s",
                       f->pd_length, name, count, octets);
}

void mpa_boundary_report(struct mpa_connection *mpa, unsigned side, const struct boundary *b, const uint8_t *p,
                         size_t n)
{
    const struct startup_seen *seen = &mpa->side[side].startup;
    struct place place = mpa_place(mpa, side, seen->end, seen->end + b->count);
    enum direction direction = direction_of(mpa, side);
    bool waiting = seen->frame.kind == MPA_REQUEST && !mpa->side[other_side(side)].startup.seen;
    char octets[32];

    boundary_hex(octets, p, b->count);
    switch (b->what) {
    case BOUNDARY_FRAME:
        report_frame(mpa, side, &place, p, n);
        break;
    case BOUNDARY_TRAILER:
        verdict_failed(mpa->verdict, RULE_MPA_7_1_05, direction, &place, seen->place.frame,
                       "expected a startup frame of 20 + %u octets without CRC and Markers; found a startup frame with "
                       "4 more octets (%s): %s",
                       seen->frame.pd_length, octets, b->trailer);
        break;
    case BOUNDARY_EXCESS:
        report_excess(mpa, side, &place, b->count, octets);
        mpa->side[side].startup.excess = true;
        break;
    case BOUNDARY_STREAMING:
        if (mpa_is_startup(p, b->count) && mpa_may_be_rejected(mpa, side, place.frame)) /* the frame was cut off */
            break;
        verdict_failed(
            mpa->verdict, waiting || b->before_reply ? RULE_MPA_7_1_3_01 : RULE_MPA_7_1_01, direction, &place,
            seen->place.frame,
            "expected an FPDU right after the startup frame; found %zu other octets after the startup frame: %s",
            b->count, octets);
        break;
    case BOUNDARY_FPDU:
    case BOUNDARY_MORE:
        break;
    }
}

void mpa_boundary_passed(struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_startup *f = &mpa->side[side].startup.frame;
    struct verdict *v = mpa->verdict;

    if (mpa->order->side[side].boundary_judged)
        return;
    mpa->order->side[side].boundary_judged = true;
    if (f->pd_length > MPA_PRIVATE_DATA_MAX || mpa->side[side].startup.missing > 0)
        return;
    verdict_passed(v, RULE_MPA_7_1_01);
    verdict_passed(v, RULE_MPA_7_1_05);
    verdict_passed(v, RULE_MPA_7_1_06);
    verdict_passed(v, RULE_MPA_7_1_1_07);
    verdict_passed(v, f->pd_length == 0 ? RULE_MPA_7_1_1_29 : RULE_MPA_7_1_1_28);
    if ((f->flags & MPA_FLAG_S) != 0) {
        if (f->pd_length >= MPA_ENHANCED_LEN)
            verdict_passed(v, RULE_MPA2_6_07);
        if (f->kind == MPA_REQUEST)
            verdict_passed(v, RULE_MPA2_10_09);
    }
}

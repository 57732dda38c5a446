// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One startup frame on its own: RFC 5044 section 7.1.1, RFC 6581 sections 6 and 9, RFC 5044 Appendix C.1.
 *
 * If one wrong field breaks several rules, the most specific rule gets the finding:
 * - Res bits: MPA2-6-02 in a frame of revision 2 (or S = 1), MPA-7.1.1-21 in all others.
 * - PD_Length above 512: MPA-7.1.1-07 when exactly as many octets follow as its little-endian value says, else
 *   MPA-7.1.1-34.
 * - enhanced data: misplaced (MPA2-9-01) or byte-swapped (MPA2-9-02) data is not judged field by field.
 */
#include "engine/mpa/mpa_startup_state.h"
#include "wire/octets.h"

#include <stdio.h>

static const uint8_t keys[2][MPA_KEY_LEN] = {
    [MPA_REQUEST] = {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'q', ' ', 'F', 'r', 'a', 'm', 'e'},
    [MPA_REPLY] = {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'p', ' ', 'F', 'r', 'a', 'm', 'e'},
};

/* The parameters of a rule about one frame. */
struct subject {
    struct mpa_connection *mpa;
    unsigned side;
    const struct startup_seen *seen;
    const struct mpa_startup *frame;
    enum direction direction;
    const char *name; /* "MPA Request" */
};

#define CHECK(subject, id, good, ...)                                                                                  \
    do {                                                                                                               \
        if (good)                                                                                                      \
            verdict_passed((subject)->mpa->verdict, (id));                                                             \
        else                                                                                                           \
            verdict_failed((subject)->mpa->verdict, (id), (subject)->direction, &(subject)->seen->place, 0,            \
                           __VA_ARGS__);                                                                               \
    } while (0)

static void judge_key(const struct subject *s)
{
    enum rule_id id = s->frame->kind == MPA_REQUEST ? RULE_MPA_7_1_1_01 : RULE_MPA_7_1_1_04;
    char found[3 * MPA_KEY_LEN + 1];

    if (s->seen->key_matches == MPA_KEY_LEN) {
        verdict_passed(s->mpa->verdict, id);
        return;
    }
    for (unsigned i = 0; i < MPA_KEY_LEN; i++)
        snprintf(found + 3 * i, 4, "%02x ", s->seen->octets[i]);
    found[3 * MPA_KEY_LEN - 1] = '\0';
    CHECK(s, id, false, "expected the key \"%.16s\"; found the key %s", (const char *)keys[s->frame->kind], found);
}

/* Judges flags other than M and C, which may have any value. */
static void judge_flags(const struct subject *s)
{
    const struct mpa_startup *f = s->frame;
    bool enhanced_format = (f->flags & MPA_FLAG_S) != 0 || f->revision >= 2;

    if (f->kind == MPA_REQUEST)
        CHECK(s, RULE_MPA_7_1_1_18, (f->flags & MPA_FLAG_R) == 0,
              "expected R = 0 in an MPA Request; found flags 0x%02x with R = 1 in an MPA Request", f->flags);
    CHECK(s, enhanced_format ? RULE_MPA2_6_02 : RULE_MPA_7_1_1_21, (f->flags & MPA_FLAGS_RES) == 0,
          "expected the reserved bits (mask 0x0f) to be zero; found flags 0x%02x in the %s", f->flags, s->name);
}

static void judge_revision(const struct subject *s)
{
    const struct mpa_startup *f = s->frame;
    bool rdmac_flags = (f->flags & (MPA_FLAG_M | MPA_FLAG_C)) == (MPA_FLAG_M | MPA_FLAG_C);

    CHECK(s, RULE_MPA_7_1_1_23, f->revision <= 2,
          "expected Rev 1 (2 for enhanced setup, 0 for RDMAC); found Rev %u in the %s", f->revision, s->name);
    if ((f->flags & MPA_FLAG_S) != 0)
        CHECK(s, RULE_MPA2_6_04, f->revision >= 2, "expected Rev 2 or higher with S = 1; found Rev %u in the %s",
              f->revision, s->name);
    if (f->revision != 0) {
        if (f->kind == MPA_REQUEST)
            verdict_passed(s->mpa->verdict, RULE_MPA_C_2_5_01);
        return;
    }
    /* M in a Reply has rules of its own, which depend on the Request: see judge_rdmac_reply(). */
    if (f->kind == MPA_REPLY) {
        CHECK(s, RULE_MPA_C_1_05, (f->flags & MPA_FLAG_C) != 0,
              "expected C = 1 in a Rev 0 frame; found flags 0x%02x in a Rev 0 Reply", f->flags);
        return;
    }
    CHECK(s, RULE_MPA_C_1_05, rdmac_flags,
          "expected M = 1 and C = 1 in a Rev 0 frame; found flags 0x%02x in a Rev 0 Request", f->flags);
    /* An RDMAC Initiator is not an IETF one; the profile says which kind is tested. */
    if (rdmac_flags && s->mpa->options.profile != PROFILE_RDMAC)
        CHECK(s, RULE_MPA_C_2_5_01, false,
              "expected Rev 1 or 2 from an IETF Initiator; found Rev 0 (RDMAC) in the MPA Request");
}

/* True, and judged, when exactly as many octets follow as PD_Length says with its two octets exchanged. */
static bool little_endian_length(const struct subject *s, uint64_t follow)
{
    uint16_t pd_length = s->frame->pd_length;
    uint16_t swapped = (uint16_t)(pd_length << 8 | pd_length >> 8);

    if (swapped > MPA_PRIVATE_DATA_MAX || follow != swapped)
        return false;
    CHECK(s, RULE_MPA_7_1_1_07, false,
          "expected PD_Length in network byte order (%02x %02x for the %u octets that follow); found PD_Length octets "
          "%02x %02x",
          swapped >> 8, swapped & 0xff, swapped, pd_length >> 8, pd_length & 0xff);
    return true;
}

static bool startup_has_ended(const struct mpa_side *s)
{
    return s->fin || s->reset;
}

/*
 * Whether the rest of the Private Data was never sent, rather than not captured: its sender continued or closed without
 * it, or was silent for long while the other end waited; an abort proves nothing. Of several ends, the first decides.
 */
static bool truly_missing(const struct subject *s)
{
    const struct mpa_connection *mpa = s->mpa;
    const struct mpa_side *sender = &mpa->side[s->side], *peer = &mpa->side[other_side(s->side)];
    int64_t since = s->seen->last.time_ns;
    bool peer_first =
        startup_has_ended(peer) && (!startup_has_ended(sender) || peer->end_place.frame < sender->end_place.frame);

    if (sender->fin && !(peer_first && peer->reset))
        return true;
    if (peer_first)
        return peer->end_place.time_ns - since >= mpa->options.t_close;
    if (sender->reset)
        return false;
    return !mpa->finished || mpa->end_time - since >= mpa->options.t_close;
}

static void startup_judge_length(const struct subject *s)
{
    const struct mpa_startup *f = s->frame;

    if (f->pd_length > MPA_PRIVATE_DATA_MAX) {
        uint64_t body = s->seen->start + MPA_STARTUP_HEADER_LEN, delivered = s->mpa->order->side[s->side].delivered;

        if (!little_endian_length(s, delivered > body ? delivered - body : 0))
            CHECK(s, RULE_MPA_7_1_1_34, false, "expected a PD_Length of at most 512; found PD_Length %u in the %s",
                  f->pd_length, s->name);
        return;
    }
    verdict_passed(s->mpa->verdict, RULE_MPA_7_1_1_34);
    if (s->seen->missing > 0) {
        uint32_t follow = f->pd_length - s->seen->missing;

        if (!truly_missing(s))
            verdict_inconclusive(s->mpa->verdict, RULE_MPA_7_1_1_28, WHY_END, s->seen->place.frame);
        else if (!little_endian_length(s, follow))
            CHECK(
                s, RULE_MPA_7_1_1_28, false,
                "expected %u octets of Private Data in the %s, as PD_Length says; found only %u octets of Private Data",
                f->pd_length, s->name, follow);
        return;
    }
    if ((f->flags & MPA_FLAG_S) != 0 && f->revision >= 2) /* Rev below 2: MPA2-6-04, and there is no enhanced data */
        CHECK(s, RULE_MPA2_6_08, f->pd_length >= MPA_ENHANCED_LEN,
              "expected at least the 4 octets of enhanced data with S = 1; found PD_Length %u in the %s", f->pd_length,
              s->name);
}

static struct mpa_enhanced enhanced_at(const uint8_t *p, bool swapped)
{
    uint16_t first = swapped ? (uint16_t)(p[1] << 8 | p[0]) : get_be16(p);
    uint16_t second = swapped ? (uint16_t)(p[3] << 8 | p[2]) : get_be16(p + 2);

    return (struct mpa_enhanced){
        .peer_to_peer = (first & 0x8000) != 0,
        .rtr = (uint8_t)((first & 0x4000 ? MPA_RTR_SEND : 0) | (second & 0x8000 ? MPA_RTR_WRITE : 0) |
                         (second & 0x4000 ? MPA_RTR_READ : 0)),
        .ird = first & 0x3fff,
        .ord = second & 0x3fff,
    };
}

/* A agrees with B, C, D: 9.2. */
static bool startup_consistent(const struct mpa_enhanced *e)
{
    return e->peer_to_peer == (e->rtr != 0);
}

/* A read depth as real devices have it, or "not negotiated". */
static bool usual_depth(uint16_t depth)
{
    return depth <= 255 || depth == MPA_IRD_ORD_NOT_NEGOTIATED;
}

/*
 * Enhanced data sent least significant octet first. Read as sent, it has A = 0 and an implausible depth of at least
 * 384, such as an odd multiple of 64; exchanged, it has A = 1 with an RTR and usual depths.
 */
static bool byte_swapped(const struct mpa_startup *f)
{
    const uint8_t *p = f->private_data;
    struct mpa_enhanced e = enhanced_at(p, true);

    return !f->enhanced.peer_to_peer && f->enhanced.rtr == 0 && e.peer_to_peer && e.rtr != 0 && e.ird != 0 &&
           e.ord != 0 && e.ird <= 255 && e.ord <= 255;
}

/*
 * ULP data first, enhanced data last: the first word contradicts itself and has depths that no device has, while the
 * last word is flawless enhanced data. The depths alone would not suffice: the end of ULP data may well look like small
 * numbers.
 */
static bool misplaced(const struct mpa_startup *f)
{
    struct mpa_enhanced e;

    if (f->pd_length < 2 * MPA_ENHANCED_LEN || startup_consistent(&f->enhanced) ||
        (usual_depth(f->enhanced.ird) && usual_depth(f->enhanced.ord)))
        return false;
    e = enhanced_at(f->private_data + f->pd_length - MPA_ENHANCED_LEN, false);
    return startup_consistent(&e) && usual_depth(e.ird) && usual_depth(e.ord) && (e.ird != 0 || e.ord != 0);
}

static void startup_judge_enhanced(const struct subject *s)
{
    const struct mpa_startup *f = s->frame;
    const struct mpa_enhanced *e = &f->enhanced;
    struct verdict *v = s->mpa->verdict;
    const struct startup_seen *peer = &s->mpa->side[other_side(s->side)].startup;
    const uint8_t *p = f->private_data;
    bool asked_peer_to_peer;

    if (!f->has_enhanced || !p)
        return;
    if (misplaced(f)) {
        s->mpa->order->side[s->side].enhanced_unusable = true;
        CHECK(s, RULE_MPA2_9_01, false,
              "expected the enhanced data in the first 4 octets of the Private Data; found %02x %02x %02x %02x in the "
              "first 4 octets of the Private Data and what looks like the enhanced data (%02x %02x %02x %02x) in the "
              "last 4",
              p[0], p[1], p[2], p[3], p[f->pd_length - 4], p[f->pd_length - 3], p[f->pd_length - 2],
              p[f->pd_length - 1]);
        return;
    }
    verdict_passed(v, RULE_MPA2_9_01);
    if (byte_swapped(f)) {
        s->mpa->order->side[s->side].enhanced_unusable = true;
        CHECK(s, RULE_MPA2_9_02, false,
              "expected the enhanced data in network byte order (%02x %02x %02x %02x); found enhanced data %02x %02x "
              "%02x %02x",
              p[1], p[0], p[3], p[2], p[0], p[1], p[2], p[3]);
        return;
    }
    verdict_passed(v, RULE_MPA2_9_02);

    /* An accepting Reply that clears only A although A was requested breaks 9.2-06, which covers its B, C, D, too. */
    asked_peer_to_peer = f->kind == MPA_REPLY && !(f->flags & MPA_FLAG_R) && peer->seen &&
                         peer->frame.kind == MPA_REQUEST && peer->frame.has_enhanced &&
                         peer->frame.enhanced.peer_to_peer;
    if (!e->peer_to_peer && !asked_peer_to_peer)
        CHECK(s, RULE_MPA2_9_2_19, e->rtr == 0,
              "expected B = C = D = 0 with A = 0; found B = %u, C = %u, D = %u in the %s", (e->rtr & MPA_RTR_SEND) != 0,
              (e->rtr & MPA_RTR_WRITE) != 0, (e->rtr & MPA_RTR_READ) != 0, s->name);
    if (e->peer_to_peer && f->kind == MPA_REQUEST)
        CHECK(s, RULE_MPA2_9_2_04, e->rtr != 0,
              "expected at least one of B, C, D with A = 1; found A = 1 and none of B, C, D in the %s", s->name);
}

/*
 * Enhanced data without S. Private Data belongs to the ULP and may have any content, so a frame counts as lacking its S
 * flag only if it has revision 2 and its first four octets are flawless peer-to-peer data with usual depths.
 */
static void judge_missing_s(const struct subject *s)
{
    const struct mpa_startup *f = s->frame;
    struct mpa_enhanced e;

    if ((f->flags & MPA_FLAG_S) != 0) {
        if (f->pd_length >= MPA_ENHANCED_LEN)
            verdict_passed(s->mpa->verdict, RULE_MPA2_6_01);
        return;
    }
    if (f->revision != 2 || f->pd_length < MPA_ENHANCED_LEN || !f->private_data)
        return;
    e = enhanced_at(f->private_data, false);
    CHECK(
        s, RULE_MPA2_6_01,
        !(e.peer_to_peer && e.rtr != 0 && usual_depth(e.ird) && usual_depth(e.ord) && (e.ird != 0 || e.ord != 0)),
        "expected S = 1 where the Private Data begins with enhanced data; found flags 0x%02x and A = 1, IRD %u, ORD %u",
        f->flags, e.ird, e.ord);
}

void mpa_judge_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *seen = &mpa->side[side].startup;
    const struct subject subject = {
        .mpa = mpa,
        .side = side,
        .seen = seen,
        .frame = &seen->frame,
        .direction = direction_of(mpa, side),
        .name = seen->frame.kind == MPA_REQUEST ? "MPA Request" : "MPA Reply",
    };

    judge_key(&subject);
    judge_flags(&subject);
    judge_revision(&subject);
    startup_judge_length(&subject);
    startup_judge_enhanced(&subject);
    judge_missing_s(&subject);
}

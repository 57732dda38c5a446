// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Request and Reply compared: RFC 6581 sections 6, 9 and 10, RFC 5044 Appendix C.
 *
 * If a Reply breaks several rules, only one is reported:
 * - S differs: MPA2-10-01 (Request enhanced) or MPA2-10-02 (Request not); Rev alone: MPA2-10-10 or, in a frame with S =
 *   1 and Rev below 2, MPA2-6-04, which the frame itself shows.
 * - A differs: MPA2-9.2-06 or -18; B, C, D of such a Reply are not judged.
 * - 0x3FFF not answered: MPA2-9.1-22, -25; sent unasked: MPA2-9.1-29. Neither value is compared as a number.
 * - Rev 0 with M = 0: MPA-C.2.3-01 after a Rev 0 Request, else MPA-C.2.5-02.
 */
#include "engine/mpa/mpa_startup_state.h"

struct pair {
    struct mpa_connection *mpa;
    const struct startup_seen *request, *reply;
    const struct mpa_startup *req, *rep;
    enum direction direction; /* the Reply's: the Responder is responsible for the pair */
};

#define CHECK(pair, id, good, ...)                                                                                     \
    do {                                                                                                               \
        if (good)                                                                                                      \
            verdict_passed((pair)->mpa->verdict, (id));                                                                \
        else                                                                                                           \
            verdict_failed((pair)->mpa->verdict, (id), (pair)->direction, &(pair)->reply->place,                       \
                           (pair)->request->place.frame, __VA_ARGS__);                                                 \
    } while (0)

static bool has_s(const struct mpa_startup *frame)
{
    return (frame->flags & MPA_FLAG_S) != 0;
}

/* A malformed enhanced frame, for which no answer is specified (MPA2-6-09). */
static bool malformed(const struct startup_seen *seen)
{
    return has_s(&seen->frame) && (seen->frame.revision < 2 || seen->frame.pd_length < MPA_ENHANCED_LEN);
}

/* RFC 6581 section 10: the Reply is enhanced if and only if the Request is. */
static void judge_formats(const struct pair *p)
{
    if (malformed(p->request))
        return;
    if (!has_s(p->req) && malformed(p->reply)) /* reported at the frame itself */
        return;
    if (has_s(p->req)) {
        CHECK(p, RULE_MPA2_10_01, has_s(p->rep),
              "expected S = 1 and Rev 2 or higher in the answer to an enhanced Request (Rev %u); found a Reply with S "
              "= 0, Rev %u",
              p->req->revision, p->rep->revision);
        return;
    }
    CHECK(p, RULE_MPA2_10_02, !has_s(p->rep),
          "expected S = 0 in the answer to an unenhanced Request (Rev %u); found a Reply with S = 1, Rev %u",
          p->req->revision, p->rep->revision);
    if (p->req->revision == 1 && !has_s(p->rep) && p->rep->revision <= 2) /* above 2: 7.1.1-23 */
        CHECK(p, RULE_MPA2_10_10, p->rep->revision < 2,
              "expected Rev 1 in the answer to a Rev 1 Request; found a Reply with Rev %u", p->rep->revision);
}

/* Appendix C: a Rev 0 Reply has M = 1, whatever the Request says. C is judged in each frame (C.1-05). */
static void judge_rdmac_reply(const struct pair *p)
{
    if (p->rep->revision != 0)
        return;
    if (p->req->revision == 0)
        CHECK(p, RULE_MPA_C_2_3_01, (p->rep->flags & MPA_FLAG_M) != 0,
              "expected M = 1 in the Rev 0 answer to a Rev 0 Request; found flags 0x%02x in a Rev 0 Reply",
              p->rep->flags);
    else
        CHECK(p, RULE_MPA_C_2_5_02, (p->rep->flags & MPA_FLAG_M) != 0,
              "expected M = 1 in a Rev 0 Reply whatever the Request's M; found flags 0x%02x in a Rev 0 Reply",
              p->rep->flags);
}

/* 9.2: A is echoed; with A = 1 the Reply names RTR types. A rejecting Reply establishes no model. */
static void negotiation_judge_model(const struct pair *p, bool accepted)
{
    const struct mpa_enhanced *req = &p->req->enhanced, *rep = &p->rep->enhanced;

    if (!req->peer_to_peer) {
        CHECK(p, RULE_MPA2_9_2_18, !rep->peer_to_peer, "expected A = 0 as in the Request; found A = 1 in the Reply");
        return;
    }
    if (!accepted)
        return;
    CHECK(p, RULE_MPA2_9_2_06, rep->peer_to_peer, "expected A = 1 as in the Request; found A = 0 in the Reply");
    if (rep->peer_to_peer)
        CHECK(p, RULE_MPA2_9_2_11, rep->rtr != 0,
              "expected at least one of B, C, D in a Reply with A = 1; found a Reply with A = 1 and none of B, C, D");
}

/* 9.1, accepting Replies only: with R = 1 the Reply's values are only proposals. */
static void judge_depths(const struct pair *p)
{
    const uint16_t none = MPA_IRD_ORD_NOT_NEGOTIATED;
    uint16_t req_ird = p->req->enhanced.ird, req_ord = p->req->enhanced.ord;
    uint16_t rep_ird = p->rep->enhanced.ird, rep_ord = p->rep->enhanced.ord;
    bool ird_unasked = rep_ird == none && req_ord != none, ord_unasked = rep_ord == none && req_ird != none;

    if (req_ord == none)
        CHECK(p, RULE_MPA2_9_1_22, rep_ird == none,
              "expected IRD 0x3fff in the Reply because the Request's ORD is 0x3fff; found IRD %u in the Reply",
              rep_ird);
    else if (rep_ird != none)
        CHECK(p, RULE_MPA2_9_1_04, rep_ird >= req_ord,
              "expected an IRD of at least the Request's ORD %u in the Reply; found IRD %u in the Reply", req_ord,
              rep_ird);
    if (req_ird == none)
        CHECK(p, RULE_MPA2_9_1_25, rep_ord == none,
              "expected ORD 0x3fff in the Reply because the Request's IRD is 0x3fff; found ORD %u in the Reply",
              rep_ord);
    else if (rep_ord != none)
        CHECK(p, RULE_MPA2_9_1_10, rep_ord <= req_ird,
              "expected an ORD of at most the Request's IRD %u in the Reply; found ORD %u in the Reply", req_ird,
              rep_ord);
    CHECK(p, RULE_MPA2_9_1_29, !ird_unasked && !ord_unasked,
          "expected 0x3fff (not negotiated) only in answer to 0x3fff; found %s 0x3fff in the Reply and %s %u in the "
          "Request",
          ird_unasked ? "IRD" : "ORD", ird_unasked ? "ORD" : "IRD", ird_unasked ? req_ord : req_ird);
}

void mpa_judge_negotiation(struct mpa_connection *mpa)
{
    int from = requester(mpa), to = replier(mpa);
    struct pair pair;
    bool accepted, usable;

    /* Two Requests or two Replies are judged in mpa_order_rules.c. */
    if (from < 0 || to < 0)
        return;
    pair = (struct pair){
        .mpa = mpa,
        .request = &mpa->side[from].startup,
        .reply = &mpa->side[to].startup,
        .req = &mpa->side[from].startup.frame,
        .rep = &mpa->side[to].startup.frame,
        .direction = direction_of(mpa, (unsigned)to),
    };
    judge_formats(&pair);
    judge_rdmac_reply(&pair);
    usable = pair.req->has_enhanced && pair.rep->has_enhanced && !mpa->order->side[from].enhanced_unusable &&
             !mpa->order->side[to].enhanced_unusable && pair.request->missing == 0 && pair.reply->missing == 0;
    if (!usable)
        return;
    accepted = (pair.rep->flags & MPA_FLAG_R) == 0;
    negotiation_judge_model(&pair, accepted);
    if (accepted)
        judge_depths(&pair);
}

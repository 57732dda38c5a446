// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DDP and RDMAP versions: RFC 5044 section 3 and Appendix C. DV and RV are equal, the same in both directions, and
 * follow from the revisions of the startup frames.
 *
 * One FPDU breaks one rule: DV different from RV is MPA-C.1-01. If both are wrong in the same way, it is MPA-C.1-03
 * when the other direction already showed the right version and this one never did, else MPA-C.2.5-04 (Rev 0 Reply to a
 * later Request) or MPA-3-16. A version that stays wrong is reported once.
 */
#include "engine/mpa/mpa_startup_state.h"
#include "wire/invariant.h"
#include "wire/rdmap.h"

/* FPDUs on a connection without startup frames: 7.1.2 rule 1, or an old RDMAC stack (Appendix C). */
static void judge_missing_startup(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_version_state *state = &mpa->order->version;
    bool known = mpa->start_captured[0] && mpa->start_captured[1] && !mpa->side[0].hole && !mpa->side[1].hole;

    if (state->start_reported || mpa->side[0].startup.header_seen || mpa->side[1].startup.header_seen)
        return;
    state->start_reported = true;
    if (!known)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_2_01, LOST_OR(WHY_LATE), event->place.frame);
    else if (event->ddp.dv == 0 && event->ddp.rv == 0)
        verdict_failed(
            mpa->verdict, RULE_MPA_C_01, event->direction, &event->place, 0,
            "expected MPA Request and Reply before FPDUs; found version 0 FPDUs without a start-up: an RDMAC "
            "connection that no IETF end can join");
    else
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_01, event->direction, &event->place, 0,
                       "expected an MPA Request before the first FPDU; found FPDUs, and no Request from side %u", side);
}

/* Figure 15: such an exchange ends in a close. The right version is undefined. */
static void judge_mixed_revisions(struct mpa_connection *mpa, const struct mpa_fpdu_event *event,
                                  const struct startup_seen *reply)
{
    struct mpa_version_state *state = &mpa->order->version;

    if (!state->mixed_revisions_reported)
        verdict_failed(mpa->verdict, RULE_MPA_C_2_01, event->direction, &event->place, reply->place.frame,
                       "expected a close after MPA Request Rev 0 and MPA Reply Rev %u; found an FPDU after a Reply "
                       "that does not fit the Request",
                       reply->frame.revision);
    state->mixed_revisions_reported = true;
}

/* The startup frames were seen, and agree on the other version. */
static bool is_against_startup(const struct mpa_connection *mpa, uint8_t version)
{
    uint8_t request, reply;

    if (!mpa->parameters.startup_seen)
        return false;
    request = mpa->side[mpa->parameters.initiator_side].startup.frame.revision;
    reply = mpa->side[other_side((unsigned)mpa->parameters.initiator_side)].startup.frame.revision;
    return (request != 0 || reply == 0) && version != (request != 0 && reply != 0);
}

static void judge_negotiated(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_version_state *state = &mpa->order->version;
    const struct mpa_side *from = &mpa->side[mpa->parameters.initiator_side];
    const struct mpa_side *to = &mpa->side[other_side((unsigned)mpa->parameters.initiator_side)];
    uint8_t request = from->startup.frame.revision, reply = to->startup.frame.revision, version = event->ddp.dv;
    uint8_t expected = request != 0 && reply != 0;
    enum rule_id rule = request != 0 && reply == 0 ? RULE_MPA_C_2_5_04 : RULE_MPA_3_16;

    if (request == 0 && reply != 0) {
        judge_mixed_revisions(mpa, event, &to->startup);
        return;
    }
    if (request == 0)
        verdict_passed(mpa->verdict, RULE_MPA_C_2_01);
    if (expected == 0)
        verdict_passed(mpa->verdict, RULE_MPA_C_01);
    if (version == expected) {
        verdict_passed(mpa->verdict, rule);
        state->right_seen[side] = true;
        state->wrong[side] = false;
        if (state->right_seen[other_side(side)])
            verdict_passed(mpa->verdict, RULE_MPA_C_1_03);
        return;
    }
    if (state->wrong[side] && state->last[side] == version)
        return;
    state->wrong[side] = true;
    if (state->right_seen[other_side(side)] && !state->right_seen[side])
        rule = RULE_MPA_C_1_03;
    verdict_failed(
        mpa->verdict, rule, event->direction, &event->place, to->startup.place.frame,
        "expected DDP and RDMAP version %u (MPA Request Rev %u, MPA Reply Rev %u%s); found DDP and RDMAP version %u",
        expected, request, reply, rule == RULE_MPA_C_1_03 ? ", and as in the other direction" : "", version);
}

void mpa_judge_versions(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_version_state *state = &mpa->order->version;
    const struct ddp_segment *ddp = &event->ddp;

    if (!rdmap_control_plausible(ddp) || rdmap_opcode_too_new(ddp)) /* DDP and RDMAP judge these */
        return;
    if (ddp->dv != ddp->rv && !is_against_startup(mpa, ddp->dv)) {
        uint8_t both = (uint8_t)(ddp->dv << 4 | ddp->rv);

        if (!state->mixed[side] || state->mixed_last[side] != both)
            verdict_failed(mpa->verdict, RULE_MPA_C_1_01, event->direction, &event->place, 0,
                           "expected the same DDP and RDMAP version; found DV %u and RV %u (%02x %02x)", ddp->dv,
                           ddp->rv, event->fpdu.ulpdu[0], event->fpdu.ulpdu[1]);
        state->mixed[side] = true;
        state->mixed_last[side] = both;
        return;
    }
    state->mixed[side] = false;
    if (ddp->dv == ddp->rv)
        verdict_passed(mpa->verdict, RULE_MPA_C_1_01);
    if (mpa->parameters.startup_seen) {
        judge_negotiated(mpa, side, event);
    } else {
        judge_missing_startup(mpa, side, event);
        if (state->seen[other_side(side)] && state->first[other_side(side)] == ddp->dv)
            verdict_passed(mpa->verdict, RULE_MPA_C_1_03);
        else if (state->seen[other_side(side)] && !state->seen[side]) /* a change within a direction is RDMAP-4.1-24 */
            verdict_failed(
                mpa->verdict, RULE_MPA_C_1_03, event->direction, &event->place, 0,
                "expected DDP and RDMAP version %u as in the other direction; found DDP and RDMAP version %u",
                state->first[other_side(side)], ddp->dv);
    }
    if (!state->seen[side])
        state->first[side] = ddp->dv;
    state->seen[side] = true;
    state->last[side] = ddp->dv;
    INVARIANT(state->first[side] <= 3 && state->last[side] <= 3);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Startup frames that their receiver must answer by closing the connection: RFC 5044 sections 7.1.1, 7.1.2 and 8 (error
 * 4), Appendix C.2.1.
 *
 * One wrong answer is one finding: for each defect, the table names the rule that each wrong answer breaks most
 * specifically.
 */
#include "engine/mpa/mpa_reaction.h"
#include "wire/invariant.h"

#include <stdio.h>

enum { PASSED_MAX = 4 };

/* RULE_NONE: legal, or another family's finding. */
static const struct close_rules {
    const char *stimulus;
    enum rule_id passed[PASSED_MAX]; /* passed by a close in time */
    unsigned n_passed;
    enum rule_id accepted; /* the Responder accepts the connection */
    enum rule_id rejected; /* the Responder sends a Reply with R = 1 */
    enum rule_id fpdu;     /* the Initiator sends an FPDU other than a Terminate */
    enum rule_id open;     /* the connection stays open */
    bool any_time;         /* no rule limits the time until the close; else MPA-8-09 */
    bool rejection_will_do;
} kinds[CLOSE_KINDS] = {
    [CLOSE_KEY_REQUEST] = {.stimulus = "Request with a wrong key",
                           .passed = {RULE_MPA_7_1_1_02, RULE_MPA_7_1_2_04, RULE_MPA_7_1_2_26, RULE_MPA_8_09},
                           .n_passed = 4,
                           .accepted = RULE_MPA_7_1_1_02,
                           .rejected = RULE_MPA_7_1_2_04,
                           .fpdu = RULE_NONE,
                           .open = RULE_MPA_7_1_2_26},
    [CLOSE_KEY_REPLY] = {.stimulus = "Reply with a wrong key",
                         .passed = {RULE_MPA_7_1_1_05, RULE_MPA_7_1_2_26, RULE_MPA_8_09},
                         .n_passed = 3,
                         .accepted = RULE_NONE,
                         .rejected = RULE_NONE,
                         .fpdu = RULE_MPA_7_1_1_05,
                         .open = RULE_MPA_7_1_2_26},
    /* Later FPDUs have no Reply at all before them: MPA-7.1.2-16. */
    [CLOSE_GARBAGE_REPLY] = {.stimulus = "octets without the key where a Reply is due",
                             .passed = {RULE_MPA_7_1_1_05, RULE_MPA_7_1_2_26, RULE_MPA_8_09},
                             .n_passed = 3,
                             .accepted = RULE_NONE,
                             .rejected = RULE_NONE,
                             .fpdu = RULE_NONE,
                             .open = RULE_MPA_7_1_2_26},
    [CLOSE_REVISION_REQUEST] = {.stimulus = "Request with an undefined Rev",
                                .passed = {RULE_MPA_7_1_1_24, RULE_MPA_7_1_1_25, RULE_MPA_8_09},
                                .n_passed = 3,
                                .accepted = RULE_NONE,
                                .rejected = RULE_NONE,
                                .fpdu = RULE_MPA_7_1_1_24,
                                .open = RULE_MPA_7_1_1_25},
    [CLOSE_REVISION_REPLY] = {.stimulus = "Reply with an undefined Rev",
                              .passed = {RULE_MPA_7_1_1_24, RULE_MPA_7_1_1_25, RULE_MPA_8_09},
                              .n_passed = 3,
                              .accepted = RULE_NONE,
                              .rejected = RULE_NONE,
                              .fpdu = RULE_MPA_7_1_1_24,
                              .open = RULE_MPA_7_1_1_25},
    [CLOSE_LONG_REQUEST] = {.stimulus = "Request with PD_Length above 512",
                            .passed = {RULE_MPA_7_1_1_31, RULE_MPA_7_1_2_04, RULE_MPA_7_1_2_40, RULE_MPA_8_09},
                            .n_passed = 4,
                            .accepted = RULE_MPA_7_1_1_31,
                            .rejected = RULE_MPA_7_1_2_40,
                            .fpdu = RULE_NONE,
                            .open = RULE_MPA_7_1_2_04},
    [CLOSE_LONG_REPLY] = {.stimulus = "Reply with PD_Length above 512",
                          .passed = {RULE_MPA_7_1_1_31, RULE_MPA_7_1_2_17, RULE_MPA_8_09},
                          .n_passed = 3,
                          .accepted = RULE_NONE,
                          .rejected = RULE_NONE,
                          .fpdu = RULE_MPA_7_1_1_31,
                          .open = RULE_MPA_7_1_2_17},
    /* A Reply to half a Request is MPA-7.1.2-03, an FPDU after half a Reply MPA-7.1.2-16. */
    [CLOSE_SHORT_REQUEST] = {.stimulus = "Request cut short by a FIN",
                             .passed = {RULE_MPA_7_1_1_30, RULE_MPA_8_09},
                             .n_passed = 2,
                             .accepted = RULE_NONE,
                             .rejected = RULE_NONE,
                             .fpdu = RULE_NONE,
                             .open = RULE_MPA_7_1_1_30},
    [CLOSE_SHORT_REPLY] = {.stimulus = "Reply cut short by a FIN",
                           .passed = {RULE_MPA_7_1_1_30, RULE_MPA_8_09},
                           .n_passed = 2,
                           .accepted = RULE_NONE,
                           .rejected = RULE_NONE,
                           .fpdu = RULE_NONE,
                           .open = RULE_MPA_7_1_1_30},
    [CLOSE_ENHANCED_REQUEST] = {.stimulus = "Request with S = 1 and PD_Length below 4",
                                .passed = {RULE_MPA2_6_09, RULE_MPA_8_09},
                                .n_passed = 2,
                                .accepted = RULE_MPA2_6_09,
                                .rejected = RULE_NONE,
                                .fpdu = RULE_NONE,
                                .open = RULE_MPA2_6_09,
                                .rejection_will_do = true},
    [CLOSE_ENHANCED_REPLY] = {.stimulus = "Reply with S = 1 and PD_Length below 4",
                              .passed = {RULE_MPA2_6_09, RULE_MPA_8_09},
                              .n_passed = 2,
                              .accepted = RULE_NONE,
                              .rejected = RULE_NONE,
                              .fpdu = RULE_MPA2_6_09,
                              .open = RULE_MPA2_6_09},
    [CLOSE_TWO_REQUESTS] = {.stimulus = "Request in answer to a Request",
                            .passed = {RULE_MPA_7_1_2_34, RULE_MPA_8_09},
                            .n_passed = 2,
                            .accepted = RULE_MPA_7_1_2_34,
                            .rejected = RULE_MPA_7_1_2_34,
                            .fpdu = RULE_MPA_7_1_2_34,
                            .open = RULE_MPA_7_1_2_34},
    /* FPDUs after this Request are MPA-C.2-01. */
    [CLOSE_RDMAC_REQUEST] = {.stimulus = "Request with Rev 0 that it answered with another Rev",
                             .passed = {RULE_MPA_C_2_1_01},
                             .n_passed = 1,
                             .accepted = RULE_NONE,
                             .rejected = RULE_NONE,
                             .fpdu = RULE_NONE,
                             .open = RULE_MPA_C_2_1_01,
                             .any_time = true},
};

static void settle_passed(struct mpa_connection *mpa, struct close_watch *watch)
{
    INVARIANT(watch->kind != CLOSE_NONE && watch->kind < CLOSE_KINDS);
    for (unsigned i = 0; i < kinds[watch->kind].n_passed; i++)
        verdict_passed(mpa->verdict, kinds[watch->kind].passed[i]);
    watch->kind = CLOSE_NONE;
}

static void close_settle_open(struct mpa_connection *mpa, struct close_watch *watch)
{
    INVARIANT(watch->kind != CLOSE_NONE && watch->kind < CLOSE_KINDS);
    for (unsigned i = 0; i < kinds[watch->kind].n_passed; i++)
        verdict_inconclusive(mpa->verdict, kinds[watch->kind].passed[i], reaction_doubt(mpa), watch->at.frame);
    watch->kind = CLOSE_NONE;
}

static void close_settle_failed(struct mpa_connection *mpa, unsigned reactor, enum rule_id rule,
                                const struct place *place, const char *found)
{
    struct close_watch *watch = &mpa->reaction->close[reactor];

    INVARIANT(watch->kind != CLOSE_NONE && watch->kind < CLOSE_KINDS);
    if (rule != RULE_NONE)
        verdict_failed(mpa->verdict, rule, direction_of(mpa, reactor), place, watch->at.frame,
                       "expected the connection to be closed within %g s of the %s in frame %u; found %s",
                       reaction_seconds(mpa->options.t_close), kinds[watch->kind].stimulus, watch->at.frame, found);
    /* With two Initiators, each waits for the other to close: one finding is enough. */
    if (watch->kind == CLOSE_TWO_REQUESTS)
        mpa->reaction->close[1 - reactor].kind = CLOSE_NONE;
    mpa->reaction->close_failed[reactor] = true;
    watch->kind = CLOSE_NONE;
}

/* The clock starts when the reactor has received the stimulus. */
static void close_start_clock(struct mpa_connection *mpa, unsigned reactor)
{
    struct close_watch *watch = &mpa->reaction->close[reactor];

    if (!watch->started && reaction_received(mpa, reactor, watch->at.end)) {
        watch->started = true;
        watch->due = mpa->reaction->now + mpa->options.t_close;
    }
    INVARIANT(!watch->started || reaction_received(mpa, reactor, watch->at.end));
}

static void expect_close(struct mpa_connection *mpa, unsigned reactor, enum close_kind kind, uint64_t offset,
                         uint32_t frame, uint8_t revision)
{
    struct close_watch *watch = &mpa->reaction->close[reactor];

    if (watch->kind != CLOSE_NONE || mpa->side[reactor].fin || mpa->side[reactor].reset)
        return;
    *watch = (struct close_watch){.kind = kind,
                                  .at = {.offset = offset, .end = offset + MPA_STARTUP_HEADER_LEN, .frame = frame},
                                  .revision = revision};
    INVARIANT(watch->at.end > watch->at.offset && kinds[kind].n_passed > 0);
    close_start_clock(mpa, reactor);
}

/* The time for the close has passed. Whether the close comes late or never will show later. */
static void close_check_due(struct mpa_connection *mpa, unsigned reactor)
{
    struct close_watch *watch = &mpa->reaction->close[reactor];

    if (watch->kind == CLOSE_NONE || !watch->started || watch->overdue.frame != 0 || mpa->reaction->now <= watch->due)
        return;
    if (reaction_lost(mpa, reactor))
        close_settle_open(mpa, watch);
    else
        watch->overdue = reaction_place(mpa, reactor);
    INVARIANT(watch->kind == CLOSE_NONE || watch->overdue.frame != 0);
}

/* closed: frame of the close; 0: none. True, and reported, when the connection was open after the time limit. */
static bool settle_overdue(struct mpa_connection *mpa, unsigned reactor, uint32_t closed)
{
    struct close_watch *watch = &mpa->reaction->close[reactor];
    struct place place = watch->overdue;
    char found[96] = "the connection still open";

    if (watch->kind == CLOSE_NONE || place.frame == 0)
        return false;
    if (closed != 0)
        snprintf(found, sizeof found, "the connection still open after %g s, and closed later, in frame %u",
                 reaction_seconds(mpa->options.t_close), closed);
    close_settle_failed(mpa, reactor, kinds[watch->kind].open, &place, found);
    INVARIANT(watch->kind == CLOSE_NONE);
    return true;
}

/* ---- stimuli ---- */

static enum close_kind close_by_frame(const struct mpa_startup *frame, enum close_kind request, enum close_kind reply)
{
    return frame->kind == MPA_REQUEST ? request : reply;
}

/* The newest revision that the receiver can know: that of its own Request, or of RFC 6581. */
static unsigned known_revision(const struct startup_seen *mine, const struct startup_seen *theirs)
{
    unsigned known = 2;

    if (mine->frame.kind == MPA_REPLY && theirs->seen && theirs->frame.revision > known)
        known = theirs->frame.revision;
    return known;
}

/* S = 1, but too short for the enhanced data, which a rejection need not have. */
static bool lacks_enhanced(const struct mpa_startup *frame)
{
    return frame->revision >= 2 && frame->flags & MPA_FLAG_S && frame->pd_length < MPA_ENHANCED_LEN &&
           (frame->kind == MPA_REQUEST || !(frame->flags & MPA_FLAG_R));
}

static enum close_kind defect_of(const struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *mine = &mpa->side[side].startup, *theirs = &mpa->side[1 - side].startup;
    const struct mpa_startup *frame = &mine->frame;

    if (frame->kind == MPA_REQUEST && theirs->seen && theirs->frame.kind == MPA_REQUEST)
        return CLOSE_TWO_REQUESTS;
    if (mine->key_matches < MPA_KEY_LEN)
        return close_by_frame(frame, CLOSE_KEY_REQUEST, CLOSE_KEY_REPLY);
    if (frame->pd_length > MPA_PRIVATE_DATA_MAX)
        return close_by_frame(frame, CLOSE_LONG_REQUEST, CLOSE_LONG_REPLY);
    if (mine->missing > 0)
        /* Only a FIN tells the receiver that nothing more will come. */
        return mpa->side[side].fin ? close_by_frame(frame, CLOSE_SHORT_REQUEST, CLOSE_SHORT_REPLY) : CLOSE_NONE;
    if (frame->revision > known_revision(mine, theirs))
        return close_by_frame(frame, CLOSE_REVISION_REQUEST, CLOSE_REVISION_REPLY);
    if (lacks_enhanced(frame))
        return close_by_frame(frame, CLOSE_ENHANCED_REQUEST, CLOSE_ENHANCED_REPLY);
    return CLOSE_NONE;
}

/* A Reply to a Request that should not have been answered. */
static void close_judge_reply(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *reply = &mpa->side[side].startup;
    struct close_watch *watch = &mpa->reaction->close[side];
    bool rejects = reply->frame.flags & MPA_FLAG_R;
    enum rule_id rule = rejects ? kinds[watch->kind].rejected : kinds[watch->kind].accepted;

    if (settle_overdue(mpa, side, 0))
        return;
    if (watch->kind == CLOSE_REVISION_REQUEST && reply->frame.revision == watch->revision)
        close_settle_open(mpa, watch); /* the Responder claims to support that revision */
    else if (rejects && kinds[watch->kind].rejection_will_do)
        settle_passed(mpa, watch);
    else if (rule != RULE_NONE)
        close_settle_failed(mpa, side, rule, &reply->place, rejects ? "a rejecting Reply" : "an accepting Reply");
    else if (watch->kind == CLOSE_SHORT_REQUEST)
        watch->kind = CLOSE_NONE;
}

void reaction_close_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *startup = &mpa->side[side].startup, *theirs = &mpa->side[1 - side].startup;
    enum close_kind kind = defect_of(mpa, side);

    if (mpa->reaction->close[side].kind != CLOSE_NONE && startup->frame.kind == MPA_REPLY)
        close_judge_reply(mpa, side);
    if (kind != CLOSE_NONE)
        expect_close(mpa, 1 - side, kind, startup->start, startup->place.frame, startup->frame.revision);
    if (kind == CLOSE_TWO_REQUESTS)
        expect_close(mpa, side, kind, theirs->start, theirs->place.frame, theirs->frame.revision);
    if (startup->frame.kind == MPA_REPLY && theirs->seen && theirs->frame.kind == MPA_REQUEST &&
        theirs->frame.revision == 0 && startup->frame.revision > 0 && mpa->options.profile != PROFILE_RDMAC)
        expect_close(mpa, side, CLOSE_RDMAC_REQUEST, theirs->start, theirs->place.frame, theirs->frame.revision);
}

void reaction_close_bad_reply(struct mpa_connection *mpa, unsigned side, const struct place *place)
{
    if (mpa->start_captured[side]) /* otherwise the Reply may have come before the first captured octets */
        expect_close(mpa, 1 - side, CLOSE_GARBAGE_REPLY, place->offset, place->frame, 0);
}

/* ---- answers ---- */

void reaction_close_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct close_watch *watch = &mpa->reaction->close[fpdu->side];

    /* A Terminate may precede the close (7.1.2 and 8 do not forbid it). */
    if (watch->kind == CLOSE_NONE || fpdu->is_terminate || !reaction_after(fpdu, watch->at.end) ||
        settle_overdue(mpa, fpdu->side, 0))
        return;
    close_settle_failed(mpa, fpdu->side, kinds[watch->kind].fpdu, &fpdu->event->place, "an FPDU on the connection");
}

void reaction_close_segment(struct mpa_connection *mpa, const struct tcp_segment *segment)
{
    for (unsigned reactor = 0; reactor < 2; reactor++) {
        if (mpa->reaction->close[reactor].kind == CLOSE_NONE)
            continue;
        close_start_clock(mpa, reactor);
        if (!reaction_is_end(segment, reactor))
            close_check_due(mpa, reactor);
    }
}

void reaction_close_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    struct close_watch *watch = &mpa->reaction->close[side], *peers = &mpa->reaction->close[1 - side];

    if (watch->kind != CLOSE_NONE && !settle_overdue(mpa, side, mpa->side[side].end_place.frame)) {
        if (watch->started && mpa->reaction->now > watch->due && !kinds[watch->kind].any_time)
            close_settle_failed(mpa, side, RULE_MPA_8_09, &mpa->side[side].end_place, "the connection closed later");
        else
            settle_passed(mpa, watch);
    }
    INVARIANT(watch->kind == CLOSE_NONE);
    /* After a reset the other end has nothing to close. */
    if (reset && peers->kind != CLOSE_NONE && !settle_overdue(mpa, 1 - side, 0))
        close_settle_open(mpa, peers);
}

void reaction_close_finish(struct mpa_connection *mpa)
{
    for (unsigned reactor = 0; reactor < 2; reactor++) {
        if (reaction_sees_all(mpa))
            close_check_due(mpa, reactor);
        if (!settle_overdue(mpa, reactor, 0) && mpa->reaction->close[reactor].kind != CLOSE_NONE)
            close_settle_open(mpa, &mpa->reaction->close[reactor]);
        INVARIANT(mpa->reaction->close[reactor].kind == CLOSE_NONE);
    }
}

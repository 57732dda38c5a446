// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPDUs with a wrong CRC, or with a Marker that contradicts the FPDU's start (RFC 5044 section 8, errors 2 and 3).
 * Their receiver may send a Terminate, close, or silently drop the segment (which is then not acknowledged); it must
 * not act on the FPDU or on anything after it.
 *
 * One error per direction is watched at a time. Which rule a wrong answer breaks:
 *
 *   the receiver ...                          an ordinary CRC error      a special one
 *   answers the request in the FPDU           MPA-4.4-19                 zero PAD: MPA-4.1-07
 *   answers a request after it                MPA-8-12                   zero RESERVED: MPA-4.2-04
 *   shows no reaction within T_react          MPA-8-02; MPA-7.1.1-16     Marker: MPA-8-03
 *                                             if it had declared C = 0
 *   sends a Terminate about something else    MPA-8-05                   MPA-8-05
 *   sends a Terminate and never closes        MPA-8-14                   MPA-8-14
 */
#include "engine/core/heap.h"
#include "engine/mpa/mpa_reaction.h"

#include "wire/crc32c.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_CRC = 2, CODE_MARKER = 3 };

static const char *const stimuli[] = {
    [ERROR_CRC] = "FPDU with a wrong CRC",
    [ERROR_LENGTH] = "FPDU whose ULPDU_Length makes its CRC wrong",
    [ERROR_CRC_ZERO_PAD] = "FPDU with nonzero PAD and the CRC of a zero PAD",
    [ERROR_CRC_ZERO_RESERVED] = "FPDU with nonzero RESERVED and the CRC of a zero RESERVED",
    [ERROR_MARKER] = "FPDU with a Marker that contradicts its start, received out of order",
};

/* The rule broken by ignoring the error, which passes when the error is not ignored. */
static enum rule_id ignored_rule(const struct error_watch *watch)
{
    switch (watch->kind) {
    case ERROR_CRC_ZERO_PAD:
        return RULE_MPA_4_1_07;
    case ERROR_CRC_ZERO_RESERVED:
        return RULE_MPA_4_2_04;
    case ERROR_MARKER:
        return RULE_MPA_8_03;
    case ERROR_CRC:
    case ERROR_LENGTH:
        break;
    }
    return watch->own_c0 ? RULE_MPA_7_1_1_16 : RULE_MPA_8_02;
}

static void pass_reaction(struct mpa_connection *mpa, const struct error_watch *watch)
{
    enum rule_id rule = ignored_rule(watch);

    verdict_passed(mpa->verdict, rule);
    if (watch->kind == ERROR_MARKER)
        return;
    if (rule != RULE_MPA_8_02)
        verdict_passed(mpa->verdict, RULE_MPA_8_02);
    if (watch->is_request)
        verdict_passed(mpa->verdict, RULE_MPA_4_4_19);
    if (watch->requests_after)
        verdict_passed(mpa->verdict, RULE_MPA_8_12);
}

static void error_settle_open(struct mpa_connection *mpa, struct error_watch *watch)
{
    INVARIANT(watch->state != ERROR_NONE && watch->state != ERROR_SETTLED);
    verdict_inconclusive(mpa->verdict, watch->state == ERROR_TERMINATED ? RULE_MPA_8_14 : ignored_rule(watch),
                         reaction_doubt(mpa), watch->at.frame);
    watch->state = ERROR_SETTLED;
}

static void error_settle_failed(struct mpa_connection *mpa, unsigned reactor, enum rule_id rule,
                                const struct place *place, const char *found)
{
    struct error_watch *watch = &mpa->reaction->error[reactor];

    INVARIANT(watch->state != ERROR_NONE && watch->state != ERROR_SETTLED);
    verdict_failed(mpa->verdict, rule, direction_of(mpa, reactor), place, watch->at.frame,
                   "expected a Terminate (layer 2, error type 0, code %d), a close, or no acknowledgment after the %s "
                   "in frame %u; found %s",
                   watch->kind == ERROR_MARKER ? CODE_MARKER : CODE_CRC, stimuli[watch->kind], watch->at.frame, found);
    watch->state = ERROR_SETTLED;
}

static void error_start_clock(struct mpa_connection *mpa, unsigned reactor)
{
    struct error_watch *watch = &mpa->reaction->error[reactor];

    if (watch->state == ERROR_SENT && reaction_received(mpa, reactor, watch->at.end)) {
        watch->state = ERROR_RECEIVED;
        watch->due = mpa->reaction->now + mpa->options.t_react;
    }
    INVARIANT(watch->state != ERROR_RECEIVED || reaction_received(mpa, reactor, watch->at.end));
}

/* ---- stimuli ---- */

/*
 * The CRC that the FPDU would have if its PAD (or the RESERVED of its Markers) were zero; false when out of memory.
 */
static bool crc_with_zeros(const struct mpa_fpdu *fpdu, bool pad, uint32_t *crc)
{
    uint32_t covered = fpdu->length - MPA_CRC_LEN, left = pad ? fpdu->pad_length : 0;
    uint8_t *copy;

    /* After stray octets a word may cross the grid, and a Marker may cut the CRC field. */
    if (fpdu->n_markers > 0 && fpdu->markers[fpdu->n_markers - 1].offset - fpdu->offset + MPA_MARKER_LEN > covered)
        return false;
    copy = heap_get(covered);
    if (!copy)
        return false;
    memcpy(copy, fpdu->octets, covered);
    for (unsigned i = 0; !pad && i < fpdu->n_markers; i++)
        memset(copy + (fpdu->markers[i].offset - fpdu->offset), 0, 2);
    for (uint32_t at = covered, marker = fpdu->n_markers; left > 0 && at > 0;) {
        if (marker > 0 && fpdu->markers[marker - 1].offset - fpdu->offset + MPA_MARKER_LEN == at) {
            at -= MPA_MARKER_LEN;
            marker--;
            continue;
        }
        copy[--at] = 0;
        left--;
    }
    INVARIANT(left == 0);
    *crc = crc32c(copy, covered);
    free(copy);
    return true;
}

static bool markers_agree(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        if ((fpdu->markers[i].fpduptr & ~3u) != fpdu->markers[i].expected)
            return false;
    return true;
}

static bool has_reserved(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        if (fpdu->markers[i].reserved != 0)
            return true;
    return false;
}

static bool error_has_pad(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->pad_length; i++)
        if (fpdu->pad[i] != 0)
            return true;
    return false;
}

/* ULPDU_Length as sent; the FPDU may have been read with another length. */
static uint16_t length_sent(const struct mpa_fpdu *fpdu)
{
    uint64_t at = fpdu->header - fpdu->offset;

    return at + MPA_LENGTH_LEN <= fpdu->length ? get_be16(fpdu->octets + at) : fpdu->ulpdu_length;
}

bool reaction_is_request(const struct mpa_fpdu_event *event)
{
    return event->has_ddp && !event->ddp.tagged &&
           (event->ddp.opcode == RDMAP_READ_REQUEST || event->ddp.opcode == RDMAP_ATOMIC_REQUEST);
}

bool reaction_is_error(const struct mpa_connection *mpa, const struct mpa_fpdu_event *event)
{
    return event->crc == MPA_CRC_WRONG || (event->crc == MPA_CRC_VERIFIED && mpa->parameters.crc == ON &&
                                           !mpa->crc_inferred && length_sent(&event->fpdu) != event->fpdu.ulpdu_length);
}

/* Where the receiver expects the end of the FPDU, with all Markers that may be inside. */
static uint64_t end_for_receiver(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    struct mpa_framing framing = {.markers = mpa->parameters.markers[side] == ON, .seq_start = fpdu->offset};

    if (length_sent(fpdu) == fpdu->ulpdu_length)
        return fpdu->offset + fpdu->length;
    return fpdu->offset + mpa_fpdu_octets(&framing, fpdu->offset, length_sent(fpdu));
}

static enum error_kind error_kind_of(const struct mpa_fpdu *fpdu)
{
    uint32_t crc;

    if (length_sent(fpdu) != fpdu->ulpdu_length)
        return ERROR_LENGTH;
    if (error_has_pad(fpdu) && crc_with_zeros(fpdu, true, &crc) && crc == fpdu->crc)
        return ERROR_CRC_ZERO_PAD;
    if (has_reserved(fpdu) && crc_with_zeros(fpdu, false, &crc) && crc == fpdu->crc)
        return ERROR_CRC_ZERO_RESERVED;
    return ERROR_CRC;
}

/*
 * A Marker of the FPDU contradicts it and its octets came out of order: the only case in which the Marker must be
 * checked (section 8).
 */
static bool marker_must_be_checked(const struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    const struct mpa_fpdu *f = &fpdu->event->fpdu;

    for (unsigned i = 0; i < f->n_markers; i++) {
        const struct octets_origin *origin = mpa_origin(mpa, fpdu->side, f->markers[i].offset);

        if ((f->markers[i].fpduptr & ~3u) != f->markers[i].expected && origin->arrival > origin->frame)
            return true;
    }
    return false;
}

/* The FPDU's octets differ between the first copy and another copy that came before the FPDU was complete. */
static bool came_in_two_versions(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    return mpa->reaction->conflict_from[side] < fpdu->offset + fpdu->length &&
           mpa->reaction->conflict_to[side] > fpdu->offset;
}

static void watch_error(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    unsigned reactor = 1 - fpdu->side;
    struct error_watch *watch = &mpa->reaction->error[reactor];
    const struct mpa_fpdu_event *event = fpdu->event;
    const struct startup_seen *declared = &mpa->side[reactor].startup;
    bool wrong_crc = reaction_is_error(mpa, event);

    if (!wrong_crc && !marker_must_be_checked(mpa, fpdu))
        return;
    if (mpa->side[fpdu->side].hole || event->after_resync || mpa->reaction->ended[reactor] ||
        mpa->reaction->terminated[reactor] || mpa->crc_inferred || event->fpdu.cut ||
        came_in_two_versions(mpa, fpdu->side, &event->fpdu)) {
        verdict_inconclusive(mpa->verdict, wrong_crc ? RULE_MPA_8_02 : RULE_MPA_8_03,
                             came_in_two_versions(mpa, fpdu->side, &event->fpdu) ? WHY_COPIES : reaction_doubt(mpa),
                             event->place.frame);
        return;
    }
    *watch = (struct error_watch){
        .state = ERROR_SENT,
        .kind = wrong_crc ? error_kind_of(&event->fpdu) : ERROR_MARKER,
        .at = {.offset = event->fpdu.offset,
               .end = end_for_receiver(mpa, fpdu->side, &event->fpdu),
               .frame = event->place.frame},
        .first = mpa_is_first(mpa, fpdu->side, event) && (int)fpdu->side == initiator_of(mpa),
        .own_c0 = declared->seen && !(declared->frame.flags & MPA_FLAG_C),
        .marker_doubt = !markers_agree(&event->fpdu),
        .is_request = reaction_is_request(event),
        .peer_ended = mpa->reaction->ended[fpdu->side],
        .due = mpa->reaction->now + mpa->options.t_react,
    };
    INVARIANT(watch->at.end > watch->at.offset && watch->at.frame > 0);
    if (event->has_ddp) {
        watch->header_len = event->ddp.header_len;
        INVARIANT(watch->header_len <= sizeof watch->header && watch->header_len <= event->fpdu.ulpdu_length);
        memcpy(watch->header, event->fpdu.ulpdu, watch->header_len);
    }
    error_start_clock(mpa, reactor);
}

/* ---- answers ---- */

void reaction_error_answered(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu,
                             const struct read_kept *request)
{
    struct error_watch *watch = &mpa->reaction->error[fpdu->side];
    bool special = watch->kind != ERROR_CRC && watch->kind != ERROR_LENGTH;
    enum rule_id rule = special ? ignored_rule(watch) : request->wrong_crc ? RULE_MPA_4_4_19 : RULE_MPA_8_12;
    char found[128];

    if (watch->state != ERROR_SENT && watch->state != ERROR_RECEIVED && watch->state != ERROR_TERMINATED)
        return;
    /* The Responder may not send any FPDU in this case: MPA-7.1.2-24. */
    if (watch->first) {
        error_settle_open(mpa, watch);
        return;
    }
    snprintf(found, sizeof found, "%s Response to the %s Request %s, in frame %u",
             request->atomic ? "an Atomic" : "an RDMA Read", request->atomic ? "Atomic" : "Read",
             request->wrong_crc ? "that the FPDU in error carries" : "after the FPDU in error", request->at.frame);
    error_settle_failed(mpa, fpdu->side, rule, &fpdu->event->place, found);
}

/* The Terminate encloses the DDP header of an FPDU other than the faulty one. */
static bool about_another(const struct error_watch *watch, const struct rdmap_terminate *terminate)
{
    uint8_t header[DDP_UNTAGGED_HEADER_LEN];
    size_t length;

    if (!terminate->has_ddp)
        return false;
    length = ddp_header_encode(&terminate->ddp, header, sizeof header);
    return length != watch->header_len || memcmp(header, watch->header, length) != 0;
}

static void error_judge_terminate(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct error_watch *watch = &mpa->reaction->error[fpdu->side];
    const struct rdmap_terminate *terminate = &fpdu->terminate;
    bool right =
        reaction_is_mpa_error(terminate) && (watch->kind == ERROR_MARKER || watch->marker_doubt
                                                 ? terminate->code == CODE_CRC || terminate->code == CODE_MARKER
                                                 : terminate->code == CODE_CRC);

    pass_reaction(mpa, watch);
    if (right)
        verdict_passed(mpa->verdict, RULE_MPA_8_05);
    else if (about_another(watch, terminate))
        verdict_inconclusive(mpa->verdict, RULE_MPA_8_05, WHY_CAUSE, fpdu->event->place.frame);
    else
        verdict_failed(mpa->verdict, RULE_MPA_8_05, direction_of(mpa, fpdu->side), &fpdu->event->place, watch->at.frame,
                       "expected a Terminate with layer 2, error type 0, code %s after the %s in frame %u; found a "
                       "Terminate with layer %u, error type %u, code %u",
                       watch->kind == ERROR_MARKER ? "3" : "2", stimuli[watch->kind], watch->at.frame, terminate->layer,
                       terminate->etype, terminate->code);
    watch->state = ERROR_TERMINATED;
    watch->terminate_frame = fpdu->event->place.frame;
    watch->due = mpa->reaction->now + mpa->options.t_idle;
}

static void error_judge_answer(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct error_watch *watch = &mpa->reaction->error[fpdu->side];

    if ((watch->state != ERROR_SENT && watch->state != ERROR_RECEIVED) || !reaction_after(fpdu, watch->at.end))
        return;
    if (fpdu->is_terminate)
        error_judge_terminate(mpa, fpdu);
    else if (watch->first && fpdu->acked_known)
        error_settle_open(mpa, watch); /* MPA-7.1.2-24 */
    else if (watch->state == ERROR_RECEIVED && mpa->reaction->now > watch->due && reaction_sees_all(mpa))
        error_settle_failed(mpa, fpdu->side, ignored_rule(watch), &fpdu->event->place, "only another FPDU");
}

void reaction_error_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct error_watch *watch = &mpa->reaction->error[1 - fpdu->side];

    error_judge_answer(mpa, fpdu);
    if (watch->state == ERROR_NONE)
        watch_error(mpa, fpdu);
    else if (fpdu->event->crc == MPA_CRC_VERIFIED && reaction_is_request(fpdu->event))
        watch->requests_after = true;
}

static void error_check_due(struct mpa_connection *mpa, unsigned reactor)
{
    struct error_watch *watch = &mpa->reaction->error[reactor];
    struct place place = reaction_place(mpa, reactor);

    if ((watch->state != ERROR_RECEIVED && watch->state != ERROR_TERMINATED) || mpa->reaction->now <= watch->due)
        return;
    if (reaction_lost(mpa, reactor)) {
        error_settle_open(mpa, watch);
    } else if (watch->state == ERROR_RECEIVED) {
        error_settle_failed(mpa, reactor, ignored_rule(watch), &place, "that the connection continued");
    } else {
        verdict_failed(mpa->verdict, RULE_MPA_8_14, direction_of(mpa, reactor), &place, watch->terminate_frame,
                       "expected the connection to be torn down after the Terminate in frame %u; found that the "
                       "connection was still open after %g s",
                       watch->terminate_frame, reaction_seconds(mpa->options.t_idle));
        watch->state = ERROR_SETTLED;
    }
}

void reaction_error_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    unsigned reactor = 1 - segment->side;
    struct error_watch *watch = &mpa->reaction->error[reactor];

    mpa->reaction->error[segment->side].heard = true;
    if (watch->state == ERROR_NONE && mpa->reaction->error[segment->side].state == ERROR_NONE)
        return;
    /* Retransmitted before it was acknowledged, but too long ago to know whether the retransmission was right. */
    if (watch->state == ERROR_SENT && segment->length > 0 && segment->frame > watch->at.frame &&
        offset < watch->at.end && offset + segment->length > watch->at.offset && mpa->tcp &&
        tcp_pair_facts(mpa->tcp, segment->side)->highest - watch->at.offset > TCP_PAIR_HISTORY_DEFAULT)
        error_settle_open(mpa, watch);
    for (reactor = 0; reactor < 2; reactor++) {
        error_start_clock(mpa, reactor);
        /* The meaning of the reactor's octets is known only when the FPDU is complete. */
        if (segment->side != reactor || (segment->length == 0 && !reaction_is_end(segment, reactor)))
            error_check_due(mpa, reactor);
    }
}

void reaction_error_repaired(struct mpa_connection *mpa, unsigned side, uint64_t offset,
                             const struct tcp_segment *segment)
{
    struct error_watch *watch = &mpa->reaction->error[1 - side];

    if (watch->state != ERROR_SENT || segment->frame <= watch->at.frame || offset >= watch->at.end ||
        offset + segment->length <= watch->at.offset)
        return;
    /*
     * The FPDU was dropped silently, and sent again without the error (MPA-8-11). The same octets again would prove
     * nothing; and if both copies come at the same time, it is unknown which copy the receiver accepted.
     */
    if (watch->heard)
        pass_reaction(mpa, watch);
    else
        verdict_inconclusive(mpa->verdict, ignored_rule(watch), WHY_COPIES, segment->frame);
    watch->state = ERROR_NONE;
}

void reaction_error_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    struct error_watch *mine = &mpa->reaction->error[side], *theirs = &mpa->reaction->error[1 - side];

    if (mine->state == ERROR_SENT || mine->state == ERROR_RECEIVED) {
        if (mine->peer_ended) {
            error_settle_open(mpa, mine); /* an answer to the peer's FIN rather than to the error */
        } else {
            pass_reaction(mpa, mine);
            mine->state = ERROR_SETTLED;
        }
    }
    for (unsigned reactor = 0; reactor < 2; reactor++)
        if (mpa->reaction->error[reactor].state == ERROR_TERMINATED) {
            error_check_due(mpa, reactor);
            if (mpa->reaction->error[reactor].state == ERROR_TERMINATED)
                verdict_passed(mpa->verdict, RULE_MPA_8_14);
            mpa->reaction->error[reactor].state = ERROR_SETTLED;
        }
    INVARIANT(mine->state != ERROR_SENT && mine->state != ERROR_RECEIVED);
    theirs->peer_ended = true;
    if (reset && (theirs->state == ERROR_SENT || theirs->state == ERROR_RECEIVED))
        error_settle_open(mpa, theirs);
}

void reaction_error_finish(struct mpa_connection *mpa)
{
    for (unsigned reactor = 0; reactor < 2; reactor++) {
        struct error_watch *watch = &mpa->reaction->error[reactor];

        if (reaction_sees_all(mpa))
            error_check_due(mpa, reactor);
        if (watch->state == ERROR_SENT && watch->heard && reaction_sees_all(mpa) && mpa->reaction->now > watch->due &&
            !reaction_lost(mpa, reactor))
            pass_reaction(mpa, watch); /* never acknowledged: dropped silently */
        else if (watch->state == ERROR_SENT || watch->state == ERROR_RECEIVED || watch->state == ERROR_TERMINATED)
            error_settle_open(mpa, watch);
    }
}

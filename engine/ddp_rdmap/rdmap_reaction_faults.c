// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults that a capture proves, whatever the ULPs have registered or posted, and the Terminates that answer them: RFC
 * 5041 section 7, RFC 5040 sections 4.8 and 7, RFC 7306 section 8.
 *
 * Checks are made in the order of the layers. Checks that only the receiver can make (a posted buffer, a valid STag)
 * may come first: their codes are right answers, too.
 */
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"

#include <string.h>

enum {
    MSN_FAR = 0x100000,  /* no queue has more buffers posted than this */
    MO_FAR = 0x40000000, /* beyond any Untagged Buffer */
    ANSWERS_MAX = 8,
    ANY_CODE = 0xFF,
};

const struct fault_info rdmap_fault_info[FAULT_KINDS] = {
    [FAULT_SHORT] = {"a ULPDU too short for a DDP Header", RULE_DDP_6_2_2_03, RULE_DDP_6_2_2_03, true, false},
    [FAULT_DV_TAGGED] = {"a Tagged segment with a wrong DV", RULE_DDP_7_2_07, RULE_DDP_7_2_07, true, false},
    [FAULT_DV_UNTAGGED] = {"an Untagged segment with a wrong DV", RULE_DDP_7_2_13, RULE_DDP_7_2_13, true, false},
    [FAULT_QN] = {"an invalid QN", RULE_DDP_7_1_01, RULE_DDP_7_1_01, true, false},
    [FAULT_QN_ATOMIC] = {"QN 3 without an Atomic Response", RULE_DDP_7_1_01, RULE_DDP_7_1_01, true, false},
    [FAULT_MSN_REPEATED] = {"the MSN of a message that was already complete", RULE_DDP_7_1_09, RULE_DDP_7_1_09, true,
                            false},
    [FAULT_MSN_FAR] = {"an MSN far beyond the next", RULE_DDP_7_1_09, RULE_DDP_7_1_09, true, false},
    [FAULT_MSN_GAP] = {"a request after a gap in the MSNs", RULE_DDP_7_1_09, RULE_DDP_7_1_09, true, true},
    [FAULT_MO] = {"an MO beyond any buffer", RULE_DDP_7_1_07, RULE_DDP_7_1_07, true, false},
    [FAULT_MO_READ] = {"a request whose first octets are missing", RULE_DDP_7_1_07, RULE_DDP_7_1_07, true, true},
    [FAULT_TO_WRAP] = {"a TO that wraps", RULE_DDP_7_1_15, RULE_DDP_7_1_15, true, false},
    [FAULT_OPCODE_TAGGED] = {"an opcode that no Tagged segment has", RULE_RDMAP_7_2_02, RULE_RDMAP_4_8_15, false,
                             false},
    [FAULT_OPCODE_UNTAGGED] = {"an opcode that does not belong on its queue", RULE_RDMAP_7_2_02, RULE_RDMAP_4_8_15,
                               false, false},
    [FAULT_OPCODE_READ_QUEUE] = {"an opcode that does not belong on QN 1", RULE_RDMAP_7_2_07, RULE_RDMAP_4_8_15, false,
                                 false},
    [FAULT_OPCODE_EXTENSION] = {"an opcode of RFC 7306 on a wrong queue", RULE_RDMAPX_8_2_03, RULE_RDMAP_4_8_15, false,
                                false},
    [FAULT_RV_TAGGED] = {"an invalid RV", RULE_RDMAP_7_2_03, RULE_RDMAP_4_8_14, false, false},
    [FAULT_RV_UNTAGGED] = {"an invalid RV", RULE_RDMAP_7_2_03, RULE_RDMAP_4_8_14, false, false},
    [FAULT_RV_READ] = {"an RDMA Read Request with an invalid RV", RULE_RDMAP_7_2_08, RULE_RDMAP_4_8_14, false, false},
    [FAULT_RV_EXTENSION] = {"a message of RFC 7306 with an invalid RV", RULE_RDMAPX_8_2_04, RULE_RDMAP_4_8_14, false,
                            false},
    [FAULT_READ_LENGTH] = {"an RDMA Read Request of a wrong length", RULE_RDMAP_5_2_1_06, RULE_RDMAP_5_2_1_06, false,
                           false},
    [FAULT_READ_WRAP] = {"a SrcTO that wraps", RULE_RDMAP_4_8_11, RULE_RDMAP_4_8_11, false, false},
    [FAULT_READ_RESPONSE] = {"an RDMA Read Response without a request", RULE_RDMAP_5_2_2_06, RULE_RDMAP_5_2_2_06, false,
                             false},
    [FAULT_IMMEDIATE_LENGTH] = {"Immediate Data of other than 8 octets", RULE_RDMAPX_6_3_08, RULE_RDMAPX_6_3_08, false,
                                false},
    [FAULT_ATOMIC_LENGTH] = {"an Atomic message of a wrong length", RULE_RDMAPX_8_1_03, RULE_RDMAPX_8_1_03, false,
                             false},
    [FAULT_ATOMIC_OPCODE] = {"an AOpCode that is not assigned", RULE_RDMAPX_5_2_1_21, RULE_RDMAPX_5_2_1_21, false,
                             false},
    [FAULT_ATOMIC_RESPONSE] = {"an Atomic Response without its request", RULE_RDMAPX_5_2_2_12, RULE_RDMAPX_5_2_2_12,
                               false, false},
    [FAULT_INVALIDATED_WRITE] = {"an RDMA Write to an STag that it had invalidated", RULE_RDMAP_1_2_02,
                                 RULE_RDMAP_1_2_02, false, false},
    [FAULT_INVALIDATED_READ] = {"an RDMA Read from an STag that it had invalidated", RULE_RDMAP_1_2_02,
                                RULE_RDMAP_1_2_02, false, false},
};

/* Layer << 4 | EType, codes from..to. */
struct answer {
    uint8_t layer_etype, from, to;
    bool tolerated;
};

#define NO_BUFFER                                                                                                      \
    {0x12, 0x02, 0x03, false},                                                                                         \
    {                                                                                                                  \
        0x12, 0x05, 0x05, false                                                                                        \
    } /* the queue may also have no buffer */
#define STAG_CHECKS                                                                                                    \
    {                                                                                                                  \
        0x11, 0x00, 0x02, false                                                                                        \
    }
#define ANY_OF(layer, etype)                                                                                           \
    {                                                                                                                  \
        (layer) << 4 | (etype), 0x00, ANY_CODE, false                                                                  \
    }

static const struct answer answers[FAULT_KINDS][ANSWERS_MAX] = {
    [FAULT_SHORT] = {ANY_OF(0, 2), ANY_OF(1, 0), ANY_OF(1, 1), ANY_OF(1, 2), ANY_OF(2, 0)},
    [FAULT_DV_TAGGED] = {{0x11, 0x04, 0x04, false}},
    [FAULT_DV_UNTAGGED] = {{0x12, 0x06, 0x06, false}},
    [FAULT_QN] = {{0x12, 0x01, 0x01, false}},
    [FAULT_QN_ATOMIC] = {{0x12, 0x01, 0x03, false}, {0x02, 0x06, 0x06, false}},
    [FAULT_MSN_REPEATED] = {{0x12, 0x02, 0x03, false}},
    [FAULT_MSN_FAR] = {{0x12, 0x02, 0x03, false}},
    [FAULT_MO] = {{0x12, 0x02, 0x05, false}},
    [FAULT_TO_WRAP] = {{0x11, 0x03, 0x03, false},
                       {0x11, 0x00, 0x00, false},
                       {0x11, 0x02, 0x02, false},
                       {0x11, 0x01, 0x01, true}},
    [FAULT_OPCODE_TAGGED] = {{0x02, 0x06, 0x06, false}, STAG_CHECKS},
    [FAULT_OPCODE_UNTAGGED] = {{0x02, 0x06, 0x06, false}, {0x12, 0x01, 0x01, false}, NO_BUFFER},
    [FAULT_OPCODE_READ_QUEUE] = {{0x02, 0x06, 0x06, false}, {0x12, 0x01, 0x01, false}, NO_BUFFER},
    [FAULT_OPCODE_EXTENSION] = {{0x02, 0x06, 0x06, false},
                                {0x02, 0xFF, 0xFF, false},
                                {0x12, 0x01, 0x01, false},
                                NO_BUFFER},
    [FAULT_RV_TAGGED] = {{0x02, 0x05, 0x05, false}, STAG_CHECKS, {0x02, 0x06, 0x06, true}},
    [FAULT_RV_UNTAGGED] = {{0x02, 0x05, 0x05, false}, NO_BUFFER},
    [FAULT_RV_READ] = {{0x02, 0x05, 0x05, false}, NO_BUFFER},
    /* The opcode may be unknown to the receiver. */
    [FAULT_RV_EXTENSION] = {{0x02, 0x05, 0x06, false}, {0x02, 0xFF, 0xFF, false}, {0x12, 0x01, 0x01, false}, NO_BUFFER},
    [FAULT_READ_LENGTH] = {ANY_OF(0, 1), ANY_OF(0, 2), ANY_OF(1, 0), ANY_OF(1, 2)},
    [FAULT_READ_WRAP] = {{0x01, 0x04, 0x04, false},
                         {0x01, 0x00, 0x00, false},
                         {0x01, 0x02, 0x03, false},
                         {0x01, 0xFF, 0xFF, false},
                         {0x12, 0x02, 0x03, false},
                         {0x01, 0x01, 0x01, true}},
    /* Section 5.2.2 names no code for this fault: any code is acceptable unless it blames something correct. */
    [FAULT_READ_RESPONSE] = {{0x02, 0x06, ANY_CODE, false}, ANY_OF(0, 1), ANY_OF(1, 0), {0x11, 0x00, 0x03, false}},
    [FAULT_IMMEDIATE_LENGTH] = {ANY_OF(0, 2), {0x12, 0x01, 0x05, false}},
    [FAULT_ATOMIC_LENGTH] = {ANY_OF(0, 1), ANY_OF(0, 2), ANY_OF(1, 0), ANY_OF(1, 2)},
    [FAULT_ATOMIC_OPCODE] = {ANY_OF(0, 1), ANY_OF(0, 2), {0x12, 0x01, 0x03, false}},
    [FAULT_ATOMIC_RESPONSE] = {ANY_OF(0, 2), {0x12, 0x01, 0x05, false}},
    [FAULT_INVALIDATED_WRITE] = {{0x11, 0x00, 0x03, false}, {0x01, 0x02, 0x02, false}},
    [FAULT_INVALIDATED_READ] = {{0x01, 0x00, 0x04, false}, {0x01, 0xFF, 0xFF, false}, {0x12, 0x02, 0x03, false}},
};

enum fault_answer rdmap_fault_answer(enum fault_kind kind, const struct rdmap_terminate *terminate)
{
    uint8_t layer_etype = (uint8_t)(terminate->layer << 4 | terminate->etype);

    if (!rdmap_terminate_defined(terminate))
        return ANSWER_ELSEWHERE;
    for (unsigned i = 0; i < ANSWERS_MAX && answers[kind][i].layer_etype != 0; i++) {
        const struct answer *answer = &answers[kind][i];

        if (answer->layer_etype == layer_etype && terminate->code >= answer->from && terminate->code <= answer->to)
            return answer->tolerated ? ANSWER_TOLERATED : ANSWER_RIGHT;
    }
    if (!terminate->has_ddp)
        return ANSWER_WRONG;
    if (rdmap_terminate_is(terminate, RDMAP_LAYER_RDMA, 1) && terminate->ddp.tagged)
        return ANSWER_ELSEWHERE; /* RDMAP-4.8-46 */
    if (terminate->layer == RDMAP_LAYER_DDP && terminate->etype != 0 &&
        terminate->ddp.tagged != (terminate->etype == 1))
        return ANSWER_ELSEWHERE; /* DDP-7.2-15 */
    return ANSWER_WRONG;
}

/* ---- what receivers count ---- */

void rdmap_fault_hole(struct rdmap_connection *rdmap, unsigned side)
{
    struct rdmap_reaction_state *state = rdmap->reaction;

    state->started[side] = true;
    memset(state->msn[side], 0, sizeof state->msn[side]);
    state->n_invalidated[other_side(side)] = 0;
}

void rdmap_fault_readvertise(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned peer = other_side(step->side), kept = 0;

    if (state->n_invalidated[peer] == 0 || step->ddp->opcode == RDMAP_READ_REQUEST ||
        step->ddp->opcode == RDMAP_READ_RESPONSE)
        return;
    for (unsigned i = 0; i < state->n_invalidated[peer]; i++)
        if (step->acked_known && step->acked < state->invalidated[peer][i].end)
            state->invalidated[peer][kept++] = state->invalidated[peer][i];
    state->n_invalidated[peer] = kept;
    INVARIANT(kept <= INVALIDATED_MAX);
}

static void note_invalidated(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned n = state->n_invalidated[step->side];

    /* The capture has already shown what the peer sent after the invalidation. */
    if (reaction_acked(&rdmap->side[other_side(step->side)], reaction_end_of(step)))
        return;
    if (n == INVALIDATED_MAX) {
        memmove(&state->invalidated[step->side][0], &state->invalidated[step->side][1],
                (INVALIDATED_MAX - 1) * sizeof state->invalidated[0][0]);
        n--;
    }
    state->invalidated[step->side][n].stag = step->ddp->stag;
    state->invalidated[step->side][n].end = reaction_end_of(step);
    state->invalidated[step->side][n].frame = step->fpdu->place.frame;
    state->n_invalidated[step->side] = n + 1;
    INVARIANT(n < INVALIDATED_MAX);
}

static bool is_invalidated(const struct rdmap_connection *rdmap, const struct rdmap_step *step, uint32_t stag)
{
    const struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned side = step->side;

    /* The STag may have been advertised anew later in the capture. */
    if (step->acked_known && step->acked > rdmap->side[other_side(side)].end)
        return false;
    for (unsigned i = 0; i < state->n_invalidated[side]; i++)
        if (state->invalidated[side][i].stag == stag)
            return true;
    return false;
}

static enum fault_kind msn_fault(const struct msn_track *track, const struct ddp_segment *ddp)
{
    uint32_t back = track->next - ddp->msn, ahead = ddp->msn - track->next;

    if (back != 0 && back <= track->complete)
        return FAULT_MSN_REPEATED;
    if (ahead >= MSN_FAR && ahead < 0x80000000)
        return FAULT_MSN_FAR;
    return ahead != 0 && ahead < MSN_FAR && ddp->qn == DDP_QN_READ_REQUEST ? FAULT_MSN_GAP : FAULT_NONE;
}

/* begins: the segment is known to be the first of a message. */
static enum fault_kind mo_fault(const struct ddp_segment *ddp, bool begins)
{
    if (ddp->payload_len > 0 && ((begins && ddp->mo >= MO_FAR) || (uint64_t)ddp->mo + ddp->payload_len > UINT32_MAX))
        return FAULT_MO;
    return begins && ddp->mo != 0 && ddp->qn == DDP_QN_READ_REQUEST ? FAULT_MO_READ : FAULT_NONE;
}

/* Judges MSN and MO against the queue, and then advances the queue. */
static enum fault_kind queue_fault(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    const struct ddp_segment *ddp = step->ddp;
    struct msn_track *track = &state->msn[step->side][ddp->qn];
    enum fault_kind kind = FAULT_NONE;
    bool begins;

    INVARIANT(ddp->qn < DDP_QUEUES);
    if (!state->started[step->side]) {
        state->started[step->side] = true;
        for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
            state->msn[step->side][qn] = (struct msn_track){.known = rdmap->side[step->side].from_start, .next = 1};
    }
    begins = track->known && (!track->open || ddp->msn != track->open_msn);
    if (begins && ddp->payload_len > 0)
        kind = msn_fault(track, ddp);
    if (kind == FAULT_MSN_REPEATED)
        return kind;
    if (kind == FAULT_NONE)
        kind = mo_fault(ddp, begins);
    track->known = true;
    track->open = !ddp->last;
    track->open_msn = ddp->msn;
    track->next = ddp->last ? ddp->msn + 1 : ddp->msn;
    track->complete += ddp->last;
    return kind;
}

/* ---- which faults ---- */

static bool dv_is_wrong(const struct rdmap_connection *rdmap, uint8_t dv)
{
    if (dv > 1)
        return true;
    if (!rdmap->parameters.startup_seen)
        return false;
    /* RFC 5044 Appendix C: the revision in effect decides, whichever kind of RNIC is expected. */
    return dv != (rdmap->parameters.revision == 0 ? 0 : 1);
}

static enum fault_kind ddp_fault(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (dv_is_wrong(rdmap, ddp->dv))
        return ddp->tagged ? FAULT_DV_TAGGED : FAULT_DV_UNTAGGED;
    if (ddp->tagged) /* a sum of exactly 2^64 still addresses only valid octets */
        return ddp->payload_len > 0 && ddp->to + ddp->payload_len < ddp->payload_len && ddp->to + ddp->payload_len != 0
                   ? FAULT_TO_WRAP
                   : FAULT_NONE;
    if (ddp->qn >= DDP_QUEUES)
        return ddp->payload_len > 0 ? FAULT_QN : FAULT_NONE;
    if (ddp->qn == DDP_QN_ATOMIC_RESPONSE && ddp->opcode != RDMAP_ATOMIC_RESPONSE && ddp->payload_len > 0)
        return FAULT_QN_ATOMIC;
    return queue_fault(rdmap, step);
}

/* The segment is tagged, or on the queue, as its opcode requires. */
static bool opcode_fits(const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (!step->info)
        return ddp->opcode == RDMAP_OPCODE_EXPERIMENTAL; /* the receiver may know it */
    return step->info->tagged == ddp->tagged && (ddp->tagged || ddp->qn == (uint32_t)step->info->queue);
}

static enum fault_kind header_fault(const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    bool extension = step->info && step->info->rfc_version_only;

    if (ddp->rv > 1 || (extension && ddp->rv == 0 && ddp->dv == 1)) {
        if (extension)
            return FAULT_RV_EXTENSION;
        return ddp->tagged ? FAULT_RV_TAGGED : ddp->opcode == RDMAP_READ_REQUEST ? FAULT_RV_READ : FAULT_RV_UNTAGGED;
    }
    if (opcode_fits(step))
        return FAULT_NONE;
    if (extension)
        return FAULT_OPCODE_EXTENSION;
    if (ddp->tagged)
        return FAULT_OPCODE_TAGGED;
    return ddp->qn == DDP_QN_READ_REQUEST ? FAULT_OPCODE_READ_QUEUE : FAULT_OPCODE_UNTAGGED;
}

static enum fault_kind read_request_fault(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_read_request read;

    if (!step->complete)
        return FAULT_NONE;
    if (step->content_len != RDMAP_READ_REQUEST_LEN ||
        !rdmap_read_request_decode(&read, step->content, step->content_len))
        return FAULT_READ_LENGTH;
    if (read.size > 0 && read.source_to + read.size < read.size && read.source_to + read.size != 0)
        return FAULT_READ_WRAP;
    return read.size > 0 && is_invalidated(rdmap, step, read.source_stag) ? FAULT_INVALIDATED_READ : FAULT_NONE;
}

static enum fault_kind atomic_request_fault(const struct rdmap_step *step)
{
    struct rdmap_atomic_request atomic;

    if (!step->complete)
        return FAULT_NONE;
    if (step->content_len != RDMAP_ATOMIC_REQUEST_LEN ||
        !rdmap_atomic_request_decode(&atomic, step->content, step->content_len))
        return FAULT_ATOMIC_LENGTH;
    return !rdmap_atomic_name(atomic.opcode) ? FAULT_ATOMIC_OPCODE : FAULT_NONE;
}

static enum fault_kind atomic_response_fault(const struct rdmap_step *step)
{
    if (!step->complete)
        return FAULT_NONE;
    if (step->content_len != RDMAP_ATOMIC_RESPONSE_LEN)
        return FAULT_ATOMIC_LENGTH;
    return step->match == RDMAP_MATCH_UNSOLICITED ? FAULT_ATOMIC_RESPONSE : FAULT_NONE;
}

/* Judges a complete message. */
static enum fault_kind message_fault(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    switch (step->ddp->opcode) {
    case RDMAP_WRITE:
        return step->ddp->payload_len > 0 && is_invalidated(rdmap, step, step->ddp->stag) ? FAULT_INVALIDATED_WRITE
                                                                                          : FAULT_NONE;
    case RDMAP_READ_RESPONSE:
        return step->match == RDMAP_MATCH_UNSOLICITED ? FAULT_READ_RESPONSE : FAULT_NONE;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        if (step->complete)
            note_invalidated(rdmap, step);
        return FAULT_NONE;
    case RDMAP_READ_REQUEST:
        return read_request_fault(rdmap, step);
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        return step->complete && step->content_len != RDMAP_IMMEDIATE_LEN ? FAULT_IMMEDIATE_LENGTH : FAULT_NONE;
    case RDMAP_ATOMIC_REQUEST:
        return atomic_request_fault(step);
    case RDMAP_ATOMIC_RESPONSE:
        return atomic_response_fault(step);
    default:
        return FAULT_NONE;
    }
}

enum fault_kind rdmap_fault_of(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    enum fault_kind kind;

    /* After a wrong length, octets that look like an FPDU may not be one, such as zeros with a CRC field of zero. */
    if (!step->ddp)
        return step->fpdu->crc == MPA_CRC_VERIFIED || step->fpdu->crc == MPA_CRC_NOT_USED ? FAULT_SHORT : FAULT_NONE;
    kind = ddp_fault(rdmap, step);
    if (kind == FAULT_NONE)
        kind = header_fault(step);
    if (kind == FAULT_NONE && step->message)
        kind = message_fault(rdmap, step);
    return kind;
}

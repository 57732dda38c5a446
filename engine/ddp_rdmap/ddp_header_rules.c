// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a single DDP Segment: RFC 5041 section 4, RFC 5040 sections 3.1 and 4.1, RFC 7306 section 4.
 *
 * Several wrong fields in a control octet usually have one cause, and then they are one finding: misplaced bits in
 * octet 0 are DDP-4.1-01; exchanged nibbles in octet 1 are RDMAP-4.1-02; a missing control octet is RDMAP-4-01, or
 * RDMAP-4.1-01 when it is at the other end of RsvdULP. MPA judges whether version 0 or 1 is right.
 */
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

static const struct {
    enum rule_id tagged, queue, word; /* word 0: the Invalidate STag or STag has a meaning */
    bool has_queue, has_word;
} opcode_rules[] = {
    [RDMAP_WRITE] = {.tagged = RULE_RDMAP_4_1_06},
    [RDMAP_READ_REQUEST] = {RULE_RDMAP_4_1_07, RULE_RDMAP_4_1_16, RULE_RDMAP_4_1_29, true, true},
    [RDMAP_READ_RESPONSE] = {.tagged = RULE_RDMAP_4_1_08},
    [RDMAP_SEND] = {RULE_RDMAP_4_1_09, RULE_RDMAP_4_1_17, RULE_RDMAP_4_1_29, true, true},
    [RDMAP_SEND_INVALIDATE] = {.tagged = RULE_RDMAP_4_1_10, .queue = RULE_RDMAP_4_1_18, .has_queue = true},
    [RDMAP_SEND_SE] = {RULE_RDMAP_4_1_11, RULE_RDMAP_4_1_19, RULE_RDMAP_4_1_29, true, true},
    [RDMAP_SEND_SE_INVALIDATE] = {.tagged = RULE_RDMAP_4_1_12, .queue = RULE_RDMAP_4_1_20, .has_queue = true},
    [RDMAP_TERMINATE] = {RULE_RDMAP_4_1_13, RULE_RDMAP_4_1_21, RULE_RDMAP_4_1_29, true, true},
    [RDMAP_IMMEDIATE] = {RULE_RDMAPX_4_1_05, RULE_RDMAPX_4_1_09, RULE_RDMAPX_4_1_03, true, true},
    [RDMAP_IMMEDIATE_SE] = {RULE_RDMAPX_4_1_06, RULE_RDMAPX_4_1_10, RULE_RDMAPX_4_1_03, true, true},
    [RDMAP_ATOMIC_REQUEST] = {RULE_RDMAPX_4_1_07, RULE_RDMAPX_4_1_11, RULE_RDMAPX_4_1_03, true, true},
    [RDMAP_ATOMIC_RESPONSE] = {RULE_RDMAPX_4_1_08, RULE_RDMAPX_4_1_12, RULE_RDMAPX_4_1_03, true, true},
};

/* DV and RV are 1, except on RDMAC connections. */
static bool version_usual(const struct rdmap_connection *rdmap, uint8_t version)
{
    return version == (rdmap->parameters.startup_seen && rdmap->parameters.revision == 0 ? 0 : 1);
}

/*
 * The type (enum mpa_rtr) of a zero-length message at the place of the RTR of RFC 6581 section 9.2. MPA judges whether
 * both ends agreed on this type and, if so, the fields of the message. 0: not an RTR of any type.
 */
static unsigned header_rtr_type(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct mpa_parameters *parameters = &rdmap->parameters;
    const struct ddp_segment *ddp = step->ddp;
    struct rdmap_read_request read;

    if (step->fpdu->number != 0 || step->fpdu->after_resync || !parameters->startup_seen || !parameters->peer_to_peer ||
        parameters->initiator_side != (int)step->side)
        return 0;
    switch (ddp->opcode) {
    case RDMAP_SEND:
        return ddp->payload_len == 0 ? MPA_RTR_SEND : 0;
    case RDMAP_WRITE:
        return ddp->payload_len == 0 ? MPA_RTR_WRITE : 0;
    case RDMAP_READ_REQUEST:
        /* MPA knows no more about a cut segment either. */
        return rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len) && (read.size == 0 || ddp->lacking > 0)
                   ? MPA_RTR_READ
                   : 0;
    default:
        return 0;
    }
}

void ddp_judge_no_header(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct mpa_fpdu *fpdu = &step->fpdu->fpdu;
    bool tagged = fpdu->ulpdu_length > 0 && (fpdu->ulpdu[0] & 0x80);

    if (fpdu->ulpdu_length == 0) { /* MPA-3-07 */
        step->faulty = true;
        return;
    }
    if (fpdu->ulpdu_length == 1)
        rdmap_fail(rdmap, step, RULE_DDP_4_4_01, 0,
                   "expected a DDP header of 14 or 18 octets; found a ULPDU of 1 octet (%02x)", fpdu->ulpdu[0]);
    else
        rdmap_fail(rdmap, step, tagged ? RULE_DDP_4_2_01 : RULE_DDP_4_3_01, 0,
                   "expected %u octets of %s header after control octets %02x %02x; found ULPDU_Length %u",
                   tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN, tagged ? "Tagged" : "Untagged",
                   fpdu->ulpdu[0], fpdu->ulpdu[1], fpdu->ulpdu_length);
}

static bool tagged_wrong(const struct rdmap_step *step)
{
    return step->info && step->info->tagged != step->ddp->tagged;
}

/* True when octet 1 makes sense with its nibbles exchanged: RV 1, Rsv 0 and an opcode that fits the rest. */
static bool nibbles_exchanged(const struct ddp_segment *ddp, const uint8_t *octets)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(octets[1] >> 4);

    return (octets[1] & 0x0F) == 0x04 && info && info->tagged == ddp->tagged &&
           (ddp->tagged || ddp->qn == (uint32_t)info->queue);
}

/* Octet 5 of RsvdULP looks like the control octet of a message that belongs on this queue. */
static bool control_at_end(const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->stag & 0x0F);

    return ddp->stag >> 4 == 0x04 && info && !info->tagged && ddp->qn == (uint32_t)info->queue;
}

/* Reports faults of both control octets that are a single fault; true when there was one. */
static bool judge_layout(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    const uint8_t *octets = step->fpdu->fpdu.ulpdu;

    if (tagged_wrong(step) + !version_usual(rdmap, ddp->dv) + (ddp->rsvd != 0) >= 2) {
        rdmap_fail(rdmap, step, RULE_DDP_4_1_01, 0,
                   "expected T, L, Rsvd = 0 and DV = 1 from the highest bit of octet 0 on; found that octet 0 is %02x "
                   "(opcode %u)",
                   octets[0], ddp->opcode);
        return true;
    }
    if (!version_usual(rdmap, ddp->rv) && ddp->rdmap_rsv != 0 && nibbles_exchanged(ddp, octets)) {
        rdmap_fail(rdmap, step, RULE_RDMAP_4_1_02, 0,
                   "expected RV, Rsv and Opcode from the highest bit of octet 1 on (%u%x); found that octet 1 is %02x",
                   octets[1] & 0xFu, octets[1] >> 4u, octets[1]);
        return true;
    }
    if (octets[1] == 0 && !ddp->tagged && version_usual(rdmap, ddp->dv)) {
        rdmap_fail(rdmap, step, control_at_end(ddp) ? RULE_RDMAP_4_1_01 : RULE_RDMAP_4_01, 0,
                   "expected the RDMAP control octet in the first octet of RsvdULP; found RsvdULP beginning with 00 "
                   "(RsvdULP 00 %02x %02x %02x %02x, QN %u)",
                   octets[2], octets[3], octets[4], octets[5], ddp->qn);
        return true;
    }
    return false;
}

/* A wrong version that persists is reported once. */
static bool version_reported(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    uint8_t bit = (uint8_t)(1u << (step->ddp->dv > 1 ? step->ddp->dv : 4 + step->ddp->rv));
    bool reported = rdmap->version_wrong[step->side] & bit;

    rdmap->version_wrong[step->side] |= bit;
    return reported;
}

static void judge_versions(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (ddp->dv > 1) {
        if (!version_reported(rdmap, step))
            rdmap_fail(rdmap, step, RULE_DDP_4_1_12, 0, "expected DV 1; found DV %u (octet 0 is %02x)", ddp->dv,
                       step->fpdu->fpdu.ulpdu[0]);
        step->faulty = true;
    }
    if (ddp->rv > 1) {
        if (ddp->dv > 1 || !version_reported(rdmap, step))
            rdmap_fail(rdmap, step, RULE_RDMAP_4_1_23, 0, "expected RV 0 or 1; found RV %u (octet 1 is %02x)", ddp->rv,
                       step->fpdu->fpdu.ulpdu[1]);
        step->faulty = true;
    } else if (rdmap_opcode_too_new(ddp)) {
        rdmap_fail(rdmap, step, RULE_RDMAPX_4_1_01, 0, "expected RV 1 in %s; found RV 0 (octet 1 is %02x)",
                   step->info->name, step->fpdu->fpdu.ulpdu[1]);
    }
}

/*
 * RDMAP-4.1-24: one RV throughout a direction. If startup frames were captured, MPA knows which version is right and
 * has reported the wrong one; otherwise only the change is wrong.
 */
static void judge_version_change(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    uint8_t rv = step->ddp->rv;

    if (rv > 1)
        return;
    if (s->rv_known && s->rv == rv)
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_1_24);
    else if (s->rv_known && !rdmap->parameters.startup_seen && step->ddp->dv == rv)
        rdmap_fail(rdmap, step, RULE_RDMAP_4_1_24, 0,
                   "expected RV %u, as in all earlier messages; found RV %u after messages with RV %u", s->rv, rv,
                   s->rv);
    s->rv_known = true;
    s->rv = rv;
}

static void judge_reserved(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    const uint8_t *octets = step->fpdu->fpdu.ulpdu;

    if (ddp->rsvd != 0)
        rdmap_blemish(rdmap, step, RULE_DDP_4_1_10, "expected Rsvd 0; found Rsvd %u (octet 0 is %02x)", ddp->rsvd,
                      octets[0]);
    if (ddp->rdmap_rsv != 0)
        rdmap_blemish(rdmap, step, RULE_RDMAP_4_1_26, "expected Rsv 0; found Rsv %u (octet 1 is %02x)", ddp->rdmap_rsv,
                      octets[1]);
}

static void judge_opcode(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    if (!step->info)
        rdmap_fail_as(rdmap, step, RULE_RDMAP_4_1_14,
                      ddp->opcode == RDMAP_OPCODE_EXPERIMENTAL ? SEVERITY_WARNING : SEVERITY_ERROR, 0,
                      "expected an opcode from 0 to 11; found opcode %u%s", ddp->opcode,
                      ddp->opcode == RDMAP_OPCODE_EXPERIMENTAL ? " (experimental)" : "");
    else if (tagged_wrong(step))
        rdmap_fail(rdmap, step, opcode_rules[ddp->opcode].tagged, 0,
                   "expected T = %u in %s (opcode %u); found T = %u with opcode %u (%s)", step->info->tagged,
                   step->info->name, ddp->opcode, ddp->tagged, ddp->opcode, step->info->name);
}

static enum rule_id queue_rule(const struct ddp_segment *ddp)
{
    if (ddp->qn >= DDP_QUEUES)
        return RULE_RDMAP_3_1_05;
    if (ddp->qn == DDP_QN_ATOMIC_RESPONSE && rdmap_is_send(ddp->opcode))
        return RULE_RDMAPX_4_02;
    if (ddp->qn == DDP_QN_TERMINATE)
        return RULE_RDMAP_3_1_04;
    return opcode_rules[ddp->opcode].queue;
}

/* DDP-4.3-09: with another QN, the segment would continue an open message. */
static bool leaves_its_queue(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct rdmap_side *s = &rdmap->side[step->side];
    const struct ddp_queue *home = &s->queue[step->info->queue];

    return home->open && step->ddp->mo != 0 && step->ddp->mo == home->message->next &&
           step->ddp->msn == home->message->msn && (step->ddp->qn >= DDP_QUEUES || !s->queue[step->ddp->qn].open);
}

/* Returns the queue that the segment counts for, or DDP_QUEUES when unknown. */
static unsigned judge_queue(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    unsigned queue = (unsigned)step->info->queue;

    if (ddp->qn == queue)
        return queue;
    if (leaves_its_queue(rdmap, step)) {
        rdmap_fail(rdmap, step, RULE_DDP_4_3_09, rdmap->side[step->side].queue[queue].message->last.frame,
                   "expected QN %u in all segments of a message (MSN %u, MO %u); found QN %u in the segment with MO %u",
                   queue, ddp->msn, ddp->mo, ddp->qn, ddp->mo);
        return queue;
    }
    if (step->rtr)
        return DDP_QUEUES;
    rdmap_fail(rdmap, step, queue_rule(ddp), 0, "expected QN %u for %s (opcode %u); found QN %u with opcode %u (%s)",
               queue, step->info->name, ddp->opcode, ddp->qn, ddp->opcode, step->info->name);
    return DDP_QUEUES;
}

static void header_judge_word(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    if (!opcode_rules[step->ddp->opcode].has_word)
        return;
    if (step->ddp->stag == 0)
        verdict_passed(rdmap->verdict, opcode_rules[step->ddp->opcode].word);
    else
        rdmap_blemish(rdmap, step, opcode_rules[step->ddp->opcode].word,
                      "expected 0 in place of the Invalidate STag in %s; found 0x%08x in place of the Invalidate STag",
                      step->info->name, step->ddp->stag);
}

static void pass_usual(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct verdict *v = rdmap->verdict;

    VERDICT_PASSED(v, RULE_DDP_4_1_01, RULE_DDP_4_1_10, RULE_DDP_4_4_01, RULE_RDMAP_4_01, RULE_RDMAP_4_1_01,
                   RULE_RDMAP_4_1_02, RULE_RDMAP_4_1_14, RULE_RDMAP_4_1_23, RULE_RDMAP_4_1_26,
                   step->ddp->tagged ? RULE_DDP_4_2_01 : RULE_DDP_4_3_01, opcode_rules[step->ddp->opcode].tagged);
    if (step->ddp->dv == 1)
        verdict_passed(v, RULE_DDP_4_1_12);
    if (step->info->rfc_version_only)
        verdict_passed(v, RULE_RDMAPX_4_1_01);
}

/* DDP-3-08: decided once per connection, by whether the LLP protects the segments. */
static void judge_digest(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    if (rdmap->crc_noted || rdmap->parameters.crc == UNKNOWN || rdmap->parameters.midstream)
        return;
    rdmap->crc_noted = true;
    if (rdmap->parameters.crc == ON)
        verdict_passed(rdmap->verdict, RULE_DDP_3_08);
    else
        rdmap_fail_at_as(
            rdmap, &step->fpdu->place, RULE_DDP_3_08, SEVERITY_NOTE, 0,
            "expected a digest no weaker than CRC32c under DDP; found that both ends agreed to use no digest");
}

void ddp_judge_header(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    unsigned type;

    judge_digest(rdmap, step);
    if (rdmap_control_plausible(ddp) && !rdmap_opcode_too_new(ddp)) {
        pass_usual(rdmap, step);
    } else if (!judge_layout(rdmap, step)) {
        judge_reserved(rdmap, step);
        judge_versions(rdmap, step);
        judge_opcode(rdmap, step);
    } else {
        return;
    }
    judge_version_change(rdmap, step);
    if (!step->info || tagged_wrong(step))
        return;
    type = header_rtr_type(rdmap, step);
    step->rtr = type & rdmap->parameters.rtr;
    step->set_up = type != 0;
    if (!ddp->tagged) {
        step->qn = judge_queue(rdmap, step);
        INVARIANT(step->qn <= DDP_QUEUES);
        if (step->qn == DDP_QUEUES)
            return;
        if (ddp->qn == step->qn) {
            verdict_passed(rdmap->verdict, opcode_rules[ddp->opcode].queue);
            if (ddp->qn == DDP_QN_TERMINATE)
                verdict_passed(rdmap->verdict, RULE_RDMAP_3_1_04);
            else if (ddp->qn == DDP_QN_ATOMIC_RESPONSE)
                verdict_passed(rdmap->verdict, RULE_RDMAPX_4_02);
            verdict_passed(rdmap->verdict, RULE_RDMAP_3_1_05);
        }
        header_judge_word(rdmap, step);
    }
    step->sound = true;
    INVARIANT(step->info && step->info->tagged == step->ddp->tagged && (step->ddp->tagged || step->qn < DDP_QUEUES));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Terminate Header alone: RFC 5040 section 4.8 (Figures 7 to 10), RFC 5041 section 7.2. rdmap_terminate_culprit.c
 * judges what the Terminate says about the reported segment.
 *
 * mpa_terminate_rules.c judges Terminates about MPA (layer 2, error type 0): their codes, and for codes 5 to 7 their
 * whole shape.
 */
#include "engine/ddp_rdmap/rdmap_reaction.h"

#include <stdio.h>

enum { CONTROL_LEN = 4, SEGMENT_LENGTH_LEN = 2, CODE_LAST_OF_5044 = 4, CODE_LAST_OF_6581 = 7 };

/* ---- the parts that the control word announces ---- */

/* D = 1, but the DDP Header begins where DDP Segment Length should be. */
static bool length_left_out(const struct rdmap_step *step, const struct rdmap_terminate *terminate)
{
    size_t parts = step->content_len - CONTROL_LEN;
    struct ddp_segment ddp;

    if (!terminate->d)
        return false;
    parts -= terminate->r && parts > RDMAP_READ_REQUEST_LEN ? RDMAP_READ_REQUEST_LEN : 0;
    return ddp_segment_decode(&ddp, step->content + CONTROL_LEN, parts) && ddp.header_len == parts &&
           ddp.dv == step->ddp->dv && rdmap_opcode_info(ddp.opcode);
}

/* A part that M, D or R announces is missing, wholly or partly. */
static void judge_cut(struct rdmap_connection *rdmap, struct rdmap_step *step, const struct rdmap_terminate *terminate)
{
    size_t n = step->content_len - CONTROL_LEN;
    const uint8_t *p = step->content;

    if (length_left_out(step, terminate)) {
        rdmap_fail(rdmap, step, RULE_RDMAP_4_8_31, 0,
                   "expected DDP Segment Length between control word and DDP Header; found control word "
                   "%02x%02x%02x%02x with the DDP Header right after it (%02x%02x...)",
                   p[0], p[1], p[2], p[3], p[4], p[5]);
    } else if (!terminate->has_length) {
        rdmap_fail(rdmap, step, terminate->d ? RULE_RDMAP_4_8_31 : RULE_RDMAP_4_8_32, 0,
                   "expected DDP Segment Length after a control word with M = %u, D = %u; found %zu octets after the "
                   "control word",
                   terminate->m, terminate->d, n);
    } else if (!terminate->has_ddp && terminate->d) {
        n -= SEGMENT_LENGTH_LEN;
        rdmap_fail(rdmap, step, n == 0 ? RULE_RDMAP_4_8_35 : RULE_RDMAP_4_8_32, 0,
                   "expected a DDP Header of 14 or 18 octets (D = 1); found %zu octets of a DDP Header", n);
    } else {
        n -= (terminate->has_length ? SEGMENT_LENGTH_LEN : 0) + (terminate->has_ddp ? terminate->ddp.header_len : 0u);
        rdmap_fail(rdmap, step, RULE_RDMAP_4_8_37, 0,
                   "expected an RDMA Read Request Header of 28 octets (R = 1); found %zu octets of an RDMA Read "
                   "Request Header",
                   n);
    }
}

/* Octets after the announced parts. Zeros are the parts "set to zero" of section 7.1. */
static void judge_trailing(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_terminate *terminate)
{
    bool bare = !terminate->m && !terminate->d && !terminate->r;
    bool nowhere =
        terminate->layer == RDMAP_LAYER_LLP || (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0);
    size_t first = 0;
    bool zero;

    while (first < terminate->trailing_len && terminate->trailing[first] == 0)
        first++;
    zero = first == terminate->trailing_len;
    verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_32);
    if (zero && step->content_len <= RDMAP_TERMINATE_LEN_MAX)
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_2_03);
    else
        rdmap_fail(rdmap, step, bare && !zero && nowhere ? RULE_RDMAP_7_1_03 : RULE_RDMAP_4_2_03, 0,
                   "expected %zu octets of Terminate Header for M = %u, D = %u, R = %u; found a Terminate with %zu "
                   "more octets (%02x%s)",
                   step->content_len - terminate->trailing_len, terminate->m, terminate->d, terminate->r,
                   terminate->trailing_len, terminate->trailing[zero ? 0 : first],
                   terminate->trailing_len > 1 ? "..." : "");
}

static void judge_parts(struct rdmap_connection *rdmap, struct rdmap_step *step,
                        const struct rdmap_terminate *terminate, enum rdmap_terminate_status status)
{
    struct verdict *v = rdmap->verdict;

    if (status == RDMAP_TERMINATE_CUT) {
        judge_cut(rdmap, step, terminate);
        return;
    }
    verdict_passed(v, RULE_RDMAP_4_8_01);
    if (terminate->d) {
        verdict_passed(v, RULE_RDMAP_4_8_31);
        verdict_passed(v, RULE_RDMAP_4_8_35);
    }
    if (terminate->r)
        verdict_passed(v, RULE_RDMAP_4_8_37);
    judge_trailing(rdmap, step, terminate);
}

/* ---- Layer, EType and Error Code ---- */

static enum rule_id undefined_rule(const struct rdmap_terminate *terminate)
{
    switch (terminate->layer) {
    case RDMAP_LAYER_RDMA:
        return terminate->etype == 1   ? RULE_RDMAP_4_8_20
               : terminate->etype == 2 ? RULE_RDMAP_4_8_21
                                       : RULE_RDMAP_4_8_03;
    case RDMAP_LAYER_DDP:
        return terminate->etype == 0 ? RULE_DDP_7_2_02 : terminate->etype == 3 ? RULE_DDP_7_2_14 : RULE_DDP_7_2_01;
    case RDMAP_LAYER_LLP:
        return terminate->etype == 0 ? RULE_COUNT : RULE_RDMAP_4_8_03; /* MPA judges its own codes */
    default:
        return RULE_RDMAP_4_8_04;
    }
}

static void terminate_judge_code(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                 const struct rdmap_terminate *terminate)
{
    static const char *const defined[] = {
        [RDMAP_LAYER_RDMA] = "0/0 with any code, 0/1 with 00 to 04, 09 or ff, or 0/2 with 05 to 09 or ff",
        [RDMAP_LAYER_DDP] = "1/0 with 00, 1/1 with 00 to 04, or 1/2 with 01 to 06",
        [RDMAP_LAYER_LLP] = "2/0 (MPA)",
    };
    struct verdict *v = rdmap->verdict;
    bool known = rdmap_terminate_defined(terminate) && (terminate->layer != RDMAP_LAYER_DDP || terminate->etype != 3);
    enum rule_id rule = undefined_rule(terminate);

    if (rule == RULE_COUNT && !known)
        return;
    if (!known) {
        rdmap_fail(rdmap, step, rule, 0, "expected layer/error type %s; found layer/error type %u/%u with code %02x",
                   terminate->layer <= RDMAP_LAYER_LLP ? defined[terminate->layer] : "0, 1 or 2 / their error types",
                   terminate->layer, terminate->etype, terminate->code);
        return;
    }
    verdict_passed(v, RULE_RDMAP_4_8_03);
    verdict_passed(v, RULE_RDMAP_4_8_04);
    if (terminate->layer == RDMAP_LAYER_DDP) {
        verdict_passed(v, RULE_DDP_7_2_01);
        verdict_passed(v, RULE_DDP_7_2_14);
    }
    if (rule == RULE_RDMAP_4_8_20 || rule == RULE_RDMAP_4_8_21 || rule == RULE_DDP_7_2_02)
        verdict_passed(v, rule);
}

/* ---- M, D and R: Figure 10 and the text of 4.8 ---- */

/* The sender of the Terminate may be unable to name a segment, or have no reason to. */
static bool may_point_nowhere(const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_DDP)
        return terminate->etype == 0; /* Figure 10 and 4.8 disagree about the Local Catastrophic Error */
    return terminate->etype == 2 && (terminate->code == 7 || terminate->code == 8 || terminate->code == 0xFF);
}

/* Version and opcode errors: the sender of the Terminate cannot rely on the layout of the header. */
static bool layout_doubtful(const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_DDP)
        return (terminate->etype == 1 && terminate->code == 4) || (terminate->etype == 2 && terminate->code == 6);
    return terminate->etype == 2 && (terminate->code == 5 || terminate->code == 6);
}

static void fail_bits(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule,
                      enum rule_severity severity, const struct rdmap_terminate *terminate, const char *expected)
{
    rdmap_fail_as(rdmap, step, rule, severity, 0,
                  "expected %s in a Terminate %u/%u with code %02x; found M = %u, D = %u, R = %u", expected,
                  terminate->layer, terminate->etype, terminate->code, terminate->m, terminate->d, terminate->r);
}

static void fail_bits_rule(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule,
                           const struct rdmap_terminate *terminate, const char *expected)
{
    fail_bits(rdmap, step, rule, rule_catalogue[rule].severity, terminate, expected);
}

/* Neither header may be present. */
static void judge_bits_none(struct rdmap_connection *rdmap, struct rdmap_step *step,
                            const struct rdmap_terminate *terminate)
{
    bool local = terminate->layer == RDMAP_LAYER_RDMA;
    enum rule_id rule;

    if (!terminate->m && !terminate->d && !terminate->r) {
        verdict_passed(rdmap->verdict, local ? RULE_RDMAP_4_8_45 : RULE_RDMAP_4_8_49);
        if (local)
            verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_34);
        verdict_passed(rdmap->verdict, RULE_RDMAP_7_1_03);
        return;
    }
    rule = !local         ? RULE_RDMAP_4_8_49
           : terminate->d ? RULE_RDMAP_4_8_34
           : terminate->r ? RULE_RDMAP_7_1_03
                          : RULE_RDMAP_4_8_45;
    fail_bits_rule(rdmap, step, rule, terminate, "M = D = R = 0");
}

static void judge_length_bit(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_terminate *terminate)
{
    if (terminate->m)
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_25);
    else if (!may_point_nowhere(terminate))
        fail_bits_rule(rdmap, step, RULE_RDMAP_4_8_25, terminate, "M = 1");
}

static void judge_read_bit_of_ddp(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                  const struct rdmap_terminate *terminate)
{
    if (terminate->r)
        fail_bits_rule(rdmap, step, RULE_RDMAP_4_8_48, terminate, "R = 0");
    else if (terminate->m)
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_48);
}

/* Figure 10 requires R = 0 in a Remote Operation Error, 7.1(3) requires R = 1: both are accepted. */
static void judge_read_bit_of_read(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                   const struct rdmap_terminate *terminate)
{
    if (terminate->r) {
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_36);
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_27);
    } else if (terminate->etype == 1) {
        fail_bits_rule(rdmap, step, RULE_RDMAP_4_8_27, terminate, "R = 1 with the header of the RDMA Read Request");
        return;
    }
    if (terminate->etype == 2)
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_47);
}

/* No RDMA Read Request is echoed. */
static void judge_read_bit_of_other(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                    const struct rdmap_terminate *terminate)
{
    struct verdict *v = rdmap->verdict;
    uint8_t opcode = terminate->ddp.opcode;
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);
    bool extension = !terminate->ddp.tagged && info && info->rfc_version_only;

    if (!terminate->r) {
        verdict_passed(v, terminate->etype == 1 ? RULE_RDMAP_4_8_27 : RULE_RDMAP_4_8_47);
        if (extension)
            verdict_passed(v, RULE_RDMAPX_8_1_05);
    } else if (extension) {
        fail_bits_rule(rdmap, step, RULE_RDMAPX_8_1_05, terminate, "R = 0 for a message of RFC 7306");
    } else if (terminate->etype == 2) {
        fail_bits_rule(rdmap, step, RULE_RDMAP_4_8_47, terminate, "R = 0 as no RDMA Read Request is echoed");
    } else {
        /* Figure 10 alone would allow it for Send with Invalidate; the text of 4.8 does not. */
        bool figure = rdmap_invalidates(opcode);

        fail_bits(rdmap, step, RULE_RDMAP_4_8_36, figure ? SEVERITY_NOTE : SEVERITY_ERROR, terminate,
                  "R = 0 as no RDMA Read Request is echoed");
    }
}

static void judge_read_bit(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_DDP)
        judge_read_bit_of_ddp(rdmap, step, terminate);
    else if (!terminate->ddp.tagged && terminate->ddp.opcode == RDMAP_READ_REQUEST)
        judge_read_bit_of_read(rdmap, step, terminate);
    else
        judge_read_bit_of_other(rdmap, step, terminate);
}

static void judge_bits(struct rdmap_connection *rdmap, struct rdmap_step *step, const struct rdmap_terminate *terminate)
{
    if (terminate->layer == RDMAP_LAYER_LLP || (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0)) {
        judge_bits_none(rdmap, step, terminate);
        return;
    }
    if (!rdmap_terminate_defined(terminate))
        return; /* not in Figure 10 */
    if (!terminate->d && terminate->r) {
        fail_bits_rule(rdmap, step, RULE_RDMAP_4_8_27, terminate, "D = 1 where R = 1");
    } else if (!terminate->d) {
        if (!may_point_nowhere(terminate))
            fail_bits(rdmap, step, RULE_RDMAP_4_8_26, layout_doubtful(terminate) ? SEVERITY_NOTE : SEVERITY_WARNING,
                      terminate, "D = 1 with the header of the segment in error");
    } else {
        verdict_passed(rdmap->verdict, RULE_RDMAP_4_8_26);
        judge_length_bit(rdmap, step, terminate);
        judge_read_bit(rdmap, step, terminate);
    }
}

/* ---- the whole header ---- */

/*
 * The layout is proved by the headers after the word, or by other Terminates of the host; or no other reading is
 * defined.
 */
static void terminate_fail_layout(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                  const struct rdmap_terminate *terminate, const char *layout)
{
    const uint8_t *p = step->content;
    char why[80] = "it is defined only when it is read with";

    if (terminate->has_length)
        snprintf(why, sizeof why, "the %zu octets after it fit only when it is read with",
                 step->content_len - CONTROL_LEN);
    else if (terminate_layouts_get(&rdmap->host[step->side]) != 0)
        snprintf(why, sizeof why, "as in other Terminates of its host, it has");
    rdmap_fail(rdmap, step, RULE_RDMAP_4_8_02, 0,
               "expected Layer, EType, Error Code, M, D, R from the most significant bit on; found a Terminate with "
               "%02x %02x %02x "
               "%02x: %s %s, as layer %u, error type %u, code %02x, M = %u, D = %u, R = %u",
               p[0], p[1], p[2], p[3], why, layout, terminate->layer, terminate->etype, terminate->code, terminate->m,
               terminate->d, terminate->r);
}

/* MPA2-8-03 fixes every bit of these Terminates. */
static bool shape_is_judged_by_mpa(const struct rdmap_terminate *terminate)
{
    return terminate->layer == RDMAP_LAYER_LLP && terminate->etype == 0 && terminate->code > CODE_LAST_OF_5044 &&
           terminate->code <= CODE_LAST_OF_6581;
}

void rdmap_terminate_message(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_terminate *terminate, enum rdmap_terminate_status status,
                             const char *layout, const struct rdmap_recent *culprit)
{
    struct verdict *v = rdmap->verdict;
    const uint8_t *p = step->content;

    if (status == RDMAP_TERMINATE_SHORT) {
        rdmap_fail(rdmap, step, RULE_RDMAP_4_8_01, 0,
                   "expected a Terminate Header of 4 octets or more; found a Terminate Header of %zu octets",
                   step->content_len);
        return;
    }
    if (!layout) {
        if (status == RDMAP_TERMINATE_OK && terminate->has_ddp)
            verdict_passed(v, RULE_RDMAP_4_8_02);
    } else {
        terminate_fail_layout(rdmap, step, terminate, layout);
    }
    terminate_judge_code(rdmap, step, terminate);
    if (shape_is_judged_by_mpa(terminate))
        return;
    judge_parts(rdmap, step, terminate, status);
    if (terminate->reserved != 0)
        rdmap_blemish(rdmap, step, RULE_RDMAP_4_8_28,
                      "expected Reserved bits 0; found Reserved bits %04x (%02x %02x %02x %02x)", terminate->reserved,
                      p[0], p[1], p[2], p[3]);
    else
        verdict_passed(v, RULE_RDMAP_4_8_28);
    if (terminate->layer > RDMAP_LAYER_LLP)
        return;
    if (status == RDMAP_TERMINATE_OK)
        judge_bits(rdmap, step, terminate);
    if (terminate->has_ddp && (status == RDMAP_TERMINATE_OK || !length_left_out(step, terminate)))
        rdmap_terminate_judge_culprit(rdmap, step, terminate, culprit);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requirements of RFC 5040 section 8.1.1 and RFC 5042 whose violation a capture can hint at. A few values prove
 * nothing: a verdict needs a long series of STags from one side.
 */
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"
#include "wire/octets.h"

enum {
    KEY_BITS = 8,
    SPARSE_MIN = 0x10000,
    TLS_HANDSHAKE = 22,
    TLS_RECORD_HEADER = 5,
};

/*
 * Sink STags of RDMA Read Requests: each STag that differs from the previous one is a new allocation, as far as
 * visible. The low octet is often a key that counts the registrations of a single entry, so a series in which only the
 * low octet changes proves nothing.
 */
static void security_judge_sink(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t stag)
{
    struct rdmap_reaction_state *state = rdmap->reaction;
    unsigned side = step->side, n = state->n_sinks[side];
    uint32_t stride = stag - state->last_sink[side];

    if (state->sinks_reported[side] || (n > 0 && stride == 0))
        return;
    state->sinks_regular[side] = n < 2 || (state->sinks_regular[side] && stride == state->sink_stride[side]);
    state->sink_entries[side] |= n > 0 && (stag ^ state->last_sink[side]) >> KEY_BITS != 0;
    state->sink_stride[side] = stride;
    state->last_sink[side] = stag;
    state->highest_sink[side] = stag > state->highest_sink[side] ? stag : state->highest_sink[side];
    n = ++state->n_sinks[side];
    INVARIANT(n > 0 && state->highest_sink[side] >= stag);
    if (n < SINKS_WANTED || !state->sink_entries[side])
        return;
    state->sinks_reported[side] = true;
    if (state->sinks_regular[side]) {
        rdmap_fail(rdmap, step, RULE_RDMAP_8_1_1_08, 0,
                   "expected STags that are hard to predict; found %u STags in a row, each 0x%x above the one before, "
                   "up to 0x%08x",
                   n, stride, stag);
        return;
    }
    verdict_passed(rdmap->verdict, RULE_RDMAP_8_1_1_08);
    if (state->highest_sink[side] < SPARSE_MIN)
        rdmap_fail(rdmap, step, RULE_RDMAP_8_1_1_09, 0,
                   "expected STags spread over 32 bits; found %u STags in a row that are all below 0x10000", n);
    else
        verdict_passed(rdmap->verdict, RULE_RDMAP_8_1_1_09);
}

/* A TLS record that contains a whole handshake message. */
static bool is_tls(const uint8_t *p, size_t n)
{
    uint32_t record, handshake;

    if (n < TLS_RECORD_HEADER + 4 || p[0] != TLS_HANDSHAKE || p[1] != 3 || p[2] > 4 || (p[5] != 1 && p[5] != 2))
        return false;
    record = get_be16(p + 3);
    handshake = get_be24(p + 6);
    return handshake + 4 <= record && handshake >= 38;
}

static void judge_tls(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    if (rdmap->reaction->first_send_seen[step->side] || step->ddp->payload_len == 0)
        return;
    rdmap->reaction->first_send_seen[step->side] = true;
    if (is_tls(step->ddp->payload, step->ddp->payload_len))
        rdmap_fail(rdmap, step, RULE_SEC_5_4_2_01, 0,
                   "expected no TLS on top of RDMAP; found a TLS handshake record at the beginning of the first Send");
    else
        verdict_passed(rdmap->verdict, RULE_SEC_5_4_2_01);
}

void rdmap_security_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    uint8_t opcode = step->ddp->opcode;

    if (opcode == RDMAP_READ_REQUEST && step->operation && step->request)
        security_judge_sink(rdmap, step, step->operation->read.sink_stag);
    else if (rdmap_is_send(opcode))
        judge_tls(rdmap, step);
}

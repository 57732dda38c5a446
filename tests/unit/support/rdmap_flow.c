// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/rdmap_flow.h"

#include <stdlib.h>

static struct rdmap_flow *begin(const struct rdmap_options *options, bool (*keeps)(enum rule_id rule), uint8_t revision,
                                uint16_t ird, uint16_t ord)
{
    static const struct rdmap_options defaults = {.profile = PROFILE_IETF};
    struct rdmap_flow *t = calloc(1, sizeof *t);

    assert_non_null(t);
    findings_begin(&t->seen, keeps);
    t->time_ns = 1000000000;
    t->parameters = (struct mpa_parameters){.initiator_side = I,
                                            .startup_seen = true,
                                            .full_from = {FLOW_START, FLOW_START},
                                            .request_seen = true,
                                            .reply_seen = true,
                                            .revision = revision,
                                            .markers = {OFF, OFF},
                                            .crc = ON,
                                            .enhanced = revision > 1,
                                            .ird_ord_known = revision > 1,
                                            .ird = ird,
                                            .ord = ord};
    t->end[I] = t->end[R] = FLOW_START;
    for (unsigned qn = 0; qn < 4; qn++)
        t->msn[I][qn] = t->msn[R][qn] = 1;
    t->rdmap = rdmap_connection_new(options ? options : &defaults, NULL, &t->seen.verdict, NULL);
    assert_non_null(t->rdmap);
    flow_parameters(t);
    return t;
}

struct rdmap_flow *flow_new_with(const struct rdmap_options *options)
{
    return begin(options, findings_no_reaction, 2, 16, 16);
}

struct rdmap_flow *flow_new(void)
{
    return flow_new_with(NULL);
}

struct rdmap_flow *flow_new_reacting_with(const struct rdmap_options *options, uint8_t revision, uint16_t ird,
                                          uint16_t ord)
{
    return begin(options, NULL, revision, ird, ord);
}

void flow_parameters(struct rdmap_flow *t)
{
    rdmap_connection_parameters(t->rdmap, MPA_PHASE_FULL_OPERATION, &t->parameters);
}

void flow_free(struct rdmap_flow *t)
{
    rdmap_connection_free(t->rdmap);
    free(t);
}

/* ---- segments ---- */

void flow_step(struct rdmap_flow *t)
{
    t->frame++;
    t->time_ns += 1000000;
}

static struct place place_of(const struct rdmap_flow *t, unsigned side)
{
    return (struct place){.frame = t->frame,
                          .first_frame = t->frame,
                          .time_ns = t->time_ns,
                          .offset = t->end[side],
                          .side = (uint8_t)side};
}

static uint64_t received(const struct rdmap_flow *t, unsigned side)
{
    return t->end[1 - side] - t->unreceived;
}

static uint32_t ulpdu_acked(struct rdmap_flow *t, unsigned side, const uint8_t *p, size_t n, uint64_t acked)
{
    size_t length = (2 + n + 3) / 4 * 4 + 4;
    struct mpa_fpdu_event event = {.crc = MPA_CRC_VERIFIED,
                                   .direction = t->parameters.initiator_side < 0                 ? DIR_UNKNOWN
                                                : (unsigned)t->parameters.initiator_side == side ? DIR_TO_RESPONDER
                                                                                                 : DIR_TO_INITIATOR,
                                   .number = t->number[side]++,
                                   .after_resync = t->resync[side],
                                   .skipped = t->missing[side],
                                   .within = t->within[side]};

    assert_true(n <= sizeof t->last[side]);
    memmove(t->last[side], p, n);
    t->last_len[side] = (uint16_t)n;
    t->resync[side] = t->within[side] = false;
    t->missing[side] = 0;
    flow_step(t);
    event.place = place_of(t, side);
    event.fpdu = (struct mpa_fpdu){.offset = t->end[side],
                                   .header = t->end[side],
                                   .length = length,
                                   .ulpdu_length = (uint16_t)n,
                                   .ulpdu = t->last[side]};
    event.has_ddp = ddp_segment_decode(&event.ddp, t->last[side], n);
    rdmap_connection_acked(t->rdmap, side, !t->acked_unknown, acked);
    rdmap_connection_fpdu(t->rdmap, &event);
    t->end[side] += length;
    return t->frame;
}

uint32_t flow_segment_acked(struct rdmap_flow *t, unsigned side, struct ddp_segment segment, const void *payload,
                            size_t n, uint64_t acked)
{
    uint8_t ulpdu[FLOW_ULPDU_MAX];

    return ulpdu_acked(t, side, ulpdu, segment_octets(ulpdu, sizeof ulpdu, &segment, payload, n), acked);
}

uint32_t flow_segment(struct rdmap_flow *t, unsigned side, struct ddp_segment segment, const void *payload, size_t n)
{
    return flow_segment_acked(t, side, segment, payload, n, received(t, side));
}

uint32_t flow_untagged(struct rdmap_flow *t, unsigned side, uint8_t opcode, uint32_t qn, uint32_t stag,
                       const void *payload, size_t n)
{
    struct ddp_segment segment = untagged_segment(opcode, qn, t->msn[side][qn]++);

    segment.stag = stag;
    return flow_segment(t, side, segment, payload, n);
}

uint32_t flow_tagged(struct rdmap_flow *t, unsigned side, uint8_t opcode, uint32_t stag, uint64_t to, bool last,
                     const void *payload, size_t n)
{
    struct ddp_segment segment = tagged_segment(opcode, stag, to);

    segment.last = last;
    return flow_segment(t, side, segment, payload, n);
}

/* ---- messages ---- */

uint32_t flow_send(struct rdmap_flow *t, unsigned side, size_t n)
{
    return flow_untagged(t, side, RDMAP_SEND, DDP_QN_SEND, 0, NULL, n);
}

uint32_t flow_write(struct rdmap_flow *t, unsigned side, uint32_t stag, uint64_t to, const void *payload, size_t n)
{
    return flow_tagged(t, side, RDMAP_WRITE, stag, to, true, payload, n);
}

uint32_t flow_read_request(struct rdmap_flow *t, unsigned side, struct rdmap_read_request read)
{
    uint8_t header[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read, header, sizeof header);
    return flow_untagged(t, side, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

uint32_t flow_read(struct rdmap_flow *t, unsigned side, uint32_t sink_stag, uint64_t sink_to, uint32_t size)
{
    return flow_read_request(
        t, side,
        (struct rdmap_read_request){
            .sink_stag = sink_stag, .sink_to = sink_to, .size = size, .source_stag = 0x5000, .source_to = 0x100});
}

uint32_t flow_response(struct rdmap_flow *t, unsigned side, uint32_t stag, uint64_t to, size_t n, bool last)
{
    return flow_tagged(t, side, RDMAP_READ_RESPONSE, stag, to, last, NULL, n);
}

uint32_t flow_atomic(struct rdmap_flow *t, unsigned side, struct rdmap_atomic_request atomic)
{
    uint8_t header[RDMAP_ATOMIC_REQUEST_LEN];

    rdmap_atomic_request_encode(&atomic, header, sizeof header);
    return flow_untagged(t, side, RDMAP_ATOMIC_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

uint32_t flow_original(struct rdmap_flow *t, unsigned side, uint32_t identifier, uint64_t original)
{
    struct rdmap_atomic_response response = {.identifier = identifier, .original = original};
    uint8_t header[RDMAP_ATOMIC_RESPONSE_LEN];

    rdmap_atomic_response_encode(&response, header, sizeof header);
    return flow_untagged(t, side, RDMAP_ATOMIC_RESPONSE, DDP_QN_ATOMIC_RESPONSE, 0, header, sizeof header);
}

/* ---- Terminates ---- */

uint32_t flow_terminate_octets(struct rdmap_flow *t, unsigned side, const uint8_t *p, size_t n)
{
    return flow_untagged(t, side, RDMAP_TERMINATE, DDP_QN_TERMINATE, 0, p, n);
}

uint32_t flow_terminate_as(struct rdmap_flow *t, unsigned side, struct rdmap_terminate terminate)
{
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX];
    size_t n = rdmap_terminate_encode(&terminate, payload, sizeof payload);

    assert_true(n > 0);
    return flow_terminate_octets(t, side, payload, n);
}

/* ---- time, holes, ends ---- */

void flow_hole(struct rdmap_flow *t, unsigned side, size_t n)
{
    t->end[side] += n;
    t->resync[side] = true;
    t->missing[side] += n;
    rdmap_connection_skipped(t->rdmap, side);
}

void flow_end(struct rdmap_flow *t, unsigned side, bool reset)
{
    struct place place;

    flow_step(t);
    place = place_of(t, side);
    rdmap_connection_acked(t->rdmap, side, !t->acked_unknown, received(t, side));
    rdmap_connection_end(t->rdmap, side, reset, &place);
}

void flow_finish(struct rdmap_flow *t)
{
    rdmap_connection_finish(t->rdmap, t->time_ns);
}

void flow_close(struct rdmap_flow *t, unsigned first)
{
    flow_end(t, first, false);
    flow_end(t, 1 - first, false);
    flow_finish(t);
}

/* ---- the outcome ---- */

void flow_expect_one(struct rdmap_flow *t, enum rule_id rule, enum rule_severity severity, uint32_t frame)
{
    findings_expect_one(&t->seen, rule, severity, frame);
    flow_free(t);
}

void flow_expect(struct rdmap_flow *t, int side, const char *ids, const char *name)
{
    findings_expect(&t->seen, side, ids, name);
    flow_free(t);
}

void flow_expect_nothing(struct rdmap_flow *t)
{
    flow_expect(t, -1, "", "found");
}

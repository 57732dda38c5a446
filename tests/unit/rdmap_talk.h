/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation fed to the DDP and RDMAP layers by hand: one call per FPDU. MSNs count up by themselves; whoever sends
 * has received all that the other side sent before, unless told otherwise. Findings are recorded, but for those of
 * reactions, which have tests of their own: the other side mostly goes on here as if nothing had happened.
 */
#ifndef IWARP_TESTS_UNIT_RDMAP_TALK_H
#define IWARP_TESTS_UNIT_RDMAP_TALK_H

#include "engine/rdmap.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { I = 0, R = 1 }; /* the sides: Initiator, Responder */

enum { TALK_FINDINGS_MAX = 32, TALK_ULPDU_MAX = 2048 };

struct talk {
    struct rdmap_connection *rdmap;
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    struct finding findings[TALK_FINDINGS_MAX];
    unsigned n_findings;
    uint32_t frame;
    int64_t time_ns;
    uint64_t end[2];     /* stream offset behind the last FPDU */
    uint64_t number[2];  /* FPDUs */
    uint32_t msn[2][4];  /* next one, by queue */
    bool acked_unknown;  /* no ACK numbers are known */
    uint64_t unreceived; /* octets of the other side's that the sender has not received */
    bool resync;         /* the next FPDU comes behind a hole */
    struct mpa_parameters parameters;
};

static void talk_finding(void *ctx, const struct finding *finding)
{
    struct talk *t = ctx;

    if (rule_catalogue[finding->rule].observe == OBSERVE_REACTION)
        return;
    if (t->n_findings < TALK_FINDINGS_MAX)
        t->findings[t->n_findings] = *finding;
    t->n_findings++;
}

static inline struct talk *talk_new_with(const struct rdmap_options *options)
{
    struct talk *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->verdict.counts = t->counts;
    t->verdict.finding = talk_finding;
    t->verdict.ctx = t;
    t->time_ns = 1000000000;
    t->parameters = (struct mpa_parameters){.initiator_side = I,
                                            .startup_seen = true,
                                            .full_from = {24, 24},
                                            .request_seen = true,
                                            .reply_seen = true,
                                            .revision = 2,
                                            .markers = {OFF, OFF},
                                            .crc = ON,
                                            .enhanced = true,
                                            .ird_ord_known = true,
                                            .ird = 16,
                                            .ord = 16};
    t->end[I] = t->end[R] = 24; /* startup frames */
    for (unsigned qn = 0; qn < 4; qn++)
        t->msn[I][qn] = t->msn[R][qn] = 1;
    t->rdmap = rdmap_connection_new(options, NULL, &t->verdict);
    assert_non_null(t->rdmap);
    rdmap_connection_parameters(t->rdmap, MPA_PHASE_FULL_OPERATION, &t->parameters);
    return t;
}

static inline struct talk *talk_new(void)
{
    struct rdmap_options options = {.profile = PROFILE_IETF};

    return talk_new_with(&options);
}

/* After the fields of parameters were changed, before the first FPDU. */
static inline void talk_parameters(struct talk *t)
{
    rdmap_connection_parameters(t->rdmap, MPA_PHASE_FULL_OPERATION, &t->parameters);
}

static inline void talk_step(struct talk *t)
{
    t->frame++;
    t->time_ns += 1000000;
}

/* One FPDU with this ULPDU. Returns its frame. */
static inline uint32_t talk_ulpdu(struct talk *t, unsigned side, const uint8_t *ulpdu, size_t n)
{
    struct mpa_fpdu_event event = {0};
    uint32_t length = (uint32_t)((2 + n + 3) / 4 * 4 + 4);

    talk_step(t);
    event.fpdu = (struct mpa_fpdu){
        .offset = t->end[side], .header = t->end[side], .length = length, .ulpdu_length = (uint16_t)n, .ulpdu = ulpdu};
    event.place = (struct place){.frame = t->frame,
                                 .first_frame = t->frame,
                                 .time_ns = t->time_ns,
                                 .offset = t->end[side],
                                 .side = (uint8_t)side};
    event.direction = t->parameters.initiator_side < 0                 ? DIR_UNKNOWN
                      : (unsigned)t->parameters.initiator_side == side ? DIR_TO_RESPONDER
                                                                       : DIR_TO_INITIATOR;
    event.crc = MPA_CRC_VERIFIED;
    event.has_ddp = ddp_segment_decode(&event.ddp, ulpdu, n);
    event.number = t->number[side]++;
    event.after_resync = t->resync;
    t->resync = false;
    rdmap_connection_acked(t->rdmap, side, !t->acked_unknown, t->end[1 - side] - t->unreceived);
    rdmap_connection_fpdu(t->rdmap, &event);
    t->end[side] += length;
    return t->frame;
}

/* A segment with DV and RV 1; the caller sets the rest. payload may be NULL: zeros. */
static inline uint32_t talk_segment(struct talk *t, unsigned side, struct ddp_segment ddp, const void *payload,
                                    size_t n)
{
    uint8_t ulpdu[TALK_ULPDU_MAX] = {0};
    size_t header;

    ddp.dv = ddp.rv = 1;
    header = ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);
    assert_true(header > 0 && header + n <= sizeof ulpdu);
    if (payload && n > 0)
        memcpy(ulpdu + header, payload, n);
    return talk_ulpdu(t, side, ulpdu, header + n);
}

static inline uint32_t talk_untagged(struct talk *t, unsigned side, uint8_t opcode, uint32_t qn, uint32_t stag,
                                     const void *payload, size_t n)
{
    return talk_segment(
        t, side,
        (struct ddp_segment){.last = true, .opcode = opcode, .stag = stag, .qn = qn, .msn = t->msn[side][qn]++},
        payload, n);
}

static inline uint32_t talk_tagged(struct talk *t, unsigned side, uint8_t opcode, uint32_t stag, uint64_t to, bool last,
                                   const void *payload, size_t n)
{
    return talk_segment(t, side,
                        (struct ddp_segment){.tagged = true, .last = last, .opcode = opcode, .stag = stag, .to = to},
                        payload, n);
}

static inline uint32_t talk_send(struct talk *t, unsigned side)
{
    return talk_untagged(t, side, RDMAP_SEND, DDP_QN_SEND, 0, "send", 4);
}

static inline uint32_t talk_write(struct talk *t, unsigned side, uint32_t stag, uint64_t to, const void *payload,
                                  size_t n)
{
    return talk_tagged(t, side, RDMAP_WRITE, stag, to, true, payload, n);
}

static inline uint32_t talk_read(struct talk *t, unsigned side, uint32_t sink_stag, uint64_t sink_to, uint32_t size)
{
    struct rdmap_read_request read = {
        .sink_stag = sink_stag, .sink_to = sink_to, .size = size, .source_stag = 0x5000, .source_to = 0x100};
    uint8_t header[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read, header, sizeof header);
    return talk_untagged(t, side, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

/* A whole Read Response in one segment. */
static inline uint32_t talk_response(struct talk *t, unsigned side, uint32_t stag, uint64_t to, size_t n)
{
    return talk_tagged(t, side, RDMAP_READ_RESPONSE, stag, to, true, NULL, n);
}

static inline uint32_t talk_atomic(struct talk *t, unsigned side, struct rdmap_atomic_request atomic)
{
    uint8_t header[RDMAP_ATOMIC_REQUEST_LEN];

    rdmap_atomic_request_encode(&atomic, header, sizeof header);
    return talk_untagged(t, side, RDMAP_ATOMIC_REQUEST, DDP_QN_READ_REQUEST, 0, header, sizeof header);
}

static inline uint32_t talk_add(struct talk *t, unsigned side, uint32_t identifier, uint64_t to, uint64_t data,
                                uint64_t mask)
{
    return talk_atomic(t, side,
                       (struct rdmap_atomic_request){.opcode = RDMAP_ATOMIC_FETCH_ADD,
                                                     .identifier = identifier,
                                                     .stag = 0xA000,
                                                     .to = to,
                                                     .data = data,
                                                     .mask = mask,
                                                     .compare_mask = UINT64_MAX});
}

static inline uint32_t talk_swap(struct talk *t, unsigned side, uint32_t identifier, uint64_t to, uint64_t data,
                                 uint64_t mask, uint64_t compare, uint64_t compare_mask)
{
    return talk_atomic(t, side,
                       (struct rdmap_atomic_request){.opcode = RDMAP_ATOMIC_CMP_SWAP,
                                                     .identifier = identifier,
                                                     .stag = 0xA000,
                                                     .to = to,
                                                     .data = data,
                                                     .mask = mask,
                                                     .compare_data = compare,
                                                     .compare_mask = compare_mask});
}

static inline uint32_t talk_original(struct talk *t, unsigned side, uint32_t identifier, uint64_t original)
{
    struct rdmap_atomic_response response = {.identifier = identifier, .original = original};
    uint8_t header[RDMAP_ATOMIC_RESPONSE_LEN];

    rdmap_atomic_response_encode(&response, header, sizeof header);
    return talk_untagged(t, side, RDMAP_ATOMIC_RESPONSE, DDP_QN_ATOMIC_RESPONSE, 0, header, sizeof header);
}

/* Layer 0, error type 2, code 07: nothing echoed. */
static inline uint32_t talk_terminate(struct talk *t, unsigned side)
{
    static const uint8_t header[] = {0x00, 0x00, 0x00, 0x00};

    return talk_untagged(t, side, RDMAP_TERMINATE, DDP_QN_TERMINATE, 0, header, sizeof header);
}

static inline void talk_end(struct talk *t, unsigned side, bool reset)
{
    struct place place;

    talk_step(t);
    place = (struct place){.frame = t->frame,
                           .first_frame = t->frame,
                           .time_ns = t->time_ns,
                           .offset = t->end[side],
                           .side = (uint8_t)side};
    rdmap_connection_end(t->rdmap, side, reset, &place);
}

/* A segment without payload. */
static inline void talk_ack(struct talk *t, unsigned side)
{
    talk_step(t);
    rdmap_connection_acked(t->rdmap, side, true, t->end[1 - side]);
}

static inline void talk_hole(struct talk *t, unsigned side)
{
    t->end[side] += 1000;
    t->resync = true;
    rdmap_connection_skipped(t->rdmap, side);
}

static inline void talk_finish(struct talk *t)
{
    rdmap_connection_finish(t->rdmap, t->time_ns);
}

static inline void talk_close(struct talk *t, unsigned first)
{
    talk_end(t, first, false);
    talk_end(t, 1 - first, false);
    talk_finish(t);
}

static inline void talk_free(struct talk *t)
{
    rdmap_connection_free(t->rdmap);
    free(t);
}

static inline void talk_show(const struct talk *t)
{
    for (unsigned i = 0; i < t->n_findings && i < TALK_FINDINGS_MAX; i++)
        fprintf(stderr, "frame %u: %s %s: %s\n", t->findings[i].place.frame,
                rule_severity_name(t->findings[i].severity), rule_catalogue[t->findings[i].rule].id,
                t->findings[i].message);
}

/* Exactly this finding at this frame. */
static inline void talk_expect(struct talk *t, enum rule_id rule, enum rule_severity severity, uint32_t frame)
{
    if (t->n_findings != 1 || t->findings[0].rule != rule || t->findings[0].severity != severity ||
        t->findings[0].place.frame != frame) {
        fprintf(stderr, "expected %s %s at frame %u; found %u findings:\n", rule_severity_name(severity),
                rule_catalogue[rule].id, frame, t->n_findings);
        talk_show(t);
        fail();
    }
    assert_int_equal(t->verdict.counts[rule].failed, 1);
    talk_free(t);
}

static inline void talk_expect_nothing(struct talk *t)
{
    if (t->n_findings != 0) {
        fprintf(stderr, "expected no finding; found %u\n", t->n_findings);
        talk_show(t);
        fail();
    }
    talk_free(t);
}

static inline void talk_passed(const struct talk *t, enum rule_id rule)
{
    if (t->verdict.counts[rule].passed == 0)
        fprintf(stderr, "%s was not passed\n", rule_catalogue[rule].id);
    assert_true(t->verdict.counts[rule].passed > 0);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation in which one side sends faults and the other complains of them, by hand: ULPDUs from the wire
 * encoders, each an FPDU event as MPA would give it. The sender of each has received all that the other side sent
 * before, unless said otherwise.
 */
#ifndef IWARP_TESTS_UNIT_RDMAP_COMPLAINT_H
#define IWARP_TESTS_UNIT_RDMAP_COMPLAINT_H

#include "engine/rdmap.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"
#include "wire/rdmap_terminate.h"

#include <stdio.h>
#include <stdlib.h>

enum { I = 0, R = 1 }; /* Initiator, Responder */

enum { COMPLAINT_FINDINGS_MAX = 64, COMPLAINT_ULPDU_MAX = 4096 };

struct complaint {
    struct rdmap_connection *rdmap;
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    struct finding findings[COMPLAINT_FINDINGS_MAX];
    unsigned n_findings;
    uint32_t frame;
    int64_t time_ns;
    uint64_t end[2];    /* next stream offset of a side */
    uint64_t number[2]; /* FPDUs sent */
    uint32_t msn[2][4]; /* next MSN by queue */
    bool resync[2];     /* the next FPDU comes behind something that was skipped */
    /* The latest ULPDU of a side. */
    uint8_t last[2][COMPLAINT_ULPDU_MAX];
    uint16_t last_len[2];
};

static void complaint_finding(void *ctx, const struct finding *finding)
{
    struct complaint *t = ctx;

    if (t->n_findings < COMPLAINT_FINDINGS_MAX)
        t->findings[t->n_findings] = *finding;
    t->n_findings++;
}

/* Startup seen, CRC in use; ird and ord are those of the Reply, both 0x3FFF: not negotiated. */
static inline struct complaint *complaint_new_with(const struct rdmap_options *options, uint8_t revision, uint16_t ird,
                                                   uint16_t ord)
{
    struct complaint *t = calloc(1, sizeof *t);
    struct mpa_parameters parameters = {.initiator_side = I,
                                        .startup_seen = true,
                                        .full_from = {20, 20},
                                        .request_seen = true,
                                        .reply_seen = true,
                                        .revision = revision,
                                        .markers = {OFF, OFF},
                                        .crc = ON,
                                        .enhanced = revision > 1,
                                        .ird_ord_known = revision > 1,
                                        .ird = ird,
                                        .ord = ord};

    assert_non_null(t);
    t->verdict.counts = t->counts;
    t->verdict.finding = complaint_finding;
    t->verdict.ctx = t;
    t->rdmap = rdmap_connection_new(options, NULL, &t->verdict);
    assert_non_null(t->rdmap);
    rdmap_connection_parameters(t->rdmap, MPA_PHASE_FULL_OPERATION, &parameters);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned qn = 0; qn < 4; qn++)
            t->msn[side][qn] = 1;
    t->end[I] = t->end[R] = 20; /* startup frames */
    return t;
}

static inline struct complaint *complaint_new_depth(uint8_t revision, uint16_t ird, uint16_t ord)
{
    struct rdmap_options options = {.profile = PROFILE_IETF};

    return complaint_new_with(&options, revision, ird, ord);
}

static inline struct complaint *complaint_new(void)
{
    return complaint_new_depth(2, 16, 16);
}

/* ---- segments ---- */

static inline void complaint_ulpdu_acked(struct complaint *t, unsigned side, const uint8_t *p, uint16_t n,
                                         uint64_t acked)
{
    struct mpa_fpdu_event event = {.crc = MPA_CRC_VERIFIED,
                                   .direction = side == I ? DIR_TO_RESPONDER : DIR_TO_INITIATOR,
                                   .number = t->number[side]++,
                                   .after_resync = t->resync[side]};
    uint64_t length = ((uint64_t)n + 2 + 3) / 4 * 4 + 4;

    assert_true(n <= sizeof t->last[side]);
    memmove(t->last[side], p, n);
    t->last_len[side] = n;
    t->resync[side] = false;
    t->frame++;
    t->time_ns += 1000;
    event.place = (struct place){.frame = t->frame,
                                 .first_frame = t->frame,
                                 .time_ns = t->time_ns,
                                 .offset = t->end[side],
                                 .side = (uint8_t)side};
    event.fpdu.offset = t->end[side];
    event.fpdu.length = (size_t)length;
    event.fpdu.ulpdu = t->last[side];
    event.fpdu.ulpdu_length = n;
    event.has_ddp = ddp_segment_decode(&event.ddp, t->last[side], n);
    t->end[side] += length;
    rdmap_connection_acked(t->rdmap, side, true, acked);
    rdmap_connection_fpdu(t->rdmap, &event);
}

static inline void complaint_ulpdu(struct complaint *t, unsigned side, const uint8_t *p, uint16_t n)
{
    complaint_ulpdu_acked(t, side, p, n, t->end[1 - side]);
}

static inline struct ddp_segment complaint_untagged(uint8_t opcode, uint32_t qn, uint32_t msn)
{
    return (struct ddp_segment){.last = true, .dv = 1, .rv = 1, .opcode = opcode, .qn = qn, .msn = msn};
}

static inline struct ddp_segment complaint_tagged(uint8_t opcode, uint32_t stag, uint64_t to)
{
    return (struct ddp_segment){
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = opcode, .stag = stag, .to = to};
}

static inline void complaint_segment_acked(struct complaint *t, unsigned side, struct ddp_segment segment,
                                           const void *payload, size_t n, uint64_t acked)
{
    uint8_t ulpdu[COMPLAINT_ULPDU_MAX] = {0};
    size_t header = ddp_header_encode(&segment, ulpdu, sizeof ulpdu);

    assert_true(header > 0 && header + n <= sizeof ulpdu);
    if (payload)
        memcpy(ulpdu + header, payload, n);
    complaint_ulpdu_acked(t, side, ulpdu, (uint16_t)(header + n), acked);
}

/* payload NULL: zeros. */
static inline void complaint_segment(struct complaint *t, unsigned side, struct ddp_segment segment,
                                     const void *payload, size_t n)
{
    complaint_segment_acked(t, side, segment, payload, n, t->end[1 - side]);
}

static inline void complaint_send(struct complaint *t, unsigned side, size_t n)
{
    complaint_segment(t, side, complaint_untagged(RDMAP_SEND, 0, t->msn[side][0]++), NULL, n);
}

static inline void complaint_write(struct complaint *t, unsigned side, uint32_t stag, uint64_t to, size_t n)
{
    complaint_segment(t, side, complaint_tagged(RDMAP_WRITE, stag, to), NULL, n);
}

static inline void complaint_read(struct complaint *t, unsigned side, struct rdmap_read_request read)
{
    uint8_t payload[RDMAP_READ_REQUEST_LEN];

    rdmap_read_request_encode(&read, payload, sizeof payload);
    complaint_segment(t, side, complaint_untagged(RDMAP_READ_REQUEST, 1, t->msn[side][1]++), payload, sizeof payload);
}

static inline void complaint_response(struct complaint *t, unsigned side, uint32_t stag, uint64_t to, size_t n,
                                      bool last)
{
    struct ddp_segment segment = complaint_tagged(RDMAP_READ_RESPONSE, stag, to);

    segment.last = last;
    complaint_segment(t, side, segment, NULL, n);
}

static inline void complaint_atomic(struct complaint *t, unsigned side, struct rdmap_atomic_request atomic)
{
    uint8_t payload[RDMAP_ATOMIC_REQUEST_LEN];

    rdmap_atomic_request_encode(&atomic, payload, sizeof payload);
    complaint_segment(t, side, complaint_untagged(RDMAP_ATOMIC_REQUEST, 1, t->msn[side][1]++), payload, sizeof payload);
}

static inline void complaint_atomic_response(struct complaint *t, unsigned side, uint32_t identifier, uint64_t original)
{
    uint8_t payload[RDMAP_ATOMIC_RESPONSE_LEN];

    rdmap_atomic_response_encode(&(struct rdmap_atomic_response){identifier, original}, payload, sizeof payload);
    complaint_segment(t, side, complaint_untagged(RDMAP_ATOMIC_RESPONSE, 3, t->msn[side][3]++), payload,
                      sizeof payload);
}

/* ---- Terminates ---- */

/* About the ULPDU p[0..n) as the RFCs want it; R is set for RDMA Read Requests in layer 0. */
static inline struct rdmap_terminate complaint_accuse(const uint8_t *p, uint16_t n, uint8_t layer, uint8_t etype,
                                                      uint8_t code)
{
    struct rdmap_terminate terminate = {.layer = layer, .etype = etype, .code = code};

    assert_true(rdmap_terminate_accuse(&terminate, p, n));
    if (layer == 0 && !terminate.ddp.tagged && terminate.ddp.opcode == RDMAP_READ_REQUEST &&
        rdmap_read_request_decode(&terminate.read, p + DDP_UNTAGGED_HEADER_LEN, n - (size_t)DDP_UNTAGGED_HEADER_LEN))
        terminate.r = terminate.has_read = true;
    return terminate;
}

static inline void complaint_terminate_octets(struct complaint *t, unsigned side, const uint8_t *p, size_t n)
{
    complaint_segment(t, side, complaint_untagged(RDMAP_TERMINATE, 2, t->msn[side][2]++), p, n);
}

static inline void complaint_terminate(struct complaint *t, unsigned side, struct rdmap_terminate terminate)
{
    uint8_t payload[RDMAP_TERMINATE_LEN_MAX];
    size_t n = rdmap_terminate_encode(&terminate, payload, sizeof payload);

    assert_true(n > 0);
    complaint_terminate_octets(t, side, payload, n);
}

/* About the latest segment of the other side. */
static inline void complaint_complain(struct complaint *t, unsigned side, uint8_t layer, uint8_t etype, uint8_t code)
{
    complaint_terminate(t, side, complaint_accuse(t->last[1 - side], t->last_len[1 - side], layer, etype, code));
}

/* ---- time, holes, ends ---- */

static inline void complaint_wait(struct complaint *t, unsigned seconds)
{
    t->time_ns += (int64_t)seconds * 1000000000;
}

static inline void complaint_hole(struct complaint *t, unsigned side, size_t n)
{
    t->end[side] += n;
    t->resync[side] = true;
    rdmap_connection_skipped(t->rdmap, side);
}

static inline void complaint_end(struct complaint *t, unsigned side, bool reset)
{
    struct place place = {.offset = t->end[side], .side = (uint8_t)side};

    place.frame = place.first_frame = ++t->frame;
    place.time_ns = t->time_ns += 1000;
    rdmap_connection_acked(t->rdmap, side, true, t->end[1 - side]);
    rdmap_connection_end(t->rdmap, side, reset, &place);
}

static inline void complaint_finish(struct complaint *t)
{
    rdmap_connection_finish(t->rdmap, t->time_ns);
}

static inline void complaint_close(struct complaint *t)
{
    complaint_end(t, R, false);
    complaint_end(t, I, false);
    complaint_finish(t);
}

/* ---- the outcome ---- */

static inline void complaint_free(struct complaint *t)
{
    rdmap_connection_free(t->rdmap);
    free(t);
}

static inline void complaint_show(const struct complaint *t, const char *name)
{
    for (unsigned i = 0; i < t->n_findings && i < COMPLAINT_FINDINGS_MAX; i++)
        print_message("%s: %s frame %u, side %u: %s\n", name, rule_catalogue[t->findings[i].rule].id,
                      t->findings[i].place.frame, t->findings[i].place.side, t->findings[i].message);
}

/* Exactly the rules named, blanks between them, "" for none, at what `side` sent (-1: both). */
static inline void complaint_expect(const struct complaint *t, int side, const char *ids, const char *name)
{
    unsigned wanted = 0, found = 0;
    char copy[256], *rest = copy;

    for (unsigned i = 0; i < t->n_findings && i < COMPLAINT_FINDINGS_MAX; i++)
        found += side < 0 || t->findings[i].place.side == (unsigned)side;
    snprintf(copy, sizeof copy, "%s", ids);
    for (char *id = strtok_r(rest, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
        bool there = false;

        wanted++;
        for (unsigned i = 0; i < t->n_findings && i < COMPLAINT_FINDINGS_MAX; i++)
            there |= (side < 0 || t->findings[i].place.side == (unsigned)side) &&
                     strcmp(rule_catalogue[t->findings[i].rule].id, id) == 0;
        if (!there) {
            complaint_show(t, name);
            fail_msg("%s: no finding of %s", name, id);
        }
    }
    if (found != wanted) {
        complaint_show(t, name);
        fail_msg("%s: %u findings instead of %u", name, found, wanted);
    }
}

/* The rules named were judged and held. */
static inline void complaint_expect_passed(const struct complaint *t, const char *ids, const char *name)
{
    char copy[256], *rest = copy;

    snprintf(copy, sizeof copy, "%s", ids);
    for (char *id = strtok_r(rest, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
        const struct rule *rule = rule_find(id);

        assert_non_null(rule);
        if (t->verdict.counts[rule_number(rule)].passed == 0)
            fail_msg("%s: %s has not passed", name, id);
    }
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation fed to the MPA layer by hand: startup frames and FPDUs from the wire encoders, each piece a TCP
 * segment with the ACK number that its sender would have put in. Findings are recorded; a test names the ones it wants.
 */
#ifndef IWARP_TESTS_UNIT_MPA_TALK_H
#define IWARP_TESTS_UNIT_MPA_TALK_H

#include "engine/mpa.h"
#include "tests/unit/support/support.h"
#include "wire/ddp.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/octets.h"

#include <stdio.h>
#include <stdlib.h>

enum { I = 0, R = 1 }; /* the sides of most conversations: Initiator, Responder */

enum { TALK_FINDINGS_MAX = 16 };

struct talk {
    struct mpa_connection *mpa;
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    struct finding findings[TALK_FINDINGS_MAX];
    unsigned n_findings;
    uint32_t frame;
    int64_t time_ns;
    uint64_t sent[2];    /* next stream offset of a side */
    bool marked[2], crc; /* how talk_fpdu() frames */
    uint64_t grid[2];    /* Marker grid of a side */
    uint32_t msn[2][3];  /* next MSN by queue */
    bool acked_unknown;  /* give no ACK numbers */
};

static void talk_finding(void *ctx, const struct finding *finding)
{
    struct talk *t = ctx;

    if (t->n_findings < TALK_FINDINGS_MAX)
        t->findings[t->n_findings] = *finding;
    t->n_findings++;
}

static inline void talk_syn(struct talk *t, uint8_t side)
{
    struct tcp_segment syn = {.frame = ++t->frame, .time_ns = t->time_ns, .side = side, .flags = TCP_SYN, .mss = 1460};

    mpa_connection_segment(t->mpa, &syn, 0, false, 0);
}

/* A connection whose SYNs were captured. */
static inline struct talk *talk_new(enum mpa_profile profile)
{
    struct talk *t = calloc(1, sizeof *t);
    struct mpa_options options;

    assert_non_null(t);
    mpa_options_init(&options);
    options.profile = profile;
    t->verdict.counts = t->counts;
    t->verdict.finding = talk_finding;
    t->verdict.ctx = t;
    t->mpa = mpa_connection_new(&options, NULL, &t->verdict);
    assert_non_null(t->mpa);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned q = 0; q < 3; q++)
            t->msn[side][q] = 1;
    talk_syn(t, I);
    talk_syn(t, R);
    return t;
}

/* Octets of one segment whose sender had received `acked` octets of the other side. */
static inline void talk_octets_acked(struct talk *t, unsigned side, const void *p, size_t n, uint64_t acked)
{
    struct octets_origin origin = {.frame = ++t->frame,
                                   .arrival = t->frame,
                                   .time_ns = t->time_ns += 1000,
                                   .acked_known = !t->acked_unknown,
                                   .acked = t->acked_unknown ? 0 : acked,
                                   .segment_start = true,
                                   .segment_end = true,
                                   .segment_length = (uint32_t)n};

    mpa_connection_octets(t->mpa, side, t->sent[side], p, n, &origin);
    t->sent[side] += n;
}

static inline void talk_octets(struct talk *t, unsigned side, const void *p, size_t n)
{
    talk_octets_acked(t, side, p, n, t->sent[1 - side]);
}

static inline void talk_hole(struct talk *t, unsigned side, size_t n)
{
    mpa_connection_hole(t->mpa, side, t->sent[side], t->sent[side] + n, HOLE_CAPTURE_LOSS, NULL);
    t->sent[side] += n;
}

/* ---- startup frames ---- */

struct talk_frame {
    uint8_t octets[1024];
    size_t n;
};

/* flags and rev as given; pd and PD_Length of the frame; enhanced data belongs to pd. */
static inline struct talk_frame talk_make(enum mpa_startup_kind kind, uint8_t flags, uint8_t rev, const void *pd,
                                          uint16_t n)
{
    struct talk_frame f = {.n = MPA_STARTUP_HEADER_LEN + (size_t)n};

    memcpy(f.octets, kind == MPA_REQUEST ? "MPA ID Req Frame" : "MPA ID Rep Frame", MPA_KEY_LEN);
    f.octets[16] = flags;
    f.octets[17] = rev;
    put_be16(f.octets + 18, n);
    if (n > 0)
        memcpy(f.octets + MPA_STARTUP_HEADER_LEN, pd, n);
    return f;
}

/* Octets 20-23 of an enhanced frame: A, RTR types, IRD, ORD. */
static inline struct talk_frame talk_enhanced(enum mpa_startup_kind kind, uint8_t flags, bool a, uint8_t rtr,
                                              uint16_t ird, uint16_t ord)
{
    uint8_t pd[4];

    put_be16(pd, (uint16_t)((a ? 0x8000 : 0) | (rtr & MPA_RTR_SEND ? 0x4000 : 0) | ird));
    put_be16(pd + 2, (uint16_t)((rtr & MPA_RTR_WRITE ? 0x8000 : 0) | (rtr & MPA_RTR_READ ? 0x4000 : 0) | ord));
    return talk_make(kind, flags | MPA_FLAG_S, 2, pd, sizeof pd);
}

/* Sends the frame in one segment; what follows is framed as REP and REQ together say (call negotiate below). */
static inline void talk_send(struct talk *t, unsigned side, struct talk_frame f)
{
    talk_octets(t, side, f.octets, f.n);
}

/* How FPDUs are framed from here on, on both sides; the grids begin at the streams' present ends. */
static inline void talk_framing(struct talk *t, bool markers_i, bool markers_r, bool crc)
{
    t->marked[I] = markers_i;
    t->marked[R] = markers_r;
    t->crc = crc;
    t->grid[I] = t->sent[I];
    t->grid[R] = t->sent[R];
}

/* The usual exchange: side I asks, side R answers; returns with Full Operation ahead. */
static inline void talk_start(struct talk *t, struct talk_frame request, struct talk_frame reply)
{
    uint8_t m_req = request.octets[16] & MPA_FLAG_M, m_rep = reply.octets[16] & MPA_FLAG_M;
    bool rdmac = request.octets[17] == 0 || reply.octets[17] == 0;

    talk_send(t, I, request);
    talk_send(t, R, reply);
    talk_framing(t, m_rep || rdmac, m_req || rdmac,
                 ((request.octets[16] | reply.octets[16]) & MPA_FLAG_C) != 0 || rdmac);
}

static inline void talk_plain_start(struct talk *t)
{
    talk_start(t, talk_make(MPA_REQUEST, 0x40, 1, NULL, 0), talk_make(MPA_REPLY, 0x40, 1, NULL, 0));
}

/* ---- FPDUs ---- */

static inline size_t talk_frame_ulpdu(struct talk *t, unsigned side, const void *ulpdu, uint16_t n, uint8_t *out,
                                      size_t size)
{
    struct mpa_framing framing = {.markers = t->marked[side], .seq_start = t->grid[side]};
    struct mpa_fpdu_plan plan;
    size_t length;

    mpa_fpdu_plan_init(&plan, &framing, t->sent[side], ulpdu, n, t->crc);
    length = mpa_fpdu_encode(&plan, out, size);
    assert_true(length > 0);
    return length;
}

static inline void talk_ulpdu_acked(struct talk *t, unsigned side, const void *ulpdu, uint16_t n, uint64_t acked)
{
    uint8_t fpdu[4096];

    talk_octets_acked(t, side, fpdu, talk_frame_ulpdu(t, side, ulpdu, n, fpdu, sizeof fpdu), acked);
}

static inline void talk_ulpdu(struct talk *t, unsigned side, const void *ulpdu, uint16_t n)
{
    talk_ulpdu_acked(t, side, ulpdu, n, t->sent[1 - side]);
}

/* A DDP segment of version `version` (DV << 4 | RV) with n zero octets behind its header, or those at payload. */
static inline uint16_t talk_segment(uint8_t *out, const struct ddp_segment *segment, const void *payload, size_t n)
{
    size_t header = ddp_header_encode(segment, out, 64);

    if (payload)
        memcpy(out + header, payload, n);
    else
        memset(out + header, 0, n);
    return (uint16_t)(header + n);
}

static inline struct ddp_segment talk_untagged(uint8_t opcode, uint32_t qn, uint32_t msn)
{
    return (struct ddp_segment){.last = true, .dv = 1, .rv = 1, .opcode = opcode, .qn = qn, .msn = msn};
}

static inline struct ddp_segment talk_tagged(uint8_t opcode, uint32_t stag, uint64_t to)
{
    return (struct ddp_segment){
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = opcode, .stag = stag, .to = to};
}

static inline void talk_message(struct talk *t, unsigned side, struct ddp_segment segment, const void *payload,
                                size_t n)
{
    uint8_t ulpdu[2048];

    talk_ulpdu(t, side, ulpdu, talk_segment(ulpdu, &segment, payload, n));
}

static inline void talk_send_msg(struct talk *t, unsigned side, size_t n)
{
    talk_message(t, side, talk_untagged(RDMAP_SEND, 0, t->msn[side][0]++), NULL, n);
}

static inline void talk_read(struct talk *t, unsigned side, uint32_t stag, uint64_t to, uint32_t size)
{
    uint8_t payload[28] = {0};

    put_be32(payload, stag);
    put_be64(payload + 4, to);
    put_be32(payload + 12, size);
    put_be32(payload + 16, 0x77);
    talk_message(t, side, talk_untagged(RDMAP_READ_REQUEST, 1, t->msn[side][1]++), payload, sizeof payload);
}

static inline void talk_response(struct talk *t, unsigned side, uint32_t stag, uint64_t to, size_t size)
{
    talk_message(t, side, talk_tagged(RDMAP_READ_RESPONSE, stag, to), NULL, size);
}

static inline void talk_terminate(struct talk *t, unsigned side, uint32_t control, size_t copies)
{
    uint8_t payload[64] = {0};

    put_be32(payload, control);
    talk_message(t, side, talk_untagged(RDMAP_TERMINATE, 2, t->msn[side][2]++), payload, 4 + copies);
}

static inline void talk_fin(struct talk *t, unsigned side)
{
    mpa_connection_fin(t->mpa, side, t->sent[side], ++t->frame, t->time_ns += 1000);
}

/* ---- the outcome ---- */

/* Both sides close, and the connection is judged to its end. */
static inline void talk_close(struct talk *t)
{
    talk_fin(t, I);
    talk_fin(t, R);
    mpa_connection_finish(t->mpa, t->time_ns);
}

static inline void talk_show(const struct talk *t, const char *name)
{
    for (unsigned i = 0; i < t->n_findings && i < TALK_FINDINGS_MAX; i++)
        print_message("%s: %s frame %u: %s\n", name, rule_catalogue[t->findings[i].rule].id, t->findings[i].place.frame,
                      t->findings[i].message);
}

/* Exactly the rules named, in any order, blanks between them; "" for none. Frees t. */
static inline void talk_expect_named(struct talk *t, const char *ids, const char *name)
{
    unsigned wanted = 0;
    char copy[256], *rest = copy;

    snprintf(copy, sizeof copy, "%s", ids);
    for (char *id = strtok_r(rest, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
        bool found = false;

        wanted++;
        for (unsigned i = 0; i < t->n_findings && i < TALK_FINDINGS_MAX; i++)
            found |= strcmp(rule_catalogue[t->findings[i].rule].id, id) == 0;
        if (!found) {
            talk_show(t, name);
            fail_msg("%s: no finding of %s", name, id);
        }
    }
    if (t->n_findings != wanted) {
        talk_show(t, name);
        fail_msg("%s: %u findings instead of %u", name, t->n_findings, wanted);
    }
    mpa_connection_free(t->mpa);
    free(t);
}

/* The same for case `index` of a table. */
static inline void talk_expect_case(struct talk *t, const char *ids, unsigned index)
{
    char name[300];

    snprintf(name, sizeof name, "case %u (%s)", index, ids);
    talk_expect_named(t, ids, name);
}

#define talk_expect(t, ids) talk_expect_named((t), (ids), __func__)

#endif

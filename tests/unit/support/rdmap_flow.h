/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A conversation fed to DDP and RDMAP by hand: ULPDUs from the wire encoders, each an FPDU event as from MPA. MSNs
 * count up by themselves; by default a sender has received everything that the other side sent before. Functions that
 * send an FPDU return its frame; a payload of NULL is zeros.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_RDMAP_FLOW_H
#define IWARP_TESTS_UNIT_SUPPORT_RDMAP_FLOW_H

#include "engine/ddp_rdmap/rdmap.h"
#include "tests/unit/support/findings.h"
#include "tests/unit/support/segments.h"
#include "wire/octets.h"
#include "wire/rdmap_terminate.h"

enum { I = 0, R = 1 }; /* the sides: Initiator, Responder */

enum { FLOW_ULPDU_MAX = 4096, FLOW_START = 24 /* stream offset after the startup frames */ };

struct rdmap_flow {
    struct rdmap_connection *rdmap;
    struct findings seen;
    uint32_t frame;
    int64_t time_ns;
    uint64_t end[2];     /* stream offset after the last FPDU */
    uint64_t number[2];  /* FPDUs */
    uint32_t msn[2][4];  /* next one, by queue */
    bool acked_unknown;  /* no ACK numbers are known */
    uint64_t unreceived; /* octets of the other side that the sender has not received */
    bool resync[2];      /* the side's next FPDU comes after a hole */
    uint64_t missing[2]; /* size of the hole */
    bool within[2];      /* which hid only part of the Tagged message that continues there */
    struct mpa_parameters parameters;
    /* The latest ULPDU of a side. */
    uint8_t last[2][FLOW_ULPDU_MAX];
    uint16_t last_len[2];
};

/*
 * Start-up seen, CRC in use, revision 2, IRD and ORD 16; NULL: the default options. Findings about reactions are not
 * recorded, as the other side usually continues as if nothing had happened.
 */
struct rdmap_flow *flow_new_with(const struct rdmap_options *options);
struct rdmap_flow *flow_new(void);
/* The same for tests of reactions, whose findings are recorded, too. ird and ord are the Reply's; 0x3FFF: no limit. */
struct rdmap_flow *flow_new_reacting_with(const struct rdmap_options *options, uint8_t revision, uint16_t ird,
                                          uint16_t ord);
/* Call after fields of parameters were changed, before the first FPDU. */
void flow_parameters(struct rdmap_flow *t);
void flow_free(struct rdmap_flow *t);

/* ---- segments ---- */

uint32_t flow_segment(struct rdmap_flow *t, unsigned side, struct ddp_segment segment, const void *payload, size_t n);
/* Its sender had received the other side's stream up to this offset. */
uint32_t flow_segment_acked(struct rdmap_flow *t, unsigned side, struct ddp_segment segment, const void *payload,
                            size_t n, uint64_t acked);
uint32_t flow_untagged(struct rdmap_flow *t, unsigned side, uint8_t opcode, uint32_t qn, uint32_t stag,
                       const void *payload, size_t n);
uint32_t flow_tagged(struct rdmap_flow *t, unsigned side, uint8_t opcode, uint32_t stag, uint64_t to, bool last,
                     const void *payload, size_t n);

/* ---- messages ---- */

uint32_t flow_send(struct rdmap_flow *t, unsigned side, size_t n);
uint32_t flow_write(struct rdmap_flow *t, unsigned side, uint32_t stag, uint64_t to, const void *payload, size_t n);
uint32_t flow_read_request(struct rdmap_flow *t, unsigned side, struct rdmap_read_request read);
/* Of the memory at TO 0x100 of STag 0x5000. */
uint32_t flow_read(struct rdmap_flow *t, unsigned side, uint32_t sink_stag, uint64_t sink_to, uint32_t size);
uint32_t flow_response(struct rdmap_flow *t, unsigned side, uint32_t stag, uint64_t to, size_t n, bool last);
uint32_t flow_atomic(struct rdmap_flow *t, unsigned side, struct rdmap_atomic_request atomic);
uint32_t flow_original(struct rdmap_flow *t, unsigned side, uint32_t identifier, uint64_t original);

/* ---- Terminates ---- */

uint32_t flow_terminate_octets(struct rdmap_flow *t, unsigned side, const uint8_t *p, size_t n);
uint32_t flow_terminate_as(struct rdmap_flow *t, unsigned side, struct rdmap_terminate terminate);

/* ---- time, holes, ends ---- */

/* A frame without an FPDU. */
void flow_step(struct rdmap_flow *t);
void flow_hole(struct rdmap_flow *t, unsigned side, size_t n);
void flow_end(struct rdmap_flow *t, unsigned side, bool reset);
void flow_finish(struct rdmap_flow *t);
/* Both sides end, and the connection is judged to its end. */
void flow_close(struct rdmap_flow *t, unsigned first);

/* ---- the outcome ---- */

/* Exactly this finding, these rules (findings_expect()), or none. All free t. */
void flow_expect(struct rdmap_flow *t, int side, const char *ids, const char *name);
void flow_expect_one(struct rdmap_flow *t, enum rule_id rule, enum rule_severity severity, uint32_t frame);
void flow_expect_nothing(struct rdmap_flow *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by Reads and Atomics: each request on QN 1 has one answer, in the order of the requests
 * (rdmap_answer_rules.c). The contents of the answers: rdmap_read_rules.c, rdmap_atomic_rules.c.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_ANSWERS_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_ANSWERS_H

#include "engine/ddp_rdmap/rdmap_internal.h"

enum { RDMAP_OVERTAKEN_MAX = 32, RDMAP_RESTS_MAX = 4 };

/* An answer without a request so far: surplus, or sent before its request. */
struct rdmap_early {
    bool open;
    bool matched;     /* a later request has the same fields */
    uint64_t request; /* serial number of that request */
    enum rdmap_operation_kind kind;
    uint32_t stag; /* of a Read Response */
    uint64_t to;
    uint32_t identifier; /* of an Atomic Response */
    bool acked_known;
    struct place place;
};

/* A request that was open when the answer to a later one came. */
struct rdmap_overtaken {
    uint64_t request; /* serial number */
    enum rdmap_operation_kind by_kind;
    uint32_t request_frame, by_request_frame;
    struct place by; /* the answer to the later request */
};

/* A Read Response with Last = 1 and too few octets: the next segment shows whether Last or the length is wrong. */
struct rdmap_short_answer {
    bool open;
    uint64_t octets;
    uint32_t size, request_frame;
    struct place place;
};

/* Missing octets of a Read Response that another message interrupted. */
struct rdmap_rest {
    uint32_t stag;
    uint64_t from, to;
};

/* By the side that sends the requests. */
struct rdmap_answers {
    struct rdmap_early early;
    struct rdmap_overtaken *overtaken; /* RDMAP_OVERTAKEN_MAX; NULL until the first */
    unsigned n_overtaken;
    struct place misplaced; /* the latest answer reported as out of order */
    struct rdmap_short_answer shortened;
    struct rdmap_rest rest[RDMAP_RESTS_MAX]; /* a ring */
    unsigned n_rests;
    bool first;        /* request 0 is in the Initiator's first FPDU, without RTR */
    bool rtr;          /* request 0 is the RTR: MPA judges its answer */
    bool closed_first; /* the requester sent its FIN before the responder did */
    bool other_acked_known;
    uint64_t other_acked; /* how far the responder had received when it sent its latest FPDU */
};

struct rdmap_read_state {
    struct rdmap_answers side[2];
};

/* Any FPDU. */
void rdmap_answers_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* A request was entered: an early answer may belong to it. */
void rdmap_answers_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/*
 * The first segment of an answer, with step->match set: judges the order, and whether there is a request at all.
 * identifier: of an Atomic Response. True when the answer belongs to step->request and its contents can be judged.
 */
bool rdmap_answers_first(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier);
/* The answer belongs to a later request: notes the requests that it overtook. */
void rdmap_answers_overtake(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* An answer is complete. */
void rdmap_answers_complete(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* Octets of the requester's direction are missing. */
void rdmap_answers_hole(struct rdmap_connection *rdmap, unsigned side);
/* The connection has ended: judges requests that were never answered. */
void rdmap_answers_finish(struct rdmap_connection *rdmap);
/* Called for any FPDU, or for the end: settles a Read Response that was too short. step NULL: the end. */
void rdmap_read_settle(struct rdmap_connection *rdmap, unsigned side, struct rdmap_step *step);
/* True when the request is the RTR of RFC 6581 section 9.2. */
bool rdmap_read_is_rtr(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_request *request);

#endif

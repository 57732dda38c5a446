/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutants: devices that answer one stimulus wrongly, to test the suites (`mutant` in docs/case-files.md). The stack
 * itself conforms; its hooks (mpa_end_spoil, qp_spoil, rpc_end_spoil) and options make everything wrong.
 */
#ifndef IWARP_TRAFFIC_TESTER_MUTANTS_MISBEHAVE_H
#define IWARP_TRAFFIC_TESTER_MUTANTS_MISBEHAVE_H

#include "traffic-gen/ends/stack/rpc_end.h"
#include "traffic-gen/tester/suite/talk/suite.h"

#include <glib.h>

struct scene;

enum { MUTANT_NTH_MAX = 8 };

struct mutant_octets {
    const uint8_t *p;
    size_t n;
};
#define MUTANT_OCTETS(...)                                                                                             \
    {                                                                                                                  \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})                                         \
    }

/* Generated from the lines of a mutant. */
struct misbehaviour {
    const char *id;   /* of the case that must fail */
    unsigned roles;   /* set of enum suite_dut: the roles of the mutant */
    const char *what; /* "does not check the CRC" */
    unsigned events;  /* set of 1 << enum mutant_event: the events that it handles */
    void (*play)(struct scene *scene);
    struct mutant_setup {
        bool no_crc, markers, peer_to_peer, keep_open, patient, no_invalidation, accept_all, long_calls;
        uint8_t rtr;
        uint16_t mulpdu;
        struct mutant_octets data; /* Private Data */
    } setup;
};

/* One connection of a mutant. */
struct mutant {
    const struct misbehaviour *how;
    struct qp *qp;
    unsigned seen;       /* how often it has taken a note, */
    int64_t noted;       /* and when it last did */
    unsigned fpdus;      /* of the peer so far */
    unsigned connection; /* of the device: its first connection is 1 */
    uint32_t kept_stag, kept_length;
    uint64_t kept_to;
    uint16_t pointer, pointer_spoilt; /* of the Marker that `point` changes */
    unsigned calls;                   /* made by the mutant */
    unsigned times[MUTANT_NTH_MAX];   /* for `nth` */
    uint8_t octets[2048];             /* being sent */
};

/* By case id and role; NULL: none. */
const struct misbehaviour *misbehave_find(const char *id, enum suite_dut role);
const struct misbehaviour *misbehave_at(unsigned index);
/* Called before and after qp_new(). how NULL: no effect. The mutant lives as long as the queue pair. */
void mutant_prepare(const struct misbehaviour *how, struct qp_options *options);
void mutant_attach(struct mutant *mutant, const struct misbehaviour *how, struct qp *qp);
/* Likewise around rpc_end_new(). */
void mutant_prepare_rpc(const struct misbehaviour *how, struct rpc_end_options *options);
void mutant_attach_rpc(struct mutant *mutant, const struct misbehaviour *how, struct rpc_end *end);

#endif

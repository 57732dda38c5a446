/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device to be tested, sans-I/O: a queue pair that advertises memory, takes Sends and echoes them, as Responder or
 * Initiator; conforming, or a mutant. The Initiator begins with a Send of its own.
 */
#ifndef IWARP_TRAFFIC_TEST_SUBJECT_H
#define IWARP_TRAFFIC_TEST_SUBJECT_H

#include "traffic-gen/test/misbehave.h"

struct subject_options {
    enum suite_dut role;
    const struct misbehaviour *how; /* NULL: conforming */
    uint8_t revision;               /* 0: the highest */
    bool markers, no_crc, plain;    /* plain: an Initiator without the enhanced data */
    bool peer_to_peer;
    bool rpc;                  /* instead of all that: RPC-over-RDMA (test/subject_rpc.h) */
    uint8_t rtr;               /* types of the peer-to-peer mode; 0: all */
    int64_t t_startup, t_idle; /* t_idle: how long the rest of an FPDU is waited for; 0: as t_startup */
};

struct subject;

/* stream is borrowed. */
struct subject *subject_new(const struct subject_options *options, const struct stream *stream);
void subject_free(struct subject *subject);
void subject_start(struct subject *subject);
void subject_receive(struct subject *subject, const uint8_t *p, size_t n);
void subject_receive_fin(struct subject *subject);
void subject_receive_reset(struct subject *subject);
void subject_tick(struct subject *subject);

#endif

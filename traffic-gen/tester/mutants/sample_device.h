/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device under test, sans-I/O: a queue pair that advertises memory and echoes Sends, as Responder or Initiator;
 * conforming, or a mutant. The Initiator starts with its own Send.
 */
#ifndef IWARP_TRAFFIC_TESTER_MUTANTS_SAMPLE_DEVICE_H
#define IWARP_TRAFFIC_TESTER_MUTANTS_SAMPLE_DEVICE_H

#include "traffic-gen/tester/mutants/misbehave.h"

struct sample_device_options {
    enum suite_dut role;
    const struct misbehaviour *how; /* NULL: conforming */
    uint8_t revision;               /* 0: the highest */
    bool markers, no_crc, plain;    /* plain: an Initiator without the enhanced data */
    bool peer_to_peer;
    bool ignorant;     /* does not understand requests for operations of its own (support/advert.h) */
    bool rpc;          /* instead of all this: RPC-over-RDMA (traffic-gen/tester/mutants/sample_rpc_device.h) */
    bool reads_by_v4;  /* of rpc */
    uint8_t rtr;       /* RTR types of the peer-to-peer mode; 0: all */
    int64_t t_startup; /* for a start-up frame; 0: 10 s */
    int64_t t_rest;    /* for the rest of an FPDU; 0: as t_startup */
};

struct sample_device;

/* stream is borrowed. */
struct sample_device *sample_device_new(const struct sample_device_options *options, const struct stream *stream);
void sample_device_free(struct sample_device *device);
struct qp *sample_device_qp(struct sample_device *device);

#endif

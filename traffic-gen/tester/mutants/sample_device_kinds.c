// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample devices as services: they echo and advertise their memory, or speak RPC-over-RDMA; some are mutants. */
#include "support/closest.h"
#include "traffic-gen/live/play/endpoint.h"
#include "traffic-gen/tester/mutants/sample_device.h"

#include <stdint.h>

static const struct misbehaviour *how;

static char *mutant_hint(const char *id, enum suite_dut role)
{
    struct closest closest = closest_to(id, SIZE_MAX);
    const struct misbehaviour *mutant;

    for (unsigned i = 0; (mutant = misbehave_at(i)); i++) {
        if (misbehave_find(mutant->id, role))
            closest_consider(&closest, mutant->id);
    }
    return closest_hint(&closest, " (see: iwarp-gen list mutants)");
}

static bool find_mutant(const struct endpoint_options *options, enum suite_dut role, char **error)
{
    how = NULL;
    if (!options->misbehave)
        return true;
    how = misbehave_find(options->misbehave, role);
    if (!how) {
        g_autofree char *hint = mutant_hint(options->misbehave, role);

        *error = g_strdup_printf("--misbehave: there is no mutant '%s' for %s%s", options->misbehave,
                                 role == DUT_RESPONDER ? "a Responder" : "an Initiator", hint);
    }
    return how;
}

static bool open_responder(const struct endpoint_options *options, char **error)
{
    return find_mutant(options, DUT_RESPONDER, error);
}

static bool open_initiator(const struct endpoint_options *options, char **error)
{
    return find_mutant(options, DUT_INITIATOR, error);
}

static void *kinds_make(const struct endpoint_options *options, const struct stream *stream, enum suite_dut role,
                        bool rpc)
{
    return sample_device_new(&(struct sample_device_options){.role = role,
                                                             .how = how,
                                                             .rpc = rpc,
                                                             .revision = (uint8_t)options->revision,
                                                             .markers = options->markers,
                                                             .no_crc = options->crc == ENDPOINT_CRC_AS_PEER,
                                                             .plain = options->plain,
                                                             .peer_to_peer = options->peer_to_peer,
                                                             .t_rest = options->t_rest},
                             stream);
}

static void *echo_make(const struct endpoint_options *options, const struct stream *stream)
{
    return kinds_make(options, stream, DUT_RESPONDER, false);
}

static void *rpc_make(const struct endpoint_options *options, const struct stream *stream)
{
    return kinds_make(options, stream, DUT_RESPONDER, true);
}

static void *echo_device_make(const struct endpoint_options *options, const struct stream *stream)
{
    return kinds_make(options, stream, DUT_INITIATOR, false);
}

static void *rpc_device_make(const struct endpoint_options *options, const struct stream *stream)
{
    return kinds_make(options, stream, DUT_INITIATOR, true);
}

static void echo_free(void *endpoint)
{
    sample_device_free(endpoint);
}

static struct qp *echo_qp(void *endpoint)
{
    return sample_device_qp(endpoint);
}

const struct endpoint_kind echo_server = {
    .name = "echo",
    .summary = "echoes Sends, and advertises its memory in private data: a device for iwarp-gen test",
    .misbehaves = true,
    .open = open_responder,
    .make = echo_make,
    .free = echo_free,
    .qp = echo_qp,
};

const struct endpoint_kind rpc_server = {
    .name = "rpc",
    .summary = "an NFS server with a separate tree for each connection: for iwarp-gen test --service=rpc",
    .misbehaves = true,
    .open = open_responder,
    .on_devices = true,
    .make = rpc_make,
    .free = echo_free,
    .qp = echo_qp,
};

const struct endpoint_kind echo_device = {
    .name = "echo",
    .summary = "starts with a Send, echoes Sends, and advertises its memory in private data",
    .misbehaves = true,
    .open = open_initiator,
    .make = echo_device_make,
    .free = echo_free,
    .qp = echo_qp,
};

const struct endpoint_kind rpc_device = {
    .name = "rpc",
    .summary = "an RPC-over-RDMA client",
    .misbehaves = true,
    .open = open_initiator,
    .on_devices = true,
    .make = rpc_device_make,
    .free = echo_free,
    .qp = echo_qp,
};

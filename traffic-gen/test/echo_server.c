// SPDX-License-Identifier: GPL-2.0-or-later
/* The device of the test suites as services: it echoes and tells its memory, or serves RPCs; or it is a mutant. */
#include "traffic-gen/live/endpoint.h"
#include "traffic-gen/test/subject.h"

static const struct misbehaviour *how;

static bool echo_open(const struct endpoint_options *options, char **error)
{
    how = NULL;
    if (!options->misbehave)
        return true;
    how = misbehave_find(options->misbehave, DUT_RESPONDER);
    if (!how)
        *error = g_strdup_printf("--misbehave: there is no mutant '%s' for a Responder", options->misbehave);
    return how;
}

static void *make(const struct endpoint_options *options, const struct stream *stream, bool rpc)
{
    return subject_new(&(struct subject_options){.role = DUT_RESPONDER,
                                                 .how = how,
                                                 .rpc = rpc,
                                                 .revision = (uint8_t)options->revision,
                                                 .markers = options->markers,
                                                 .no_crc = options->crc == ENDPOINT_CRC_AS_PEER},
                       stream);
}

static void *echo_make(const struct endpoint_options *options, const struct stream *stream)
{
    return make(options, stream, false);
}

static void *rpc_make(const struct endpoint_options *options, const struct stream *stream)
{
    return make(options, stream, true);
}

static void echo_free(void *endpoint)
{
    subject_free(endpoint);
}

static struct qp *echo_qp(void *endpoint)
{
    return subject_qp(endpoint);
}

const struct endpoint_kind echo_server = {
    .name = "echo",
    .summary = "sends back what is sent to it, and tells its memory in private data: a device for iwarp-gen test",
    .misbehaves = true,
    .open = echo_open,
    .make = echo_make,
    .free = echo_free,
    .qp = echo_qp,
};

const struct endpoint_kind rpc_server = {
    .name = "rpc",
    .summary =
        "an NFS server in memory, each connection with a tree of its own: a device for iwarp-gen test --suite=rpcrdma",
    .misbehaves = true,
    .open = echo_open,
    .make = rpc_make,
    .free = echo_free,
    .qp = echo_qp,
};

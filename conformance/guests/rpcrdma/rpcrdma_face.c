// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_face.h"

#include "conformance/guests/rpcrdma/rpcrdma_report.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/model/report.h"
#include "conformance/options/options.h"
#include "engine/stack/rpcrdma_ulp.h"

#include <string.h>

/* ---- taps ---- */

static enum direction face_direction_of(const struct guest_host *host, unsigned side)
{
    return side == stack_initiator(host->stack) ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static struct print_target face_print_target(const struct guest_host *host)
{
    unsigned initiator = stack_initiator(host->stack);

    return (struct print_target){.out = host->out,
                                 .start_ns = host->capture->start_ns,
                                 .connection = host->number,
                                 .file = host->capture->file,
                                 .ndjson = host->ndjson,
                                 .initiator = &host->endpoint[initiator],
                                 .responder = &host->endpoint[other_side(initiator)]};
}

static void face_on_message(void *ctx, const struct rpcrdma_message *message)
{
    const struct guest_host *host = ctx;
    struct print_target target = face_print_target(host);

    if (host->facts)
        rpcrdma_trouble_message(host->facts, message);
    if (host->notes)
        rpcrdma_note(host->notes, message);
    if (target.out && target.ndjson)
        rpcrdma_record(&target, face_direction_of(host, message->side), message);
    else if (target.out)
        rpcrdma_print(&target, face_direction_of(host, message->side), message);
}

static void face_on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    const struct guest_host *host = ctx;
    struct print_target target = face_print_target(host);

    if (host->facts)
        rpcrdma_trouble_payload(host->facts, payload);
    if (target.out && !target.ndjson && !payload->reply &&
        payload->transaction->open->call_header.proc == RPCRDMA_NOMSG)
        rpcrdma_print_long_call(&target, face_direction_of(host, payload->place.side), payload);
}

static const struct rpcrdma_taps taps = {.message = face_on_message, .payload = face_on_payload};

/* --stats */

static void on_message_collected(void *ctx, const struct rpcrdma_message *message)
{
    const struct guest_host *host = ctx;

    face_on_message(ctx, message);
    rpcrdma_collect_message(host->collector, rpcrdma_ulp_connection(stack_guest(host->stack, &rpcrdma_ulp)), message);
}

static void on_move_collected(void *ctx, const struct rpcrdma_move *move)
{
    rpcrdma_collect_move(((const struct guest_host *)ctx)->collector, move);
}

static void on_payload_collected(void *ctx, const struct rpcrdma_payload *payload)
{
    face_on_payload(ctx, payload);
    rpcrdma_collect_payload(((const struct guest_host *)ctx)->collector, payload);
}

static void on_retired_collected(void *ctx, struct rpcrdma_transaction *transaction)
{
    rpcrdma_collect_retired(((const struct guest_host *)ctx)->collector, transaction);
}

static const struct rpcrdma_taps collecting_taps = {.message = on_message_collected,
                                                    .move = on_move_collected,
                                                    .payload = on_payload_collected,
                                                    .retired = on_retired_collected};

static void *face_own(const struct check_options *options)
{
    struct rpcrdma_own *rpcrdma = g_new0(struct rpcrdma_own, 1);

    rpcrdma->options.assume_inline = options->assume_inline;
    rpcrdma->options.t_answer = options->t_answer;
    rpcrdma->taps = options->stats ? &collecting_taps : &taps;
    return rpcrdma;
}

static void add_statistics(void *guest, struct statistics *statistics, unsigned initiator)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_ulp_connection(guest);

    for (unsigned side = 0; rpcrdma_connection_is_rpcrdma(rpcrdma) && side < 2; side++) {
        bool negotiated;

        statistics->inline_limit[side ^ initiator] = rpcrdma_connection_threshold(rpcrdma, side, &negotiated);
    }
    if (rpcrdma_connection_client(rpcrdma) >= 0)
        statistics->client = rpcrdma_connection_client(rpcrdma) ^ (int)initiator;
}

/* A record of ONC RPC over TCP (RFC 5531 section 11) that begins with an NFS Call. */
static bool speaks_plainly(const uint8_t *p, size_t n)
{
    static const uint8_t call[] = {0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3}; /* CALL, RPC 2, program 100003 */

    return n >= 8 + sizeof call && (p[0] & 0x80) != 0 && memcmp(p + 8, call, sizeof call) == 0;
}

static const uint16_t ports[] = {20049, 2049, 0};

static const struct trouble_enable enable_on[] = {
    {"linux", "is RDMA on at the server (rdma=y in /etc/nfs.conf, /proc/fs/nfsd/portlist)?"},
    {"ganesha", "is RDMA on at the server (NFSRDMA among the Protocols of NFS_CORE_PARAM in ganesha.conf)?"},
    {NULL, NULL}};

const struct guest_face rpcrdma_face = {
    .kind = &rpcrdma_ulp,
    .plain = "NFS",
    .ports = ports,
    .enable =
        "is RDMA on at the server (Linux: rdma=y in /etc/nfs.conf, /proc/fs/nfsd/portlist; Ganesha: NFSRDMA among "
        "the Protocols in ganesha.conf)?",
    .enable_on = enable_on,
    .where = "NFS over RDMA usually has port 20049",
    .speaks_plainly = speaks_plainly,
    .judged = true,
    .own = face_own,
    .print_private_data = rpcrdma_print_private_data,
    .add_statistics = add_statistics,
    .add_trouble = rpcrdma_trouble_end,
    .take = rpcrdma_report_take,
    .free = rpcrdma_report_free,
    .title = rpcrdma_report_title,
    .write_text = rpcrdma_report_text,
    .member = "rpcrdma",
    .write_json = rpcrdma_report_json,
    .read_json = rpcrdma_report_read,
    .join = rpcrdma_report_join,
    .write_junit = rpcrdma_report_junit,
    .add_statuses = rpcrdma_report_statuses,
    .write_html_terms = rpcrdma_report_html_terms,
    .write_html = rpcrdma_report_html};

// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS client's life cycle, and its RPCs: from a step to a Call, and from a Reply to an answer. */
#include "traffic-gen/ends/nfs/client/nfs_client.h"

#include "traffic-gen/ends/nfs/client/nfs_client_v4.h"
#include "traffic-gen/ends/nfs/tree/nfs_status.h"
#include "traffic-gen/ends/stack/rpc_header.h"

#include <inttypes.h>

enum {
    STATUS_GRACE = 10013,
    IO_DEFAULT = 65536,
    LIST_DEFAULT = 8192,
    INLINE_DEFAULT = 512,
    READ_MAX_V2 = 8192,
};

#define AGAIN_NS INT64_C(1000000000)

/* ---- life ---- */

static const struct client_dialect *find_dialect(const struct nfs_client_options *options)
{
    switch (options->version) {
    case 2:
        return &client_v2;
    case 3:
        return &client_v3;
    case 4:
        return options->minor == 0 ? &client_v40 : options->minor <= 2 ? &client_v41 : NULL;
    default:
        return NULL;
    }
}

static void identify(struct nfs_client *client, uint64_t seed)
{
    client->random.state = seed;
    client->xid = (uint32_t)random_next(&client->random);
    client->v4.client_verifier = random_next(&client->random);
}

static void client_take_root(struct nfs_client *client)
{
    if (!client->options.root)
        return;
    memcpy(client->root.p, client->options.root, client->options.root_octets);
    client->root.n = client->options.root_octets;
}

struct nfs_client *nfs_client_new(const struct nfs_client_options *options, const struct nfs_job *jobs, unsigned n_jobs,
                                  const struct nfs_client_events *events)
{
    const struct client_dialect *dialect = find_dialect(options);
    struct nfs_client *client;

    if (!dialect || options->root_octets > CLIENT_HANDLE_MAX)
        return NULL;
    client = g_new0(struct nfs_client, 1);
    client->options = *options;
    client->options.depth = CLAMP(options->depth, 1, CLIENT_FLIGHTS_MAX);
    if (options->list_octets == 0)
        client->options.list_octets = LIST_DEFAULT;
    if (options->inline_octets == 0)
        client->options.inline_octets = INLINE_DEFAULT;
    if (!options->export)
        client->options.export = "/";
    client->read_max = client->write_max = options->io_octets ? options->io_octets : IO_DEFAULT;
    if (options->version == 2)
        client->read_max = client->write_max = MIN(client->read_max, READ_MAX_V2);
    client->events = *events;
    client->dialect = dialect;
    client->jobs = jobs;
    client->n_jobs = n_jobs;
    identify(client, options->seed);
    for (unsigned i = 0; i < CLIENT_FLIGHTS_MAX; i++)
        client->v4.slots[i] = 1;
    client_take_root(client);
    return client;
}

void nfs_client_settle(struct nfs_client *client, const struct nfs_client_place *place)
{
    identify(client, place->seed);
    if (place->export)
        client->options.export = place->export;
    client->options.root = place->root_octets <= CLIENT_HANDLE_MAX ? place->root : NULL;
    client->options.root_octets = place->root_octets;
    client->first_delay_ns = place->first_delay_ns;
    client_take_root(client);
}

void nfs_client_free(struct nfs_client *client)
{
    if (!client)
        return;
    if (client->v4.back_reply)
        g_byte_array_unref(client->v4.back_reply);
    g_free(client->trouble);
    g_free(client);
}

bool nfs_client_is_finished(const struct nfs_client *client)
{
    return client->stage == CLIENT_FINISHED;
}

const char *nfs_client_trouble(const struct nfs_client *client)
{
    return client->trouble;
}

const struct nfs_client_report *nfs_client_report(const struct nfs_client *client)
{
    return &client->report;
}

static void client_finish(struct nfs_client *client)
{
    client->stage = CLIENT_FINISHED;
    if (client->events.finished)
        client->events.finished(client->events.ctx, client->trouble);
}

/* The subject of a message: the current job with its path. */
static void append_place(const struct nfs_client *client, GString *text)
{
    if (client->stage == CLIENT_JOBS) {
        const struct nfs_job *job = &client->jobs[client->index];

        g_string_append_printf(text, "%s %s: ", nfs_job_name(job->kind), job->path ? job->path : "");
    } else {
        g_string_append(text, client->stage == CLIENT_BEFORE ? "mounting: " : "unmounting: ");
    }
}

void client_fail(struct nfs_client *client, const char *format, ...)
{
    GString *text = g_string_new(NULL);
    va_list args;

    if (client->stage == CLIENT_FINISHED) {
        g_string_free(text, TRUE);
        return;
    }
    append_place(client, text);
    va_start(args, format);
    g_string_append_vprintf(text, format, args);
    va_end(args);
    client->trouble = g_string_free(text, FALSE);
    client_finish(client);
}

/* ---- the next step ---- */

static void begin_job(struct nfs_client *client, unsigned index)
{
    client->index = index;
    client->report.jobs = index;
    client->phase = 0;
}

/* The step `kind` for setting up and taking down. */
static bool send_plain(struct nfs_client *client, enum client_step_kind kind)
{
    struct client_step step = {.kind = kind};

    if ((kind == STEP_MOUNT || kind == STEP_UNMOUNT) && client->options.root && client->options.version < 4)
        return false;
    if (kind == STEP_RETURN && !v4_holds_delegations(client))
        return false;
    step.handle = client->root;
    return client_send(client, &step);
}

/* Both: true if there is something else to do at once. */
static bool go_on_with_jobs(struct nfs_client *client)
{
    if (client->index >= client->n_jobs) {
        client->stage = CLIENT_AFTER;
        client->index = 0;
        return true;
    }
    if (!client_job_step(client, NULL, NULL) || client->stage == CLIENT_FINISHED)
        return false;
    if (client->jobs[client->index].expect != CLIENT_STATUS_OK) {
        client_fail(client, "expected status %" PRIu32 "; found 0", client->jobs[client->index].expect);
        return false;
    }
    begin_job(client, client->index + 1);
    return true;
}

static bool go_on_around_jobs(struct nfs_client *client)
{
    const enum client_step_kind *kinds =
        client->stage == CLIENT_BEFORE ? client->dialect->before : client->dialect->after;

    if (kinds[client->index] != STEP_NULL) {
        if (send_plain(client, kinds[client->index]))
            return false;
        client->index++;
    } else if (client->stage == CLIENT_BEFORE) {
        client->stage = CLIENT_JOBS;
        begin_job(client, 0);
    } else {
        client_finish(client);
    }
    return true;
}

/* Continues until something is in flight, or everything is done. */
static void client_go_on(struct nfs_client *client)
{
    while (client->stage != CLIENT_FINISHED &&
           (client->stage == CLIENT_JOBS ? go_on_with_jobs(client) : go_on_around_jobs(client)))
        ;
}

void nfs_client_start(struct nfs_client *client)
{
    client->is_delayed = client->first_delay_ns > 0;
    if (!client->is_delayed)
        client_go_on(client);
}

/* ---- Calls ---- */

static void send_flight(struct nfs_client *client, unsigned slot)
{
    struct client_flight *flight = &client->flights[slot];
    const struct client_rpc *rpc = &client->dialect->rpcs[flight->step.kind];
    const struct nfs_template *procedure = client_procedure(client, rpc);
    const struct rpc_message call = {
        .xid = client->xid++, .prog = procedure->program, .vers = procedure->version, .proc = procedure->number};
    struct rpc_end_message message;
    struct rpc_end_how how = client->options.how;
    struct xdr_out out;

    flight->is_waiting = false;
    flight->xid = call.xid;
    xdr_out_begin(&out);
    rpc_call_header(&out, &call, &(struct rpc_caller){.uid = client->options.uid, .gid = client->options.gid});
    if (!rpc->procedure)
        v4_begin_returns(client, &flight->step);
    client_put_arguments(client, &flight->step, rpc, &out);
    client_plan(client, &flight->step, &how);
    xdr_out_take(&out, &message);
    client->report.calls++;
    client->events.call(client->events.ctx, &message, &how, (uint64_t)flight->xid << 8 | slot);
    g_free(message.p);
}

bool client_send(struct nfs_client *client, const struct client_step *step)
{
    unsigned slot = 0;

    if (!client->dialect->rpcs[step->kind].procedure && !client->dialect->rpcs[step->kind].words)
        return false;
    while (slot < client->options.depth - 1 && client->flights[slot].is_used)
        slot++;
    client->flights[slot] = (struct client_flight){.is_used = true, .step = *step};
    client->flights[slot].step.slot = slot;
    client->in_flight++;
    send_flight(client, slot);
    return true;
}

static bool is_time(int64_t *at_ns, int64_t delay_ns, int64_t now_ns)
{
    if (*at_ns == 0)
        *at_ns = now_ns + delay_ns;
    return now_ns >= *at_ns;
}

void nfs_client_tick(struct nfs_client *client, int64_t now_ns)
{
    bool any = false;

    if (client->is_delayed && client->stage != CLIENT_FINISHED &&
        is_time(&client->first_ns, client->first_delay_ns, now_ns)) {
        client->is_delayed = false;
        client_go_on(client);
        return;
    }

    for (unsigned i = 0; i < CLIENT_FLIGHTS_MAX; i++)
        any |= client->flights[i].is_waiting;
    if (!any || client->stage == CLIENT_FINISHED || !is_time(&client->again_ns, AGAIN_NS, now_ns))
        return;
    client->again_ns = 0;
    for (unsigned i = 0; i < CLIENT_FLIGHTS_MAX; i++)
        if (client->flights[i].is_waiting)
            send_flight(client, i);
}

/* ---- Replies ---- */

static const char *result_text(enum rpc_end_result result)
{
    static const char *const texts[] = {
        [RPC_END_REPLIED] = "no Reply came",
        [RPC_END_ERR_VERS] = "the peer answered with RDMA_ERROR, ERR_VERS",
        [RPC_END_ERR_CHUNK] = "the peer answered with RDMA_ERROR, ERR_CHUNK",
        [RPC_END_LOST] = "the connection has ended",
        [RPC_END_GARBAGE] = "the Reply's chunks do not fit its results",
        [RPC_END_UNSENT] = "the Call's chunks do not fit the inline threshold",
    };

    return texts[result];
}

static void next_job(struct nfs_client *client)
{
    begin_job(client, client->index + 1);
    client_go_on(client);
}

static void client_take_answer(struct nfs_client *client, const struct client_step *step,
                               const struct client_answer *answer)
{
    const struct nfs_job *job = client->stage == CLIENT_JOBS ? &client->jobs[client->index] : NULL;

    if (answer->status == CLIENT_STATUS_MALFORMED) {
        client_fail(client, "the results cannot be decoded");
    } else if (answer->status != CLIENT_STATUS_OK && (!job || job->expect != answer->status)) {
        client_fail(client, "the server answered %s (%" PRIu32 ")", nfs_status_name(answer->status), answer->status);
    } else if (answer->status != CLIENT_STATUS_OK) {
        client->is_draining = client->in_flight > 0; /* as the job expects */
        if (!client->is_draining)
            next_job(client);
    } else if (!job) {
        if (step->kind == STEP_MOUNT)
            client->root = answer->handle;
        client->index++;
        client_go_on(client);
    } else if (client_job_step(client, step, answer) && client->stage == CLIENT_JOBS) {
        client->phase = UINT_MAX; /* all phases of the job have ended; client_go_on() compares the result with the
                                     expected result */
        client_go_on(client);
    }
}

void nfs_client_replied(struct nfs_client *client, uint64_t cookie, enum rpc_end_result result,
                        const struct rpc_end_message *reply)
{
    struct client_flight *flight = &client->flights[cookie % 256 % CLIENT_FLIGHTS_MAX];
    const struct client_rpc *rpc = &client->dialect->rpcs[flight->step.kind];
    const struct client_step step = flight->step;
    struct client_answer answer = {0};
    g_autofree char *why = NULL;
    struct xdr x;

    if (client->stage == CLIENT_FINISHED || !flight->is_used || flight->is_waiting || flight->xid != cookie >> 8)
        return;
    if (result != RPC_END_REPLIED || !reply) {
        client_fail(client, "%s", result_text(result));
        return;
    }
    why = rpc_reply_open(reply->p, reply->n, flight->xid, &x);
    if (why) {
        client_fail(client, "%s", why);
        return;
    }
    client_take(client, &step, rpc, &x, &answer);
    if (answer.status == CLIENT_STATUS_DELAY || answer.status == STATUS_GRACE) {
        flight->is_waiting = true;
        return;
    }
    flight->is_used = false;
    client->in_flight--;
    if (!client->is_draining) {
        client_take_answer(client, &step, &answer);
    } else if (client->in_flight == 0) {
        client->is_draining = false;
        next_job(client);
    }
}

void nfs_client_lost(struct nfs_client *client)
{
    client_fail(client, "%s", result_text(RPC_END_LOST));
}

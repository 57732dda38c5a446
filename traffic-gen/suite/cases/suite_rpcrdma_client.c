// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma, for clients: Replies, errors, Calls in the reverse direction (RFC 8167), and access to memory that the
 * device offered. Until the stimulus our side is its NFS server.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/rpc_port.h"
#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    WARM_UP = 12, /* Calls that are served before a case begins */
    BURST_MAX = 32,
    REACH_MAX = 32,
    LATE_CALLS = 4
};

/* ---- what all cases do ---- */

/* Serves the device's Calls until it has made one of each kind. False: verdict is set. */
static bool warm_up(struct rpc_talker *talker)
{
    rpc_talker_serve(talker, WARM_UP, talk_t_close(talker->talk));
    if (talker->served > 0 && !talker->fed_end)
        return true;
    if (!rpc_talker_left_early(talker))
        talk_inconclusive(talker->talk, "the device makes no Calls: keep it busy");
    return false;
}

enum chunk_kind { READ_CHUNK, WRITE_CHUNK, REPLY_CHUNK };

/* Its first segment. */
static bool has_chunk(const struct talker_heard *call, enum chunk_kind kind, struct rpcrdma_segment *segment)
{
    const struct rpcrdma_header *header = &call->header;
    struct rpcrdma_chunk chunk = {0};

    if (kind == READ_CHUNK && header->read.n > 0)
        *segment = rpcrdma_read_segment_at(header, call->p, 0).target;
    if (kind == READ_CHUNK)
        return header->read.n > 0;
    if (kind == REPLY_CHUNK && header->has_reply) {
        chunk = rpcrdma_reply_chunk(header);
    } else if (kind == WRITE_CHUNK) {
        chunk = rpcrdma_write_begin(header);
        if (!rpcrdma_write_next(header, call->p, &chunk))
            return false;
    }
    if (chunk.n > 0)
        *segment = rpcrdma_segment_at(&chunk, call->p, 0);
    return chunk.n > 0;
}

/* A held Call with such a chunk: its index, and the first segment. */
static int held_with(const struct rpc_talker *talker, enum chunk_kind kind, struct rpcrdma_segment *segment)
{
    for (unsigned i = 0; i < talker->n_held; i++) {
        const struct talker_heard *call = rpc_talker_find_call(talker, talker->held[i].xid);

        if (call && has_chunk(call, kind, segment))
            return (int)i;
    }
    return -1;
}

/*
 * Serves until a Call with such a chunk waits. A device does other things in between, perhaps for long. -1: verdict is
 * set.
 */
static int await_chunk(struct rpc_talker *talker, enum chunk_kind kind, struct rpcrdma_segment *segment)
{
    int64_t until = talk_now() + 3 * talk_t_close(talker->talk);

    talker->hold = true;
    while (talk_now() < until && !talker->fed_end) {
        int index;

        if (!rpc_talker_wait_calls(talker, 1))
            return -1;
        rpc_talker_pump(talker, 0, NULL);
        index = held_with(talker, kind, segment);
        if (index >= 0)
            return index;
        while (talker->n_held > 0)
            rpc_talker_answer(talker, 0);
    }
    if (!rpc_talker_left_early(talker))
        talk_not_applicable(talker->talk, "the device makes no Call with such a chunk");
    return -1;
}

static bool is_over(const struct rpc_talker *talker)
{
    return talker->terminated || talker->fed_end;
}

/* An RDMA Write of n octets into the device's memory, or a Read from there. */
static void reach(struct rpc_talker *talker, enum qp_kind kind, const struct rpcrdma_segment *segment, uint32_t n)
{
    static const uint8_t octets[REACH_MAX] = "too late";
    const struct rpcrdma_segment sink = rpc_talker_segment(talker, true, 0, REACH_MAX);

    rpc_talker_post(talker, &(struct qp_work){.kind = kind,
                                              .p = kind == QP_WRITE ? octets : NULL,
                                              .n = MIN(n, segment->length),
                                              .remote_stag = segment->handle,
                                              .remote_to = segment->offset,
                                              .sink_stag = sink.handle,
                                              .sink_to = sink.offset});
}

/* ---- Replies ---- */

/* All pending Calls of the device are answered at once. */
static void together(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (!warm_up(talker))
        return;
    talker->hold = true;
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    if (talker->n_held == 0)
        talk_inconclusive(talker->talk, "the device has no Calls outstanding");
    else
        rpc_talker_judge_continues(talker, "all Replies at once");
}

static void spoil_credit(void *ctx, struct rpcrdma_plan *plan)
{
    (void)ctx;
    if (plan->proc == RPCRDMA_ERROR)
        plan->credit = 0;
}

static void spoil_version(void *ctx, struct rpcrdma_plan *plan)
{
    (void)ctx;
    if (plan->proc == RPCRDMA_ERROR) {
        plan->err = RPCRDMA_ERR_VERS;
        plan->vers_low = plan->vers_high = 2;
    }
}

static unsigned times_heard(const struct rpc_talker *talker, uint32_t xid)
{
    unsigned times = 0;

    for (guint i = 0; i < talker->heard->len; i++) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        times += heard->call && heard->header.xid == xid;
    }
    return times;
}

enum { PERMANENT, NO_CREDIT, ERR_VERS };

/* One Call is answered by RDMA_ERROR: it is over, the others are not, and it is not repeated unchanged. */
static void refused(struct rpc_talker *talker, const struct suite_case *row)
{
    void (*const hooks[])(void *ctx, struct rpcrdma_plan *plan) = {NULL, spoil_credit, spoil_version};
    uint32_t xid;

    if ((row->variant != NO_CREDIT && !warm_up(talker)) || !rpc_talker_wait_calls(talker, 1))
        return;
    xid = talker->held[0].xid;
    rpc_talker_spoil_headers(talker, hooks[row->variant]);
    rpc_end_refuse(talker->end, talker->held[0].id);
    talker->served++;
    rpc_talker_spoil_headers(talker, NULL);
    rpc_talker_drop(talker, 0);
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    rpc_talker_judge_continues(talker, "RDMA_ERROR");
    if (times_heard(talker, xid) > 1)
        talk_failed(talker->talk, "expected the refused Call not to be repeated; it came again with its XID");
}

/* ---- a failed READ ---- */

/* How its Write chunk comes back. */
enum { UNMODIFIED, EMPTY, TOO_LONG, TOO_MANY };

/*
 * The first Write chunk of a Call, at most RPC_END_SEGMENTS_MAX of its segments: no served Call has more, but the
 * device may have sent another with that XID since.
 */
static uint32_t write_chunk_of(const struct rpc_talker *talker, uint32_t xid, struct rpcrdma_segment *segments)
{
    const struct talker_heard *heard = rpc_talker_find_call(talker, xid);
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&heard->header);
    uint32_t n = 0;

    if (rpcrdma_write_next(&heard->header, heard->p, &chunk))
        for (; n < MIN(chunk.n, RPC_END_SEGMENTS_MAX); n++)
            segments[n] = rpcrdma_segment_at(&chunk, heard->p, n);
    return n;
}

static void reply_io_error(struct rpc_talker *talker, uint32_t xid, int chunk)
{
    struct rpcrdma_segment segments[RPC_END_SEGMENTS_MAX + 1] = {0};
    struct rpcrdma_write_plan writes = {segments, write_chunk_of(talker, xid, segments)};
    const struct rpcrdma_plan plan = {
        .xid = xid, .vers = RPCRDMA_VERSION, .credit = 8, .writes = &writes, .n_writes = 1};
    uint8_t reply[64];
    struct xdr_writer w = {.p = reply, .size = sizeof reply};

    if (chunk == EMPTY)
        writes.n = 0;
    writes.n += chunk == TOO_MANY;
    segments[0].length += chunk == TOO_LONG ? 4 : 0;
    rpc_reply_encode(&(struct rpc_message){.xid = xid}, NULL, &w);
    xdr_put_u32(&w, 5); /* NFS3ERR_IO */
    xdr_put_u32(&w, 0); /* no attributes */
    rpc_talker_send_plan(talker, &plan, reply, w.at);
}

static void failed_read(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment;
    int index = await_chunk(talker, WRITE_CHUNK, &segment);

    if (index < 0)
        return;
    reply_io_error(talker, talker->held[index].xid, row->variant);
    rpc_talker_drop(talker, (unsigned)index);
    rpc_talker_judge_continues(talker, "a failed READ");
}

/*
 * A Reply whose chunks are not those of the Call is ignored, and the Call is still pending; or the Call is over, in
 * error: the document words neither. Then its memory is closed, and the Write into it, which comes next, ends the
 * connection. What the Reply itself must not do is end it.
 */
static void wrong_chunk(struct rpc_talker *talker, const struct suite_case *row)
{
    const int64_t a_while = talk_t_react(talker->talk) / 2;
    struct rpcrdma_segment segment;
    int index = await_chunk(talker, WRITE_CHUNK, &segment);

    if (index < 0)
        return;
    reply_io_error(talker, talker->held[index].xid, row->variant);
    rpc_talker_pump(talker, a_while, NULL);
    if (is_over(talker)) {
        if (!rpc_talker_judge_unmounted(talker))
            talk_failed(talker->talk, "expected the Reply to end at most its Call; the device ended the connection%s",
                        talker->terminated && !talker->port->is_blind ? " with a Terminate" : "");
        return;
    }
    reach(talker, QP_WRITE, &segment, REACH_MAX);
    rpc_talker_pump(talker, a_while, is_over);
    if (is_over(talker))
        talk_passed(talker->talk, "the Call is over: a Write into its chunk is refused (%s)",
                    rpc_talker_end_words(talker));
    else
        rpc_talker_judge_continues(
            talker, "a Reply with a chunk that was not offered, a Write into the Call's chunk, the Reply");
}

/* ---- remote invalidation ---- */

static void invalidated(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment;

    (void)row;
    if (!talker->tells || !talker->peer_data.remote_invalidation)
        talk_not_applicable(talker->talk, "the device does not set R");
    else if (await_chunk(talker, READ_CHUNK, &segment) >= 0)
        /* From now on the stack replies to Calls with chunks by Sends with Invalidate. */
        rpc_talker_judge_continues(talker, "Replies by Send with Invalidate");
}

/* ---- the device's memory ---- */

enum { LATE_WRITE = 8, LATE_WRITE_REPLY = 16, LATE_READ = 24 };

/* After the Reply the memory belongs to the device alone. */
static void late_write(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    struct rpcrdma_segment segment;
    int index = await_chunk(talker, row->variant == LATE_WRITE ? WRITE_CHUNK : REPLY_CHUNK, &segment);

    if (index < 0)
        return;
    rpc_talker_answer(talker, (unsigned)index);
    rpc_talker_pump(talker, talk_t_react(talk) / 2, NULL); /* the device has received the Reply */
    reach(talker, QP_WRITE, &segment, (uint32_t)row->variant);
    rpc_talker_pump(talker, talk_t_close(talk), is_over);
    if (is_over(talker) && rpc_talker_judge_unmounted(talker))
        return;
    if (is_over(talker))
        talk_passed(talk, "%s", rpc_talker_end_words(talker));
    else
        talk_failed(talk, "expected a Write into a chunk refused after the Reply; the device accepted it");
    rpc_talker_serve(talker, LATE_CALLS, talk_t_react(talk)); /* so that the recording shows it too */
}

/* Until the Reply the responder may use it as often and as late as it likes. */
static void late_read(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment;

    (void)row;
    if (await_chunk(talker, READ_CHUNK, &segment) < 0)
        return;
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    reach(talker, QP_READ, &segment, LATE_READ);
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 2, NULL);
    rpc_talker_judge_continues(talker, "a Read of a chunk before the Reply");
}

/* ---- the reverse direction ---- */

/* A NULL Call of the callback program with that XID; with a Reply chunk if wished. */
static void call_back(struct rpc_talker *talker, uint32_t xid, uint32_t credit, bool chunk)
{
    const uint32_t words[] = {xid, RPC_CALL, RPC_VERSION, NFS_PROGRAM_CALLBACK_FIRST, 1, 0, 0, 0, 0, 0};
    struct rpcrdma_segment segment = rpc_talker_segment(talker, true, 0, 1000);
    const struct rpcrdma_write_plan reply = {&segment, 1};
    const struct rpcrdma_plan plan = {
        .xid = xid, .vers = RPCRDMA_VERSION, .credit = credit, .reply = chunk ? &reply : NULL};
    uint8_t octets[sizeof words];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_put_u32(&w, words[i]);
    rpc_talker_send_plan(talker, &plan, octets, w.at);
}

/* Warm, it answers the server's first Call. False: verdict is set. */
static bool takes_calls(struct rpc_talker *talker, uint32_t kind)
{
    uint32_t xid = talker->xids + kind;
    enum rpc_answer answer;

    if (!warm_up(talker))
        return false;
    call_back(talker, xid, 1, false);
    /* As patient as at the start: silence makes the case not applicable, so a device that is merely slow must not be
     * taken for one that serves no Calls. */
    answer = rpc_talker_await(talker, xid, MAX(talk_t_react(talker->talk), talk_t_start(talker->talk)));
    if (answer & (RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR | RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK))
        return true;
    if (answer == RPC_ANSWER_GONE)
        talk_failed(talker->talk, "the server's first Call ends the connection");
    else
        talk_not_applicable(talker->talk, "the device answers no Calls from the server on this connection");
    return false;
}

static void first_callback(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (takes_calls(talker, TALKER_XID_FIRST))
        rpc_talker_judge_continues(talker, "the server's first Call is answered");
}

/* As many as it grants, while all of its own Calls are pending. */
static void callbacks(struct rpc_talker *talker, const struct suite_case *row)
{
    const uint32_t xid = talker->xids + TALKER_XID_BURST;
    struct talk *talk = talker->talk;
    uint32_t n;

    (void)row;
    if (!takes_calls(talker, TALKER_XID_BURST))
        return;
    n = CLAMP(talker->grant, 1, BURST_MAX);
    talker->hold = true;
    rpc_talker_pump(talker, talk_t_react(talk) / 4, NULL);
    for (uint32_t i = 1; i <= n; i++)
        call_back(talker, xid + i, n, false);
    for (uint32_t i = 1; i <= n; i++) {
        enum rpc_answer answer = rpc_talker_await(talker, xid + i, talk_t_react(talk));

        if (answer == RPC_ANSWER_SILENCE || answer == RPC_ANSWER_GONE) {
            talk_failed(
                talk,
                "expected an answer to each of %u simultaneous Calls from the server, as granted; number %u has %s", n,
                i, rpc_answer_words(answer));
            return;
        }
    }
    rpc_talker_judge_continues(talker, "as many Calls from the server as granted are answered");
}

/* An answer, or a failure; after it another Call, so that the recording shows that none will come. */
static void judge_callback(struct rpc_talker *talker, uint32_t xid, unsigned allowed)
{
    const uint32_t last = talker->xids + TALKER_XID_BURST + BURST_MAX;
    enum rpc_answer answer = rpc_talker_await(talker, xid, talk_t_react(talker->talk));

    rpcrdma_judge(talker, allowed, answer);
    if (answer == RPC_ANSWER_SILENCE) {
        call_back(talker, last, 1, false);
        rpc_talker_await(talker, last, talk_t_react(talker->talk));
    }
}

/* The same XID in both directions. */
static void same_xid(struct rpc_talker *talker, const struct suite_case *row)
{
    uint32_t xid;

    (void)row;
    if (!takes_calls(talker, TALKER_XID_BURST) || !rpc_talker_wait_calls(talker, 1))
        return;
    xid = talker->held[0].xid;
    call_back(talker, xid, 1, false);
    judge_callback(talker, xid, RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR);
    rpc_talker_judge_continues(talker, "a Call from the server with the XID of a Call of the device is answered");
}

static void chunked_callback(struct rpc_talker *talker, const struct suite_case *row)
{
    const uint32_t xid = talker->xids + TALKER_XID_BURST + 1;

    (void)row;
    if (!takes_calls(talker, TALKER_XID_BURST))
        return;
    call_back(talker, xid, 1, true);
    judge_callback(talker, xid, RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR | RPC_ANSWER_ERR_CHUNK);
}

/*
 * Serves until as many Calls are pending as are granted. Where the device makes one at a time, each waits a little; not
 * so long that what the device does seems stuck.
 */
static bool are_outstanding(struct rpc_talker *talker, unsigned n)
{
    int64_t until = talk_now() + 3 * talk_t_close(talker->talk);

    talker->hold = true;
    while (talk_now() < until && !talker->fed_end) {
        rpc_talker_pump(talker, talk_t_react(talker->talk) / 200, NULL);
        if (talker->n_held >= n)
            return true;
        while (talker->n_held > 0)
            rpc_talker_answer(talker, 0);
    }
    if (!rpc_talker_left_early(talker))
        talk_inconclusive(talker->talk, "the device never has %u Calls outstanding: keep it busy", n);
    return false;
}

/* What a Call from the server requests is no grant. */
static void request_is_no_grant(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (!warm_up(talker) || !are_outstanding(talker, talker->credits))
        return;
    call_back(talker, talker->xids + TALKER_XID_BURST, 1000, false);
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    if (talker->n_held > talker->credits)
        talk_failed(talker->talk, "expected at most the Calls granted; found %u outstanding with a grant of %u",
                    talker->n_held, talker->credits);
    else if (is_over(talker) && !rpc_talker_judge_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    else
        talk_passed(talker->talk, "%u Calls are outstanding, as granted, and no more come", talker->n_held);
}

/* ---- other parameters ---- */

static void parameters_as_server(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (warm_up(talker))
        rpc_talker_judge_continues(talker, "with these parameters");
    else if (talker->fed_end && !rpc_talker_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    talker->left_early = false; /* the parameters are the stimulus */
}

/* A server that has no such problem makes files. */
static void parameters_as_client(struct talk *talk, const struct talker_wish *wish)
{
    struct rpc_talker talker;
    bool good = rpc_talker_open(&talker, talk, wish);

    if (!good && talker.open)
        talk_failed(talk, "no Calls are answered with these parameters");
    for (unsigned i = 0; i < WARM_UP && good; i++)
        good = rpc_talker_alive(&talker);
    if (good && rpc_talker_file(&talker))
        talk_passed(talk, "Calls are answered, and a file is made");
    rpc_talker_close(&talker);
}

static void parameters(struct talk *talk, const struct suite_case *row)
{
    struct rpcrdma_wish wish;

    if (!talk_is_initiator(talk)) {
        rpcrdma_on_connection(talk, row, parameters_as_server);
        return;
    }
    if (rpcrdma_wish(talk, row, &wish) && rpc_talker_first_version(talk, &wish.wish.version))
        parameters_as_client(talk, &wish.wish);
    rpcrdma_wish_clear(&wish);
}

static const struct suite_case tests[] = {
#include "suite_rpcrdma_client.inc"
};

const struct suite suite_rpcrdma_client = {"rpcrdma", tests, G_N_ELEMENTS(tests)};

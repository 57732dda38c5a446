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
    LATE_OCTETS = 32,
    LATE_CALLS = 4
};

/* ---- what all cases do ---- */

/* A case on the device's next connection, or on another one if the device unmounts meanwhile. */
#define CASE(name, ...)                                                                                                \
    static void name(struct talk *talk, const struct suite_case *row)                                                  \
    {                                                                                                                  \
        const struct talker_wish wish = {__VA_ARGS__};                                                                 \
                                                                                                                       \
        rpc_talker_with_client(talk, row, &wish, name##_one);                                                          \
    }

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

/* The chunks of a held Call, as its Send offers them. NULL: no such Call. */
static const struct talker_heard *call_of(const struct rpc_talker *talker, uint32_t xid)
{
    for (guint i = talker->heard->len; i-- > 0;) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        if (heard->call && heard->header.xid == xid)
            return heard;
    }
    return NULL;
}

enum chunk_kind { READ_CHUNK, WRITE_CHUNK, REPLY_CHUNK };

/* A held Call with such a chunk: its index, and the first segment. */
static int held_with(const struct rpc_talker *talker, enum chunk_kind kind, struct rpcrdma_segment *segment)
{
    for (unsigned i = 0; i < talker->n_held; i++) {
        const struct talker_heard *heard = call_of(talker, talker->held[i].xid);
        struct rpcrdma_chunk chunk = {0};

        if (!heard)
            continue;
        if (kind == READ_CHUNK && heard->header.read.n > 0) {
            *segment = rpcrdma_read_segment_at(&heard->header, heard->p, 0).target;
            return (int)i;
        }
        if (kind == WRITE_CHUNK) {
            chunk = rpcrdma_write_begin(&heard->header);
            if (!rpcrdma_write_next(&heard->header, heard->p, &chunk))
                continue;
        } else if (kind == REPLY_CHUNK && heard->header.has_reply) {
            chunk = rpcrdma_reply_chunk(&heard->header);
        }
        if (chunk.n > 0) {
            *segment = rpcrdma_segment_at(&chunk, heard->p, 0);
            return (int)i;
        }
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

/* ---- Replies ---- */

/* All pending Calls of the device are answered at once. */
static void together_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;

    (void)row;
    if (warm_up(talker)) {
        unsigned n;

        talker->hold = true;
        rpc_talker_pump(talker, talk_t_react(talk) / 4, NULL);
        n = talker->n_held;
        if (n == 0)
            talk_inconclusive(talk, "the device has no Calls outstanding");
        else
            rpc_talker_judge_continues(talker, "all Replies at once");
    }
}
CASE(together, .credits = BURST_MAX)

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

enum { PERMANENT, NO_CREDIT, ERR_VERS, NFS_PERMANENT };
enum { NFS_CREDITS = 9 /* distinguishes the two */ };

/* One Call is answered by RDMA_ERROR: it is over, the others are not, and it is not repeated unchanged. */
static void refused_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    void (*const hooks[])(void *ctx, struct rpcrdma_plan *plan) = {NULL, spoil_credit, spoil_version, NULL};

    if ((row->variant == NO_CREDIT || warm_up(talker)) && rpc_talker_wait_calls(talker, 1)) {
        uint32_t xid = talker->held[0].xid;
        unsigned again = 0;

        rpc_talker_spoil_headers(talker, hooks[row->variant]);
        rpc_end_refuse(talker->end, talker->held[0].id);
        talker->served++;
        rpc_talker_spoil_headers(talker, NULL);
        g_free(talker->held[0].call.p);
        talker->held[0] = talker->held[--talker->n_held];
        rpc_talker_pump(talker, talk_t_react(talk) / 4, NULL);
        rpc_talker_judge_continues(talker, "RDMA_ERROR");
        for (guint i = 0; i < talker->heard->len; i++) {
            const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

            again += heard->call && heard->header.xid == xid;
        }
        if (again > 1)
            talk_failed(talk, "expected the refused Call not to be repeated; it came again with its XID");
    }
}
CASE(refused, .credits = row->variant == NFS_PERMANENT ? NFS_CREDITS : 0, .may_close = true)

/* ---- a failed READ ---- */

/*
 * The first Write chunk of a Call, at most RPC_END_SEGMENTS_MAX of its segments: no served Call has more, but the
 * device may have sent another with that XID since.
 */
static uint32_t write_chunk_of(const struct rpc_talker *talker, uint32_t xid, struct rpcrdma_segment *segments)
{
    const struct talker_heard *heard = call_of(talker, xid);
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&heard->header);
    uint32_t n = 0;

    if (rpcrdma_write_next(&heard->header, heard->p, &chunk))
        for (; n < MIN(chunk.n, RPC_END_SEGMENTS_MAX); n++)
            segments[n] = rpcrdma_segment_at(&chunk, heard->p, n);
    return n;
}

static void reply_io_error(struct rpc_talker *talker, uint32_t xid, const struct rpcrdma_write_plan *writes)
{
    const struct rpcrdma_plan plan = {
        .xid = xid, .vers = RPCRDMA_VERSION, .credit = 8, .writes = writes, .n_writes = 1};
    uint8_t reply[64];
    struct xdr_writer w = {.p = reply, .size = sizeof reply};

    rpc_reply_encode(&(struct rpc_message){.xid = xid}, NULL, &w);
    xdr_put_u32(&w, 5); /* NFS3ERR_IO */
    xdr_put_u32(&w, 0); /* no attributes */
    rpc_talker_send_plan(talker, &plan, reply, w.at);
}

enum { UNMODIFIED, EMPTY };

static void failed_read_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment;
    int index;

    if ((index = await_chunk(talker, WRITE_CHUNK, &segment)) >= 0) {
        uint32_t xid = talker->held[index].xid;
        struct rpcrdma_segment segments[RPC_END_SEGMENTS_MAX + 1] = {0};
        uint32_t n = write_chunk_of(talker, xid, segments);
        struct rpcrdma_write_plan writes = {0};

        if (row->variant == UNMODIFIED)
            writes = (struct rpcrdma_write_plan){segments, n};
        reply_io_error(talker, xid, &writes);
        g_free(talker->held[index].call.p);
        talker->held[index] = talker->held[--talker->n_held];
        rpc_talker_judge_continues(talker, "a failed READ");
    }
}
CASE(failed_read, 0)

/* ---- a Reply whose chunks are not those of the Call ---- */

enum { TOO_LONG, TOO_MANY };

/*
 * Such a Reply is ignored, and the Call is still pending; or the Call is over, in error: the document words neither.
 * Then its memory is closed, and the Write into it, which comes next, ends the connection. What the Reply itself must
 * not do is end it.
 */
static bool judge_ended_by_reply(struct rpc_talker *talker)
{
    if (!is_over(talker))
        return false;
    if (!rpc_talker_judge_unmounted(talker))
        talk_failed(talker->talk, "expected the Reply to end at most its Call; the device ended the connection%s",
                    talker->terminated && !talker->port->is_blind ? " with a Terminate" : "");
    return true;
}

static void wrong_chunk_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    static const uint8_t octets[LATE_OCTETS];
    struct rpcrdma_segment segment;
    int index;

    if ((index = await_chunk(talker, WRITE_CHUNK, &segment)) >= 0) {
        uint32_t xid = talker->held[index].xid;
        struct rpcrdma_segment segments[RPC_END_SEGMENTS_MAX + 1] = {0};
        uint32_t n = write_chunk_of(talker, xid, segments);
        struct rpcrdma_write_plan writes;
        struct qp_work work = {.kind = QP_WRITE, .p = octets, .n = MIN(LATE_OCTETS, segment.length)};

        segments[0].length += row->variant == TOO_LONG ? 4 : 0;
        writes = (struct rpcrdma_write_plan){segments, n + (row->variant == TOO_MANY)};
        reply_io_error(talker, xid, &writes);
        rpc_talker_pump(talker, talk_t_react(talk) / 2, NULL);
        if (judge_ended_by_reply(talker))
            return;
        work.remote_stag = segment.handle;
        work.remote_to = segment.offset;
        rpc_talker_post(talker, &work);
        rpc_talker_pump(talker, talk_t_react(talk) / 2, is_over);
        if (is_over(talker))
            talk_passed(talk, "the Call is over: a Write into its chunk is refused (%s)", rpc_talker_end_words(talker));
        else
            rpc_talker_judge_continues(
                talker, "a Reply with a chunk that was not offered, a Write into the Call's chunk, the Reply");
    }
}
CASE(wrong_chunk, 0)

/* ---- remote invalidation ---- */

static void invalidated_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment;

    (void)row;
    if (!talker->tells || !talker->peer_data.remote_invalidation)
        talk_not_applicable(talker->talk, "the device does not set R");
    else if (await_chunk(talker, READ_CHUNK, &segment) >= 0)
        /* From now on the stack replies to Calls with chunks by Sends with Invalidate. */
        rpc_talker_judge_continues(talker, "Replies by Send with Invalidate");
}
CASE(invalidated, .invalidation = true)

/* ---- the device's memory ---- */

enum { LATE_WRITE = 8, LATE_WRITE_REPLY = 16, LATE_READ = 24 };

/* After the Reply the memory belongs to the device alone. */
static void late_write_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    static const uint8_t octets[LATE_WRITE_REPLY] = "too late";
    struct rpcrdma_segment segment;
    int index;

    if ((index = await_chunk(talker, row->variant == LATE_WRITE ? WRITE_CHUNK : REPLY_CHUNK, &segment)) >= 0) {
        struct qp_work work = {.kind = QP_WRITE, .p = octets, .n = MIN((uint32_t)row->variant, segment.length)};

        work.remote_stag = segment.handle;
        work.remote_to = segment.offset;
        rpc_talker_answer(talker, (unsigned)index);
        rpc_talker_pump(talker, talk_t_react(talk) / 2, NULL); /* the device has received the Reply */
        rpc_talker_post(talker, &work);
        rpc_talker_pump(talker, talk_t_close(talk), is_over);
        if (is_over(talker) && rpc_talker_judge_unmounted(talker))
            return;
        if (is_over(talker))
            talk_passed(talk, "%s", rpc_talker_end_words(talker));
        else
            talk_failed(talk, "expected a Write into a chunk refused after the Reply; the device accepted it");
        rpc_talker_serve(talker, LATE_CALLS, talk_t_react(talk)); /* so that the recording shows it too */
    }
}
CASE(late_write, 0)

/* Until the Reply the responder may use it as often and as late as it likes. */
static void late_read_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    struct rpcrdma_segment segment;

    (void)row;
    if (await_chunk(talker, READ_CHUNK, &segment) >= 0) {
        struct qp_work work = {.kind = QP_READ, .n = MIN(LATE_READ, segment.length)};
        uint8_t sink[LATE_READ];

        rpc_talker_pump(talker, talk_t_react(talk), NULL);
        work.remote_stag = segment.handle;
        work.remote_to = segment.offset;
        work.sink_stag = memory_register(rpc_end_memory(talker->end), sink, sizeof sink, 0, 0, false);
        work.sink_to = memory_base(rpc_end_memory(talker->end), work.sink_stag);
        rpc_talker_post(talker, &work);
        rpc_talker_pump(talker, talk_t_react(talk) / 2, NULL);
        rpc_talker_judge_continues(talker, "a Read of a chunk before the Reply");
        memory_invalidate(rpc_end_memory(talker->end), work.sink_stag);
    }
}
CASE(late_read, 0)

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

/* The server's first Call. False: verdict is set. */
static bool takes_calls(struct rpc_talker *talker, uint32_t kind)
{
    uint32_t xid = talker->xids + kind;
    enum rpc_answer answer;

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

static void first_callback_one(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;

    if (warm_up(talker) && takes_calls(talker, TALKER_XID_FIRST))
        rpc_talker_judge_continues(talker, "the server's first Call is answered");
}
CASE(first_callback, 0)

/* As many as it grants, while all of its own Calls are pending. */
static void callbacks_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;

    (void)row;
    if (warm_up(talker) && takes_calls(talker, TALKER_XID_BURST)) {
        uint32_t n = CLAMP(talker->grant, 1, BURST_MAX);
        bool all = true;

        talker->hold = true;
        rpc_talker_pump(talker, talk_t_react(talk) / 4, NULL);
        for (uint32_t i = 1; i <= n; i++)
            call_back(talker, talker->xids + TALKER_XID_BURST + i, n, false);
        for (uint32_t i = 1; i <= n && all; i++) {
            enum rpc_answer answer = rpc_talker_await(talker, talker->xids + TALKER_XID_BURST + i, talk_t_react(talk));

            all = answer != RPC_ANSWER_SILENCE && answer != RPC_ANSWER_GONE;
            if (!all)
                talk_failed(
                    talk,
                    "expected an answer to each of %u simultaneous Calls from the server, as granted; number %u has %s",
                    n, i, rpc_answer_words(answer));
        }
        if (all)
            rpc_talker_judge_continues(talker, "as many Calls from the server as granted are answered");
    }
}
CASE(callbacks, 0)

/* An answer, or a failure; after it another Call, so that the recording shows that none will come. */
static void judge_callback(struct rpc_talker *talker, uint32_t xid, unsigned allowed)
{
    enum rpc_answer answer = rpc_talker_await(talker, xid, talk_t_react(talker->talk));

    rpcrdma_judge(talker, allowed, answer);
    if (answer == RPC_ANSWER_SILENCE) {
        call_back(talker, talker->xids + TALKER_XID_BURST + BURST_MAX, 1, false);
        rpc_talker_await(talker, talker->xids + TALKER_XID_BURST + BURST_MAX, talk_t_react(talker->talk));
    }
}

/* The same XID in both directions. */
static void same_xid_one(struct rpc_talker *talker, const struct suite_case *row)
{

    if (warm_up(talker) && takes_calls(talker, TALKER_XID_BURST) && rpc_talker_wait_calls(talker, 1)) {
        uint32_t xid = talker->held[0].xid;

        (void)row;
        call_back(talker, xid, 1, false);
        judge_callback(talker, xid, RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR);
        rpc_talker_judge_continues(talker, "a Call from the server with the XID of a Call of the device is answered");
    }
}
CASE(same_xid, 0)

static void chunked_callback_one(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;

    if (warm_up(talker) && takes_calls(talker, TALKER_XID_BURST)) {
        call_back(talker, talker->xids + TALKER_XID_BURST + 1, 1, true);
        judge_callback(talker, talker->xids + TALKER_XID_BURST + 1,
                       RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR | RPC_ANSWER_ERR_CHUNK);
    }
}
CASE(chunked_callback, 0)

enum { FEW_CREDITS = 2 };

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
static void request_is_no_grant_one(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (!warm_up(talker) || !are_outstanding(talker, FEW_CREDITS))
        return;
    call_back(talker, talker->xids + TALKER_XID_BURST, 1000, false);
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    if (talker->n_held > FEW_CREDITS)
        talk_failed(talker->talk, "expected at most the Calls granted; found %u outstanding with a grant of %d",
                    talker->n_held, FEW_CREDITS);
    else if (is_over(talker) && !rpc_talker_judge_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    else
        talk_passed(talker->talk, "%u Calls are outstanding, as granted, and no more come", talker->n_held);
}
CASE(request_is_no_grant, .credits = FEW_CREDITS)

/* ---- other parameters ---- */

enum { ONE_CREDIT = 1, OTHER_SIZE = 3072 };

static void parameters_as_server(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (warm_up(talker))
        rpc_talker_judge_continues(talker, "with these parameters");
    else if (talker->fed_end && !rpc_talker_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    talker->left_early = false; /* the parameters are the stimulus */
}

static void parameters(struct talk *talk, const struct suite_case *row)
{
    struct talker_wish wish = {.credits = row->variant == ONE_CREDIT ? 1 : 0,
                               .size = row->variant == OTHER_SIZE ? OTHER_SIZE : 0};
    struct rpc_talker talker;
    bool good;

    if (!talk_is_initiator(talk)) {
        rpc_talker_with_client(talk, row, &wish, parameters_as_server);
        return;
    }
    if (!rpc_talker_first_version(talk, &wish.version))
        return;
    good = rpc_talker_open(&talker, talk, &wish);
    if (!good && talker.open)
        talk_failed(talk, "no Calls are answered with these parameters");
    for (unsigned i = 0; i < WARM_UP && good; i++)
        good = rpc_talker_alive(&talker);
    if (good && rpc_talker_file(&talker))
        talk_passed(talk, "Calls are answered, and a file is made");
    rpc_talker_close(&talker);
}

#define GOES_ON "the device continues"

static const struct suite_case tests[] = {
    {RULE_RPCR_3_3_1_09, NULL, DUT_INITIATOR, NEED_RPC, together, "the Replies to all Calls outstanding, at once",
     GOES_ON, .variant = 0},
    {RULE_RPCR_3_4_5_1_03, NULL, DUT_INITIATOR, NEED_RPC, late_read,
     "a Read of a Read chunk long after the Call, before the Reply", "it is served", .variant = 0},
    {RULE_RPCR_3_4_6_13, "length", DUT_INITIATOR, NEED_RPC, wrong_chunk,
     "a Reply whose Write chunk is longer than the Call offers", "the Call stays pending, or is over",
     .variant = TOO_LONG},
    {RULE_RPCR_3_4_6_13, "count", DUT_INITIATOR, NEED_RPC, wrong_chunk,
     "a Reply whose Write chunk has a segment more than the Call offers", "the Call stays pending, or is over",
     .variant = TOO_MANY},
    {RULE_RPCR_4_4_1_01, NULL, DUT_INITIATOR, NEED_RPC, late_write, "a Write into a Write chunk after the Reply",
     "a Terminate or a close", .variant = LATE_WRITE},
    {RULE_RPCR_8_1_3_02, NULL, DUT_INITIATOR, NEED_RPC, late_write, "a Write into a Reply chunk after the Reply",
     "a Terminate or a close", .variant = LATE_WRITE_REPLY},
    {RULE_RPCR_4_5_08, NULL, DUT_INITIATOR, NEED_RPC, refused, "RDMA_ERROR with ERR_CHUNK for a Call",
     "that Call is not repeated, " GOES_ON, .variant = PERMANENT},
    {RULE_NFSULB_6_7_2_02, NULL, DUT_INITIATOR, NEED_NFS, refused, "RDMA_ERROR with ERR_CHUNK for an NFS Call",
     "that Call is not repeated with its XID, " GOES_ON, .variant = NFS_PERMANENT},
    {RULE_NFSULB_6_6_03, NULL, DUT_INITIATOR, NEED_RPC, refused, "RDMA_ERROR with ERR_VERS for one of several Calls",
     "the others continue", .variant = ERR_VERS},
    {RULE_BIDI_4_1_06, NULL, DUT_INITIATOR, NEED_RPC, refused, "RDMA_ERROR with rdma_credit 0 for the first Call",
     GOES_ON, .variant = NO_CREDIT},
    {RULE_BIDI_4_1_05, NULL, DUT_INITIATOR, NEED_RPC, request_is_no_grant,
     "a Call from the server that requests 1000 credits, where 2 are granted", "at most 2 Calls outstanding",
     .variant = 0},
    {RULE_BIDI_2_4_1_02, NULL, DUT_INITIATOR, NEED_RPC, same_xid,
     "a Call from the server with the XID of a Call of the device", "a Reply", .variant = 0},
    {RULE_BIDI_4_3_1_01, NULL, DUT_INITIATOR, NEED_RPC, callbacks, "as many Calls from the server as the device grants",
     "all are answered", .variant = 0},
    {RULE_BIDI_5_3_04, NULL, DUT_INITIATOR, NEED_RPC, chunked_callback, "a Call from the server with a Reply chunk",
     "ERR_CHUNK or a Reply", .variant = 0},
    {RULE_BIDI_6_03, NULL, DUT_INITIATOR, NEED_RPC, first_callback, "the server's first Call", "an answer",
     .variant = 0},
    {RULE_CMPD_3_2_03, NULL, DUT_INITIATOR, NEED_RPC, invalidated, "Replies by Send with Invalidate", GOES_ON,
     .variant = 0},
    {RULE_EXP_3_9_03, "unmodified", DUT_INITIATOR, NEED_RPC, failed_read,
     "a failed READ whose Write chunk is returned unchanged", GOES_ON, .variant = UNMODIFIED},
    {RULE_EXP_3_9_03, "empty", DUT_INITIATOR, NEED_RPC, failed_read,
     "a failed READ whose Write chunk is returned without segments", GOES_ON, .variant = EMPTY},
    {RULE_RPCR_6_3_02, NULL, DUT_ANY, NEED_NFS, parameters, "a connection with one credit", "the device makes Calls",
     .variant = ONE_CREDIT},
    {RULE_EXP_6_3_1_01, NULL, DUT_ANY, NEED_NFS, parameters, "a connection with inline thresholds of 3072",
     "the device makes Calls", .variant = OTHER_SIZE},
};

const struct suite suite_rpcrdma_client = {"rpcrdma", tests, G_N_ELEMENTS(tests)};

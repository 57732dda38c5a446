// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/rpc_bench.h"

#include "traffic-gen/suite/talk_internal.h"
#include "wire/nfs.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum {
    SIZE_DEFAULT = 4096,
    CREDITS_DEFAULT = 8,
    READS = 16,
    READS_MAX = 256,
    CREDENTIAL = 32, /* octets of its body */
};

/* ---- the transport ---- */

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    struct rpc_bench *bench = ctx;
    struct talk *talk = bench->talk;
    bool said = talk->result->said || bench->open; /* a start-up is no stimulus */
    size_t need;

    if (!talk->startup[WATCH_TEST].known &&
        mpa_startup_decode(&talk->startup[WATCH_TEST].frame, &need, p, n) == MPA_STARTUP_OK && n <= TALK_FRAME_ROOM) {
        memcpy(talk->startup[WATCH_TEST].octets, p, n);
        talk->startup[WATCH_TEST].n = n;
        mpa_startup_decode(&talk->startup[WATCH_TEST].frame, &need, talk->startup[WATCH_TEST].octets, n);
        talk->startup[WATCH_TEST].known = true;
    }
    talk_write(talk, p, n);
    talk->result->said = said;
}

static size_t on_room(void *ctx)
{
    (void)ctx;
    return SIZE_MAX; /* talk_write() waits */
}

static void on_close(void *ctx, bool reset)
{
    struct rpc_bench *bench = ctx;

    if (reset)
        talk_reset(bench->talk);
    else
        talk_finish(bench->talk);
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return talk_now();
}

/* ---- what the end tells ---- */

static void heard_free(gpointer data)
{
    struct bench_heard *heard = data;

    g_free(heard->p);
    g_free(heard);
}

static enum rpc_end_answer note(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct rpc_bench *bench = ctx;
    struct bench_heard *heard;

    if (!incoming->p) /* it was heard when its Send came */
        return due;
    heard = g_new0(struct bench_heard, 1);
    heard->p = g_memdup2(incoming->p, incoming->n);
    heard->n = incoming->n;
    heard->header = *incoming->header;
    heard->call = incoming->call;
    g_ptr_array_add(bench->heard, heard);
    if (!heard->call && heard->header.status == RPCRDMA_OK && heard->header.proc <= RPCRDMA_NOMSG)
        bench->grant = heard->header.credit;
    return due;
}

static void on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct rpc_bench *bench = ctx;

    (void)cookie;
    bench->replied++;
    bench->result = result;
    g_free(bench->reply.p);
    bench->reply = (struct rpc_end_message){0};
    if (reply) {
        bench->reply = *reply;
        bench->reply.p = g_memdup2(reply->p, reply->n);
    }
}

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct rpc_bench *bench = ctx;

    bench->terminated = true;
    bench->terminate_ours = ours;
    bench->terminate = *terminate;
}

void rpc_bench_serve_call(struct rpc_bench *bench, uint64_t id, const struct rpc_end_message *call)
{
    struct rpc_end_message reply = {0};
    GMutex *lock = &bench->talk->run->nfs.lock;
    bool answered;

    bench->served++;
    bench->served_at = talk_now();
    g_mutex_lock(lock);
    answered = nfs_server_call(bench->peer, call, rpc_end_room(bench->end, id), &reply);
    g_mutex_unlock(lock);
    if (answered)
        rpc_end_reply(bench->end, id, &reply);
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct rpc_bench *bench = ctx;

    bench->telling += call->n > bench->tell_above && call->n <= SIZE_DEFAULT - RPCRDMA_HEADER_MIN;
    if (bench->hold && bench->n_held < BENCH_HELD_MAX) {
        struct bench_held *held = &bench->held[bench->n_held++];

        *held = (struct bench_held){.id = id, .xid = header->xid, .call = *call};
        held->call.p = g_memdup2(call->p, call->n);
    } else {
        rpc_bench_serve_call(bench, id, call);
    }
}

/* ---- life ---- */

/*
 * As Initiator what the device was found to take; as Responder what it asks for, and our Reads whatever it has learnt
 * of the Requests: some clients say ORD 0.
 */
static struct mpa_enhanced our_reads(const struct talk *talk)
{
    const struct talk_terms *terms = &talk->run->terms;
    const struct terms_given *given = &talk->run->given;
    const struct mpa_startup *request = talk_is_initiator(talk) ? NULL : talk_frame(talk, false);
    struct mpa_enhanced reads = {.ird = READS, .ord = READS};

    if (talk_is_initiator(talk))
        return terms->enhanced ? terms->data : reads;
    if (request && request->has_enhanced)
        reads.ird = CLAMP(request->enhanced.ord, READS, READS_MAX);
    if (given->fields & TERMS_IRD)
        reads.ird = given->terms.data.ird;
    if (given->fields & TERMS_ORD)
        reads.ord = given->terms.data.ord;
    return reads;
}

static void make_end(struct rpc_bench *bench, const struct bench_wish *wish, bool crc)
{
    struct talk *talk = bench->talk;
    const struct rpc_end_events events = {
        .ctx = bench, .replied = on_replied, .called = on_called, .terminated = on_terminated};
    const struct rpc_end_spoil hooks = {.ctx = bench, .decide = note};
    uint32_t size = wish->size ? wish->size : SIZE_DEFAULT;
    uint32_t credits = wish->credits ? wish->credits : CREDITS_DEFAULT;
    const struct talk_terms *terms = &talk->run->terms;
    const struct mpa_enhanced reads = our_reads(talk);
    const struct rpc_end_options options = {
        .qp = {.mpa = {.role = talk_is_initiator(talk) ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                       .revision = talk_is_initiator(talk) ? MAX(terms->revision, 1) : 2,
                       .crc = crc,
                       .markers = terms->markers,
                       .enhanced = terms->enhanced,
                       .enhanced_data = reads,
                       .private_data = wish->private_data,
                       .private_length = wish->private_length},
               .ird = MAX(READS, reads.ird),
               .ord = READS},
        .send_size = size,
        .receive_size = size,
        .remote_invalidation = !wish->private_data && (talk_is_initiator(talk) || wish->invalidation),
        .credits = credits,
        .backchannel_chunks = true,
    };
    struct memory *memory;

    bench->stream = (struct stream){
        .ctx = bench, .write = on_write, .room = on_room, .close = on_close, .now = on_now, .mss = 1460};
    bench->credits = credits;
    bench->end = rpc_end_new(&options, &bench->stream, &events, 8166);
    rpc_end_set_spoil(bench->end, &hooks);
    memory = rpc_end_memory(bench->end);
    bench->region = g_malloc0(BENCH_REGION);
    bench->stag_read = memory_register(memory, bench->region, BENCH_REGION, BENCH_REGION_TO, MEMORY_REMOTE_READ, true);
    bench->stag_write =
        memory_register(memory, bench->region, BENCH_REGION, BENCH_REGION_TO, MEMORY_REMOTE_WRITE, true);
    if (!talk_is_initiator(talk)) {
        g_mutex_lock(&talk->run->nfs.lock);
        bench->peer = nfs_peer_new(nfs_run_server(&talk->run->nfs), NULL);
        g_mutex_unlock(&talk->run->nfs.lock);
    }
}

static void feed(struct rpc_bench *bench, const struct talk_heard *heard)
{
    struct qp *qp = rpc_end_qp(bench->end);

    switch (heard->what) {
    case TALK_FRAME:
    case TALK_FPDU:
    case TALK_GARBAGE: {
        /* The octets move when more come. */
        g_autofree uint8_t *octets = g_memdup2(heard->octets, heard->n);

        qp_receive(qp, octets, heard->n);
        break;
    }
    case TALK_FIN:
        if (!bench->fed_end) {
            bench->closed_idle = bench->n_held == 0 && bench->served > 0 && !bench->terminated;
            qp_receive_fin(qp);
        }
        bench->fed_end = true;
        break;
    case TALK_RESET:
        if (!bench->fed_end)
            qp_receive_reset(qp);
        bench->fed_end = true;
        break;
    case TALK_SILENCE:
        break;
    }
}

void rpc_bench_hear(struct rpc_bench *bench, int64_t ns)
{
    feed(bench, talk_hear(bench->talk, ns));
}

void rpc_bench_pump(struct rpc_bench *bench, int64_t ns, bool (*done)(const struct rpc_bench *bench))
{
    int64_t until = talk_now() + ns;

    while (!bench->fed_end && !(done && done(bench))) {
        const struct talk_heard *heard = talk_hear(bench->talk, MAX(until - talk_now(), 0));

        feed(bench, heard);
        /* One that never stops must not hold up the test. */
        if (heard->what == TALK_SILENCE || talk_now() > until + talk_t_react(bench->talk))
            break;
    }
}

static bool hear_frame(struct rpc_bench *bench)
{
    struct talk *talk = bench->talk;
    const struct mpa_startup *theirs = talk_hear_frame(talk);

    if (!theirs || (theirs->kind == MPA_REPLY && theirs->flags & MPA_FLAG_R))
        talk->result->refused = true;
    if (!theirs)
        talk_inconclusive(talk, "the start-up was not answered: a frame was expected; there was %s",
                          talk_describe(talk, talk_last(talk)));
    else if (theirs->kind == MPA_REPLY && theirs->flags & MPA_FLAG_R)
        talk_inconclusive(talk, "the start-up was rejected: %s", talk_describe(talk, talk_last(talk)));
    else
        return true;
    return false;
}

static void take_frame(struct rpc_bench *bench)
{
    struct talk *talk = bench->talk;

    qp_receive(rpc_end_qp(bench->end), talk->startup[WATCH_DUT].octets, talk->startup[WATCH_DUT].n);
    bench->open = true;
}

static bool start_as_client(struct rpc_bench *bench, const struct bench_wish *wish)
{
    struct talk *talk = bench->talk;

    make_end(bench, wish, !talk->run->terms.no_crc);
    qp_start(rpc_end_qp(bench->end));
    if (!hear_frame(bench))
        return false;
    talk_begin_operation(talk);
    if (talk_settle_time(talk) > 0)
        talk_sleep(talk, talk_settle_time(talk));
    take_frame(bench);
    return true;
}

/* Some clients refuse a Reply with C when their Request had none. */
static bool start_as_server(struct rpc_bench *bench, const struct bench_wish *wish)
{
    struct talk *talk = bench->talk;
    bool heard = hear_frame(bench);

    make_end(bench, wish, heard && talk_frame(talk, false)->flags & MPA_FLAG_C);
    if (!heard)
        return false;
    qp_start(rpc_end_qp(bench->end));
    take_frame(bench);
    talk_begin_operation(talk);
    return true;
}

/* A version of NFS that the service has, when that is known. */
uint32_t rpc_bench_null_version(const struct rpc_bench *bench)
{
    uint32_t version = bench->talk->run->nfs.null_version;

    return version ? version : 3;
}

static bool call_null(struct rpc_bench *bench)
{
    struct xdr_out out;

    rpc_bench_begin(bench, &out, NFS_PROGRAM, rpc_bench_null_version(bench), 0);
    return rpc_bench_call(bench, &out, NULL);
}

/* The same in each run with that seed, whatever else runs beside it. */
static void draw(struct rpc_bench *bench)
{
    const struct talk *talk = bench->talk;
    struct nfs_run *nfs = &talk->run->nfs;
    uint64_t id = talk->result->id ? g_str_hash(talk->result->id) : (uint64_t)g_atomic_int_add(&nfs->others, 1);

    bench->random.state = nfs->seed ^ (id << 32 | talk->result->ports->len);
    bench->xids = (uint32_t)random_next(&bench->random) & ~(uint32_t)BENCH_XID_MASK;
    bench->xid = bench->xids + BENCH_XID_STIMULUS;
    bench->next_xid = bench->xids + BENCH_XID_CALLS;
}

bool rpc_bench_open(struct rpc_bench *bench, struct talk *talk, const struct bench_wish *wish)
{
    static const struct bench_wish no_wish;

    wish = wish ? wish : &no_wish;
    *bench = (struct rpc_bench){.talk = talk,
                                .heard = g_ptr_array_new_with_free_func(heard_free),
                                .names = g_ptr_array_new_with_free_func(g_free),
                                .version = wish->version};
    if (talk_is_initiator(talk))
        rpc_bench_learn(talk);
    draw(bench);
    if (!talk_open(talk) || !(talk_is_initiator(talk) ? start_as_client(bench, wish) : start_as_server(bench, wish)))
        return false;
    if (!talk_is_initiator(talk) || wish->no_grant)
        return true;
    if (call_null(bench))
        return true;
    talk_inconclusive(talk, "a first NULL Call is not answered: %s",
                      bench->fed_end ? "the connection is over" : "silence");
    return false;
}

static void release(struct rpc_bench *bench)
{
    if (bench->open)
        talk_hang_up(bench->talk);
    for (unsigned i = 0; i < bench->n_held; i++)
        g_free(bench->held[i].call.p);
    if (bench->end)
        rpc_end_free(bench->end);
    if (bench->peer) {
        g_mutex_lock(&bench->talk->run->nfs.lock);
        nfs_peer_free(bench->peer);
        g_mutex_unlock(&bench->talk->run->nfs.lock);
    }
    g_free(bench->region);
    g_free(bench->reply.p);
    g_ptr_array_unref(bench->heard);
    g_ptr_array_unref(bench->names);
}

void rpc_bench_close(struct rpc_bench *bench)
{
    g_autoptr(GPtrArray) left = g_ptr_array_ref(bench->names);
    enum nfs_version_at version = bench->version;
    struct talk *talk = bench->talk;

    if (bench->end)
        rpc_end_set_spoil(bench->end, NULL);
    if (bench->open && talk_is_initiator(talk))
        rpc_bench_leave(bench);
    release(bench);
    if (left->len > 0) {
        int64_t began = talk_now();

        rpc_bench_clear_up(talk->run, version, left);
        talk->deadline += talk_now() - began;
    }
}

void rpc_bench_spoil_headers(struct rpc_bench *bench, void (*header)(void *ctx, struct rpcrdma_plan *plan))
{
    rpc_end_set_spoil(bench->end, &(struct rpc_end_spoil){.ctx = bench, .decide = note, .header = header});
}

/* ---- hearing ---- */

const struct bench_heard *rpc_bench_find(const struct rpc_bench *bench, uint32_t xid)
{
    for (guint i = bench->heard->len; i-- > 0;) {
        const struct bench_heard *heard = g_ptr_array_index(bench->heard, i);

        if (!heard->call && heard->n >= sizeof(uint32_t) && heard->header.xid == xid)
            return heard;
    }
    return NULL;
}

static enum bench_answer classify(const struct bench_heard *heard)
{
    const struct rpcrdma_header *header = &heard->header;
    struct rpc_message reply;

    if (header->status != RPCRDMA_OK)
        return BENCH_NONSENSE;
    if (header->proc == RPCRDMA_ERROR)
        return header->err == RPCRDMA_ERR_VERS ? BENCH_ERR_VERS : BENCH_ERR_CHUNK;
    if (header->proc == RPCRDMA_NOMSG) /* what it says lies in our memory */
        return BENCH_SUCCESS;
    if (header->proc != RPCRDMA_MSG)
        return BENCH_NONSENSE;
    rpc_decode(&reply, heard->p + header->header_len, heard->n - header->header_len);
    if (reply.type != RPC_REPLY || reply.status != RPC_OK)
        return BENCH_NONSENSE;
    if (reply.reply_stat == RPC_MSG_ACCEPTED && reply.accept_stat == RPC_SUCCESS)
        return BENCH_SUCCESS;
    if (reply.reply_stat == RPC_MSG_ACCEPTED && reply.accept_stat == RPC_GARBAGE_ARGS)
        return BENCH_GARBAGE;
    return BENCH_RPC_ERROR;
}

enum bench_answer rpc_bench_await(struct rpc_bench *bench, uint32_t xid, int64_t ns)
{
    int64_t until = talk_now() + ns;
    const struct bench_heard *heard;

    while (!(heard = rpc_bench_find(bench, xid))) {
        guint before = bench->heard->len;

        if (bench->fed_end || bench->terminated)
            return BENCH_GONE;
        feed(bench, talk_hear(bench->talk, MAX(until - talk_now(), 0)));
        if (bench->heard->len == before &&
            (talk_last(bench->talk)->what == TALK_SILENCE || talk_now() > until + talk_t_react(bench->talk)))
            return BENCH_SILENCE;
    }
    return classify(heard);
}

const char *bench_answer_words(enum bench_answer answer)
{
    switch (answer) {
    case BENCH_SUCCESS:
        return "a Reply with SUCCESS";
    case BENCH_RPC_ERROR:
        return "a Reply that tells an RPC error";
    case BENCH_GARBAGE:
        return "a Reply with GARBAGE_ARGS";
    case BENCH_ERR_VERS:
        return "RDMA_ERROR with ERR_VERS";
    case BENCH_ERR_CHUNK:
        return "RDMA_ERROR with ERR_CHUNK";
    case BENCH_SILENCE:
        return "no answer";
    case BENCH_GONE:
        return "the end of the connection";
    case BENCH_NONSENSE:
        break;
    }
    return "a message that is no answer";
}

bool rpc_bench_alive(struct rpc_bench *bench)
{
    if (call_null(bench))
        return true;
    talk_failed(bench->talk, "a NULL Call behind it is not answered: %s",
                bench->fed_end ? "the connection is over" : "silence");
    return false;
}

/* ---- whole Calls ---- */

void rpc_bench_begin(struct rpc_bench *bench, struct xdr_out *out, uint32_t program, uint32_t version,
                     uint32_t procedure)
{
    static const char machine[] = "iwarp-gen";
    const uint32_t words[] = {bench->next_xid++, RPC_CALL, RPC_VERSION, program, version, procedure};

    xdr_out_begin(out);
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_out_u32(out, words[i]);
    /* AUTH_SYS, which servers as a rule want for files: stamp, machine, uid, gid, no more groups. */
    xdr_out_u32(out, RPC_AUTH_SYS);
    xdr_out_u32(out, CREDENTIAL);
    xdr_out_u32(out, 0);
    xdr_out_opaque(out, machine, sizeof(machine) - 1);
    for (unsigned i = 0; i < 5; i++) /* behind them the verifier: AUTH_NONE */
        xdr_out_u32(out, 0);
}

static bool has_replied(const struct rpc_bench *bench)
{
    return bench->replied > 0;
}

bool rpc_bench_call(struct rpc_bench *bench, struct xdr_out *out, const struct rpc_end_how *how)
{
    struct rpc_end_message call = {0};

    xdr_out_take(out, &call);
    bench->replied = 0;
    rpc_end_call(bench->end, &call, how, 1);
    g_free(call.p);
    rpc_bench_pump(bench, talk_t_close(bench->talk), has_replied);
    return bench->replied > 0 && bench->result == RPC_END_REPLIED;
}

bool rpc_bench_results(const struct rpc_bench *bench, struct xdr *results)
{
    struct rpc_message header;

    *results = xdr_begin(bench->reply.p, bench->reply.n);
    if (rpc_decode(&header, bench->reply.p, bench->reply.n) != RPC_OK || header.reply_stat != RPC_MSG_ACCEPTED ||
        header.accept_stat != RPC_SUCCESS)
        return false;
    results->at = header.header_len;
    return true;
}

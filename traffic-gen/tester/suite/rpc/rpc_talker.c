// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/tester/suite/rpc/reuse.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/talk/talk_port.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"
#include "wire/nfs.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum {
    SIZE_DEFAULT = 4096,
    CREDITS_DEFAULT = 8,
    REGION_TO = 0x10000,
    DDP_REMOTE_PROTECTION = 1, /* error type of a Terminate: of DDP and of RDMAP, RFC 5040 section 4.8 */
    CAPTION_SIZE = 120,
    TIRED_PAUSE_US = 200000, /* before the next attempt to connect */
};

/* ---- the transcript ---- */

/* If the wire is not visible, the transcript shows the verbs. */
static void talker_note_message(struct rpc_talker *talker, bool ours, const uint8_t *p, size_t n, const char *what)
{
    struct rpcrdma_header header;
    char caption[CAPTION_SIZE];

    rpcrdma_header_decode(&header, p, n);
    if (header.status == RPCRDMA_OK)
        g_snprintf(caption, sizeof caption, "%s of %zu octets: %s, XID 0x%08x", what, n, rpcrdma_proc_name(header.proc),
                   header.xid);
    else
        g_snprintf(caption, sizeof caption, "%s of %zu octets", what, n);
    talk_note(talker->talk, ours, p, n, caption);
}

static void note_work(struct rpc_talker *talker, const struct qp_work *work)
{
    char caption[CAPTION_SIZE];

    if (!talker->port->is_blind)
        return;
    talk_job(talker->talk)->result->said |= talker->open; /* the start-up is not a stimulus */
    if (work->kind == QP_SEND) {
        talker_note_message(talker, true, work->p, work->n, work->invalidate ? "Send with Invalidate" : "Send");
        return;
    }
    g_snprintf(caption, sizeof caption, "RDMA %s of %zu octets, STag 0x%08x", work->kind == QP_WRITE ? "Write" : "Read",
               work->n, work->remote_stag);
    talk_note(talker->talk, true, work->p, work->p ? work->n : 0, caption);
}

static bool talker_on_work(void *ctx, struct qp_work *work)
{
    note_work(ctx, work);
    return true;
}

bool rpc_talker_post(struct rpc_talker *talker, const struct qp_work *work)
{
    note_work(talker, work);
    return qp_post(rpc_end_qp(talker->end), work);
}

/* ---- events of the end ---- */

static void heard_free(gpointer data)
{
    struct talker_heard *heard = data;

    g_free(heard->p);
    g_free(heard);
}

static void notice(struct rpc_talker *talker)
{
    talker->line.noticed++;
    if (talker->port->noticed)
        talker->port->noticed(talker);
}

static enum rpc_end_answer talker_note(void *ctx, const struct rpc_end_incoming *incoming, enum rpc_end_answer due)
{
    struct rpc_talker *talker = ctx;
    struct talker_heard *heard;

    if (!incoming->p) /* recorded when its Send arrived */
        return due;
    notice(talker);
    if (talker->port->is_blind)
        talker_note_message(talker, false, incoming->p, incoming->n, "Send");
    heard = g_new0(struct talker_heard, 1);
    heard->p = g_memdup2(incoming->p, incoming->n);
    heard->n = incoming->n;
    heard->header = *incoming->header;
    heard->call = incoming->call;
    g_ptr_array_add(talker->heard, heard);
    if (!heard->call && heard->header.status == RPCRDMA_OK && heard->header.proc <= RPCRDMA_NOMSG)
        talker->grant = heard->header.credit;
    return due;
}

static void talker_on_ended(void *ctx, bool orderly)
{
    struct rpc_talker *talker = ctx;

    talker->line.ended = true;
    talker->line.orderly = orderly;
    notice(talker);
}

static void talker_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct rpc_talker *talker = ctx;

    talker->line.up = true;
    notice(talker);
    talker->peer.tells =
        rpcrdma_private_data_find(&talker->peer.data, terms->peer_data, terms->peer_length) == RPCRDMA_PD_OK;
}

static void talker_on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result,
                              const struct rpc_end_message *reply)
{
    struct rpc_talker *talker = ctx;

    (void)cookie;
    notice(talker);
    talker->reply.n++;
    talker->reply.result = result;
    g_free(talker->reply.message.p);
    talker->reply.message = (struct rpc_end_message){0};
    if (reply) {
        talker->reply.message = *reply;
        talker->reply.message.p = g_memdup2(reply->p, reply->n);
    }
}

static void talker_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct rpc_talker *talker = ctx;

    talker->terminated = true;
    talker->error = !ours                                       ? QP_REMOTE_ERROR
                    : terminate->etype == DDP_REMOTE_PROTECTION ? QP_LOCAL_ACCESS
                                                                : QP_LOCAL_LENGTH;
}

static void talker_on_broken(void *ctx, enum qp_status status, const char *why)
{
    struct rpc_talker *talker = ctx;

    notice(talker);
    talker->terminated = true;
    talker->error = status;
    talk_note(talker->talk, false, NULL, 0, why);
}

bool rpc_talker_failed_here(const struct rpc_talker *talker)
{
    return !talker->line.up && talker->terminated && talker->error == QP_LOCAL_ERROR;
}

const char *rpc_talker_end_words(const struct rpc_talker *talker)
{
    if (!talker->terminated)
        return "the end of the connection";
    if (talker->error == QP_LOCAL_LENGTH)
        return "a Send that is too long for our Receive buffer";
    return talker->port->is_blind ? qp_status_text(talker->error) : "a Terminate";
}

void rpc_talker_serve_call(struct rpc_talker *talker, uint64_t id, const struct rpc_end_message *call)
{
    struct rpc_end_message reply = {0};
    GMutex *lock = &talk_job(talker->talk)->run->nfs->lock;
    bool answered;

    talker->server.served++;
    talker->server.served_at = talk_now();
    g_mutex_lock(lock);
    answered = nfs_server_call(talker->server.peer, call, rpc_end_room(talker->end, id), &reply);
    g_mutex_unlock(lock);
    if (answered)
        rpc_end_reply(talker->end, id, &reply);
}

static void talker_on_called(void *ctx, uint64_t id, const struct rpc_end_message *call,
                             const struct rpc_message *header)
{
    struct rpc_talker *talker = ctx;

    notice(talker);
    talker->server.showing += call->n > talker->server.shows_above && call->n <= SIZE_DEFAULT - RPCRDMA_HEADER_MIN;
    /* Calls that come before the case begins are also left to the case. */
    if (talk_is_initiator(talker->talk)) {
        rpc_end_answer_null(talker->end, id, header);
    } else if ((talker->server.hold || !talker->open) && talker->server.n_held < TALKER_HELD_MAX) {
        struct talker_held *held = &talker->server.held[talker->server.n_held++];

        *held = (struct talker_held){.id = id, .xid = header->xid, .call = *call};
        held->call.p = g_memdup2(call->p, call->n);
    } else {
        rpc_talker_serve_call(talker, id, call);
    }
}

/* ---- life ---- */

void rpc_talker_offer(struct rpc_talker *talker)
{
    struct memory *memory = rpc_end_memory(talker->end);

    memset(talker->memory.region, 0, TALKER_REGION);
    talker->memory.stag_read =
        memory_register(memory, talker->memory.region, TALKER_REGION, REGION_TO, MEMORY_REMOTE_READ, true);
    talker->memory.stag_write =
        memory_register(memory, talker->memory.region, TALKER_REGION, REGION_TO, MEMORY_REMOTE_WRITE, true);
}

void rpc_talker_make_end(struct rpc_talker *talker, const struct talker_wish *wish, const struct qp_options *options,
                         const struct stream *stream)
{
    struct talk *talk = talker->talk;
    const struct rpc_end_events events = {.ctx = talker,
                                          .established = talker_on_established,
                                          .replied = talker_on_replied,
                                          .called = talker_on_called,
                                          .terminated = talker_on_terminated,
                                          .broken = talker_on_broken,
                                          .ended = talker_on_ended};
    uint32_t size = wish->size ? wish->size : SIZE_DEFAULT;
    uint32_t credits = wish->credits ? wish->credits : CREDITS_DEFAULT;
    struct rpc_end_options end = {
        .qp = *options,
        .send_size = size,
        .receive_size = size,
        .remote_invalidation = !wish->says_private && (talk_is_initiator(talk) || wish->invalidation),
        .credits = credits,
        .backchannel_chunks = true,
    };

    end.qp.mpa.private_data = wish->says_private ? wish->private_data : NULL;
    end.qp.mpa.private_length = wish->private_length;
    talker->server.credits = credits;
    talker->size = size;
    talker->end = rpc_end_new(&end, stream, &events, 8166);
    rpc_talker_listen(talker);
    talker->memory.region = g_malloc(TALKER_REGION);
    rpc_talker_offer(talker);
    if (!talk_is_initiator(talk)) {
        g_mutex_lock(&talk_job(talk)->run->nfs->lock);
        talker->server.peer = nfs_peer_new(nfs_run_server(talk_job(talk)->run), NULL);
        g_mutex_unlock(&talk_job(talk)->run->nfs->lock);
    }
}

enum rpc_port_event rpc_talker_hear(struct rpc_talker *talker, int64_t ns)
{
    enum rpc_port_event event = talker->port->hear(talker, ns);

    if (!talker->fed_end && (event == RPC_PORT_CLOSED || event == RPC_PORT_BROKEN)) {
        talker->server.closed_idle =
            event == RPC_PORT_CLOSED && talker->server.n_held == 0 && talker->server.served > 0 && !talker->terminated;
        talker->fed_end = true;
    }
    return event;
}

void rpc_talker_pump(struct rpc_talker *talker, int64_t ns, bool (*done)(const struct rpc_talker *talker))
{
    int64_t until = talk_now() + ns;

    while (!talker->fed_end && !(done && done(talker))) {
        /* Limits a device that sends without end. */
        if (rpc_talker_hear(talker, MAX(until - talk_now(), 0)) == RPC_PORT_SILENCE ||
            talk_now() > until + talk_t_react(talker->talk))
            break;
    }
}

/* A version of NFS that the service supports, if known. */
uint32_t rpc_talker_null_version(const struct rpc_talker *talker)
{
    uint32_t version = talk_job(talker->talk)->run->nfs->null_version;

    return version ? version : 3;
}

static bool call_null(struct rpc_talker *talker)
{
    struct xdr_out out;

    rpc_talker_begin(talker, &out, NFS_PROGRAM, rpc_talker_null_version(talker), 0);
    return rpc_talker_call(talker, &out, NULL);
}

/* The same numbers in each run with that seed, whatever runs in parallel; different numbers in each repetition. */
static void talker_draw(struct rpc_talker *talker)
{
    const struct talk_job *job = talk_job(talker->talk);
    uint64_t id = job->result->id ? g_str_hash(job->result->id) : (uint64_t)g_atomic_int_add(&job->run->others, 1);

    talker->random.state = nfs_run_seed(job->run, id, job->result->ports->len);
    talker->xids = (uint32_t)random_next(&talker->random) & ~(uint32_t)TALKER_XID_MASK;
    talker->xid = talker->xids + TALKER_XID_STIMULUS;
    talker->next_xid = talker->xids + TALKER_XID_CALLS;
}

static bool talker_is_usual(const struct talker_wish *wish)
{
    return !wish->size && !wish->says_private && !wish->credits && !wish->invalidation && !wish->no_grant &&
           !wish->may_close && !wish->backchannel;
}

/* The device refused the connection: it may need time, and gets it (--recover-timeout). */
static bool may_be_tired(const struct talk *talk)
{
    const struct talk_job *job = talk_job(talk);

    return job->row && talk_is_initiator(talk) && job->run->sign != SIGN_UNKNOWN && job->result->refused &&
           !suite_stopped;
}

static void begin_again(struct rpc_talker *talker)
{
    rpc_talker_let_go(talker);
    talk_renew(talker->talk);
    talker->line.up = talker->line.ended = talker->line.orderly = talker->terminated = talker->fed_end = false;
    talk_job(talker->talk)->result->refused = false;
}

static bool open_patiently(struct rpc_talker *talker, const struct talker_wish *wish)
{
    struct talk *talk = talker->talk;
    int64_t began = talk_now(), until = began + talk_job(talk)->run->t_recover;
    bool said = talk_job(talk)->result->said;

    while (!talker->port->open(talker, wish)) {
        if (!may_be_tired(talk) || rpc_talker_failed_here(talker) || talk_now() >= until)
            return false;
        g_usleep(TIRED_PAUSE_US);
        talk_extend(talk, talk_now() - began);
        began = talk_now();
        begin_again(talker);
        talker->waited = true;
    }
    if (talker->waited && !said) /* otherwise the case may be the reason */
        reuse_tires(talk_job(talk)->run);
    return true;
}

/* The connection of an earlier case, if it still answers; it may have ended, which says nothing about this case. */
static bool talker_go_on(struct rpc_talker *talker)
{
    struct case_result *result = talk_job(talker->talk)->result;
    bool said = result->said;

    while (reuse_take(talker)) {
        if (call_null(talker))
            return true;
        begin_again(talker);
        result->said = said;
    }
    return false;
}

bool rpc_talker_open(struct rpc_talker *talker, struct talk *talk, const struct talker_wish *wish)
{
    static const struct talker_wish no_wish;
    const struct talk_job *job = talk_job(talk);

    wish = wish ? wish : &no_wish;
    *talker = (struct rpc_talker){.talk = talk,
                                  .port = job->run->rpc_port ? job->run->rpc_port : &rpc_port_socket,
                                  .heard = g_ptr_array_new_with_free_func(heard_free),
                                  .files.names = g_ptr_array_new_with_free_func(g_free),
                                  .is_usual = talker_is_usual(wish),
                                  .files.version = wish->version,
                                  .files.has_backchannel = wish->backchannel};
    if (talk_is_initiator(talk))
        rpc_talker_learn(talk);
    talker_draw(talker);
    /* A failure is confirmed on a separate connection. */
    if (talker->is_usual && !wish->alone && job->longer == 1 && talker_go_on(talker))
        return true;
    if (!open_patiently(talker, wish))
        return false;
    if (!talk_is_initiator(talk) || wish->no_grant)
        return true;
    if (call_null(talker))
        return true;
    talk_inconclusive(talk, "the first NULL Call was not answered: %s",
                      talker->fed_end ? "the connection is over" : "silence");
    return false;
}

void rpc_talker_let_go(struct rpc_talker *talker)
{
    if (talker->open || talk_carried(talker->talk)) /* which owns the end */
        talk_hang_up(talker->talk);
    talker->open = false;
    g_clear_pointer(&talker->end, rpc_end_free);
    g_clear_pointer(&talker->line.state, g_free);
    g_clear_pointer(&talker->memory.region, g_free);
}

static void talker_release(struct rpc_talker *talker)
{
    /* A device that ended the connection has to accept a new one to show that it is alive. */
    if (talker->fed_end || talker->terminated)
        reuse_end(talk_job(talker->talk)->run);
    if (!reuse_put(talker))
        rpc_talker_let_go(talker);
    for (unsigned i = 0; i < talker->server.n_held; i++)
        g_free(talker->server.held[i].call.p);
    if (talker->server.peer) {
        g_mutex_lock(&talk_job(talker->talk)->run->nfs->lock);
        nfs_peer_free(talker->server.peer);
        g_mutex_unlock(&talk_job(talker->talk)->run->nfs->lock);
    }
    g_free(talker->reply.message.p);
    g_ptr_array_unref(talker->heard);
    g_ptr_array_unref(talker->files.names);
}

void rpc_talker_close(struct rpc_talker *talker)
{
    g_autoptr(GPtrArray) left = g_ptr_array_ref(talker->files.names);
    enum nfs_version_at version = talker->files.version;
    struct talk *talk = talker->talk;

    if (talker->end)
        rpc_end_set_spoil(talker->end, NULL);
    if (talker->open && talk_is_initiator(talk))
        rpc_talker_leave(talker);
    talker_release(talker);
    if (left->len > 0) {
        int64_t began = talk_now();

        rpc_talker_clear_up(talk_job(talk)->run, version, left);
        talk_extend(talk, talk_now() - began);
    }
}

void rpc_talker_listen(struct rpc_talker *talker)
{
    rpc_end_set_spoil(talker->end,
                      &(struct rpc_end_spoil){.ctx = talker, .decide = talker_note, .work = talker_on_work});
}

/* ---- receiving ---- */

/* The latest message. */
static const struct talker_heard *talker_find(const struct rpc_talker *talker, uint32_t xid, bool call)
{
    for (guint i = talker->heard->len; i-- > 0;) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        if (heard->call == call && heard->n >= sizeof(uint32_t) && heard->header.xid == xid)
            return heard;
    }
    return NULL;
}

const struct talker_heard *rpc_talker_find(const struct rpc_talker *talker, uint32_t xid)
{
    return talker_find(talker, xid, false);
}

/* Whether it answers a whole Call that the talker made on this connection. */
static bool is_own_xid(const struct rpc_talker *talker, uint32_t xid)
{
    return xid >= talker->xids + TALKER_XID_CALLS && xid < talker->next_xid;
}

static const struct talker_heard *find_unasked(const struct rpc_talker *talker)
{
    for (guint i = talker->said_at; i < talker->heard->len; i++) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        if (!heard->call && (heard->header.status != RPCRDMA_OK || !is_own_xid(talker, heard->header.xid)))
            return heard;
    }
    return NULL;
}

static bool talker_is_whole(const struct rpc_talker *talker)
{
    return !talk_is_in_pieces(talker->talk);
}

const char *rpc_talker_other_answer(struct rpc_talker *talker)
{
    const struct talker_heard *heard;

    if (!talker_is_whole(talker) && talk_is_open(talker->talk))
        rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, talker_is_whole);
    heard = find_unasked(talker);
    if (!heard)
        return talk_answer(talker->talk);
    if (heard->header.status != RPCRDMA_OK)
        g_snprintf(talker->words, sizeof talker->words, "a Send of %zu octets that is no message", heard->n);
    else
        g_snprintf(talker->words, sizeof talker->words, "%s with %s", rpcrdma_proc_name(heard->header.proc),
                   heard->header.xid == talker->xid ? "its XID" : "another XID, in answer to no Call");
    return talker->words;
}

const struct talker_heard *rpc_talker_find_call(const struct rpc_talker *talker, uint32_t xid)
{
    return talker_find(talker, xid, true);
}

enum rpc_answer rpc_talker_kind(const struct talker_heard *heard)
{
    const struct rpcrdma_header *header = &heard->header;
    struct rpc_message reply;

    if (header->status != RPCRDMA_OK)
        return RPC_ANSWER_NONSENSE;
    if (header->proc == RPCRDMA_ERROR)
        return header->err == RPCRDMA_ERR_VERS ? RPC_ANSWER_ERR_VERS : RPC_ANSWER_ERR_CHUNK;
    if (header->proc == RPCRDMA_NOMSG) /* the answer may be in our memory */
        return RPC_ANSWER_SUCCESS;
    if (header->proc != RPCRDMA_MSG)
        return RPC_ANSWER_NONSENSE;
    rpc_decode(&reply, heard->p + header->header_len, heard->n - header->header_len);
    if (reply.type != RPC_REPLY || reply.status != RPC_OK)
        return RPC_ANSWER_NONSENSE;
    if (reply.reply_stat == RPC_MSG_ACCEPTED && reply.accept_stat == RPC_SUCCESS)
        return RPC_ANSWER_SUCCESS;
    if (reply.reply_stat == RPC_MSG_ACCEPTED && reply.accept_stat == RPC_GARBAGE_ARGS)
        return RPC_ANSWER_GARBAGE;
    return RPC_ANSWER_RPC_ERROR;
}

static bool is_answered(const struct rpc_talker *talker)
{
    return talker->terminated || rpc_talker_find(talker, talker->awaited);
}

enum rpc_answer rpc_talker_await(struct rpc_talker *talker, uint32_t xid, int64_t ns)
{
    const struct talker_heard *heard;

    talker->awaited = xid;
    rpc_talker_pump(talker, ns, is_answered);
    heard = rpc_talker_find(talker, xid);
    if (heard)
        return rpc_talker_kind(heard);
    return talker->fed_end || talker->terminated ? RPC_ANSWER_GONE : RPC_ANSWER_SILENCE;
}

bool rpc_talker_heard_results(const struct talker_heard *heard, struct xdr *results)
{
    struct rpc_message reply;

    if (!heard || heard->header.proc != RPCRDMA_MSG)
        return false;
    *results = xdr_begin(heard->p + heard->header.header_len, heard->n - heard->header.header_len);
    if (rpc_decode(&reply, results->p, results->n) != RPC_OK)
        return false;
    results->at = reply.header_len;
    return true;
}

uint32_t rpc_talker_heard_status(const struct rpc_talker *talker)
{
    struct xdr results;
    uint32_t status;

    return rpc_talker_heard_results(rpc_talker_find(talker, talker->xid), &results) && xdr_u32(&results, &status)
               ? status
               : UINT32_MAX;
}

const char *rpc_answer_words(enum rpc_answer answer)
{
    switch (answer) {
    case RPC_ANSWER_SUCCESS:
        return "a Reply with SUCCESS";
    case RPC_ANSWER_RPC_ERROR:
        return "a Reply with an RPC error";
    case RPC_ANSWER_GARBAGE:
        return "a Reply with GARBAGE_ARGS";
    case RPC_ANSWER_ERR_VERS:
        return "RDMA_ERROR with ERR_VERS";
    case RPC_ANSWER_ERR_CHUNK:
        return "RDMA_ERROR with ERR_CHUNK";
    case RPC_ANSWER_SILENCE:
        return "no answer";
    case RPC_ANSWER_GONE:
        return "the end of the connection";
    case RPC_ANSWER_BADXDR:
        return "NFS4ERR_BADXDR";
    case RPC_ANSWER_NFS_ERROR:
        return "a Reply with an NFS error";
    case RPC_ANSWER_NONSENSE:
        break;
    }
    return "a message that answers nothing";
}

const char *rpc_talker_found_words(struct rpc_talker *talker, enum rpc_answer answer)
{
    const char *other = answer == RPC_ANSWER_SILENCE ? rpc_talker_other_answer(talker) : NULL;

    return other ? other : rpc_answer_words(answer);
}

bool rpc_talker_alive(struct rpc_talker *talker)
{
    if (call_null(talker))
        return true;
    talk_failed(talker->talk, "a NULL Call after it was not answered: %s",
                talker->fed_end ? "the connection is over" : "silence");
    return false;
}

/* ---- whole Calls ---- */

void rpc_talker_begin(struct rpc_talker *talker, struct xdr_out *out, uint32_t program, uint32_t version,
                      uint32_t procedure)
{
    const struct rpc_message call = {.xid = talker->next_xid++, .prog = program, .vers = version, .proc = procedure};

    xdr_out_begin(out);
    rpc_call_header(out, &call, &(struct rpc_caller){0}); /* servers usually require it for files */
}

static bool has_replied(const struct rpc_talker *talker)
{
    return talker->reply.n > 0;
}

bool rpc_talker_call(struct rpc_talker *talker, struct xdr_out *out, const struct rpc_end_how *how)
{
    struct rpc_end_message call = {0};

    xdr_out_take(out, &call);
    talker->reply.n = 0;
    rpc_end_call(talker->end, &call, how, 1);
    g_free(call.p);
    rpc_talker_pump(talker, talk_t_close(talker->talk), has_replied);
    return talker->reply.n > 0 && talker->reply.result == RPC_END_REPLIED;
}

bool rpc_talker_results(const struct rpc_talker *talker, struct xdr *results)
{
    struct rpc_message header;

    *results = xdr_begin(talker->reply.message.p, talker->reply.message.n);
    if (rpc_decode(&header, talker->reply.message.p, talker->reply.message.n) != RPC_OK ||
        header.reply_stat != RPC_MSG_ACCEPTED || header.accept_stat != RPC_SUCCESS)
        return false;
    results->at = header.header_len;
    return true;
}

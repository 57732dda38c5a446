// SPDX-License-Identifier: GPL-2.0-or-later
/* The requester (RFC 8166 sections 3.3 to 3.5): composes Calls and sends them as credits allow, and takes Replies
 * apart. */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

/* ---- the life of a Call ---- */

static void call_withdraw(struct rpc_end *end, struct rpc_call *call)
{
    rpc_chunk_withdraw(end, &call->body);
    rpc_chunk_withdraw(end, &call->reply);
    for (unsigned i = 0; i < RPC_END_ITEMS_MAX; i++) {
        rpc_chunk_withdraw(end, &call->reads[i]);
        rpc_chunk_withdraw(end, &call->writes[i]);
    }
}

void rpc_call_free(struct rpc_end *end, struct rpc_call *call)
{
    call_withdraw(end, call);
    for (unsigned i = 0; i < call->n_writes; i++)
        g_free(call->writes[i].octets);
    g_free(call->reply.octets);
    g_free(call->payload);
    g_free(call->message.p);
    g_free(call);
}

/* Ends a Call: from now on only the upper layer has access to its memory (section 4.4.1). */
static void call_finish(struct rpc_end *end, struct rpc_call *call, enum rpc_end_result result,
                        const struct rpc_end_message *reply)
{
    call_withdraw(end, call);
    if (end->events.replied)
        end->events.replied(end->events.ctx, call->cookie, result, reply);
    rpc_call_free(end, call);
}

void rpc_end_call(struct rpc_end *end, const struct rpc_end_message *message, const struct rpc_end_how *how,
                  uint64_t cookie)
{
    struct rpc_call *call = g_new0(struct rpc_call, 1);
    struct rpc_message header;

    call->cookie = cookie;
    call->xid = message->n >= sizeof(uint32_t) ? get_be32(message->p) : 0;
    call->message = *message;
    call->message.p = g_memdup2(message->p, message->n);
    rpc_message_check_items(&call->message);
    if (how)
        call->how = *how;
    if (rpc_decode(&header, message->p, message->n) == RPC_OK) {
        call->procedure = nfs_procedure_find(header.prog, header.vers, header.proc);
        call->is_protected = rpc_gss_protects(&header);
    }
    if (end->over) {
        call_finish(end, call, RPC_END_LOST, NULL);
        return;
    }
    if (call->how.urgent)
        g_queue_push_head(&end->waiting, call);
    else
        g_queue_push_tail(&end->waiting, call);
    rpc_end_pump(end);
}

/* ---- sending ---- */

/* Section 4.3.2: chunks for results, and for the Reply if it may be too long to go inline. */
static void plan_results(struct rpc_end *end, struct rpc_call *call, unsigned segments)
{
    size_t n = RPCRDMA_HEADER_MIN;

    for (unsigned i = 0; i < RPC_END_ITEMS_MAX && call->how.results[i] > 0; i++) {
        struct rpc_chunk *chunk = &call->writes[call->n_writes++];

        if (call->how.results[i] != SIZE_MAX) {
            chunk->n = call->how.results[i];
            chunk->octets = g_malloc0(chunk->n);
            rpc_chunk_offer(end, chunk, segments, MEMORY_REMOTE_WRITE);
        }
        n += rpc_write_chunk_size(chunk->n_segments);
    }
    if (call->how.reply_max > 0 && n + call->how.reply_max > end->inline_in) {
        call->reply.n = xdr_padded(call->how.reply_max);
        call->reply.octets = g_malloc0(call->reply.n);
        rpc_chunk_offer(end, &call->reply, segments, MEMORY_REMOTE_WRITE);
    }
}

static size_t header_size(const struct rpc_call *call)
{
    size_t n = RPCRDMA_HEADER_MIN + rpc_read_list_size(call->body.n_segments);

    for (unsigned i = 0; i < call->message.n_items; i++)
        n += rpc_read_list_size(call->reads[i].n_segments);
    for (unsigned i = 0; i < call->n_writes; i++)
        n += rpc_write_chunk_size(call->writes[i].n_segments);
    /* The size already includes the Reply chunk's discriminator. */
    return n + (call->reply.n_segments ? rpc_write_chunk_size(call->reply.n_segments) - sizeof(uint32_t) : 0);
}

/*
 * Section 3.5: a Call goes inline if it fits; else its items go into Read chunks if the rest then fits; else all of it
 * goes into a Position-Zero Read chunk. If items are reduced anyway, that chunk holds the rest.
 */
static void plan_arguments(struct rpc_end *end, struct rpc_call *call, unsigned segments, bool *taken)
{
    const struct rpc_end_message *message = &call->message;
    size_t whole = header_size(call) + message->n, n_items = 0;
    bool reduce = call->how.reduce;

    for (unsigned i = 0; i < message->n_items; i++) {
        taken[i] = message->items[i].n > 0;
        n_items += taken[i];
    }
    if (!reduce && !call->how.keep_inline && !call->how.long_call && whole > end->inline_out) {
        size_t reduced =
            header_size(call) + rpc_message_reduced_size(message, taken) + n_items * rpc_read_list_size(segments);

        reduce = reduced <= end->inline_out;
    }
    for (unsigned i = 0; i < message->n_items; i++) {
        taken[i] = taken[i] && reduce;
        if (taken[i]) {
            call->reads[i].octets = message->p + message->items[i].at;
            call->reads[i].n = message->items[i].n;
            rpc_chunk_offer(end, &call->reads[i], segments, MEMORY_REMOTE_READ);
        }
    }
    call->payload_n = rpc_message_reduced_size(message, taken);
    call->payload = g_malloc(MAX(call->payload_n, 1));
    rpc_message_reduce(message, taken, call->payload);
    if (call->how.long_call || header_size(call) + call->payload_n > end->inline_out) {
        call->body.octets = call->payload;
        call->body.n = call->payload_n;
        rpc_chunk_offer(end, &call->body, segments, MEMORY_REMOTE_READ);
    }
}

static void call_add_reads(GArray *reads, const struct rpc_chunk *chunk, size_t position)
{
    for (uint32_t i = 0; i < chunk->n_segments; i++) {
        const struct rpcrdma_read_segment segment = {.position = (uint32_t)position, .target = chunk->segments[i]};

        g_array_append_val(reads, segment);
    }
}

static void send_call(struct rpc_end *end, struct rpc_call *call)
{
    GArray *reads = g_array_new(FALSE, FALSE, sizeof(struct rpcrdma_read_segment));
    struct rpcrdma_write_plan writes[RPC_END_ITEMS_MAX], reply = {call->reply.segments, call->reply.n_segments};
    struct rpcrdma_plan plan = {
        .xid = call->xid,
        .vers = RPCRDMA_VERSION,
        .credit = end->options.credits,
        .proc = call->body.n_segments ? RPCRDMA_NOMSG : RPCRDMA_MSG,
        .writes = writes,
        .n_writes = call->n_writes,
        .reply = call->reply.n_segments ? &reply : NULL,
    };

    call_add_reads(reads, &call->body, 0);
    for (unsigned i = 0; i < call->message.n_items; i++)
        call_add_reads(reads, &call->reads[i], call->message.items[i].at);
    for (unsigned i = 0; i < call->n_writes; i++)
        writes[i] = (struct rpcrdma_write_plan){call->writes[i].segments, call->writes[i].n_segments};
    plan.reads = (const struct rpcrdma_read_segment *)(const void *)reads->data;
    plan.n_reads = reads->len;
    rpc_end_send(end, &plan, call->payload, call->body.n_segments ? 0 : call->payload_n, 0, false);
    g_array_unref(reads);
}

uint32_t rpc_end_outstanding(const struct rpc_end *end)
{
    return g_hash_table_size(end->calls);
}

static uint32_t credits(const struct rpc_end *end, const struct rpc_call *call)
{
    uint32_t limit = MIN(end->options.credits, end->granted);

    return limit > 1 && end->options.keep_credit && !call->how.urgent ? limit - 1 : limit;
}

/* Section 3.3.1: the lower of requested and granted credits, minus the Calls in flight. */
void rpc_end_pump(struct rpc_end *end)
{
    struct rpc_call *call;

    while (end->up && !end->over && (call = g_queue_peek_head(&end->waiting)) &&
           rpc_end_outstanding(end) < credits(end, call) &&
           !g_hash_table_contains(end->calls, GUINT_TO_POINTER(call->xid))) {
        unsigned segments = MAX(call->how.segments, 1);
        bool taken[RPC_END_ITEMS_MAX] = {false};

        g_queue_pop_head(&end->waiting);
        plan_results(end, call, segments);
        plan_arguments(end, call, segments, taken);
        if (header_size(call) + (call->body.n_segments ? 0 : call->payload_n) > end->inline_out) {
            call_finish(end, call, RPC_END_UNSENT, NULL);
            continue;
        }
        g_hash_table_insert(end->calls, GUINT_TO_POINTER(call->xid), call);
        send_call(end, call);
    }
}

/* ---- Replies ---- */

/* The octets reported for the chunk; UINT64_MAX: more than it has room for. */
static uint64_t call_returned_length(const struct rpc_chunk *offered, const struct rpcrdma_chunk *returned,
                                     const uint8_t *p)
{
    uint64_t n = 0;

    /* A chunk without a result may be returned without segments (RFC 8267 section 6.4.1). */
    if (returned->n != offered->n_segments && returned->n != 0)
        return UINT64_MAX;
    for (uint32_t i = 0; i < returned->n; i++) {
        uint32_t length = rpcrdma_segment_at(returned, p, i).length;

        if (length > offered->segments[i].length)
            return UINT64_MAX;
        n += length;
    }
    return n;
}

struct returned_chunks {
    const struct rpc_call *call;
    const uint8_t *p; /* the Send */
    struct rpcrdma_chunk writes[RPC_END_ITEMS_MAX], reply;
};

/* Joins the contents of the segments, which are adjacent in memory. */
static void call_gather(const struct rpc_chunk *offered, const struct rpcrdma_chunk *returned, const uint8_t *p,
                        GByteArray *to)
{
    size_t at = 0;

    for (uint32_t i = 0; i < returned->n; i++) {
        uint32_t length = rpcrdma_segment_at(returned, p, i).length;

        if (length > 0)
            g_byte_array_append(to, offered->octets + at, length);
        at += offered->segments[i].length;
    }
}

static void call_fill(void *ctx, unsigned k, GByteArray *to)
{
    const struct returned_chunks *chunks = ctx;

    call_gather(&chunks->call->writes[k], &chunks->writes[k], chunks->p, to);
}

/* Sections 4.3.1, 4.3.2, 4.3.3: a Reply has no Read list, and its chunks differ from the Call's only in length. */
static bool take_chunks(const struct rpc_end_incoming *reply, struct returned_chunks *chunks,
                        struct rpc_returned *returned)
{
    const struct rpcrdma_header *header = reply->header;
    const struct rpc_call *call = chunks->call;
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    uint64_t n;

    if (header->read.n > 0 || header->write.n > call->n_writes || (header->has_reply && call->reply.n == 0))
        return false;
    for (unsigned k = 0; k < call->n_writes; k++)
        returned[k] = (struct rpc_returned){.offered = call->writes[k].n_segments > 0};
    for (unsigned k = 0; rpcrdma_write_next(header, reply->p, &chunk); k++) {
        chunks->writes[k] = chunk;
        returned[k].n = call_returned_length(&call->writes[k], &chunk, reply->p);
        if (returned[k].n == UINT64_MAX)
            return false;
    }
    if (header->has_reply)
        chunks->reply = rpcrdma_reply_chunk(header);
    n = header->has_reply ? call_returned_length(&call->reply, &chunks->reply, reply->p) : 0;
    return n != UINT64_MAX && (header->proc == RPCRDMA_MSG || n > 0);
}

/* The payload when the header is right; NULL: the message must be discarded. */
static GByteArray *call_open_reply(const struct rpc_end_incoming *reply, struct returned_chunks *chunks,
                                   struct rpc_returned *returned)
{
    const struct rpcrdma_header *header = reply->header;
    GByteArray *payload;

    if (!chunks->call || header->status != RPCRDMA_OK || header->vers != RPCRDMA_VERSION ||
        (header->proc != RPCRDMA_MSG && header->proc != RPCRDMA_NOMSG) || !take_chunks(reply, chunks, returned))
        return NULL;
    payload = g_byte_array_new();
    if (header->proc == RPCRDMA_MSG)
        g_byte_array_append(payload, reply->p + header->header_len, (guint)(reply->n - header->header_len));
    else
        call_gather(&chunks->call->reply, &chunks->reply, reply->p, payload);
    /* Section 4.5.2: a wrong XID in the message counts as a header error. */
    if (payload->len >= 2 * sizeof(uint32_t) && get_be32(payload->data) == header->xid &&
        get_be32(payload->data + sizeof(uint32_t)) == RPC_REPLY)
        return payload;
    g_byte_array_unref(payload);
    return NULL;
}

enum rpc_end_answer rpc_end_take_reply(struct rpc_end *end, const struct rpc_end_incoming *reply)
{
    const struct rpcrdma_header *header = reply->header;
    struct rpc_call *call = g_hash_table_lookup(end->calls, GUINT_TO_POINTER(header->xid));
    struct returned_chunks chunks = {.call = call, .p = reply->p};
    struct rpc_returned returned[RPC_END_ITEMS_MAX];
    GByteArray *payload = call_open_reply(reply, &chunks, returned);
    enum rpc_end_answer answer = rpc_end_decide(end, reply, payload ? RPC_END_SERVE : RPC_END_DISCARD);

    if (payload && answer == RPC_END_SERVE) {
        struct rpc_end_message message = {0};
        bool whole = rpc_binding_rebuild(call, payload->data, payload->len, header->proc == RPCRDMA_NOMSG, returned,
                                         call->n_writes, call_fill, &chunks, &message);

        g_hash_table_remove(end->calls, GUINT_TO_POINTER(call->xid));
        end->granted = MAX(header->credit, 1); /* 0 is not allowed, and would block all Calls */
        call_finish(end, call, whole ? RPC_END_REPLIED : RPC_END_GARBAGE, whole ? &message : NULL);
        g_free(message.p);
        rpc_end_pump(end);
    }
    if (payload)
        g_byte_array_unref(payload);
    return answer;
}

/* A message that cannot be decoded, or matches no Call, is discarded. */
enum rpc_end_answer rpc_end_take_error(struct rpc_end *end, const struct rpc_end_incoming *error)
{
    const struct rpcrdma_header *header = error->header;
    struct rpc_call *call = g_hash_table_lookup(end->calls, GUINT_TO_POINTER(header->xid));
    bool sound = call && header->status == RPCRDMA_OK && header->vers == RPCRDMA_VERSION;
    enum rpc_end_answer answer = rpc_end_decide(end, error, sound ? RPC_END_SERVE : RPC_END_DISCARD);

    /* rdma_credit is ignored here (RFC 8167 section 4.1). */
    if (sound && answer == RPC_END_SERVE) {
        g_hash_table_remove(end->calls, GUINT_TO_POINTER(call->xid));
        call_finish(end, call, header->err == RPCRDMA_ERR_VERS ? RPC_END_ERR_VERS : RPC_END_ERR_CHUNK, NULL);
        rpc_end_pump(end);
    }
    return answer;
}

static gint by_cookie(const void *a, const void *b)
{
    const struct rpc_call *first = a, *second = b;

    return first->cookie < second->cookie ? -1 : first->cookie > second->cookie;
}

void rpc_end_lose_calls(struct rpc_end *end)
{
    GList *calls = g_list_sort(g_hash_table_get_values(end->calls), by_cookie);
    struct rpc_call *call;

    g_hash_table_remove_all(end->calls);
    for (GList *link = calls; link; link = link->next)
        call_finish(end, link->data, RPC_END_LOST, NULL);
    g_list_free(calls);
    while ((call = g_queue_pop_head(&end->waiting)))
        call_finish(end, call, RPC_END_LOST, NULL);
}

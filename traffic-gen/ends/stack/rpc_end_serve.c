// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The responder (RFC 8166 sections 3.4 to 3.5): fetches Read chunks and restores the Call, and sends Replies with
 * results in the Call's chunks.
 */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

/* ---- the life of a Call ---- */

void rpc_served_free(struct rpc_end *end, struct rpc_served *served)
{
    if (served->sink_stag)
        memory_invalidate(end->memory, served->sink_stag);
    g_free(served->sink.octets);
    g_array_unref(served->reads);
    g_array_unref(served->offered);
    g_free(served->octets);
    g_free(served);
}

static struct rpc_served *serve_find(const struct rpc_end *end, uint64_t id)
{
    return g_hash_table_lookup(end->served, &id);
}

static void serve_forget(struct rpc_end *end, struct rpc_served *served)
{
    g_hash_table_remove(end->served, &served->id);
    rpc_served_free(end, served);
}

static void serve_answer(struct rpc_end *end, struct rpc_served *served, enum rpc_end_answer how)
{
    rpc_end_answer(end, &served->header, how);
    serve_forget(end, served);
}

/* ---- the Call, whole ---- */

static gint serve_by_position(const void *a, const void *b)
{
    const struct rpcrdma_read_segment *first = a, *second = b;

    return first->position < second->position ? -1 : first->position > second->position;
}

static void note_chunk(struct rpc_served *served, const struct rpcrdma_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->n; i++) {
        const struct rpcrdma_segment segment = rpcrdma_segment_at(chunk, served->octets, i);

        g_array_append_val(served->offered, segment);
    }
}

/* Section 3.4.5: segments with the same Position form one chunk, in list order. */
static void serve_note_chunks(struct rpc_served *served)
{
    const struct rpcrdma_header *header = &served->header;
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);

    served->reads = g_array_sized_new(FALSE, FALSE, sizeof(struct rpcrdma_read_segment), header->read.n);
    served->offered = g_array_new(FALSE, FALSE, sizeof(struct rpcrdma_segment));
    for (uint32_t i = 0; i < header->read.n; i++) {
        const struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(header, served->octets, i);

        g_array_append_val(served->reads, segment);
        g_array_append_val(served->offered, segment.target);
        served->sink.n += segment.target.length;
    }
    g_array_sort(served->reads, serve_by_position); /* stable */
    while (rpcrdma_write_next(header, served->octets, &chunk))
        note_chunk(served, &chunk);
    if (header->has_reply) {
        chunk = rpcrdma_reply_chunk(header);
        note_chunk(served, &chunk);
    }
}

/* The octets of the chunk that begins with reads[*i], at *at in the sink; advances both. */
static size_t next_chunk(const struct rpc_served *served, guint *i, uint32_t *position)
{
    size_t n = 0;

    *position = g_array_index(served->reads, struct rpcrdma_read_segment, *i).position;
    for (; *i < served->reads->len; ++*i) {
        const struct rpcrdma_read_segment *segment = &g_array_index(served->reads, struct rpcrdma_read_segment, *i);

        if (segment->position != *position)
            break;
        n += segment->target.length;
    }
    return n;
}

/* The word before a reduced item has its length; the chunk may also hold the roundup (section 3.4.5.2). */
static bool serve_note_item(struct rpc_end_message *call, const GByteArray *octets, size_t chunk)
{
    size_t at = octets->len;
    uint32_t count = at >= sizeof(uint32_t) ? get_be32(octets->data + at - sizeof(uint32_t)) : 0;

    if (call->n_items == RPC_END_ITEMS_MAX || (chunk != count && chunk != xdr_padded(count)))
        return false;
    call->items[call->n_items++] = (struct rpc_end_item){.at = at, .n = count};
    return true;
}

/* Inserts the chunks into the stream p[0..n) at their Positions. False when they do not fit. */
static bool rebuild(const struct rpc_served *served, struct rpc_end_message *call)
{
    static const uint8_t roundup[3];
    const uint8_t *p = served->octets + served->header.header_len, *chunk = served->sink.octets;
    size_t n = served->n - served->header.header_len;
    GByteArray *octets = g_byte_array_new();
    bool fits = true;
    guint i = 0;

    while (fits && i < served->reads->len) {
        uint32_t position;
        size_t length = next_chunk(served, &i, &position);

        if (position == 0) { /* the whole stream: RDMA_NOMSG */
            p = chunk;
            n = length;
        } else if (position < octets->len || position - octets->len > n) {
            fits = false;
        } else {
            size_t before = position - octets->len;

            g_byte_array_append(octets, p, (guint)before);
            p += before;
            n -= before;
            fits = serve_note_item(call, octets, length);
            if (length > 0)
                g_byte_array_append(octets, chunk, (guint)length);
            g_byte_array_append(octets, roundup, xdr_roundup(length));
        }
        if (length > 0)
            chunk += length;
    }
    if (n > 0)
        g_byte_array_append(octets, p, (guint)n);
    call->n = octets->len;
    call->p = g_byte_array_free(octets, FALSE);
    return fits;
}

static enum rpc_end_answer serve_judge_whole(const struct rpc_served *served, const struct rpc_end_message *call,
                                             struct rpc_message *header)
{
    enum rpc_status status = rpc_decode(header, call->p, call->n);

    if (call->n < sizeof(uint32_t) || header->xid != served->header.xid)
        return RPC_END_SAY_CHUNK;
    if (header->type == RPC_CALL && status == RPC_BAD_VALUE && header->rpcvers != RPC_VERSION)
        return RPC_END_SAY_MISMATCH;
    if (status != RPC_OK || header->type != RPC_CALL || !rpc_binding_allows(call, header))
        return RPC_END_SAY_GARBAGE;
    return RPC_END_SERVE;
}

static void hand_up(struct rpc_end *end, struct rpc_served *served)
{
    struct rpc_end_message call = {0};
    struct rpc_message header = {0};
    bool fits = rebuild(served, &call);
    enum rpc_end_answer due = fits ? serve_judge_whole(served, &call, &header) : RPC_END_SAY_GARBAGE;
    const struct rpc_end_incoming incoming = {.header = &served->header, .call = true};

    if (due == RPC_END_SERVE && !end->events.called)
        due = RPC_END_SAY_UNAVAIL;
    due = rpc_end_decide(end, &incoming, due);
    served->told = true;
    if (due != RPC_END_SERVE)
        serve_answer(end, served, due);
    else if (end->events.called)
        end->events.called(end->events.ctx, served->id, &call, &header);
    g_free(call.p);
}

/* ---- fetching ---- */

static void post_reads(struct rpc_end *end, struct rpc_served *served)
{
    uint64_t to = random_next(&end->random) >> 8, id = served->id;
    guint n = served->reads->len;

    served->sink.octets = g_malloc(served->sink.n);
    served->sink_stag = memory_register(end->memory, served->sink.octets, served->sink.n, to, 0, false);
    to = memory_base(end->memory, served->sink_stag);
    for (guint i = 0; i < n; i++)
        served->reads_left += g_array_index(served->reads, struct rpcrdma_read_segment, i).target.length > 0;
    for (guint i = 0; i < n; i++) {
        const struct rpcrdma_segment *target = &g_array_index(served->reads, struct rpcrdma_read_segment, i).target;
        struct qp_work work = {
            .kind = QP_READ,
            .cookie = id << RPC_COOKIE_BITS | RPC_COOKIE_READ,
            .n = target->length,
            .remote_stag = target->handle,
            .remote_to = target->offset,
            .sink_stag = served->sink_stag,
            .sink_to = to,
        };

        to += target->length;
        if (target->length > 0 && !rpc_end_post(end, &work))
            return; /* the connection is over, and so is the Call */
        served = serve_find(end, id);
        if (!served)
            return;
    }
}

/* The upper layer gets the Call once it has arrived completely. */
void rpc_end_read_done(struct rpc_end *end, uint64_t id, bool ok)
{
    struct rpc_served *served = serve_find(end, id);

    if (!served || served->told)
        return;
    served->flushed |= !ok;
    if (--served->reads_left > 0)
        return;
    if (served->flushed) /* Reads are impossible here (an ORD of 0); harmless if the connection is over */
        serve_answer(end, served, RPC_END_SAY_CHUNK);
    else
        hand_up(end, served);
}

void rpc_end_serve(struct rpc_end *end, const struct rpc_end_incoming *call)
{
    struct rpc_served *served = g_new0(struct rpc_served, 1);

    served->id = ++end->next_id;
    served->header = *call->header;
    served->octets = g_memdup2(call->p, call->n);
    served->n = call->n;
    serve_note_chunks(served);
    g_hash_table_insert(end->served, &served->id, served);
    if (served->sink.n > 0)
        post_reads(end, served);
    else
        hand_up(end, served);
}

/* ---- Replies ---- */

/* A chunk as returned to the caller: segments with the lengths filled (section 3.4.6). */
struct filled {
    struct rpcrdma_segment *segments;
    uint32_t n;
};

static uint64_t room_in(const struct rpc_served *served, const struct rpcrdma_chunk *chunk)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < chunk->n; i++)
        n += rpcrdma_segment_at(chunk, served->octets, i).length;
    return n;
}

/* Writes p[0..n) into the chunk, segment by segment without gaps. */
static struct rpcrdma_write_plan serve_fill(struct rpc_end *end, const struct rpc_served *served,
                                            const struct rpcrdma_chunk *chunk, const uint8_t *p, size_t n)
{
    struct rpcrdma_segment *segments = g_new(struct rpcrdma_segment, MAX(chunk->n, 1));

    for (uint32_t i = 0; i < chunk->n; i++) {
        struct qp_work work = {.kind = QP_WRITE, .p = p};

        segments[i] = rpcrdma_segment_at(chunk, served->octets, i);
        segments[i].length = (uint32_t)MIN(segments[i].length, n);
        work.n = segments[i].length;
        work.remote_stag = segments[i].handle;
        work.remote_to = segments[i].offset;
        if (work.n > 0) {
            rpc_end_post(end, &work);
            p += work.n;
            n -= work.n;
        }
    }
    return (struct rpcrdma_write_plan){.segments = segments, .n = chunk->n};
}

static size_t reply_header_size(const struct rpc_served *served)
{
    const struct rpcrdma_header *header = &served->header;

    return RPCRDMA_HEADER_MIN + (header->write.end - header->write.at) - sizeof(uint32_t) +
           (header->has_reply ? header->reply.end - header->reply.at - sizeof(uint32_t) : 0);
}

static bool offers(const struct rpc_served *served, uint32_t stag)
{
    for (guint i = 0; i < served->offered->len; i++) {
        if (g_array_index(served->offered, struct rpcrdma_segment, i).handle == stag)
            return true;
    }
    return false;
}

/* RFC 8797 section 4.1: an STag offered by this Call, never another Call's. 0: none. */
static uint32_t stag_to_invalidate(struct rpc_end *end, const struct rpc_served *served)
{
    const struct rpc_served *other;
    GHashTableIter i;
    uint32_t stag = 0;

    if (!end->invalidates)
        return 0;
    for (guint k = 0; k < served->offered->len && stag == 0; k++) {
        const struct rpcrdma_segment *segment = &g_array_index(served->offered, struct rpcrdma_segment, k);

        stag = segment->length > 0 ? segment->handle : 0;
    }
    g_hash_table_iter_init(&i, end->served);
    while (stag != 0 && g_hash_table_iter_next(&i, NULL, (void **)&other))
        stag = other != served && offers(other, stag) ? 0 : stag;
    return stag;
}

/* Which items go into Write chunks; false when an item is larger than its chunk. */
static bool choose_items(const struct rpc_served *served, const struct rpc_end_message *reply, bool *taken)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&served->header);

    memset(taken, 0, RPC_END_ITEMS_MAX * sizeof *taken);
    for (unsigned i = 0; i < reply->n_items && rpcrdma_write_next(&served->header, served->octets, &chunk); i++) {
        taken[i] = chunk.n > 0 && reply->items[i].n > 0;
        if (taken[i] && reply->items[i].n > room_in(served, &chunk))
            return false;
    }
    return true;
}

/* Writes the chosen items into their chunks and leaves other chunks unused. */
static struct rpcrdma_write_plan *fill_writes(struct rpc_end *end, const struct rpc_served *served,
                                              const struct rpc_end_message *reply, const bool *taken)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&served->header);
    struct rpcrdma_write_plan *writes = g_new(struct rpcrdma_write_plan, MAX(served->header.write.n, 1));

    for (unsigned i = 0; rpcrdma_write_next(&served->header, served->octets, &chunk); i++) {
        bool used = i < RPC_END_ITEMS_MAX && taken[i];

        writes[i] =
            serve_fill(end, served, &chunk, used ? reply->p + reply->items[i].at : NULL, used ? reply->items[i].n : 0);
    }
    return writes;
}

/*
 * Section 3.5.3: results go into their chunks first; the rest goes inline if it fits, else into the Reply chunk. False
 * when it fits in neither.
 */
static bool serve_send_reply(struct rpc_end *end, const struct rpc_served *served, const struct rpc_end_message *reply)
{
    const struct rpcrdma_header *header = &served->header;
    struct rpcrdma_chunk reply_chunk = header->has_reply ? rpcrdma_reply_chunk(header) : (struct rpcrdma_chunk){0};
    struct rpcrdma_write_plan reply_plan = {0}, *writes;
    bool taken[RPC_END_ITEMS_MAX], is_long;
    struct rpcrdma_plan plan = {.xid = header->xid, .vers = RPCRDMA_VERSION, .credit = end->options.credits};
    size_t n;
    uint8_t *payload;

    if (!choose_items(served, reply, taken))
        return false;
    n = rpc_message_reduced_size(reply, taken);
    is_long = reply_header_size(served) + n > end->inline_out;
    if (is_long && (reply_header_size(served) > end->inline_out || n > room_in(served, &reply_chunk)))
        return false;
    payload = g_malloc(n);
    rpc_message_reduce(reply, taken, payload);
    writes = fill_writes(end, served, reply, taken);
    if (header->has_reply)
        reply_plan = serve_fill(end, served, &reply_chunk, payload, is_long ? n : 0);
    plan.proc = is_long ? RPCRDMA_NOMSG : RPCRDMA_MSG;
    plan.writes = writes;
    plan.n_writes = header->write.n;
    plan.reply = header->has_reply ? &reply_plan : NULL;
    rpc_end_send(end, &plan, payload, is_long ? 0 : n, stag_to_invalidate(end, served), true);
    for (uint32_t i = 0; i < header->write.n; i++)
        g_free((void *)writes[i].segments);
    g_free((void *)reply_plan.segments);
    g_free(writes);
    g_free(payload);
    return true;
}

void rpc_end_reply(struct rpc_end *end, uint64_t id, struct rpc_end_message *reply)
{
    struct rpc_served *served = serve_find(end, id);

    rpc_message_check_items(reply);
    if (served && served->told && !end->over) {
        if (serve_send_reply(end, served, reply))
            serve_forget(end, served);
        else
            serve_answer(end, served, RPC_END_SAY_CHUNK);
    }
    g_free(reply->p);
    *reply = (struct rpc_end_message){0};
}

void rpc_end_refuse(struct rpc_end *end, uint64_t id)
{
    struct rpc_served *served = serve_find(end, id);

    if (served && served->told && !end->over)
        serve_answer(end, served, RPC_END_SAY_CHUNK);
}

void rpc_end_answer_null(struct rpc_end *end, uint64_t id, const struct rpc_message *header)
{
    enum { REPLY = 24 };
    const struct rpc_message words = {.xid = header->xid,
                                      .accept_stat = header->proc == 0 ? RPC_SUCCESS : RPC_PROC_UNAVAIL};
    struct rpc_end_message reply = {.p = g_malloc0(REPLY), .n = REPLY};
    struct xdr_writer w = {.p = reply.p, .size = reply.n};

    rpc_reply_encode(&words, NULL, &w);
    rpc_end_reply(end, id, &reply);
}

size_t rpc_end_room(const struct rpc_end *end, uint64_t id)
{
    const struct rpc_served *served = serve_find(end, id);
    struct rpcrdma_chunk chunk;
    uint64_t n = 0;

    if (!served)
        return 0;
    chunk = rpcrdma_write_begin(&served->header);
    if (reply_header_size(served) < end->inline_out)
        n = end->inline_out - reply_header_size(served);
    if (served->header.has_reply) {
        const struct rpcrdma_chunk reply = rpcrdma_reply_chunk(&served->header);

        n = MAX(n, room_in(served, &reply));
    }
    while (rpcrdma_write_next(&served->header, served->octets, &chunk))
        n += room_in(served, &chunk);
    return n;
}

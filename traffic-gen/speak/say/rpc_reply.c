// SPDX-License-Identifier: GPL-2.0-or-later
/* Replies: results, the RDMA Writes of results into the Call's chunks, and the chunks that are returned. */
#include "traffic-gen/speak/say/rpc_making.h"

#include "wire/nfs.h"

#include <string.h>

/* A result of operation op, or of the procedure; a status without opN is that of the last operation. */
struct result_words {
    struct rpc_making *m;
    unsigned last;
};

static const char *result_option(void *context, unsigned op, const char *name)
{
    struct result_words *results = context;
    char full[NFS_FIELD_MAX + 16];
    const char *value;

    g_snprintf(full, sizeof full, "op%u.%s", op, name);
    value = words_value(results->m->words, full);
    if (!value && (strcmp(name, "status") != 0 || results->m->exchange->call.body.n_ops == 0 || op == results->last))
        value = words_value(results->m->words, name);
    return value;
}

static void build_results(struct rpc_making *m)
{
    const struct nfs_body *call = &m->exchange->call.body;
    unsigned n_ops = (unsigned)words_number(m->words, "results", call->n_ops);
    struct result_words results = {.m = m, .last = n_ops - 1};
    struct nfs_options options = {.option = result_option, .context = &results, .seed = m->exchange->xid + 0x55};
    const char *wrong;

    nfs_body_init(&m->side->body);
    wrong = nfs_build_results(m->exchange->procedure, call, &options, n_ops, &m->side->body);
    if (wrong)
        words_refuse(m->words, wrong);
}

static void build_header(struct rpc_making *m)
{
    m->header.xid = m->plan.xid;
    m->header.type = RPC_REPLY;
    if (words_have(m->words, "denied")) {
        m->header.reply_stat = RPC_MSG_DENIED;
        m->header.reject_stat = RPC_AUTH_ERROR;
        m->header.auth_stat = 1;
    }
    m->header.low = m->header.high = m->exchange->procedure->version;
    rpc_change_header(m);
}

/* ---- placing ---- */

/*
 * Places p[0..n) in the segments of a chunk, after earlier octets; segment lengths become the octets written. Octets
 * that do not fit are lost.
 */
static void reply_place(struct rpc_making *m, const struct rpc_chunk *offered, struct rpc_chunk *returned,
                        const uint8_t *p, uint32_t n)
{
    for (unsigned i = 0; i < offered->n; i++) {
        struct rpcrdma_segment target = offered->segments[i];
        uint32_t part = MIN(n, target.length - returned->segments[i].length);

        target.offset += returned->segments[i].length;
        returned->segments[i].length += part;
        if (part && m->n_placed < G_N_ELEMENTS(m->placed))
            m->placed[m->n_placed++] = (struct rpc_placed){.target = target, .p = p, .n = part};
        p += part;
        n -= part;
    }
}

static const struct nfs_body_item *reply_eligible_item(const struct nfs_body *body, unsigned op, unsigned index)
{
    for (unsigned i = 0; i < body->items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(body->items, struct nfs_body_item, i);

        if (item->eligible && item->op == op && index-- == 0)
            return item;
    }
    return NULL;
}

/*
 * The item for Write chunk k: RFC 8267 section 6.4.1 assigns it to the k-th READ or READLINK of a COMPOUND, even if
 * that fails or returns no data; other procedures have one item at most.
 */
static const struct nfs_body_item *item_for_chunk(const struct nfs_body *body, unsigned k)
{
    if (body->n_ops == 0)
        return reply_eligible_item(body, 0, k);
    for (unsigned i = 0; i < body->n_ops; i++) {
        if (nfs_op_read_class(body->ops[i]->number) && k-- == 0)
            return reply_eligible_item(body, i, 0);
    }
    return NULL;
}

static const struct nfs_body_item *named_item(const struct nfs_body *body, const char *name)
{
    for (unsigned i = 0; i < body->items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(body->items, struct nfs_body_item, i);

        if (strcmp(item->name, name) == 0)
            return item;
    }
    return NULL;
}

static void clear_lengths(struct rpc_chunk *chunk)
{
    for (unsigned i = 0; i < chunk->n; i++)
        chunk->segments[i].length = 0;
}

/* How words assign results to Write chunks. */
struct pairing {
    unsigned first;   /* Write chunk for the first result */
    unsigned results; /* number of results that go into chunks */
    bool skip_empty;  /* chunks without segments are passed over */
    bool join;        /* the first two results go into the first chunk */
    bool spread;      /* the first result is spread over the first two chunks */
};

static void reply_place_item(struct rpc_making *m, unsigned k, const struct nfs_body_item *item,
                             const struct pairing *pairing)
{
    const uint8_t *p = m->side->whole->data + m->side->body_at + item->at;
    uint32_t n = words_have(m->words, "pad") ? (uint32_t)xdr_padded(item->length) : item->length;
    unsigned to = pairing->join ? 0 : k;

    if (pairing->spread) {
        reply_place(m, &m->exchange->writes[1], &m->writes[1], p + n / 2, n - n / 2);
        n /= 2;
    }
    reply_place(m, &m->exchange->writes[to], &m->writes[to], p, n);
    rpc_take(m, item);
}

/* The Write list as offered, still empty. */
static void begin_writes(struct rpc_making *m)
{
    m->plan.n_writes = m->exchange->n_writes;
    memcpy(m->writes, m->exchange->writes, sizeof m->writes);
    for (unsigned k = 0; k < m->plan.n_writes; k++)
        clear_lengths(&m->writes[k]);
}

static void pair_results(struct rpc_making *m, const char *name)
{
    struct pairing pairing = {.first = (unsigned)words_number(m->words, "first", 0),
                              .results =
                                  words_have(m->words, "inline") ? 0 : (unsigned)words_number(m->words, "only", 64),
                              .skip_empty = words_have(m->words, "skip-empty"),
                              .join = words_have(m->words, "join"),
                              .spread = words_have(m->words, "spread")};
    unsigned result = 0;

    for (unsigned k = 0; k < m->plan.n_writes || (pairing.join && k < 2); k++) {
        bool offered = pairing.join || m->exchange->writes[k].n > 0;
        const struct nfs_body_item *item;

        if (k < pairing.first || (pairing.skip_empty && !offered))
            continue;
        item = name && k == 0 ? named_item(&m->side->body, name) : item_for_chunk(&m->side->body, result);
        if (result++ < pairing.results && item && item->length && offered)
            reply_place_item(m, k, item, &pairing);
    }
}

static void place_results(struct rpc_making *m)
{
    bool empty = words_have(m->words, "empty");

    words_have(m->words, "pad");
    begin_writes(m);
    if (words_have(m->words, "as-offered"))
        memcpy(m->writes, m->exchange->writes, sizeof m->writes);
    else
        pair_results(m, words_value(m->words, "place"));
    for (unsigned k = 0; empty && k < m->plan.n_writes; k++) {
        if (m->writes[k].n && m->writes[k].segments[0].length == 0)
            m->writes[k].n = 0;
    }
    if (words_given(m->words, "lose")) {
        const struct nfs_body_item *item = item_for_chunk(&m->side->body, (unsigned)words_number(m->words, "lose", 0));

        if (item)
            rpc_take(m, item);
    }
}

/* Adds segments that no Call has offered. */
static void invent(struct rpc_chunk *chunk, unsigned n)
{
    for (unsigned i = chunk->n; i < n && i < RPC_SEGMENTS_MAX; i++)
        chunk->segments[i] = (struct rpcrdma_segment){0x3C5A9617 + 0x2F00 * i, 512, 0x7F3AC0000000 + 4096 * i};
    chunk->n = MIN(n, RPC_SEGMENTS_MAX);
}

/* Changes the lists: adds, drops or swaps chunks and segments. */
static void change_lists(struct rpc_making *m)
{
    unsigned n = (unsigned)words_number(m->words, "list", m->plan.n_writes);
    bool no_reply = words_have(m->words, "no-reply-chunk");

    if (words_have(m->words, "swap") && m->plan.n_writes > 1) {
        struct rpc_chunk first = m->writes[0];

        m->writes[0] = m->writes[1];
        m->writes[1] = first;
    }
    if (words_have(m->words, "drop-empty")) {
        unsigned kept = 0;

        for (unsigned k = 0; k < m->plan.n_writes; k++) {
            if (m->writes[k].n > 0)
                m->writes[kept++] = m->writes[k];
        }
        n = m->plan.n_writes = kept;
    }
    for (; m->plan.n_writes < n && n <= RPC_CHUNKS_MAX; m->plan.n_writes++) {
        m->writes[m->plan.n_writes].n = 0;
        invent(&m->writes[m->plan.n_writes], 1);
    }
    m->plan.n_writes = n;
    if (words_given(m->words, "segs"))
        invent(&m->writes[0], (unsigned)words_number(m->words, "segs", 0));
    if (words_given(m->words, "reply-segs")) {
        m->plan.reply = &m->reply_plan;
        invent(&m->reply, (unsigned)words_number(m->words, "reply-segs", 0));
    }
    if (no_reply)
        m->plan.reply = NULL;
}

static uint32_t transport_header_length(const struct rpc_making *m)
{
    uint32_t n = RPCRDMA_HEADER_MIN + RPCRDMA_READ_SEGMENT_LEN * m->plan.n_reads + 4 * m->plan.n_reads;

    for (unsigned k = 0; k < m->plan.n_writes; k++)
        n += 8 + RPCRDMA_SEGMENT_LEN * m->writes[k].n;
    return m->exchange->has_reply_chunk ? n + 4 + RPCRDMA_SEGMENT_LEN * m->exchange->reply_chunk.n : n;
}

/* Makes a Long Reply when necessary: RFC 8166 section 3.5.3. */
static void place_whole(struct rpc_making *m)
{
    bool fits = transport_header_length(m) + m->side->reduced->len <= m->threshold;
    bool is_long = words_have(m->words, "long") || (!fits && m->exchange->has_reply_chunk);

    if (words_have(m->words, "short"))
        is_long = false;
    if (!m->exchange->has_reply_chunk) {
        m->plan.proc = is_long ? RPCRDMA_NOMSG : RPCRDMA_MSG;
        m->payload = is_long ? NULL : m->side->reduced;
        return;
    }
    m->plan.reply = &m->reply_plan;
    m->reply = m->exchange->reply_chunk;
    clear_lengths(&m->reply);
    if (is_long) {
        reply_place(m, &m->exchange->reply_chunk, &m->reply, m->side->reduced->data, m->side->reduced->len);
        m->plan.proc = RPCRDMA_NOMSG;
        m->payload = words_have(m->words, "both") ? m->side->reduced : NULL;
    } else {
        m->payload = m->side->reduced;
    }
}

static void say_placed(struct rpc_making *m, uint32_t part, bool backward)
{
    for (unsigned i = 0; i < m->n_placed; i++) {
        const struct rpc_placed *placed = &m->placed[backward ? m->n_placed - 1 - i : i];

        for (uint32_t done = 0; done < placed->n; done += part)
            rpc_rdma_write(m->c, m->role, placed->target.handle, placed->target.offset + done, placed->p + done,
                           MIN(part, placed->n - done));
    }
}

void rpc_say_reply(struct rpc_making *m)
{
    struct rpc_exchange *exchange = rpc_choose(m, rpc_peer(m->role));
    bool late = words_have(m->words, "late-write"), none = words_have(m->words, "nowrite"),
         backward = words_have(m->words, "backward");
    uint32_t part = (uint32_t)words_number(m->words, "parts", UINT32_MAX);
    uint64_t before = m->c->stage->octets;

    if (!exchange)
        words_refuse_because(m->words, "reply", "no Call of the other side waits for a Reply, or not that many do");
    if (part == 0)
        words_refuse(m->words, "parts");
    if (!words_good(m->words) || !exchange)
        return;
    m->exchange = exchange;
    m->side = &exchange->reply;
    rpc_side_clear(m->side);
    m->plan.xid = (uint32_t)words_number(m->words, "xid", exchange->xid);
    m->plan.vers = RPCRDMA_VERSION;
    m->plan.credit = RPC_CREDITS;
    build_header(m);
    build_results(m);
    if (!words_good(m->words))
        return;
    rpc_put_together(m);
    if (m->header.reply_stat == RPC_MSG_ACCEPTED && m->header.accept_stat == RPC_SUCCESS)
        place_results(m);
    else
        begin_writes(m);
    rpc_reduce(m);
    for (unsigned i = 0; i < m->side->n_reads; i++)
        m->reads[i] = m->side->reads[i].segment;
    m->plan.n_reads = m->side->n_reads;
    if (m->plan.proc == RPCRDMA_MSG)
        place_whole(m);
    change_lists(m);
    rpc_change_plan(m);
    for (unsigned i = 0; i < m->side->n_reads; i++)
        m->side->reads[i].segment = m->reads[i];
    if (!words_good(m->words))
        return;
    if (!late && !none)
        say_placed(m, part, backward);
    rpc_say(m);
    if (late)
        say_placed(m, part, backward);
    m->c->stage->octets = MAX(m->c->stage->octets, before + m->side->whole->len); /* allocated even if little is sent */
    exchange->answered = true;
}

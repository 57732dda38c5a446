// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/rpc_making.h"

#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum { RPC_HEADER_ROOM = 1024, GSS_HANDLE_LEN = 16, GSS_MIC_LEN = 28 };

unsigned rpc_parse_sizes(const struct words *words, const char *text, uint32_t total, uint32_t *out, unsigned max)
{
    g_auto(GStrv) parts = g_strsplit(text ? text : "rest", "+", -1);
    unsigned n = 0;
    uint32_t sum = 0;

    for (; parts[n] && n < max; n++) {
        if (strcmp(parts[n], "rest") == 0)
            out[n] = total > sum ? total - sum : 0;
        else
            out[n] = (uint32_t)words_parse_number(words, parts[n]);
        sum += out[n];
    }
    if (parts[n])
        words_refuse_because(words, text, "a chunk does not have so many segments here");
    return n;
}

/* ---- the RPC message ---- */

static struct words_place find_rpc(void *context, const char *name)
{
    struct rpc_making *m = context;
    const struct {
        const char *name;
        uint32_t *p;
    } fields[] = {
        {"rpc.xid", &m->header.xid},
        {"rpc.type", &m->header.type},
        {"rpc.rpcvers", &m->header.rpcvers},
        {"rpc.prog", &m->header.prog},
        {"rpc.vers", &m->header.vers},
        {"rpc.proc", &m->header.proc},
        {"rpc.stat", &m->header.reply_stat},
        {"accept", &m->header.accept_stat},
        {"reject", &m->header.reject_stat},
        {"auth", &m->header.auth_stat},
        {"low", &m->header.low},
        {"high", &m->header.high},
        {"rpc.flavor", &m->cred_flavor},
        {"gss.seq", &m->header.gss_seq},
        {"gss.vers", &m->header.gss_version},
        {"gss.proc", &m->header.gss_proc},
        {"gss.service", &m->header.gss_service},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return (struct words_place){fields[i].p, sizeof(uint32_t)};
    }
    return (struct words_place){0};
}

void rpc_change_header(struct rpc_making *m)
{
    words_change(m->words, find_rpc, m);
}

static size_t put_sys(uint8_t *out, size_t size)
{
    static const char machine[] = "client.example.org";
    struct xdr_writer w = {.size = size};

    w.p = out;
    xdr_put_u32(&w, 0x65A1B2C3);
    xdr_put_opaque(&w, machine, sizeof machine - 1);
    xdr_put_u32(&w, 0);
    xdr_put_u32(&w, 0);
    xdr_put_u32(&w, 1);
    xdr_put_u32(&w, 0);
    return w.at;
}

static size_t put_gss(const struct rpc_message *header, uint8_t *out, size_t size)
{
    struct xdr_writer w = {.size = size};
    uint8_t handle[GSS_HANDLE_LEN];

    w.p = out;
    nfs_fill(handle, sizeof handle, 3);
    xdr_put_u32(&w, header->gss_version);
    xdr_put_u32(&w, header->gss_proc);
    xdr_put_u32(&w, header->gss_seq);
    xdr_put_u32(&w, header->gss_service);
    xdr_put_opaque(&w, handle, header->gss_proc == RPC_GSS_INIT ? 0 : sizeof handle); /* there is no context yet */
    return w.at;
}

static void append_u32(GByteArray *octets, uint32_t v)
{
    uint8_t word[4];

    put_be32(word, v);
    g_byte_array_append(octets, word, sizeof word);
}

/* Tokens in the form of Kerberos (RFC 4121 section 4.2.6): a MIC, or the wrapped message. */
static void fill_token(uint8_t *p, size_t n, bool wrap, unsigned seed)
{
    static const uint8_t head[2][8] = {{4, 4, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, {5, 4, 7, 0xFF, 0, 0, 0, 28}};

    nfs_fill(p, n, seed);
    memcpy(p, head[wrap], sizeof head[wrap]);
    memset(p + 8, 0, 7);
}

static void append_token(GByteArray *octets, uint32_t n, bool wrap, unsigned seed)
{
    guint at = octets->len + 4;

    append_u32(octets, n);
    g_byte_array_set_size(octets, at + (guint)xdr_padded(n));
    fill_token(octets->data + at, n, wrap, seed);
    memset(octets->data + at + n, 0, xdr_roundup(n));
}

/* RFC 2203 section 5.3.2: integrity adds a sequence number and a checksum; privacy encrypts both. */
static void append_body(struct rpc_making *m)
{
    struct rpc_side *side = m->side;
    GByteArray *whole = side->whole, *body = side->body.octets;

    switch (m->exchange->gss) {
    case RPC_GSS_SVC_INTEGRITY:
        append_u32(whole, 4 + body->len);
        append_u32(whole, m->exchange->gss_seq);
        side->body_at = whole->len;
        g_byte_array_append(whole, body->data, body->len);
        append_token(whole, GSS_MIC_LEN, false, 9);
        break;
    case RPC_GSS_SVC_PRIVACY:
        side->body_at = whole->len;
        append_token(whole, 4 + body->len + 60, true, m->exchange->xid);
        g_array_set_size(side->body.items, 0);
        g_array_set_size(side->body.fields, 0);
        break;
    default:
        side->body_at = whole->len;
        g_byte_array_append(whole, body->data, body->len);
        break;
    }
}

/* The first field of this name; op UINT_MAX: of any operation. */
static bool making_change_field(struct rpc_making *m, const struct word *word, const char *name, unsigned op)
{
    for (unsigned k = 0; k < m->side->body.fields->len; k++) {
        const struct nfs_field *field = &g_array_index(m->side->body.fields, struct nfs_field, k);
        uint8_t *p = m->side->whole->data + m->side->body_at + field->at;

        if (strcmp(field->name, name) != 0 || (op != UINT_MAX && field->op != op) ||
            m->side->body_at + field->at + 4 > m->side->whole->len)
            continue;
        if (field->size == 8)
            put_be64(p, word_apply(word, get_be64(p)));
        else
            put_be32(p, (uint32_t)word_apply(word, get_be32(p)));
        return true;
    }
    return false;
}

/* p.FIELD=N, p.opN.FIELD+N: changes an encoded word of the arguments or results. */
static void change_body_words(struct rpc_making *m)
{
    for (unsigned i = 0; i < m->words->n; i++) {
        const struct word *word = &m->words->list[i];
        const char *of_op;
        unsigned op = UINT_MAX;

        if (!g_str_has_prefix(word->name, "p.") || !word->op || !word->is_number)
            continue;
        of_op = words_match(word->name + 2, "op#.", &op);
        m->words->used[i] |= making_change_field(m, word, of_op ? of_op : word->name + 2, op);
    }
}

static void change_roundups(struct rpc_making *m)
{
    bool given = words_given(m->words, "roundup");
    uint8_t value = (uint8_t)words_number(m->words, "roundup", 0);

    for (unsigned i = 0; given && i < m->side->body.items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(m->side->body.items, struct nfs_body_item, i);

        if (m->side->body_at + item->at + xdr_padded(item->length) <= m->side->whole->len)
            memset(m->side->whole->data + m->side->body_at + item->at + item->length, value, xdr_roundup(item->length));
    }
}

void rpc_put_together(struct rpc_making *m)
{
    uint8_t octets[RPC_HEADER_ROOM], cred[RPC_AUTH_MAX], mic[GSS_MIC_LEN];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};
    struct rpc_body cred_body = {.flavor = m->cred_flavor, .p = cred};
    struct rpc_body verf_body = {.flavor = RPC_AUTH_GSS, .p = mic, .n = sizeof mic};
    bool calls = m->side == &m->exchange->call;
    /* RFC 2203 section 5.2.2: the Call that creates a context has no key for a MIC. */
    const struct rpc_body *verf =
        m->exchange->gss && !(calls && m->exchange->gss_proc == RPC_GSS_INIT) ? &verf_body : NULL;
    unsigned more = (unsigned)words_number(m->words, "more", 0), drop = (unsigned)words_number(m->words, "drop", 0);

    fill_token(mic, sizeof mic, false, 4);
    if (calls) {
        if (m->exchange->gss)
            cred_body.n = (uint32_t)put_gss(&m->header, cred, sizeof cred);
        else if (m->cred_flavor == RPC_AUTH_SYS)
            cred_body.n = (uint32_t)put_sys(cred, sizeof cred);
        rpc_call_encode(&m->header, &cred_body, verf, &w);
    } else {
        rpc_reply_encode(&m->header, verf, &w);
        put_be32(octets + 4, m->header.type);
    }
    m->side->whole = g_byte_array_new();
    g_byte_array_append(m->side->whole, octets, (guint)w.at);
    if (calls || (m->header.reply_stat == RPC_MSG_ACCEPTED && m->header.accept_stat == RPC_SUCCESS))
        append_body(m);
    change_body_words(m);
    change_roundups(m);
    rpc_change_message(m);
    if (drop)
        g_byte_array_set_size(m->side->whole, m->side->whole->len - MIN(drop, m->side->whole->len));
    if (more > RPC_OCTETS_MAX) {
        words_refuse(m->words, "more");
    } else if (more) {
        g_byte_array_set_size(m->side->whole, m->side->whole->len + more);
        memset(m->side->whole->data + m->side->whole->len - more, 0, more);
    }
}

/* ---- chunks of a message ---- */

void rpc_take(struct rpc_making *m, const struct nfs_body_item *item)
{
    bool keeps = words_have(m->words, "keep"), keeps_pad = words_have(m->words, "keep-pad");
    size_t n = keeps_pad ? item->length : xdr_padded(item->length);

    if (!keeps && n > 0 && m->n_taken < RPC_CHUNKS_MAX)
        m->taken[m->n_taken++] = (struct rpc_taken){.at = m->side->body_at + item->at, .n = n};
}

/* Builds m->side->reduced, once all chunks are cut out. */
static void finish_reduced(struct rpc_making *m)
{
    struct rpc_side *side = m->side;
    size_t at = 0;

    side->reduced = g_byte_array_new();
    while (at < side->whole->len) {
        size_t next = side->whole->len, after = next;

        for (unsigned i = 0; i < m->n_taken; i++) {
            if (m->taken[i].at >= at && m->taken[i].at < next) {
                next = m->taken[i].at;
                after = next + m->taken[i].n;
            }
        }
        g_byte_array_append(side->reduced, side->whole->data + at, (guint)(next - at));
        at = MIN(after, side->whole->len);
    }
}

static void making_add_reads(struct rpc_making *m, const char *sizes, uint32_t position, const GByteArray *content,
                             size_t from, uint32_t total)
{
    uint32_t size[RPC_READS_MAX];
    unsigned n = rpc_parse_sizes(m->words, sizes, total, size, RPC_READS_MAX);

    for (unsigned i = 0; i < n && m->side->n_reads < RPC_READS_MAX; i++) {
        m->side->reads[m->side->n_reads++] = (struct rpc_read){
            .segment = {.position = position, .target = rpc_register(m->rpc, size[i], content, from)},
            .content = content,
            .from = from,
        };
        from += size[i];
    }
}

/* Whether "opN.NAME" or "NAME" means this item; without a choice any eligible item matches. */
static bool chosen(const struct nfs_body_item *item, const char *choice)
{
    const char *name;
    unsigned op;

    if (!choice)
        return item->eligible;
    name = words_match(choice, "op#.", &op);
    if (name)
        return item->op == op && strcmp(name, item->name) == 0;
    return strcmp(choice, item->name) == 0;
}

/* Puts items into Read chunks of these sizes. */
static void take_items(struct rpc_making *m, const char *choice, const char *list, bool pad)
{
    g_auto(GStrv) chunks = g_strsplit(list ? list : "rest", "/", -1);
    unsigned k = 0;

    for (unsigned i = 0; i < m->side->body.items->len && chunks[k]; i++) {
        const struct nfs_body_item *item = &g_array_index(m->side->body.items, struct nfs_body_item, i);
        size_t at = m->side->body_at + item->at;

        if (!chosen(item, choice))
            continue;
        if (strcmp(chunks[k], "-") != 0) {
            making_add_reads(m, chunks[k], (uint32_t)at, m->side->whole, at,
                             pad ? (uint32_t)xdr_padded(item->length) : item->length);
            rpc_take(m, item);
        }
        k++;
    }
    if (k == 0)
        words_refuse(m->words, "read");
}

/* Puts the rest into a Position-Zero Read chunk, which comes first. */
static void move_rest(struct rpc_making *m, const char *sizes)
{
    unsigned before = m->side->n_reads;
    struct rpc_read data[RPC_READS_MAX];

    memcpy(data, m->side->reads, sizeof data);
    if (!words_have(m->words, "pz-last"))
        m->side->n_reads = 0;
    making_add_reads(m, sizes, 0, m->side->reduced, 0, m->side->reduced->len);
    if (m->side->n_reads + before <= RPC_READS_MAX && m->side->reads[0].segment.position == 0) {
        memcpy(m->side->reads + m->side->n_reads, data, before * sizeof *data);
        m->side->n_reads += before;
    }
}

/* "@N+...": the first segment ends N octets after the Position of the first item in a chunk. */
static char *sizes_from_position(const struct rpc_making *m, const char *sizes)
{
    char *rest = NULL;
    long n = sizes && sizes[0] == '@' ? strtol(sizes + 1, &rest, 10) : 0;

    n = CLAMP(n, -RPC_OCTETS_MAX, RPC_OCTETS_MAX);
    return rest ? g_strdup_printf("%ld%s", (m->n_taken > 0 ? (long)m->taken[0].at : 0) + n, rest) : g_strdup(sizes);
}

void rpc_reduce(struct rpc_making *m)
{
    const char *choice = words_value(m->words, "reduce"), *list = words_value(m->words, "read"), *sizes;
    bool asked = words_have(m->words, "read") || list || choice, pad = words_have(m->words, "pad"), is_long, is_inline;

    if (asked)
        take_items(m, choice, list, pad);
    finish_reduced(m);

    sizes = words_value(m->words, "pz");
    is_long = words_have(m->words, "pz") || sizes;
    if (is_long) {
        g_autofree char *all = sizes_from_position(m, sizes);

        move_rest(m, all);
    }
    is_inline = !is_long || words_have(m->words, "inline"); /* both: wrong in any message */
    m->plan.proc = is_inline ? RPCRDMA_MSG : RPCRDMA_NOMSG;
    m->payload = is_inline ? m->side->reduced : NULL;
}

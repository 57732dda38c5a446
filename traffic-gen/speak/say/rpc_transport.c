// SPDX-License-Identifier: GPL-2.0-or-later
/* The Transport header and the Send: the words that change them, and their encoding. */
#include "traffic-gen/speak/say/rpc_making.h"

#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum { TRANSPORT_HEADER_ROOM = 16384, NEW_CHUNK = 100 };

#define PLACE(member)                                                                                                  \
    (struct words_place)                                                                                               \
    {                                                                                                                  \
        &(member), sizeof member                                                                                       \
    }

static struct words_place find_segment(struct rpcrdma_segment *segment, const char *name)
{
    if (strcmp(name, "handle") == 0)
        return PLACE(segment->handle);
    if (strcmp(name, "len") == 0)
        return PLACE(segment->length);
    if (strcmp(name, "off") == 0)
        return PLACE(segment->offset);
    return (struct words_place){0};
}

static struct words_place find_plan(void *context, const char *name)
{
    struct rpc_making *m = context;
    struct rpcrdma_plan *plan = &m->plan;
    const struct {
        const char *name;
        uint32_t *p;
    } fields[] = {
        {"h.xid", &plan->xid},        {"h.vers", &plan->vers}, {"h.credit", &plan->credit},
        {"credit", &plan->credit},    {"h.proc", &plan->proc}, {"h.align", &plan->align},
        {"h.thresh", &plan->thresh},  {"h.err", &plan->err},   {"h.low", &plan->vers_low},
        {"h.high", &plan->vers_high},
    };
    unsigned chunk, segment;
    const char *rest;

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return (struct words_place){fields[i].p, sizeof(uint32_t)};
    }
    rest = words_match(name, "write#.", &chunk);
    if (rest && chunk < plan->n_writes && strcmp(rest, "n") == 0)
        return PLACE(m->writes[chunk].n);
    if (plan->reply && strcmp(name, "reply.n") == 0)
        return PLACE(m->reply.n);
    rest = words_match(name, "read#.", &segment);
    if (rest && segment < plan->n_reads) {
        if (strcmp(rest, "pos") == 0)
            return PLACE(m->reads[segment].position);
        return find_segment(&m->reads[segment].target, rest);
    }
    rest = words_match(name, "write#.seg#.", &chunk, &segment);
    if (rest && chunk < plan->n_writes && segment < m->writes[chunk].n)
        return find_segment(&m->writes[chunk].segments[segment], rest);
    rest = words_match(name, "reply.seg#.", &segment);
    if (rest && plan->reply && segment < m->reply.n)
        return find_segment(&m->reply.segments[segment], rest);
    return (struct words_place){0};
}

/* Adds chunks that do not belong there. */
static void transport_add_chunks(struct rpc_making *m)
{
    if (words_have(m->words, "new-reply-chunk")) {
        m->plan.reply = &m->reply_plan;
        m->reply.n = 1;
        m->reply.segments[0] = rpc_register(m->rpc, 4096, NULL, 0);
    }
    if (words_given(m->words, "new-read-chunk") && m->plan.n_reads < RPC_READS_MAX)
        m->reads[m->plan.n_reads++] = (struct rpcrdma_read_segment){
            .position = (uint32_t)words_number(m->words, "new-read-chunk", 0),
            .target = rpc_register(m->rpc, NEW_CHUNK, m->side ? m->side->whole : NULL, 0),
        };
}

void rpc_change_plan(struct rpc_making *m)
{
    bool stag = words_given(m->words, "stag");
    uint32_t handle = (uint32_t)words_number(m->words, "stag", 0);

    for (unsigned i = 0; stag && i < m->plan.n_reads; i++)
        m->reads[i].target.handle = handle;
    for (unsigned i = 0; stag && i < m->plan.n_writes; i++) {
        for (unsigned k = 0; k < m->writes[i].n; k++)
            m->writes[i].segments[k].handle = handle;
    }
    for (unsigned k = 0; stag && m->plan.reply && k < m->reply.n; k++)
        m->reply.segments[k].handle = handle;
    if (words_have(m->words, "no-reply-chunk"))
        m->plan.reply = NULL;
    transport_add_chunks(m);
    if (words_have(m->words, "bare"))
        m->payload = NULL;
    words_change(m->words, find_plan, m);
    m->plan.n_reads = MIN(m->plan.n_reads, RPC_READS_MAX);
    m->plan.n_writes = MIN(m->plan.n_writes, RPC_CHUNKS_MAX);
    for (unsigned i = 0; i < m->plan.n_writes; i++)
        m->writes[i].n = MIN(m->writes[i].n, RPC_SEGMENTS_MAX);
    m->reply.n = MIN(m->reply.n, RPC_SEGMENTS_MAX);
}

static void change_octets(struct rpc_making *m, uint8_t *p, size_t n, size_t payload_at)
{
    for (unsigned i = 0; i < m->words->n; i++) {
        const struct word *word = &m->words->list[i];
        bool of_payload, wide;
        char *end;
        size_t at;

        if (word->name[0] != '@' || !word->is_number)
            continue;
        of_payload = word->name[1] == 'p';
        wide = of_payload || word->name[1] == 'h';
        at = strtoul(word->name + 1 + wide, &end, 0) + (of_payload ? payload_at : 0);
        if (*end || at > n || n - at < (wide ? 4 : 1))
            continue;
        if (wide)
            put_be32(p + at, (uint32_t)word_apply(word, get_be32(p + at)));
        else
            p[at] = (uint8_t)word_apply(word, p[at]);
        m->words->used[i] = true;
    }
}

static void insert_octets(struct rpc_making *m, GByteArray *octets, size_t at, const char *hex)
{
    g_autoptr(GByteArray) more = words_octets(m->words, hex);

    g_byte_array_set_size(octets, octets->len + more->len);
    memmove(octets->data + at + more->len, octets->data + at, octets->len - more->len - at);
    memcpy(octets->data + at, more->data, more->len);
}

/* Applies insert@OFFSET=HEX or remove@OFFSET=N (in the RPC message @mOFFSET); false: the word is neither. */
static bool move_by(struct rpc_making *m, GByteArray *octets, const struct word *word, bool of_message)
{
    bool insert = word->text && g_str_has_prefix(word->name, "insert@");
    bool remove = word->is_number && g_str_has_prefix(word->name, "remove@");
    char *end;
    size_t at;

    if ((!insert && !remove) || (word->name[strlen("insert@")] == 'm') != of_message)
        return false;
    at = strtoul(word->name + strlen("insert@") + of_message, &end, 0);
    if (*end || at > octets->len || (remove && (word->number == 0 || word->number > octets->len - at)))
        return false;
    if (remove)
        g_byte_array_remove_range(octets, (guint)at, (guint)word->number);
    else
        insert_octets(m, octets, at, word->text);
    return true;
}

/* Words apply in the order in which they are written: each moves the octets after it. */
static void transport_move_octets(struct rpc_making *m, GByteArray *octets, bool of_message)
{
    for (unsigned i = 0; i < m->words->n && words_good(m->words); i++)
        m->words->used[i] |= move_by(m, octets, &m->words->list[i], of_message);
}

void rpc_change_message(struct rpc_making *m)
{
    GByteArray *octets = m->side->whole;

    transport_move_octets(m, octets, true);
    for (unsigned i = 0; i < m->words->n; i++) {
        const struct word *word = &m->words->list[i];
        char *end;
        size_t at;

        if (!g_str_has_prefix(word->name, "@m") || !word->is_number)
            continue;
        at = strtoul(word->name + 2, &end, 0);
        if (*end || at > octets->len || octets->len - at < 4)
            continue;
        put_be32(octets->data + at, (uint32_t)word_apply(word, get_be32(octets->data + at)));
        m->words->used[i] = true;
    }
}

static uint32_t first_stag(const struct rpc_exchange *exchange)
{
    if (exchange && exchange->call.n_reads)
        return exchange->call.reads[0].segment.target.handle;
    if (exchange && exchange->n_writes && exchange->writes[0].n)
        return exchange->writes[0].segments[0].handle;
    return exchange && exchange->has_reply_chunk ? exchange->reply_chunk.segments[0].handle : 0x00C0FFEE;
}

/* RFC 5666 section 3.9: in an RDMA_MSGP, zeros bring the bulk data to the alignment that it announces. */
static void append_payload(struct rpc_making *m, GByteArray *octets, size_t data_at)
{
    guint head = (guint)MIN(data_at, m->payload->len);

    g_byte_array_append(octets, m->payload->data, head);
    while (m->plan.align && octets->len < RPC_OCTETS_MAX && octets->len % m->plan.align)
        g_byte_array_append(octets, (const uint8_t *)"", 1);
    g_byte_array_append(octets, m->payload->data + head, m->payload->len - head);
}

static void prepare_plan(struct rpc_making *m)
{
    m->plan.reads = m->reads;
    m->plan.writes = m->write_plans;
    for (unsigned i = 0; i < m->plan.n_writes; i++)
        m->write_plans[i] = (struct rpcrdma_write_plan){.segments = m->writes[i].segments, .n = m->writes[i].n};
    if (m->plan.reply) {
        m->reply_plan = (struct rpcrdma_write_plan){.segments = m->reply.segments, .n = m->reply.n};
        m->plan.reply = &m->reply_plan;
    }
}

static void append_header(struct rpc_making *m, GByteArray *octets)
{
    g_autofree uint8_t *room = g_malloc(TRANSPORT_HEADER_ROOM);
    struct xdr_writer w = {.p = room, .size = TRANSPORT_HEADER_ROOM};

    prepare_plan(m);
    rpcrdma_header_encode(&m->plan, &w);
    g_byte_array_append(octets, room, (guint)w.at);
}

static void append_message(struct rpc_making *m, GByteArray *octets)
{
    const GArray *items = m->side ? m->side->body.items : NULL;

    if (m->payload && m->plan.proc == RPCRDMA_MSGP && items && items->len)
        append_payload(m, octets, m->side->body_at + g_array_index(items, struct nfs_body_item, items->len - 1).at);
    else if (m->payload)
        g_byte_array_append(octets, m->payload->data, m->payload->len);
}

void rpc_say(struct rpc_making *m)
{
    static const enum rdmap_opcode opcodes[2][2] = {{RDMAP_SEND, RDMAP_SEND_SE},
                                                    {RDMAP_SEND_INVALIDATE, RDMAP_SEND_SE_INVALIDATE}};
    g_autoptr(GByteArray) octets = g_byte_array_new();
    bool invalidate = words_given(m->words, "inv");
    unsigned cut = (unsigned)words_number(m->words, "cut", 0), grow = (unsigned)words_number(m->words, "grow", 0);
    bool inv = words_have(m->words, "inv") || invalidate, se = words_have(m->words, "se");
    uint32_t stag = invalidate ? (uint32_t)words_number(m->words, "inv", 0) : inv ? first_stag(m->exchange) : 0;
    size_t payload_at;

    if (grow > RPC_OCTETS_MAX)
        words_refuse(m->words, "grow");
    if (!words_good(m->words))
        return;
    append_header(m, octets);
    payload_at = octets->len;
    append_message(m, octets);
    if (grow) {
        g_byte_array_set_size(octets, octets->len + grow);
        memset(octets->data + octets->len - grow, 0, grow);
    }
    transport_move_octets(m, octets, false);
    change_octets(m, octets->data, octets->len, payload_at);
    if (cut && cut < octets->len)
        g_byte_array_set_size(octets, cut);
    if (words_end(m->words))
        rpc_send(m->c, m->role, opcodes[inv][se], stag, octets->data, octets->len);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RPC-over-RDMA and NFS on one connection, driven by a little program in the input: Calls and Replies that make sense
 * unless the input says otherwise, with chunks, their RDMA Reads and Writes, errors, foreign octets, holes, ends,
 * pauses. Everything passes the DDP and RDMAP layers, so upper layers receive only realistic events.
 */
#include "engine/stack/rpcrdma_ulp.h"
#include "engine/stack/stack.h"
#include "engine/stack/ulps.h"
#include "tests/fuzz/fuzz_input.h"

enum {
    MESSAGE_MAX = 4096,
    ULPDU_MAX = 1100,
    SEGMENT_MAX = 1024,
    CALLS_MAX = 8,
    OFFERS_MAX = 16,
    WRITES_MAX = 4,
    ITEMS_MAX = 8,
    OPERATIONS_MAX = 6,
    STAG_FIRST = 0x1000,
};

/* ---- procedures: arguments and results in a short notation, see put() ---- */

struct procedure {
    uint32_t program, version, number;
    const char *arguments, *results;
};

static const struct procedure procedures[] = {
    {100003, 3, 0, "", ""},
    {100003, 3, 1, "h", "?AAA"},
    {100003, 3, 5, "h", "?wd"},
    {100003, 3, 6, "hwwc", "?wcwd"},
    {100003, 3, 7, "hwwcwd", "?wwwwww"},
    {100003, 3, 10, "hswwwwwwd", "?wwww"},
    {100003, 3, 16, "hwwwwc", "?wwwww"},
    {100003, 3, 17, "hwwwwcc", "?wwwww"},
    {100003, 2, 5, "ww@@w", "?d"},
    {100003, 2, 6, "AwAcc", "?AAwwwd"},
    {100003, 2, 8, "AwAcd", "?AAwww"},
    {100003, 2, 13, "Awsdww@", "?"},
    {100003, 4, 0, "", ""},
    {100003, 4, 1, "sm*", "?s*"},
    {100003, 4, 1, "sm*", "?s*"},
    {0x40000000, 1, 1, "smw*", "?s*"},
    {100227, 3, 1, "hw", "?www"},
    {100005, 3, 1, "s", "?h@"},
    {100021, 4, 2, "swshswwwww", "s?"},
    {100417, 1, 1, "ww", "ww"},
    {400122, 1, 1, "@", "@"},
};

static const struct procedure operations[] = {
    {0, 0, 22, "h", "?"},
    {0, 0, 24, "", "?"},
    {0, 0, 9, "b", "?bs"},
    {0, 0, 25, "wwwwwwc", "?wd"},
    {0, 0, 38, "wwwwwwwd", "?wwww"},
    {0, 0, 27, "", "?d"},
    {0, 0, 6, "5dsbs", "?wwwwwb"},
    {0, 0, 10, "", "?h"},
    {0, 0, 26, "wwwwccb", "?wwww"},
    {0, 0, 43, "wwwwwccwwwwwccwwwww0", "?wwwwwwwwwwwwwwwwwwww"},
    {0, 0, 53, "wwwwnwww", "?wwwwwwwww"},
    {0, 0, 41, "wwww@w", "?wwww@w"},
    {0, 0, 3, "w", "?ww"},
    {0, 0, 68, "wwwwwwc", "?ww"},
    {0, 0, 10044, "", "?"},
};

/* ---- messages ---- */

struct message {
    uint8_t p[MESSAGE_MAX];
    struct xdr_writer w;
    uint64_t position; /* in the unreduced stream */
    bool reduces;      /* data items are removed */
    unsigned n_items;
    struct {
        uint64_t position;
        uint32_t length;
    } items[ITEMS_MAX];
};

static void begin(struct message *m, bool reduces)
{
    m->w = (struct xdr_writer){.p = m->p, .size = sizeof m->p};
    m->position = 0;
    m->reduces = reduces;
    m->n_items = 0;
}

static void word(struct message *m, uint32_t v)
{
    xdr_put_u32(&m->w, v);
    m->position += 4;
}

static void opaque(struct message *m, uint32_t n, bool data)
{
    static const uint8_t octets[1024] = "octets";

    if (data && m->reduces && m->n_items < ITEMS_MAX) {
        word(m, n);
        m->items[m->n_items].position = m->position;
        m->items[m->n_items++].length = n;
    } else {
        xdr_put_opaque(&m->w, octets, n);
        m->position += 4;
    }
    m->position += xdr_padded(n);
}

static uint32_t count(struct input *input)
{
    static const uint32_t counts[] = {0, 1, 3, 100, 512, 1000, 4096, 65536, 0x7fffffff, UINT32_MAX};
    unsigned i = take(input);

    return i < sizeof counts / sizeof *counts ? counts[i] : i;
}

/* w a zero word, n, 5: a word of the input, a 5; A seven zero words; m minor version; c a count; h s b opaques and a
 * bitmap of one word; d data; ? a status; @ anything. */
static void put(struct message *m, const char *fields, struct input *input)
{
    for (; *fields != '\0'; fields++) {
        switch (*fields) {
        case 'A':
            for (unsigned i = 0; i < 7; i++)
                word(m, 0);
            break;
        case 'm':
            word(m, take(input) % 4);
            break;
        case 'c':
            word(m, count(input));
            break;
        case 'n':
        case '5':
            word(m, *fields == '5' ? 5 : take(input));
            break;
        case 'h':
            opaque(m, 8, false);
            break;
        case 's':
            opaque(m, take(input) % 12, false);
            break;
        case 'b':
            word(m, 1);
            word(m, 0x18);
            break;
        case 'd':
            opaque(m, 4 * take(input) + take(input) % 4, true);
            break;
        case '?':
            word(m, take(input) & 0x80 ? 70 : 0);
            break;
        case '@':
            for (unsigned i = take(input) % 16; i > 0; i--)
                word(m, take(input));
            break;
        default:
            word(m, 0);
        }
    }
}

static void put_body(struct message *m, const struct procedure *procedure, bool reply, const uint8_t *ops, unsigned n,
                     struct input *input)
{
    const char *fields = reply ? procedure->results : procedure->arguments;
    const char *star = strchr(fields, '*');
    char before[8] = "";

    if (!star) {
        put(m, fields, input);
        return;
    }
    memcpy(before, fields, (size_t)(star - fields));
    put(m, before, input);
    word(m, n);
    for (unsigned i = 0; i < n; i++) {
        const struct procedure *operation = &operations[ops[i] % (sizeof operations / sizeof *operations)];

        word(m, operation->number);
        put(m, reply ? operation->results : operation->arguments, input);
    }
}

/* ---- the connection ---- */

struct offer {
    enum rpcrdma_chunk_kind kind;
    unsigned chunk;
    uint32_t position, start;
    struct rpcrdma_segment target;
};

struct call {
    unsigned side;
    uint32_t xid;
    const struct procedure *procedure;
    uint8_t operations[OPERATIONS_MAX];
    unsigned n_operations, n_offers, n_writes;
    struct offer offers[OFFERS_MAX];
    bool has_reply;
    struct message whole; /* of a Long Call */
};

struct sender {
    uint64_t offset, number;
    uint32_t msn[2], sink;
};

struct world {
    struct input input;
    struct verdict verdict;
    struct rule_counts counts;
    struct stack *stack;
    struct stack_entrance in;
    struct sender sender[2];
    struct call calls[CALLS_MAX];
    unsigned n_calls;
    uint32_t frame, xid, stag;
    int64_t now;
    bool acks, small;
    uint64_t opened, retired;
    struct message message;
    uint8_t send[2 * MESSAGE_MAX];
};

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct world *w = ctx;

    HOLDS(message->header.header_len <= message->n && message->side < 2);
    HOLDS(!message->has_rpc || message->header.header_len + message->rpc.header_len <= message->n);
    HOLDS(!message->transaction || message->transaction->number > 0);
    if (message->kind == RPCRDMA_KIND_CALL && message->transaction)
        w->opened++;
}

static void on_move(void *ctx, const struct rpcrdma_move *move)
{
    (void)ctx;
    if (!move->offer)
        return;
    HOLDS(move->offer->target.handle == move->stag && move->to >= move->offer->target.offset);
    HOLDS(move->to - move->offer->target.offset + move->length <= move->offer->target.length);
    HOLDS(move->offer->chunk < move->offer->transaction->n_chunks);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;

    (void)ctx;
    HOLDS(body->n_operations <= body->operations_size && body->n_items <= body->items_size);
    HOLDS(body->n_values <= body->values_size);
    for (unsigned i = 0; i < body->n_items; i++)
        HOLDS(body->items[i].item.at <= body->length && body->items[i].chunk < (int)payload->transaction->n_chunks);
}

static void on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct world *w = ctx;

    HOLDS(transaction->number > 0);
    w->retired++;
}

/* ---- FPDUs ---- */

static void fpdu(struct world *w, unsigned side, const struct ddp_segment *ddp, const uint8_t *p, size_t n, bool faulty)
{
    uint8_t ulpdu[ULPDU_MAX];
    struct sender *sender = &w->sender[side];
    struct mpa_fpdu_event event = {.direction = side ? DIR_TO_INITIATOR : DIR_TO_RESPONDER, .number = sender->number++};
    size_t length = ddp_header_encode(ddp, ulpdu, sizeof ulpdu);

    if (n > 0)
        memcpy(ulpdu + length, p, n);
    length += n;
    w->frame++;
    w->now += 100000;
    event.fpdu = (struct mpa_fpdu){.offset = sender->offset,
                                   .header = sender->offset,
                                   .length = (uint32_t)length + 6,
                                   .octets = ulpdu,
                                   .ulpdu_length = (uint16_t)length,
                                   .ulpdu = ulpdu};
    sender->offset += length + 6;
    event.place = (struct place){.frame = w->frame,
                                 .first_frame = w->frame,
                                 .time_ns = w->now,
                                 .offset = event.fpdu.offset,
                                 .side = (uint8_t)side};
    event.crc = MPA_CRC_VERIFIED;
    event.faulty = faulty;
    event.acked_known = w->acks;
    event.acked = w->sender[!side].offset;
    event.has_ddp = ddp_segment_decode(&event.ddp, ulpdu, length);
    w->in.acked(w->in.ctx, side, w->acks, w->sender[!side].offset);
    w->in.fpdu(w->in.ctx, &event);
}

/* A DDP message in as many segments as it takes. */
static void ddp_message(struct world *w, unsigned side, struct ddp_segment ddp, const uint8_t *p, size_t n)
{
    size_t most = w->small ? 64 : SEGMENT_MAX, at = 0;

    ddp.dv = ddp.rv = 1;
    do {
        size_t piece = n - at < most ? n - at : most;

        ddp.last = at + piece == n;
        fpdu(w, side, &ddp, p + at, piece, false);
        at += piece;
        if (ddp.tagged)
            ddp.to += piece;
        else
            ddp.mo += (uint32_t)piece;
    } while (at < n);
}

static void send_octets(struct world *w, unsigned side, const uint8_t *p, size_t n, uint32_t invalidate)
{
    struct ddp_segment ddp = {.opcode = invalidate != 0 ? RDMAP_SEND_INVALIDATE : RDMAP_SEND,
                              .stag = invalidate,
                              .msn = w->sender[side].msn[0]++};

    ddp_message(w, side, ddp, p, n);
}

static void rdma_write(struct world *w, unsigned side, uint32_t stag, uint64_t to, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp = {.tagged = true, .opcode = RDMAP_WRITE, .stag = stag, .to = to};

    ddp_message(w, side, ddp, p, n);
}

static void rdma_read(struct world *w, unsigned side, uint32_t stag, uint64_t to, const uint8_t *p, uint32_t n,
                      bool answered)
{
    struct rdmap_read_request request = {.sink_stag = 0x77000000 + w->sender[side].sink++,
                                         .sink_to = 0,
                                         .size = n,
                                         .source_stag = stag,
                                         .source_to = to};
    struct ddp_segment ddp = {.opcode = RDMAP_READ_REQUEST, .qn = 1, .msn = w->sender[side].msn[1]++};
    uint8_t octets[RDMAP_READ_REQUEST_LEN];

    ddp_message(w, side, ddp, octets, rdmap_read_request_encode(&request, octets, sizeof octets));
    ddp = (struct ddp_segment){.tagged = true, .opcode = RDMAP_READ_RESPONSE, .stag = request.sink_stag};
    if (answered)
        ddp_message(w, !side, ddp, p, n);
}

/* ---- statements ---- */

static const uint8_t anything[MESSAGE_MAX] = "anything";

/* Header and payload in one Send, with an octet or the length changed if the input says so. */
static void send_message(struct world *w, unsigned side, const struct rpcrdma_plan *plan, const struct message *payload,
                         uint32_t invalidate)
{
    struct xdr_writer out = {.p = w->send, .size = sizeof w->send};
    unsigned how = take(&w->input);

    rpcrdma_header_encode(plan, &out);
    if (out.failed)
        return;
    if (payload) {
        memcpy(w->send + out.at, payload->p, payload->w.at);
        out.at += payload->w.at;
    }
    if (how & 0x40)
        w->send[take(&w->input) % out.at] ^= (uint8_t)take(&w->input);
    if (how & 0x80)
        w->send[4 * take(&w->input) % out.at] = (uint8_t)take(&w->input);
    if (how & 0x20)
        out.at = take(&w->input) % out.at;
    send_octets(w, side, w->send, out.at, invalidate);
}

static void offer(struct world *w, struct call *c, enum rpcrdma_chunk_kind kind, unsigned chunk, uint32_t position,
                  uint32_t length)
{
    unsigned segments = 1 + (w->input.n > 0 && *w->input.p % 5 == 0);
    uint32_t start = 0;

    for (unsigned i = 0; i < segments && c->n_offers < OFFERS_MAX; i++) {
        uint32_t part = i + 1 == segments ? length - start : length / 2;

        c->offers[c->n_offers++] = (struct offer){
            .kind = kind,
            .chunk = chunk,
            .position = position,
            .start = start,
            .target = {.handle = w->stag++, .length = part, .offset = 0x10000u * (uint64_t)(w->stag & 15)},
        };
        start += part;
    }
}

static void plan_lists(const struct call *c, struct rpcrdma_plan *plan, struct rpcrdma_read_segment *reads,
                       struct rpcrdma_write_plan *writes, struct rpcrdma_write_plan *reply,
                       struct rpcrdma_segment *segments)
{
    unsigned used = 0;

    for (unsigned i = 0; i < c->n_writes; i++)
        writes[i] = (struct rpcrdma_write_plan){NULL, 0};
    *reply = (struct rpcrdma_write_plan){NULL, 0};
    for (unsigned i = 0; i < c->n_offers; i++) {
        const struct offer *o = &c->offers[i];
        struct rpcrdma_write_plan *chunk = o->kind == RPCRDMA_WRITE_CHUNK ? &writes[o->chunk] : reply;

        if (o->kind == RPCRDMA_READ_CHUNK) {
            reads[plan->n_reads++] = (struct rpcrdma_read_segment){o->position, o->target};
            continue;
        }
        segments[used] = o->target;
        if (chunk->n++ == 0)
            chunk->segments = &segments[used];
        used++;
    }
    plan->reads = reads;
    plan->writes = writes;
    plan->n_writes = c->n_writes;
    plan->reply = c->has_reply ? reply : NULL;
}

static void call(struct world *w, unsigned side)
{
    struct call *c = &w->calls[w->n_calls++ % CALLS_MAX];
    unsigned which = take(&w->input), lists = take(&w->input), cred = take(&w->input);
    struct rpcrdma_plan plan = {.vers = 1, .credit = 1 + take(&w->input) % 16, .proc = RPCRDMA_MSG};
    struct rpc_message rpc = {.type = RPC_CALL, .rpcvers = RPC_VERSION};
    static const uint8_t gss[20] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2};
    const struct rpc_body body = {RPC_AUTH_GSS, gss, sizeof gss};
    struct rpcrdma_read_segment reads[OFFERS_MAX];
    struct rpcrdma_write_plan writes[WRITES_MAX], reply;
    struct rpcrdma_segment segments[OFFERS_MAX];
    struct message *m = &c->whole;

    c->side = side;
    c->procedure = &procedures[which % (sizeof procedures / sizeof *procedures)];
    c->n_operations = c->n_offers = c->n_writes = 0;
    c->has_reply = false;
    c->xid = lists & 0x80 && w->xid > 0 ? w->xid - 1 : w->xid++;
    rpc.xid = plan.xid = c->xid;
    rpc.prog = c->procedure->program;
    rpc.vers = c->procedure->version;
    rpc.proc = c->procedure->number;
    begin(m, lists & 1);
    rpc_call_encode(&rpc, cred % 16 == 0 ? &body : NULL, NULL, &m->w);
    m->position = m->w.at;
    if (strchr(c->procedure->arguments, '*')) {
        c->n_operations = take(&w->input) % (OPERATIONS_MAX + 1);
        for (unsigned i = 0; i < c->n_operations; i++)
            c->operations[i] = (uint8_t)take(&w->input);
    }
    put_body(m, c->procedure, false, c->operations, c->n_operations, &w->input);
    if (m->w.failed)
        m->w.at = 0;
    if (lists & 2) {
        plan.proc = RPCRDMA_NOMSG;
        offer(w, c, RPCRDMA_READ_CHUNK, 0, 0, (uint32_t)m->w.at);
    }
    for (unsigned i = 0; i < m->n_items; i++)
        offer(w, c, RPCRDMA_READ_CHUNK, 1 + i, (uint32_t)m->items[i].position + (cred & 0x80 ? take(&w->input) : 0),
              m->items[i].length);
    for (; c->n_writes < (lists >> 2 & 3); c->n_writes++)
        offer(w, c, RPCRDMA_WRITE_CHUNK, c->n_writes, 0, count(&w->input) & 0xFFFF);
    c->has_reply = lists & 0x10;
    if (c->has_reply)
        offer(w, c, RPCRDMA_REPLY_CHUNK, 0, 0, count(&w->input) & 0xFFFF);
    plan_lists(c, &plan, reads, writes, &reply, segments);
    send_message(w, side, &plan, lists & 2 ? NULL : m, 0);
}

/* Fetches the Read chunks of a Call; in a Long Call the first holds the message. */
static void pull(struct world *w, struct call *c)
{
    unsigned how = take(&w->input);

    for (unsigned i = 0; i < c->n_offers; i++) {
        const struct offer *o = &c->offers[i];
        const uint8_t *p = o->chunk == 0 && o->start < MESSAGE_MAX ? c->whole.p + o->start : anything;
        uint32_t n = o->target.length, off = 0;

        if (o->kind != RPCRDMA_READ_CHUNK || n > MESSAGE_MAX - (o->chunk == 0 ? o->start : 0))
            continue;
        if (how & 1) {
            off = take(&w->input);
            off = off < n ? off : 0;
        }
        rdma_read(w, !c->side, o->target.handle, o->target.offset + off, p + off, n - off, !(how & 2));
        if (how & 4)
            rdma_read(w, !c->side, o->target.handle, o->target.offset, p, off, true);
    }
}

/* The octets of one chunk, from its first segment on. */
static void fill(struct world *w, const struct call *c, enum rpcrdma_chunk_kind kind, unsigned chunk, const uint8_t *p,
                 uint32_t n)
{
    for (unsigned i = 0; i < c->n_offers; i++) {
        const struct offer *o = &c->offers[i];
        uint32_t part;

        if (o->kind != kind || o->chunk != chunk || o->start >= n)
            continue;
        part = n - o->start < o->target.length ? n - o->start : o->target.length;
        rdma_write(w, !c->side, o->target.handle, o->target.offset, p + o->start, part);
    }
}

static void reply(struct world *w, struct call *c)
{
    unsigned how = take(&w->input), invalidate = take(&w->input);
    struct rpcrdma_plan plan = {.xid = c->xid, .vers = 1, .credit = 1 + take(&w->input) % 16, .proc = RPCRDMA_MSG};
    struct rpc_message rpc = {.xid = c->xid, .type = RPC_REPLY};
    struct call returned = *c;
    struct rpcrdma_read_segment reads[OFFERS_MAX];
    struct rpcrdma_write_plan writes[WRITES_MAX], chunk;
    struct rpcrdma_segment segments[OFFERS_MAX];
    struct message *m = &w->message;
    bool is_long = how & 2 && c->has_reply;

    if (how & 0x40)
        rpc.accept_stat = take(&w->input) % 7;
    rpc.reply_stat = (how & 0xC0) == 0xC0;
    begin(m, how & 1);
    rpc_reply_encode(&rpc, NULL, &m->w);
    m->position = m->w.at;
    if (!(how & 0x40))
        put_body(m, c->procedure, true, c->operations, c->n_operations, &w->input);
    if (m->w.failed)
        m->w.at = 0;
    for (unsigned i = 0; !(how & 8) && i < m->n_items && i < c->n_writes; i++)
        fill(w, c, RPCRDMA_WRITE_CHUNK, i, anything, m->items[i].length);
    if (is_long)
        fill(w, c, RPCRDMA_REPLY_CHUNK, 0, m->p, (uint32_t)m->w.at);
    /* Returns the lists with the octets written. */
    returned.n_offers = 0;
    for (unsigned i = 0; i < c->n_offers; i++) {
        struct offer o = c->offers[i];
        uint32_t n = o.kind == RPCRDMA_REPLY_CHUNK ? (is_long ? (uint32_t)m->w.at : 0)
                     : o.chunk < m->n_items        ? m->items[o.chunk].length
                                                   : 0;

        if (o.kind == RPCRDMA_READ_CHUNK && !(how & 0x20))
            continue;
        n = n > o.start ? n - o.start : 0;
        if (!(how & 0x10) && n < o.target.length)
            o.target.length = n;
        returned.offers[returned.n_offers++] = o;
    }
    plan_lists(&returned, &plan, reads, writes, &chunk, segments);
    if (is_long)
        plan.proc = RPCRDMA_NOMSG;
    send_message(w, !c->side, &plan, is_long ? NULL : m,
                 invalidate & 1 && c->n_offers > 0 ? c->offers[invalidate % c->n_offers].target.handle
                 : invalidate & 2                  ? STAG_FIRST
                                                   : 0);
}

static void other_message(struct world *w, unsigned side, uint32_t xid)
{
    unsigned how = take(&w->input);
    struct rpcrdma_plan plan = {.xid = xid, .vers = 1, .credit = take(&w->input), .vers_low = 1, .vers_high = 1};

    plan.proc = how & 0x18 ? RPCRDMA_ERROR : how & 7;
    plan.err = 1 + (how & 3);
    send_message(w, side, &plan, NULL, 0);
}

static void raw(struct world *w, unsigned side)
{
    size_t n = take(&w->input) % 128;

    for (size_t i = 0; i < n; i++)
        w->send[i] = (uint8_t)take(&w->input);
    send_octets(w, side, w->send, n, 0);
}

/* An access to offered memory without a request, or next to it. */
static void access_memory(struct world *w, struct call *c)
{
    unsigned how = take(&w->input), n = take(&w->input);
    const struct offer *o = c->n_offers > 0 ? &c->offers[how % c->n_offers] : NULL;
    uint32_t stag = o ? o->target.handle : STAG_FIRST;
    uint64_t to = o ? o->target.offset : 0;

    if (how & 0x40)
        to += o ? o->target.length - (n & 7) : 0;
    if (how & 0x80)
        rdma_read(w, !c->side, stag, to, anything, n, how & 0x20);
    else
        rdma_write(w, !c->side, stag, to, anything, n);
}

static void end(struct world *w, unsigned side, bool reset)
{
    struct place place = {.frame = w->frame,
                          .first_frame = w->frame,
                          .time_ns = w->now,
                          .offset = w->sender[side].offset,
                          .side = (uint8_t)side};

    w->in.end(w->in.ctx, side, reset, &place);
}

static void startup(struct world *w, unsigned side)
{
    uint8_t octets[32] = {0};
    unsigned n = take(&w->input) % sizeof octets;
    struct rpcrdma_private_data data = {.version = 1,
                                        .remote_invalidation = n & 1,
                                        .send_size = 1024u * (1 + take(&w->input)),
                                        .receive_size = 1024u * (1 + take(&w->input))};
    struct mpa_startup_event event = {.frame = {.kind = side == 0 ? MPA_REQUEST : MPA_REPLY,
                                                .revision = 2,
                                                .pd_length = (uint16_t)n,
                                                .private_data = n > 0 ? octets : NULL},
                                      .place = {.frame = w->frame, .first_frame = w->frame, .side = (uint8_t)side},
                                      .direction = side == 0 ? DIR_TO_RESPONDER : DIR_TO_INITIATOR,
                                      .length = 20u + n};

    rpcrdma_private_data_encode(&data, octets + 4, sizeof octets - 4);
    w->in.startup(w->in.ctx, &event);
    w->sender[side].offset = event.length;
}

static void statement(struct world *w)
{
    unsigned step = take(&w->input), side = step & 1;
    struct call *c = &w->calls[take(&w->input) % CALLS_MAX];

    if (step & 8)
        c = &w->calls[(w->n_calls + CALLS_MAX - 1) % CALLS_MAX];
    w->now += step & 2 ? 3000000000 : 100000;
    if (!c->procedure)
        step |= 0xF0; /* nothing has happened yet */
    switch (step >> 4) {
    case 0:
        other_message(w, side, c->xid);
        break;
    case 1:
        raw(w, side);
        break;
    case 2:
        if (step & 4)
            w->in.skipped(w->in.ctx, side);
        break;
    case 3:
        if (step & 4)
            end(w, side, step & 2);
        break;
    case 4:
        access_memory(w, c);
        break;
    case 5:
    case 6:
        pull(w, c);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        reply(w, c);
        break;
    default:
        call(w, step & 4 ? side : 0);
    }
}

static void check_counts(const struct rpcrdma_counts *counts)
{
    for (unsigned i = 0; i < counts->n; i++)
        HOLDS(counts->procedures[i].replies + counts->procedures[i].errors <= counts->procedures[i].calls);
}

static struct world world;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rpcrdma_taps taps = {
        .message = on_message, .move = on_move, .payload = on_payload, .retired = on_retired};
    struct world *w = &world;
    struct rpcrdma_own rpcrdma = {.taps = &taps};
    const struct ulp_own own[] = {{&rpcrdma_ulp, &rpcrdma}, {NULL, NULL}};
    struct stack_options options = {
        .first = STACK_RDMAP, .last = STACK_ULP, .rdmap.operations_max = 64, .ulps = ulps, .own = own};
    struct stack_setup of_stack = {.options = &options, .ctx = w, .verdict = &w->verdict, .port = {45678}};
    const struct rpcrdma_connection *connection;
    struct mpa_parameters parameters = {.startup_seen = true, .request_seen = true, .reply_seen = true, .revision = 2};
    unsigned setup;

    memset(w, 0, sizeof *w);
    w->verdict.counts = &w->counts;
    w->input = (struct input){data, size};
    setup = take(&w->input);
    w->xid = 0x100;
    w->stag = STAG_FIRST;
    w->frame = 1;
    w->acks = !(setup & 1);
    w->small = setup & 2;
    for (unsigned side = 0; side < 2; side++)
        w->sender[side] = (struct sender){.offset = 20, .msn = {1, 1}};
    if (setup & 4)
        rpcrdma.options = (struct rpcrdma_options){.transactions_max = 3, .segments_max = 8, .content_max = 512};
    options.ulp.profile = setup & 8 ? PROFILE_RFC5666 : PROFILE_IETF;
    rpcrdma.options.assume_inline = setup & 16 ? 1024 : 0;
    of_stack.port[1] = setup & 64 ? 45679 : RPCRDMA_PORT;
    w->stack = stack_new(&of_stack);
    HOLDS(w->stack != NULL);
    w->in = stack_entrance(w->stack);
    if (setup & 32) {
        parameters = (struct mpa_parameters){.initiator_side = -1, .midstream = true};
    } else {
        startup(w, 0);
        startup(w, 1);
    }
    w->in.changed(w->in.ctx, MPA_PHASE_FULL_OPERATION, &parameters);
    while (w->input.n > 0)
        statement(w);
    stack_finish(w->stack, w->now);
    HOLDS(w->retired <= w->opened);
    connection = rpcrdma_ulp_connection(stack_guest(w->stack, &rpcrdma_ulp));
    if (connection)
        check_counts(rpcrdma_connection_counts(connection));
    stack_free(w->stack);
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/rpc.h"

#include <string.h>

/* The answer to a Read Request in flight. */
struct read_in_flight {
    const GByteArray *content;
    size_t from;
    uint32_t size;
};

struct rpc {
    GPtrArray *exchanges; /* of struct rpc_exchange, in the order of the Calls */
    GArray *flying[2];    /* of struct read_in_flight, by requester */
    uint32_t xid[2];
    uint32_t registered;
    uint32_t sequence[2][RPC_SLOTS];
    const struct rpc_filling *filling;
};

static void exchange_free(gpointer p)
{
    struct rpc_exchange *exchange = p;

    rpc_side_clear(&exchange->call);
    rpc_side_clear(&exchange->reply);
    g_free(exchange);
}

void rpc_side_clear(struct rpc_side *side)
{
    if (side->whole)
        g_byte_array_unref(side->whole);
    if (side->reduced)
        g_byte_array_unref(side->reduced);
    nfs_body_clear(&side->body);
    *side = (struct rpc_side){0};
}

struct rpc *rpc_new(void)
{
    struct rpc *rpc = g_new0(struct rpc, 1);

    rpc->exchanges = g_ptr_array_new_with_free_func(exchange_free);
    for (unsigned role = 0; role < 2; role++)
        rpc->flying[role] = g_array_new(FALSE, TRUE, sizeof(struct read_in_flight));
    rpc->xid[INITIATOR] = 0x5A17C0DE;
    rpc->xid[RESPONDER] = 0x1B3F0042;
    return rpc;
}

void rpc_free(struct rpc *rpc)
{
    if (!rpc)
        return;
    g_ptr_array_unref(rpc->exchanges);
    for (unsigned role = 0; role < 2; role++)
        g_array_unref(rpc->flying[role]);
    g_free(rpc);
}

void rpc_fill_from(struct rpc *rpc, const struct rpc_filling *filling)
{
    rpc->filling = filling;
}

const struct rpc_filling *rpc_filling(const struct rpc *rpc)
{
    return rpc->filling;
}

struct rpc_exchange *rpc_exchange_new(struct rpc *rpc, enum role caller)
{
    struct rpc_exchange *exchange = g_new0(struct rpc_exchange, 1);

    exchange->caller = caller;
    exchange->xid = rpc->xid[caller]++;
    g_ptr_array_add(rpc->exchanges, exchange);
    return exchange;
}

uint32_t rpc_next_sequence(struct rpc *rpc, enum role caller, unsigned slot)
{
    return ++rpc->sequence[caller][slot % RPC_SLOTS];
}

struct rpc_exchange *rpc_outstanding(struct rpc *rpc, enum role caller, unsigned index)
{
    for (unsigned i = 0; i < rpc->exchanges->len; i++) {
        struct rpc_exchange *exchange = rpc->exchanges->pdata[i];

        if (exchange->caller == caller && !exchange->answered && index-- == 0)
            return exchange;
    }
    return NULL;
}

struct rpc_exchange *rpc_back(struct rpc *rpc, enum role caller, unsigned index)
{
    for (unsigned i = rpc->exchanges->len; i-- > 0;) {
        struct rpc_exchange *exchange = rpc->exchanges->pdata[i];

        if (exchange->caller == caller && index-- == 0)
            return exchange;
    }
    return NULL;
}

struct rpc_side *rpc_unpulled(struct rpc *rpc, enum role owner)
{
    struct rpc_side *answered = NULL;

    for (unsigned i = 0; i < rpc->exchanges->len; i++) {
        struct rpc_exchange *exchange = rpc->exchanges->pdata[i];
        struct rpc_side *side = exchange->caller == owner ? &exchange->call : &exchange->reply;

        if (side->n_reads == 0 || side->pulled)
            continue;
        if (!exchange->answered)
            return side;
        if (!answered)
            answered = side;
    }
    return answered;
}

struct rpc_exchange *rpc_undone(struct rpc *rpc, enum role caller)
{
    for (unsigned i = 0; i < rpc->exchanges->len; i++) {
        struct rpc_exchange *exchange = rpc->exchanges->pdata[i];

        if (exchange->caller == caller && exchange->reply.n_reads > 0 && !exchange->done)
            return exchange;
    }
    return NULL;
}

struct rpcrdma_segment rpc_register(struct rpc *rpc, uint32_t length, const GByteArray *content, size_t from)
{
    uint32_t number = ++rpc->registered;

    if (rpc->filling) {
        const size_t skipped = content ? MIN(from, content->len) : 0;

        return rpc->filling->offer(rpc->filling->ctx, length, content ? content->data + skipped : NULL,
                                   content ? MIN(length, content->len - skipped) : 0);
    }

    return (struct rpcrdma_segment){
        .handle = rpc_stag(number), .length = length, .offset = UINT64_C(0x7F3A04C00000) + UINT64_C(0x400000) * number};
}

/* ---- operations ---- */

void rpc_send(struct conversation *c, enum role role, enum rdmap_opcode opcode, uint32_t stag, const uint8_t *p,
              size_t n)
{
    struct message message = {0};

    message_init(c, role, opcode, &message);
    message.length = n;
    message.payload = p;
    message.segment.stag = stag;
    say_message(c, role, &message);
}

void rpc_rdma_write(struct conversation *c, enum role role, uint32_t stag, uint64_t to, const uint8_t *p, size_t n)
{
    struct message message = {0};

    message_init(c, role, RDMAP_WRITE, &message);
    message.segment.stag = stag;
    message.segment.to = to;
    message.length = n;
    message.payload = p;
    say_message(c, role, &message);
}

struct rdmap_read_request rpc_read_request_init(struct conversation *c, enum role role,
                                                const struct rpcrdma_segment *segment)
{
    struct message message = {0};

    message_init(c, role, RDMAP_READ_REQUEST, &message);
    message.read.size = segment->length;
    message.read.source_stag = segment->handle;
    message.read.source_to = segment->offset;
    return message.read;
}

void rpc_read_request(struct rpc *rpc, struct conversation *c, enum role role, const struct rdmap_read_request *read,
                      const GByteArray *content, size_t from)
{
    struct message message = {0};
    struct read_in_flight flying = {.content = content, .from = from, .size = read->size};

    message_init(c, role, RDMAP_READ_REQUEST, &message);
    message.read = *read;
    say_message(c, role, &message);
    g_array_append_val(rpc->flying[role], flying);
}

bool rpc_read_answers(struct rpc *rpc, struct conversation *c, enum role asker)
{
    GArray *flying = rpc->flying[asker];
    bool any = flying->len > 0;

    for (unsigned i = 0; i < flying->len; i++) {
        const struct read_in_flight *read = &g_array_index(flying, struct read_in_flight, i);
        struct message message = {0};
        uint32_t size = MIN(read->size, RPC_OCTETS_MAX);
        g_autofree uint8_t *octets = g_malloc0(size + 1u);

        /* Octets after the content are like any other memory. */
        if (read->content && read->from < read->content->len)
            memcpy(octets, read->content->data + read->from, MIN(size, read->content->len - read->from));
        message_init(c, asker == INITIATOR ? RESPONDER : INITIATOR, RDMAP_READ_RESPONSE, &message);
        message.payload = octets;
        message.length = size;
        say_message(c, asker == INITIATOR ? RESPONDER : INITIATOR, &message);
    }
    g_array_set_size(flying, 0);
    return any;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/rpc_script.h"

#include "traffic-gen/speak/say/rpc_making.h"
#include "traffic-gen/speak/say/setups.h"
#include "traffic-gen/speak/say/verb.h"

#include <string.h>

enum { READS_IN_FLIGHT = 8, READS_MAX = 100000, INLINE_SCRIPTS = 4096 };

void rpc_script_free(struct rpc_script *script)
{
    rpc_free(script->rpc);
}

/* ---- set-up ---- */

/* A set-up word that may name one side: "r", "rI", "rR". */
static uint64_t number_of_side(struct words *words, const char *name, enum role role, uint64_t otherwise)
{
    char own[24];

    g_snprintf(own, sizeof own, "%s%c", name, role == INITIATOR ? 'I' : 'R');
    return words_number(words, own, words_number(words, name, otherwise));
}

static bool have_of_side(struct words *words, const char *name, enum role role)
{
    char own[24];
    bool both = words_have(words, name);

    g_snprintf(own, sizeof own, "%s%c", name, role == INITIATOR ? 'I' : 'R');
    return words_have(words, own) || both;
}

/* The private data: octets before the block, the block, and where it ends. */
static void script_set_private_data(struct rpc_script *script, struct startup_wish *wish, enum role role,
                                    struct words *words, uint32_t size)
{
    uint8_t *octets = script->private_data[role];
    unsigned at = (unsigned)MIN(number_of_side(words, "pd-at", role, 0), RPC_PRIVATE_DATA_MAX - RPCRDMA_PD_LEN);
    struct rpcrdma_private_data data = {.version = RPCRDMA_PD_VERSION,
                                        .remote_invalidation = number_of_side(words, "r", role, 1) != 0,
                                        .send_size = size,
                                        .receive_size = size};
    char name[16];

    memset(octets, 0xC3, at);
    rpcrdma_private_data_encode(&data, octets + at, RPCRDMA_PD_LEN);
    for (unsigned i = 0; i < RPCRDMA_PD_LEN; i++) {
        g_snprintf(name, sizeof name, "pd%c@%u", role == INITIATOR ? 'I' : 'R', i);
        octets[at + i] = (uint8_t)words_number(words, name, octets[at + i]);
    }
    wish->ulp_data = octets;
    wish->ulp_length = (uint16_t)MIN(number_of_side(words, "pd-len", role, at + RPCRDMA_PD_LEN), RPC_PRIVATE_DATA_MAX);
    if (have_of_side(words, "no-pd", role))
        wish->ulp_length = 0;
}

void rpc_script_setup(struct rpc_script *script, struct conversation_setup *setup, struct words *words)
{
    uint32_t size = (uint32_t)words_number(words, "inline", INLINE_SCRIPTS);
    bool none = words_have(words, "no-private-data");
    unsigned depth = (unsigned)words_number(words, "depth", 0);

    *setup = words_have(words, "rev1") ? setup_rev1 : setup_rev2;
    setup->service_port = (uint16_t)words_number(words, "port", RPCRDMA_PORT);
    script->threshold = size;
    for (unsigned role = 0; role < 2; role++) {
        struct startup_wish *wish = &setup->wish[role];

        script_set_private_data(script, wish, role, words, size);
        if (none)
            wish->ulp_length = 0;
        if (wish->ulp_length == 0)
            script->threshold = RPCRDMA_INLINE_DEFAULT;
        if (words_have(words, "no-crc"))
            wish->flags &= (uint8_t)~MPA_FLAG_C;
        if (words_have(words, "markers"))
            wish->flags |= MPA_FLAG_M;
        if (depth)
            wish->enhanced.ird = wish->enhanced.ord = (uint16_t)depth;
    }
}

/* ---- verbs ---- */

struct rpc_exchange *rpc_choose(struct rpc_making *m, enum role caller)
{
    return words_given(m->words, "back") ? rpc_back(m->rpc, caller, (unsigned)words_number(m->words, "back", 0))
                                         : rpc_outstanding(m->rpc, caller, (unsigned)words_number(m->words, "of", 0));
}

static struct words_place find_read(void *context, const char *name)
{
    struct rdmap_read_request *read = context;
    const struct {
        const char *name;
        void *p;
        unsigned size;
    } fields[] = {
        {"size", &read->size, sizeof read->size},
        {"sink", &read->sink_stag, sizeof read->sink_stag},
        {"sinkto", &read->sink_to, sizeof read->sink_to},
        {"src", &read->source_stag, sizeof read->source_stag},
        {"srcto", &read->source_to, sizeof read->source_to},
        {"len", &read->size, sizeof read->size},
        {"stag", &read->source_stag, sizeof read->source_stag},
        {"to", &read->source_to, sizeof read->source_to},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return (struct words_place){fields[i].p, fields[i].size};
    }
    return (struct words_place){0};
}

struct pulling {
    uint32_t part; /* most octets of one Read Request */
    bool answers;
    unsigned flying;
};

static bool pull_segment(struct rpc_making *m, const struct rpc_read *from, struct pulling *pulling)
{
    const struct rpcrdma_segment *target = &from->segment.target;

    if (pulling->part == 0 || target->length / pulling->part > READS_MAX)
        return words_refuse(m->words, "parts");
    for (uint32_t done = 0; done < target->length || done == 0; done += pulling->part) {
        struct rpcrdma_segment segment = *target;
        struct rdmap_read_request read;

        segment.offset += done;
        segment.length = MIN(pulling->part, target->length - done);
        read = rpc_read_request_init(m->c, m->role, &segment);
        words_change(m->words, find_read, &read);
        if (!words_end(m->words))
            return false;
        rpc_read_request(m->rpc, m->c, m->role, &read, from->content, from->from + done);
        if (++pulling->flying % READS_IN_FLIGHT == 0 && pulling->answers)
            rpc_read_answers(m->rpc, m->c, m->role);
        if (pulling->part == UINT32_MAX)
            break;
    }
    return true;
}

static void say_pull(struct rpc_making *m)
{
    enum role peer = rpc_peer(m->role);
    bool chosen = words_given(m->words, "of") || words_given(m->words, "back");
    struct rpc_exchange *exchange = chosen ? rpc_choose(m, peer) : NULL;
    struct rpc_side *side = exchange ? &exchange->call : chosen ? NULL : rpc_unpulled(m->rpc, peer);
    uint64_t only = words_number(m->words, "only", UINT64_MAX);
    struct pulling pulling = {.part = (uint32_t)words_number(m->words, "parts", UINT32_MAX),
                              .answers = !words_have(m->words, "no-answer")};

    words_have(m->words, "again");
    if (!side) {
        words_refuse_because(m->words, "pull", "no message of the other side has Read chunks that are left to be read");
        return;
    }
    side->pulled = true;
    for (unsigned i = 0; i < side->n_reads; i++) {
        if ((only == UINT64_MAX || only == i) && !pull_segment(m, &side->reads[i], &pulling))
            return;
    }
    if (pulling.answers)
        rpc_read_answers(m->rpc, m->c, m->role);
}

static void say_give(struct rpc_making *m)
{
    if (words_end(m->words) && !rpc_read_answers(m->rpc, m->c, rpc_peer(m->role)))
        words_refuse(m->words, "give");
}

/* Parses readN, writeN.M, reply.M; refuses anything else. */
static struct rpcrdma_segment target(struct rpc_making *m, const struct rpc_read **content)
{
    const char *word = words_first(m->words), *rest;
    struct rpc_exchange *exchange =
        words_given(m->words, "of") ? rpc_choose(m, rpc_peer(m->role))
                                    : rpc_back(m->rpc, rpc_peer(m->role), (unsigned)words_number(m->words, "back", 0));
    unsigned chunk, segment;

    rest = words_match(word, "read#", &segment);
    if (exchange && rest && !*rest && segment < exchange->call.n_reads) {
        *content = &exchange->call.reads[segment];
        return exchange->call.reads[segment].segment.target;
    }
    rest = words_match(word, "write#.#", &chunk, &segment);
    if (exchange && rest && !*rest && chunk < exchange->n_writes && segment < exchange->writes[chunk].n)
        return exchange->writes[chunk].segments[segment];
    rest = words_match(word, "reply.#", &segment);
    if (exchange && rest && !*rest && segment < exchange->reply_chunk.n)
        return exchange->reply_chunk.segments[segment];
    words_refuse(m->words, word ? word : "put");
    return (struct rpcrdma_segment){0};
}

static struct rpcrdma_segment moved_target(struct rpc_making *m, const struct rpc_read **content, uint64_t *from)
{
    struct rpcrdma_segment segment = target(m, content);

    *from = words_number(m->words, "off", 0);
    segment.offset += *from;
    segment.length -= MIN(segment.length, (uint32_t)*from);
    segment.length = MIN(segment.length, (uint32_t)words_number(m->words, "most", UINT32_MAX));
    return segment;
}

static void say_put(struct rpc_making *m)
{
    const struct rpc_read *content = NULL;
    uint64_t from;
    struct rpcrdma_segment segment = moved_target(m, &content, &from);
    struct rdmap_read_request read = {
        .size = segment.length, .source_stag = segment.handle, .source_to = segment.offset};

    words_change(m->words, find_read, &read);
    if (read.size > RPC_OCTETS_MAX)
        words_refuse(m->words, "len");
    if (words_end(m->words))
        rpc_rdma_write(m->c, m->role, read.source_stag, read.source_to, NULL, read.size);
}

static void say_get(struct rpc_making *m)
{
    const struct rpc_read *content = NULL;
    uint64_t from;
    struct rpcrdma_segment segment = moved_target(m, &content, &from);
    struct rdmap_read_request read = rpc_read_request_init(m->c, m->role, &segment);
    bool answers = !words_have(m->words, "no-answer");

    words_change(m->words, find_read, &read);
    if (!words_end(m->words))
        return;
    rpc_read_request(m->rpc, m->c, m->role, &read, content ? content->content : NULL,
                     content ? content->from + (size_t)from : 0);
    if (answers)
        rpc_read_answers(m->rpc, m->c, m->role);
}

/* A message without an RPC message; finds the Call that it is about. */
static void say_bare(struct rpc_making *m, uint32_t proc)
{
    m->plan.xid = (uint32_t)words_number(m->words, "xid", m->exchange ? m->exchange->xid : 0);
    /* RFC 8166 section 4.5.1: an RDMA_ERROR repeats the rdma_vers of the message that caused it. */
    m->plan.vers = proc == RPCRDMA_ERROR && m->exchange ? m->exchange->vers : (uint32_t)RPCRDMA_VERSION;
    m->plan.credit = RPC_CREDITS;
    m->plan.proc = proc;
    rpc_change_plan(m);
    rpc_say(m);
}

static void say_error(struct rpc_making *m)
{
    const char *versions = words_value(m->words, "vers");

    m->exchange = rpc_choose(m, rpc_peer(m->role));
    m->side = m->exchange ? &m->exchange->reply : NULL;
    m->plan.err = RPCRDMA_ERR_CHUNK;
    if (versions) {
        const char *rest = words_match(versions, "#..#", &m->plan.vers_low, &m->plan.vers_high);

        m->plan.err = RPCRDMA_ERR_VERS;
        if (!rest || *rest)
            words_refuse(m->words, versions);
    } else {
        words_have(m->words, "chunk");
    }
    if (m->exchange)
        m->exchange->answered = true;
    say_bare(m, RPCRDMA_ERROR);
}

static void say_done(struct rpc_making *m)
{
    bool of = words_given(m->words, "of"), back = words_given(m->words, "back");

    m->exchange = of ? rpc_choose(m, m->role) : back ? NULL : rpc_undone(m->rpc, m->role);
    if (!m->exchange && !of)
        m->exchange = rpc_back(m->rpc, m->role, (unsigned)words_number(m->words, "back", 0));
    if (m->exchange)
        m->exchange->done = true;
    say_bare(m, RPCRDMA_DONE);
}

static void say_raw(struct rpc_making *m)
{
    const char *hex = words_value(m->words, "hex");
    GByteArray *octets = words_octets(m->words, hex ? hex : "");

    if (words_end(m->words))
        rpc_send(m->c, m->role, RDMAP_SEND, 0, octets->data, octets->len);
    g_byte_array_unref(octets);
}

static void script_say_rpc(struct saying *s)
{
    struct rpc_script *script = &s->player->rpc;
    struct rpc_making *m = g_new0(struct rpc_making, 1);

    if (!script->rpc)
        script->rpc = rpc_new();
    if (!script->threshold)
        script->threshold = RPCRDMA_INLINE_DEFAULT;
    m->rpc = script->rpc;
    m->c = s->c;
    m->role = s->role;
    m->words = &s->words;
    m->threshold = script->threshold;
    s->verb->say_rpc(m);
    g_free(m);
}

#define RPC(name_, say_)                                                                                               \
    {                                                                                                                  \
        .name = name_, .say = script_say_rpc, .say_rpc = say_                                                          \
    }

const struct verb rpc_verbs[] = {
    RPC("call", rpc_say_call),   RPC("again", rpc_say_again), RPC("pull", say_pull), RPC("give", say_give),
    RPC("reply", rpc_say_reply), RPC("error", say_error),     RPC("done", say_done), RPC("put", say_put),
    RPC("get", say_get),         RPC("raw", say_raw),         {.name = NULL},
};

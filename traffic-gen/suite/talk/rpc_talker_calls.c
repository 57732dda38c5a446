// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS Calls in statements, whose words are those of scripts as far as they are about the same (say/rpc_script.h). The
 * end fills in all that a client would: header and credential, XID, credits, chunks, handles, state.
 */
#include "traffic-gen/suite/talk/rpc_talker.h"
#include "traffic-gen/suite/talk/talk_internal.h"

#include "traffic-gen/say/words.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <string.h>

enum {
    DATA_MAX = 6000,
    GETATTR = 1, /* of version 3 */
    LOOKUP = 3,
    SIZE_ATTRIBUTE = 1 << 4,
    NF4LNK = 5,
    SEGMENTS_MAX = 2, /* of a chunk made by hand */
    CREDITS = 8,
};

/* What files hold. */
static const uint8_t *data(void)
{
    static uint8_t octets[DATA_MAX];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < sizeof octets; i++)
            octets[i] = (uint8_t)(i * 31 + i / 251);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

/* What links hold. */
static const uint8_t *text(void)
{
    static uint8_t octets[DATA_MAX];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < sizeof octets; i++)
            octets[i] = (uint8_t)('a' + i * 7 % 26);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

/* A Call in the making. */
struct making {
    struct rpc_talker *talker;
    struct words words;
    struct xdr_out out;
    bool by_hand;
    uint32_t position, n; /* of the item in a Read chunk made by hand */
};

/* ---- procedures ---- */

/* Its octets are left to the end, or go into our memory, for a Read chunk made by hand. */
static void put_item(struct making *m, const void *p, uint32_t n)
{
    if (!m->by_hand) {
        xdr_out_eligible(&m->out, p, n);
        return;
    }
    xdr_out_u32(&m->out, n);
    m->position = (uint32_t)xdr_out_at(&m->out);
    m->n = n;
    memcpy(m->talker->region, p, n);
}

static uint32_t length_of(struct making *m)
{
    return (uint32_t)MIN(words_number(&m->words, "len", 0), DATA_MAX);
}

static void put_write(struct making *m)
{
    uint32_t n = length_of(m);

    rpc_talker_begin_write(m->talker, &m->out, n);
    put_item(m, data(), n);
}

static void put_read(struct making *m)
{
    m->talker->asked = data();
    m->talker->asked_n = length_of(m);
    rpc_talker_begin_read(m->talker, &m->out, m->talker->asked_n);
}

static void put_getattr(struct making *m)
{
    struct rpc_talker *talker = m->talker;

    rpc_talker_begin_nfs(talker, &m->out, GETATTR, NULL, 0, 2);
    if (talker->version != NFS_V3)
        xdr_out_u32(&m->out, NFS_OP_PUTFH);
    put_item(m, talker->root, talker->root_n);
    if (talker->version != NFS_V3)
        xdr_out_words(&m->out, NFS_OP_GETATTR, 1, SIZE_ATTRIBUTE);
}

static void put_lookup(struct making *m)
{
    struct rpc_talker *talker = m->talker;

    rpc_talker_begin_nfs(talker, &m->out, LOOKUP, talker->root, talker->root_n, 1);
    if (talker->version != NFS_V3)
        xdr_out_u32(&m->out, NFS_OP_LOOKUP);
    put_item(m, talker->name, (uint32_t)strlen(talker->name));
}

/* Links, of which the last one is the case's; what follows the text goes inline: the name, no attributes. */
static void put_create(struct making *m)
{
    struct rpc_talker *talker = m->talker;
    unsigned links = (unsigned)words_number(&m->words, "links", 1);

    rpc_talker_begin_nfs(talker, &m->out, 0, talker->root, talker->root_n, 2 * links - 1);
    for (unsigned i = 0; i < links; i++) {
        g_strlcpy(talker->name, rpc_talker_new_name(talker), sizeof talker->name);
        if (i > 0) {
            xdr_out_u32(&m->out, NFS_OP_PUTFH);
            xdr_out_opaque(&m->out, talker->root, talker->root_n);
        }
        xdr_out_words(&m->out, NFS_OP_CREATE, NF4LNK);
        put_item(m, text(), length_of(m));
        xdr_out_opaque(&m->out, talker->name, (uint32_t)strlen(talker->name));
        xdr_out_words(&m->out, 0, 0);
    }
}

static void put_readlink(struct making *m)
{
    struct rpc_talker *talker = m->talker;

    talker->asked = text();
    talker->asked_n = length_of(m);
    rpc_talker_begin_nfs(talker, &m->out, 0, talker->root, talker->root_n, 2);
    xdr_out_u32(&m->out, NFS_OP_LOOKUP);
    xdr_out_opaque(&m->out, talker->name, (uint32_t)strlen(talker->name));
    xdr_out_u32(&m->out, NFS_OP_READLINK);
}

static const struct {
    const char *name;
    void (*put)(struct making *m);
} procedures[] = {{"write", put_write},   {"read", put_read},     {"getattr", put_getattr},
                  {"lookup", put_lookup}, {"create", put_create}, {"readlink", put_readlink}};

/* ---- how they are sent ---- */

static void call_by_end(struct making *m)
{
    const struct rpc_end_how how = {
        .reduce = words_have(&m->words, "read"),
        .long_call = words_have(&m->words, "pz"),
        .segments = (unsigned)words_number(&m->words, "segments", 0),
        .results = {words_number(&m->words, "write", 0)},
        .reply_max = words_number(&m->words, "reply", 0),
    };

    m->talker->xid = get_be32(m->out.octets->data);
    rpc_talker_call(m->talker, &m->out, &how);
}

/* read=N or read=N+N: the item's segments; write=N, reply=N: a chunk of one segment. */
static void send_by_hand(struct making *m)
{
    const char *sizes = words_value(&m->words, "read");
    uint32_t write = (uint32_t)words_number(&m->words, "write", 0);
    uint32_t reply = (uint32_t)words_number(&m->words, "reply", 0);
    uint32_t position = m->position + (uint32_t)words_number(&m->words, "past", 0);
    struct rpcrdma_segment segment = rpc_talker_segment(m->talker, true, 0, write | reply);
    const struct rpcrdma_write_plan chunk = {&segment, 1};
    struct rpcrdma_read_segment reads[SEGMENTS_MAX];
    g_auto(GStrv) parts = g_strsplit(sizes ? sizes : "", "+", SEGMENTS_MAX);
    uint32_t n = 0, at = 0;
    struct rpcrdma_plan plan = {.vers = RPCRDMA_VERSION,
                                .credit = CREDITS,
                                .reads = reads,
                                .writes = &chunk,
                                .n_writes = write > 0,
                                .reply = reply > 0 ? &chunk : NULL};

    for (; parts[n]; n++) {
        uint32_t size = strcmp(parts[n], "all") == 0 ? m->n : (uint32_t)words_parse_number(&m->words, parts[n]);

        reads[n] = (struct rpcrdma_read_segment){position, rpc_talker_segment(m->talker, false, at, size)};
        at += size;
    }
    plan.n_reads = n;
    plan.xid = get_be32(m->out.octets->data);
    rpc_talker_send_plan(m->talker, &plan, m->out.octets->data, m->out.octets->len);
    xdr_out_free(&m->out);
}

static void make(struct making *m, const char *name)
{
    m->by_hand = words_have(&m->words, "by-hand");
    for (unsigned i = 0; i < G_N_ELEMENTS(procedures); i++) {
        if (strcmp(procedures[i].name, name) != 0)
            continue;
        procedures[i].put(m);
        if (m->by_hand)
            send_by_hand(m);
        else
            call_by_end(m);
        return;
    }
    words_refuse(&m->words, name);
}

bool rpc_talker_say(struct rpc_talker *talker, const char *says)
{
    g_auto(GStrv) list = g_strsplit(says, " ", -1);
    struct statement *statement = statement_new(INITIATOR, NULL);
    g_autofree char *error = NULL;
    struct making m = {.talker = talker};

    for (unsigned i = 0; list[i]; i++)
        statement_add_word(statement, list[i]);
    m.words = words_of(statement, talker->talk->row->says, &error);
    make(&m, words_first(&m.words));
    if (!words_end(&m.words))
        talk_inconclusive(talker->talk, "what is to be said cannot be: %s", error);
    statement_unref(statement);
    return !error;
}

bool rpc_talker_holds(const struct rpc_talker *talker)
{
    const struct rpc_end_message *reply = &talker->reply;

    return reply->n_items == 1 && reply->items[0].n == talker->asked_n &&
           memcmp(reply->p + reply->items[0].at, talker->asked, talker->asked_n) == 0;
}

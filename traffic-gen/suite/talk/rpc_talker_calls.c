// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS Calls in statements, whose words are those of scripts as far as they are about the same (say/rpc_script.h). The
 * end fills in all that a client would: header and credential, XID, credits, chunks, handles, state.
 */
#include "traffic-gen/suite/talk/rpc_talker_v4.h"

#include "traffic-gen/say/words.h"
#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/octets.h"

#include <string.h>

enum {
    DATA_MAX = 6000,
    LINKS_MAX = 2,
    SEGMENTS_MAX = 2, /* of a chunk made by hand */
    CREDITS = 8,
};

/* What files and links hold. */
static const uint8_t *data(void)
{
    static uint8_t octets[DATA_MAX];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < sizeof octets; i++)
            octets[i] = (uint8_t)('a' + (i * 7 + i / 251) % 26);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

enum { CALL_WRITE, CALL_READ };

static const struct {
    const char *name;
    struct talker_request request;
} calls[] = {
    {"write", {.procedure = "nfs3.write", .words = "putfh,write", .on_file = true}},
    {"read", {.procedure = "nfs3.read", .words = "putfh,read", .on_file = true}},
    {"getattr", {.procedure = "nfs3.getattr", .words = "putfh,getattr:masks=1:mask0=0x10"}},
    {"lookup", {.procedure = "nfs3.lookup", .words = "putfh,lookup"}},
    {"create", {.words = "putfh,create:masks=0"}},
    {"readlink", {.words = "putfh,lookup,readlink"}},
};

/* Parameters of version 3 have values of their own. */
static struct talker_request request_of(const struct rpc_talker *talker, unsigned call, const void *p, uint32_t n)
{
    struct talker_request request = calls[call].request;

    if (talker->version == NFS_V3)
        request.words = "";
    request.name = talker->name;
    request.data = p;
    request.n = n;
    return request;
}

void rpc_talker_put_write(struct rpc_talker *talker, struct xdr_out *out, const void *p, uint32_t n)
{
    const struct talker_request request = request_of(talker, CALL_WRITE, p, n);

    talker_put(talker, &request, out);
}

void rpc_talker_put_read(struct rpc_talker *talker, struct xdr_out *out, uint32_t n)
{
    const struct talker_request request = request_of(talker, CALL_READ, data(), n);

    talker_put(talker, &request, out);
}

/* ---- the message ---- */

/* One link or more, of which the last one is the case's. */
static void put_links(struct rpc_talker *talker, struct talker_request request, uint64_t links, struct xdr_out *out)
{
    const char *names[2 * LINKS_MAX] = {NULL}; /* there is a PUTFH between them */
    g_autoptr(GString) words = g_string_new(NULL);

    for (unsigned i = 0; i < MIN(links, LINKS_MAX); i++) {
        names[2 * i] = names[2 * i + 1] = rpc_talker_new_name(talker);
        g_strlcpy(talker->name, names[2 * i], sizeof talker->name);
        g_string_append_printf(words, "%s%s", i > 0 ? "," : "", request.words);
    }
    request.words = words->str;
    request.path = (char *const *)names;
    talker_put(talker, &request, out);
}

/* False: there is no such Call. */
static bool put(struct rpc_talker *talker, struct words *words, struct xdr_out *out)
{
    const char *name = words_first(words);
    unsigned i = 0;
    struct talker_request request;

    while (i < G_N_ELEMENTS(calls) && g_strcmp0(calls[i].name, name) != 0)
        i++;
    if (i == G_N_ELEMENTS(calls))
        return words_refuse(words, name ? name : "");
    talker->asked = (uint32_t)MIN(words_number(words, "len", 0), DATA_MAX);
    request = request_of(talker, i, data(), talker->asked);
    if (strcmp(name, "create") == 0)
        put_links(talker, request, words_number(words, "links", 1), out);
    else
        talker_put(talker, &request, out);
    return true;
}

/* ---- how it is sent ---- */

static void call_by_end(struct rpc_talker *talker, struct words *words, struct xdr_out *out)
{
    const struct rpc_end_how how = {
        .reduce = words_have(words, "read"),
        .long_call = words_have(words, "pz"),
        .segments = (unsigned)words_number(words, "segments", 0),
        .results = {words_number(words, "write", 0)},
        .reply_max = words_number(words, "reply", 0),
    };

    talker->xid = get_be32(out->octets->data);
    rpc_talker_call(talker, out, &how);
}

struct rpc_end_item rpc_talker_take_item(struct rpc_talker *talker, struct xdr_out *out, const char *reduce)
{
    const bool is_handle = g_strcmp0(reduce, "handle") == 0;
    const void *p = is_handle ? (const void *)talker->root : talker->name;
    struct rpc_end_item item = {.n = is_handle ? talker->root_n : strlen(talker->name)};

    if (!reduce)
        item = out->items[0];
    while (reduce && item.at + item.n < out->octets->len && memcmp(out->octets->data + item.at, p, item.n) != 0)
        item.at += sizeof(uint32_t);
    memcpy(talker->region, out->octets->data + item.at, item.n);
    g_byte_array_remove_range(out->octets, (guint)item.at, (guint)xdr_padded((uint32_t)item.n));
    return item;
}

/* Memory that is not there any more. */
static struct rpcrdma_segment lost_segment(const struct rpc_talker *talker, uint32_t n)
{
    static uint8_t octets[DATA_MAX];
    struct memory *memory = rpc_end_memory(talker->end);
    uint32_t stag = memory_register(memory, octets, MIN(n, DATA_MAX), 0, MEMORY_REMOTE_READ, false);
    const struct rpcrdma_segment segment = {.handle = stag, .length = n, .offset = memory_base(memory, stag)};

    memory_invalidate(memory, stag);
    return segment;
}

/* read=N or read=N+N: the item's segments; write=N, reply=N: a chunk of one segment. */
static void send_by_hand(struct rpc_talker *talker, struct words *words, struct xdr_out *out)
{
    const char *sizes = words_value(words, "read"), *reduce = words_value(words, "reduce");
    uint32_t past = (uint32_t)words_number(words, "past", 0), write = (uint32_t)words_number(words, "write", 0);
    uint32_t reply = (uint32_t)words_number(words, "reply", 0), at = 0;
    struct rpcrdma_segment segment = rpc_talker_segment(talker, true, 0, write | reply);
    const struct rpcrdma_write_plan chunk = {&segment, 1};
    struct rpcrdma_read_segment reads[SEGMENTS_MAX];
    g_auto(GStrv) parts = g_strsplit(sizes ? sizes : "", "+", SEGMENTS_MAX);
    struct rpc_end_item item = {0};
    struct rpcrdma_plan plan = {.xid = get_be32(out->octets->data),
                                .vers = RPCRDMA_VERSION,
                                .credit = CREDITS,
                                .reads = reads,
                                .writes = &chunk,
                                .n_writes = write > 0,
                                .reply = reply > 0 ? &chunk : NULL};

    if (sizes || reduce)
        item = rpc_talker_take_item(talker, out, reduce);
    for (unsigned i = 0; i < (sizes ? g_strv_length(parts) : reduce != NULL); i++) {
        uint32_t size = sizes ? (uint32_t)words_parse_number(words, parts[i]) : (uint32_t)item.n;

        reads[plan.n_reads++] =
            (struct rpcrdma_read_segment){(uint32_t)item.at + past, rpc_talker_segment(talker, false, at, size)};
        at += size;
    }
    if (words_have(words, "lost") && plan.n_reads > 0)
        reads[plan.n_reads - 1].target = lost_segment(talker, reads[plan.n_reads - 1].target.length);
    rpc_talker_send_plan(talker, &plan, out->octets->data, out->octets->len);
    xdr_out_free(out);
}

bool rpc_talker_say(struct rpc_talker *talker, const char *says)
{
    g_auto(GStrv) list = g_strsplit(says, " ", -1);
    struct statement *statement = statement_new(INITIATOR, NULL);
    g_autofree char *error = NULL;
    struct words words;
    struct xdr_out out;

    for (unsigned i = 0; list[i]; i++)
        statement_add_word(statement, list[i]);
    words = words_of(statement, "case", &error);
    if (put(talker, &words, &out)) {
        if (words_have(&words, "by-hand"))
            send_by_hand(talker, &words, &out);
        else
            call_by_end(talker, &words, &out);
    }
    if (!words_end(&words))
        talk_inconclusive(talker->talk, "what is to be said cannot be: %s", error);
    statement_unref(statement);
    return !error;
}

bool rpc_talker_holds(const struct rpc_talker *talker)
{
    const struct rpc_end_message *reply = &talker->reply;

    return reply->n_items == 1 && reply->items[0].n == talker->asked &&
           memcmp(reply->p + reply->items[0].at, data(), talker->asked) == 0;
}

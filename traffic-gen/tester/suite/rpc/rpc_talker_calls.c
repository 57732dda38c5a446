// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS Calls in statements; words have the same meaning as in scripts (traffic-gen/speak/say/rpc_script.h). The end
 * fills in whatever a client would: header and credential, XID, credits, chunks, handles, state.
 */
#include "traffic-gen/tester/suite/rpc/rpc_talker_v4.h"

#include "traffic-gen/speak/say/words.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <string.h>

enum {
    DATA_MAX = 1 << 20,
    LINKS_MAX = 7, /* in one COMPOUND: each takes two of a session's 16 operations */
};

/* Contents of files and links. */
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

static const struct call {
    const char *name;
    struct talker_request request;
} calls[] = {
    {"write", {.procedure = "nfs3.write", .words = "putfh,write", .on_file = true}},
    {"read", {.procedure = "nfs3.read", .words = "putfh,read", .on_file = true}},
    {"getattr", {.procedure = "nfs3.getattr", .words = "putfh,getattr:masks=1:mask0=0x10"}},
    {"lookup", {.procedure = "nfs3.lookup", .words = "putfh,lookup"}},
    {"create", {.words = "putfh,create:masks=0"}},
    {"readlink", {.words = "putfh,lookup,readlink"}},
    {"readlinks", {.words = "putfh"}},
    {"setacl", {.on_file = true}},
    {"getacl", {.procedure = "nfsacl3.getacl", .on_file = true}},
    {"readdir",
     {.procedure = "nfs3.readdir", .words = "putfh,readdir:dircount=8192:maxcount=8192:masks=1:mask0=0x100000"}},
};

/* The request for the first word; NULL: not an NFS word. */
static const struct call *find_call(const char *text)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(calls); i++) {
        const size_t n = strlen(calls[i].name);

        if (strncmp(text, calls[i].name, n) == 0 && (text[n] == ' ' || !text[n]))
            return &calls[i];
    }
    return NULL;
}

/* Version 3 has its own values of parameters. */
static struct talker_request calls_request_of(const struct rpc_talker *talker, const struct call *call)
{
    struct talker_request request = call->request;

    if (talker->files.version == NFS_V3)
        request.words = "";
    request.name = talker->files.name;
    request.data = data();
    request.n = talker->last.asked;
    return request;
}

/* ---- the message ---- */

static void remember_link(struct rpc_talker *talker, uint32_t n)
{
    struct talker_link *link = &talker->links.link[talker->links.n];

    if (talker->links.n == TALKER_LINKS_MAX)
        return;
    g_strlcpy(link->name, talker->files.name, sizeof link->name);
    link->n = n;
    talker->links.n++;
}

/* Creates one or more links; the last is the case's. */
static void put_links(struct rpc_talker *talker, struct talker_request request, uint64_t links, struct xdr_out *out)
{
    const char *names[2 * LINKS_MAX] = {NULL}; /* every second operation is a PUTFH */
    g_autoptr(GString) words = g_string_new(NULL);

    for (unsigned i = 0; i < MIN(links, LINKS_MAX); i++) {
        names[2 * i] = names[2 * i + 1] = rpc_talker_new_name(talker);
        g_strlcpy(talker->files.name, names[2 * i], sizeof talker->files.name);
        remember_link(talker, request.n);
        g_string_append_printf(words, "%s%s", i > 0 ? "," : "", request.words);
    }
    request.words = words->str;
    request.path = (char *const *)names;
    talker_put(talker, &request, out);
}

/* Each link by its name, in the order of the words. */
static void put_readlinks(struct rpc_talker *talker, struct talker_request request, struct words *words,
                          struct xdr_out *out)
{
    const char *names[3 * TALKER_LINKS_MAX] = {NULL}; /* by operation, from the second on */
    g_auto(GStrv) list = g_strsplit(words_value(words, "of"), "/", TALKER_LINKS_MAX);
    g_autoptr(GString) ops = g_string_new(NULL);
    unsigned op = 0;

    for (unsigned i = 0; list[i]; i++) {
        const uint64_t k = strcmp(list[i], "-") == 0 ? TALKER_LINKS_MAX : words_parse_number(words, list[i]);
        const struct talker_link *link = k < talker->links.n ? &talker->links.link[k] : NULL;

        g_string_append_printf(ops, "%s%s,%sreadlink", i > 0 ? "," : "", request.words, link ? "lookup," : "");
        if (link)
            names[op] = link->name;
        op += link ? 3 : 2;
        talker->last.wanted[i] = link;
        talker->last.n_wanted = i + 1;
    }
    request.words = ops->str;
    request.path = (char *const *)names;
    talker_put(talker, &request, out);
}

/* SETACL: the owner may read and write; `asked` named users, and all others, may read. */
static void calls_put_acl(struct rpc_talker *talker, struct xdr_out *out)
{
    enum {
        ACL = 1,
        ACL_COUNT = 2,
        OWNER = 1,
        USER = 2,
        GROUP_OWNER = 4,
        MASK = 0x10,
        OTHER = 0x20,
        READ = 4,
        WRITE = 2
    };
    const uint32_t n = talker->last.asked + 4, first = 1000;

    rpc_talker_begin(talker, out, NFS_PROGRAM_ACL, 3, 2);
    xdr_out_opaque(out, talker->files.file, talker->files.file_n);
    xdr_out_words(out, ACL | ACL_COUNT, n, n, OWNER, 0, READ | WRITE);
    for (uint32_t i = 0; i < talker->last.asked; i++)
        xdr_out_words(out, USER, first + i, READ);
    xdr_out_words(out, GROUP_OWNER, 0, READ, MASK, 0, READ, OTHER, 0, READ);
    xdr_out_words(out, 0, 0); /* no default ACL */
}

static void calls_put(struct rpc_talker *talker, struct words *words, struct xdr_out *out)
{
    const struct call *call = find_call(words_first(words));
    struct talker_request request;

    talker->last.asked = (uint32_t)MIN(words_number(words, "len", 0), DATA_MAX);
    request = calls_request_of(talker, call);
    if (strcmp(call->name, "create") == 0)
        put_links(talker, request, words_number(words, "links", 1), out);
    else if (strcmp(call->name, "readlinks") == 0)
        put_readlinks(talker, request, words, out);
    else if (strcmp(call->name, "setacl") == 0)
        calls_put_acl(talker, out);
    else
        talker_put(talker, &request, out);
}

/* ---- how it is sent ---- */

/* "1300/-/900": Write chunks with this many octets. */
static void calls_read_chunks(struct words *words, size_t chunks[RPC_END_ITEMS_MAX])
{
    const char *text = words_value(words, "write");
    g_auto(GStrv) list = g_strsplit(text ? text : "", "/", RPC_END_ITEMS_MAX);

    memset(chunks, 0, RPC_END_ITEMS_MAX * sizeof *chunks);
    for (unsigned i = 0; list[i]; i++)
        chunks[i] = strcmp(list[i], "-") == 0 ? SIZE_MAX : words_parse_number(words, list[i]);
}

static void call_by_end(struct rpc_talker *talker, struct words *words, struct xdr_out *out)
{
    struct rpc_end_how how = {
        .reduce = words_have(words, "read"),
        .keep_inline = words_have(words, "keep"),
        .long_call = words_have(words, "pz"),
        .segments = (unsigned)words_number(words, "segments", 0),
        .reply_max = words_number(words, "reply", 0),
    };

    calls_read_chunks(words, talker->last.chunks);
    memcpy(how.results, talker->last.chunks, sizeof how.results);
    talker->xid = get_be32(out->octets->data);
    rpc_talker_mark(talker, DUE_CHUNKS);
    rpc_talker_call(talker, out, &how);
}

/* Words about anything but the message are passed on. */
static bool send_by_hand(struct rpc_talker *talker, const struct words *words, struct xdr_out *out)
{
    g_autoptr(GString) rest = g_string_new(NULL);
    bool good;

    for (unsigned i = 0; i < words->n; i++) {
        const struct word *word = &words->list[i];

        if (!words->used[i])
            g_string_append_printf(rest, " %s%.1s%s", word->name, word->op ? &word->op : "",
                                   word->op ? word->text : "");
    }
    good = words_good(words) && rpc_talker_say_call(talker, out, rest->str);
    xdr_out_free(out);
    return good;
}

/* False: the verdict is set, or *error. */
static bool say_nfs(struct rpc_talker *talker, bool by_hand, const char *text, char **error)
{
    struct statement *statement = statement_of_words(text);
    struct words words = words_of(statement, "case", error);
    struct xdr_out out;
    bool good;

    calls_put(talker, &words, &out);
    if (by_hand) {
        good = send_by_hand(talker, &words, &out);
    } else {
        call_by_end(talker, &words, &out);
        good = words_end(&words);
    }
    statement_unref(statement);
    return good;
}

bool rpc_talker_say(struct rpc_talker *talker, const char *format, ...)
{
    g_autofree char *text = NULL, *error = NULL;
    const char *call;
    va_list args;
    bool good;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    call = g_str_has_prefix(text, "call ") ? text + strlen("call ") : text;
    if (!find_call(call))
        return rpc_talker_say_statement(talker, text);
    good = say_nfs(talker, call != text, call, &error);
    if (error)
        talk_inconclusive(talker->talk, "what is to be said cannot be: %s", error);
    return good;
}

bool rpc_talker_holds(const struct rpc_talker *talker, uint32_t *n)
{
    const struct rpc_end_message *reply = &talker->reply.message;
    const uint32_t found = reply->n_items == 1 ? (uint32_t)reply->items[0].n : 0;

    if (n)
        *n = found;
    return found <= talker->last.asked && (n || found == talker->last.asked) &&
           (found == 0 || memcmp(reply->p + reply->items[0].at, data(), found) == 0);
}

bool rpc_talker_holds_links(const struct rpc_talker *talker)
{
    const struct rpc_end_message *reply = &talker->reply.message;

    for (unsigned k = 0; k < reply->n_items; k++) {
        const struct talker_link *link = k < talker->last.n_wanted ? talker->last.wanted[k] : NULL;

        if (!link || reply->items[k].n != link->n || memcmp(reply->p + reply->items[k].at, data(), link->n) != 0)
            return false;
    }
    return true;
}

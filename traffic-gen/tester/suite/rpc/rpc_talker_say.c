// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the talker sends statements of scripts, with its connection as their carrier. The talker's end supplies XIDs,
 * credits, memory and the Calls that a Reply or an error answers.
 */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/setups.h"
#include "traffic-gen/speak/say/verb.h"
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

#include <stdlib.h>
#include <string.h>

/* ---- the connection as a carrier ---- */

/* Reads go to our memory. */
static void post_message(struct conversation *c, enum role role, const struct message *message)
{
    static const uint8_t none_given[64] = "too late";
    struct rpc_talker *talker = c->socket;
    struct qp_work work = {.kind = QP_SEND,
                           .p = message->payload ? message->payload : none_given,
                           .n = message->payload ? message->length : MIN(message->length, sizeof none_given),
                           .remote_stag = message->segment.stag,
                           .remote_to = message->segment.to};

    (void)role;
    if (message->opcode == RDMAP_WRITE)
        work.kind = QP_WRITE;
    else if (message->opcode == RDMAP_READ_REQUEST)
        work = (struct qp_work){.kind = QP_READ,
                                .n = message->read.size,
                                .remote_stag = message->read.source_stag,
                                .remote_to = message->read.source_to,
                                .sink_stag = talker->memory.stag_write,
                                .sink_to = memory_base(rpc_end_memory(talker->end), talker->memory.stag_write)};
    else if (message->opcode != RDMAP_SEND)
        c->stage->impossible = "only Sends, Writes and Reads are said on this connection";
    if (!c->stage->impossible)
        rpc_talker_post(talker, &work);
}

static const struct carrier carrier_talker = {.name = "talker", .message = post_message};

/* ---- values from the end ---- */

struct speech {
    struct rpc_talker *talker;
    uint64_t at; /* next free octet of the region */
    struct rpc_filling filling;
    struct nfs_body_item items[RPC_END_ITEMS_MAX + 2];
};

static struct rpcrdma_segment say_offer(void *ctx, uint32_t length, const uint8_t *p, size_t n)
{
    struct speech *speech = ctx;
    struct rpc_talker *talker = speech->talker;
    const uint32_t stag = p ? talker->memory.stag_read : talker->memory.stag_write;
    const size_t at = (size_t)MIN(speech->at, TALKER_REGION);

    if (p)
        memcpy(talker->memory.region + at, p, MIN(n, TALKER_REGION - at));
    speech->at += length;
    return (struct rpcrdma_segment){
        .handle = stag, .length = length, .offset = memory_base(rpc_end_memory(talker->end), stag) + at};
}

static struct nfs_body_item item_named(const char *name, size_t at, size_t n, bool eligible)
{
    struct nfs_body_item item = {.at = at, .length = (uint32_t)n, .eligible = eligible};

    g_strlcpy(item.name, name, sizeof item.name);
    return item;
}

/* Items that are not eligible, but may be named by `reduce`. */
static void find_item(struct speech *speech, const char *name, const void *p, size_t n)
{
    const GByteArray *message = speech->filling.message;

    for (size_t at = 0; n > 0 && at + n <= message->len; at += sizeof(uint32_t)) {
        if (memcmp(message->data + at, p, n) == 0) {
            speech->items[speech->filling.n_items++] = item_named(name, at, n, false);
            return;
        }
    }
}

/* ---- the answered Call ---- */

static const struct nfs_template *procedure_of(const struct talker_heard *call)
{
    const struct nfs_template *procedure;
    struct rpc_message header;

    if (rpc_decode(&header, call->p + call->header.header_len, call->n - call->header.header_len) == RPC_OK)
        for (unsigned i = 0; (procedure = nfs_procedure_template_at(i)); i++)
            if (procedure->program == header.prog && procedure->version == header.vers &&
                procedure->number == header.proc)
                return procedure;
    return nfs_procedure_template("nfs3.null");
}

/* False: the Call has more segments than a statement can return. */
static bool take_chunk(const struct talker_heard *call, const struct rpcrdma_chunk *chunk, struct rpc_chunk *out)
{
    out->n = MIN(chunk->n, RPC_SEGMENTS_MAX);
    for (uint32_t i = 0; i < out->n; i++)
        out->segments[i] = rpcrdma_segment_at(chunk, call->p, i);
    return out->n == chunk->n;
}

static bool remember_call(struct rpc_exchange *exchange, const struct talker_heard *call)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&call->header);
    bool fits = call->header.write.n <= RPC_CHUNKS_MAX;

    for (uint32_t i = 0; i < MIN(call->header.read.n, RPC_READS_MAX); i++)
        exchange->call.reads[exchange->call.n_reads++].segment = rpcrdma_read_segment_at(&call->header, call->p, i);
    exchange->vers = call->header.vers;
    exchange->procedure = procedure_of(call);
    while (fits && rpcrdma_write_next(&call->header, call->p, &chunk))
        fits = take_chunk(call, &chunk, &exchange->writes[exchange->n_writes++]);
    exchange->has_reply_chunk = call->header.has_reply;
    if (fits && call->header.has_reply) {
        chunk = rpcrdma_reply_chunk(&call->header);
        fits = take_chunk(call, &chunk, &exchange->reply_chunk);
    }
    return fits;
}

static bool say_remember(struct rpc *rpc, const struct rpc_talker *talker, bool null)
{
    const enum role caller = talk_is_initiator(talker->talk) ? RESPONDER : INITIATOR;
    const struct talker_heard *call = null ? NULL : rpc_talker_find_call(talker, talker->xid);
    struct rpc_exchange *exchange = rpc_exchange_new(rpc, caller);

    exchange->vers = RPCRDMA_VERSION;
    exchange->procedure = nfs_procedure_template("nfs3.null");
    return !call || remember_call(exchange, call);
}

/* ---- statements ---- */

/* Says a statement with values from the end. Adopts the words' XID. */
static char *statement_of(struct rpc_talker *talker, const char *text)
{
    static const char call[] = "call null", reply[] = "reply null";
    GString *statement = g_string_new(talk_is_initiator(talker->talk) ? "I " : "R ");
    const char *xid = strstr(text, " xid=");
    const bool is_send =
        !g_str_has_prefix(text, "raw") && !g_str_has_prefix(text, "put") && !g_str_has_prefix(text, "get");

    if (g_str_has_prefix(text, call))
        g_string_append_printf(statement, "call %s cred=none%s",
                               rpc_talker_null_version(talker) == 4 ? "nfs40.null" : "nfs3.null", text + strlen(call));
    else if (g_str_has_prefix(text, reply))
        g_string_append_printf(statement, "reply%s", text + strlen(reply));
    else
        g_string_append(statement, text);
    if (xid)
        talker->xid = (uint32_t)strtoul(xid + strlen(" xid="), NULL, 0);
    else if (is_send)
        g_string_append_printf(statement, " xid=%u", talker->xid);
    if (is_send && !strstr(text, " credit="))
        g_string_append_printf(statement, " credit=%u", talker->server.credits);
    return g_string_free(statement, FALSE);
}

static bool rpc_talker_say_text(struct speech *speech, const char *text)
{
    struct rpc_talker *talker = speech->talker;
    g_autofree char *statement = statement_of(talker, text), *error = NULL;
    g_autoptr(GPtrArray) statements = script_parse("case", statement, &error);
    struct stage *stage = stage_new_live(&carrier_talker);
    struct conversation *c = conversation_new(stage, &setup_rev1);
    struct script_player *player = script_join(c, "case");

    c->socket = talker;
    speech->filling.offer = say_offer;
    speech->filling.ctx = speech;
    speech->filling.items = speech->items;
    player->rpc = (struct rpc_script){.rpc = rpc_new(), .threshold = talker->size};
    rpc_fill_from(player->rpc.rpc, &speech->filling);
    if (!say_remember(player->rpc.rpc, talker, g_str_has_prefix(text, "reply null")))
        error = g_strdup("the Call has more segments than can be returned");
    for (unsigned i = 0; !error && i < statements->len && script_say(player, statements->pdata[i]); i++)
        ;
    script_end(player, &error);
    stage_free(stage);
    if (error)
        talk_inconclusive(talker->talk, "what is to be said cannot be: %s", error);
    return !error;
}

/* XIDs tell messages apart; only a client's memory is read. */
void rpc_talker_mark(struct rpc_talker *talker, unsigned due)
{
    talker->said_at = talker->heard->len;
    talk_mark(talker->talk,
              due | DUE_TERMINATE | DUE_SENDS | (talk_is_initiator(talker->talk) ? 0 : (unsigned)DUE_READ_RESPONSES));
}

bool rpc_talker_say_statement(struct rpc_talker *talker, const char *text)
{
    struct speech speech = {.talker = talker};

    rpc_talker_mark(talker, 0);
    return rpc_talker_say_text(&speech, text);
}

bool rpc_talker_say_call(struct rpc_talker *talker, const struct xdr_out *out, const char *words)
{
    g_autofree char *text = g_strdup_printf("call nfs3.null %s", words);
    struct speech speech = {.talker = talker};

    rpc_talker_mark(talker, 0);
    talker->xid = get_be32(out->octets->data);
    speech.filling.message = out->octets;
    for (unsigned i = 0; i < out->n_items; i++)
        speech.items[speech.filling.n_items++] = item_named("data", out->items[i].at, out->items[i].n, true);
    find_item(&speech, "handle", talker->files.root, talker->files.root_n);
    find_item(&speech, "name", talker->files.name, strlen(talker->files.name));
    return rpc_talker_say_text(&speech, text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls: arguments, offered chunks, and retransmission on another connection. */
#include "traffic-gen/speak/say/rpc_making.h"

#include <string.h>

enum { WRITE_DEFAULT = 4096, REPLY_DEFAULT = 65536 };

/* opN.FIELD=VALUE applies to one operation, FIELD=VALUE to all. */
static const char *call_option(void *context, unsigned op, const char *name)
{
    struct rpc_making *m = context;
    char full[NFS_FIELD_MAX + 16];
    const char *value;

    g_snprintf(full, sizeof full, "op%u.%s", op, name);
    value = words_value(m->words, full);
    return value ? value : words_value(m->words, name);
}

static uint32_t call_sequence(void *context, unsigned slot)
{
    struct rpc_making *m = context;

    return rpc_next_sequence(m->rpc, m->role, slot);
}

static void call_build_arguments(struct rpc_making *m)
{
    struct nfs_options options = {.option = call_option,
                                  .sequence = call_sequence,
                                  .context = m,
                                  .ops = words_value(m->words, "ops"),
                                  .seed = m->exchange->xid};
    const char *wrong;

    nfs_body_init(&m->side->body);
    wrong = nfs_build_arguments(m->exchange->procedure, &options, &m->side->body);
    if (wrong)
        words_refuse(m->words, wrong);
}

/* cred=sys, none, gss:SERVICE, gss:init, gss:destroy */
static void choose_credential(struct rpc_making *m)
{
    const char *cred = words_value(m->words, "cred");

    m->cred_flavor = RPC_AUTH_SYS;
    if (cred && strcmp(cred, "none") == 0) {
        m->cred_flavor = RPC_AUTH_NONE;
    } else if (cred && g_str_has_prefix(cred, "gss:")) {
        m->cred_flavor = RPC_AUTH_GSS;
        m->exchange->gss_proc = strcmp(cred, "gss:init") == 0      ? RPC_GSS_INIT
                                : strcmp(cred, "gss:destroy") == 0 ? RPC_GSS_DESTROY
                                                                   : RPC_GSS_DATA;
        m->exchange->gss = m->exchange->gss_proc == RPC_GSS_DATA ? (unsigned)words_parse_number(m->words, cred + 4)
                                                                 : (unsigned)RPC_GSS_SVC_NONE;
        m->exchange->gss_seq = (m->exchange->xid & 0xFFFF) + 1;
    } else if (cred && strcmp(cred, "sys") != 0) {
        words_refuse(m->words, cred);
    }
    m->header.gss_version = 1;
    m->header.gss_proc = m->exchange->gss_proc;
    m->header.gss_seq = m->exchange->gss_seq;
    m->header.gss_service = m->exchange->gss;
}

static void call_offer(struct rpc_making *m, struct rpc_chunk *chunk, const char *sizes, uint32_t total)
{
    uint32_t size[RPC_SEGMENTS_MAX];

    chunk->n = strcmp(sizes, "-") == 0 ? 0 : rpc_parse_sizes(m->words, sizes, total, size, RPC_SEGMENTS_MAX);
    for (unsigned i = 0; i < chunk->n; i++)
        chunk->segments[i] = rpc_register(m->rpc, size[i], NULL, 0);
}

static uint32_t data_expected(const struct rpc_making *m)
{
    for (unsigned op = 0; op < NFS_OPERATIONS_MAX; op++) {
        const struct nfs_field *count = nfs_field_find(&m->side->body, op, "count");

        if (count)
            return (uint32_t)count->value;
    }
    return WRITE_DEFAULT;
}

static void offer_chunks(struct rpc_making *m)
{
    const char *writes = words_value(m->words, "write"), *reply = words_value(m->words, "reply");
    struct rpc_exchange *exchange = m->exchange;

    if (words_have(m->words, "write"))
        writes = "rest";
    if (writes) {
        g_auto(GStrv) chunks = g_strsplit(writes, "/", -1);

        if (g_strv_length(chunks) > RPC_CHUNKS_MAX)
            words_refuse_because(m->words, "write", "more than 16 Write chunks");
        for (unsigned i = 0; chunks[i] && i < RPC_CHUNKS_MAX; i++)
            call_offer(m, &exchange->writes[exchange->n_writes++], chunks[i], data_expected(m));
    }
    if (words_have(m->words, "reply"))
        reply = "rest";
    if (reply) {
        exchange->has_reply_chunk = true;
        call_offer(m, &exchange->reply_chunk, reply, REPLY_DEFAULT);
    }
}

/* Copies the exchange's offered chunks into the plan, and back after words have changed them. */
static void plan_chunks(struct rpc_making *m)
{
    for (unsigned i = 0; i < m->side->n_reads; i++)
        m->reads[i] = m->side->reads[i].segment;
    m->plan.n_reads = m->side->n_reads;
    memcpy(m->writes, m->exchange->writes, sizeof m->writes);
    m->plan.n_writes = m->exchange->n_writes;
    m->reply = m->exchange->reply_chunk;
    m->plan.reply = m->exchange->has_reply_chunk ? &m->reply_plan : NULL;
}

static void call_keep_chunks(struct rpc_making *m)
{
    for (unsigned i = 0; i < m->side->n_reads; i++)
        m->side->reads[i].segment = m->reads[i];
    memcpy(m->exchange->writes, m->writes, sizeof m->writes);
    m->exchange->reply_chunk = m->reply;
}

static void make_message(struct rpc_making *m)
{
    const struct nfs_template *procedure = m->exchange->procedure;

    choose_credential(m);
    call_build_arguments(m);
    if (!words_good(m->words))
        return;
    m->header.xid = m->exchange->xid;
    m->header.type = RPC_CALL;
    m->header.rpcvers = RPC_VERSION;
    m->header.prog = procedure->program;
    m->header.vers = procedure->version;
    m->header.proc = procedure->number;
    rpc_change_header(m);
    rpc_put_together(m);
}

/* Lists procedures of the same program, or the first procedure of each program when the program is unknown. */
static void refuse_procedure(const struct words *words, const char *name)
{
    g_autoptr(GString) same = g_string_new(NULL);
    g_autoptr(GString) firsts = g_string_new(NULL);
    g_autofree char *why = NULL;
    const struct nfs_template *template;
    const char *program = "";

    for (unsigned i = 0; (template = nfs_procedure_template_at(i)); i++) {
        size_t n = strcspn(template->name, ".") + 1;

        if (strncmp(template->name, name, n) == 0)
            g_string_append_printf(same, "%s%s", same->len ? ", " : "", template->name);
        if (strncmp(template->name, program, n) != 0)
            g_string_append_printf(firsts, "%s%s", firsts->len ? ", " : "", template->name);
        program = template->name;
    }
    why = g_strdup_printf("the procedure is missing or unknown; allowed here: %s", same->len ? same->str : firsts->str);
    words_refuse_because(words, *name ? name : "call", why);
}

void rpc_say_call(struct rpc_making *m)
{
    const char *name = words_first(m->words);
    const struct nfs_template *procedure = name ? nfs_procedure_template(name) : NULL;
    struct rpc_exchange *exchange;

    if (!procedure) {
        refuse_procedure(m->words, name ? name : "");
        return;
    }
    exchange = rpc_exchange_new(m->rpc, m->role);
    exchange->procedure = procedure;
    exchange->xid = (uint32_t)words_number(m->words, "xid", exchange->xid);
    m->exchange = exchange;
    m->side = &exchange->call;
    if (rpc_filling(m->rpc) && rpc_filling(m->rpc)->message) {
        nfs_body_init(&m->side->body);
        g_array_append_vals(m->side->body.items, rpc_filling(m->rpc)->items, rpc_filling(m->rpc)->n_items);
        m->side->whole = g_byte_array_new();
        g_byte_array_append(m->side->whole, rpc_filling(m->rpc)->message->data, rpc_filling(m->rpc)->message->len);
        rpc_change_message(m);
    } else
        make_message(m);
    if (!words_good(m->words))
        return;
    m->c->stage->octets += exchange->call.whole->len; /* allocated even if nobody reads the chunks */
    m->plan.xid = exchange->xid;
    m->plan.vers = RPCRDMA_VERSION;
    m->plan.credit = RPC_CREDITS;
    rpc_reduce(m);
    offer_chunks(m);
    plan_chunks(m);
    rpc_change_plan(m);
    call_keep_chunks(m);
    exchange->vers = m->plan.vers;
    exchange->proc = m->plan.proc;
    exchange->sends_payload = m->payload != NULL;
    rpc_say(m);
}

/* Retransmission: the same message and XID; on a new connection the memory has new STags (RFC 8166 section 4.2.1). */
void rpc_say_again(struct rpc_making *m)
{
    struct rpc_exchange *exchange = rpc_choose(m, m->role);

    if (!exchange) {
        words_refuse_because(m->words, "again", "no Call of this side is without Reply, or not that many are");
        return;
    }
    m->exchange = exchange;
    m->side = &exchange->call;
    m->plan = (struct rpcrdma_plan){
        .xid = exchange->xid, .vers = RPCRDMA_VERSION, .credit = RPC_CREDITS, .proc = exchange->proc};
    m->payload = exchange->sends_payload ? exchange->call.reduced : NULL;
    if (!words_have(m->words, "same")) {
        for (unsigned i = 0; i < m->side->n_reads; i++)
            m->side->reads[i].segment.target = rpc_register(m->rpc, m->side->reads[i].segment.target.length,
                                                            m->side->reads[i].content, m->side->reads[i].from);
        for (unsigned i = 0; i < exchange->n_writes; i++) {
            for (unsigned k = 0; k < exchange->writes[i].n; k++)
                exchange->writes[i].segments[k] = rpc_register(m->rpc, exchange->writes[i].segments[k].length, NULL, 0);
        }
        for (unsigned k = 0; k < exchange->reply_chunk.n; k++)
            exchange->reply_chunk.segments[k] = rpc_register(m->rpc, exchange->reply_chunk.segments[k].length, NULL, 0);
    }
    plan_chunks(m);
    rpc_change_plan(m);
    call_keep_chunks(m);
    m->side->pulled = false;
    rpc_say(m);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/rpc_sample.h"

#include "traffic-gen/speak/say/nfs_messages.h"
#include "wire/nfs.h"

#include <string.h>

enum { HEADER_MAX = 64 /* without credential and verifier bodies */ };

struct fields {
    char **words; /* "name=value" */
};

static const char *sample_option(void *context, unsigned op, const char *name)
{
    const struct fields *fields = context;
    size_t n = strlen(name);

    (void)op;
    for (char **word = fields->words; word && *word; word++) {
        if (strncmp(*word, name, n) == 0 && (*word)[n] == '=')
            return *word + n + 1;
    }
    return NULL;
}

static bool sample_build_arguments(const struct rpc_sample *sample, const struct nfs_template *procedure,
                                   struct nfs_body *body)
{
    return !nfs_build_arguments(procedure, &(struct nfs_options){.ops = sample->fields, .seed = 1}, body);
}

static void sample_join(struct rpc_end_message *message, const struct xdr_writer *header, const struct nfs_body *body)
{
    *message = (struct rpc_end_message){.n = header->at + body->octets->len};
    message->p = g_malloc(message->n);
    memcpy(message->p, header->p, header->at);
    if (body->octets->len > 0)
        memcpy(message->p + header->at, body->octets->data, body->octets->len);
}

bool rpc_sample_call(const struct rpc_sample *sample, uint32_t xid, struct rpc_end_message *call)
{
    const struct nfs_template *procedure = nfs_procedure_template(sample->procedure);
    uint8_t octets[HEADER_MAX];
    struct xdr_writer header = {.p = octets, .size = sizeof octets};
    struct nfs_body body;
    bool ok;

    if (!procedure)
        return false;
    nfs_body_init(&body);
    ok = sample_build_arguments(sample, procedure, &body);
    if (ok) {
        const struct rpc_message words = {
            .xid = xid,
            .rpcvers = RPC_VERSION,
            .prog = procedure->program,
            .vers = procedure->version,
            .proc = procedure->number,
        };

        rpc_call_encode(&words, NULL, NULL, &header);
        sample_join(call, &header, &body);
        rpc_end_find_items(call, NULL);
    }
    nfs_body_clear(&body);
    return ok;
}

bool rpc_sample_reply(const struct rpc_sample *sample, const struct rpc_end_message *call,
                      struct rpc_end_message *reply)
{
    const struct nfs_template *procedure = nfs_procedure_template(sample->procedure);
    struct fields fields = {.words = sample->results ? g_strsplit(sample->results, ",", -1) : NULL};
    const struct nfs_options options = {.option = sample_option, .context = &fields, .seed = 2};
    uint8_t octets[HEADER_MAX];
    struct xdr_writer header = {.p = octets, .size = sizeof octets};
    struct nfs_body arguments, body;
    bool ok;

    nfs_body_init(&arguments);
    nfs_body_init(&body);
    ok = procedure && sample_build_arguments(sample, procedure, &arguments) &&
         !nfs_build_results(procedure, &arguments, &options, arguments.n_ops, &body);
    if (ok) {
        rpc_reply_encode(&(struct rpc_message){.xid = get_be32(call->p)}, NULL, &header);
        sample_join(reply, &header, &body);
        rpc_end_find_items(reply, call);
    }
    nfs_body_clear(&arguments);
    nfs_body_clear(&body);
    g_strfreev(fields.words);
    return ok;
}

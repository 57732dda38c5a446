// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/rpc_sample.h"

#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/speak/say/nfs_messages.h"
#include "wire/nfs.h"

#include <string.h>

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

bool rpc_sample_call(const struct rpc_sample *sample, uint32_t xid, struct rpc_end_message *call)
{
    const struct nfs_template *procedure = nfs_procedure_template(sample->procedure);
    struct nfs_body body;
    struct xdr_out out;
    bool ok;

    if (!procedure)
        return false;
    nfs_body_init(&body);
    ok = sample_build_arguments(sample, procedure, &body);
    if (ok) {
        const struct rpc_message words = {
            .xid = xid, .prog = procedure->program, .vers = procedure->version, .proc = procedure->number};

        xdr_out_begin(&out);
        rpc_call_header(&out, &words, NULL);
        xdr_out_fixed(&out, body.octets->data, body.octets->len);
        xdr_out_take(&out, call);
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
    struct nfs_body arguments, body;
    struct xdr_out out;
    bool ok;

    nfs_body_init(&arguments);
    nfs_body_init(&body);
    ok = procedure && sample_build_arguments(sample, procedure, &arguments) &&
         !nfs_build_results(procedure, &arguments, &options, arguments.n_ops, &body);
    if (ok) {
        xdr_out_begin(&out);
        rpc_reply_header(&out, &(struct rpc_message){.xid = get_be32(call->p)});
        xdr_out_fixed(&out, body.octets->data, body.octets->len);
        xdr_out_take(&out, reply);
        rpc_end_find_items(reply, call);
    }
    nfs_body_clear(&arguments);
    nfs_body_clear(&body);
    g_strfreev(fields.words);
    return ok;
}

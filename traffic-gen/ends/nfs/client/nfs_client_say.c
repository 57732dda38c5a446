// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a step to the arguments of its RPC, and from results to an answer, by the names of fields in wire/nfs_types.txt:
 * the same for all versions with such a field.
 */
#include "traffic-gen/ends/nfs/client/nfs_client_v4.h"

#include <string.h>

enum { V2_HANDLE = 32 };

/* ---- arguments ---- */

static void say_handle(struct client_values *values, const char *name, const struct client_handle *handle)
{
    nfs_fields_octets(&values->fields, name, handle->p, values->client->dialect->version == 2 ? V2_HANDLE : handle->n);
}

static void say_name(struct client_values *values, const char *name, const struct client_name *text)
{
    nfs_fields_octets(&values->fields, name, text->p ? text->p : "", text->n);
}

static void say_step(struct client_values *values)
{
    const struct client_step *step = values->step;

    say_handle(values, "handle", &step->handle);
    say_handle(values, "tohandle", &step->other);
    say_name(values, "name", step->kind == STEP_LINK ? &step->new_name : &step->name);
    say_name(values, "toname", &step->new_name);
    say_name(values, "link", &step->new_name);
    nfs_fields_text(&values->fields, "path", values->client->options.export);
    nfs_fields_number(&values->fields, "offset", step->at);
    nfs_fields_number(&values->fields, "size", step->at);
    nfs_fields_number(&values->fields, "cookie", step->at);
    nfs_fields_hyper(&values->fields, "cookieverf", step->verifier);
    nfs_fields_number(&values->fields, "count", step->n);
    nfs_fields_number(&values->fields, "dircount", step->n); /* only names: as many as fit */
    nfs_fields_number(&values->fields, "maxcount", step->n);
    if (step->kind == STEP_WRITE) {
        values->data = g_malloc(step->n);
        client_fill(values->data, step->n, step->at, values->client->jobs[values->client->index].pattern);
        nfs_fields_octets(&values->fields, "data", values->data, step->n);
    }
}

static char *say_words_of(const struct nfs_client *client, const struct client_step *step, const struct client_rpc *rpc)
{
    return rpc->procedure ? g_strdup(rpc->words) : v4_operations(client, step);
}

const struct nfs_template *client_procedure(const struct nfs_client *client, const struct client_rpc *rpc)
{
    static const char *const compounds[] = {"nfs40.compound", "nfs41.compound", "nfs42.compound"};

    return nfs_procedure_template(rpc->procedure ? rpc->procedure : compounds[client->options.minor]);
}

void client_put_arguments(const struct nfs_client *client, const struct client_step *step, const struct client_rpc *rpc,
                          struct xdr_out *out)
{
    struct client_values values = {.client = client, .step = step};
    g_autofree char *words = say_words_of(client, step, rpc);

    nfs_fields_init(&values.fields);
    say_step(&values);
    if (client->dialect->version == 4)
        v4_say(&values);
    nfs_fields_put(&values.fields, client_procedure(client, rpc), words, out);
    nfs_fields_clear(&values.fields);
    g_free(values.data);
}

/* ---- chunks and sizes ---- */

/* A Write chunk for data that may be long. */
static void plan_data(const struct nfs_client *client, struct rpc_end_how *how, uint32_t n)
{
    how->reply_max = client->dialect->reply_octets;
    if (n > client->options.inline_octets)
        how->results[0] = n;
    else
        how->reply_max += xdr_padded(n);
}

void client_plan(const struct nfs_client *client, const struct client_step *step, struct rpc_end_how *how)
{
    const uint32_t link = client->dialect->link_octets;

    if (step->kind == STEP_READ || (step->kind == STEP_READLINK && client->options.link_chunks))
        plan_data(client, how, step->kind == STEP_READ ? step->n : link);
    else if (step->kind == STEP_READLINK)
        how->reply_max = client->dialect->reply_octets + xdr_padded(link);
    else if (step->kind == STEP_LIST)
        how->reply_max = client->dialect->reply_octets + step->n;
}

/* ---- results ---- */

static bool say_is_dots(const uint8_t *name, uint32_t n)
{
    return (n == 1 || n == 2) && name[0] == '.' && name[n - 1] == '.';
}

static void take_entries(const struct client_step *step, const struct nfs_results *results,
                         struct client_answer *answer)
{
    for (guint i = 0; i < results->body.items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(results->body.items, struct nfs_body_item, i);

        answer->entries += strcmp(item->name, "name") == 0 && !say_is_dots(results->p + item->at, item->length);
    }
    answer->cookie = nfs_results_number(results, "cookie", step->at);
    answer->verifier = nfs_results_hyper(results, "cookieverf");
}

static bool say_take_handle(const struct nfs_results *results, struct client_handle *handle)
{
    uint32_t n;

    return !nfs_results_octets(results, "handle", &n) ||
           nfs_results_copy(results, "handle", handle->p, sizeof handle->p, &handle->n);
}

/* False: invalid results. */
static bool take_data(const struct client_step *step, const struct nfs_results *results, struct client_answer *answer)
{
    answer->p = nfs_results_octets(results, step->kind == STEP_READLINK ? "link" : "data", &answer->n);
    return step->kind != STEP_READ || nfs_results_number(results, "count", answer->n) == answer->n;
}

static uint32_t say_limit(const struct nfs_results *results, const char *name, uint32_t max)
{
    return (uint32_t)MIN(max, MAX(nfs_results_number(results, name, max), 1));
}

/* FSINFO, GETATTR */
static void take_limits(struct nfs_client *client, const struct nfs_results *results)
{
    const bool is_4 = client->dialect->version == 4;

    client->read_max = say_limit(results, is_4 ? "maxread" : "rtmax", client->read_max);
    client->write_max = say_limit(results, is_4 ? "maxwrite" : "wtmax", client->write_max);
}

/* Results of a successful operation. */
static bool take_results(struct nfs_client *client, const struct client_step *step, const struct nfs_results *results,
                         struct client_answer *answer)
{
    answer->eof = nfs_results_number(results, "eof", false);
    answer->needs_lookup = step->kind == STEP_CREATE && !nfs_results_number(results, "handle_follows", true);
    answer->has_size = step->kind == STEP_ATTRIBUTES && nfs_results_last(results, "size");
    answer->size = nfs_results_number(results, "size", 0);
    switch (step->kind) {
    case STEP_LIMITS:
    case STEP_MOUNT:
        take_limits(client, results);
        return say_take_handle(results, &answer->handle);
    case STEP_READ:
    case STEP_READLINK:
        return take_data(step, results, answer);
    case STEP_WRITE: /* Version 2: an accepted WRITE was written completely (RFC 1094 section 2.2.9). */
        answer->n = (uint32_t)nfs_results_number(results, "count", step->n);
        answer->verifier = nfs_results_hyper(results, "verf");
        return true;
    case STEP_COMMIT:
        answer->verifier = nfs_results_hyper(results, "verf");
        return true;
    case STEP_LIST:
        take_entries(step, results, answer);
        return true;
    default:
        return say_take_handle(results, &answer->handle);
    }
}

/* For a COMPOUND: of its last operation. */
static uint32_t say_status_of(const struct nfs_body *body, bool is_compound)
{
    const struct nfs_field *status = nfs_field_find(body, is_compound ? body->n_ops - 1 : 0, "status");

    return status ? (uint32_t)status->value : CLIENT_STATUS_OK;
}

void client_take(struct nfs_client *client, const struct client_step *step, const struct client_rpc *rpc, struct xdr *x,
                 struct client_answer *answer)
{
    g_autofree char *words = say_words_of(client, step, rpc);
    struct nfs_results results;
    bool ok = nfs_results_read(&results, client_procedure(client, rpc), words, x);

    answer->status = say_status_of(&results.body, !rpc->procedure);
    if (!rpc->procedure)
        v4_settle(client, step, &results.body, answer);
    if (answer->status == CLIENT_STATUS_OK) {
        ok = ok && take_results(client, step, &results, answer);
        if (ok && rpc->take)
            ok = rpc->take(client, &results, answer);
        if (!ok)
            answer->status = CLIENT_STATUS_MALFORMED;
    }
    nfs_results_clear(&results);
}

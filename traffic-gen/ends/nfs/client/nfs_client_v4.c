// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS client's COMPOUNDs of all minor versions: RFC 7530 section 16, RFC 8881 section 18. From minor version 1 on,
 * COMPOUNDs on files begin with SEQUENCE, and with the return of recalled delegations.
 */
#include "traffic-gen/ends/nfs/client/nfs_client_v4.h"

#include <string.h>

enum {
    SHARE_READ = 1,
    SHARE_BOTH = 3,
    WANT_READ_DELEG = 0x100, /* RFC 8881 section 18.16.3: from minor version 1 on */
    WANT_NO_DELEG = 0x400,
    RESULT_CONFIRM = 2,
    CONN_BACK_CHAN = 2,      /* CREATE_SESSION4_FLAG_CONN_BACK_CHAN */
    MESSAGE_OVERHEAD = 4096, /* octets of a request or reply besides its data */
};

/* ---- operations ---- */

static bool has_sequence(const struct nfs_client *client, enum client_step_kind kind)
{
    return client->options.minor > 0 && kind != STEP_CLIENT && kind != STEP_SESSION && kind != STEP_END_SESSION &&
           kind != STEP_END_CLIENT;
}

/* The operations before the step's own: SEQUENCE, and two for each returned delegation. */
static unsigned operations_before(const struct nfs_client *client, const struct client_step *step)
{
    unsigned n = 0;

    if (!has_sequence(client, step->kind))
        return 0;
    while (v4_returned(client, step, n))
        n++;
    return 1 + 2 * n;
}

/* The nth name of the path to the root; its length, or 0 if the path is shorter. */
static size_t export_name(const struct nfs_client *client, unsigned nth, const char **name)
{
    const char *path = client->options.export;
    size_t n = 0;

    for (unsigned i = 0; i <= nth; i++) {
        path += n;
        path += strspn(path, "/");
        n = strcspn(path, "/");
    }
    *name = path;
    return n;
}

static void v4_add(GString *ops, const char *words)
{
    if (*words)
        g_string_append_printf(ops, "%s%s", ops->len > 0 ? "," : "", words);
}

char *v4_operations(const struct nfs_client *client, const struct client_step *step)
{
    const char *words = client->dialect->rpcs[step->kind].words, *name;
    GString *ops = g_string_new(has_sequence(client, step->kind) ? "sequence" : NULL);

    for (unsigned i = 0; i + 1 < operations_before(client, step); i += 2)
        v4_add(ops, "putfh,delegreturn");
    if (step->kind != STEP_MOUNT) {
        v4_add(ops, words);
    } else {
        size_t first = strcspn(words, ",");
        g_autofree char *root = g_strndup(words, first);

        v4_add(ops, root);
        for (unsigned i = 0; export_name(client, i, &name) > 0; i++)
            v4_add(ops, "lookup");
        v4_add(ops, words + first + 1);
    }
    return g_string_free(ops, FALSE);
}

/* ---- arguments ---- */

static const uint8_t *stateid_of(const struct client_values *values)
{
    static const uint8_t anonymous[16];

    return values->step->kind == STEP_TRUNCATE ? anonymous : values->client->v4.stateid;
}

/* Values that depend on the operation's place: handles, stateids, names of the walk to the root. */
static bool v4_by_place(void *context, unsigned op, const char *name, struct nfs_given *given)
{
    const struct client_values *values = context;
    const struct nfs_client *client = values->client;
    const unsigned before = operations_before(client, values->step);
    const struct client_delegation *returned =
        op > 0 && op < before ? v4_returned(client, values->step, (op - 1) / 2) : NULL;
    const char *text;
    size_t n;

    if (nfs_fields_is_stateid(name, returned ? returned->stateid : stateid_of(values), given))
        return true;
    if (strcmp(name, "handle") == 0) {
        /* Operations with two handles have the second after SAVEFH. */
        const struct client_handle *handle = returned       ? &returned->handle
                                             : op == before ? &values->step->handle
                                                            : &values->step->other;

        *given = (struct nfs_given){.p = handle->p, .n = handle->n};
    } else if (strcmp(name, "name") == 0 && values->step->kind == STEP_MOUNT) {
        n = export_name(client, op - before - 1, &text);
        *given = (struct nfs_given){.p = text, .n = (uint32_t)n};
    } else {
        return false;
    }
    return true;
}

static uint32_t share_of(const struct client_values *values)
{
    const struct nfs_client_options *options = &values->client->options;
    const bool is_create = values->step->kind == STEP_CREATE;
    uint32_t share = is_create ? SHARE_BOTH : SHARE_READ;

    if (options->minor > 0)
        share |= options->backchannel && !is_create ? WANT_READ_DELEG : WANT_NO_DELEG;
    return share;
}

static void say_session(struct client_values *values)
{
    const struct nfs_client *client = values->client;
    const uint32_t io = MAX(client->read_max, client->write_max);
    const uint32_t message = io > UINT32_MAX - MESSAGE_OVERHEAD ? UINT32_MAX : io + MESSAGE_OVERHEAD;

    nfs_fields_number(&values->fields, "csa_seqid", client->v4.sequence);
    nfs_fields_number(&values->fields, "flags", client->options.backchannel ? CONN_BACK_CHAN : 0);
    nfs_fields_number(&values->fields, "fmaxreq", message);
    nfs_fields_number(&values->fields, "fmaxresp", message);
    nfs_fields_number(&values->fields, "fmaxreqs", client->options.depth);
}

void v4_say(struct client_values *values)
{
    const struct client_v4 *v4 = &values->client->v4;

    values->fields.special = v4_by_place;
    values->fields.context = values;
    g_snprintf(values->id, sizeof values->id, "iwarp-gen %016" G_GINT64_MODIFIER "x", v4->client_verifier);
    nfs_fields_hyper(&values->fields, "verifier", v4->client_verifier);
    nfs_fields_text(&values->fields, "id", values->id);
    nfs_fields_hyper(&values->fields, "confirm", v4->confirm);
    /* A session knows its client: the server ignores this value (RFC 8881 section 18.16.3). */
    nfs_fields_number(&values->fields, "clientid", v4->client_id);
    nfs_fields_hyper(&values->fields, "owner", v4->client_verifier);
    nfs_fields_number(&values->fields, "seqid", values->client->options.minor == 0 ? v4->open_seq : 0);
    nfs_fields_number(&values->fields, "share_access", share_of(values));
    nfs_fields_octets(&values->fields, "sessionid", v4->session, sizeof v4->session);
    nfs_fields_number(&values->fields, "sequenceid", v4->slots[values->step->slot]);
    nfs_fields_number(&values->fields, "slotid", values->step->slot);
    nfs_fields_number(&values->fields, "highest", values->client->options.depth - 1);
    if (values->step->kind == STEP_SESSION)
        say_session(values);
}

/* ---- results ---- */

/* Statuses of operations that carry the owner's seqid but do not consume it: RFC 7530 section 9.1.7. */
static bool v4_keeps_seqid(uint32_t status)
{
    static const uint32_t statuses[] = {10022, 10023, 10025, 10026, 10036, 10018, 10019, 10020};

    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++)
        if (statuses[i] == status)
            return true;
    return false;
}

/* An operation with the open-owner's seqid in minor version 0 was executed. */
static void count_seqids(struct client_v4 *v4, const struct nfs_body *body)
{
    for (unsigned i = 0; i < body->n_ops; i++) {
        const uint32_t op = body->ops[i]->number;

        if ((op == NFS_OP_OPEN || op == NFS_OP_OPEN_CONFIRM || op == NFS_OP_CLOSE) &&
            !v4_keeps_seqid((uint32_t)nfs_field_find(body, i, "status")->value))
            v4->open_seq++;
    }
}

void v4_settle(struct nfs_client *client, const struct client_step *step, const struct nfs_body *body,
               struct client_answer *answer)
{
    count_seqids(&client->v4, body);
    if (!has_sequence(client, step->kind))
        return;
    if (body->n_ops > 0 && nfs_field_find(body, 0, "status")->value == CLIENT_STATUS_OK)
        client->v4.slots[step->slot]++;
    /* The COMPOUND did not reach its purpose: it is sent again. */
    if (!v4_end_returns(client, step, body, 1))
        answer->status = CLIENT_STATUS_DELAY;
}

CLIENT_TAKE(v4_take_client)
{
    client->v4.client_id = nfs_results_number(results, "clientid", 0);
    client->v4.sequence = (uint32_t)nfs_results_number(results, "eir_seqid", 0);
    client->v4.confirm = nfs_results_hyper(results, "confirm");
    return true;
}

/* What the server grants: message sizes, and slots. */
CLIENT_TAKE(v4_take_session)
{
    const uint64_t request = nfs_results_number(results, "fmaxreq", 0),
                   response = nfs_results_number(results, "fmaxresp", 0);
    uint32_t n;

    client->write_max = (uint32_t)MIN(client->write_max, request > MESSAGE_OVERHEAD ? request - MESSAGE_OVERHEAD : 1);
    client->read_max = (uint32_t)MIN(client->read_max, response > MESSAGE_OVERHEAD ? response - MESSAGE_OVERHEAD : 1);
    client->options.depth = (unsigned)CLAMP(nfs_results_number(results, "fmaxreqs", 1), 1, client->options.depth);
    return nfs_results_copy(results, "sessionid", client->v4.session, sizeof client->v4.session, &n);
}

CLIENT_TAKE(v4_take_stateid)
{
    return nfs_results_stateid(results, client->v4.stateid);
}

/* OPEN; a delegation's stateid comes last. */
CLIENT_TAKE(v4_take_open)
{
    enum { NONE, READ, WRITE, NONE_EXT };
    const uint64_t kind = nfs_results_number(results, "delegation", NONE);

    if (kind > NONE_EXT || !v4_take_stateid(client, results, answer))
        return false;
    answer->needs_confirm = client->options.minor == 0 && nfs_results_number(results, "rflags", 0) & RESULT_CONFIRM;
    if (kind == READ || kind == WRITE)
        v4_keep_delegation(client, results->p + nfs_results_last(results, "state_seqid")->at, &answer->handle);
    return true;
}

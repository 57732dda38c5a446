// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS client's COMPOUNDs, of all minor versions: RFC 7530 section 16, RFC 8881 section 18. Those on files begin
 * with SEQUENCE from minor version 1 on, and with the return of delegations that were recalled.
 */
#include "traffic-gen/nfs/client/nfs_client_v4.h"

#include <string.h>

enum {
    ATTR_TYPE = 1 << 1,
    ATTR_SIZE = 1 << 4,
    ATTR_MAXREAD = 1 << 30,
    SHARE_READ = 1,
    SHARE_BOTH = 3,
    WANT_READ_DELEG = 0x100, /* RFC 8881 section 18.16.3: from minor version 1 on */
    WANT_NO_DELEG = 0x400,
    RESULT_CONFIRM = 2,
    CONN_BACK_CHAN = 2,      /* CREATE_SESSION4_FLAG_CONN_BACK_CHAN */
    MESSAGE_OVERHEAD = 4096, /* octets of a request or reply besides its data */
};

#define ATTR_MAXWRITE (UINT32_C(1) << 31)

/* ---- operations ---- */

static bool has_sequence(const struct nfs_client *client, enum client_step_kind kind)
{
    return client->options.minor > 0 && kind != STEP_CLIENT && kind != STEP_SESSION && kind != STEP_END_SESSION &&
           kind != STEP_END_CLIENT;
}

/* Those before the step's own: SEQUENCE, and two for each delegation that is returned. */
static unsigned operations_before(const struct nfs_client *client, const struct client_step *step)
{
    unsigned n = 0;

    if (!has_sequence(client, step->kind))
        return 0;
    while (v4_returned(client, step, n))
        n++;
    return 1 + 2 * n;
}

/* The nth name of the path to the root; its length, 0: there are fewer. */
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

static void add(GString *ops, const char *words)
{
    if (*words)
        g_string_append_printf(ops, "%s%s", ops->len > 0 ? "," : "", words);
}

char *v4_operations(const struct nfs_client *client, const struct client_step *step)
{
    const char *words = client->dialect->rpcs[step->kind].words, *name;
    GString *ops = g_string_new(has_sequence(client, step->kind) ? "sequence" : NULL);

    for (unsigned i = 0; i + 1 < operations_before(client, step); i += 2)
        add(ops, "putfh,delegreturn");
    if (step->kind != STEP_MOUNT) {
        add(ops, words);
    } else {
        size_t first = strcspn(words, ",");
        g_autofree char *root = g_strndup(words, first);

        add(ops, root);
        for (unsigned i = 0; export_name(client, i, &name) > 0; i++)
            add(ops, "lookup");
        add(ops, words + first + 1);
    }
    return g_string_free(ops, FALSE);
}

/* ---- arguments ---- */

static void say_stateid(const uint8_t stateid[16], const char *name, struct nfs_given *given)
{
    if (strcmp(name, "state_seqid") == 0)
        *given = (struct nfs_given){.value = get_be32(stateid)};
    else
        *given = (struct nfs_given){.p = stateid + 4, .n = 12};
}

static bool is_stateid(const char *name)
{
    return strcmp(name, "state_seqid") == 0 || strcmp(name, "stateid") == 0;
}

static const uint8_t *stateid_of(const struct client_values *values)
{
    static const uint8_t anonymous[16];

    return values->step->kind == STEP_TRUNCATE ? anonymous : values->client->v4.stateid;
}

bool v4_given(const struct client_values *values, unsigned op, const char *name, struct nfs_given *given)
{
    const struct nfs_client *client = values->client;
    const unsigned before = operations_before(client, values->step);
    const struct client_delegation *returned =
        op > 0 && op < before ? v4_returned(client, values->step, (op - 1) / 2) : NULL;
    const char *text;
    size_t n;

    if (is_stateid(name)) {
        say_stateid(returned ? returned->stateid : stateid_of(values), name, given);
    } else if (strcmp(name, "handle") == 0) {
        /* What has two, has the second one after SAVEFH. */
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

/* The mode alone, or the size. */
static void say_attributes(struct client_values *values)
{
    static const uint32_t modes[STEPS] = {[STEP_CREATE] = 0644, [STEP_MKDIR] = 0755, [STEP_SYMLINK] = 0777};

    put_be64(values->attributes, values->step->at);
    if (values->step->kind != STEP_TRUNCATE)
        put_be32(values->attributes, modes[values->step->kind]);
    client_say_octets(values, "attrs", values->attributes, values->step->kind == STEP_TRUNCATE ? 8 : 4);
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

    client_say_number(values, "csa_seqid", client->v4.sequence);
    client_say_number(values, "flags", client->options.backchannel ? CONN_BACK_CHAN : 0);
    client_say_number(values, "fmaxreq", message);
    client_say_number(values, "fmaxresp", message);
    client_say_number(values, "fmaxreqs", client->options.depth);
}

void v4_say(struct client_values *values)
{
    const struct client_v4 *v4 = &values->client->v4;

    put_be64(values->owner, v4->client_verifier);
    put_be64(values->confirm, v4->confirm);
    g_snprintf(values->id, sizeof values->id, "iwarp-gen %016" G_GINT64_MODIFIER "x", v4->client_verifier);
    client_say_octets(values, "verifier", values->owner, sizeof values->owner);
    client_say_octets(values, "id", values->id, (uint32_t)strlen(values->id));
    client_say_octets(values, "confirm", values->confirm, sizeof values->confirm);
    /* A session knows its client: the server ignores this one (RFC 8881 section 18.16.3). */
    client_say_number(values, "clientid", v4->client_id);
    client_say_octets(values, "owner", values->owner, sizeof values->owner);
    client_say_number(values, "seqid", values->client->options.minor == 0 ? v4->open_seq : 0);
    client_say_number(values, "share_access", share_of(values));
    client_say_octets(values, "sessionid", v4->session, sizeof v4->session);
    client_say_number(values, "sequenceid", v4->slots[values->step->slot]);
    client_say_number(values, "slotid", values->step->slot);
    client_say_number(values, "highest", values->client->options.depth - 1);
    say_attributes(values);
    if (values->step->kind == STEP_SESSION)
        say_session(values);
}

/* ---- results ---- */

/* Statuses of operations that carry the owner's seqid but do not consume it: RFC 7530 section 9.1.7. */
static bool keeps_seqid(uint32_t status)
{
    static const uint32_t statuses[] = {10022, 10023, 10025, 10026, 10036, 10018, 10019, 10020};

    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++)
        if (statuses[i] == status)
            return true;
    return false;
}

/* An operation with the open-owner's seqid in minor version 0 was done. */
static void count_seqids(struct client_v4 *v4, const struct nfs_body *body)
{
    for (unsigned i = 0; i < body->n_ops; i++) {
        const uint32_t op = body->ops[i]->number;

        if ((op == NFS_OP_OPEN || op == NFS_OP_OPEN_CONFIRM || op == NFS_OP_CLOSE) &&
            !keeps_seqid((uint32_t)nfs_field_find(body, i, "status")->value))
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
    /* The COMPOUND's purpose was not reached: it is sent again. */
    if (!v4_end_returns(client, step, body, 1))
        answer->status = CLIENT_STATUS_DELAY;
}

CLIENT_TAKE(v4_take_client)
{
    client->v4.client_id = client_number(results, "clientid", 0);
    client->v4.sequence = (uint32_t)client_number(results, "eir_seqid", 0);
    client->v4.confirm = client_verifier(results, "confirm");
    return true;
}

/* What the server grants: messages, and slots. */
CLIENT_TAKE(v4_take_session)
{
    const uint64_t request = client_number(results, "fmaxreq", 0), response = client_number(results, "fmaxresp", 0);
    uint32_t n;

    memcpy(client->v4.session, client_octets(results, "sessionid", &n), sizeof client->v4.session);
    client->write_max = (uint32_t)MIN(client->write_max, request > MESSAGE_OVERHEAD ? request - MESSAGE_OVERHEAD : 1);
    client->read_max = (uint32_t)MIN(client->read_max, response > MESSAGE_OVERHEAD ? response - MESSAGE_OVERHEAD : 1);
    client->options.depth = (unsigned)CLAMP(client_number(results, "fmaxreqs", 1), 1, client->options.depth);
    return true;
}

/* The values of GETATTR, and the first word that says which there are. */
static struct xdr attributes_of(const struct client_results *results, uint32_t *mask)
{
    uint32_t n;
    const uint8_t *p = client_octets(results, "attrs", &n);

    *mask = (uint32_t)client_number(results, "mask0", 0);
    return xdr_begin(p, n);
}

CLIENT_TAKE(v4_take_limits)
{
    uint32_t mask;
    uint64_t max;
    struct xdr x = attributes_of(results, &mask);

    if (mask & ATTR_MAXREAD && xdr_u64(&x, &max))
        client->read_max = (uint32_t)MIN(client->read_max, MAX(max, 1));
    if (mask & ATTR_MAXWRITE && xdr_u64(&x, &max))
        client->write_max = (uint32_t)MIN(client->write_max, MAX(max, 1));
    return !x.failed;
}

CLIENT_TAKE(v4_take_attributes)
{
    uint32_t mask;
    struct xdr x = attributes_of(results, &mask);

    if (mask & ATTR_TYPE)
        xdr_skip(&x, 4);
    if (mask & ATTR_SIZE)
        answer->has_size = xdr_u64(&x, &answer->size);
    return !x.failed;
}

/* The first one: that of the file. */
CLIENT_TAKE(v4_take_stateid)
{
    for (guint i = 0; i < results->body.fields->len; i++) {
        const struct nfs_field *field = &g_array_index(results->body.fields, struct nfs_field, i);

        if (strcmp(field->name, "state_seqid") != 0)
            continue;
        memcpy(client->v4.stateid, results->p + field->at, sizeof client->v4.stateid);
        return true;
    }
    return false;
}

/* OPEN; a delegation's stateid is the last one. */
CLIENT_TAKE(v4_take_open)
{
    enum { NONE, READ, WRITE, NONE_EXT };
    const uint64_t kind = client_number(results, "delegation", NONE);

    if (kind > NONE_EXT || !v4_take_stateid(client, results, answer))
        return false;
    answer->needs_confirm = client->options.minor == 0 && client_number(results, "rflags", 0) & RESULT_CONFIRM;
    if (kind == READ || kind == WRITE)
        v4_keep_delegation(client, results->p + client_field(results, "state_seqid")->at, &answer->handle);
    return true;
}

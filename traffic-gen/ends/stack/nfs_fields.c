// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/nfs_fields.h"

#include <string.h>

enum { STATEID = 16 };

struct row {
    const char *name;
    struct nfs_given given;
    bool is_hyper; /* the octets of the hyper */
    uint8_t hyper[8];
};

/* ---- arguments ---- */

void nfs_fields_init(struct nfs_fields *fields)
{
    *fields = (struct nfs_fields){.rows = g_array_new(FALSE, FALSE, sizeof(struct row))};
}

void nfs_fields_clear(struct nfs_fields *fields)
{
    g_array_unref(fields->rows);
}

void nfs_fields_number(struct nfs_fields *fields, const char *name, uint64_t value)
{
    const struct row row = {.name = name, .given = {.value = value}};

    g_array_append_val(fields->rows, row);
}

void nfs_fields_octets(struct nfs_fields *fields, const char *name, const void *p, uint32_t n)
{
    const struct row row = {.name = name, .given = {.p = p, .n = n}};

    g_array_append_val(fields->rows, row);
}

void nfs_fields_text(struct nfs_fields *fields, const char *name, const char *text)
{
    nfs_fields_octets(fields, name, text, (uint32_t)strlen(text));
}

void nfs_fields_hyper(struct nfs_fields *fields, const char *name, uint64_t value)
{
    struct row row = {.name = name, .is_hyper = true};

    put_be64(row.hyper, value);
    g_array_append_val(fields->rows, row);
}

void nfs_fields_stateid(struct nfs_fields *fields, const uint8_t stateid[STATEID])
{
    nfs_fields_number(fields, "state_seqid", get_be32(stateid));
    nfs_fields_octets(fields, "stateid", stateid + 4, STATEID - 4);
}

bool nfs_fields_is_stateid(const char *name, const uint8_t stateid[STATEID], struct nfs_given *given)
{
    if (strcmp(name, "state_seqid") == 0)
        *given = (struct nfs_given){.value = get_be32(stateid)};
    else if (strcmp(name, "stateid") == 0)
        *given = (struct nfs_given){.p = stateid + 4, .n = STATEID - 4};
    else
        return false;
    return true;
}

static bool given(void *context, unsigned op, const char *name, struct nfs_given *given)
{
    const struct nfs_fields *fields = context;

    if (fields->special && fields->special(fields->context, op, name, given))
        return true;
    for (guint i = 0; i < fields->rows->len; i++) {
        const struct row *row = &g_array_index(fields->rows, struct row, i);

        if (strcmp(row->name, name) != 0)
            continue;
        *given = row->is_hyper ? (struct nfs_given){.p = row->hyper, .n = sizeof row->hyper} : row->given;
        return true;
    }
    return false;
}

void nfs_fields_put(const struct nfs_fields *fields, const struct nfs_template *procedure, const char *words,
                    struct xdr_out *out)
{
    const struct nfs_options options = {.given = given, .context = (void *)fields, .ops = words};
    struct nfs_body body;

    nfs_body_init(&body);
    g_byte_array_unref(body.octets);
    body.octets = g_byte_array_ref(out->octets);
    nfs_build_arguments(procedure, &options, &body);
    for (guint i = 0; i < body.items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(body.items, struct nfs_body_item, i);

        if (item->eligible && out->n_items < RPC_END_ITEMS_MAX)
            out->items[out->n_items++] = (struct rpc_end_item){.at = item->at, .n = item->length};
    }
    nfs_body_clear(&body);
}

/* ---- results ---- */

bool nfs_results_read(struct nfs_results *results, const struct nfs_template *procedure, const char *words,
                      struct xdr *x)
{
    results->p = x->p;
    nfs_body_init(&results->body);
    return !nfs_read_results(procedure, words, x, &results->body);
}

bool nfs_results_read_operation(struct nfs_results *arguments, const struct nfs_template *operation, struct xdr *x)
{
    arguments->p = x->p;
    nfs_body_init(&arguments->body);
    return !nfs_read_operation(operation, x, &arguments->body);
}

void nfs_results_clear(struct nfs_results *results)
{
    nfs_body_clear(&results->body);
}

const struct nfs_field *nfs_results_first(const struct nfs_results *results, const char *name)
{
    for (guint i = 0; i < results->body.fields->len; i++) {
        const struct nfs_field *field = &g_array_index(results->body.fields, struct nfs_field, i);

        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

const struct nfs_field *nfs_results_last(const struct nfs_results *results, const char *name)
{
    for (guint i = results->body.fields->len; i-- > 0;) {
        const struct nfs_field *field = &g_array_index(results->body.fields, struct nfs_field, i);

        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

uint64_t nfs_results_number(const struct nfs_results *results, const char *name, uint64_t otherwise)
{
    const struct nfs_field *field = nfs_results_last(results, name);

    return field ? field->value : otherwise;
}

const uint8_t *nfs_results_octets(const struct nfs_results *results, const char *name, uint32_t *n)
{
    for (guint i = results->body.items->len; i-- > 0;) {
        const struct nfs_body_item *item = &g_array_index(results->body.items, struct nfs_body_item, i);

        if (strcmp(item->name, name) != 0)
            continue;
        *n = item->length;
        return results->p + item->at;
    }
    *n = 0;
    return NULL;
}

uint64_t nfs_results_hyper(const struct nfs_results *results, const char *name)
{
    uint32_t n;
    const uint8_t *p = nfs_results_octets(results, name, &n);

    return n == 8 ? get_be64(p) : 0;
}

bool nfs_results_copy(const struct nfs_results *results, const char *name, uint8_t *p, uint32_t room, uint32_t *n)
{
    uint32_t found;
    const uint8_t *from = nfs_results_octets(results, name, &found);

    if (!from || found > room)
        return false;
    memcpy(p, from, found);
    *n = found;
    return true;
}

bool nfs_results_stateid(const struct nfs_results *results, uint8_t stateid[STATEID])
{
    const struct nfs_field *field = nfs_results_first(results, "state_seqid");

    if (field)
        memcpy(stateid, results->p + field->at, STATEID);
    return field;
}

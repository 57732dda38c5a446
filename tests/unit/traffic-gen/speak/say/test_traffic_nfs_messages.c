// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages from the generator's templates, checked with the walker, which was written from the same RFCs. */
#include "tests/unit/support/support.h"

#include "traffic-gen/speak/say/nfs_messages.h"
#include "wire/nfs.h"

enum { POSITION = 100 };

struct seen {
    const struct nfs_body *body;
    unsigned items, eligible, operations;
    uint64_t last_status;
};

static uint64_t see_item(void *ctx, const struct nfs_item *item)
{
    struct seen *seen = ctx;

    if (item->eligible) {
        const struct nfs_body_item *made = NULL;

        for (unsigned i = 0, k = 0; i < seen->body->items->len; i++) {
            const struct nfs_body_item *next = &g_array_index(seen->body->items, struct nfs_body_item, i);

            if (next->eligible && k++ == seen->eligible)
                made = next;
        }
        if (!made) {
            fail_msg("no such eligible item was made");
            return 0;
        }
        assert_int_equal(made->at, item->at);
        assert_int_equal(made->length, item->count);
        assert_int_equal(made->at + POSITION, item->position);
        seen->eligible++;
    }
    seen->items++;
    return xdr_padded(item->count);
}

static void see_operation(void *ctx, const struct nfs_operation *operation)
{
    struct seen *seen = ctx;

    assert_ptr_not_equal(seen->body->ops[operation->index], NULL);
    assert_int_equal(seen->body->ops[operation->index]->number, operation->op);
    seen->operations++;
}

static unsigned eligible_made(const struct nfs_body *body)
{
    unsigned n = 0;

    for (unsigned i = 0; i < body->items->len; i++)
        n += g_array_index(body->items, struct nfs_body_item, i).eligible;
    return n;
}

static void walk(const struct nfs_template *template, bool reply, const struct nfs_body *body, const char *what)
{
    struct seen seen = {.body = body};
    const struct nfs_walk_events events = {.ctx = &seen, .operation = see_operation, .item = see_item};
    const struct nfs_procedure *procedure = nfs_procedure_find(template->program, template->version, template->number);
    struct nfs_walk_result result;

    if (!procedure) {
        print_message("not known to the walker: %s\n", template->name);
        return;
    }
    nfs_walk(procedure, reply, body->octets->data, body->octets->len, POSITION, &events, &result);
    if (result.status != NFS_WALK_OK || result.left != 0)
        print_error("%s %s: status %u at %zu of %u, left %zu, fault %u\n", what, reply ? "results" : "arguments",
                    result.status, result.at, body->octets->len, result.left, result.fault);
    assert_int_equal(result.status, NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    assert_int_equal(seen.eligible, eligible_made(body));
    assert_int_equal(seen.operations, body->n_ops);
}

static const char *failing(void *context, unsigned op, const char *name)
{
    return strcmp(name, "status") == 0 ? "5" : NULL;
}

static const struct nfs_field *field_at(const struct nfs_body *body, size_t at)
{
    for (guint i = 0; i < body->fields->len; i++) {
        const struct nfs_field *field = &g_array_index(body->fields, struct nfs_field, i);

        if (field->size > 0 && field->at == at)
            return field;
    }
    return NULL;
}

/* Reading results gives the written values, at the written places. */
static void read_back(const struct nfs_template *procedure, const char *ops, const struct nfs_body *written)
{
    struct xdr x = xdr_begin(written->octets->data, written->octets->len);
    const bool is_compound = g_str_has_suffix(procedure->name, "compound");
    struct nfs_body read;

    nfs_body_init(&read);
    assert_null(nfs_read_results(procedure, ops, &x, &read));
    assert_int_equal(x.at, written->octets->len);
    assert_int_equal(read.n_ops, written->n_ops);
    for (guint i = 0; i < written->fields->len; i++) {
        const struct nfs_field *field = &g_array_index(written->fields, struct nfs_field, i), *found;

        /* A COMPOUND's status is known at its end; for attributes the number of ACL entries was given. */
        if (field->size == 0 || (field->at == 0 && is_compound) || strcmp(field->name, "attrs") == 0)
            continue;
        found = field_at(&read, field->at);
        assert_non_null(found);
        assert_string_equal(found->name, field->name);
        assert_int_equal(found->value, field->value);
        assert_int_equal(found->op, field->op);
    }
    for (guint i = 0; i < written->items->len; i++) {
        const struct nfs_body_item *item = &g_array_index(written->items, struct nfs_body_item, i);

        assert_int_equal(field_at(&read, item->at - 4)->value, item->length);
    }
    for (size_t n = written->octets->len; n-- > 0 && !is_compound;) { /* no part of it can be missing */
        x = xdr_begin(written->octets->data, n);
        nfs_body_clear(&read);
        nfs_body_init(&read);
        assert_non_null(nfs_read_results(procedure, ops, &x, &read));
    }
    nfs_body_clear(&read);
}

/* Arguments, results, and results with an error. */
static void try_all(const struct nfs_template *procedure, const char *ops, const char *what)
{
    struct nfs_options options = {.ops = ops, .seed = 7};
    struct nfs_body call, reply, failed;

    nfs_body_init(&call);
    nfs_body_init(&reply);
    nfs_body_init(&failed);
    assert_null(nfs_build_arguments(procedure, &options, &call));
    walk(procedure, false, &call, what);
    assert_null(nfs_build_results(procedure, &call, &options, call.n_ops, &reply));
    walk(procedure, true, &reply, what);
    read_back(procedure, ops, &reply);
    options.option = failing;
    assert_null(nfs_build_results(procedure, &call, &options, call.n_ops, &failed));
    walk(procedure, true, &failed, what);
    read_back(procedure, ops, &failed);
    nfs_body_clear(&call);
    nfs_body_clear(&reply);
    nfs_body_clear(&failed);
}

UNIT_TEST(test_procedures)
{
    const struct nfs_template *procedure;

    for (unsigned i = 0; (procedure = nfs_procedure_template_at(i)); i++) {
        if (!g_str_has_suffix(procedure->name, ".gss_init")) /* RPCSEC_GSS, although its procedure is NULL */
            try_all(procedure, NULL, procedure->name);
    }
}

UNIT_TEST(test_operations)
{
    const struct nfs_template *procedure = nfs_procedure_template("nfs42.compound"), *op;

    for (unsigned i = 0; (op = nfs_operation_template_at(i, false)); i++)
        try_all(procedure, op->name, op->name);
    procedure = nfs_procedure_template("cb41.cb_compound");
    for (unsigned i = 0; (op = nfs_operation_template_at(i, true)); i++)
        try_all(procedure, op->name, op->name);
}

/* Arms of unions and lengths that differ from the defaults. */
UNIT_TEST(test_variants)
{
    static const char *const ops[] = {
        "open:opentype=1",
        "open:delegation=1",
        "lock:new_owner=0",
        "create:objtype=2",
        "create:objtype=3",
        "create:len=1001",
        "getattr:masks=3:mask2=0",
        "getattr:mask0=0xFCFFBFFF:mask1=0x00B0BE3A", /* without fs_locations, which are not described */
        "getattr:mask0=0x01000000:mask1=0",
        "setattr:mask0=0x1000:aces=40",
        "write:1021,read:77,readlink,getattr",
        "read:0,write:0",
        "getattr:masks=1",
        "readdir:masks=0",
        "open:opentype=1:createmode=2",
        "open:opentype=1:createmode=3",
        "open:claim=2",
        "create_session:firds=2:birds=1",
        "test_stateid:stateids=3",
        "listxattrs,copy,clone,lockt,locku",
    };
    const struct nfs_template *procedure = nfs_procedure_template("nfs41.compound");

    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++)
        try_all(procedure, ops[i], ops[i]);
}

/* The rounds of a group: "#" in names, values that differ from element to element. */
UNIT_TEST(test_rounds)
{
    static const uint32_t expected[] = {0x0010011A, 0x0030A23A, 0, 0};
    const struct nfs_options options = {.ops = "getattr:masks=4", .seed = 7};
    struct nfs_body call;
    char name[8];

    nfs_body_init(&call);
    assert_null(nfs_build_arguments(nfs_procedure_template("nfs40.compound"), &options, &call));
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_snprintf(name, sizeof name, "mask%u", i);
        assert_int_equal(nfs_field_find(&call, 0, name)->value, expected[i]);
    }
    nfs_body_clear(&call);
}

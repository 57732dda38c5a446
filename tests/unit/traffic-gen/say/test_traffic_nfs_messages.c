// SPDX-License-Identifier: GPL-2.0-or-later
/* The messages that the generator makes from its templates, against the walker that was written from the same RFCs. */
#include "tests/unit/support/support.h"

#include "traffic-gen/say/nfs_messages.h"
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

/* Arguments, results, and results that say an error. */
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
    options.option = failing;
    assert_null(nfs_build_results(procedure, &call, &options, call.n_ops, &failed));
    walk(procedure, true, &failed, what);
    nfs_body_clear(&call);
    nfs_body_clear(&reply);
    nfs_body_clear(&failed);
}

static void test_procedures(void **state)
{
    const struct nfs_template *procedure;

    for (unsigned i = 0; (procedure = nfs_procedure_template_at(i)); i++) {
        if (!g_str_has_suffix(procedure->name, ".gss_init")) /* RPCSEC_GSS, although its procedure is NULL */
            try_all(procedure, NULL, procedure->name);
    }
}

static void test_operations(void **state)
{
    const struct nfs_template *procedure = nfs_procedure_template("nfs42.compound"), *op;

    for (unsigned i = 0; (op = nfs_operation_template_at(i, false)); i++)
        try_all(procedure, op->name, op->name);
    procedure = nfs_procedure_template("cb41.cb_compound");
    for (unsigned i = 0; (op = nfs_operation_template_at(i, true)); i++)
        try_all(procedure, op->name, op->name);
}

/* Arms of unions and lengths that the defaults do not have. */
static void test_variants(void **state)
{
    static const char *const ops[] = {
        "open:opentype=1",
        "open:delegation=1",
        "lock:new_owner=0",
        "create:objtype=2",
        "create:objtype=3",
        "create:len=1001",
        "getattr:masks=3:mask2=0",
        "getattr:mask0=0xFDFFBFFF:mask1=0x00B0BE3A",
        "setattr:mask0=0x1000:aces=40",
        "write:1021,read:77,readlink,getattr",
        "read:0,write:0",
    };
    const struct nfs_template *procedure = nfs_procedure_template("nfs41.compound");

    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++)
        try_all(procedure, ops[i], ops[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_procedures),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_variants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

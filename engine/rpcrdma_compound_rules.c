// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The results of a COMPOUND or CB_COMPOUND against its operations: one result each, in order, up to the first that
 * failed, whose status is the COMPOUND's (RFC 7530 section 15.2, RFC 8881 sections 16.2 and 20.2).
 */
#include "engine/rpcrdma_shape.h"

enum { OP_ILLEGAL = 10044, FIRST_OP = 3 };

static const char *name_of(const struct rpcrdma_shape *shape, uint32_t op)
{
    const char *name = nfs_op_name(op, shape->body->procedure->callback);

    return name ? name : "an unknown operation";
}

static uint64_t minor_of(const struct rpcrdma_body *call)
{
    unsigned i = 0;
    const struct nfs_value *minor = rpcrdma_value(call, NFS_MARK_MINOR_VERSION, 0, &i);

    return minor ? minor->value : UINT64_MAX;
}

/* Operations of a minor version, without later extensions. */
static bool defined(uint32_t op, uint64_t minor, bool callback)
{
    static const uint32_t last[2][3] = {{39, 58, 71}, {4, 14, 15}};

    return minor < 3 && op >= FIRST_OP && op <= last[callback][minor];
}

/* Minor version 1 drops these (RFC 8881 section 17), and its servers need not know them. */
static bool withdrawn(uint32_t op, uint64_t minor)
{
    return minor > 0 && (op == 20 || op == NFS_OP_RENEW || op == NFS_OP_SETCLIENTID || op == 36 || op == 39);
}

static bool judge_illegal(struct rpcrdma_shape *shape, uint32_t asked)
{
    bool callback = shape->body->procedure->callback;
    uint64_t minor = minor_of(&shape->t->call_body);

    if (!defined(asked, minor, callback) || (!callback && withdrawn(asked, minor))) {
        rpcrdma_shape_pass(shape, RULE_NFS4_15_2_04);
        return true;
    }
    /* Additions of a minor version are optional, and some servers call those that they lack illegal. */
    rpcrdma_shape_fail_as(
        shape, RULE_NFS4_15_2_04, minor == 2 && !defined(asked, 1, callback) ? SEVERITY_WARNING : SEVERITY_ERROR,
        "expected ILLEGAL only for operations that do not exist; found it for %s", name_of(shape, asked));
    return false;
}

static bool judge_operations(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;

    for (unsigned i = 0; i < body->n_operations; i++) {
        uint32_t op = body->operations[i].op, asked = i < call->n_operations ? call->operations[i].op : 0;

        if (i >= call->n_operations) {
            rpcrdma_shape_fail(shape, RULE_NFS4_15_2_02, "expected at most %u results; found result %u, of %s",
                               call->n_operations, i + 1, name_of(shape, op));
            return false;
        }
        if (op != asked && op == OP_ILLEGAL)
            return judge_illegal(shape, asked);
        if (op != asked) {
            rpcrdma_shape_fail(shape, RULE_NFS4_15_2_01, "expected result %u to be of %s; found one of %s", i + 1,
                               name_of(shape, asked), name_of(shape, op));
            return false;
        }
    }
    rpcrdma_shape_pass(shape, RULE_NFS4_15_2_01);
    return true;
}

/* For a walk that reached its end. */
static bool judge_end(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;
    unsigned n = body->n_operations, first = 0;
    const struct nfs_value *whole = rpcrdma_value(body, NFS_MARK_STATUS, 0, &first);
    uint32_t last = n > 0 ? body->operations[n - 1].status : 0;

    for (unsigned i = 0; i + 1 < n; i++) {
        if (body->operations[i].status == 0)
            continue;
        rpcrdma_shape_fail(shape, RULE_NFS4_15_2_02,
                           "expected no results after %s (result %u), which failed with status %u; found %u",
                           name_of(shape, body->operations[i].op), i + 1, body->operations[i].status, n - i - 1);
        return false;
    }
    if (!whole || whole->op != 0)
        return false;
    if (n == 0 && whole->value == 0 && call->n_operations > 0) {
        rpcrdma_shape_fail(shape, RULE_NFS4_15_2_02, "expected the results of %u operations; found none, and no error",
                           call->n_operations);
        return false;
    }
    if (n > 0 && n < call->n_operations && last == 0) {
        rpcrdma_shape_fail(shape, RULE_NFS4_15_2_02, "expected the results of %u operations, as none failed; found %u",
                           call->n_operations, n);
        return false;
    }
    rpcrdma_shape_pass(shape, RULE_NFS4_15_2_02);
    if (n > 0 && whole->value != last) {
        rpcrdma_shape_fail(shape, RULE_NFS4_15_2_03,
                           "expected the COMPOUND to have the status of its last result, %u; found %u", last,
                           (unsigned)whole->value);
        return false;
    }
    rpcrdma_shape_pass(shape, RULE_NFS4_15_2_03);
    return true;
}

bool rpcrdma_compound_results(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;

    if (!body->walked || !body->procedure || !body->procedure->compound || body->cut || call->cut || !call->walked ||
        call->walk.status != NFS_WALK_OK || call->reduction == RPCRDMA_REDUCED_NONE)
        return true;
    return judge_operations(shape) && (body->walk.status != NFS_WALK_OK || body->reduction == RPCRDMA_REDUCED_NONE ||
                                       judge_end(shape) || !shape->failed);
}

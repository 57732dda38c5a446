// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The results of a COMPOUND or CB_COMPOUND against its operations: one result each, in order, up to the first that
 * failed, whose status is the COMPOUND's (RFC 7530 section 15.2, RFC 8881 sections 16.2 and 20.2).
 */
#include "engine/rpcrdma/rpcrdma_shape.h"

static const char *name_of(const struct rpcrdma_shape *shape, uint32_t op)
{
    const char *name = nfs_op_name(op, shape->body->procedure->callback);

    return name ? name : "an unknown operation";
}

static uint64_t minor_of(const struct rpcrdma_body *call)
{
    const struct nfs_decoded decoded = rpcrdma_decoded(call);

    return nfs_decoded_minor(&decoded);
}

static bool judge_illegal(struct rpcrdma_shape *shape, uint32_t asked)
{
    bool callback = shape->body->procedure->callback;
    uint64_t minor = minor_of(&shape->t->call_body);

    if (!nfs_op_defined(asked, minor, callback) || (!callback && nfs_op_withdrawn(asked, minor))) {
        rpcrdma_shape_pass(shape, RULE_NFS4_15_2_04);
        return true;
    }
    /* Additions of a minor version are optional, and some servers call those that they lack illegal. */
    rpcrdma_shape_fail_as(
        shape, RULE_NFS4_15_2_04, minor == 2 && !nfs_op_defined(asked, 1, callback) ? SEVERITY_WARNING : SEVERITY_ERROR,
        "expected ILLEGAL only for operations that do not exist; found it for %s", name_of(shape, asked));
    return false;
}

/* Of a Call whose arguments end or turn unreadable, the operations up to there are known. */
static bool judge_operations(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;
    bool all_known = call->walk.status == NFS_WALK_OK;

    for (unsigned i = 0; i < body->n_operations; i++) {
        uint32_t op = body->operations[i].op, asked = i < call->n_operations ? call->operations[i].op : 0;

        if (i >= call->n_operations && !all_known)
            return true;
        if (i >= call->n_operations) {
            rpcrdma_shape_fail(shape, RULE_NFS4_15_2_02, "expected at most %u results; found result %u, of %s",
                               call->n_operations, i + 1, name_of(shape, op));
            return false;
        }
        if (op != asked && op == NFS_OP_ILLEGAL)
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

/* Results under the number of an operation that the Call's minor version lacks. */
static bool judge_foreign(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;
    bool callback = body->procedure->callback;
    uint64_t minor = minor_of(call);

    for (unsigned i = 0; i < body->n_operations && i < call->n_operations; i++) {
        const struct nfs_operation *result = &body->operations[i];
        bool undefined = minor < NFS_MINOR_KNOWN_MAX && !nfs_op_defined(result->op, minor, callback);
        bool dropped =
            !callback && minor <= NFS_MINOR_KNOWN_MAX && nfs_op_withdrawn(result->op, minor) && result->status == 0;

        if (!result->has_status || result->op == NFS_OP_ILLEGAL || result->op != call->operations[i].op ||
            !(undefined || dropped))
            continue;
        rpcrdma_shape_fail_as(shape, RULE_NFS4_15_2_06,
                              result->status == 0 && undefined ? SEVERITY_ERROR : SEVERITY_WARNING,
                              "expected %s for %s (operation %u) in minor version %u; found its result, with status %u",
                              undefined ? "ILLEGAL" : "NFS4ERR_NOTSUPP", name_of(shape, result->op), result->op,
                              (unsigned)minor, result->status);
        return false;
    }
    if (minor <= NFS_MINOR_KNOWN_MAX && body->n_operations > 0)
        rpcrdma_shape_pass(shape, RULE_NFS4_15_2_06);
    return true;
}

/* A COMPOUND that begins with SEQUENCE or CB_SEQUENCE. */
static bool judge_in_session(struct rpcrdma_shape *shape, enum rule_id rule, uint32_t sequence)
{
    const struct rpcrdma_body *body = shape->body;

    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *result = &body->operations[i];

        if (result->has_status && result->status == NFS_ERR_OP_NOT_IN_SESSION) {
            rpcrdma_shape_fail(shape, rule,
                               "expected NFS4ERR_OP_NOT_IN_SESSION only without %s; found it for %s (result %u) in a "
                               "%s that begins with it",
                               name_of(shape, sequence), name_of(shape, result->op), i + 1, body->procedure->name);
            return false;
        }
        if (i > 0 && result->op == sequence && result->has_status && result->status == 0) {
            rpcrdma_shape_fail(shape, rule,
                               "expected NFS4ERR_SEQUENCE_POS for %s after the first operation; found "
                               "status 0 (result %u)",
                               name_of(shape, sequence), i + 1);
            return false;
        }
    }
    rpcrdma_shape_pass(shape, rule);
    return true;
}

/* One that begins with anything else. */
static bool judge_outside(struct rpcrdma_shape *shape, enum rule_id rule, uint32_t sequence, bool allowed)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;
    uint32_t first = call->operations[0].op;

    if (body->operations[0].status != 0 || (allowed && call->n_operations == 1)) {
        rpcrdma_shape_pass(shape, rule);
        return true;
    }
    rpcrdma_shape_fail(shape, rule, "expected %s for %s in a %s %s %s; found status 0",
                       allowed ? "NFS4ERR_NOT_ONLY_OP" : "NFS4ERR_OP_NOT_IN_SESSION", name_of(shape, first),
                       body->procedure->name, allowed ? "of several operations without" : "without",
                       name_of(shape, sequence));
    return false;
}

/* Only the first operation decides whether a COMPOUND is in a session. */
static bool judge_session(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->call_body, *body = shape->body;
    uint64_t minor = minor_of(call);
    bool callback = body->procedure->callback;
    enum rule_id rule = callback ? RULE_NFS41_20_9_3_01 : RULE_NFS41_16_2_01;
    uint32_t first, sequence = nfs_op_sequence(callback);

    if (minor == 0 || minor > NFS_MINOR_KNOWN_MAX || call->n_operations == 0 || body->n_operations == 0 ||
        body->operations[0].op != call->operations[0].op || !body->operations[0].has_status)
        return true;
    first = call->operations[0].op;
    if (!nfs_op_defined(first, minor, callback) || (!callback && nfs_op_withdrawn(first, minor)))
        return true;
    return first == sequence ? judge_in_session(shape, rule, sequence)
                             : judge_outside(shape, rule, sequence, nfs_op_needs_no_session(first, callback));
}

/* NFS4ERR_MINOR_VERS_MISMATCH has no results, and a minor version that does not exist has nothing else. */
static bool judge_minor(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    uint64_t minor = minor_of(&shape->t->call_body);
    unsigned first = 0;
    const struct nfs_value *whole = rpcrdma_value(body, NFS_MARK_STATUS, 0, &first);

    if (!whole || whole->op != 0 || minor == UINT64_MAX)
        return true;
    if (whole->value == NFS_ERR_MINOR_VERS_MISMATCH && body->n_operations > 0) {
        rpcrdma_shape_fail(shape, RULE_NFS4_15_2_05,
                           "expected no results along with NFS4ERR_MINOR_VERS_MISMATCH; found %u",
                           body->walk.operations_announced);
        return false;
    }
    if (minor > NFS_MINOR_KNOWN_MAX && body->n_operations > 0 && body->operations[0].has_status) {
        rpcrdma_shape_fail_as(shape, RULE_NFS4_15_2_05, SEVERITY_WARNING,
                              "expected NFS4ERR_MINOR_VERS_MISMATCH for minor version %u; found a result of %s, with "
                              "status %u",
                              (unsigned)minor, name_of(shape, body->operations[0].op), body->operations[0].status);
        return false;
    }
    if (minor > NFS_MINOR_KNOWN_MAX || whole->value == NFS_ERR_MINOR_VERS_MISMATCH)
        rpcrdma_shape_pass(shape, RULE_NFS4_15_2_05);
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
    if (n == 0 && whole->value != 0 && !nfs_compound_fails_whole((uint32_t)whole->value)) {
        rpcrdma_shape_fail_as(shape, RULE_NFS4_15_2_02, SEVERITY_WARNING,
                              call->n_operations > 0
                                  ? "expected the result of the operation that failed with status %u; found no results"
                                  : "expected status 0 for a COMPOUND without operations; found %u",
                              (unsigned)whole->value);
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
        (call->reduction == RPCRDMA_REDUCED_NONE && shape->t->first_write > 0) ||
        call->reduction == RPCRDMA_REDUCED_RECOUNT)
        return true; /* what its Read chunks removed is not certain, nor which operations there are */
    /* What the tables do not know ends a walk, at or after an operation of another minor version. */
    if (body->reduction != RPCRDMA_REDUCED_NONE &&
        (call->walk.status == NFS_WALK_OK || call->walk.status == NFS_WALK_UNKNOWN) &&
        (!judge_minor(shape) || !judge_foreign(shape) || !judge_session(shape)))
        return false;
    return judge_operations(shape) && (call->walk.status != NFS_WALK_OK || body->walk.status != NFS_WALK_OK ||
                                       body->reduction == RPCRDMA_REDUCED_NONE || judge_end(shape) || !shape->failed);
}

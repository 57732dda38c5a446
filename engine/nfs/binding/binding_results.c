// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The results of a COMPOUND or CB_COMPOUND against its operations: one result for each, in order, up to the first that
 * failed. The status of that result is also the status of the COMPOUND (RFC 7530 section 15.2, RFC 8881 sections 16.2
 * and 20.2).
 */
#include "engine/core/words.h"
#include "engine/nfs/binding/binding.h"
#include "wire/invariant.h"

static void results_pass(const struct nfs_compound *x, enum rule_id rule)
{
    x->pass(x->ctx, rule);
}

static void results_fail_as(struct nfs_compound *x, enum rule_id rule, enum rule_severity severity, const char *format,
                            ...) __attribute__((cold, format(printf, 4, 5)));

static void results_fail_as(struct nfs_compound *x, enum rule_id rule, enum rule_severity severity, const char *format,
                            ...)
{
    va_list args;

    va_start(args, format);
    x->fail(x->ctx, rule, severity, format, args);
    va_end(args);
    x->failed |= severity == SEVERITY_ERROR;
}

#define results_fail(x, rule, ...) results_fail_as((x), (rule), rule_catalogue[rule].severity, __VA_ARGS__)

static const char *results_name_of(const struct nfs_compound *x, uint32_t op)
{
    const char *name = nfs_op_name(op, x->reply.procedure->callback);

    return name ? name : "an unknown operation";
}

static bool judge_illegal(struct nfs_compound *x, uint32_t asked)
{
    bool callback = x->reply.procedure->callback;
    uint64_t minor = nfs_decoded_minor(&x->call);

    if (!nfs_op_defined(asked, minor, callback) || (!callback && nfs_op_withdrawn(asked, minor))) {
        results_pass(x, RULE_NFS4_15_2_04);
        return true;
    }
    /* Additions of a minor version are optional, and some servers return ILLEGAL for additions that they lack. */
    results_fail_as(
        x, RULE_NFS4_15_2_04, minor == 2 && !nfs_op_defined(asked, 1, callback) ? SEVERITY_WARNING : SEVERITY_ERROR,
        "expected ILLEGAL only for operations that do not exist; found ILLEGAL for %s", results_name_of(x, asked));
    return false;
}

/* If the Call's arguments end early or become unreadable, the operations before that point are known. */
static bool judge_operations(struct nfs_compound *x)
{
    const struct nfs_decoded *call = &x->call, *reply = &x->reply;
    bool all_known = x->call_walk->status == NFS_WALK_OK;

    for (unsigned i = 0; i < reply->n_operations; i++) {
        uint32_t op = reply->operations[i].op, asked = i < call->n_operations ? call->operations[i].op : 0;

        if (i >= call->n_operations && !all_known)
            return true;
        if (i >= call->n_operations) {
            results_fail(x, RULE_NFS4_15_2_02, "expected at most %u results; found result %u, of %s",
                         call->n_operations, i + 1, results_name_of(x, op));
            return false;
        }
        if (op != asked && op == NFS_OP_ILLEGAL)
            return judge_illegal(x, asked);
        if (op != asked) {
            results_fail(x, RULE_NFS4_15_2_01, "expected result %u to be of %s; found a result of %s", i + 1,
                         results_name_of(x, asked), results_name_of(x, op));
            return false;
        }
    }
    results_pass(x, RULE_NFS4_15_2_01);
    return true;
}

/* A result has the number of an operation that the Call's minor version does not have. */
static bool judge_foreign(struct nfs_compound *x)
{
    const struct nfs_decoded *call = &x->call, *reply = &x->reply;
    bool callback = reply->procedure->callback;
    uint64_t minor = nfs_decoded_minor(call);

    for (unsigned i = 0; i < reply->n_operations && i < call->n_operations; i++) {
        const struct nfs_operation *result = &reply->operations[i];
        bool undefined = minor < NFS_MINOR_KNOWN_MAX && !nfs_op_defined(result->op, minor, callback);
        bool dropped =
            !callback && minor <= NFS_MINOR_KNOWN_MAX && nfs_op_withdrawn(result->op, minor) && result->status == 0;

        if (!result->has_status || result->op == NFS_OP_ILLEGAL || result->op != call->operations[i].op ||
            !(undefined || dropped))
            continue;
        results_fail_as(
            x, RULE_NFS4_15_2_06, result->status == 0 && undefined ? SEVERITY_ERROR : SEVERITY_WARNING,
            "expected %s for %s (operation %u) in minor version %u; found %s with status %u in minor version %u",
            undefined ? "ILLEGAL" : "NFS4ERR_NOTSUPP", results_name_of(x, result->op), result->op, (unsigned)minor,
            results_name_of(x, result->op), result->status, (unsigned)minor);
        return false;
    }
    if (minor <= NFS_MINOR_KNOWN_MAX && reply->n_operations > 0)
        results_pass(x, RULE_NFS4_15_2_06);
    return true;
}

/* Judges a COMPOUND that begins with SEQUENCE or CB_SEQUENCE. */
static bool judge_in_session(struct nfs_compound *x, enum rule_id rule, uint32_t sequence)
{
    const struct nfs_decoded *reply = &x->reply;

    for (unsigned i = 0; i < reply->n_operations; i++) {
        const struct nfs_operation *result = &reply->operations[i];

        if (result->has_status && result->status == NFS_ERR_OP_NOT_IN_SESSION) {
            results_fail(
                x, rule,
                "expected NFS4ERR_OP_NOT_IN_SESSION only without %s; found NFS4ERR_OP_NOT_IN_SESSION for %s (result "
                "%u) in a %s that begins with it",
                results_name_of(x, sequence), results_name_of(x, result->op), i + 1, reply->procedure->name);
            return false;
        }
        if (i > 0 && result->op == sequence && result->has_status && result->status == 0) {
            results_fail(x, rule,
                         "expected NFS4ERR_SEQUENCE_POS for %s after the first operation; found "
                         "%s with status 0 (result %u)",
                         results_name_of(x, sequence), results_name_of(x, sequence), i + 1);
            return false;
        }
    }
    results_pass(x, rule);
    return true;
}

/* Judges a COMPOUND that begins with any other operation. */
static bool judge_outside(struct nfs_compound *x, enum rule_id rule, uint32_t sequence, bool allowed)
{
    const struct nfs_decoded *call = &x->call, *reply = &x->reply;
    uint32_t first = call->operations[0].op;

    INVARIANT(call->n_operations > 0 && reply->n_operations > 0);
    if (reply->operations[0].status != 0 || (allowed && call->n_operations == 1)) {
        results_pass(x, rule);
        return true;
    }
    results_fail(x, rule, "expected %s for %s in a %s %s %s; found %s with status 0",
                 allowed ? "NFS4ERR_NOT_ONLY_OP" : "NFS4ERR_OP_NOT_IN_SESSION", results_name_of(x, first),
                 reply->procedure->name, allowed ? "of several operations without" : "without",
                 results_name_of(x, sequence), results_name_of(x, first));
    return false;
}

/* Only the first operation decides whether a COMPOUND belongs to a session. */
static bool results_judge_session(struct nfs_compound *x)
{
    const struct nfs_decoded *call = &x->call, *reply = &x->reply;
    uint64_t minor = nfs_decoded_minor(call);
    bool callback = reply->procedure->callback;
    enum rule_id rule = callback ? RULE_NFS41_20_9_3_01 : RULE_NFS41_16_2_01;
    uint32_t first, sequence = nfs_op_sequence(callback);

    if (minor == 0 || minor > NFS_MINOR_KNOWN_MAX || call->n_operations == 0 || reply->n_operations == 0 ||
        reply->operations[0].op != call->operations[0].op || !reply->operations[0].has_status)
        return true;
    first = call->operations[0].op;
    if (!nfs_op_defined(first, minor, callback) || (!callback && nfs_op_withdrawn(first, minor)))
        return true;
    return first == sequence ? judge_in_session(x, rule, sequence)
                             : judge_outside(x, rule, sequence, nfs_op_needs_no_session(first, callback));
}

/* With NFS4ERR_MINOR_VERS_MISMATCH there are no results; no other status fits a minor version that does not exist. */
static bool judge_minor(struct nfs_compound *x)
{
    const struct nfs_decoded *reply = &x->reply;
    uint64_t minor = nfs_decoded_minor(&x->call);
    unsigned first = 0;
    const struct nfs_value *whole = nfs_decoded_value(reply, NFS_MARK_STATUS, 0, &first);

    if (!whole || whole->op != 0 || minor == UINT64_MAX)
        return true;
    if (whole->value == NFS_ERR_MINOR_VERS_MISMATCH && reply->n_operations > 0) {
        results_fail(
            x, RULE_NFS4_15_2_05,
            "expected no results along with NFS4ERR_MINOR_VERS_MISMATCH; found NFS4ERR_MINOR_VERS_MISMATCH along with "
            "results: %u",
            x->reply_walk->operations_announced);
        return false;
    }
    if (minor > NFS_MINOR_KNOWN_MAX && reply->n_operations > 0 && reply->operations[0].has_status) {
        results_fail_as(x, RULE_NFS4_15_2_05, SEVERITY_WARNING,
                        "expected NFS4ERR_MINOR_VERS_MISMATCH for minor version %u; found a result of %s, with "
                        "status %u",
                        (unsigned)minor, results_name_of(x, reply->operations[0].op), reply->operations[0].status);
        return false;
    }
    if (minor > NFS_MINOR_KNOWN_MAX || whole->value == NFS_ERR_MINOR_VERS_MISMATCH)
        results_pass(x, RULE_NFS4_15_2_05);
    return true;
}

/* The results end with the first error. */
static bool results_judge_number(struct nfs_compound *x, uint32_t whole, uint32_t last)
{
    const struct nfs_decoded *call = &x->call, *reply = &x->reply;
    unsigned n = reply->n_operations;

    if (n == 0 && whole == 0 && call->n_operations > 0)
        results_fail(x, RULE_NFS4_15_2_02, "expected the results of %u operations; found no results, and no error",
                     call->n_operations);
    else if (n == 0 && whole != 0 && !nfs_compound_fails_whole(whole))
        results_fail_as(
            x, RULE_NFS4_15_2_02, SEVERITY_WARNING,
            call->n_operations > 0
                ? "expected the result of the operation that failed with status %u; found no results"
                : "expected status 0 for a COMPOUND without operations; found status %u for a COMPOUND without "
                  "operations",
            (unsigned)whole);
    else if (n > 0 && n < call->n_operations && last == 0)
        results_fail(
            x, RULE_NFS4_15_2_02,
            "expected the results of %u operations, as none failed; found only %u result%s, and none that failed",
            call->n_operations, n, plural(n));
    else
        return true;
    return false;
}

/* For a walk that reached the end of the Reply. */
static bool results_judge_end(struct nfs_compound *x)
{
    const struct nfs_decoded *reply = &x->reply;
    unsigned n = reply->n_operations, first = 0;
    const struct nfs_value *whole = nfs_decoded_value(reply, NFS_MARK_STATUS, 0, &first);
    uint32_t last = n > 0 ? reply->operations[n - 1].status : 0;

    for (unsigned i = 0; i + 1 < n; i++) {
        if (reply->operations[i].status == 0)
            continue;
        results_fail(
            x, RULE_NFS4_15_2_02,
            "expected no results after %s (result %u), which failed with status %u; found results after an operation "
            "that failed: %u",
            results_name_of(x, reply->operations[i].op), i + 1, reply->operations[i].status, n - i - 1);
        return false;
    }
    if (!whole || whole->op != 0 || !results_judge_number(x, (uint32_t)whole->value, last))
        return false;
    results_pass(x, RULE_NFS4_15_2_02);
    if (n > 0 && whole->value != last) {
        results_fail(x, RULE_NFS4_15_2_03,
                     "expected the COMPOUND to have the status of its last result, %u; found status %u of the COMPOUND",
                     last, (unsigned)whole->value);
        return false;
    }
    results_pass(x, RULE_NFS4_15_2_03);
    return true;
}

bool nfs_compound_results(struct nfs_compound *x)
{
    enum nfs_walk_status asked = x->call_walk->status;

    /* An operation that the tables do not know ends the walk, at or after an operation of another minor version. */
    if (x->reply_sound && (asked == NFS_WALK_OK || asked == NFS_WALK_UNKNOWN) &&
        (!judge_minor(x) || !judge_foreign(x) || !results_judge_session(x)))
        return false;
    return judge_operations(x) && (asked != NFS_WALK_OK || x->reply_walk->status != NFS_WALK_OK || !x->reply_sound ||
                                   results_judge_end(x) || !x->failed);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a COMPOUND of one minor version returned must not be used in another minor version: RFC 8881 section 2.7. Judged
 * for sessions and client ids, but not for file handles, which are often the same in all versions. Also judges
 * NFS4ERR_MINOR_VERS_MISMATCH for a minor version that the server has used (RFC 7530 section 15.2, RFC 8881 section
 * 16.2).
 */
#include "engine/core/hash.h"
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum { MINOR_VERS_MISMATCH = 10021 /* RFC 5662 */ };

const struct rpcrdma_across_objects *nfs_connection_objects(const struct nfs_connection *nfs)
{
    return &nfs->minors.objects;
}

static struct rpcrdma_across_object *minor_use_of(struct nfs_look *look, uint64_t object)
{
    struct rpcrdma_across_objects *uses = &look->nfs->minors.objects;
    struct rpcrdma_across_object *use;

    for (unsigned i = 0; i < uses->n && i < RPCRDMA_ACROSS_OBJECTS_MAX; i++) {
        if (uses->object[i].hash == object)
            return &uses->object[i];
    }
    if (uses->n++ >= RPCRDMA_ACROSS_OBJECTS_MAX)
        return NULL;
    use = &uses->object[uses->n - 1];
    *use = (struct rpcrdma_across_object){.hash = object, .minor = look->exchange->minor, .first = look->place};
    INVARIANT(use->minor >= 0 && use->minor <= NFS_MINOR_MAX && uses->n <= RPCRDMA_ACROSS_OBJECTS_MAX);
    return use;
}

/* Judges the use of a session or client id in the Call. */
static void minor_judge(struct nfs_look *look, struct rpcrdma_across_object *use, bool is_session)
{
    unsigned minor = (unsigned)look->exchange->minor;

    if (use->returned == 0 || use->reported)
        return;
    if (use->returned >> minor & 1) {
        nfs_pass(look, RULE_NFS41_2_7_01);
        return;
    }
    use->reported = true;
    INVARIANT(minor <= NFS_MINOR_MAX && use->returned != 0);
    nfs_fail_as(
        look, RULE_NFS41_2_7_01,
        look->body->procedure->callback ? SEVERITY_WARNING : rule_catalogue[RULE_NFS41_2_7_01].severity,
        "expected a %s in COMPOUNDs of the minor version that returned it; found the %s used in minor version %u",
        is_session ? "session" : "client id", is_session ? "session" : "client id", minor);
}

/* look: a Call, or a Reply of the server. */
void nfs_minor_message(struct nfs_look *look, bool reply)
{
    const struct rpcrdma_body *body = look->body;

    if (look->exchange->minor < 0 || look->t->misread || look->t->repeats)
        return;
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;
        bool returned = reply && (item->op == NFS_OP_EXCHANGE_ID || item->op == NFS_OP_CREATE_SESSION);
        const uint8_t *p;
        struct rpcrdma_across_object *use;

        if ((item->mark != NFS_MARK_SESSION && item->mark != NFS_MARK_CLIENT) || reply != returned)
            continue;
        p = rpcrdma_contents(body, &body->items[i]);
        use = p ? minor_use_of(look, hash_octets(0, p, item->count)) : NULL;
        if (use && returned)
            use->returned |= UINT32_C(1) << look->exchange->minor;
        else if (use)
            minor_judge(look, use, item->mark == NFS_MARK_SESSION);
    }
}

/* For COMPOUNDs and CB_COMPOUNDs. rpcrdma_compound_rules.c judges NFS4ERR_MINOR_VERS_MISMATCH along with results. */
void nfs_minor_reply(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;
    uint32_t *served = &look->nfs->minors.served[look->t->reverse], bit;
    unsigned i = 0;
    const struct nfs_value *status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);

    if (look->exchange->minor < 0 || !body->procedure->compound || !status || status->op != 0 || look->t->damage)
        return;
    bit = UINT32_C(1) << look->exchange->minor;
    if (body->n_operations > 0 && body->operations[0].has_status && body->operations[0].status == 0)
        *served |= bit;
    else if (body->n_operations == 0 && status->value == MINOR_VERS_MISMATCH && (*served & bit) != 0)
        nfs_fail_as(look, RULE_NFS4_15_2_05, SEVERITY_WARNING,
                    "expected NFS4ERR_MINOR_VERS_MISMATCH only for minor versions that are not supported; found "
                    "NFS4ERR_MINOR_VERS_MISMATCH for minor version %d, which has been carried out on this connection",
                    look->exchange->minor);
}

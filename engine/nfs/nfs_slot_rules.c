// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots of requests that a transport error ended: the client recovers them (RFC 8267 section 6.6). A slot that stays
 * unused while many other requests are sent appears to be lost; because the RFC sets no time limit, the finding is a
 * note.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum { REQUESTS_MANY = 16 };

void nfs_slot_failed(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    struct nfs_slot *lost = &nfs->slots.lost[nfs->slots.n % NFS_SLOTS_MAX];
    uint32_t slot;

    if (!look->exchange->in_session || !nfs_value_of(look->body, NFS_MARK_SLOT, NFS_OP_SEQUENCE, &slot))
        return;
    *lost = (struct nfs_slot){
        .waiting = true, .slot = slot, .session = look->exchange->session_hash, .frame = look->place.frame};
    nfs->slots.n++;
    INVARIANT(nfs->slots.n > 0 && look->exchange->in_session);
}

static void judge_other(struct nfs_look *look, struct nfs_slot *lost)
{
    if (++lost->others < REQUESTS_MANY)
        return;
    lost->waiting = false;
    INVARIANT(lost->others == REQUESTS_MANY);
    if (rpcrdma_hole_since(look->nfs->rpcrdma, look->t->side, lost->frame)) {
        nfs_inconclusive(look, RULE_NFSULB_6_6_04, nfs_doubt(look->nfs, false, WHY_HOLE));
        return;
    }
    look->related = lost->frame;
    nfs_fail(look, RULE_NFSULB_6_6_04,
             "expected slot %u to be used again after the error that ended its request; found no request in slot %u, "
             "but %u in higher slots",
             lost->slot, lost->slot, lost->others);
}

void nfs_slot_call(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    uint32_t slot;

    if (!look->exchange->in_session || nfs->slots.n == 0 ||
        !nfs_value_of(look->body, NFS_MARK_SLOT, NFS_OP_SEQUENCE, &slot))
        return;
    for (unsigned i = 0; i < nfs->slots.n && i < NFS_SLOTS_MAX; i++) {
        struct nfs_slot *lost = &nfs->slots.lost[i];
        struct nfs_look copy = *look;

        if (!lost->waiting || lost->session != look->exchange->session_hash)
            continue;
        if (lost->slot == slot) {
            lost->waiting = false;
            INVARIANT(lost->others < REQUESTS_MANY);
            nfs_pass(look, RULE_NFSULB_6_6_04);
        } else if (slot > lost->slot) {
            /* Clients normally take the lowest free slot, so lower slots prove nothing. */
            judge_other(&copy, lost);
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across_lookups.h"
#include "wire/invariant.h"

#include <string.h>

void lookups_add(struct lookups *lookups, enum lookup_about about, uint32_t frame, int64_t time_ns)
{
    lookups->any = true;
    if (about == LOOKUP_ABOUT_OTHERS)
        return;
    if (lookups->n == LOOKUPS_MAX) {
        memmove(lookups->latest, lookups->latest + 1, (LOOKUPS_MAX - 1) * sizeof lookups->latest[0]);
        lookups->n--;
        lookups->lost = true;
    }
    lookups->latest[lookups->n++] =
        (struct lookup){.time_ns = time_ns, .frame = frame, .certain = about == LOOKUP_ABOUT_NFS4_RDMA};
    INVARIANT(lookups->n <= LOOKUPS_MAX && lookups->any);
}

static const struct rpcrdma_across_call *first_of_nfs4(const struct rpcrdma_across_record *record)
{
    for (unsigned i = 0; i < record->n_calls; i++) {
        const struct rpcrdma_across_call *call = &record->calls[i];

        if (!call->reverse && call->request_known && nfs_is_nfs4(call->program, call->version))
            return call;
    }
    return NULL;
}

/*
 * The last lookup before the connection that certainly asks for the program; otherwise the last lookup of any kind;
 * NULL: none.
 */
static const struct lookup *last_before(const struct lookups *lookups, unsigned n)
{
    for (unsigned i = n; i > 0; i--) {
        if (lookups->latest[i - 1].certain)
            return &lookups->latest[i - 1];
    }
    return n > 0 ? &lookups->latest[n - 1] : NULL;
}

void lookups_judge(struct lookups *lookups, const struct rpcrdma_across_record *record, struct verdict *verdict)
{
    const struct rpcrdma_across_call *call = lookups->any ? first_of_nfs4(record) : NULL;
    const struct lookup *lookup;
    unsigned n = 0;

    if (!call)
        return;
    while (n < lookups->n && lookups->latest[n].time_ns <= record->start_ns)
        n++;
    INVARIANT(n <= lookups->n);
    lookup = last_before(lookups, n);
    /*
     * If a connection began before the capture, its lookup may precede the capture, or seem to follow the connection.
     */
    if (!record->whole || (!lookup && lookups->lost))
        verdict_inconclusive(verdict, RULE_NFSULB_6_3_02, record->whole ? WHY_MEMORY : WHY_LATE, call->call.frame);
    else if (!lookup)
        verdict_passed(verdict, RULE_NFSULB_6_3_02);
    else if (lookup->certain && record->start_ns - lookup->time_ns <= lookups_recent_ns)
        verdict_failed(
            verdict, RULE_NFSULB_6_3_02, rpcrdma_across_direction(record, call->call.side), &call->call, lookup->frame,
            "expected a client of NFSv4 to connect to the well-known port without asking rpcbind; found that "
            "the client asked for NFSv4 on RDMA in frame %u, %lld ms before this connection began",
            lookup->frame, (long long)(record->start_ns - lookup->time_ns) / 1000000);
    else
        verdict_inconclusive(verdict, RULE_NFSULB_6_3_02, WHY_READINGS, call->call.frame);
    memmove(lookups->latest, lookups->latest + n, (lookups->n - n) * sizeof lookups->latest[0]);
    lookups->n = (uint8_t)(lookups->n - n);
    lookups->lost = false;
    INVARIANT(lookups->n <= LOOKUPS_MAX && (lookups->n == 0 || lookups->latest[0].time_ns > record->start_ns));
}

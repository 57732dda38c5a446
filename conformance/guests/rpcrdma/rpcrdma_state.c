// SPDX-License-Identifier: GPL-2.0-or-later
/* State of NFSv4.1 in Calls and Replies: flags of SEQUENCE, stateids that are tested, and layouts that are recalled. */
#include "conformance/guests/rpcrdma/rpcrdma_outcome.h"
#include "conformance/trouble/facts_state.h"
#include "wire/octets.h"

#include <glib.h>

enum { FREE_STATEID = 45, LAYOUTCOMMIT = 49, TEST_STATEID = 55, OF_FILE = 1 };

/* The stateid of CB_LAYOUTRECALL: RFC 5662, CB_LAYOUTRECALL4args. NULL: a whole file system, or not captured. */
static const uint8_t *recalled_stateid(const uint8_t *p, uint64_t n)
{
    enum { BEFORE_HANDLE = 16, RANGE = 16 };
    uint64_t at;

    if (n < BEFORE_HANDLE + 4 || get_be32(p + 12) != OF_FILE)
        return NULL;
    at = BEFORE_HANDLE + 4 + ((uint64_t)get_be32(p + BEFORE_HANDLE) + 3) / 4 * 4 + RANGE;
    return at + STATEID_LEN <= n ? p + at : NULL;
}

static void state_take_operation(struct trouble_facts *facts, const struct rpcrdma_body *body, unsigned i,
                                 struct trouble_event event)
{
    const uint32_t op = body->operations[i].op;
    uint64_t n, at;
    const uint8_t *p = rpcrdma_operation_arguments(body, i, &n);

    if (!p || !rpcrdma_operation_stateid(op, &at) || at + STATEID_LEN > n)
        return;
    if (op == TEST_STATEID || op == FREE_STATEID)
        trouble_state_tested(facts, p + at);
    else if (op == LAYOUTCOMMIT || op == NFS_OP_LAYOUTGET || (op == NFS_OP_LAYOUTRETURN && get_be32(p + 12) == OF_FILE))
        trouble_state_layout(facts, nfs_op_name(op, false), p + at, event);
}

void rpcrdma_state_payload(struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;
    const struct trouble_event event = {payload->place.frame, payload->place.time_ns};

    if (payload->transaction->repeats || (!facts->state && !payload->transaction->reverse))
        return;
    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];
        const uint8_t *stateid;
        uint64_t n;

        if (!payload->transaction->reverse && !payload->reply) {
            state_take_operation(facts, body, i, event);
        } else if (payload->transaction->reverse && operation->op == NFS_OP_CB_LAYOUTRECALL) {
            const uint8_t *p = payload->reply ? NULL : rpcrdma_operation_arguments(body, i, &n);

            stateid = p ? recalled_stateid(p, n) : NULL;
            if (stateid)
                trouble_state_recalled(facts, stateid, event);
            else if (payload->reply && operation->has_status && operation->status == 0)
                trouble_state_accepted(facts, event);
        }
    }
}

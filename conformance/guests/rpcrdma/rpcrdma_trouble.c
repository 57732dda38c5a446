// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls for "What happened", under the names that people use: "OPEN", not "COMPOUND". */
#include "conformance/guests/rpcrdma/rpcrdma_outcome.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/trouble/facts.h"
#include "engine/stack/rpcrdma_ulp.h"

#include <string.h>

static struct trouble_call trouble_call_of(const struct rpcrdma_transaction *t)
{
    const char *name = rpcrdma_operation_of(t);

    return (struct trouble_call){.what = name ? name : "a Call",
                                 .xid = t->xid,
                                 .side = t->side,
                                 .reverse = t->reverse,
                                 .unsure = t->damage || t->ambiguous,
                                 .call = {t->call.frame, t->call.time_ns},
                                 .offset = t->call.offset};
}

bool rpcrdma_ends(const struct rpcrdma_message *m)
{
    return m->transaction && rpcrdma_waits(m->transaction) && !m->discarded && m->header.status == RPCRDMA_OK &&
           !(m->kind == RPCRDMA_KIND_REPLY && m->header.read.n > 0);
}

void rpcrdma_trouble_message(struct trouble_facts *facts, const struct rpcrdma_message *m)
{
    struct trouble_call call;

    if (m->kind == RPCRDMA_KIND_CALL && m->transaction) {
        facts->calls += !m->transaction->repeats;
        facts->answers += !m->transaction->repeats && m->transaction->damage == RPCRDMA_LATE;
    } else if ((m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR) && m->transaction &&
               rpcrdma_waits(m->transaction)) {
        if (!rpcrdma_ends(m)) {
            trouble_odd(facts, m->transaction->xid);
            return;
        }
        call = trouble_call_of(m->transaction);
        call.answer = (struct trouble_event){m->place.frame, m->place.time_ns};
        call.offset = m->place.offset;
        facts->statuses += m->kind == RPCRDMA_KIND_ERROR;
        trouble_answered(facts, &call);
    }
}

/* ---- debts ---- */

/* Operations in Calls, forward and callbacks. An operation incurs a debt when it is answered. */
static const struct {
    uint32_t op;
    bool callback, pays;
    enum trouble_debt debt;
} debts[] = {{NFS_OP_CB_OFFLOAD, true, true, DEBT_OFFLOAD},
             {NFS_OP_CB_RECALL, true, false, DEBT_RECALL},
             {NFS_OP_DELEGRETURN, false, true, DEBT_RECALL},
             {NFS_OP_CB_LAYOUTRECALL, true, false, DEBT_LAYOUT},
             {NFS_OP_LAYOUTRETURN, false, true, DEBT_LAYOUT}};

static void take_operation(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                           const struct nfs_operation *operation, struct trouble_event event)
{
    for (size_t i = 0; i < sizeof debts / sizeof *debts; i++) {
        if (operation->op != debts[i].op || payload->transaction->reverse != debts[i].callback)
            continue;
        if (debts[i].pays && !payload->reply)
            trouble_pays(facts, debts[i].debt);
        else if (!debts[i].pays && payload->reply && operation->has_status && operation->status == 0)
            trouble_owes(facts, debts[i].debt, event);
    }
}

static void take_copies(struct trouble_facts *facts, const struct rpcrdma_body *body, struct trouble_event event)
{
    const struct nfs_value *value;

    for (unsigned i = 0; (value = rpcrdma_value(body, NFS_MARK_SYNCHRONOUS, NFS_OP_COPY, &i));)
        if (value->value == 0)
            trouble_owes(facts, DEBT_OFFLOAD, event);
}

/* Most operations are none of these. */
static void take_operations(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                            struct trouble_event event)
{
    static const uint64_t of_interest = UINT64_C(1) << NFS_OP_CB_OFFLOAD | UINT64_C(1) << NFS_OP_CB_RECALL |
                                        UINT64_C(1) << NFS_OP_DELEGRETURN | UINT64_C(1) << NFS_OP_CB_LAYOUTRECALL |
                                        UINT64_C(1) << NFS_OP_LAYOUTRETURN | UINT64_C(1) << NFS_OP_COPY;
    const struct rpcrdma_body *body = payload->body;

    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];

        if (operation->op >= 64 || (of_interest >> operation->op & 1) == 0)
            continue;
        take_operation(facts, payload, operation, event);
        if (operation->op == NFS_OP_COPY && payload->reply && !payload->transaction->reverse)
            take_copies(facts, body, event);
    }
}

static void take_flags(struct trouble_facts *facts, const struct rpcrdma_body *body, struct trouble_event event)
{
    enum { CB_PATH_DOWN = 0x1, CB_PATH_DOWN_SESSION = 0x200 }; /* SEQ4_STATUS_..., RFC 8881 section 18.46.3 */
    const struct nfs_value *value;
    unsigned i = 0;

    if (body->n_operations == 0 || body->operations[0].op != NFS_OP_SEQUENCE)
        return;
    value = rpcrdma_value(body, NFS_MARK_STATUS_FLAGS, NFS_OP_SEQUENCE, &i);
    if (!value)
        return;
    trouble_callbacks(facts, (value->value & (CB_PATH_DOWN | CB_PATH_DOWN_SESSION)) != 0, event);
    trouble_state_flags(facts, (uint32_t)value->value & ~(uint32_t)(CB_PATH_DOWN | CB_PATH_DOWN_SESSION), event);
}

/* File handles are made by servers: the beginning of a handle identifies the kind of server. */
static void know_server(struct trouble_facts *facts, const struct rpcrdma_body *body)
{
    static const struct {
        const char *server;
        uint8_t n, octets[2];
    } begins[] = {{"linux", 2, {1, 0}}, {"ganesha", 1, {0x43}}};

    for (unsigned i = 0; i < body->n_items && !facts->server; i++) {
        const struct rpcrdma_item *item = &body->items[i];
        const uint8_t *handle = item->item.mark == NFS_MARK_HANDLE ? rpcrdma_contents(body, item) : NULL;

        for (unsigned k = 0; handle && k < G_N_ELEMENTS(begins); k++)
            if (item->item.count >= begins[k].n && memcmp(handle, begins[k].octets, begins[k].n) == 0)
                facts->server = begins[k].server;
    }
}

void rpcrdma_trouble_payload(struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;
    const struct trouble_event event = {payload->place.frame, payload->place.time_ns};

    facts->statuses += payload->reply && body->known;
    if (payload->reply && !payload->transaction->reverse)
        rpcrdma_trouble_failed(facts, payload);
    if (!payload->reply && !payload->transaction->reverse) {
        rpcrdma_outcome_call(facts, payload);
        rpcrdma_mount_call(facts, payload);
    }
    if (body->walked && !payload->reply && !payload->transaction->reverse && !facts->server)
        know_server(facts, body);
    if (!body->walked || !body->procedure || !body->procedure->compound)
        return;
    take_operations(facts, payload, event);
    rpcrdma_state_payload(facts, payload);
    if (payload->reply && !payload->transaction->reverse)
        take_flags(facts, body, event);
}

void rpcrdma_trouble_end(void *guest, struct trouble_facts *facts)
{
    struct rpcrdma_connection *rpcrdma = rpcrdma_ulp_connection(guest);
    int client;

    if (!rpcrdma || !rpcrdma_connection_is_rpcrdma(rpcrdma))
        return;
    client = rpcrdma_connection_client(rpcrdma);
    if (client >= 0)
        facts->opener = (uint8_t)client;
    for (unsigned side = 0; side < 2; side++) {
        struct rpcrdma_transaction *t = NULL;

        while ((t = rpcrdma_next_outstanding(rpcrdma, side, t))) {
            const struct trouble_call call = trouble_call_of(t);

            if (t->outcome != RPCRDMA_SETTLED && t->damage != RPCRDMA_LATE && !t->repeats)
                trouble_unanswered(facts, &call);
        }
    }
}

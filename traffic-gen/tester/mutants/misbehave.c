// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/mutants/mutant.h"

#include <string.h>

const struct misbehaviour *misbehave_at(unsigned index)
{
    return index < mutant_count ? &mutants[index] : NULL;
}

const struct misbehaviour *misbehave_find(const char *id, enum suite_dut role)
{
    const struct misbehaviour *row;

    for (unsigned i = 0; (row = misbehave_at(i)); i++) {
        if (row->roles & role && strcmp(row->id, id) == 0)
            return row;
    }
    return NULL;
}

/* ---- set-up ---- */

void mutant_prepare(const struct misbehaviour *how, struct qp_options *options)
{
    const struct mutant_setup *setup = how ? &how->setup : &(struct mutant_setup){0};

    options->mpa.crc &= !setup->no_crc;
    options->mpa.markers |= setup->markers;
    options->keep_open |= setup->keep_open;
    options->mpa.enhanced_data.peer_to_peer |= setup->peer_to_peer;
    if (setup->patient)
        options->mpa.t_rest = 0;
    if (setup->rtr)
        options->mpa.enhanced_data.rtr = setup->rtr;
    if (setup->data.p) {
        options->mpa.private_data = setup->data.p;
        options->mpa.private_length = (uint16_t)setup->data.n;
    }
}

void mutant_prepare_rpc(const struct misbehaviour *how, struct rpc_end_options *options)
{
    options->remote_invalidation &= !how || !how->setup.no_invalidation;
    mutant_prepare(how, &options->qp);
}

/* ---- hooks ---- */

void mutant_attach(struct mutant *mutant, const struct misbehaviour *how, struct qp *qp)
{
    static gint connections;
    struct mpa_end_spoil mpa;
    struct qp_spoil spoil;

    *mutant = (struct mutant){.how = how, .qp = qp, .connection = (unsigned)g_atomic_int_add(&connections, 1) + 1};
    if (!how)
        return;
    mpa = mutant_mpa_hooks(how);
    mpa.ctx = mutant;
    mpa.ulpdu_max = how->setup.mulpdu;
    if (qp_mpa(qp)) /* a queue pair of an RDMA device has none */
        mpa_end_set_spoil(qp_mpa(qp), &mpa);
    spoil = mutant_qp_hooks(how);
    spoil.ctx = mutant;
    qp_set_spoil(qp, &spoil);
}

void mutant_attach_rpc(struct mutant *mutant, const struct misbehaviour *how, struct rpc_end *end)
{
    struct rpc_end_spoil spoil;

    mutant_attach(mutant, how, rpc_end_qp(end));
    if (!how)
        return;
    spoil = mutant_rpc_hooks(how);
    spoil.ctx = mutant;
    rpc_end_set_spoil(end, &spoil);
}

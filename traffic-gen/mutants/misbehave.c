// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/mutants/misbehave.h"

#include <string.h>

static const struct misbehaviour *const tables[] = {
    misbehave_mpa,
    misbehave_mpa_startup,
    misbehave_mpa_frames,
    misbehave_mpa2,
    misbehave_ddp,
    misbehave_rdmap,
    misbehave_rdmapx,
    misbehave_rpcrdma,
    misbehave_rpcrdma_chunks,
    misbehave_rpcrdma_sizes,
    misbehave_rpcrdma_client,
    misbehave_nfs,
    misbehave_pairs,
};

const struct misbehaviour *misbehave_at(unsigned index)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++) {
        for (const struct misbehaviour *row = tables[i]; row->id; row++) {
            if (index-- == 0)
                return row;
        }
    }
    return NULL;
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

void mutant_prepare(const struct misbehaviour *how, struct qp_options *options)
{
    if (how && how->options)
        how->options(options);
}

void mutant_attach(struct mutant *mutant, const struct misbehaviour *how, struct qp *qp)
{
    struct mpa_end_spoil mpa;
    struct qp_spoil spoil;

    *mutant = (struct mutant){.how = how, .qp = qp};
    if (!how)
        return;
    mpa = how->mpa;
    mpa.ctx = mutant;
    if (qp_mpa(qp)) /* a queue pair of an RDMA device has none */
        mpa_end_set_spoil(qp_mpa(qp), &mpa);
    spoil = how->qp;
    spoil.ctx = mutant;
    qp_set_spoil(qp, &spoil);
}

void mutant_prepare_rpc(const struct misbehaviour *how, struct rpc_end_options *options)
{
    if (how && how->rpc_options)
        how->rpc_options(options);
    mutant_prepare(how, &options->qp);
}

void mutant_attach_rpc(struct mutant *mutant, const struct misbehaviour *how, struct rpc_end *end)
{
    struct rpc_end_spoil spoil;

    mutant_attach(mutant, how, rpc_end_qp(end));
    if (!how)
        return;
    spoil = how->rpc;
    spoil.ctx = mutant;
    rpc_end_set_spoil(end, &spoil);
}

enum rpc_end_answer mutant_decide(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    const struct misbehaviour *how = ((const struct mutant *)ctx)->how;

    return how->is(in) ? how->answer : due;
}

void mutant_tagged_header(enum rdmap_opcode opcode, uint32_t stag, uint64_t to, uint8_t header[DDP_TAGGED_HEADER_LEN])
{
    const struct ddp_segment segment = {
        .tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = (uint8_t)opcode, .stag = stag, .to = to};

    ddp_header_encode(&segment, header, DDP_TAGGED_HEADER_LEN);
}

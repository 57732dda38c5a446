// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of the RDMA terms that a client requests the server grants: CREATE_SESSION (RFC 8881 section 18.36.3) and
 * BIND_CONN_TO_SESSION (section 18.34.3).
 */
#include "engine/nfs/nfs_internal.h"

enum { CONN_RDMA = 0x4 }; /* of csa_flags, csr_flags */

/* The value in the Call that corresponds to this value in the Reply. */
static bool asked_for(const struct nfs_look *look, const struct nfs_value *granted, uint32_t *asked)
{
    const struct nfs_value *value;
    unsigned i = 0;

    while ((value = rpcrdma_value(&look->t->open->call_body, granted->mark, granted->op, &i))) {
        if (value->op_index != granted->op_index || value->index != 0)
            continue;
        *asked = (uint32_t)value->value;
        return true;
    }
    return false;
}

/* ---- channel attributes ---- */

static const struct attribute {
    enum nfs_mark mark;
    enum rule_id rule;
    const char *name;
} attributes[] = {
    {NFS_MARK_FORE_HEADERPAD, RULE_NFS41_18_36_3_06, "ca_headerpadsize of the fore channel"},
    {NFS_MARK_BACK_HEADERPAD, RULE_NFS41_18_36_3_06, "ca_headerpadsize of the backchannel"},
    {NFS_MARK_FORE_IRD, RULE_NFS41_18_36_3_04, "ca_rdma_ird of the fore channel"},
    {NFS_MARK_BACK_IRD, RULE_NFS41_18_36_3_04, "ca_rdma_ird of the backchannel"},
};

static void judge_attribute(const struct nfs_look *look, const struct attribute *attribute,
                            const struct nfs_value *granted)
{
    uint32_t asked, found = (uint32_t)granted->value;

    /* ca_rdma_ird may be empty; the RFC does not say what an element in the Reply then lowers or raises. */
    if (!asked_for(look, granted, &asked)) {
        if (found == 0)
            nfs_pass(look, attribute->rule);
        else
            nfs_fail_as(look, attribute->rule, SEVERITY_WARNING,
                        "expected no %s, as the client sent none; found a %s of %u", attribute->name, attribute->name,
                        found);
    } else if (found > asked) {
        nfs_fail(look, attribute->rule, "expected a %s of at most %u, which the client asked for; found a %s of %u",
                 attribute->name, asked, attribute->name, found);
    } else {
        nfs_pass(look, attribute->rule);
    }
}

static void terms_judge_number(const struct nfs_look *look, enum nfs_mark mark, const char *channel)
{
    const struct nfs_value *element;
    unsigned i = 0, n = 0;

    while ((element = rpcrdma_value(look->body, mark, NFS_OP_CREATE_SESSION, &i)))
        n = element->index + 1 > n ? element->index + 1 : n;
    if (n == 1)
        nfs_pass(look, RULE_NFS41_18_36_3_03);
    else if (n > 1)
        nfs_fail(look, RULE_NFS41_18_36_3_03,
                 "expected at most one element in ca_rdma_ird of the %s; found %u elements in ca_rdma_ird", channel, n);
}

/* ca_rdma_ird of both channels, in arguments or results. */
static void judge_elements(const struct nfs_look *look)
{
    terms_judge_number(look, NFS_MARK_FORE_IRD, "fore channel");
    terms_judge_number(look, NFS_MARK_BACK_IRD, "backchannel");
}

static void judge_attributes(const struct nfs_look *look)
{
    for (size_t n = 0; n < sizeof attributes / sizeof *attributes; n++) {
        const struct nfs_value *granted;
        unsigned i = 0;

        while ((granted = rpcrdma_value(look->body, attributes[n].mark, NFS_OP_CREATE_SESSION, &i))) {
            if (granted->index == 0) /* if there are more elements, their number is judged */
                judge_attribute(look, &attributes[n], granted);
        }
    }
}

/* ---- RDMA mode ---- */

/* `bit` of the value may be granted only if the client asked for it. */
static void judge_mode(const struct nfs_look *look, enum nfs_mark mark, uint32_t op, uint32_t bit, enum rule_id rule,
                       const char *granting, const char *asking)
{
    const struct nfs_value *granted;
    unsigned i = 0;

    while ((granted = rpcrdma_value(look->body, mark, op, &i))) {
        uint32_t asked;

        if (!asked_for(look, granted, &asked))
            continue;
        if ((granted->value & bit) != 0 && (asked & bit) == 0)
            nfs_fail(look, rule,
                     "expected %s only where %s; found that RDMA mode was granted, for which the client did not ask",
                     granting, asking);
        else
            nfs_pass(look, rule);
    }
}

void nfs_terms_call(const struct nfs_look *look)
{
    judge_elements(look);
}

void nfs_terms_reply(const struct nfs_look *look)
{
    judge_elements(look);
    if (!nfs_understood(&look->t->open->call_body))
        return;
    judge_mode(look, NFS_MARK_SESSION_FLAGS, NFS_OP_CREATE_SESSION, CONN_RDMA, RULE_NFS41_18_36_3_01,
               "CREATE_SESSION4_FLAG_CONN_RDMA in csr_flags", "csa_flags has it");
    judge_mode(look, NFS_MARK_RDMA_MODE, NFS_OP_BIND_CONN_TO_SESSION, 1, RULE_NFS41_18_34_3_01,
               "bctsr_use_conn_in_rdma_mode to be TRUE", "bctsa_use_conn_in_rdma_mode is");
    judge_attributes(look);
}

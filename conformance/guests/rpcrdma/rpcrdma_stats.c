// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_stats.h"

#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "wire/nfs.h"

#include <inttypes.h>

enum { NFS_COMPOUND = 1 /* of NFS version 4 and its callbacks */ };

/* "NFS3 READ", "COMPOUND with READ", "not known" */
static gchar *label(const struct stat_key *key)
{
    char procedure[PROCEDURE_LABEL_SIZE];
    const struct nfs_procedure *compound;
    const char *name;

    if (!key->known)
        return g_strdup("not known");
    if (!key->operation) {
        procedure_label(key->program, key->version, key->procedure, procedure);
        return g_strdup_printf("%s%s", procedure, key->reverse ? " (reverse)" : "");
    }
    compound = nfs_procedure_find(key->program, key->version, NFS_COMPOUND);
    name = nfs_op_name(key->procedure, compound && compound->callback);
    return name ? g_strdup_printf(" with %s%s", name, key->reverse ? " (reverse)" : "")
                : g_strdup_printf(" with operation %" PRIu32, key->procedure);
}

static bool contains(const struct stat_key *procedure, const struct stat_key *operation)
{
    return procedure->procedure == NFS_COMPOUND && operation->program == procedure->program &&
           operation->version == procedure->version && operation->reverse == procedure->reverse;
}

const struct stat_guest rpcrdma_stat_guest = {.label = label,
                                              .contains = contains,
                                              .on_credits = rpcrdma_advice_on_credits,
                                              .on_time = rpcrdma_advice_on_time,
                                              .on_calls = rpcrdma_advice_on_calls};

// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"

#include "wire/nfs.h"

#include <inttypes.h>
#include <stdio.h>

bool procedure_label(uint32_t program, uint32_t version, uint32_t procedure, char label[PROCEDURE_LABEL_SIZE])
{
    const struct nfs_procedure *known = nfs_procedure_find(program, version, procedure);
    const char *name = nfs_program_name(program);

    if (!name && known && known->callback) /* the client chooses the program number */
        name = "CB";
    if (name && known)
        snprintf(label, PROCEDURE_LABEL_SIZE, "%s%" PRIu32 " %s", name, version, known->name);
    else if (name)
        snprintf(label, PROCEDURE_LABEL_SIZE, "%s%" PRIu32 " procedure %" PRIu32, name, version, procedure);
    else
        snprintf(label, PROCEDURE_LABEL_SIZE, "program %" PRIu32 " version %" PRIu32 " procedure %" PRIu32, program,
                 version, procedure);
    return name && known;
}

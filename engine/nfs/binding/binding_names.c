// SPDX-License-Identifier: GPL-2.0-or-later
/* COMPOUNDs by the names that people know them by: "OPEN", not "COMPOUND". */
#include "engine/nfs/binding/binding.h"

/* What most COMPOUNDs have besides the operation that they are there for: the higher, the more it is that one. */
static unsigned weight_of(uint32_t op, bool callback)
{
    if (callback)
        return op == NFS_OP_CB_SEQUENCE ? 0 : 3;
    switch (op) {
    case NFS_OP_SEQUENCE:
    case NFS_OP_PUTFH:
    case NFS_OP_PUTROOTFH:
    case NFS_OP_PUTPUBFH:
        return 0;
    case NFS_OP_GETATTR:
    case NFS_OP_GETFH:
    case NFS_OP_SAVEFH:
    case NFS_OP_RESTOREFH:
    case NFS_OP_ACCESS:
        return 1;
    case NFS_OP_LOOKUP:
        return 2;
    default:
        return 3;
    }
}

const char *nfs_telling_operation(const struct nfs_operation *operations, unsigned n, bool callback)
{
    const char *name = NULL;
    unsigned most = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned weight = weight_of(operations[i].op, callback);

        if (name && weight <= most)
            continue;
        name = nfs_op_name(operations[i].op, callback);
        most = weight;
        if (name && weight == 3)
            break;
    }
    return name;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Operations of COMPOUND and CB_COMPOUND by minor version. */
#include "engine/nfs/binding/binding.h"

bool nfs_op_defined(uint32_t op, uint64_t minor, bool callback)
{
    enum { FIRST_OP = 3 };
    static const uint32_t last[2][NFS_MINOR_KNOWN_MAX + 1] = {{39, 58, 71}, {4, 14, 15}};

    return minor <= NFS_MINOR_KNOWN_MAX && op >= FIRST_OP && op <= last[callback][minor];
}

bool nfs_op_withdrawn(uint32_t op, uint64_t minor)
{
    enum { OPEN_CONFIRM = 20, SETCLIENTID_CONFIRM = 36, RELEASE_LOCKOWNER = 39 };

    return minor > 0 && (op == OPEN_CONFIRM || op == NFS_OP_RENEW || op == NFS_OP_SETCLIENTID ||
                         op == SETCLIENTID_CONFIRM || op == RELEASE_LOCKOWNER);
}

bool nfs_op_needs_no_session(uint32_t op, bool callback)
{
    enum { DESTROY_CLIENTID = 57 };

    return !callback && (op == NFS_OP_EXCHANGE_ID || op == NFS_OP_CREATE_SESSION || op == NFS_OP_BIND_CONN_TO_SESSION ||
                         op == NFS_OP_DESTROY_SESSION || op == DESTROY_CLIENTID);
}

bool nfs_compound_fails_whole(uint32_t status)
{
    enum { INVAL = 22, SERVERFAULT = 10006, DELAY = 10008, RESOURCE = 10018, BADXDR = 10036, BADCHAR = 10040 };
    enum { REQ_TOO_BIG = 10065, REP_TOO_BIG = 10066, TOO_MANY_OPS = 10070 };
    static const uint16_t whole[] = {INVAL,  SERVERFAULT, DELAY,       RESOURCE,    NFS_ERR_MINOR_VERS_MISMATCH,
                                     BADXDR, BADCHAR,     REQ_TOO_BIG, REP_TOO_BIG, TOO_MANY_OPS};

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (whole[i] == status)
            return true;
    }
    return false;
}

/* The operation with the highest weight is the main one. Operations that most COMPOUNDs have get a low weight. */
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

const char *nfs_main_operation(const struct nfs_operation *operations, unsigned n, bool callback)
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs, and their callers: RFC 1094, 1813, 1833, 7530, 8881. For NLM, NSM and NFSACL: the X/Open and common
 * definitions, with known additions of implementations.
 */
#include "engine/nfs/binding/binding.h"

#include "wire/xdr.h"

enum { VERSIONS_MAX = 5, NONE = -1, CALLBACK_VERSION_MAX = 4, CALLBACK_LAST = 1 };

static const struct program {
    uint32_t number;
    bool by_rfc;                /* an RFC defines all its versions */
    int16_t last[VERSIONS_MAX]; /* last procedure of each version; NONE: no such version */
} programs[] = {
    {NFS_PROGRAM, true, {NONE, NONE, 17, 21, 1}},       {NFS_PROGRAM_MOUNT, false, {NONE, 7, 7, 5, NONE}},
    {NFS_PROGRAM_NLM, false, {NONE, 23, 23, 23, 23}},   {NFS_PROGRAM_NSM, false, {NONE, 6, NONE, NONE, NONE}},
    {NFS_PROGRAM_ACL, false, {NONE, NONE, 5, 3, NONE}}, {NFS_PROGRAM_RPCBIND, true, {NONE, NONE, 5, 8, 12}},
};

static const struct program *programs_find(uint32_t number)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (programs[i].number == number)
            return &programs[i];
    }
    return NULL;
}

static bool has_version(const struct program *program, uint32_t version)
{
    return version < VERSIONS_MAX && program->last[version] != NONE;
}

bool nfs_program_versions(uint32_t number, uint32_t *low, uint32_t *high)
{
    const struct program *program = programs_find(number);

    if (!program)
        return false;
    for (*low = 0; !has_version(program, *low);)
        ++*low;
    for (*high = VERSIONS_MAX - 1; !has_version(program, *high);)
        --*high;
    return true;
}

enum nfs_lack nfs_program_lacks(const struct rpc_message *call, bool reverse, bool *by_rfc)
{
    const struct program *program = programs_find(call->prog);

    *by_rfc = false; /* the numbers of callback programs are the client's choice */
    if (reverse && nfs_program_is_callback(call->prog)) {
        if (call->vers == 0 || call->vers > CALLBACK_VERSION_MAX)
            return NFS_LACKS_VERSION;
        return call->proc > CALLBACK_LAST ? NFS_LACKS_PROCEDURE : NFS_LACKS_NOTHING;
    }
    if (!program)
        return NFS_LACKS_NOTHING;
    *by_rfc = program->by_rfc;
    if (!has_version(program, call->vers))
        return NFS_LACKS_VERSION;
    return call->proc > (uint32_t)program->last[call->vers] ? NFS_LACKS_PROCEDURE : NFS_LACKS_NOTHING;
}

bool nfs_program_has_types(const struct nfs_procedure *procedure)
{
    return procedure->callback || procedure->program == NFS_PROGRAM || procedure->program == NFS_PROGRAM_MOUNT;
}

/*
 * Callbacks are those of NFS, and in the lock manager GRANTED, GRANTED_MSG and the results of what clients requested
 * with a message (XNFS, chapter 10). Either side sends NOTIFY of the status monitor.
 */
bool nfs_calls_back(const struct rpc_message *call)
{
    enum { NLM_GRANTED = 5, NLM_GRANTED_MSG = 10, NLM_GRANTED_RES = 15, NSM_NOTIFY = 6 };

    switch (call->prog) {
    case NFS_PROGRAM_NLM:
        return call->proc == NLM_GRANTED || (call->proc >= NLM_GRANTED_MSG && call->proc < NLM_GRANTED_RES);
    case NFS_PROGRAM_NSM:
        return call->proc == NSM_NOTIFY;
    default:
        return nfs_program_is_callback(call->prog);
    }
}

/* Tag, minorversion, callback_ident, ...: RFC 8881 section 20.2. */
bool nfs_is_backchannel(const struct rpc_message *call, const uint8_t *p, size_t n, uint32_t *minor)
{
    enum { CB_COMPOUND = 1, CB_VERSION = 1, CB_TAG_MAX = 1024 };
    const uint8_t *tag;
    uint32_t length;
    struct xdr x;

    if (!nfs_program_is_callback(call->prog) || call->vers != CB_VERSION || call->proc != CB_COMPOUND)
        return false;
    x = xdr_begin(p, n);
    return xdr_opaque(&x, &tag, &length) && length <= CB_TAG_MAX && xdr_u32(&x, minor) && *minor >= 1 &&
           *minor <= NFS_MINOR_KNOWN_MAX;
}

enum lookup_about nfs_lookup_about(enum rpcbind_question question, const struct rpcbind_lookup *lookup)
{
    switch (question) {
    case RPCBIND_NOTHING:
        return LOOKUP_ABOUT_OTHERS;
    case RPCBIND_LOOKUP:
        if (lookup->program != NFS_PROGRAM || lookup->program_version != 4)
            return LOOKUP_ABOUT_OTHERS;
        /* Other lookups ask for TCP or UDP while RDMA has no protocol number. */
        return lookup->version != RPCBIND_PORTMAPPER && rpcbind_is_rdma(lookup) ? LOOKUP_ABOUT_NFS4_RDMA
                                                                                : LOOKUP_MAYBE_NFS4_RDMA;
    case RPCBIND_DUMP:
    case RPCBIND_UNREADABLE:
        break;
    }
    return LOOKUP_MAYBE_NFS4_RDMA;
}

enum nfs_sought nfs_sought(const struct rpcbind_lookup *lookup)
{
    uint32_t low, high;

    if (!nfs_program_versions(lookup->program, &low, &high) || lookup->program_version < low ||
        lookup->program_version > high)
        return NFS_SOUGHTS;
    if (lookup->program == NFS_PROGRAM && rpcbind_is_rdma(lookup))
        return NFS_SOUGHT_RDMA;
    return lookup->program == NFS_PROGRAM_MOUNT && rpcbind_transport(lookup) != RPCBIND_FOR_OTHERS ? NFS_SOUGHT_MOUNT
                                                                                                   : NFS_SOUGHTS;
}

const char *nfs_sought_name(enum nfs_sought sought)
{
    return sought == NFS_SOUGHT_RDMA ? "NFS" : "MOUNT";
}

/*
 * RFC 1813 appendices I and II: NFS version 3 comes with MOUNT version 3 and NLM version 4. NFS version 2 works with
 * any of several versions.
 */
static const struct {
    uint32_t program, version, nfs_from;
    const char *name;
} auxiliaries[NFS_AUXILIARIES] = {
    {NFS_PROGRAM_MOUNT, 3, 3, "MOUNT version 3"},
    {NFS_PROGRAM_NLM, 4, 3, "NLM version 4"},
    {NFS_PROGRAM_NSM, 1, 2, "NSM version 1"},
};

int nfs_auxiliary(uint32_t program, uint32_t version)
{
    for (int i = 0; i < NFS_AUXILIARIES; i++) {
        if (auxiliaries[i].program == program && auxiliaries[i].version == version)
            return i;
    }
    return -1;
}

const char *nfs_auxiliary_name(unsigned auxiliary)
{
    return auxiliaries[auxiliary].name;
}

bool nfs_auxiliary_needed(unsigned auxiliary, uint32_t nfs_version)
{
    return auxiliaries[auxiliary].nfs_from <= nfs_version && nfs_version <= 3;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA's questions to its upper layer, the "Upper-Layer Binding" of RFC 8166 section 6: which programs exist,
 * who calls, what is DDP-eligible, how large results are. The binding is RFC 8267, for NFS and its auxiliary programs.
 * All functions are pure; everything else about NFS is in engine/nfs itself.
 */
#ifndef IWARP_ENGINE_NFS_BINDING_BINDING_H
#define IWARP_ENGINE_NFS_BINDING_BINDING_H

#include "engine/core/rule.h"
#include "wire/nfs.h"
#include "wire/rpcbind.h"

#include <stdarg.h>

/* The payload of a Call or Reply, as far as it was walked. All pointers are borrowed. */
struct nfs_decoded {
    const struct nfs_procedure *procedure; /* NULL: unknown */
    const struct nfs_operation *operations;
    const struct nfs_value *values;
    unsigned n_operations, n_values;
};

/* The first value with this mark from values[*i] on; *i becomes the next index. NULL: none. op 0: any operation. */
const struct nfs_value *nfs_decoded_value(const struct nfs_decoded *payload, enum nfs_mark mark, uint32_t op,
                                          unsigned *i);
/* Minor version of a COMPOUND's Call; UINT64_MAX: unknown. */
uint64_t nfs_decoded_minor(const struct nfs_decoded *call);

/* ---- programs ---- */

/* The range of versions that a program has; false: the program is unknown. */
bool nfs_program_versions(uint32_t program, uint32_t *low, uint32_t *high);
enum nfs_lack { NFS_LACKS_NOTHING, NFS_LACKS_VERSION, NFS_LACKS_PROCEDURE };
/*
 * Whether the called program lacks the version or procedure. *by_rfc: an RFC defines all its versions. reverse: the
 * server sent the Call.
 */
enum nfs_lack nfs_program_lacks(const struct rpc_message *call, bool reverse, bool *by_rfc);
/* An RFC defines the types of all arguments and results of the procedure. */
bool nfs_program_has_types(const struct nfs_procedure *procedure);
static inline bool nfs_program_is_callback(uint32_t program)
{
    return program >= NFS_PROGRAM_CALLBACK_FIRST && program <= NFS_PROGRAM_CALLBACK_LAST;
}
/* The Call is for this version of the NFS program. */
static inline bool nfs_is_version(const struct rpc_message *call, uint32_t version)
{
    return call->prog == NFS_PROGRAM && call->vers == version;
}
static inline bool nfs_is_nfs4(uint32_t program, uint32_t version)
{
    return program == NFS_PROGRAM && version == 4;
}

/* ---- who calls ---- */

/* Calls that servers make: callbacks of NFS and of the lock manager. */
bool nfs_calls_back(const struct rpc_message *call);
/* The Call is a CB_COMPOUND of NFSv4.1 or later; p: the octets after the RPC header. */
bool nfs_is_backchannel(const struct rpc_message *call, const uint8_t *p, size_t n, uint32_t *minor);

/* The party that a message to rpcbind concerns: RFC 8267 section 6.3. */
enum lookup_about { LOOKUP_ABOUT_NFS4_RDMA, LOOKUP_MAYBE_NFS4_RDMA, LOOKUP_ABOUT_OTHERS };
enum lookup_about nfs_lookup_about(enum rpcbind_question question, const struct rpcbind_lookup *lookup);

/* What clients ask rpcbind when they mount over RDMA. */
enum nfs_sought { NFS_SOUGHT_RDMA /* NFS itself, for RDMA */, NFS_SOUGHT_MOUNT /* for any transport */, NFS_SOUGHTS };
/* NFS_SOUGHTS: the lookup is for another program, another transport, or a version that does not exist. */
enum nfs_sought nfs_sought(const struct rpcbind_lookup *lookup);
const char *nfs_sought_name(enum nfs_sought sought); /* "MOUNT" */

/* The programs that a server of NFS versions 2 and 3 offers over TCP: RFC 8267 section 5.1. */
enum { NFS_AUXILIARIES = 3 };
/*
 * The program's number, below NFS_AUXILIARIES; -1: not an auxiliary program, or a version that servers of NFS version 2
 * or 3 may do without.
 */
int nfs_auxiliary(uint32_t program, uint32_t version);
const char *nfs_auxiliary_name(unsigned auxiliary); /* "MOUNT version 3" */
/* A server of this version of NFS needs the auxiliary program. */
bool nfs_auxiliary_needed(unsigned auxiliary, uint32_t nfs_version);

/* ---- what is eligible ---- */

/* The rule that says what is eligible in the Call's program and version; RULE_COUNT: the binding is unknown. */
enum rule_id nfs_binding_rule(const struct rpc_message *call, const struct nfs_decoded *payload);
/* nfs_binding_rule() may return this rule. */
bool nfs_binding_has(enum rule_id rule);
/* This rule concerns NFS itself, neither auxiliary programs nor callbacks. */
static inline bool nfs_binding_is_nfs(enum rule_id rule)
{
    return rule == RULE_NFSULB_4_05 || rule == RULE_NFSULB_6_1_05;
}
/* The Call may have an eligible argument. */
bool nfs_reduces_call(const struct nfs_decoded *call);
/* How many eligible results the Reply may have. For a COMPOUND, the operations of the Call decide. */
unsigned nfs_reducible_results(const struct nfs_decoded *call);
/* Octets that the Call asks for in eligible result `number`; false: unknown, or no argument bounds the result. */
bool nfs_result_asked(const struct nfs_decoded *call, unsigned number, uint64_t *octets);
/*
 * The value that repeats the octet count of an argument or result of NFS version 2 or 3; the RPC layer has this count,
 * too.
 */
enum nfs_mark nfs_count_mark(const struct rpc_message *call);

/* Kinds of results of NFS version 2 and 3. */
enum nfs_result {
    NFS_RESULT_FIXED,     /* fixed size except for names and handles */
    NFS_RESULT_DATA,      /* READ */
    NFS_RESULT_LINK,      /* READLINK */
    NFS_RESULT_DIRECTORY, /* READDIR, READDIRPLUS */
};
enum nfs_result nfs_result_of(const struct rpc_message *call);

/* ---- words ---- */

enum { NFS_ITEM_NAME_SIZE = 96 };
/* "the data of READ"; returns text. */
const char *nfs_item_name(const struct nfs_procedure *procedure, const struct nfs_item *item,
                          char text[NFS_ITEM_NAME_SIZE]);

/* ---- operations of COMPOUNDs ---- */

enum {
    NFS_MINOR_KNOWN_MAX = 2,
    NFS_OP_ILLEGAL = 10044,
    NFS_ERR_MINOR_VERS_MISMATCH = 10021, /* values of nfsstat4: RFC 5662 */
    NFS_ERR_OP_NOT_IN_SESSION = 10071,
};
/* Operations of a minor version, without later extensions. */
bool nfs_op_defined(uint32_t op, uint64_t minor, bool callback);
/* Minor version 1 drops these operations (RFC 8881 section 17), and its servers need not know them. */
bool nfs_op_withdrawn(uint32_t op, uint64_t minor);
bool nfs_op_needs_no_session(uint32_t op, bool callback);
/* The operation that puts a COMPOUND or CB_COMPOUND into a session. */
static inline uint32_t nfs_op_sequence(bool callback)
{
    return callback ? NFS_OP_CB_SEQUENCE : NFS_OP_SEQUENCE;
}
/* The name of a COMPOUND's main operation, preferring rare operations; NULL: no operation has a name. */
const char *nfs_main_operation(const struct nfs_operation *operations, unsigned n, bool callback);
/* A COMPOUND may fail with this status as a whole, before its first operation. */
bool nfs_compound_fails_whole(uint32_t status);

/* A COMPOUND, its results, and the receiver of the verdicts. */
struct nfs_compound {
    struct nfs_decoded call, reply;
    const struct nfs_walk_result *call_walk, *reply_walk;
    bool reply_sound; /* every item removed from the Reply belongs where it was removed */
    bool failed;      /* an error was found */
    void *ctx;
    void (*pass)(void *ctx, enum rule_id rule);
    void (*fail)(void *ctx, enum rule_id rule, enum rule_severity severity, const char *format, va_list args)
        __attribute__((format(printf, 4, 0)));
};
/* Judges the results against the operations. False: reported, and the rest of the payload cannot be trusted. */
bool nfs_compound_results(struct nfs_compound *compound);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values: RFC 1094 section 2.3.1, RFC 1813 sections 2.6 and 5.1.5, RFC 7530 section 13.1, RFC 8881 section 15.1, RFC
 * 7862 section 11, RFC 8276 section 8.2. A number means the same in every version of NFS that has it.
 */
#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"

#include "engine/nfs/binding/binding.h"

#include <glib.h>

/* ---- what to look at after one failure ---- */

static const char
    storage[] = "the server's storage failed: look at the server's log",
    full[] = "the server's file system or the quota is full",
    gone[] = "the file was removed, or its file system was exported again: remount",
    inner[] = "the server had an internal error: look at the server's log",
    later[] = "the client has to retry: look at what the server waits for, such as its storage or a delegation of "
              "another client",
    grace[] = "the server was restarted, and waits until its clients have reclaimed their state",
    lost[] = "the server no longer has this state: it was restarted, or the lease expired",
    denied[] = "the server does not export this to the client: look at its exports",
    missing[] = "the server has no such export: compare the path with its exports (showmount -e)",
    version[] = "the server does not support this version: look at the versions that both sides enable (mount option "
                "vers=)",
    credentials[] = "the server wants other credentials: compare the mount option sec= with the export, and look at "
                    "Kerberos on both sides";

/* ---- what the client has to do, and how often it may fail before ---- */

enum { FEW = 4, SEVERAL = 9 };

static const struct trouble_cure
    wait_first = {SUBJECT_TIME, SEVERAL, "the client repeats the request without waiting",
                  "the client has to wait before it tries again, longer each time: update the client"},
    refresh = {SUBJECT_STATEID, FEW, "the client repeats the request with the same stateid, which is not the latest",
               "the client has to use the stateid that the server sent last: update the client; unmounting ends the "
               "loop"},
    reopen = {SUBJECT_STATEID, FEW,
              "the client repeats the request with the same stateid, which the server no longer accepts",
              "the client has to get the state again (OPEN, LOCK, LAYOUTGET): update the client; unmounting ends the "
              "loop; if the server was not restarted, look at why it dropped the state"},
    open_mode = {SUBJECT_STATEID, FEW,
                 "the client repeats the request with the same stateid, whose mode does not permit it",
                 "the client has to open the file, or get the layout, for this access: update the client"},
    layout = {SUBJECT_STATEID, FEW, "the client repeats the request with the same layout",
              "the client has to return the layout and get another, or do its I/O through the metadata server: a mount "
              "with vers=4.0 goes without pNFS"},
    owner_seqid = {SUBJECT_REQUEST, FEW,
                   "the client repeats the request, although its seqid is not the next of its owner",
                   "client and server disagree on the order of requests: the client has to begin with another "
                   "open-owner or lock-owner; unmounting ends the loop"},
    next_sequence =
        {SUBJECT_SLOT, 2, "client and server disagree on the sequence of the slot",
         "in each slot the client has to count its requests by 1, and to repeat the latest one with its own "
         "number (RFC 8881 section 2.10.6.1): update the side that counts wrongly; unmounting ends the "
         "loop"},
    no_layout = {SUBJECT_TIME, SEVERAL,
                 "the client repeats the request without waiting, although the server gives no layout",
                 "the client has to do its I/O through the metadata server, and may ask for a layout later: update the "
                 "client; a mount with vers=4.0 goes without pNFS"},
    other_slot = {SUBJECT_SLOT, FEW, "the client keeps using a slot that the session does not have",
                  "the client has to stay at or below the highest slot of the server's latest answer: update the "
                  "client"},
    new_session =
        {SUBJECT_SESSION, FEW, "the client keeps using a session that the server no longer has",
         "the client has to make a new session (CREATE_SESSION): remount if the client does not, and update the "
         "client"},
    bind =
        {SUBJECT_SESSION, FEW, "the client repeats the request on a connection that is not bound to the session",
         "the client has to bind the connection (BIND_CONN_TO_SESSION): remount if the client does not, and update the "
         "client"},
    new_client =
        {SUBJECT_REQUEST, FEW, "the client repeats the request with a client id that the server does not know",
         "the client has to get a new client id (EXCHANGE_ID, SETCLIENTID): remount if the client does not, and "
         "update the client"},
    own_name = {SUBJECT_REQUEST, FEW,
                "the client repeats the request, although another client with the same name has state there",
                "give each client a name of its own: compare the hostnames, and the module parameter nfs4_unique_id"},
    new_handle = {SUBJECT_REQUEST, SEVERAL,
                  "the client repeats the request with a file handle that the server does not accept",
                  "the client has to look the file up again: remount; look at whether the export was moved or made "
                  "again"},
    moved = {SUBJECT_REQUEST, FEW, "the client repeats the request, although the file system is at another server",
             "the client has to ask for the new place (fs_locations): look at the referral at the server, and mount "
             "the new server"},
    other_request = {SUBJECT_REQUEST, FEW, "the client repeats the same request, although the server cannot accept it",
                     "the client has to send another request: look at the Call in Wireshark, and update the side that "
                     "is wrong"},
    smaller = {SUBJECT_REQUEST, FEW, "the client repeats the same request, which is too large for the session",
               "the client has to send a smaller request, or make a session with other limits: compare rsize and "
               "wsize with the limits in CREATE_SESSION"},
    larger = {SUBJECT_REQUEST, FEW, "the client repeats the same request, whose room is too small for any answer",
              "the client has to provide more room (count, maxcount): update the client"},
    without = {SUBJECT_REQUEST, FEW, "the client repeats the request, although the server does not support it",
               "the client has to do without: update the client, or choose another version (mount option vers=)"},
    wrong_version = {SUBJECT_REQUEST, FEW, "the client repeats the request in a version that the server does not have",
                     "the client has to use another version (mount option vers=)"},
    other_user = {SUBJECT_REQUEST, SEVERAL, "the client repeats the request, although the server does not permit it",
                  "the answer does not change until someone changes the permissions: look at the user, the file's mode "
                  "and ACL, and the options of the export (ro, root_squash)"},
    other_flavor =
        {SUBJECT_REQUEST, FEW, "the client repeats the request with the same kind of credentials",
         "the client has to ask which kinds the server accepts (SECINFO): compare the mount option sec= with "
         "the export"},
    other_name = {SUBJECT_REQUEST, SEVERAL, "the client repeats the same request, although its answer does not change",
                  "look at which program on the client repeats the request, and at the directory on the server"},
    other_object = {SUBJECT_REQUEST, SEVERAL, "the client repeats the request, although the object is of another kind",
                    "the client has to look the object up again: look at who replaced it on the server, and remount"},
    mend_server = {SUBJECT_REQUEST, FEW, "the client repeats the request, and the server fails each time",
                   "the request does no harm, and the server has to be mended: look at its log and its storage"},
    make_room = {SUBJECT_REQUEST, SEVERAL, "the client repeats the request, although the server has no room",
                 "make room on the server's file system, or raise the quota: until then no attempt can succeed"},
    reclaim = {SUBJECT_REQUEST, FEW, "the client repeats the request, although the time for it is over",
               "the client has to go on without the state that it could not reclaim: remount; look at how long the "
               "server's grace period is"},
    callbacks = {SUBJECT_REQUEST, FEW, "the client repeats the request, although the server cannot reach the client",
                 "the client has to offer another path for callbacks: look at firewalls between server and client, and "
                 "remount"},
    read_layout = {SUBJECT_STATEID, FEW, "the client repeats the request at the wrong server",
                   "the client has to do this I/O at the server that its layout names: update the client"};

/* ---- the statuses ---- */

/* Kinds of operations: a status may be an ordinary answer to some. */
enum { NAMES = 1, CHECKS = 2, VERIFIES = 4, LOCKS = 8, XATTRS = 16, OPTIONS = 32 };

struct status {
    uint32_t number;
    uint8_t normal;                /* for these operations */
    struct trouble_error error[3]; /* versions 2 to 4 */
};

#define NAMED(number, name2, name3, name4, how, advice, cure, normal)                                                  \
    {                                                                                                                  \
        number, normal,                                                                                                \
        {                                                                                                              \
            {name2, advice, how, cure}, {name3, advice, how, cure},                                                    \
            {                                                                                                          \
                name4, advice, how, cure                                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FAILING(number, name, how, advice, cure, normal)                                                               \
    NAMED(number, "NFSERR_" #name, "NFS3ERR_" #name, "NFS4ERR_" #name, how, advice, cure, normal)
#define ANSWER(number, name, cure, normal) FAILING(number, name, ERROR_ANSWER, NULL, &(cure), normal)

static const struct status statuses[] = {
    NAMED(0, "NFS_OK", "NFS3_OK", "NFS4_OK", ERROR_ANSWER, NULL, NULL, 0),
    ANSWER(1, PERM, other_user, NAMES | CHECKS),
    ANSWER(2, NOENT, other_name, NAMES | XATTRS),
    FAILING(5, IO, ERROR_FAILS, storage, &mend_server, 0),
    ANSWER(6, NXIO, mend_server, OPTIONS),
    NAMED(13, "NFSERR_ACCES", "NFS3ERR_ACCES", "NFS4ERR_ACCESS", ERROR_ANSWER, NULL, &other_user, NAMES | CHECKS),
    ANSWER(17, EXIST, other_name, NAMES | XATTRS),
    ANSWER(18, XDEV, other_name, NAMES | OPTIONS),
    ANSWER(19, NODEV, other_object, 0),
    ANSWER(20, NOTDIR, other_object, NAMES),
    ANSWER(21, ISDIR, other_object, NAMES),
    ANSWER(22, INVAL, other_request, NAMES | CHECKS | LOCKS | OPTIONS),
    ANSWER(27, FBIG, make_room, CHECKS),
    FAILING(28, NOSPC, ERROR_NOTED, full, &make_room, NAMES | CHECKS),
    ANSWER(30, ROFS, other_user, NAMES | CHECKS),
    ANSWER(31, MLINK, make_room, NAMES),
    ANSWER(63, NAMETOOLONG, other_name, NAMES),
    ANSWER(66, NOTEMPTY, other_name, NAMES),
    FAILING(69, DQUOT, ERROR_NOTED, full, &make_room, NAMES | CHECKS),
    FAILING(70, STALE, ERROR_NOTED, gone, &new_handle, 0),
    ANSWER(71, REMOTE, moved, 0),
    ANSWER(99, WFLUSH, mend_server, 0),
    ANSWER(10001, BADHANDLE, new_handle, 0),
    ANSWER(10002, NOT_SYNC, other_request, CHECKS),
    ANSWER(10003, BAD_COOKIE, other_request, 0),
    ANSWER(10004, NOTSUPP, without, CHECKS | LOCKS | XATTRS | OPTIONS),
    ANSWER(10005, TOOSMALL, larger, 0),
    FAILING(10006, SERVERFAULT, ERROR_FAILS, inner, &mend_server, 0),
    ANSWER(10007, BADTYPE, other_request, 0),
    NAMED(10008, "NFSERR_DELAY", "NFS3ERR_JUKEBOX", "NFS4ERR_DELAY", ERROR_BUSY, later, &wait_first, 0),
    ANSWER(10009, SAME, other_request, VERIFIES),
    FAILING(10010, DENIED, ERROR_BUSY, later, &wait_first, LOCKS),
    FAILING(10011, EXPIRED, ERROR_FAILS, lost, &reopen, 0),
    FAILING(10012, LOCKED, ERROR_BUSY, later, &wait_first, 0),
    FAILING(10013, GRACE, ERROR_BUSY, grace, &wait_first, 0),
    ANSWER(10014, FHEXPIRED, new_handle, 0),
    FAILING(10015, SHARE_DENIED, ERROR_BUSY, later, &wait_first, NAMES),
    FAILING(10016, WRONGSEC, ERROR_PROBE, credentials, &other_flavor, 0),
    ANSWER(10017, CLID_INUSE, own_name, 0),
    FAILING(10018, RESOURCE, ERROR_FAILS, inner, &mend_server, 0),
    ANSWER(10019, MOVED, moved, 0),
    ANSWER(10020, NOFILEHANDLE, other_request, 0),
    FAILING(10021, MINOR_VERS_MISMATCH, ERROR_PROBE, version, &wrong_version, 0),
    FAILING(10022, STALE_CLIENTID, ERROR_PROBE, lost, &new_client, 0),
    FAILING(10023, STALE_STATEID, ERROR_FAILS, lost, &reopen, 0),
    ANSWER(10024, OLD_STATEID, refresh, 0),
    ANSWER(10025, BAD_STATEID, reopen, 0),
    ANSWER(10026, BAD_SEQID, owner_seqid, 0),
    ANSWER(10027, NOT_SAME, other_request, VERIFIES),
    ANSWER(10028, LOCK_RANGE, other_request, LOCKS),
    ANSWER(10029, SYMLINK, other_object, NAMES),
    ANSWER(10030, RESTOREFH, other_request, 0),
    ANSWER(10031, LEASE_MOVED, moved, 0),
    ANSWER(10032, ATTRNOTSUPP, without, 0),
    ANSWER(10033, NO_GRACE, reclaim, 0),
    ANSWER(10034, RECLAIM_BAD, reclaim, 0),
    ANSWER(10035, RECLAIM_CONFLICT, reclaim, 0),
    ANSWER(10036, BADXDR, other_request, 0),
    ANSWER(10037, LOCKS_HELD, reopen, 0),
    ANSWER(10038, OPENMODE, open_mode, 0),
    ANSWER(10039, BADOWNER, other_request, 0),
    ANSWER(10040, BADCHAR, other_name, NAMES),
    ANSWER(10041, BADNAME, other_name, NAMES),
    ANSWER(10042, BAD_RANGE, other_request, LOCKS),
    ANSWER(10043, LOCK_NOTSUPP, without, LOCKS),
    ANSWER(10044, OP_ILLEGAL, without, 0),
    FAILING(10045, DEADLOCK, ERROR_BUSY, later, &wait_first, LOCKS),
    FAILING(10046, FILE_OPEN, ERROR_BUSY, later, &wait_first, NAMES),
    FAILING(10047, ADMIN_REVOKED, ERROR_FAILS, lost, &reopen, 0),
    ANSWER(10048, CB_PATH_DOWN, callbacks, 0),
    ANSWER(10049, BADIOMODE, open_mode, 0),
    ANSWER(10050, BADLAYOUT, layout, 0),
    ANSWER(10051, BAD_SESSION_DIGEST, new_session, 0),
    FAILING(10052, BADSESSION, ERROR_FAILS, lost, &new_session, 0),
    ANSWER(10053, BADSLOT, other_slot, 0),
    ANSWER(10054, COMPLETE_ALREADY, reclaim, 0),
    ANSWER(10055, CONN_NOT_BOUND_TO_SESSION, bind, 0),
    ANSWER(10056, DELEG_ALREADY_WANTED, other_request, 0),
    FAILING(10057, BACK_CHAN_BUSY, ERROR_BUSY, later, &wait_first, 0),
    FAILING(10058, LAYOUTTRYLATER, ERROR_BUSY, later, &wait_first, 0),
    ANSWER(10059, LAYOUTUNAVAILABLE, no_layout, 0),
    ANSWER(10060, NOMATCHING_LAYOUT, layout, 0),
    FAILING(10061, RECALLCONFLICT, ERROR_BUSY, later, &wait_first, 0),
    ANSWER(10062, UNKNOWN_LAYOUTTYPE, layout, 0),
    ANSWER(10063, SEQ_MISORDERED, next_sequence, 0),
    ANSWER(10064, SEQUENCE_POS, other_request, 0),
    ANSWER(10065, REQ_TOO_BIG, smaller, 0),
    ANSWER(10066, REP_TOO_BIG, smaller, 0),
    ANSWER(10067, REP_TOO_BIG_TO_CACHE, smaller, 0),
    ANSWER(10068, RETRY_UNCACHED_REP, next_sequence, 0),
    ANSWER(10069, UNSAFE_COMPOUND, other_request, 0),
    ANSWER(10070, TOO_MANY_OPS, smaller, 0),
    ANSWER(10071, OP_NOT_IN_SESSION, other_request, 0),
    ANSWER(10072, HASH_ALG_UNSUPP, without, 0),
    FAILING(10074, CLIENTID_BUSY, ERROR_BUSY, later, &wait_first, 0),
    ANSWER(10075, PNFS_IO_HOLE, read_layout, 0),
    ANSWER(10076, SEQ_FALSE_RETRY, next_sequence, 0),
    ANSWER(10077, BAD_HIGH_SLOT, other_slot, 0),
    FAILING(10078, DEADSESSION, ERROR_FAILS, lost, &new_session, 0),
    ANSWER(10079, ENCR_ALG_UNSUPP, without, 0),
    ANSWER(10080, PNFS_NO_LAYOUT, read_layout, 0),
    ANSWER(10081, NOT_ONLY_OP, other_request, 0),
    ANSWER(10082, WRONG_CRED, other_user, 0),
    ANSWER(10083, WRONG_TYPE, other_object, NAMES),
    ANSWER(10084, DIRDELEG_UNAVAIL, without, 0),
    ANSWER(10085, REJECT_DELEG, without, 0),
    FAILING(10086, RETURNCONFLICT, ERROR_BUSY, later, &wait_first, 0),
    FAILING(10087, DELEG_REVOKED, ERROR_FAILS, lost, &reopen, 0),
    ANSWER(10088, PARTNER_NOTSUPP, without, 0),
    ANSWER(10089, PARTNER_NO_AUTH, other_user, 0),
    ANSWER(10090, UNION_NOTSUPP, without, 0),
    ANSWER(10091, OFFLOAD_DENIED, without, 0),
    ANSWER(10092, WRONG_LFS, without, 0),
    ANSWER(10093, BADLABEL, other_request, CHECKS),
    ANSWER(10094, OFFLOAD_NO_REQS, without, 0),
    ANSWER(10095, NOXATTR, other_name, XATTRS),
    ANSWER(10096, XATTR2BIG, make_room, XATTRS),
};

/* RFC 1813 section 5.1.5; versions 1 and 2 of MOUNT return numbers of UNIX errors, which are the same. */
static const struct {
    uint32_t number;
    struct trouble_error error;
} of_mount[] = {
    {0, {"MNT3_OK", NULL, ERROR_ANSWER, NULL}},
    {1, {"MNT3ERR_PERM", denied, ERROR_FAILS, NULL}},
    {2, {"MNT3ERR_NOENT", missing, ERROR_FAILS, NULL}},
    {5, {"MNT3ERR_IO", storage, ERROR_FAILS, NULL}},
    {13, {"MNT3ERR_ACCES", denied, ERROR_FAILS, NULL}},
    {20, {"MNT3ERR_NOTDIR", "the path of the mount is not a directory on the server", ERROR_FAILS, NULL}},
    {22,
     {"MNT3ERR_INVAL", "the server cannot accept the path of the mount: look at the server's log", ERROR_FAILS, NULL}},
    {63, {"MNT3ERR_NAMETOOLONG", "the path of the mount is too long for the server", ERROR_FAILS, NULL}},
    {10004, {"MNT3ERR_NOTSUPP", version, ERROR_FAILS, NULL}},
    {10006, {"MNT3ERR_SERVERFAULT", inner, ERROR_FAILS, NULL}},
};

const struct trouble_error *rpcrdma_status(uint32_t program, uint32_t version_of, uint32_t number)
{
    if (program == NFS_PROGRAM_MOUNT)
        for (size_t i = 0; i < G_N_ELEMENTS(of_mount); i++)
            if (of_mount[i].number == number)
                return &of_mount[i].error;
    if (nfs_program_is_callback(program)) /* its version may be 1 */
        program = NFS_PROGRAM, version_of = 4;
    if ((program != NFS_PROGRAM && program != NFS_PROGRAM_ACL) || version_of < 2 || version_of > 4)
        return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++)
        if (statuses[i].number == number)
            return &statuses[i].error[version_of - 2];
    return NULL;
}

/* ---- ordinary answers ---- */

static const struct {
    uint8_t version, number, kinds;
} kinds_of[] = {
    /* LOOKUP, CREATE, REMOVE, RENAME, LINK, SYMLINK, MKDIR, RMDIR, SETATTR, READDIR */
    {2, 4, NAMES},
    {2, 9, NAMES},
    {2, 10, NAMES},
    {2, 11, NAMES},
    {2, 12, NAMES},
    {2, 13, NAMES},
    {2, 14, NAMES},
    {2, 15, NAMES},
    {2, 2, CHECKS},
    {2, 16, CHECKS},
    /* LOOKUP, CREATE to LINK, SETATTR, ACCESS, READDIR, READDIRPLUS */
    {3, 3, NAMES},
    {3, 8, NAMES},
    {3, 9, NAMES},
    {3, 10, NAMES},
    {3, 11, NAMES},
    {3, 12, NAMES},
    {3, 13, NAMES},
    {3, 14, NAMES},
    {3, 15, NAMES},
    {3, 2, CHECKS},
    {3, 4, CHECKS},
    {3, 16, CHECKS},
    {3, 17, CHECKS},
    /* CREATE, LINK, LOOKUP, LOOKUPP, OPEN, OPENATTR, REMOVE, RENAME, SECINFO; ACCESS, READDIR, SETATTR */
    {4, 6, NAMES},
    {4, 11, NAMES},
    {4, 15, NAMES},
    {4, 16, NAMES},
    {4, 18, NAMES},
    {4, 19, NAMES},
    {4, 28, NAMES},
    {4, 29, NAMES},
    {4, 33, NAMES},
    {4, 3, CHECKS},
    {4, 26, CHECKS},
    {4, 34, CHECKS},
    /* VERIFY, NVERIFY; LOCK, LOCKT; the operations on extended attributes; ALLOCATE, COPY, SEEK, CLONE */
    {4, 37, VERIFIES},
    {4, 17, VERIFIES},
    {4, 12, LOCKS},
    {4, 13, LOCKS},
    {4, 72, XATTRS},
    {4, 73, XATTRS},
    {4, 74, XATTRS},
    {4, 75, XATTRS},
    {4, 59, OPTIONS},
    {4, 60, OPTIONS},
    {4, 69, OPTIONS},
    {4, 71, OPTIONS}};

bool rpcrdma_status_is_normal(uint32_t program, uint32_t version_of, uint32_t number, uint32_t status)
{
    unsigned kinds = 0;

    if (program != NFS_PROGRAM)
        return program == NFS_PROGRAM_ACL; /* an extension */
    for (size_t i = 0; i < G_N_ELEMENTS(kinds_of); i++)
        if (kinds_of[i].version == version_of && kinds_of[i].number == number)
            kinds = kinds_of[i].kinds;
    for (size_t i = 0; kinds != 0 && i < G_N_ELEMENTS(statuses); i++)
        if (statuses[i].number == status)
            return (statuses[i].normal & kinds) != 0;
    return false;
}

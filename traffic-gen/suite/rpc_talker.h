/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our side of tests of RPC-over-RDMA: an end of the stack (stack/rpc_end.h) on the talker's connection, which says what
 * is right, and lets a test say anything else: Sends as they are, and all that the hooks of the end can spoil. It hears
 * every message of the DUT; Reads of the DUT from our memory are served by the stack, and so is a DUT that is a client.
 */
#ifndef IWARP_TRAFFIC_SUITE_RPC_TALKER_H
#define IWARP_TRAFFIC_SUITE_RPC_TALKER_H

#include "traffic-gen/sim/random.h"
#include "traffic-gen/stack/rpc_end.h"
#include "traffic-gen/stack/xdr_out.h"
#include "traffic-gen/suite/nfs_run.h"
#include "traffic-gen/suite/talk.h"

enum { TALKER_REGION = 65536, TALKER_REGION_TO = 0x10000, TALKER_HELD_MAX = 64 };

/*
 * XIDs of a connection: 20 bits of the seed, so that no server's reply cache knows them, and 12 that tell what a
 * message is. The stimulus, the RPC message of a stimulus with two XIDs, whole Calls from there on, bursts.
 */
enum {
    TALKER_XID_STIMULUS = 1,
    TALKER_XID_OTHER = 2,
    TALKER_XID_CALLS = 0x010,
    TALKER_XID_FIRST = 0x200, /* a server's */
    TALKER_XID_BURST = 0x400,
    TALKER_XID_MASK = 0xFFF
};

/* A Send of the DUT. */
struct talker_heard {
    uint8_t *p;
    size_t n;
    struct rpcrdma_header header;
    bool call, taken, invalidated;
};

struct talker_wish {
    uint32_t size;               /* inline thresholds of our private data; 0: 4096 */
    const uint8_t *private_data; /* instead of ours, which would tell the size */
    uint16_t private_length;
    uint32_t credits;            /* 0: 8 */
    bool invalidation;           /* of a client: Replies by Send with Invalidate, if it tells R */
    bool no_grant;               /* do not make a first Call to learn the grant */
    bool may_close;              /* of a server: the stimulus is a reason to unmount */
    enum nfs_version_at version; /* of the files */
};

/* What a client of NFSv4 has of the server. */
struct talker_v4 {
    bool is_known, has_session;
    uint64_t client_id;
    uint8_t session[16];
    uint32_t slot, sequence; /* of the next SEQUENCE */
    uint32_t slots;
    uint32_t open_sequence; /* of the open-owner, minor version 0 */
    uint8_t stateid[16];    /* of the file */
};

/* A Call of the DUT that is not answered yet. */
struct talker_held {
    uint64_t id;
    uint32_t xid;
    struct rpc_end_message call; /* octets owned */
};

struct talk_run;

struct rpc_talker {
    struct talk *talk;
    struct stream stream;
    struct rpc_end *end;
    bool fed_end, open;
    GPtrArray *heard; /* struct talker_heard */
    struct random_source random;
    uint32_t xids;     /* all XIDs of ours begin so */
    uint32_t xid;      /* of the stimulus */
    uint32_t next_xid; /* of whole Calls */
    uint32_t grant;    /* the last that was heard in a Reply */
    /* Memory for stimuli: the same octets for remote reads and for remote writes. */
    uint8_t *region;
    uint32_t stag_read, stag_write;
    /* What rpc_end_call() brought. */
    unsigned replied;
    enum rpc_end_result result;
    struct rpc_end_message reply;
    bool terminated, terminate_ours;
    struct rdmap_terminate terminate;
    /* A DUT that is a client is served by this. */
    struct nfs_peer *peer;
    uint32_t credits; /* that it is granted */
    bool hold;        /* its Calls wait for rpc_talker_answer() */
    struct talker_held held[TALKER_HELD_MAX];
    unsigned n_held;
    unsigned served, served_wanted;
    int64_t served_at; /* when it was answered last */
    bool closed_idle;  /* its FIN came when no Call of it was outstanding */
    bool is_quiet;     /* it made no more Calls behind the stimulus */
    const char *doubt; /* what counts as a failure when it is seen each time */
    size_t tell_above; /* of its Calls, those that have more octets, */
    unsigned telling;  /* and would fit inline by the sizes that we do not tell */
    /* rpc_talker_root(), rpc_talker_file(). */
    enum nfs_version_at version;
    struct talker_v4 v4;
    uint8_t root[NFS_HANDLE_MAX], file[NFS_HANDLE_MAX];
    uint32_t root_n, file_n;
    char name[32];
    GPtrArray *names; /* what is to be removed: char * */
    char words[64];   /* of rpc_talker_result_words() */
};

/*
 * Connection, start-up, and, as client, a NULL Call, so that the grant is known. False: verdict is set; to be closed in
 * either case.
 */
bool rpc_talker_open(struct rpc_talker *talker, struct talk *talk, const struct talker_wish *wish);
/* Removes what it has made, on a connection of its own when this one is over. */
void rpc_talker_close(struct rpc_talker *talker);

/* The next thing that the DUT says within ns. */
void rpc_talker_hear(struct rpc_talker *talker, int64_t ns);
/* What the DUT says within ns, or until done() is true. */
void rpc_talker_pump(struct rpc_talker *talker, int64_t ns, bool (*done)(const struct rpc_talker *talker));

/* ---- as client ---- */

/* A Send as it is. */
void rpc_talker_send(struct rpc_talker *talker, const uint8_t *p, size_t n);
/* What changes the headers of our messages from now on; NULL: nothing. */
void rpc_talker_spoil_headers(struct rpc_talker *talker, void (*header)(void *ctx, struct rpcrdma_plan *plan));
/* A header of any kind with octets behind it, likewise. Its rdma_xid becomes talker->xid. */
void rpc_talker_send_plan(struct rpc_talker *talker, const struct rpcrdma_plan *plan, const uint8_t *p, size_t n);
/* n octets of our memory from `at` on. */
struct rpcrdma_segment rpc_talker_segment(const struct rpc_talker *talker, bool remote_write, uint32_t at, uint32_t n);
/*
 * The octets of a text: words of 8 (or fewer pairs of) hexadecimal digits, and
 *   XID   talker->xid        NULL     a NULL Call of NFS (10 words)     [N]  N octets of zero
 *   OTHER      the same under another XID
 *   R:N, W:N   a segment of N octets of our memory, for remote reads or writes (handle, length, offset); R:N@A: from
 *              octet A on
 */
GByteArray *rpc_talker_octets(const struct rpc_talker *talker, const char *text);

/* What came for an XID. */
enum rpc_answer {
    RPC_ANSWER_SUCCESS = 1,   /* MSG_ACCEPTED, SUCCESS */
    RPC_ANSWER_RPC_ERROR = 2, /* any other Reply */
    RPC_ANSWER_ERR_VERS = 4,
    RPC_ANSWER_ERR_CHUNK = 8,
    RPC_ANSWER_SILENCE = 16,
    RPC_ANSWER_GONE = 32,     /* Terminate, FIN, RST */
    RPC_ANSWER_NONSENSE = 64, /* none of these */
    RPC_ANSWER_GARBAGE = 128, /* MSG_ACCEPTED, GARBAGE_ARGS */
};
enum rpc_answer rpc_talker_await(struct rpc_talker *talker, uint32_t xid, int64_t ns);
/* The message itself; NULL: none. */
const struct talker_heard *rpc_talker_find(const struct rpc_talker *talker, uint32_t xid);
const char *rpc_answer_words(enum rpc_answer answer);

/* Of NFS, for NULL Calls. */
uint32_t rpc_talker_null_version(const struct rpc_talker *talker);
/* A NULL Call under an XID of its own is answered. False: verdict is set, failed. */
bool rpc_talker_alive(struct rpc_talker *talker);
/* Whole Calls by the end. The header of a Call with AUTH_SYS, to which arguments are added. */
void rpc_talker_begin(struct rpc_talker *talker, struct xdr_out *out, uint32_t program, uint32_t version,
                      uint32_t procedure);
/* Takes out; true when a Reply came: talker->reply; its results begin at talker_results(). */
bool rpc_talker_call(struct rpc_talker *talker, struct xdr_out *out, const struct rpc_end_how *how);
/* MSG_ACCEPTED and SUCCESS; *results: behind the header. */
bool rpc_talker_results(const struct rpc_talker *talker, struct xdr *results);

/* ---- NFS, as client ---- */

/*
 * Which versions the server speaks, and the handles of the export's root: asked once in a run, on connections of its
 * own. Before the case has one.
 */
void rpc_talker_learn(struct talk *talk);
/*
 * A case once for each of these versions that the user wants and the server speaks; its verdict is put together from
 * those of one(), which is given a fresh connection each time.
 */
void rpc_talker_each_version(struct talk *talk, const struct suite_case *row, unsigned versions,
                             const struct talker_wish *wish,
                             void (*one)(struct rpc_talker *talker, const struct suite_case *row));
/* The first of those versions. False: verdict is set (not applicable). */
bool rpc_talker_first_version(struct talk *talk, enum nfs_version_at *version);

/* The export's root: a handle in talker->root; with NFSv4 the server knows us then. False: verdict is set. */
bool rpc_talker_root(struct rpc_talker *talker);
/* A file of ours in it, open, in talker->file; its name in talker->name. False: verdict is set (not applicable). */
bool rpc_talker_file(struct rpc_talker *talker);
/* What the end of a case needs: files closed and removed, the session given up. */
void rpc_talker_leave(struct rpc_talker *talker);
/* Names (char *) of a connection that is over are removed on another one. */
void rpc_talker_clear_up(struct talk_run *run, enum nfs_version_at version, GPtrArray *names);
/* A name that nobody has, to be removed in the end. Borrowed. */
const char *rpc_talker_new_name(struct rpc_talker *talker);
/* It is removed: false when that failed. */
bool rpc_talker_remove(struct rpc_talker *talker, const char *name);

/*
 * A procedure of version 3, or a COMPOUND of version 4 with so many operations behind those that every one needs
 * (SEQUENCE; PUTFH with the handle, when handle is not NULL).
 */
void rpc_talker_begin_nfs(struct rpc_talker *talker, struct xdr_out *out, uint32_t procedure, const uint8_t *handle,
                          uint32_t handle_n, unsigned operations);
/* A WRITE of n octets, which are to follow (xdr_out_eligible()), and a READ of n octets, of the file from 0 on. */
void rpc_talker_begin_write(struct rpc_talker *talker, struct xdr_out *out, uint32_t n);
void rpc_talker_begin_read(struct rpc_talker *talker, struct xdr_out *out, uint32_t n);
/* The status of what was answered; UINT32_MAX: there is none. */
uint32_t rpc_talker_status(const struct rpc_talker *talker);
/* One that has its reason outside the message: no space, no right, not now. */
bool rpc_talker_is_circumstance(uint32_t status);
/* What rpc_talker_call() has brought: "NFS status 70 (STALE)", "RDMA_ERROR with ERR_CHUNK", "no answer". */
const char *rpc_talker_result_words(struct rpc_talker *talker);
/* The Call of `out` goes out as rpc_talker_call() sends it, and succeeds for NFS, too. False: verdict is set. */
bool rpc_talker_succeeds(struct rpc_talker *talker, struct xdr_out *out, const struct rpc_end_how *how);

/* ---- as server ---- */

/*
 * A case on the device's next connection, and on another one, up to three in all, when the device has unmounted before
 * there was a verdict. When it unmounts each time, or makes no more Calls, another connection shows whether that is
 * because of the stimulus (failed) or not (inconclusive).
 */
void rpc_talker_with_client(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish,
                            void (*one)(struct rpc_talker *talker, const struct suite_case *row));
/* What a timer of the device may explain once: seen on each of these connections it is a failure. Borrowed. */
void rpc_talker_doubt(struct rpc_talker *talker, const char *what);
/* The device has closed by FIN with no Call outstanding: an unmount does so, and says nothing of any rule. */
bool rpc_talker_unmounted(const struct rpc_talker *talker);
/* The same; true: verdict is set (inconclusive). */
bool rpc_talker_tell_unmounted(struct rpc_talker *talker);

/* At least n Calls of the DUT wait for their answers. False: verdict is set (inconclusive). */
bool rpc_talker_wait_calls(struct rpc_talker *talker, unsigned n);
/* Serves until n more Calls have been answered. False: they have not come. */
bool rpc_talker_serve(struct rpc_talker *talker, unsigned n, int64_t ns);
/* Serves on until the DUT has made a Call behind what our side said last. False: it has not, within T_close. */
bool rpc_talker_goes_on(struct rpc_talker *talker);
/* The same as a verdict; what: the stimulus. */
void rpc_talker_judge_goes_on(struct rpc_talker *talker, const char *what);
/* The proper Reply: to a Call that waits, to any. */
void rpc_talker_answer(struct rpc_talker *talker, unsigned index);
void rpc_talker_serve_call(struct rpc_talker *talker, uint64_t id, const struct rpc_end_message *call);

#endif

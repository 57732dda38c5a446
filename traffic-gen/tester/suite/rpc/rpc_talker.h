/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our side of the RPC-over-RDMA cases: an end of the stack (traffic-gen/ends/stack/rpc_end.h) on the talker's
 * connection. The end conforms; a case can send anything else with statements of scripts. The talker receives every
 * message of the DUT; the stack serves the DUT's Reads from our memory, and the Calls of a DUT that is a client.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_TALKER_H
#define IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_TALKER_H

#include "traffic-gen/ends/stack/rpc_end.h"
#include "traffic-gen/ends/stack/xdr_out.h"
#include "traffic-gen/speak/sim/random.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/talk/talk.h"

enum { TALKER_REGION = 65536, TALKER_HELD_MAX = 64, TALKER_PRIVATE_MAX = 64, TALKER_LINKS_MAX = 8 };

/*
 * XIDs of a connection: 20 bits from the seed, so that no server's reply cache knows them, and 12 bits for the kind of
 * message: the stimulus, the RPC message of a stimulus with two XIDs, whole Calls, bursts.
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
    uint32_t size;     /* inline thresholds of our private data; 0: 4096 */
    bool says_private; /* private data for this case; else ours, which advertise the size */
    uint8_t private_data[TALKER_PRIVATE_MAX];
    uint16_t private_length;
    uint32_t credits;            /* 0: 8 */
    bool invalidation;           /* to a client: Replies use Send with Invalidate if it sets R */
    bool no_grant;               /* does not make a first Call to learn the grant */
    bool alone;                  /* its own connection, even with --reuse */
    bool may_close;              /* as server: the stimulus justifies an unmount */
    bool backchannel;            /* sessions have a backchannel on their connection, for Calls that fit inline */
    enum nfs_version_at version; /* of the files */
    unsigned versions;           /* runs a case for each of these, 1 << enum nfs_version_at; 0: all */
    bool again;                  /* after another connection, with the usual wishes */
};

/* State of an NFSv4 client. */
struct talker_v4 {
    bool is_known, has_session;
    uint64_t owner, verifier; /* identify the client; owner 0: both are new each time */
    uint64_t client_id, confirm;
    uint32_t client_sequence; /* of CREATE_SESSION */
    uint8_t session[16];
    uint32_t slot, sequence; /* of the next SEQUENCE */
    uint32_t slots;
    uint32_t open_sequence; /* of the open-owner, minor version 0 */
    uint8_t stateid[16];    /* of the file */
};

/* The connection, as its port knows it. */
struct talker_line {
    void *state;             /* owned by the port: carries its stream; NULL: none, else g_free()d */
    bool up, ended, orderly; /* state of the end */
    unsigned noticed;        /* number of its events */
};

/* The device's private data. */
struct talker_peer {
    bool tells;                       /* they follow RFC 8797, */
    struct rpcrdma_private_data data; /* with these values */
};

/* Memory for stimuli: the same octets for remote reads and remote writes. */
struct talker_memory {
    uint8_t *region;
    uint32_t stag_read, stag_write;
};

/* The result of rpc_end_call(). */
struct talker_reply {
    unsigned n;
    enum rpc_end_result result;
    struct rpc_end_message message;
};

/* For a DUT that is a client, our server: rpc_talker_serve.c. */
struct talker_server {
    struct nfs_peer *peer;
    uint32_t credits; /* granted to the client */
    bool hold;        /* its Calls wait until rpc_talker_answer() */
    struct talker_held {
        uint64_t id;
        uint32_t xid;
        struct rpc_end_message call; /* octets owned */
    } held[TALKER_HELD_MAX];         /* Calls of the DUT without an answer so far */
    unsigned n_held;
    unsigned served, wanted;
    int64_t served_at;  /* when it was last answered */
    bool left_early;    /* cannot be judged: the connection ended before the stimulus, or without a Call */
    bool closed_idle;   /* the device's FIN came when none of its Calls was outstanding */
    bool is_quiet;      /* made no more Calls after the stimulus */
    const char *doubt;  /* counts as a failure if seen each time */
    size_t shows_above; /* number of its Calls that have more octets than this, */
    unsigned showing;   /* but would fit inline by sizes that we do not advertise */
};

/* Set by rpc_talker_root(), rpc_talker_file(). */
struct talker_files {
    enum nfs_version_at version;
    bool has_backchannel;
    uint8_t root[NFS_HANDLE_MAX], file[NFS_HANDLE_MAX];
    uint32_t root_n, file_n;
    char name[32];
    GPtrArray *names; /* files to be removed at the end: char * */
};

/* Symbolic links that the case has created: rpc_talker_calls.c. */
struct talker_links {
    struct talker_link {
        char name[32];
        uint32_t n; /* length of its text */
    } link[TALKER_LINKS_MAX];
    unsigned n;
};

/* The last Call of a statement: rpc_talker_calls.c. */
struct talker_last {
    uint32_t asked;                                     /* octets that the last `read` or `readlink` must return */
    const struct talker_link *wanted[TALKER_LINKS_MAX]; /* for the last `readlinks`; NULL: not a link */
    unsigned n_wanted;
    size_t chunks[RPC_END_ITEMS_MAX]; /* the Write chunks of that Call, as in struct rpc_end_how */
};

struct talk_run;
struct rpc_port;

/* Actions of the device; see traffic-gen/tester/suite/rpc/rpc_port.h. */
enum rpc_port_event {
    RPC_PORT_SILENCE,
    RPC_PORT_HEARD,  /* the end received something: a message, a Read or Write, or the completion of our work */
    RPC_PORT_CLOSED, /* the connection ended in order */
    RPC_PORT_BROKEN, /* the connection ended otherwise */
};

struct rpc_talker {
    struct talk *talk;
    const struct rpc_port *port;
    struct talker_line line;
    struct rpc_end *end;
    bool fed_end, open;
    bool is_usual; /* as any case would open it: other cases can continue on it */
    bool waited;   /* the device accepted the connection only after refusing it for a while */
    struct talker_peer peer;
    GPtrArray *heard; /* struct talker_heard */
    struct random_source random;
    uint32_t xids;     /* common first part of our XIDs */
    uint32_t xid;      /* for the stimulus */
    uint32_t next_xid; /* for whole Calls */
    uint32_t grant;    /* of the last Reply */
    struct talker_memory memory;
    struct talker_reply reply;
    /* An error has ended the connection: our Terminate, or an error of the RDMA device. */
    bool terminated;
    enum qp_status error; /* QP_REMOTE_ERROR: a Terminate from the device */
    uint32_t size;        /* of our Receive buffers */
    struct talker_server server;
    struct talker_files files;
    struct talker_v4 v4;
    char words[64];   /* for rpc_talker_result_words() */
    uint32_t awaited; /* XID, for rpc_talker_await() */
    unsigned said_at; /* number of messages heard before the last statement */
    struct talker_links links;
    struct talker_last last;
};

/*
 * Connects and starts up; as client also makes a NULL Call to learn the grant. False: verdict is set; close the talker
 * in either case.
 */
bool rpc_talker_open(struct rpc_talker *talker, struct talk *talk, const struct talker_wish *wish);
/* Removes the files that it made, on a separate connection if this one is over. */
void rpc_talker_close(struct rpc_talker *talker);
/* Ends the connection, in order if possible; the talker has no connection then. */
void rpc_talker_let_go(struct rpc_talker *talker);

/* Whether this host's RDMA device failed to connect, which says nothing about the device under test. */
bool rpc_talker_failed_here(const struct rpc_talker *talker);
/* How the connection ended: "a Terminate", "a Send that is too long for our Receive buffer". */
const char *rpc_talker_end_words(const struct rpc_talker *talker);

/* Registers zeroed memory for stimuli. */
void rpc_talker_offer(struct rpc_talker *talker);

/* Receives the DUT's next message within ns. */
enum rpc_port_event rpc_talker_hear(struct rpc_talker *talker, int64_t ns);
/* Receives the DUT's messages within ns, or until done() is true. */
void rpc_talker_pump(struct rpc_talker *talker, int64_t ns, bool (*done)(const struct rpc_talker *talker));

/* ---- as client ---- */

/* Posts the case's own work. False: impossible by now. */
bool rpc_talker_post(struct rpc_talker *talker, const struct qp_work *work);
/* Forwards the end's messages to the talker, from here on. */
void rpc_talker_listen(struct rpc_talker *talker);

/* The answer to an XID. */
enum rpc_answer {
    RPC_ANSWER_SUCCESS = 1,   /* MSG_ACCEPTED, SUCCESS */
    RPC_ANSWER_RPC_ERROR = 2, /* another RPC reply */
    RPC_ANSWER_ERR_VERS = 4,
    RPC_ANSWER_ERR_CHUNK = 8,
    RPC_ANSWER_SILENCE = 16,
    RPC_ANSWER_GONE = 32,     /* Terminate, FIN, RST */
    RPC_ANSWER_NONSENSE = 64, /* any other answer */
    RPC_ANSWER_GARBAGE = 128, /* MSG_ACCEPTED, GARBAGE_ARGS */
    /* Other statuses in place of a success: */
    RPC_ANSWER_BADXDR = 256,    /* NFS4ERR_BADXDR */
    RPC_ANSWER_NFS_ERROR = 512, /* any NFS status except OK and BADXDR */
};
enum rpc_answer rpc_talker_await(struct rpc_talker *talker, uint32_t xid, int64_t ns);
/* The message with the answer; NULL: none. */
const struct talker_heard *rpc_talker_find(const struct rpc_talker *talker, uint32_t xid);
/*
 * The answer since the last statement, for every verdict that says "no answer": any message of the device except Calls
 * and answers to whole Calls of ours, in words; NULL: none. Messages with any XID count, and so do parts of a message,
 * and Reads and Writes, except those of the chunks of a Call that is not odd.
 */
const char *rpc_talker_other_answer(struct rpc_talker *talker);
/* The latest Call of a DUT that is a client. */
const struct talker_heard *rpc_talker_find_call(const struct rpc_talker *talker, uint32_t xid);
/* The octets after the header of an inline Reply. False: not an inline Reply, or NULL. */
bool rpc_talker_heard_results(const struct talker_heard *heard, struct xdr *results);
/* The NFS status in the answer to the latest Call by hand; UINT32_MAX: none. */
uint32_t rpc_talker_heard_status(const struct rpc_talker *talker);
const char *rpc_answer_words(enum rpc_answer answer);
/* The same for the answer to the last statement: a message with another XID is not silence. */
const char *rpc_talker_found_words(struct rpc_talker *talker, enum rpc_answer answer);
/* Classifies a message of the DUT, whichever Call it answers. */
enum rpc_answer rpc_talker_kind(const struct talker_heard *heard);

/* The NFS version for NULL Calls. */
uint32_t rpc_talker_null_version(const struct rpc_talker *talker);
/* Whether a NULL Call with its own XID is answered. False: verdict is set (failed). */
bool rpc_talker_alive(struct rpc_talker *talker);
/* Whole Calls through the end: begins a Call with AUTH_SYS; the caller appends the arguments. */
void rpc_talker_begin(struct rpc_talker *talker, struct xdr_out *out, uint32_t program, uint32_t version,
                      uint32_t procedure);
/* Frees out. True when a Reply came: it is in talker->reply.message, and rpc_talker_results() finds its results. */
bool rpc_talker_call(struct rpc_talker *talker, struct xdr_out *out, const struct rpc_end_how *how);
/* Whether the Reply has MSG_ACCEPTED and SUCCESS; *results: the octets after the header. */
bool rpc_talker_results(const struct rpc_talker *talker, struct xdr *results);

/* ---- NFS, as client ---- */

/*
 * Finds the versions that the server speaks, and the handles of the export's root: once in a run, on separate
 * connections, before the case opens its own.
 */
void rpc_talker_learn(struct talk *talk);
/* Whether the server's host answers that program over TCP at the port from rpcbind. False: verdict is set. */
bool rpc_talker_over_tcp(struct talk *talk, const char *name, uint32_t program, uint32_t version);
/*
 * Runs row->on() for each version in wish->versions that the user wants and the server speaks, each on a fresh
 * connection, and combines the verdicts.
 */
void rpc_talker_each_version(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish);
/* The first such version. False: verdict is set (not applicable). */
bool rpc_talker_first_version(struct talk *talk, enum nfs_version_at *version);

/* Gets the export's root: its handle in talker->files.root; an NFSv4 server then knows us. False: verdict is set. */
bool rpc_talker_root(struct rpc_talker *talker);
/* Creates and opens a file in the root (file and name in talker->files). False: verdict is set (not applicable). */
bool rpc_talker_file(struct rpc_talker *talker);
/* Ends a case: closes and removes files, destroys the session. */
void rpc_talker_leave(struct rpc_talker *talker);
/* Removes the names (char *) of a finished connection on another connection. */
void rpc_talker_clear_up(struct talk_run *run, enum nfs_version_at version, GPtrArray *names);
/* A new name, which is removed at the end. Borrowed. */
const char *rpc_talker_new_name(struct rpc_talker *talker);

/*
 * Sends a Call of NFS through our end: write len=N or read len=N (the case's file), create len=N (a link with a text of
 * N octets; links=N: N links), readlink len=N, getattr (of the root), lookup (of the file), readdir len=N (of the
 * root), with version 3 setacl len=N (of the file, for N users) and getacl, and readlinks of=A/B: a COMPOUND that reads
 * these links, 0 being the case's first link, or - the root, which is not a link.
 *   read            the item goes into a Read chunk; keep: it does not; pz: the message, into a Position-Zero chunk
 *   write=N         a Write chunk for the result, write=N/M/- one for each, the last without segments; segments=N of
 *                   each chunk
 *   reply=N         the Reply may have N octets: a Reply chunk if these do not fit inline
 * Or sends a statement of scripts without its side (traffic-gen/speak/say/rpc_script.h), and does not wait for an
 * answer. Our end supplies missing values: the XID talker->xid (which xid=N sets), its credits, memory of
 * talker->memory.region.
 *   call write ...  such a Call with chunks as the words say, right or wrong; reduce=handle, reduce=name are items, too
 *   call null       a NULL Call of NFS; `reply null`: a successful Reply to it
 *   reply, error    answer the DUT's Call with talker->xid
 * False: verdict is set.
 */
bool rpc_talker_say(struct rpc_talker *talker, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* What is heard from here on is about the next message. due: a set of enum talk_due that does not answer the message.
 */
void rpc_talker_mark(struct rpc_talker *talker, unsigned due);
/* The parts of a `call`: a statement; `call WORDS` with a message from the caller, which begins with its XID. */
bool rpc_talker_say_statement(struct rpc_talker *talker, const char *text);
bool rpc_talker_say_call(struct rpc_talker *talker, const struct xdr_out *out, const char *words);
/* Whether the Reply has the octets that `read` or `readlink` must return, or the first *n of them; n NULL: all. */
bool rpc_talker_holds(const struct rpc_talker *talker, uint32_t *n);
/* The number of correct texts among the results of `readlinks`, up to the first that failed. */
bool rpc_talker_holds_links(const struct rpc_talker *talker);
/* The NFS status of the Reply; UINT32_MAX: none. */
uint32_t rpc_talker_status(const struct rpc_talker *talker);
/* The result of rpc_talker_call(): "NFS status 70 (STALE)", "RDMA_ERROR with ERR_CHUNK", "no answer". */
const char *rpc_talker_result_words(struct rpc_talker *talker);
/* A status that the message did not cause: no space, no permission, not now. */
bool rpc_talker_is_circumstance(uint32_t status);
/* Whether the NFS status is OK. False: verdict is set. */
bool rpc_talker_succeeded(struct rpc_talker *talker);

/* ---- as server ---- */

/*
 * Runs row->on() on the device's next connection, and on up to two more if the device unmounts before there is a
 * verdict. If it unmounts each time, or makes no more Calls, one more connection shows whether the stimulus is the
 * cause (failed) or not (inconclusive).
 */
void rpc_talker_with_client(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish);
/* Notes behaviour that a timer of the device may explain once, but not on each connection. The text is static. */
void rpc_talker_doubt(struct rpc_talker *talker, const char *what);
/* Whether the device has sent FIN with no Call outstanding, as for an unmount: this breaks no rule. */
bool rpc_talker_unmounted(const struct rpc_talker *talker);
/* The same; true: verdict is set (inconclusive). */
bool rpc_talker_judge_unmounted(struct rpc_talker *talker);
/* Whether the device has ended the connection in any way before a stimulus; true: verdict is set (inconclusive). */
bool rpc_talker_left_early(struct rpc_talker *talker);

/* Waits until at least n Calls of the DUT are pending. False: verdict is set (inconclusive). */
bool rpc_talker_wait_calls(struct rpc_talker *talker, unsigned n);
/* Serves until n more Calls have been answered. False: they did not come. */
bool rpc_talker_serve(struct rpc_talker *talker, unsigned n, int64_t ns);
/*
 * Serves until the DUT has made a Call after our last message, and says whether it did so within T_close. what: the
 * stimulus; NULL: as in the row.
 */
void rpc_talker_judge_continues(struct rpc_talker *talker, const char *what);
/* Sends the proper Reply: to a pending Call, to any Call. */
void rpc_talker_answer(struct rpc_talker *talker, unsigned index);
/* Answers a pending Call with an error. */
void rpc_talker_drop(struct rpc_talker *talker, unsigned index);
/* The pending Call with talker->xid; talker->server.n_held: none, so it must not be answered or dropped. */
unsigned rpc_talker_held(const struct rpc_talker *talker);
void rpc_talker_serve_call(struct rpc_talker *talker, uint64_t id, const struct rpc_end_message *call);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our side of tests of RPC-over-RDMA: an end of the stack (stack/rpc_end.h) on the talker's connection, which says what
 * is right, and lets a test say anything else: Sends as they are, and all that the hooks of the end can spoil. It hears
 * every message of the DUT; Reads of the DUT from our memory are served by the stack, and so is a DUT that is a client.
 */
#ifndef IWARP_TRAFFIC_TEST_RPC_BENCH_H
#define IWARP_TRAFFIC_TEST_RPC_BENCH_H

#include "traffic-gen/stack/nfs_server.h"
#include "traffic-gen/stack/rpc_end.h"
#include "traffic-gen/stack/xdr_out.h"
#include "traffic-gen/test/talk.h"

enum { BENCH_REGION = 65536, BENCH_HANDLE_MAX = 64, BENCH_HELD_MAX = 64 };

/* A Send of the DUT. */
struct bench_heard {
    uint8_t *p;
    size_t n;
    struct rpcrdma_header header;
    bool call, taken, invalidated;
};

struct bench_wish {
    uint32_t size;               /* inline thresholds of our private data; 0: 4096 */
    const uint8_t *private_data; /* instead of ours, which would tell the size */
    uint16_t private_length;
    uint32_t credits;  /* 0: 8 */
    bool invalidation; /* of a client: Replies by Send with Invalidate, if it tells R */
    bool no_grant;     /* do not make a first Call to learn the grant */
};

/* A Call of the DUT that is not answered yet. */
struct bench_held {
    uint64_t id;
    uint32_t xid;
    struct rpc_end_message call; /* octets owned */
};

struct rpc_bench {
    struct talk *talk;
    struct stream stream;
    struct rpc_end *end;
    bool fed_end, open;
    GPtrArray *heard;  /* struct bench_heard */
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
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    uint32_t credits; /* that it is granted */
    bool hold;        /* its Calls wait for rpc_bench_answer() */
    struct bench_held held[BENCH_HELD_MAX];
    unsigned n_held;
    unsigned served, served_wanted;
    /* rpc_bench_root(), rpc_bench_file(): of NFS version 3. */
    uint8_t root[BENCH_HANDLE_MAX], file[BENCH_HANDLE_MAX];
    uint32_t root_n, file_n;
    char name[32];
};

/*
 * Connection, start-up, and, as client, a NULL Call, so that the grant is known. False: verdict is set; to be closed in
 * either case.
 */
bool rpc_bench_open(struct rpc_bench *bench, struct talk *talk, const struct bench_wish *wish);
void rpc_bench_close(struct rpc_bench *bench);

/* What the DUT says within ns, or until done() is true. */
void rpc_bench_pump(struct rpc_bench *bench, int64_t ns, bool (*done)(const struct rpc_bench *bench));

/* ---- as client ---- */

/* A Send as it is. */
void rpc_bench_send(struct rpc_bench *bench, const uint8_t *p, size_t n);
/* What changes the headers of our messages from now on; NULL: nothing. */
void rpc_bench_spoil_headers(struct rpc_bench *bench, void (*header)(void *ctx, struct rpcrdma_plan *plan));
/* A header of any kind with octets behind it, likewise. Its rdma_xid becomes bench->xid. */
void rpc_bench_send_plan(struct rpc_bench *bench, const struct rpcrdma_plan *plan, const uint8_t *p, size_t n);
/* n octets of our memory from `at` on. */
struct rpcrdma_segment rpc_bench_segment(const struct rpc_bench *bench, bool remote_write, uint32_t at, uint32_t n);
/*
 * The octets of a text: words of 8 (or fewer pairs of) hexadecimal digits, and
 *   XID   bench->xid        NULL     a NULL Call of NFS version 3 (10 words)     [N]  N octets of zero
 *   R:N, W:N   a segment of N octets of our memory, for remote reads or writes (handle, length, offset); R:N@A: from
 *              octet A on
 */
GByteArray *rpc_bench_octets(const struct rpc_bench *bench, const char *text);

/* What came for an XID. */
enum bench_answer {
    BENCH_SUCCESS = 1,   /* MSG_ACCEPTED, SUCCESS */
    BENCH_RPC_ERROR = 2, /* any other Reply */
    BENCH_ERR_VERS = 4,
    BENCH_ERR_CHUNK = 8,
    BENCH_SILENCE = 16,
    BENCH_GONE = 32,     /* Terminate, FIN, RST */
    BENCH_NONSENSE = 64, /* none of these */
    BENCH_GARBAGE = 128, /* MSG_ACCEPTED, GARBAGE_ARGS */
};
enum bench_answer rpc_bench_await(struct rpc_bench *bench, uint32_t xid, int64_t ns);
/* The message itself; NULL: none. */
const struct bench_heard *rpc_bench_find(const struct rpc_bench *bench, uint32_t xid);
const char *bench_answer_words(enum bench_answer answer);

/* A NULL Call under an XID of its own is answered. False: verdict is set, failed. */
bool rpc_bench_alive(struct rpc_bench *bench);
/* Whole Calls by the end. The header of a Call with AUTH_SYS, to which arguments are added. */
void rpc_bench_begin(struct rpc_bench *bench, struct xdr_out *out, uint32_t program, uint32_t version,
                     uint32_t procedure);
/* Takes out; true when a Reply came: bench->reply; its results begin at bench_results(). */
bool rpc_bench_call(struct rpc_bench *bench, struct xdr_out *out, const struct rpc_end_how *how);
/* MSG_ACCEPTED and SUCCESS; *results: behind the header. */
bool rpc_bench_results(const struct rpc_bench *bench, struct xdr *results);

/* The export's root, and a file of ours in it, as handles of NFS version 3. False: verdict is set (not applicable). */
bool rpc_bench_root(struct rpc_bench *bench);
bool rpc_bench_file(struct rpc_bench *bench);

/* ---- as server ---- */

/* At least n Calls of the DUT wait for their answers. False: verdict is set (inconclusive). */
bool rpc_bench_wait_calls(struct rpc_bench *bench, unsigned n);
/* Serves until n more Calls have been answered. False: they have not come. */
bool rpc_bench_serve(struct rpc_bench *bench, unsigned n, int64_t ns);
/* Serves on until the DUT has made a Call behind what our side said last. False: it has not, within T_close. */
bool rpc_bench_goes_on(struct rpc_bench *bench);
/* The proper Reply. */
void rpc_bench_answer(struct rpc_bench *bench, unsigned index);

#endif

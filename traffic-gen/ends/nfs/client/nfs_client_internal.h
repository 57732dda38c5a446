/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is a series of phases; a phase takes steps; a step is one RPC, which each version names in a table. A version
 * lacks the steps that it does not need.
 */
#ifndef IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_INTERNAL_H

#include "traffic-gen/ends/nfs/client/nfs_client.h"
#include "traffic-gen/ends/stack/nfs_fields.h"
#include "traffic-gen/speak/sim/random.h"
#include "wire/nfs.h"

enum {
    CLIENT_HANDLE_MAX = 128,
    CLIENT_FLIGHTS_MAX = 16,
    CLIENT_TARGET_MAX = 4096,
    CLIENT_DELEGATIONS_MAX = 4,
    CLIENT_STATUS_OK = 0,
    CLIENT_STATUS_DELAY = 10008,          /* NFS3ERR_JUKEBOX, NFS4ERR_DELAY */
    CLIENT_STATUS_MALFORMED = UINT32_MAX, /* the Reply cannot be decoded */
};

enum client_step_kind {
    STEP_NULL,
    STEP_MOUNT, /* the root's handle, by MOUNT or PUTROOTFH */
    STEP_UNMOUNT,
    STEP_LIMITS, /* sizes of READ and WRITE */
    STEP_CLIENT, /* SETCLIENTID, EXCHANGE_ID */
    STEP_CONFIRM,
    STEP_SESSION,
    STEP_RECLAIMED,
    STEP_RETURN, /* of all delegations */
    STEP_END_SESSION,
    STEP_END_CLIENT,
    STEP_LOOKUP,
    STEP_CREATE, /* a file, or open the existing one */
    STEP_OPEN,
    STEP_OPEN_CONFIRM,
    STEP_WRITE,
    STEP_COMMIT,
    STEP_READ,
    STEP_CLOSE,
    STEP_LIST,
    STEP_ATTRIBUTES,
    STEP_ACCESS,
    STEP_TRUNCATE,
    STEP_MKDIR,
    STEP_SYMLINK,
    STEP_READLINK,
    STEP_RENAME,
    STEP_LINK,
    STEP_REMOVE,
    STEP_RMDIR,
    STEP_STATFS,
    STEPS
};

struct client_handle {
    uint8_t p[CLIENT_HANDLE_MAX];
    uint32_t n;
};

struct client_name {
    const char *p;
    uint32_t n;
};

struct client_step {
    enum client_step_kind kind;
    struct client_handle handle, other; /* the target; RENAME, LINK: the second directory */
    struct client_name name, new_name;
    uint64_t at; /* offset, cookie, size */
    uint64_t verifier;
    uint32_t n;
    unsigned slot; /* set when the step is sent; from the session, too */
};

struct client_answer {
    uint32_t status;
    struct client_handle handle; /* MOUNT, LOOKUP, CREATE, OPEN */
    bool needs_lookup;           /* CREATE without a handle in its results */
    bool needs_confirm;          /* OPEN of version 4.0 */
    const uint8_t *p;            /* READ, READLINK */
    uint32_t n;                  /* of p; WRITE: octets written */
    bool eof;                    /* READ, READDIR */
    uint64_t cookie, verifier;   /* READDIR: of the last entry; WRITE, COMMIT: verifier */
    unsigned entries;            /* READDIR, without "." and ".." */
    bool has_size;
    uint64_t size;
};

/* The input for a step's arguments. */
struct client_values {
    const struct nfs_client *client;
    const struct client_step *step;
    struct nfs_fields fields;
    uint8_t *data; /* of WRITE */
    char id[40];   /* nfs_client_id4 */
};

/* Takes those results that not all versions have; false: invalid results. */
#define CLIENT_TAKE(name)                                                                                              \
    bool name(struct nfs_client *client G_GNUC_UNUSED, const struct nfs_results *results G_GNUC_UNUSED,                \
              struct client_answer *answer G_GNUC_UNUSED)

/* How a version makes the RPC of a step: the operations of a COMPOUND, or a procedure with parameters. */
struct client_rpc {
    const char *procedure; /* NULL: COMPOUND */
    const char *words;     /* as in struct nfs_options.ops */
    CLIENT_TAKE((*take));
};

struct client_dialect {
    uint32_t version;
    uint32_t reply_octets, link_octets; /* octets of a Reply around data; the longest text of a link */
    struct client_rpc rpcs[STEPS];      /* without procedure and words: the step does not exist */
    /* Before and after the jobs; ended by STEP_NULL. */
    enum client_step_kind before[8], after[4];
};

extern const struct client_dialect client_v2, client_v3, client_v40, client_v41;

struct client_flight {
    bool is_used, is_waiting; /* waiting: to be sent again */
    uint32_t xid;
    struct client_step step;
};

struct client_delegation {
    bool is_held;
    bool is_wanted;  /* back */
    unsigned slot_1; /* 1 + slot of the COMPOUND that returns it; 0: none */
    uint8_t stateid[16];
    struct client_handle handle;
};

struct client_v4 {
    uint64_t client_id, client_verifier;
    uint8_t session[16], stateid[16];
    uint32_t sequence;                  /* of CREATE_SESSION */
    uint32_t open_seq;                  /* of the open-owner, version 4.0 */
    uint32_t slots[CLIENT_FLIGHTS_MAX]; /* sequence ids */
    uint64_t confirm;
    struct client_delegation delegations[CLIENT_DELEGATIONS_MAX];
    uint32_t back_sequence; /* of the last CB_SEQUENCE */
    GByteArray *back_reply; /* and its results; NULL: none yet */
};

enum client_stage { CLIENT_BEFORE, CLIENT_JOBS, CLIENT_AFTER, CLIENT_FINISHED };

struct nfs_client {
    struct nfs_client_options options;
    struct nfs_client_events events;
    const struct client_dialect *dialect;
    const struct nfs_job *jobs;
    unsigned n_jobs;
    struct random_source random;
    uint32_t xid;
    struct nfs_client_report report;
    char *trouble;
    int64_t again_ns; /* when waiting steps are sent again; 0: not known yet */
    int64_t first_delay_ns, first_ns;
    bool is_delayed; /* started, but nothing sent yet */

    enum client_stage stage;
    unsigned index; /* in BEFORE and AFTER: of the step; otherwise of the job */
    unsigned phase; /* of the job */
    struct client_flight flights[CLIENT_FLIGHTS_MAX];
    unsigned in_flight;
    bool is_draining; /* the job has ended, but some of its Replies have not come */

    uint32_t read_max, write_max; /* octets of one READ, WRITE */
    struct client_handle root;
    struct client_v4 v4;

    /* Of the current job. */
    struct client_handle at, saved; /* the current position of the walk */
    const char *rest;               /* of the path */
    struct client_name name;        /* the last name of the path */
    struct client_name saved_name;
    uint64_t done, taken; /* octets answered, octets asked for */
    unsigned count;
    uint64_t cookie, verifier;
    bool has_verifier; /* of the WRITEs */
    char text[24];
};

/* Sends a step. False if the version has no such step. */
bool client_send(struct nfs_client *client, const struct client_step *step);
void client_fail(struct nfs_client *client, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* nfs_client_jobs.c: continues the current job; answer NULL: begins it. True when it is done. */
bool client_job_step(struct nfs_client *client, const struct client_step *step, const struct client_answer *answer);

/* ---- the octets of files ---- */

void client_fill(uint8_t *p, size_t n, uint64_t at, uint32_t pattern);
/* SIZE_MAX: all octets are as expected; otherwise the index of the first wrong octet. */
size_t client_compare(const uint8_t *p, size_t n, uint64_t at, uint32_t pattern);

/* ---- nfs_client_say.c ---- */

const struct nfs_template *client_procedure(const struct nfs_client *client, const struct client_rpc *rpc);
void client_put_arguments(const struct nfs_client *client, const struct client_step *step, const struct client_rpc *rpc,
                          struct xdr_out *out);
/* Chunks and sizes of the Reply. */
void client_plan(const struct nfs_client *client, const struct client_step *step, struct rpc_end_how *how);
/* Results into *answer; the answer's status also says whether they could be decoded. */
void client_take(struct nfs_client *client, const struct client_step *step, const struct client_rpc *rpc, struct xdr *x,
                 struct client_answer *answer);

#endif

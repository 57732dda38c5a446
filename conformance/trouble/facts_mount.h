/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a mount came on a connection. Memory: nothing until a mount begins there; then some 2 KiB. A step that fails
 * counts until the same step or a later one succeeds: clients probe versions and kinds of credentials.
 */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_MOUNT_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_MOUNT_H

#include "conformance/trouble/facts_outcome.h"

#include <stddef.h>

/* In order. */
enum trouble_mount_step {
    MOUNT_EXPORT,  /* MNT */
    MOUNT_CLIENT,  /* EXCHANGE_ID, SETCLIENTID */
    MOUNT_SESSION, /* CREATE_SESSION, SETCLIENTID_CONFIRM */
    MOUNT_RECLAIM, /* RECLAIM_COMPLETE */
    MOUNT_ROOT,    /* PUTROOTFH, SECINFO, FSINFO */
    MOUNT_PATH,    /* LOOKUP of the path */
    MOUNT_WORK,    /* anything else: the mount is in use */
    MOUNT_STEPS,
    MOUNT_NEUTRAL = MOUNT_STEPS /* no step */
};

enum { MOUNT_PATH_SIZE = 128, MOUNT_ASKED = 8 };

struct trouble_mount {
    struct trouble_repeated failed; /* n 0: each step that failed has succeeded later; otherwise the step: */
    enum trouble_mount_step step;
    const struct trouble_error *error;
    const char *what;                         /* the operation; static */
    char path[MOUNT_PATH_SIZE];               /* empty: unknown */
    struct trouble_event passed[MOUNT_STEPS]; /* the latest success */
    bool worked;                              /* the mount was in use on this connection */
    struct trouble_repeated sessions;         /* made since the latest request in a session */
    char at[MOUNT_PATH_SIZE];                 /* the path that was looked up so far, and the hash of its handle: */
    uint64_t handle;
    struct trouble_mount_asked {
        uint64_t number; /* of the Call on its connection */
        size_t prefix;   /* length of the path that was known before */
        char path[MOUNT_PATH_SIZE];
    } asked[MOUNT_ASKED];
};

/* A step, and how it ended. */
struct trouble_mount_try {
    enum trouble_mount_step step;
    bool session; /* a session was asked for */
    uint64_t number;
    const struct trouble_error *error; /* NULL: it succeeded */
    const char *what;
    unsigned names;  /* names of the path that were found */
    uint64_t handle; /* hash of the file handle that was returned; 0: none */
    struct trouble_event event;
};

/* Whether the paths of Calls have to be remembered: a mount began, and is not in use yet. */
bool trouble_mount_wants(const struct trouble_facts *facts);
/* The Call asks for this path: names, each after a slash. handle: hash of the handle where they begin; 0: the root. */
void trouble_mount_asked(struct trouble_facts *facts, uint64_t number, uint64_t handle, const char *names);
/* A Call belongs to a session. */
void trouble_mount_used(struct trouble_facts *facts);
void trouble_mount_tried(struct trouble_facts *facts, const struct trouble_mount_try *try);
bool trouble_mount_is_plain(const struct trouble_facts *facts);

#endif

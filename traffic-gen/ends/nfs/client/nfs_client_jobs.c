// SPDX-License-Identifier: GPL-2.0-or-later
/* The jobs of the NFS client: their phases, and what the phases do. */
#include "traffic-gen/ends/nfs/client/nfs_client_internal.h"

#include <inttypes.h>
#include <string.h>

enum { LIST_CALLS_MAX = 1000000 };

/* ---- the octets of files: each piece can be generated and compared independently ---- */

/* Eight octets of a file, the first in the lowest bits. */
static uint64_t jobs_word_at(uint64_t number, uint32_t pattern)
{
    uint64_t word = (number + 1) * UINT64_C(0x9E3779B97F4A7C15) + pattern * UINT64_C(0xD1B54A32D192ED03);

    return word ^ word >> 29;
}

static uint8_t jobs_octet_at(uint64_t at, uint32_t pattern)
{
    return (uint8_t)(jobs_word_at(at / 8, pattern) >> at % 8 * 8);
}

void client_fill(uint8_t *p, size_t n, uint64_t at, uint32_t pattern)
{
    size_t i = 0;

    for (; i < n && (at + i) % 8; i++)
        p[i] = jobs_octet_at(at + i, pattern);
    for (; n - i >= 8; i += 8) {
        uint64_t word = GUINT64_TO_LE(jobs_word_at((at + i) / 8, pattern));

        memcpy(p + i, &word, 8);
    }
    for (; i < n; i++)
        p[i] = jobs_octet_at(at + i, pattern);
}

size_t client_compare(const uint8_t *p, size_t n, uint64_t at, uint32_t pattern)
{
    size_t i = 0;

    while (i < n) {
        uint64_t word = GUINT64_TO_LE(jobs_word_at((at + i) / 8, pattern));

        if ((at + i) % 8 == 0 && n - i >= 8 && memcmp(p + i, &word, 8) == 0)
            i += 8;
        else if (p[i] == jobs_octet_at(at + i, pattern))
            i++;
        else
            return i;
    }
    return SIZE_MAX;
}

/* ---- phases ---- */

/*
 * Continues with an answer, or begins (answer NULL). True: the phase has ended. False: something is in flight, or the
 * client has failed.
 */
#define CLIENT_PHASE(name)                                                                                             \
    static bool name(struct nfs_client *client, const struct nfs_job *job G_GNUC_UNUSED,                               \
                     const struct client_step *step G_GNUC_UNUSED, const struct client_answer *answer)

/* The next name of the path. */
static bool next_name(struct nfs_client *client, struct client_name *name)
{
    client->rest += strspn(client->rest, "/");
    name->p = client->rest;
    name->n = (uint32_t)strcspn(client->rest, "/");
    client->rest += name->n;
    return name->n > 0;
}

/* Walks on; the last name of a path is left over when `to_parent`. */
static bool jobs_walk(struct nfs_client *client, bool to_parent, const struct client_answer *answer)
{
    struct client_step step = {.kind = STEP_LOOKUP};

    if (answer)
        client->at = answer->handle;
    if (to_parent && client->rest[strspn(client->rest, "/")]) {
        next_name(client, &client->name);
        if (!client->rest[strspn(client->rest, "/")])
            return true;
        step.name = client->name;
    } else if (to_parent) {
        client_fail(client, "the path names nothing below the root");
        return false;
    } else if (!next_name(client, &step.name)) {
        return true;
    }
    step.handle = client->at;
    client_send(client, &step);
    return false;
}

static bool begin_walk(struct nfs_client *client, const char *path, bool to_parent)
{
    client->at = client->root;
    client->rest = path ? path : "";
    return jobs_walk(client, to_parent, NULL);
}

CLIENT_PHASE(to_path)
{
    return answer ? jobs_walk(client, false, answer) : begin_walk(client, job->path, false);
}

CLIENT_PHASE(jobs_to_parent)
{
    return answer ? jobs_walk(client, true, answer) : begin_walk(client, job->path, true);
}

/* The target of the first path is kept while the second path is walked. */
CLIENT_PHASE(to_other_parent)
{
    if (answer)
        return jobs_walk(client, true, answer);
    client->saved = client->at;
    client->saved_name = client->name;
    return begin_walk(client, job->other, true);
}

/* A single step. */
static bool once(struct nfs_client *client, const struct client_step *step, const struct client_answer *answer)
{
    return answer || !client_send(client, step);
}

CLIENT_PHASE(null)
{
    const struct client_step next = {.kind = STEP_NULL};

    return once(client, &next, answer);
}

/* A step on the target of the walk, or on a name in it. */
CLIENT_PHASE(plain)
{
    static const enum client_step_kind kinds[NFS_JOBS] = {
        [NFS_JOB_MKDIR] = STEP_MKDIR,     [NFS_JOB_REMOVE] = STEP_REMOVE,      [NFS_JOB_RMDIR] = STEP_RMDIR,
        [NFS_JOB_SYMLINK] = STEP_SYMLINK, [NFS_JOB_TRUNCATE] = STEP_TRUNCATE,  [NFS_JOB_ACCESS] = STEP_ACCESS,
        [NFS_JOB_STATFS] = STEP_STATFS,   [NFS_JOB_GETATTR] = STEP_ATTRIBUTES, [NFS_JOB_READLINK] = STEP_READLINK,
    };
    struct client_step next = {.kind = kinds[job->kind], .handle = client->at, .name = client->name, .at = job->octets};

    if (job->other)
        next.new_name = (struct client_name){job->other, (uint32_t)strlen(job->other)};
    if (!answer)
        return once(client, &next, NULL);
    if (job->kind == NFS_JOB_GETATTR && job->octets && (!answer->has_size || answer->size != job->octets)) {
        client_fail(client, "expected a size of %" PRIu64 "; found %" PRIu64, job->octets, answer->size);
        return false;
    }
    if (job->kind == NFS_JOB_READLINK && job->other &&
        (answer->n != next.new_name.n || memcmp(answer->p, job->other, answer->n) != 0)) {
        client_fail(client, "expected the link's text \"%s\"; found \"%.*s\"", job->other, (int)MIN(answer->n, 80),
                    (const char *)answer->p);
        return false;
    }
    return true;
}

CLIENT_PHASE(rename_or_link)
{
    const struct client_step next = {.kind = job->kind == NFS_JOB_LINK ? STEP_LINK : STEP_RENAME,
                                     .handle = client->saved,
                                     .name = client->saved_name,
                                     .other = client->at,
                                     .new_name = client->name};

    return once(client, &next, answer);
}

/* A file can be used once it is open, and in version 4.0 once its owner is confirmed. */
static bool open_step(struct nfs_client *client, enum client_step_kind kind, const struct client_answer *answer)
{
    struct client_step next = {.kind = kind, .handle = client->at, .name = client->name};

    if (!answer) {
        client_send(client, &next);
        return false;
    }
    if (answer->handle.n > 0)
        client->at = answer->handle;
    next.handle = client->at;
    if (answer->needs_lookup)
        next.kind = STEP_LOOKUP; /* still in the directory: the last name was not walked */
    else if (answer->needs_confirm)
        next.kind = STEP_OPEN_CONFIRM;
    else
        return true;
    client_send(client, &next);
    return false;
}

CLIENT_PHASE(jobs_create)
{
    return open_step(client, STEP_CREATE, answer);
}

CLIENT_PHASE(jobs_open_file)
{
    return open_step(client, STEP_OPEN, answer);
}

CLIENT_PHASE(jobs_close_file)
{
    const struct client_step next = {.kind = STEP_CLOSE, .handle = client->at};

    return once(client, &next, answer);
}

/* ---- octets ---- */

/* Keeps as many pieces in flight as allowed. True when all have been answered. */
static bool jobs_send_pieces(struct nfs_client *client, const struct nfs_job *job, enum client_step_kind kind,
                             uint32_t max)
{
    while (client->stage == CLIENT_JOBS && client->taken < job->octets && client->in_flight < client->options.depth) {
        struct client_step step = {.kind = kind, .handle = client->at, .at = job->at + client->taken};

        step.n = (uint32_t)MIN(max, job->octets - client->taken);
        client->taken += step.n;
        client_send(client, &step);
    }
    return client->stage == CLIENT_JOBS && client->done == job->octets;
}

/* Requests the rest of a piece that was answered in part. True: it did, and `n` is valid. */
static bool take_piece(struct nfs_client *client, const struct client_step *step, uint32_t n)
{
    struct client_step rest = *step;

    if (n == 0 || n > step->n) {
        client_fail(client, "%" PRIu32 " octets done of %" PRIu32 " asked for at %" PRIu64, n, step->n, step->at);
        return false;
    }
    client->done += n;
    if (n < step->n) {
        rest.at += n;
        rest.n -= n;
        client_send(client, &rest);
    }
    return true;
}

CLIENT_PHASE(jobs_write_all)
{
    if (!answer) {
        client->done = client->taken = 0;
        client->has_verifier = false;
    } else {
        if (!take_piece(client, step, answer->n))
            return false;
        client->report.octets_written += answer->n;
        /* Version 2 has no verifier: it is always 0. */
        if (client->has_verifier && client->verifier != answer->verifier) {
            client_fail(client, "the server has restarted: the verifier of WRITE has changed");
            return false;
        }
        client->has_verifier = true;
        client->verifier = answer->verifier;
    }
    return jobs_send_pieces(client, job, STEP_WRITE, client->write_max);
}

CLIENT_PHASE(jobs_commit)
{
    const struct client_step next = {.kind = STEP_COMMIT, .handle = client->at};

    if (answer && client->has_verifier && answer->verifier != client->verifier) {
        client_fail(client, "the verifiers of WRITE and COMMIT differ: the server has restarted");
        return false;
    }
    return once(client, &next, answer);
}

CLIENT_PHASE(jobs_read_all)
{
    size_t wrong;

    if (!answer) {
        client->done = client->taken = 0;
        return jobs_send_pieces(client, job, STEP_READ, client->read_max);
    }
    if (answer->n <= step->n) {
        wrong = client_compare(answer->p, answer->n, step->at, job->pattern);
        if (wrong != SIZE_MAX) {
            client_fail(client, "octet %" PRIu64 " differs from what was written", step->at + wrong);
            return false;
        }
    }
    if (!take_piece(client, step, answer->n))
        return false;
    client->report.octets_read += answer->n;
    return jobs_send_pieces(client, job, STEP_READ, client->read_max);
}

/* ---- directories ---- */

CLIENT_PHASE(jobs_list)
{
    struct client_step next = {.kind = STEP_LIST, .handle = client->at, .n = client->options.list_octets};

    if (!answer) {
        client->count = 0;
        client->taken = 0;
    } else {
        client->count += answer->entries;
        client->taken++;
        client->report.entries += answer->entries;
        if (answer->eof && client->count < job->count)
            client_fail(client, "expected at least %u entries; found %u", job->count, client->count);
        else if (!answer->eof && answer->cookie == step->at)
            client_fail(client, "the server returned neither entries nor the end");
        else if (!answer->eof && client->taken == LIST_CALLS_MAX)
            client_fail(client, "no end of the directory after %d READDIRs", LIST_CALLS_MAX);
        if (answer->eof || client->stage == CLIENT_FINISHED)
            return answer->eof;
        next.at = answer->cookie;
        next.verifier = answer->verifier;
    }
    client_send(client, &next);
    return false;
}

static struct client_name name_file(struct nfs_client *client)
{
    client->name.p = client->text;
    client->name.n = (uint32_t)g_snprintf(client->text, sizeof client->text, "f%u", client->count);
    return client->name;
}

CLIENT_PHASE(remove_files)
{
    struct client_step next = {.kind = STEP_REMOVE, .handle = client->at};

    client->count = answer ? client->count + 1 : 0;
    if (client->count == job->count)
        return true;
    next.name = name_file(client);
    client_send(client, &next);
    return false;
}

/* Empty files, one after another. */
CLIENT_PHASE(make_files)
{
    if (!answer) {
        client->count = 0;
        client->saved = client->at;
    } else if (step->kind == STEP_CLOSE) {
        client->count++;
    } else if (!open_step(client, STEP_CREATE, answer)) {
        return false;
    } else if (!jobs_close_file(client, job, NULL, NULL)) {
        return false;
    } else {
        client->count++;
    }
    if (client->count == job->count)
        return true;
    client->at = client->saved;
    name_file(client);
    return open_step(client, STEP_CREATE, NULL);
}

/* ---- jobs ---- */

enum { PHASES_MAX = 6 };

static const struct {
    const char *name;
    bool (*phases[PHASES_MAX])(struct nfs_client *client, const struct nfs_job *job, const struct client_step *step,
                               const struct client_answer *answer);
} kinds[NFS_JOBS] = {
    [NFS_JOB_NULL] = {"null", {null}},
    [NFS_JOB_MKDIR] = {"mkdir", {jobs_to_parent, plain}},
    [NFS_JOB_WRITE] = {"write", {jobs_to_parent, jobs_create, jobs_write_all, jobs_commit, jobs_close_file}},
    [NFS_JOB_READ] = {"read", {jobs_to_parent, jobs_open_file, jobs_read_all, jobs_close_file}},
    [NFS_JOB_FILES] = {"files", {to_path, make_files}},
    [NFS_JOB_LIST] = {"list", {to_path, jobs_list}},
    [NFS_JOB_GETATTR] = {"getattr", {to_path, plain}},
    [NFS_JOB_ACCESS] = {"access", {to_path, plain}},
    [NFS_JOB_TRUNCATE] = {"truncate", {to_path, plain}},
    [NFS_JOB_SYMLINK] = {"symlink", {jobs_to_parent, plain}},
    [NFS_JOB_READLINK] = {"readlink", {to_path, plain}},
    [NFS_JOB_RENAME] = {"rename", {jobs_to_parent, to_other_parent, rename_or_link}},
    [NFS_JOB_LINK] = {"link", {to_path, to_other_parent, rename_or_link}},
    [NFS_JOB_REMOVE] = {"remove", {jobs_to_parent, plain}},
    [NFS_JOB_RMDIR] = {"rmdir", {jobs_to_parent, plain}},
    [NFS_JOB_STATFS] = {"statfs", {to_path, plain}},
    [NFS_JOB_UNFILES] = {"remove-files", {to_path, remove_files}},
};

enum nfs_job_kind nfs_job_find(const char *name)
{
    unsigned kind = 0;

    while (kind < NFS_JOBS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return kind;
}

const char *nfs_job_name(enum nfs_job_kind kind)
{
    return kind < NFS_JOBS ? kinds[kind].name : "?";
}

bool client_job_step(struct nfs_client *client, const struct client_step *step, const struct client_answer *answer)
{
    const struct nfs_job *job = &client->jobs[client->index];

    while (client->stage == CLIENT_JOBS && client->phase < PHASES_MAX && kinds[job->kind].phases[client->phase]) {
        if (!kinds[job->kind].phases[client->phase](client, job, step, answer))
            return false;
        client->phase++;
        step = NULL;
        answer = NULL;
    }
    return client->stage == CLIENT_JOBS;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads jobs of an NFS client, and changes on the server's host. */
#include "traffic-gen/ends/nfs/tree/nfs_status.h"
#include "traffic-gen/scenario/work_read.h"

#include <string.h>

enum { TEXT_MAX = 256, NUMBER_MAX = 10000 };

/* Parts of a job besides the path and `expect`. */
static const struct job {
    const char *verb;
    const char *other; /* name of the second text; NULL: there is none */
    bool octets, count;
} jobs[] = {
    {"null", NULL, false, false},      {"mkdir", NULL, false, false},       {"write", NULL, true, false},
    {"read", NULL, true, false},       {"files", NULL, false, true},        {"list", NULL, false, true},
    {"getattr", NULL, true, false},    {"access", NULL, false, false},      {"truncate", NULL, true, false},
    {"symlink", "text", false, false}, {"readlink", "text", false, false},  {"rename", "to", false, false},
    {"link", "to", false, false},      {"remove", NULL, false, false},      {"rmdir", NULL, false, false},
    {"statfs", NULL, false, false},    {"remove-files", NULL, false, true},
};

/* A change on the server's host. */
static const struct job change_job = {"change", NULL, true, false};

static const struct job *job_of(struct words *words)
{
    const char *verb = verb_name(words->statement->verb);
    bool is_server = words->statement->role == RESPONDER;
    g_autoptr(GString) names = g_string_new(NULL);

    if (is_server && strcmp(verb, change_job.verb) == 0)
        return &change_job;
    for (unsigned i = 0; i < G_N_ELEMENTS(jobs); i++) {
        if (!is_server && strcmp(verb, jobs[i].verb) == 0)
            return &jobs[i];
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", jobs[i].verb);
    }
    work_refuse_verb(words, is_server ? change_job.verb : names->str);
    return NULL;
}

/* One of the job's texts. NULL: the text is missing or too long, and the statement is refused. */
static const char *job_text(struct words *words, const struct work *work, const char *what, const char *text)
{
    g_autofree char *why = g_strdup_printf("its '%s' is missing, or longer than %d octets", what, TEXT_MAX);

    if (text && strlen(text) <= TEXT_MAX)
        return g_string_chunk_insert(work->texts, text);
    words_refuse_because(words, verb_name(words->statement->verb), why);
    return NULL;
}

static void job_numbers(struct words *words, const struct job *kind, struct nfs_job *job)
{
    static const struct work_field octets[] = {WORK_FIELD("len", struct nfs_job, octets, 0, WORK_MESSAGE_MAX),
                                               WORK_FIELD("at", struct nfs_job, at, 0, UINT32_MAX),
                                               WORK_FIELD("pattern", struct nfs_job, pattern, 0, NUMBER_MAX)};
    static const struct work_field count[] = {WORK_FIELD("count", struct nfs_job, count, 0, NUMBER_MAX)};

    if (kind->octets)
        work_read_fields(words, octets, G_N_ELEMENTS(octets), "", job);
    if (kind->count)
        work_read_fields(words, count, G_N_ELEMENTS(count), "", job);
}

struct work_item work_read_job(struct words *words, const struct work *work)
{
    const struct job *kind = job_of(words);
    struct work_item item = {.kind = kind == &change_job ? WORK_CHANGE : WORK_JOB};
    struct nfs_job *job = &item.job;
    const char *expect = words_value(words, "expect");
    g_autofree char *path = NULL;

    if (!kind)
        return item;
    job->kind = kind == &change_job ? NFS_JOB_TRUNCATE : nfs_job_find(kind->verb);
    if (job->kind != NFS_JOB_NULL) {
        path = words_first_as_written(words);
        job->path = job_text(words, work, "path", path);
    }
    if (kind->other)
        job->other = job_text(words, work, kind->other, words_value(words, kind->other));
    if (expect && !nfs_status_find(expect, &job->expect))
        words_refuse_because(words, expect, "it is no status: PERM, NOENT, ACCES, EXIST, or another one of NFS");
    job_numbers(words, kind, job);
    return item;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Mounts that the server refused, and sessions that the client made and did not use. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>
#include <string.h>

/* A client uses a session at once. */
static const uint64_t unused_ns = 2000000000;

enum { PRIVILEGED_PORTS = 1024 };

/* ---- refused ---- */

/* The time of the latest success of each step, on any connection; INT64_MIN: the step never succeeded. */
static void find_passed(const struct saying *saying, int64_t passed[MOUNT_STEPS])
{
    for (unsigned step = 0; step < MOUNT_STEPS; step++)
        passed[step] = INT64_MIN;
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_mount *mount = facts_at(saying, i)->mount;

        for (unsigned step = 0; mount && step < MOUNT_STEPS; step++)
            if (trouble_happened(&mount->passed[step]))
                passed[step] = MAX(passed[step], mount->passed[step].time_ns);
    }
}

/* The step, or one after it, succeeded later. */
static bool passed_later(const struct trouble_mount *mount, const int64_t passed[MOUNT_STEPS])
{
    for (unsigned step = mount->step == MOUNT_PATH ? MOUNT_WORK : mount->step; step < MOUNT_STEPS; step++)
        if (passed[step] > mount->failed.last.time_ns)
            return true;
    return false;
}

static bool was_in_use(const struct saying *saying, const struct trouble_mount *mount)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_mount *other = facts_at(saying, i)->mount;

        if (other && other->worked && other->passed[MOUNT_WORK].time_ns < mount->failed.first.time_ns)
            return true;
    }
    return false;
}

/*
 * The client may have mounted before the capture began: a client that has lost its session takes the steps of a mount
 * again, up to RECLAIM_COMPLETE.
 */
static bool may_resume(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct trouble_mount *mount = facts->mount;

    if (mount->step < MOUNT_CLIENT || mount->step > MOUNT_RECLAIM)
        return false;
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *other = facts_at(saying, i);

        for (unsigned k = 0; k < other->n_failures; k++) {
            const struct trouble_failure *failure = &other->failure[k];

            if (failure->error->cure && failure->all.first.time_ns < mount->failed.first.time_ns &&
                (failure->error->cure->subject == SUBJECT_SESSION || failure->error->cure->subject == SUBJECT_STATEID))
                return true;
        }
    }
    return facts->step[STEP_REQUEST].n == 0;
}

/* The client looked up a name in a directory that it knew before: this is not the path of a mount. */
static bool is_of_old_mount(const struct trouble_facts *facts)
{
    return facts->mount->step == MOUNT_PATH && facts->step[STEP_REQUEST].n == 0 &&
           !trouble_happened(&facts->mount->passed[MOUNT_ROOT]);
}

/* What to do about an error. The end of the error's name chooses the advice. */
static gchar *mount_advice(const struct trouble_facts *facts)
{
    const struct trouble_mount *mount = facts->mount;
    const struct endpoint *client = &facts->end[facts->opener & 1u];
    const char *status = strstr(mount->error->name, "ERR_");

    if (mount->error->advice)
        return g_strdup(mount->error->advice);
    if (status && (strcmp(status, "ERR_PERM") == 0 || strncmp(status, "ERR_ACCES", strlen("ERR_ACCES")) == 0)) {
        if (!facts->ib && client->port >= PRIVILEGED_PORTS)
            return g_strdup_printf("look at the server's exports: is the client among them, and is `insecure` set? "
                                   "The client's port %u is above 1023, which exports refuse by default",
                                   client->port);
        return g_strdup("look at the server's exports: is the client among them, and is `insecure` set? Exports refuse "
                        "ports above 1023 by default");
    }
    if (status && strcmp(status, "ERR_NOENT") == 0)
        return g_strdup("the server has no such path: compare the path of the mount with the server's exports; in "
                        "version 4 it begins at the server's root (fsid=0)");
    return g_strdup(mount->error->cure ? mount->error->cure->next : NULL);
}

static void say_refused(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct trouble_mount *mount = facts->mount;
    GString *text = g_string_new(was_in_use(saying, mount)   ? "the client could not resume the mount: "
                                 : may_resume(saying, facts) ? "the mount was refused, or not resumed: "
                                                             : "the mount was refused: ");
    g_autofree gchar *path = g_strescape(mount->path, NULL);
    struct trouble *trouble;
    char time[UNITS_SIZE];

    g_string_append(text, mount->what);
    if (*path != '\0')
        g_string_append_printf(text, " of %s", path);
    if (mount->failed.n == 1)
        g_string_append_printf(text, " failed in frame %" PRIu32 " with %s", mount->failed.first.frame,
                               mount->error->name);
    else
        g_string_append_printf(text,
                               " failed %" PRIu32 " times with %s, from frame %" PRIu32 " to frame %" PRIu32 ", for %s",
                               mount->failed.n, mount->error->name, mount->failed.first.frame, mount->failed.last.frame,
                               units_time(time_from(mount->failed.first.time_ns, mount->failed.last.time_ns), time));
    trouble = say(saying, TROUBLE_MOUNT, facts, mount->failed.first, g_string_free(text, FALSE));
    trouble->time = time_from(mount->failed.first.time_ns, mount->failed.last.time_ns);
    say_next(trouble, mount_advice(facts));
}

bool mount_says(const struct saying *saying, const struct trouble_error *error)
{
    return saying->refused && saying->refused->mount->error == error;
}

/* ---- sessions that were not used ---- */

/* The session may have been used: on another connection, or in packets that the capture lacks. */
static bool used_later(const struct saying *saying, struct trouble_event event)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (facts->hole || facts->plain ||
            (facts->mount && facts->mount->sessions.n == 0 && facts->last.time_ns > event.time_ns) ||
            (!facts->mount && facts->rdma && facts->calls > 0 && facts->last.time_ns > event.time_ns))
            return true;
    }
    return false;
}

static void say_unused(const struct saying *saying)
{
    const struct trouble_facts *first = NULL, *last = NULL;
    uint64_t n = 0, waited;
    struct trouble *trouble;
    char time[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (!facts->mount || facts->mount->sessions.n == 0)
            continue;
        first = first ? first : facts;
        last = facts;
        n += facts->mount->sessions.n;
    }
    if (!last || used_later(saying, last->mount->sessions.last) || last->n_open > 0)
        return;
    waited = time_from(last->mount->sessions.last.time_ns, end_of(last));
    if (waited < unused_ns && n == 1)
        return;
    if (n == 1)
        trouble = say(saying, TROUBLE_MOUNT, last, last->mount->sessions.last,
                      g_strdup_printf("the client made a session in frame %" PRIu32 ", and did not use it for %s",
                                      last->mount->sessions.last.frame, units_time(waited, time)));
    else
        trouble = say(saying, TROUBLE_MOUNT, first, first->mount->sessions.first,
                      g_strdup_printf("the client made %" PRIu64 " sessions, from frame %" PRIu32 " to frame %" PRIu32
                                      ", and used none",
                                      n, first->mount->sessions.first.frame, last->mount->sessions.last.frame));
    say_next(trouble,
             g_strdup("the mount cannot go on without a request in the session: look at the log of the client, "
                      "and at the answer to CREATE_SESSION in Wireshark"));
}

void say_mount(struct saying *saying)
{
    int64_t passed[MOUNT_STEPS];

    find_passed(saying, passed);
    for (guint i = 0; i < saying->facts->len && !saying->refused; i++) {
        const struct trouble_mount *mount = facts_at(saying, i)->mount;

        if (mount && mount->failed.n > 0 && !passed_later(mount, passed) && !is_of_old_mount(facts_at(saying, i)))
            saying->refused = facts_at(saying, i);
    }
    if (saying->refused)
        say_refused(saying, saying->refused);
    else
        say_unused(saying);
}

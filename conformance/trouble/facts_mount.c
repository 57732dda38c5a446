// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/facts_mount.h"

#include "conformance/trouble/facts.h"
#include "engine/core/heap.h"

#include <stdio.h>
#include <string.h>

bool trouble_mount_wants(const struct trouble_facts *facts)
{
    return facts->mount && !facts->mount->worked;
}

bool trouble_mount_is_plain(const struct trouble_facts *facts)
{
    return !facts->mount || (facts->mount->failed.n == 0 && facts->mount->sessions.n == 0);
}

void trouble_mount_used(struct trouble_facts *facts)
{
    if (facts->mount)
        facts->mount->sessions.n = 0;
}

/* NULL: no mount began on this connection, or out of memory. */
static struct trouble_mount *mount_begin(struct trouble_facts *facts, bool begins)
{
    if (!facts->mount && begins)
        facts->mount = heap_zeroed(1, sizeof *facts->mount);
    return facts->mount;
}

void trouble_mount_asked(struct trouble_facts *facts, uint64_t number, uint64_t handle, const char *names)
{
    struct trouble_mount *mount = mount_begin(facts, true);
    struct trouble_mount_asked *asked = mount ? &mount->asked[number % MOUNT_ASKED] : NULL;
    const char *before = asked && handle != 0 && handle == mount->handle ? mount->at : "";

    if (!asked)
        return;
    asked->number = number;
    asked->prefix = strlen(before);
    snprintf(asked->path, sizeof asked->path, "%s%s", before, names);
}

/* The path up to the first name that was not found. */
static void mount_path_of(const struct trouble_mount *mount, const struct trouble_mount_try *try,
                          char path[MOUNT_PATH_SIZE])
{
    const struct trouble_mount_asked *asked = &mount->asked[try->number % MOUNT_ASKED];
    const char *end;

    path[0] = '\0';
    if (asked->number != try->number)
        return;
    memcpy(path, asked->path, MOUNT_PATH_SIZE);
    if (try->step != MOUNT_PATH || asked->prefix >= MOUNT_PATH_SIZE - 1)
        return;
    end = path + asked->prefix;
    for (unsigned i = 0; i <= try->names && end && *end != '\0'; i++)
        end = strchr(end + 1, '/');
    if (end)
        path[end - path] = '\0';
}

static void mount_fails(struct trouble_mount *mount, const struct trouble_mount_try *try, const char *path)
{
    const bool same =
        mount->failed.n > 0 && mount->step == try->step && mount->error == try->error && mount->what == try->what;

    if (!same)
        mount->failed = (struct trouble_repeated){.first = try->event};
    mount->failed.last = try->event;
    mount->failed.n++;
    mount->step = try->step;
    mount->error = try->error;
    mount->what = try->what;
    memcpy(mount->path, path, MOUNT_PATH_SIZE);
}

static void mount_passes(struct trouble_mount *mount, const struct trouble_mount_try *try, const char *path)
{
    const bool is_path = try->step == MOUNT_PATH;

    mount->passed[try->step] = try->event;
    mount->worked |= try->step == MOUNT_WORK;
    if (mount->step == MOUNT_PATH ? try->step == MOUNT_WORK || (is_path && strcmp(mount->path, path) == 0)
                                  : try->step >= mount->step)
        mount->failed.n = 0;
    if (try->step > MOUNT_SESSION)
        mount->sessions.n = 0;
    if (try->session) {
        if (mount->sessions.n++ == 0)
            mount->sessions.first = try->event;
        mount->sessions.last = try->event;
    }
    if (try->step != MOUNT_ROOT && !is_path)
        return;
    memcpy(mount->at, is_path ? path : "", is_path ? MOUNT_PATH_SIZE : 1);
    mount->handle = try->handle;
}

void trouble_mount_tried(struct trouble_facts *facts, const struct trouble_mount_try *try)
{
    struct trouble_mount *mount = mount_begin(facts, try->step <= MOUNT_SESSION || try->step == MOUNT_ROOT);
    char path[MOUNT_PATH_SIZE];

    if (!mount || try->step == MOUNT_NEUTRAL)
        return;
    mount_path_of(mount, try, path);
    if (!try->error)
        mount_passes(mount, try, path);
    else if (try->error->how != ERROR_BUSY && try->step != MOUNT_WORK && !mount->worked)
        mount_fails(mount, try, path);
}

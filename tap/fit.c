// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const modules[FIT_MODULES] = {"rpcrdma", "rdma_cm"};

static bool fit_has(const char *sys, const char *folder, const char *name, const char *rest, int mode)
{
    char path[FIT_PATH];

    return snprintf(path, sizeof path, "%s/%s/%s%s", sys, folder, name, rest) < FIT_PATH && access(path, mode) == 0;
}

/* The first line of a file; empty if the file does not exist. */
static void read_line(const char *path, char *text, int size)
{
    FILE *file = fopen(path, "r");

    if (!file || !fgets(text, size, file))
        text[0] = '\0';
    if (file)
        (void)fclose(file);
}

/* "[none] integrity confidentiality": the mode in brackets. */
static bool is_confidential(const char *sys)
{
    char text[128], path[FIT_PATH];

    (void)snprintf(path, sizeof path, "%s/kernel/security/lockdown", sys);
    read_line(path, text, sizeof text);
    return strstr(text, "[confidentiality]") != NULL;
}

bool fit_is_module(const char *sys, const char *name)
{
    return fit_has(sys, "module", name, "/initstate", F_OK);
}

/* A part of the kernel, or a module that has begun. */
static bool is_live(const char *sys, const char *name)
{
    char text[16], path[FIT_PATH];

    if (!fit_is_module(sys, name))
        return fit_has(sys, "module", name, "", F_OK);
    (void)snprintf(path, sizeof path, "%s/module/%s/initstate", sys, name);
    read_line(path, text, sizeof text);
    return strncmp(text, "live", 4) == 0;
}

enum fit fit_kernel(const char *sys, char *why, size_t size)
{
    if (is_confidential(sys)) {
        (void)snprintf(why, size, "the kernel is locked down for confidentiality, and lets nobody read its memory");
        return FIT_NEVER;
    }
    if (!fit_has(sys, "kernel/btf", "vmlinux", "", R_OK)) {
        (void)snprintf(why, size,
                       "this kernel does not describe its types (BTF): it was built without CONFIG_DEBUG_INFO_BTF");
        return FIT_NEVER;
    }
    for (size_t i = 0; i < FIT_MODULES; i++) {
        if (!is_live(sys, modules[i])) {
            (void)snprintf(why, size, "the kernel's module %s is not loaded", modules[i]);
            return FIT_LATER;
        }
        if (fit_is_module(sys, modules[i]) && !fit_has(sys, "kernel/btf", modules[i], "", R_OK)) {
            (void)snprintf(why, size,
                           "the module %s does not describe its types (BTF): it was not built with this kernel",
                           modules[i]);
            return FIT_NEVER;
        }
    }
    return FIT_YES;
}

/* A line: an address, a letter, the name, and perhaps a module. */
static bool is_symbol(const char *line, const char *name)
{
    const char *rest = strchr(line, ' ');
    size_t n = strlen(name);

    return rest && strlen(rest) > 3 && strcspn(rest + 3, "\t\n") == n && strncmp(rest + 3, name, n) == 0;
}

enum fit_symbol fit_symbol(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    enum fit_symbol found = FIT_ABSENT;
    char line[FIT_PATH];

    while (file && found == FIT_ABSENT && fgets(line, sizeof line, file))
        if (is_symbol(line, name))
            found = strtoull(line, NULL, 16) != 0 ? FIT_SHOWN : FIT_HIDDEN;
    if (file)
        (void)fclose(file);
    return found;
}

/* Each time when a module is loaded, its folder has another inode. 0: it is not there. */
static uint64_t life_of(const char *sys, const char *name)
{
    char path[FIT_PATH];
    struct stat folder;

    (void)snprintf(path, sizeof path, "%s/module/%s", sys, name);
    return stat(path, &folder) == 0 ? folder.st_ino : 0;
}

struct fit_watch fit_watch_begin(const char *sys)
{
    struct fit_watch watch = {.gone = false};

    for (size_t i = 0; i < FIT_MODULES; i++)
        watch.life[i] = is_live(sys, modules[i]) ? life_of(sys, modules[i]) : 0;
    return watch;
}

enum fit_change fit_watch_look(struct fit_watch *watch, const char *sys)
{
    struct fit_watch now;

    if (!watch->gone) { /* often, so with few system calls */
        for (size_t i = 0; i < FIT_MODULES; i++)
            watch->gone |= life_of(sys, modules[i]) != watch->life[i];
        return watch->gone ? FIT_GONE : FIT_SAME;
    }
    now = fit_watch_begin(sys);
    for (size_t i = 0; i < FIT_MODULES; i++)
        if (now.life[i] == 0)
            return FIT_SAME;
    *watch = now;
    return FIT_AGAIN;
}

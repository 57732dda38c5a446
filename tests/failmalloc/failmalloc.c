// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into a program, this makes one allocation fail: number $FAILMALLOC, counted from 1 over the program's own
 * calls; with $FAILMALLOC_OBJECTS, over those of shared objects with names in this list, separated by colons. Other
 * libraries' allocations succeed: GLib ends the program without memory. $FAILMALLOC_REPORT names a file that gets the
 * number of calls at the end, and "failed" if the allocation was reached.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static uintptr_t program_begin, program_end;
static unsigned long wanted;
static const char *objects; /* NULL: the program */
static atomic_ulong calls;
static atomic_bool failed;
static FILE *report;

/* The first object is the program. */
static int note_program(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    program_begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD)
            continue;
        if (begin < program_begin)
            program_begin = begin;
        if (begin + part->p_memsz > program_end)
            program_end = begin + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAILMALLOC"), *path = getenv("FAILMALLOC_REPORT");

    wanted = number ? strtoul(number, NULL, 10) : 0;
    objects = getenv("FAILMALLOC_OBJECTS");
    dl_iterate_phdr(note_program, NULL);
    report = path ? fopen(path, "w") : NULL; /* a program that confines itself cannot open files later */
}

__attribute__((destructor)) static void end(void)
{
    if (!report)
        return;
    fprintf(report, "%lu%s\n", atomic_load(&calls), atomic_load(&failed) ? " failed" : "");
    fclose(report);
}

static bool is_of_objects(const void *caller)
{
    struct dl_find_object found;
    const char *name;
    size_t n;

    if (_dl_find_object((void *)caller, &found) != 0 || !found.dlfo_link_map)
        return false;
    name = strrchr(found.dlfo_link_map->l_name, '/');
    name = name ? name + 1 : found.dlfo_link_map->l_name;
    n = strlen(name);
    for (const char *item = objects; n > 0 && item; item = strchr(item, ':')) {
        item += *item == ':';
        if (strncmp(item, name, n) == 0 && (item[n] == ':' || item[n] == '\0'))
            return true;
    }
    return false;
}

static bool is_counted(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    return objects ? is_of_objects(caller) : at >= program_begin && at < program_end;
}

static bool fails(const void *caller)
{
    if (!is_counted(caller) || atomic_fetch_add(&calls, 1) + 1 != wanted)
        return false;
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

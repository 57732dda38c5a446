/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether this kernel lets the BPF programs in, and has what they read. */
#ifndef IWARP_TAP_FIT_H
#define IWARP_TAP_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIT_PATH = 256, FIT_MODULES = 2 };

/* FIT_LATER: a module is not loaded, or still begins. */
enum fit { FIT_YES, FIT_LATER, FIT_NEVER };

/* sys: the folder that is /sys. Not FIT_YES: why, a line of at most size octets, says what is missing. */
enum fit fit_kernel(const char *sys, char *why, size_t size);
/* A module is loaded, not a part of the kernel. */
bool fit_is_module(const char *sys, const char *name);

enum fit_symbol { FIT_SHOWN, FIT_HIDDEN, FIT_ABSENT };

/* Whether a list of symbols, /proc/kallsyms, has the address of this one. FIT_HIDDEN: it has 0 instead. */
enum fit_symbol fit_symbol(const char *path, const char *name);

/* The modules while programs are attached to them: when they are unloaded, the programs are attached to nothing. */
struct fit_watch {
    uint64_t
        life[FIT_MODULES]; /* a number that differs each time when a module is loaded; 0: the module is not there */
    bool gone;
};

enum fit_change { FIT_SAME, FIT_GONE, FIT_AGAIN }; /* FIT_AGAIN: all are there again */

/* Begins with the modules that are loaded now. */
struct fit_watch fit_watch_begin(const char *sys);
/* The change since the last call. */
enum fit_change fit_watch_look(struct fit_watch *watch, const char *sys);

#endif

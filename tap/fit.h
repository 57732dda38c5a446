/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether this kernel lets the BPF programs in, and has what they read. */
#ifndef IWARP_TAP_FIT_H
#define IWARP_TAP_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { FIT_PATH = 256 };

/* sys: the folder that is /sys. False: why, a line of at most size octets, says what is missing. */
bool fit_kernel(const char *sys, char *why, size_t size);
/* A module is loaded, not a part of the kernel. */
bool fit_is_module(const char *sys, const char *name);

#endif

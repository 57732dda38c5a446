/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of tap/bpf/ in the kernel: loads and attaches them, and reads their records. One process may attach
 * (tap/keeper.h), another one read.
 */
#ifndef IWARP_TAP_PROBES_H
#define IWARP_TAP_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBES_ERROR_SIZE = 512 };

struct probes_options {
    uint32_t snap; /* octets of a block to read; 0: all */
    bool chunks;   /* also read the octets of chunks */
    void *ctx;
    void (*record)(void *ctx, const void *p, size_t n); /* valid during the call */
};

struct probes;

extern const char probes_sys[]; /* the folder /sys */

/* Whether this process may load programs. False: error says what it needs. */
bool probes_permitted(char error[PROBES_ERROR_SIZE]);
/*
 * Loads the programs: the modules must be there (tap/fit.h). NULL with the reason in error: one line without the
 * program's name. Needs CAP_BPF and CAP_PERFMON; the octets of chunks also need CAP_SYSLOG, because two kernel symbols
 * locate their pages. *no_pages: why they cannot be recorded; NULL: they can.
 */
struct probes *probes_open(const struct probes_options *options, const char **no_pages, char error[PROBES_ERROR_SIZE]);
/* From now on they record. False with the reason in error. */
bool probes_attach(struct probes *probes, char error[PROBES_ERROR_SIZE]);
/* Whether the kernel wants CAP_SYS_ADMIN for this, in place of CAP_PERFMON. */
bool probes_need_admin(void);
/* They no longer record, and may be attached again. */
void probes_detach(struct probes *probes);
/*
 * Waits for records, at most this long, and delivers all that are there, but not without end if more come meanwhile.
 * False with errno set: no more records can be read.
 */
bool probes_read(struct probes *probes, int timeout_ms);
/* The number of records for which there was no room so far. */
uint64_t probes_lost(const struct probes *probes);
/* The number of runs of the programs that the kernel has left out so far. */
uint64_t probes_left_out(const struct probes *probes);
/* Removes the programs from the kernel, once every process has done so. */
void probes_close(struct probes *probes);

#endif

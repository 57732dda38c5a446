/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of its own that attaches the BPF programs, and keeps the rights that this needs: when a module is unloaded,
 * it detaches them, and attaches them again once the module is back. It keeps only the rights that this needs, and
 * reads nothing except /sys. The process that reads records can then drop all rights.
 */
#ifndef IWARP_TAP_KEEPER_H
#define IWARP_TAP_KEEPER_H

#include "tap/probes.h"

#include <sys/types.h>

struct keeper {
    pid_t pid; /* 0: none */
    int run;   /* the process ends when this is closed */
    int said;  /* closed when the process ends */
};

/*
 * user: see privileges_drop(). Returns when the programs are attached. False, with the reason in error: the programs
 * are not attached, and no process runs.
 */
bool keeper_start(struct keeper *keeper, struct probes *probes, const char *user, char error[PROBES_ERROR_SIZE]);
/* Whether it runs. If not, nothing is attached any more. *gaps: how often it attached the programs again since then. */
bool keeper_lives(const struct keeper *keeper, uint64_t *gaps);
/* Detaches the programs. */
void keeper_stop(struct keeper *keeper);

#endif

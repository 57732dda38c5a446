/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of real ends from a file in YAML (iwarp-scenario(5), WORK). */
#ifndef IWARP_TRAFFIC_SCENARIO_WORK_FILE_H
#define IWARP_TRAFFIC_SCENARIO_WORK_FILE_H

#include "traffic-gen/scenario/work.h"

enum {
    WORK_FILE_MAX = 1 << 20,     /* octets of the text */
    WORK_STEPS_MAX = 100000,     /* with all repetitions */
    WORK_OCTETS_MAX = 256 << 20, /* of payload, all messages together */
};

/*
 * `name` is what messages call it; `count` is what `repeat: count` means, 0: once. NULL: *error says what is wrong,
 * FILE:LINE first; free it with g_free(), and the work with work_free().
 */
struct work *work_file_parse(const char *name, const char *text, size_t n, unsigned count, char **error);

#endif

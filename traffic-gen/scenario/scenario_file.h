/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios in YAML (iwarp-scenario(5)). Each step becomes a statement (say/statement.h), so that these scenarios and
 * scripts have one executor and one meaning. Scenarios with `work` instead are carried out by real ends (work.h).
 */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_FILE_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_FILE_H

#include "traffic-gen/say/statement.h"

enum {
    SCENARIO_FILE_MAX = 1 << 20,      /* octets of the text */
    SCENARIO_STATEMENTS_MAX = 100000, /* with all repetitions */
    SCENARIO_TEXT_MAX = 32 << 20,     /* octets of all statements */
    SCENARIO_OCTETS_MAX = 256 << 20,  /* of payload, all messages together */
    SCENARIO_MTU_MIN = 128,
    SCENARIO_MTU_MAX = 65535
};

struct scenario_file;
struct work;

/*
 * `name` is what messages call it; `count` is what `repeat: count` means, 0: once. NULL: *error says what is wrong,
 * FILE:LINE first; free it with g_free().
 */
struct scenario_file *scenario_file_parse(const char *name, const char *text, size_t n, unsigned count, char **error);
/* From a file; errors of reading alike. */
struct scenario_file *scenario_file_load(const char *path, unsigned count, char **error);
void scenario_file_free(struct scenario_file *file);

unsigned scenario_file_mtu(const struct scenario_file *file); /* 0: not said */
/* It says `repeat: count` somewhere. */
bool scenario_file_is_counted(const struct scenario_file *file);
/* What the steps say, with all repetitions: of struct statement. */
const GPtrArray *scenario_file_statements(const struct scenario_file *file);
/* The part `work`, for real ends (work.h); NULL: it has steps instead. */
const struct work *scenario_file_work(const struct scenario_file *file);
/* Plays the steps. False with *error, which names file and line, when one of them cannot be carried out. */
bool scenario_file_play(const struct scenario_file *file, struct stage *stage, char **error);

#endif

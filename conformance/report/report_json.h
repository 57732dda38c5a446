/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the NDJSON report (docs/iwarp-check.schema.json): first the run; then, for each capture, its connections
 * and the capture; last the summary. The same table of members writes and reads a line; the structure of a table
 * contains the subject of the line, and members that only the line has.
 */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_JSON_H
#define IWARP_CONFORMANCE_REPORT_REPORT_JSON_H

#include "conformance/model/report.h"
#include "support/json_members.h"

/* The parts of a line besides its subject. Reading fills the members that the line contains. */
struct report_line {
    const char *file;
    enum rule_profile profile;
    int64_t start_ns; /* of the capture; 0: not known yet, because the capture follows its connections */
    bool part;        /* of a capture */
    GArray *rules;    /* struct report_rule: the line's counts */
    /* Of a capture. */
    const char *verdict, *nothing; /* nothing: why nothing was checked; NULL: something was checked */
    /* Only for reading a line. */
    GPtrArray *waivers; /* the waivers of findings are added here */
    bool whole;         /* also read statistics and facts about upper layers */
};

struct report_line_run {
    const char *tool, *version, *profile;
    uint32_t format;
};

struct report_line_summary {
    uint64_t found[SEVERITY_COUNT], waived, connections, exercised;
    bool trouble;
    enum check_status status;
    GPtrArray *unused;                                         /* const char *: ids of waivers */
    const GPtrArray *expired;                                  /* const struct waiver *; NULL: none. Not read back */
    void (*more)(const void *ctx, struct json_writer *writer); /* writes more members; NULL: none */
    const void *ctx;
};

/* Each writes a line. */
void report_line_write_run(FILE *out, const struct report_line_run *run);
void report_line_write_connection(FILE *out, const struct report_connection *connection,
                                  const struct report_line *line);
void report_line_write_capture(FILE *out, const struct report_capture *capture, const struct report_line *line);
void report_line_write_summary(FILE *out, const struct report_line_summary *summary);

/*
 * These read a line from its object. reading->ctx is the struct report_line; its strings live as long as the object.
 * NULL or false: see reading->wrong. Findings of unknown rules are only counted.
 */
bool report_line_read_run(struct json_reading *reading, JsonObject *object, struct report_line_run *run);
struct report_connection *report_line_read_connection(struct json_reading *reading, JsonObject *object);
struct report_capture *report_line_read_capture(struct json_reading *reading, JsonObject *object);
bool report_line_read_summary(struct json_reading *reading, JsonObject *object, struct report_line_summary *summary);

/* ---- parts of lines ---- */

void report_json_write_findings(struct json_writer *writer, const struct report_connection *connection,
                                const struct report_line *line);
bool report_json_read_findings(struct json_reading *reading, JsonObject *object, struct report_connection *connection);
/* The member "rules", which is line->rules. */
void report_json_write_rules(struct json_writer *writer, const struct report_line *line);
bool report_json_read_rules(struct json_reading *reading, JsonObject *object);
/* Seconds since the start of the capture, and back. */
double report_json_seconds(const struct report_line *line, int64_t time_ns);
bool report_json_time(struct json_reading *reading, double seconds, int64_t *time_ns);
/* An absolute time as reports write it, from 1716 to 2223. False: see reading->wrong. */
bool report_json_clock(struct json_reading *reading, const char *text, int64_t *time_ns);

#endif

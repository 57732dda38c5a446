/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the NDJSON report (docs/iwarp-check.schema.json): a run, its connections, after them their capture, and
 * at the end the summary. Each line is written and read by the same table of members; the structure of a table holds
 * what the line is about together with what only the line has.
 */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_JSON_H
#define IWARP_CONFORMANCE_REPORT_REPORT_JSON_H

#include "conformance/model/report.h"
#include "support/json_members.h"

/* What a line has besides the structure that it is about. It is read into, where the line has it. */
struct report_line {
    const char *file;
    enum rule_profile profile;
    int64_t start_ns; /* of the capture, 0: not known, which comes after its connections */
    bool part;        /* of a capture */
    GArray *rules;    /* struct report_rule: what the line counts */
    /* Of a capture. */
    const char *verdict, *nothing; /* nothing: why nothing was checked; NULL: something was */
    /* Only where a line is read. */
    GPtrArray *waivers; /* those of findings are added to these */
    bool whole;         /* statistics and what is known of upper layers are wanted, too */
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
    const GPtrArray *expired;                                  /* const struct waiver *; NULL: none. It is not read */
    void (*more)(const void *ctx, struct json_writer *writer); /* NULL: there is nothing more */
    const void *ctx;
};

/* A line each. */
void report_line_write_run(FILE *out, const struct report_line_run *run);
void report_line_write_connection(FILE *out, const struct report_connection *connection,
                                  const struct report_line *line);
void report_line_write_capture(FILE *out, const struct report_capture *capture, const struct report_line *line);
void report_line_write_summary(FILE *out, const struct report_line_summary *summary);

/*
 * The same from an object, reading->ctx being the struct report_line; its strings live as long as the object. NULL or
 * false: reading->wrong says why. Findings of rules that are not known are only counted.
 */
bool report_line_read_run(struct json_reading *reading, JsonObject *object, struct report_line_run *run);
struct report_connection *report_line_read_connection(struct json_reading *reading, JsonObject *object);
struct report_capture *report_line_read_capture(struct json_reading *reading, JsonObject *object);
bool report_line_read_summary(struct json_reading *reading, JsonObject *object, struct report_line_summary *summary);

/* ---- parts of lines ---- */

void report_json_write_findings(struct json_writer *writer, const struct report_connection *connection,
                                const struct report_line *line);
bool report_json_read_findings(struct json_reading *reading, JsonObject *object, struct report_connection *connection);
/* Of line->rules. */
void report_json_write_rules(struct json_writer *writer, const struct report_line *line);
bool report_json_read_rules(struct json_reading *reading, JsonObject *object);
/* Seconds since the start of the capture, and back. */
double report_json_seconds(const struct report_line *line, int64_t time_ns);
bool report_json_time(struct json_reading *reading, double seconds, int64_t *time_ns);
/* By the clock, as it is written; from 1716 to 2223. False: reading->wrong. */
bool report_json_clock(struct json_reading *reading, const char *text, int64_t *time_ns);

#endif

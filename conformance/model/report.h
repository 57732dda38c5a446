/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a run, between the engine and the report formats: captures, their connections, and for each connection
 * its findings and the outcome of each rule.
 */
#ifndef IWARP_CONFORMANCE_MODEL_REPORT_H
#define IWARP_CONFORMANCE_MODEL_REPORT_H

#include "conformance/model/between.h"
#include "conformance/model/guest.h"
#include "conformance/model/notes.h"
#include "conformance/model/report_ib.h"
#include "conformance/options/status.h"
#include "conformance/stats/statistics.h"
#include "conformance/trouble/trouble.h"
#include "engine/core/fold.h"
#include "engine/packet/decap.h"
#include "engine/packet/refusal.h"
#include "waivers/waivers.h"

#include <glib.h>

struct check_options;

/* In ladder diagrams: the first findings of a rule on a connection. */
enum { REPORT_LADDERS = 3 };

/* The `format` of NDJSON reports: incremented on incompatible changes. */
enum { REPORT_JSON_FORMAT = 4 };

enum { SEVERITY_COUNT = 3, OPERATION_COUNT = 16 };

struct report_finding {
    enum rule_id rule;
    enum rule_severity severity;
    enum direction direction; /* from the end at fault; never DIR_UNKNOWN: by presumed roles if need be */
    uint8_t side;             /* of what broke the rule */
    enum finding_basis basis; /* the messages on which the finding depends */
    bool awaited;             /* something that had to follow `frame`, which has the other direction, is missing */
    uint32_t frame, first_frame, related_frame;
    struct finding_subject subject;
    int64_t time_ns;
    uint64_t offset;
    const struct waiver *waiver; /* NULL: not waived */
    const char *message;         /* UTF-8 */
    /*
     * Equal findings after this one that are counted instead of listed (report_fold.c), and the frames of the first and
     * the last of them.
     */
    uint32_t more, more_first, more_last;
};

/* Findings of a rule that make the run fail. */
struct report_failing {
    enum rule_id rule;
    uint32_t times;
};

struct report_rule {
    enum rule_id rule;
    struct rule_count count;
    uint32_t failing;      /* findings of the rule that make the run fail: at or above the fail level, not waived */
    struct doubt_at doubt; /* why it was inconclusive first */
};

struct report_connection {
    uint32_t id;
    uint64_t opened;           /* decides the order while connections are numbered */
    bool continued, continues; /* in parts: the connection is in an earlier report, or may be in a later one */
    struct endpoint initiator, responder;
    bool roles_known; /* false: initiator is the end that opened the TCP connection, or spoke first */
    uint32_t start_frame, end_frame;
    int64_t start_ns, end_ns;
    struct report_ib *ib; /* NULL: iWARP, to which the next three members belong */
    struct mpa_parameters parameters;
    bool complete;                 /* captured from startup to end without a hole */
    enum tristate markers[2];      /* by direction */
    uint64_t fpdus[2], octets[2];  /* by direction; octets of FPDUs. With ib: packets, and octets of their payload */
    uint64_t refused[REFUSALS][2]; /* packets that no receiver accepts, by direction */
    uint64_t operations[OPERATION_COUNT]; /* RDMAP messages by opcode; a message counts with its last segment */
    struct report_guest guest;            /* the upper layer */
    GArray *findings;                     /* struct report_finding, by frame; never NULL */
    GStringChunk *messages;
    GHashTable *folds;                      /* report_fold.c; NULL: none */
    GHashTable *kinds;                      /* report_kinds.h; NULL: none, or not wanted */
    uint64_t found[SEVERITY_COUNT], waived; /* all findings, even those not kept; found holds unwaived findings */
    uint64_t not_kept;
    GArray *notes;                   /* struct note, for the ladders of --format=html; NULL otherwise */
    unsigned initiator_side;         /* the side of notes that is the Initiator */
    struct folded_counts *counts;    /* outcomes of single rules: see report_rules(); NULL: none */
    struct doubts doubts;            /* why rules were inconclusive */
    struct statistics *statistics;   /* side 0: the initiator; NULL: not wanted */
    GArray *failing;                 /* struct report_failing; NULL: none */
    const char *server;              /* "linux", "ganesha": the server that it resembles; NULL: unknown */
    struct trouble_facts *facts;     /* about the whole connection, once it has ended; NULL: it has not */
    void *record;                    /* the guest's, until check_across.h has judged it; NULL: none */
    const struct ulp_across *across; /* the owner of the record */
};

/* Sums of the connections that are not listed because the list is full. Starts as zero. */
struct report_rest {
    uint64_t n, with_findings;
    uint64_t troubled; /* connections that may have had trouble */
    uint64_t found[SEVERITY_COUNT], waived;
    uint64_t calls, answers;
    bool judged, ib, iwarp, holes;
    struct rule_counts *counts; /* NULL: none */
    struct doubts doubts;
    struct statistics *statistics; /* for Calls of these connections; NULL: not wanted */
};

/* A capture that is reported period by period. */
struct report_part {
    char *series;           /* the same in all parts; NULL: not reported in parts */
    unsigned first, number; /* from 1; they differ only in parts that merge has joined */
    bool last;
    int64_t from_ns, to_ns; /* the period */
};

/*
 * In a part, counts and findings are those decided in the period of the part. Numbers of frames and connections, and
 * the time of the first packet, continue through all parts.
 */
struct report_capture {
    char *path; /* as given, any octets */
    char *file; /* the same as UTF-8 */
    uint64_t packets, octets, dropped;
    struct report_part part;
    int64_t start_ns;     /* time of the first packet */
    int64_t checking_ns;  /* time taken to read and judge the capture */
    uint64_t snapped;     /* packets cut by the snap length */
    uint32_t snap_length; /* the captured length of the longest of these */
    bool truncated;
    bool failed;               /* could not be read to the end */
    char *trouble;             /* one line; NULL: none. Without `failed`, a warning */
    GPtrArray *connections;    /* struct report_connection *, by id */
    struct troubles *troubles; /* in all parts so far; never NULL */
    uint64_t other_connections;
    uint64_t given_up;  /* holes and IP datagrams given up for lack of room */
    uint64_t cut_short; /* connections not judged to their end, because there were too many */
    struct report_rest rest;
    struct folded_counts *rest_counts; /* for the connections in rest; NULL: none */
    struct folded_counts *counts;      /* in a merged report, whose connections have no counts; else NULL */
    struct doubts doubts;              /* that belong to these counts, not to a connection of the list */
    char *nothing; /* why nothing was checked, and what was seen instead; NULL: unknown, or something was checked */
};

struct report {
    const struct check_options *options;
    GPtrArray *captures;     /* struct report_capture * */
    struct between *between; /* --both; NULL: no */
    /* Filled by report_conclude(). */
    uint64_t found[SEVERITY_COUNT], waived;
    uint64_t connections, connections_with_findings;
    unsigned empty;                       /* captures in which nothing was checked */
    unsigned incomplete;                  /* of these, captures with nothing but handshakes that were never completed */
    bool trouble;                         /* an error, whatever the rules say */
    struct rule_count counts[RULE_COUNT]; /* sums */
    struct report_doubt {
        struct doubt_at first;
        const struct report_capture *capture; /* the first capture with a doubt about the rule; NULL: none */
    } doubts[RULE_COUNT];
    unsigned exercised;
    enum rule_transport transport; /* of all connections; RULE_ON_ANY: both kinds, or no connection */
    bool shown[RULE_COUNT];        /* selected by the options, and in the profile */
    GPtrArray *unused_waivers;     /* struct waiver *, borrowed */
    GPtrArray *expired_waivers;    /* struct waiver *, borrowed: expired waivers that would have matched */
    enum check_status status;
};

struct report_connection *report_connection_new(void);
void report_connection_free(struct report_connection *connection);
void report_add_finding(struct report_connection *connection, const struct report_finding *finding,
                        const char *message);
/* Likewise for a finding from another report: copies the texts of its subject, too. */
void report_adopt_finding(struct report_connection *connection, const struct report_finding *finding);
/* Sorts by frame, then by octet; findings at the same place keep their order. */
void report_sort_findings(struct report_connection *connection);
/* Waived findings count, too. */
bool report_has_findings(const struct report_connection *connection);
/* Takes ownership of the connection. */
void report_rest_take(struct report_rest *rest, struct report_connection *connection);
void report_rest_clear(struct report_rest *rest);
/* Adds rest to capture->rest, and resets the counts of rest. */
void report_rest_add(struct report_capture *capture, struct report_rest *rest);
/* Whether more than the start of the connection was judged. */
bool report_is_judged(const struct report_connection *connection);
/* The number of connections, listed or not. */
uint64_t report_n_connections(const struct report_capture *capture);
/* "12 more connections ... are not listed"; NULL: all connections are listed. g_free() it. */
gchar *report_rest_text(const struct report_rest *rest);
/* The number of findings that make the run fail. */
uint64_t report_rest_fails(const struct check_options *options, const struct report_rest *rest);
/* For formats that otherwise fail only on listed findings. NULL: no finding fails. g_free() it. */
gchar *report_rest_fails_text(const struct check_options *options, const struct report_rest *rest);
/* "3 packets ignored, which no receiver accepts: 1 with ..., 2 with ..."; NULL: none. g_free() it. */
gchar *report_refused_text(const struct report_connection *connection);
/* The approximate memory of an ended connection, in octets. */
size_t report_connection_size(const struct report_connection *connection);
/* The approximate memory of its findings alone, in octets. */
size_t report_findings_size(const struct report_connection *connection);
/*
 * True: three such findings are already listed; this one is counted with the last of them. False: the caller adds the
 * finding. message: shorter than FINDING_MESSAGE_SIZE.
 */
bool report_fold_finding(struct report_connection *connection, const struct report_finding *finding,
                         const char *message);
/* The common text of findings that differ only in numbers; g_free() it. */
gchar *report_fold_text(const char *message);
enum { REPORT_EQUAL_LISTED = 3 };
void report_add_failing(struct report_connection *connection, enum rule_id rule);
void report_drop_failing(struct report_connection *connection, enum rule_id rule);
/* Writes to rules (struct report_rule) which rules were exercised or inconclusive, in catalogue order. */
void report_rules(const struct report *report, const struct report_connection *connection, GArray *rules);
/* Writes only the rules that failed or were inconclusive. */
void report_rules_not_passed(const struct report *report, const struct report_connection *connection, GArray *rules);
/* Writes which rules were exercised or inconclusive on any connection of a capture, without `failing`. */
void report_capture_rules(const struct report *report, const struct report_capture *capture, GArray *rules);
struct report_capture *report_capture_new(const char *file);
void report_capture_free(struct report_capture *capture);
/* Empties the capture for the next part. */
void report_capture_begin_part(struct report_capture *capture);

void report_init(struct report *report, const struct check_options *options);
void report_clear(struct report *report);
/* Sums up and decides the verdict, after the last capture or after each part. */
void report_conclude(struct report *report);

/* One line each. */
enum report_emptiness {
    REPORT_NO_MPA,
    REPORT_NO_FPDU,
    REPORT_NO_GUEST,
    REPORT_NO_ANSWER,
    REPORT_REJECTED,
    REPORT_INCOMPLETE,
    REPORT_OTHER_ULP
};
const char *report_nothing(enum report_emptiness why);
/*
 * Why nothing was checked in a readable capture: it has no connection, or no connection in which an FPDU, an
 * upper-layer message or a rule about a rejected startup was judged. NULL: something was checked. One line.
 */
const char *report_nothing_checked(const struct report_capture *capture);
/* Likewise for this part of a capture alone; report_nothing_checked() accepts any connection in a part. */
bool report_judged_something(const struct report_capture *capture);
/* The request for the connection was never answered. */
bool report_unanswered(const struct report_connection *connection);
/*
 * Connections of a capture were dropped to make room for others, or connections that may have had trouble are not
 * listed, or packets were given up for lack of room: findings stand, but nothing passes.
 */
bool report_capture_cut_short(const struct report_capture *capture);
/* At least one capture is cut short. */
bool report_cut_short(const struct report *report);
/* Not everything of the capture could be judged. */
bool report_capture_undone(const struct report_capture *capture);
/* The verdict is PASS, and nothing went wrong. */
bool report_is_good(const struct report *report);
/* There was trouble, and no rule was broken: the verdict is TROUBLE, which fails only with --fail-on=trouble. */
bool report_is_trouble(const struct report *report);
/* The worst trouble, such as "5 Calls were never answered"; NULL: none. g_free() it. */
gchar *report_trouble(const struct report *report);
/* The capture has only handshakes that were never completed. This counts as a failure, not as "nothing to check". */
bool report_incomplete(const struct report_capture *capture);
/* "pass", "fail", "error", "nothing-to-check" */
const char *report_status_name(enum check_status status);
/* Member names of "operations": "write", "read_request", ...; NULL for an opcode without a name. */
const char *report_operation_name(unsigned opcode);

#endif

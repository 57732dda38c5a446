/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a run, between the engine and the report formats: captures, their connections, and for each connection
 * the findings to report and the outcome of each rule.
 */
#ifndef IWARP_CONFORMANCE_MODEL_REPORT_H
#define IWARP_CONFORMANCE_MODEL_REPORT_H

#include "conformance/model/guest.h"
#include "conformance/model/notes.h"
#include "conformance/model/report_ib.h"
#include "conformance/options/status.h"
#include "conformance/stats/statistics.h"
#include "conformance/trouble/trouble.h"
#include "engine/core/fold.h"
#include "engine/packet/decap.h"
#include "waivers/waivers.h"

#include <glib.h>

struct check_options;

/* With ladder diagrams: the first findings of a rule on a connection. */
enum { REPORT_LADDERS = 3 };

/* Of the NDJSON report: grows when a reader would have to change. */
enum { REPORT_JSON_FORMAT = 4 };

enum { SEVERITY_COUNT = 3, OPERATION_COUNT = 16 };

struct report_finding {
    enum rule_id rule;
    enum rule_severity severity;
    enum direction direction; /* from whoever is to blame; never DIR_UNKNOWN: by presumed roles if need be */
    bool awaited;             /* frame has the other direction: nothing came after it that had to */
    uint32_t frame, first_frame, related_frame;
    struct finding_subject subject;
    int64_t time_ns;
    uint64_t offset;
    const struct waiver *waiver; /* NULL: not waived */
    const char *message;         /* UTF-8 */
    /* Equal ones after it that are not listed (report_fold.c), and the frames of the first and the last of them. */
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
    uint32_t failing; /* findings of it that make the run fail: at or above the fail level, not waived */
};

struct report_connection {
    uint32_t id;
    uint64_t opened;           /* while connections are numbered: what orders them */
    bool continued, continues; /* in parts: it is in an earlier report, and may be in a later one */
    struct endpoint initiator, responder;
    bool roles_known; /* false: initiator is whoever opened the TCP connection, or spoke first */
    uint32_t start_frame, end_frame;
    int64_t start_ns, end_ns;
    struct report_ib *ib; /* NULL: iWARP, which the next three are of */
    struct mpa_parameters parameters;
    bool complete;                /* startup to end without a hole */
    enum tristate markers[2];     /* by direction */
    uint64_t fpdus[2], octets[2]; /* by direction; octets of FPDUs. With ib: packets, and octets of their payload */
    uint64_t damaged[2];          /* by direction: TCP segments ignored, as their checksums are wrong */
    uint64_t operations[OPERATION_COUNT]; /* RDMAP messages by opcode, counted by their last segment */
    struct report_guest guest;            /* the upper layer */
    GArray *findings;                     /* struct report_finding, by frame; never NULL */
    GStringChunk *messages;
    GHashTable *folds;                      /* report_fold.c; NULL: none */
    GHashTable *kinds;                      /* report_kinds.h; NULL: none, or not wanted */
    uint64_t found[SEVERITY_COUNT], waived; /* all findings, those not kept as well; found holds unwaived ones */
    uint64_t not_kept;
    GArray *notes;                   /* struct note, for the ladders of --format=html; NULL otherwise */
    unsigned initiator_side;         /* the side of notes that is the Initiator */
    struct folded_counts *counts;    /* of rules by themselves: see report_rules(); NULL: nothing */
    struct statistics *statistics;   /* side 0: the initiator; NULL: not wanted */
    GArray *failing;                 /* struct report_failing; NULL: none */
    const char *server;              /* "linux", "ganesha": who it looks like; NULL: not known */
    struct trouble_facts *facts;     /* of the whole connection, once it is over; NULL: it goes on */
    void *record;                    /* of the guest, until check_across.h has judged it; NULL: none */
    const struct ulp_across *across; /* whose record it is */
};

/* Sums of the connections that are not listed, as the list is full. To begin with zero. */
struct report_rest {
    uint64_t n, with_findings;
    uint64_t troubled; /* connections on which something may have happened */
    uint64_t found[SEVERITY_COUNT], waived;
    uint64_t calls, answers;
    bool judged, ib, iwarp, holes;
    struct rule_counts *counts;    /* NULL: none */
    struct statistics *statistics; /* of their Calls; NULL: not wanted */
};

/* A capture that is reported period by period. */
struct report_part {
    char *series;           /* the same in all parts; NULL: the capture is whole */
    unsigned first, number; /* from 1; first: another one only where merge joined several */
    bool last;
    int64_t from_ns, to_ns; /* the period */
};

/*
 * With parts, counts and findings are those of one part: what was decided in its period. Numbers of frames and
 * connections, and the time of the first packet, run on through all parts.
 */
struct report_capture {
    char *path; /* as it was given, any octets */
    char *file; /* the same as UTF-8 */
    uint64_t packets, octets, dropped;
    struct report_part part;
    int64_t start_ns;     /* of the first packet */
    int64_t checking_ns;  /* how long it took to read and judge it */
    uint64_t snapped;     /* packets of which the end is not captured */
    uint32_t snap_length; /* the most octets that one of these has */
    bool truncated;
    bool failed;               /* could not be read, or not to the end: trouble */
    char *trouble;             /* one line; NULL: none. Set without `failed` for a warning */
    GPtrArray *connections;    /* struct report_connection *, by id */
    struct troubles *troubles; /* what happened so far, in all parts; never NULL */
    uint64_t other_connections;
    uint64_t cut_short; /* connections that were not judged to their end, as there were too many */
    struct report_rest rest;
    struct folded_counts *rest_counts; /* of the connections in rest; NULL: none */
    struct folded_counts *counts;      /* of a merged report, whose connections have none; else NULL */
    char *nothing; /* why nothing was checked, with what was seen instead; NULL: not known, or something was */
};

struct report {
    const struct check_options *options;
    GPtrArray *captures; /* struct report_capture * */
    /* Filled by report_conclude(). */
    uint64_t found[SEVERITY_COUNT], waived;
    uint64_t connections, connections_with_findings;
    unsigned empty;                       /* captures in which nothing was checked */
    unsigned incomplete;                  /* of these, those whose only handshakes were never completed */
    bool trouble;                         /* something went wrong, whatever the rules say */
    struct rule_count counts[RULE_COUNT]; /* sums */
    unsigned exercised;
    enum rule_transport transport; /* of all connections; RULE_ON_ANY: of both kinds, or there are none */
    bool shown[RULE_COUNT];        /* selected by the options, and in the profile */
    GPtrArray *unused_waivers;     /* struct waiver *, borrowed */
    GPtrArray *expired_waivers;    /* the same: of those that have expired, what would have waived something */
    enum check_status status;
};

struct report_connection *report_connection_new(void);
void report_connection_free(struct report_connection *connection);
void report_add_finding(struct report_connection *connection, const struct report_finding *finding,
                        const char *message);
/* The same of a finding that was another report's: also the texts of its subject are copied. */
void report_adopt_finding(struct report_connection *connection, const struct report_finding *finding);
/* By frame, then by octet; findings at one place stay in the order in which they were made. */
void report_sort_findings(struct report_connection *connection);
/* Waived findings count, too. */
bool report_has_findings(const struct report_connection *connection);
/* Takes the connection over. */
void report_rest_take(struct report_rest *rest, struct report_connection *connection);
void report_rest_clear(struct report_rest *rest);
/* Adds rest to capture->rest, and leaves its counts at 0. */
void report_rest_add(struct report_capture *capture, struct report_rest *rest);
/* More was judged than the start of the connection. */
bool report_is_judged(const struct report_connection *connection);
/* How many connections it has, listed or not. */
uint64_t report_n_connections(const struct report_capture *capture);
/* "12 more connections ... are not listed"; NULL: all are. g_free() it. */
gchar *report_rest_text(const struct report_rest *rest);
/* How many findings make the run fail. */
uint64_t report_rest_fails(const struct check_options *options, const struct report_rest *rest);
/* For formats that otherwise fail for listed findings alone. NULL: no finding fails. g_free() it. */
gchar *report_rest_fails_text(const struct check_options *options, const struct report_rest *rest);
/* Memory of a connection that is over, in octets, about. */
size_t report_connection_size(const struct report_connection *connection);
/* Memory of its findings alone, in octets, about. */
size_t report_findings_size(const struct report_connection *connection);
/*
 * True: three like it are listed already, and it is counted with the last of them. False: the caller adds it. message:
 * shorter than FINDING_MESSAGE_SIZE.
 */
bool report_fold_finding(struct report_connection *connection, const struct report_finding *finding,
                         const char *message);
/* The text that findings have in common which differ only in numbers; g_free() it. */
gchar *report_fold_text(const char *message);
enum { REPORT_EQUAL_LISTED = 3 };
void report_add_failing(struct report_connection *connection, enum rule_id rule);
void report_drop_failing(struct report_connection *connection, enum rule_id rule);
/* Into rules (of struct report_rule): what was exercised or inconclusive, in catalogue order. */
void report_rules(const struct report *report, const struct report_connection *connection, GArray *rules);
/* Of these, only what failed or was inconclusive. */
void report_rules_not_passed(const struct report *report, const struct report_connection *connection, GArray *rules);
/* What was exercised or inconclusive on all connections of a capture together; `failing` is left out. */
void report_capture_rules(const struct report *report, const struct report_capture *capture, GArray *rules);
struct report_capture *report_capture_new(const char *file);
void report_capture_free(struct report_capture *capture);
/* Empties it for the next part. */
void report_capture_begin_part(struct report_capture *capture);

void report_init(struct report *report, const struct check_options *options);
void report_clear(struct report *report);
/* Sums up and decides; after the last capture, or each part. */
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
 * Why nothing was checked in a capture that could be read: it has no connection, or none in which an FPDU, a message
 * of an upper layer, or a rule about a rejected start-up was judged. NULL: something was. One line.
 */
const char *report_nothing_checked(const struct report_capture *capture);
/* The same for this part of a capture alone; for report_nothing_checked() any connection in a part is something. */
bool report_judged_something(const struct report_capture *capture);
/* Whoever asked for the connection was never answered. */
bool report_unanswered(const struct report_connection *connection);
/*
 * Connections of a capture made room for others, or connections on which something may have happened are not listed:
 * the findings stand, but nothing passes.
 */
bool report_capture_cut_short(const struct report_capture *capture);
/* At least one capture is cut short. */
bool report_cut_short(const struct report *report);
/* Not everything of the capture could be judged. */
bool report_capture_undone(const struct report_capture *capture);
/* The verdict is PASS, and nothing went wrong. */
bool report_is_good(const struct report *report);
/* The worst of what happened, "5 Calls were never answered"; NULL: nothing. g_free() it. */
gchar *report_trouble(const struct report *report);
/* The capture has nothing but a handshake that was never completed. This fails; it is not "nothing to check". */
bool report_incomplete(const struct report_capture *capture);
/* "pass", "fail", "error", "nothing-to-check" */
const char *report_verdict(const struct report *report);
const char *report_status_name(enum check_status status);
/* Member names of "operations": "write", "read_request", ...; NULL for an opcode without a name. */
const char *report_operation_name(unsigned opcode);

#endif

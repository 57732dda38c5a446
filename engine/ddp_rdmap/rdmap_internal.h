/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the DDP and RDMAP layers, shared by their files only (ddp_*.c, rdmap_*.c).
 *
 * rdmap_connection.c passes an FPDU through these steps: the header alone (ddp_header_rules.c), its place in a message
 * (ddp_untagged_rules.c, ddp_tagged_rules.c), the request that it is or answers (rdmap_requests.c), the operation, and
 * then the rule families. struct rdmap_step holds what each step found out.
 *
 * A direction is named by the side that sends it.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_INTERNAL_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_INTERNAL_H

#include "engine/ddp_rdmap/rdmap.h"
#include "wire/rdmap_terminate.h"

/*
 * Which layer reports what, so that one violation gives one finding: MPA has judged CRCs, ULPDU_Length 0 or above
 * 64768, DV and RV 0 or 1, the RTR and the MSN after it, and Reads in flight against IRD and ORD. A message marked
 * faulty has its finding; its consequences are not judged again. A message that is merely blemished, in a field that
 * its receiver must ignore, is judged in every other respect, and so is its receiver's reaction.
 */

enum {
    DDP_QUEUES = 4,          /* QN 0 to 3; there are no others (RFC 5040 section 3.1, RFC 7306 section 4) */
    RDMAP_CONTENT_MAX = 64,  /* longer than the longest RDMAP header */
    DDP_RANGES_MAX = 16,     /* pieces kept for a message whose segments are out of order */
    RDMAP_RECENT_MAX = 512,  /* segments kept per direction, for Terminates */
    RDMAP_SEARCH_MAX = 1024, /* requests compared with an answer that does not fit the first request */
};

/* Octets [from, to) of a message. */
struct ddp_range {
    uint64_t from, to;
};

/* Pieces of a message, ascending and not adjacent. */
struct ddp_ranges {
    struct ddp_range range[DDP_RANGES_MAX];
    unsigned n;
    bool overlapped; /* some octets came twice */
    bool lost;       /* there were more pieces than fit */
};

/* A message of one direction: the open message, or the last one, of a queue or of the Tagged segments. */
struct ddp_message {
    uint64_t number; /* among the direction's messages, from 0 */
    uint8_t control; /* its first segment's octet 1: RV, Rsv, Opcode */
    uint8_t opcode;
    bool tagged;
    bool first_known; /* its first segment was seen, so it did not begin before the capture or in a hole */
    bool damaged;     /* octets are or may be missing (a hole); judgments about the whole message are inconclusive */
    bool faulty;      /* a finding was made in one of its segments */
    bool empty;       /* the message has several segments, one without payload */
    bool too_long;    /* too long, and already reported */
    bool forced;      /* closed without L = 1, because it has a fixed length and is complete */
    uint32_t stag;    /* STag; Untagged: Invalidate STag or the reserved word */
    uint32_t qn, msn;
    uint64_t start;   /* TO (MO) of the segment that came first */
    uint64_t next;    /* TO (MO) of the segment that would come next in ascending order */
    uint64_t last_at; /* TO (MO) of the latest segment */
    uint64_t octets;  /* payload seen */
    uint32_t segments;
    struct place first, last;         /* its first and its latest segment */
    struct rdmap_operation operation; /* not for Read and Atomic Requests and Responses */
    /* For a Read Response: the request that it answers; valid when matched. */
    bool matched;
    uint64_t request; /* serial number */
    uint8_t match;    /* enum rdmap_match of the first segment */
    /* Segments out of order: all pieces from the first disorder on, ascending and joined. */
    bool disordered;
    struct ddp_ranges *ranges; /* see ddp_ranges_of() */
    struct place disorder;     /* first segment out of order */
    uint64_t disorder_expected, disorder_found;
    /* A segment of another message came in between; 0: none. */
    uint32_t interrupted;
};

/* One untagged queue of one direction, or the Tagged segments of one direction (which have no MSN). */
struct ddp_queue {
    bool known;        /* `expected` is known; else the next MSN is learned */
    bool learnt;       /* `expected` was known once, before a hole */
    uint32_t hidden;   /* messages that may be in the hole; UINT32_MAX: any number */
    bool cut_open;     /* the message before `expected` may also continue after the hole */
    bool after_rtr;    /* MPA judges the MSN of the next message (RFC 6581 section 9.2) */
    bool any;          /* a message of this queue was seen */
    bool open;         /* message is open; else it is the last one, if any is set */
    bool unsettled;    /* closed with octets missing: later segments show which rule was broken */
    uint32_t expected; /* MSN of the next message */
    uint64_t messages; /* number of messages begun since the start of the capture */
    /* Allocated for the queue's first message, as most queues are never used; never NULL. */
    struct ddp_message *message;
    uint8_t *content; /* payload of a fixed-length message that came in several segments, RDMAP_CONTENT_MAX octets */
    /* One message had an unexpected MSN: the next message may continue from either number. */
    bool astray;
    bool astray_first; /* it was the first message of the queue */
    bool skipped;      /* one MSN was skipped: the next message shows whether two messages were swapped */
    uint32_t astray_expected, astray_found;
    struct place astray_place;
};

/* A Read or Atomic Request that is not completely answered, or that is hidden in a hole. */
struct rdmap_request {
    uint64_t serial; /* among the QN 1 messages of the direction, as far as known */
    bool known;      /* false: hidden in a hole; the MSNs show that there was one */
    bool answered;   /* completely, while an earlier one is not */
    bool faulty;     /* a finding was made at the request, so its answer proves less */
    bool begun;      /* segments of its answer were seen */
    bool damaged;    /* octets of its answer are or may be missing */
    /* Something was lost since: its answer may be lost, and an answer that fits it may belong to another request. */
    bool doubtful;
    uint32_t msn;
    uint64_t end;                     /* stream offset after its FPDU, in the requester's direction */
    uint64_t activity;                /* rdmap_atomic_values.c */
    uint64_t previous;                /* rdmap_atomic_memory.c: the previous Atomic on the address, serial + 1 */
    struct rdmap_operation operation; /* kind READ or ATOMIC */
};

/* The requests of one side, in the order of QN 1: both Reads and Atomics are answered in this order. */
struct rdmap_requests {
    struct rdmap_request *ring; /* capacity is a power of two */
    uint64_t capacity;
    uint64_t head, tail; /* serial numbers of the oldest request and of the next to come */
    uint64_t peak;       /* largest number at one time */
    bool uncertain;      /* requests before the capture, or answers in a hole: some entries may not be open any more */
    bool incomplete;     /* also, requests that are not entered may be open: from before the capture, or forgotten */
    /* After a long silence, everything open before it has ended, including requests hidden in holes. */
    bool idle;
    bool unclaimed; /* there were answers without a request */
    /* A hole in the requester's direction: its next MSN on QN 1 shows how many requests were lost. */
    bool maybe_lost;
    bool lost_within;    /* the same, for holes after a captured message of that side */
    uint64_t doubted;    /* requests before this serial number are doubtful */
    uint64_t late_until; /* requests up to this stream offset may have been answered before they were captured */
    uint64_t overdrawn;  /* answers to requests that the capture has not shown (yet) */
    uint64_t early_to;   /* how far the sender of those answers had received */
    int64_t last_answer_ns;
};

struct rdmap_kept; /* a segment kept to find the one that a Terminate blames: rdmap_recent.c */

/* A segment found among the recent ones. */
struct rdmap_recent {
    uint8_t header_len; /* of its DDP header */
    uint16_t ulpdu_length;
    bool faulty; /* it has a finding */
    /* This segment, or an earlier one of its message, is out of order: reported later, if at all. */
    bool disordered;
    const uint8_t *request; /* the RDMA Read Request Header as sent; NULL: not opcode 1, or header incomplete */
    struct place place;     /* frame, offset and side only */
};

/* One direction, named by the side that sends it. */
struct rdmap_side {
    struct ddp_queue queue[DDP_QUEUES];
    struct ddp_queue tagged;
    struct rdmap_requests requests; /* sent by this side */
    struct rdmap_kept *recent;
    uint8_t (*recent_requests)[RDMAP_READ_REQUEST_LEN]; /* Read Requests at the same indices; NULL: none */
    unsigned recent_capacity, requests_capacity;
    uint64_t segments; /* DDP segments seen; the latest is recent[(segments - 1) % recent_capacity] */
    uint64_t messages;
    uint64_t end;     /* stream offset after the latest FPDU */
    bool started;     /* an FPDU was seen */
    bool from_start;  /* the direction's very first FPDU was seen: MSNs start with 1 */
    bool hole;        /* at some time, messages may have been lost */
    bool hole_open;   /* the latest hole extends to the next FPDU */
    uint64_t hole_to; /* else: stream offset where it ended; 0: there was no hole */
    bool gap;         /* octets are missing after the latest FPDU: the next FPDU shows whether messages are */
    bool patchy;      /* segments of known messages are missing */
    bool acked_known; /* see rdmap_connection_acked() */
    uint64_t acked;
    uint64_t last_write; /* number of the latest Write operation; 0: none */
    bool terminated;     /* has sent a Terminate */
    struct place terminate_place;
    bool fin, reset;
    struct place end_place;
    struct place last; /* latest FPDU */
    bool rv_known;
    uint8_t rv; /* in the latest segment */
};

struct rdmap_read_state;      /* rdmap_read_rules.c */
struct rdmap_atomic_state;    /* rdmap_atomic_rules.c */
struct rdmap_stag_state;      /* rdmap_stag_rules.c */
struct rdmap_close_state;     /* rdmap_close_rules.c */
struct rdmap_terminate_state; /* rdmap_terminate_rules.c */
struct rdmap_reaction_state;  /* rdmap_reaction_rules.c */
struct rdmap_readback;        /* rdmap_readback_rules.c */

struct rdmap_connection {
    struct rdmap_options options; /* with defaults filled in */
    struct rdmap_events events;
    struct verdict *verdict;
    struct arena *arena; /* borrowed; holds the families' state for the life of the connection */
    enum mpa_phase phase;
    struct mpa_parameters parameters;
    struct rdmap_side side[2];
    struct rdmap_counts counts;
    uint64_t operations; /* number of operations so far */
    int64_t latest_ns;   /* of any FPDU */
    bool crc_noted, finished;
    struct terminate_host host[2]; /* of each side */
    uint8_t version_wrong[2];      /* wrong DV and RV values already reported, as a set, by side */
    /* Owned by the families; allocated by their _new, NULL when not needed. */
    struct rdmap_read_state *read;
    struct rdmap_atomic_state *atomic;
    struct rdmap_stag_state *stag;
    struct rdmap_close_state *close;
    struct rdmap_terminate_state *terminate;
    struct rdmap_reaction_state *reaction;
    struct rdmap_readback *readback[2]; /* by the writing side; NULL until its first Write */
};

enum rdmap_match {
    RDMAP_MATCH_NONE,        /* not an answer */
    RDMAP_MATCH_HEAD,        /* answers the oldest open request (even if its fields differ) */
    RDMAP_MATCH_LATER,       /* fits an open request other than the oldest */
    RDMAP_MATCH_UNKNOWN,     /* answers a request that the capture does not show, as far as can be known */
    RDMAP_MATCH_UNSOLICITED, /* certainly there is no open request that it could answer */
};

/* One segment, and what has been found out about it so far. */
struct rdmap_step {
    const struct mpa_fpdu_event *fpdu;
    const struct ddp_segment *ddp;
    const struct rdmap_opcode_info *info; /* NULL: the opcode is not assigned */
    unsigned side;
    unsigned qn;      /* for a sound untagged segment: the queue that it counts for */
    bool acked_known; /* how far its sender had received the other direction */
    uint64_t acked;
    bool sound;  /* T bit and QN fit the opcode, the header is complete: the segment counts as what its opcode says */
    bool rtr;    /* the RTR of RFC 6581, which MPA judges */
    bool set_up; /* the RTR, or a message in the RTR's place: not sent by the ULP */
    bool faulty; /* it has a finding; families judge only what is independent of that */
    bool stray;  /* belongs to a message that was closed before; no new message was begun */
    struct ddp_message *message; /* NULL unless sound and not stray */
    bool starts;                 /* first segment of the message (as far as seen) */
    bool ends;                   /* L = 1 */
    bool complete;               /* L = 1, and no octet of the message is missing */
    /* For complete Untagged messages other than Sends: all their payload. */
    const uint8_t *content;
    size_t content_len;
    /*
     * Read and Atomic Requests: their entry. Responses: the answered request, or NULL when match says that there is
     * none.
     */
    struct rdmap_request *request;
    enum rdmap_match match;
    struct rdmap_operation *operation; /* NULL when unknown */
};

/* ---- findings (rdmap_connection.c) ---- */

/* Fails a rule at this segment, and marks step and message as faulty. related_frame 0: none. */
void rdmap_fail_as(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule,
                   enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));
#define rdmap_fail(rdmap, step, rule, related_frame, ...)                                                              \
    rdmap_fail_as((rdmap), (step), (rule), rule_catalogue[rule].severity, (related_frame), __VA_ARGS__)
/* Like rdmap_fail(), for a field that receivers ignore: the segment is not marked. */
#define rdmap_blemish(rdmap, step, rule, ...)                                                                          \
    verdict_failed((rdmap)->verdict, (rule), (step)->fpdu->direction, &(step)->fpdu->place, 0, __VA_ARGS__)
/* Fails a rule at another place of `side`'s direction (place.side); step may be NULL. */
void rdmap_fail_at_as(struct rdmap_connection *rdmap, const struct place *place, enum rule_id rule,
                      enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));
#define rdmap_fail_at(rdmap, place, rule, related_frame, ...)                                                          \
    rdmap_fail_at_as((rdmap), (place), (rule), rule_catalogue[rule].severity, (related_frame), __VA_ARGS__)

/* ---- recent segments (rdmap_recent.c) ---- */

void rdmap_recent_free(struct rdmap_side *side);
/* Keeps a segment that was judged. When out of memory, fewer are kept. */
void rdmap_recent_keep(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/*
 * The latest segment of `side` whose DDP header is header[0..len), and whose ULPDU_Length is `length` if known (>= 0).
 * False when none is kept; *found is valid until the next segment is kept.
 */
bool rdmap_recent_find(const struct rdmap_connection *rdmap, unsigned side, const uint8_t *header, size_t len,
                       int length, struct rdmap_recent *found);
/*
 * Finds a segment by the echoed RDMA Read Request Header: the DDP Header that some senders echo is not from any
 * segment.
 */
bool rdmap_recent_read(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_read_request *echo,
                       struct rdmap_recent *found);

/* ---- requests (rdmap_requests.c) ---- */

/* NULL when the serial number is not in the queue, or no longer. */
struct rdmap_request *rdmap_request_at(struct rdmap_requests *requests, uint64_t serial);
/* The oldest unanswered request; NULL when there is none. */
struct rdmap_request *rdmap_request_oldest(struct rdmap_requests *requests);
/* Number of requests not completely answered, including those in holes. */
uint64_t rdmap_requests_open(const struct rdmap_requests *requests);
/* True when the queue holds exactly the open requests: needed to judge by order or absence. */
static inline bool rdmap_requests_certain(const struct rdmap_requests *requests)
{
    return !requests->uncertain && !requests->maybe_lost && requests->overdrawn == 0;
}
/* A known open request has the fields of this answer. */
bool rdmap_read_is_asked_for(const struct rdmap_requests *requests, const struct ddp_segment *response);
bool rdmap_atomic_is_asked_for(const struct rdmap_requests *requests, uint32_t identifier);
/* For rdmap_connection.c. */
void rdmap_requests_free(struct rdmap_requests *requests);
/* step is a complete request: enters it, or leaves step->request NULL when out of memory. */
void rdmap_requests_push(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* step is a request whose header was not captured completely: its fields are unknown. */
void rdmap_requests_cut(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* Answers, requests or their order were lost: which requests are open is uncertain. */
void rdmap_requests_doubt(struct rdmap_requests *requests);
/* The same, because of an answer whose request is unknown: the request may still come. */
void rdmap_requests_unclaimed(struct rdmap_requests *requests);
/*
 * A hole in the requester's direction; and, at the requester's next message on QN 1, how many requests the hole hides.
 */
void rdmap_requests_hole(struct rdmap_side *requester);
/* Requests that the capture does not show may be open. */
void rdmap_requests_distrust(struct rdmap_requests *requests);
/*
 * The MSN of the next request is 1: it is the first of the connection, so no request from before the capture is open.
 */
void rdmap_requests_first(struct rdmap_requests *requests);
/* Neither side has sent anything for so long that no doubtful request is open any more. */
void rdmap_requests_idle(struct rdmap_requests *requests);
void rdmap_requests_found(struct rdmap_connection *rdmap, struct rdmap_requests *requests, uint32_t missing);
/* The first segment of an answer: sets step->request and step->match. identifier: of an Atomic Response. */
void rdmap_requests_match(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier);
/* The request is answered completely. It stays readable until the next push. */
void rdmap_requests_retire(struct rdmap_requests *requests, struct rdmap_request *request, int64_t time_ns);

/* ---- recent segments (rdmap_connection.c) ---- */

/* True when all segments that `side` ever sent are still kept. */
bool rdmap_recent_all(const struct rdmap_connection *rdmap, unsigned side);

/*
 * ---- owner ddp: header, queues, Tagged segments ----
 */
/*
 * ddp_header_rules.c. ddp_judge_no_header(): the ULPDU is too short for a header, step->ddp is NULL. Sets step->sound.
 */
void ddp_judge_header(struct rdmap_connection *rdmap, struct rdmap_step *step);
void ddp_judge_no_header(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* ddp_untagged_rules.c, ddp_tagged_rules.c: find or begin step->message. */
void ddp_untagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void ddp_tagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
/*
 * `octets` octets are missing (UINT64_MAX: any number), so counters must be learned anew; ddp_untagged_unlearn(): the
 * counter of one queue, after a segment that may have belonged to it.
 */
void ddp_untagged_hole(struct rdmap_connection *rdmap, unsigned side, uint64_t octets);
void ddp_untagged_unlearn(struct rdmap_connection *rdmap, unsigned side, unsigned qn);
void ddp_tagged_hole(struct rdmap_connection *rdmap, unsigned side);
/* FIN (fin), RST or the end of the capture. */
void ddp_untagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin);
void ddp_tagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin);
/* A complete RDMA Read Request: judges the ranges that it names (DDP-7.1-16). */
void ddp_judge_read_ranges(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_read_request *read);
/* ddp_message.c: shared by Tagged and Untagged messages. */
void ddp_ranges_add(struct ddp_ranges *ranges, uint64_t from, uint64_t to);
void ddp_message_range(struct ddp_message *m, uint64_t from, uint64_t to);
const struct ddp_ranges *ddp_ranges_of(const struct ddp_message *m);
void ddp_message_init(struct ddp_queue *q);
void ddp_message_free(struct ddp_queue *q);
/* Before a sound segment is taken: makes sure that its queue can hold a message. False: out of memory. */
bool ddp_message_room(struct rdmap_connection *rdmap, const struct rdmap_step *step);
void ddp_message_begin(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q);
/* Notes that this segment, of another message, came between segments of open messages. */
void ddp_message_interrupts(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* Continues or ends the message with this segment: payload, counts, DDP-5.2-01, -03, -14, DDP-5.3-05. */
void ddp_message_add(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_message *m);
/* Another message began before this one had ended: DDP-4.1-04. */
void ddp_message_not_ended(struct rdmap_connection *rdmap, struct ddp_message *m, uint32_t related_frame);
/* Judges what depends on the end: DDP-3-14. */
void ddp_stream_finish(struct rdmap_connection *rdmap, int64_t time_ns);
/* RV and opcode are the message's; Rsv, which receivers ignore, was judged in each segment by itself. */
static inline bool ddp_same_control(const struct ddp_message *m, const struct rdmap_step *step)
{
    return ((step->fpdu->fpdu.ulpdu[1] ^ m->control) & 0xCF) == 0;
}
/* Judges a FIN that came while the message was open: DDP-6.2.1-02. True when the message was open. */
bool ddp_message_cut_off(struct rdmap_connection *rdmap, unsigned side, struct ddp_queue *q);

/*
 * ---- hooks, called by the core; one family per file ----
 *
 * A _new returns false when out of memory. Hooks are called only for segments whose content counts: CRC not wrong.
 */

/* rdmap_read_rules.c */
bool rdmap_read_new(struct rdmap_connection *rdmap);
void rdmap_read_free(struct rdmap_connection *rdmap);
/* step->request was entered for a complete Read Request (opcode 1; its operation.read is valid). */
void rdmap_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/*
 * A segment of a Read Response, before L = 1 retires its request. step->match, set at the first segment, says what it
 * answers. request->operation.octets already counts this segment.
 */
void rdmap_read_response(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* A Read Response was closed without L = 1 because another message began: DDP has judged that. */
void rdmap_read_broken_off(struct rdmap_connection *rdmap, unsigned side, struct rdmap_request *request);
/* True when a segment of a Read Response continues an interrupted Response, which was reported. */
bool rdmap_read_resumes(const struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* The direction of `side` (not of its answers) ended, or (finish) the capture did. */
void rdmap_read_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/* rdmap_atomic_rules.c; requests and responses as above, opcodes 10 and 11, with complete, decoded headers. */
bool rdmap_atomic_new(struct rdmap_connection *rdmap);
void rdmap_atomic_free(struct rdmap_connection *rdmap);
void rdmap_atomic_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_atomic_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response);
void rdmap_atomic_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/* rdmap_atomic_memory.c: Reads of exclusive memory, and segments of their Responses that can be compared. */
void rdmap_memory_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* Counts events that may have changed all memory that `side` writes. */
uint64_t rdmap_memory_activity(const struct rdmap_connection *rdmap, unsigned side);
void rdmap_memory_read(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t stag, uint64_t to);

/* rdmap_stag_rules.c: every sound segment, after its message is updated. */
void rdmap_stag_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_stag_skipped(struct rdmap_connection *rdmap, unsigned side);

/* rdmap_atomic_rules.c: a Terminate, which may refuse an Atomic on an unaligned address. */
void rdmap_atomic_terminate(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                            const struct rdmap_terminate *terminate);
/*
 * rdmap_atomic_rules.c: every segment of a message, after its operation; judges operations that touch the address of an
 * open Atomic.
 */
void rdmap_atomic_beside(struct rdmap_connection *rdmap, struct rdmap_step *step);

/*
 * rdmap_readback_rules.c: every segment of a message, after its operation; _hole: octets that are missing or unsound.
 */
void rdmap_readback_free(struct rdmap_connection *rdmap);
void rdmap_readback_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_readback_hole(struct rdmap_connection *rdmap, unsigned side);
/* The known contents of 8 octets of exclusive memory that `side` writes. */
struct rdmap_readback_word {
    uint8_t octets[sizeof(uint64_t)];
    uint8_t known;  /* bit i: octet i is known */
    bool read;      /* the latest octets come from a Read Response */
    uint32_t frame; /* of the message with the latest octets */
    uint64_t end;   /* stream offset after the latest Write, or Read Request, that the octets come from */
};
void rdmap_readback_word(const struct rdmap_connection *rdmap, unsigned side, uint32_t stag, uint64_t to,
                         struct rdmap_readback_word *word);

/* rdmap_close_rules.c: every DDP FPDU (step->sound or not; called before all other hooks), ends, the end. */
bool rdmap_close_new(struct rdmap_connection *rdmap);
void rdmap_close_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_close_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place);
void rdmap_close_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/*
 * rdmap_terminate_rules.c: a Terminate message (opcode 7, untagged; DDP judges QN, MSN, MO, L). culprit: the segment of
 * the other direction whose header is echoed, or NULL when none is kept. status SHORT: *terminate is all zero. layout:
 * how the control word is laid out if not as in the RFC, else NULL (terminate_layout.h); *terminate is then as
 * intended.
 */
void rdmap_terminate_message(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_terminate *terminate, enum rdmap_terminate_status status,
                             const char *layout, const struct rdmap_recent *culprit);

/*
 * rdmap_reaction_rules.c: every FPDU (also with a wrong CRC or without DDP header: step->ddp NULL), called after all
 * other hooks.
 */
bool rdmap_reaction_new(struct rdmap_connection *rdmap);
void rdmap_reaction_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* Called after rdmap_terminate_message(). */
void rdmap_reaction_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                              const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);
void rdmap_reaction_skipped(struct rdmap_connection *rdmap, unsigned side);
void rdmap_reaction_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place);
void rdmap_reaction_finish(struct rdmap_connection *rdmap, int64_t time_ns);

#endif

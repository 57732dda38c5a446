/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the DDP and RDMAP layers, shared by their files (ddp_*.c, rdmap_*.c) and no others.
 *
 * An FPDU passes through (rdmap_connection.c): the header alone (ddp_header_rules.c), its place in a message
 * (ddp_untagged_rules.c, ddp_tagged_rules.c), the request that it is or answers (rdmap_requests.c), the operation, and
 * then the rule families. struct rdmap_step holds what each step found out.
 *
 * Every direction is named by the side that sends it.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_INTERNAL_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_INTERNAL_H

#include "engine/ddp_rdmap/rdmap.h"
#include "wire/rdmap_terminate.h"

/*
 * Who reports what, so that one violation gives one finding: MPA has judged CRCs, ULPDU_Length 0 or above 64768, DV and
 * RV among 0 and 1, the RTR and the MSN after it, reads in flight against IRD and ORD. A message marked faulty has its
 * finding; its consequences are not judged again. One that is merely blemished, in a field that its receiver must
 * ignore, is judged in every other respect, and so is its receiver's reaction.
 */

enum {
    DDP_QUEUES = 4,          /* QN 0 to 3; there are no others (RFC 5040 section 3.1, RFC 7306 section 4) */
    RDMAP_CONTENT_MAX = 64,  /* above the longest RDMAP header */
    DDP_RANGES_MAX = 16,     /* pieces remembered of a message whose segments are out of order */
    RDMAP_RECENT_MAX = 512,  /* segments remembered per direction, for Terminates */
    RDMAP_SEARCH_MAX = 1024, /* requests compared with an answer that does not fit the first one */
};

/* Octets [from, to) of a message. */
struct ddp_range {
    uint64_t from, to;
};

/* Pieces of a message, ascending and apart. */
struct ddp_ranges {
    struct ddp_range range[DDP_RANGES_MAX];
    unsigned n;
    bool overlapped; /* octets came twice */
    bool lost;       /* more pieces than can be remembered */
};

/* A message of one direction: the open one, or the last one, of a queue or of the Tagged segments. */
struct ddp_message {
    uint64_t number; /* among the direction's messages, from 0 */
    uint8_t control; /* its first segment's octet 1: RV, Rsv, Opcode */
    uint8_t opcode;
    bool tagged;
    bool first_known; /* its first segment was seen: it did not begin before the capture or in a hole */
    bool damaged;     /* octets of it are or may be missing (a hole); what depends on the whole is inconclusive */
    bool faulty;      /* a finding was made at one of its segments */
    bool empty;       /* one of several segments has no payload */
    bool too_long;    /* reported already */
    bool forced;      /* closed without L = 1, as it is of fixed length and complete */
    uint32_t stag;    /* STag; Untagged: Invalidate STag or the reserved word */
    uint32_t qn, msn;
    uint64_t start;   /* TO (MO) of the segment that came first */
    uint64_t next;    /* TO (MO) of the segment that is to follow, in ascending order */
    uint64_t last_at; /* TO (MO) of the latest segment */
    uint64_t octets;  /* payload seen */
    uint32_t segments;
    struct place first, last;         /* its first and its latest segment */
    struct rdmap_operation operation; /* unless it is a Read or Atomic Request or Response */
    /* A Read Response: the request that it answers; valid when matched. */
    bool matched;
    uint64_t request; /* serial number */
    uint8_t match;    /* enum rdmap_match of the first segment */
    /* Segments out of order: all pieces, ascending and joined; from the first disorder on. */
    bool disordered;
    struct ddp_ranges *ranges; /* see ddp_ranges_of() */
    struct place disorder;     /* first segment out of order */
    uint64_t disorder_expected, disorder_found;
    /* A segment of another message came in between; 0: none. */
    uint32_t interrupted;
};

/* One untagged queue of one direction, or the Tagged segments of one direction (which have no MSN). */
struct ddp_queue {
    bool known;                  /* `expected` is: else the next MSN is learnt */
    bool learnt;                 /* `expected` was known once: before a hole */
    uint32_t hidden;             /* messages of it that may be in the hole; UINT32_MAX: any number */
    bool cut_open;               /* and the one before `expected` may go on after the hole */
    bool after_rtr;              /* the MSN of its next message is judged by MPA (RFC 6581 section 9.2) */
    bool any;                    /* a message of it was seen */
    bool open;                   /* message is under way; else it is the last one, when any is set */
    bool unsettled;              /* closed with octets missing: what follows shows which rule was broken */
    uint32_t expected;           /* MSN of the next message */
    uint64_t messages;           /* begun, since the start of the capture */
    struct ddp_message *message; /* made for the queue's first one: most queues are never used; never NULL */
    uint8_t *content; /* payload of a message of fixed length that came in several segments, RDMAP_CONTENT_MAX octets */
    /* One message had an unexpected MSN: the next one may continue from either. */
    bool astray;
    bool astray_first; /* it was the first message of the queue */
    bool skipped;      /* one MSN was skipped: the next message shows whether two messages changed places */
    uint32_t astray_expected, astray_found;
    struct place astray_place;
};

/* A Read or Atomic Request that is not completely answered, or one that a hole hides. */
struct rdmap_request {
    uint64_t serial; /* among the QN 1 messages of the direction, as far as known */
    bool known;      /* false: the MSNs show that there was one, in a hole */
    bool answered;   /* completely, but an earlier one is not */
    bool faulty;     /* a finding was made at the request: its answer proves less */
    bool begun;      /* segments of its answer were seen */
    bool damaged;    /* octets of its answer are or may be missing */
    bool doubtful; /* something was lost since: it may have been answered there, and what fits it answer another one */
    uint32_t msn;
    uint64_t end;                     /* stream offset after its FPDU, in the requester's direction */
    uint64_t activity;                /* rdmap_atomic_values.c */
    uint64_t previous;                /* rdmap_atomic_memory.c: the Atomic on the address before it, serial + 1 */
    struct rdmap_operation operation; /* kind READ or ATOMIC */
};

/* The requests of one side, in QN 1 order: Reads and Atomics are answered in the order of this one queue. */
struct rdmap_requests {
    struct rdmap_request *ring; /* capacity is a power of two */
    uint64_t capacity;
    uint64_t head, tail; /* serial numbers: of the oldest, and of the next to come */
    uint64_t peak;       /* most of them at a time */
    bool uncertain;      /* requests before the capture, or answers in a hole: not all entries need be open */
    bool incomplete;     /* and others may be open, from before the capture or forgotten */
    bool idle;           /* all that was open when nothing was sent for long is over, what a hole hides included */
    bool unclaimed;      /* there were answers without a request */
    bool maybe_lost;     /* a hole in the requester's direction: its next MSN on QN 1 shows what it hid */
    uint64_t doubted;    /* requests before this serial number are doubtful */
    uint64_t late_until; /* up to this stream offset, what comes from now on may have been answered already */
    uint64_t overdrawn;  /* answers to requests that the capture did not show (yet) */
    uint64_t early_to;   /* how far the sender of these answers had received */
    int64_t last_answer_ns;
};

struct rdmap_kept; /* what is kept of a segment, to find the one that a Terminate blames: rdmap_recent.c */

/* A segment that was found there. */
struct rdmap_recent {
    uint8_t header_len; /* of its DDP header */
    uint16_t ulpdu_length;
    bool faulty;            /* a finding was made at it */
    bool disordered;        /* it or a segment of its message before it is out of order: reported later, if at all */
    const uint8_t *request; /* the RDMA Read Request Header as sent; NULL: not opcode 1, or not with all its octets */
    struct place place;     /* frame, offset and side only */
};

/* One direction, named by the side that sends it. */
struct rdmap_side {
    struct ddp_queue queue[DDP_QUEUES];
    struct ddp_queue tagged;
    struct rdmap_requests requests; /* sent by this side */
    struct rdmap_kept *recent;
    uint8_t (*recent_requests)[RDMAP_READ_REQUEST_LEN]; /* Read Requests among them, in the same places; NULL: none */
    unsigned recent_capacity, requests_capacity;
    uint64_t segments; /* DDP segments seen; the latest is recent[(segments - 1) % recent_capacity] */
    uint64_t messages;
    uint64_t end;     /* stream offset after the latest FPDU */
    bool started;     /* an FPDU was seen */
    bool from_start;  /* the direction's very first FPDU was seen: MSNs start with 1 */
    bool hole;        /* messages may be missing, at any time */
    bool hole_open;   /* the latest hole goes on to the next FPDU; else: */
    uint64_t hole_to; /* stream offset where it ended; 0: there was none */
    bool gap;         /* something is missing after the latest FPDU: the next one shows whether that were messages */
    bool patchy;      /* segments are missing, of messages that are known */
    bool acked_known; /* see rdmap_connection_acked() */
    uint64_t acked;
    uint64_t last_write; /* number of the latest Write operation; 0: none */
    bool terminated;     /* has sent a Terminate */
    struct place terminate_place;
    bool fin, reset;
    struct place end_place;
    struct place last; /* latest FPDU */
    bool rv_known;
    uint8_t rv; /* of the latest segment */
};

struct rdmap_read_state;      /* rdmap_read_rules.c */
struct rdmap_atomic_state;    /* rdmap_atomic_rules.c */
struct rdmap_stag_state;      /* rdmap_stag_rules.c */
struct rdmap_close_state;     /* rdmap_close_rules.c */
struct rdmap_terminate_state; /* rdmap_terminate_rules.c */
struct rdmap_reaction_state;  /* rdmap_reaction_rules.c */
struct rdmap_readback;        /* rdmap_readback_rules.c */

struct rdmap_connection {
    struct rdmap_options options; /* defaults filled in */
    struct rdmap_events events;
    struct verdict *verdict;
    struct arena *arena; /* held; what the families have for as long as the connection is there */
    enum mpa_phase phase;
    struct mpa_parameters parameters;
    struct rdmap_side side[2];
    struct rdmap_counts counts;
    uint64_t operations; /* numbered so far */
    int64_t latest_ns;   /* of any FPDU */
    bool crc_noted, finished;
    struct terminate_host host[2]; /* of the sides */
    uint8_t version_wrong[2];      /* DV and RV found wrong already, as a set, by side: reported once */
    /* Owned by the families; made by their _new, NULL when they need none. */
    struct rdmap_read_state *read;
    struct rdmap_atomic_state *atomic;
    struct rdmap_stag_state *stag;
    struct rdmap_close_state *close;
    struct rdmap_terminate_state *terminate;
    struct rdmap_reaction_state *reaction;
    struct rdmap_readback *readback[2]; /* by the side that writes; NULL until its first Write */
};

enum rdmap_match {
    RDMAP_MATCH_NONE,        /* no answer */
    RDMAP_MATCH_HEAD,        /* answers the oldest open request (its fields may differ all the same) */
    RDMAP_MATCH_LATER,       /* fits a request that is not the oldest open one */
    RDMAP_MATCH_UNKNOWN,     /* answers a request that the capture does not show, as far as one can know */
    RDMAP_MATCH_UNSOLICITED, /* certainly no request is open that it could answer */
};

/* One segment, and what has been found out about it. */
struct rdmap_step {
    const struct mpa_fpdu_event *fpdu;
    const struct ddp_segment *ddp;
    const struct rdmap_opcode_info *info; /* NULL: the opcode is not assigned */
    unsigned side;
    unsigned qn;      /* of a sound untagged segment: the queue that it counts for */
    bool acked_known; /* how far its sender had received the other direction */
    uint64_t acked;
    bool sound;  /* T bit and QN fit the opcode, the header is complete: it counts as what its opcode says */
    bool rtr;    /* the RTR of RFC 6581, which MPA judges */
    bool set_up; /* the same, or in its place: nothing of the ULP */
    bool faulty; /* a finding was made at it; families judge what is independent of it only */
    bool stray;  /* belongs to a message that was closed before; no new message was begun for it */
    struct ddp_message *message; /* NULL unless sound and not stray */
    bool starts;                 /* first segment of the message (as far as seen) */
    bool ends;                   /* L = 1 */
    bool complete;               /* ends, and nothing of the message is missing */
    /* Untagged messages other than Sends, when complete: all their payload. */
    const uint8_t *content;
    size_t content_len;
    /* Read and Atomic Requests: their entry. Responses: the request answered, NULL when match says there is none. */
    struct rdmap_request *request;
    enum rdmap_match match;
    struct rdmap_operation *operation; /* NULL when not known */
};

/* ---- findings (rdmap_connection.c) ---- */

/* Fails a rule at this segment, marks step and message as faulty. related_frame 0: none. */
void rdmap_fail(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule, uint32_t related_frame,
                const char *format, ...) __attribute__((cold, format(printf, 5, 6)));
/* The same for a field that receivers ignore: the segment is not marked. */
void rdmap_blemish(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
/* The same with another severity than the rule's own, where the text is weaker for a part of it. */
void rdmap_fail_as(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule,
                   enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));
/* Fails a rule at some other place of `side`'s direction (place.side); step may be NULL. */
void rdmap_fail_at(struct rdmap_connection *rdmap, const struct place *place, enum rule_id rule, uint32_t related_frame,
                   const char *format, ...) __attribute__((cold, format(printf, 5, 6)));
void rdmap_fail_at_as(struct rdmap_connection *rdmap, const struct place *place, enum rule_id rule,
                      enum rule_severity severity, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 6, 7)));

/* ---- recent segments (rdmap_recent.c) ---- */

void rdmap_recent_free(struct rdmap_side *side);
/* What was judged. Without memory, fewer are kept. */
void rdmap_recent_keep(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/*
 * The latest segment of `side` whose DDP header is header[0..len), and whose ULPDU_Length is `length` when that is
 * known
 * (>= 0). False when none is kept; *found is valid until the next one is.
 */
bool rdmap_recent_find(const struct rdmap_connection *rdmap, unsigned side, const uint8_t *header, size_t len,
                       int length, struct rdmap_recent *found);
/* Likewise by the echoed RDMA Read Request Header: there are senders whose DDP Header is that of no segment. */
bool rdmap_recent_read(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_read_request *echo,
                       struct rdmap_recent *found);

/* ---- requests (rdmap_requests.c) ---- */

/* NULL when the serial number is not, or no longer, in the queue. */
struct rdmap_request *rdmap_request_at(struct rdmap_requests *requests, uint64_t serial);
/* Oldest request that is not answered; NULL when there is none. */
struct rdmap_request *rdmap_request_oldest(struct rdmap_requests *requests);
/* Requests not completely answered, those in holes included. */
uint64_t rdmap_requests_open(const struct rdmap_requests *requests);
/* True when the queue holds exactly the requests that are open: what is judged by order or absence needs it. */
static inline bool rdmap_requests_certain(const struct rdmap_requests *requests)
{
    return !requests->uncertain && !requests->maybe_lost && requests->overdrawn == 0;
}
/* A known request that is open has the fields of this answer. */
bool rdmap_read_is_asked_for(const struct rdmap_requests *requests, const struct ddp_segment *response);
bool rdmap_atomic_is_asked_for(const struct rdmap_requests *requests, uint32_t identifier);
/* The core's. */
void rdmap_requests_free(struct rdmap_requests *requests);
/* step is a complete request: enters it, or leaves step->request NULL when memory is lacking. */
void rdmap_requests_push(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* step is a request whose header was not captured as a whole: what it asks for is not known. */
void rdmap_requests_cut(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* Something was lost: answers, requests or their order. Which requests are open is not known for certain. */
void rdmap_requests_doubt(struct rdmap_requests *requests);
/* The same, because of an answer whose request is not known: it may still be to come. */
void rdmap_requests_unclaimed(struct rdmap_requests *requests);
/* A hole in the requester's direction; and, at its next message on QN 1, how many of them the hole hides. */
void rdmap_requests_hole(struct rdmap_requests *requests);
/* Requests that the capture does not show may be open. */
void rdmap_requests_distrust(struct rdmap_requests *requests);
/* By its MSN, 1, the request that comes is the first of the connection: none from before the capture is open. */
void rdmap_requests_first(struct rdmap_requests *requests);
/* Neither side has sent anything for so long that nothing doubtful is open any more. */
void rdmap_requests_idle(struct rdmap_requests *requests);
void rdmap_requests_found(struct rdmap_connection *rdmap, struct rdmap_requests *requests, uint32_t missing);
/* The first segment of an answer: sets step->request and step->match. identifier is an Atomic Response's. */
void rdmap_requests_match(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier);
/* The request is answered completely. It stays readable until the next push. */
void rdmap_requests_retire(struct rdmap_requests *requests, struct rdmap_request *request, int64_t time_ns);

/* ---- recent segments (rdmap_connection.c) ---- */

/* True when all segments of `side` that were ever sent are among those remembered. */
bool rdmap_recent_all(const struct rdmap_connection *rdmap, unsigned side);

/*
 * ---- owner ddp: header, queues, Tagged segments ----
 */
/* ddp_header_rules.c. has_header false: the ULPDU is too short for one, step->ddp is NULL. Sets step->sound. */
void ddp_judge_header(struct rdmap_connection *rdmap, struct rdmap_step *step);
void ddp_judge_no_header(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* ddp_untagged_rules.c, ddp_tagged_rules.c: find or begin step->message. */
void ddp_untagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void ddp_tagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
/*
 * Counters are to be learnt anew, as so many octets are missing (UINT64_MAX: any number); one queue's after a segment
 * that may have belonged to it.
 */
void ddp_untagged_hole(struct rdmap_connection *rdmap, unsigned side, uint64_t octets);
void ddp_untagged_unlearn(struct rdmap_connection *rdmap, unsigned side, unsigned qn);
void ddp_tagged_hole(struct rdmap_connection *rdmap, unsigned side);
/* FIN (fin), RST or the end of the capture. */
void ddp_untagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin);
void ddp_tagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin);
/* A complete RDMA Read Request: the ranges that it names (DDP-7.1-16). */
void ddp_judge_read_ranges(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_read_request *read);
/* ddp_message.c: what Tagged and Untagged messages share. */
void ddp_ranges_add(struct ddp_ranges *ranges, uint64_t from, uint64_t to);
void ddp_message_range(struct ddp_message *m, uint64_t from, uint64_t to);
const struct ddp_ranges *ddp_ranges_of(const struct ddp_message *m);
void ddp_message_init(struct ddp_queue *q);
void ddp_message_free(struct ddp_queue *q);
/* Before a sound segment is taken: its queue can hold a message. False: memory is lacking. */
bool ddp_message_room(struct rdmap_connection *rdmap, const struct rdmap_step *step);
void ddp_message_begin(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_queue *q);
/* Notes that this segment, of another message, came between those of open messages. */
void ddp_message_interrupts(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* The message continues, or ends, with this segment: payload, counts, DDP-5.2-01, -03, -14, DDP-5.3-05. */
void ddp_message_add(struct rdmap_connection *rdmap, struct rdmap_step *step, struct ddp_message *m);
/* Another message began where this one should have gone on or ended: DDP-4.1-04. */
void ddp_message_not_ended(struct rdmap_connection *rdmap, struct ddp_message *m, uint32_t related_frame);
/* What only the end decides: DDP-3-14. */
void ddp_stream_finish(struct rdmap_connection *rdmap, int64_t time_ns);
/* RV and opcode are those of the message; Rsv, which receivers ignore, was judged at each segment by itself. */
static inline bool ddp_same_control(const struct ddp_message *m, const struct rdmap_step *step)
{
    return ((step->fpdu->fpdu.ulpdu[1] ^ m->control) & 0xCF) == 0;
}
/* A FIN came while the message was open: DDP-6.2.1-02. True when it was. */
bool ddp_message_cut_off(struct rdmap_connection *rdmap, unsigned side, struct ddp_queue *q);

/*
 * ---- hooks: the core calls them, one family a file ----
 * A _new returns false when memory is lacking. Hooks are called only for segments whose content counts: CRC not wrong.
 */

/* rdmap_read_rules.c */
bool rdmap_read_new(struct rdmap_connection *rdmap);
void rdmap_read_free(struct rdmap_connection *rdmap);
/* step->request was entered for a complete Read Request (opcode 1; its operation.read is valid). */
void rdmap_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/*
 * A segment of a Read Response, before its request is retired by L = 1. step->match says what it answers; that is
 * decided at the first segment. request->operation.octets counts this segment already.
 */
void rdmap_read_response(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* The message of a Read Response was closed without L = 1 (another one began): DDP has judged that. */
void rdmap_read_broken_off(struct rdmap_connection *rdmap, unsigned side, struct rdmap_request *request);
/* True when a segment of a Read Response continues an interrupted one, which was reported. */
bool rdmap_read_resumes(const struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* The direction of `side` (not of its answers) ended, or the capture did (finish). */
void rdmap_read_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/* rdmap_atomic_rules.c; requests and responses as above, opcodes 10 and 11, their headers are whole and decoded. */
bool rdmap_atomic_new(struct rdmap_connection *rdmap);
void rdmap_atomic_free(struct rdmap_connection *rdmap);
void rdmap_atomic_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_atomic_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response);
void rdmap_atomic_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/* rdmap_atomic_memory.c: Reads of exclusive memory, and segments of their Responses that can be compared. */
void rdmap_memory_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* Counts what may have changed all memory that `side` writes. */
uint64_t rdmap_memory_activity(const struct rdmap_connection *rdmap, unsigned side);
void rdmap_memory_read(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t stag, uint64_t to);

/* rdmap_stag_rules.c: every sound segment, after its message is updated. */
void rdmap_stag_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_stag_skipped(struct rdmap_connection *rdmap, unsigned side);

/* rdmap_atomic_rules.c: a Terminate, which may refuse an Atomic on an address that is not aligned. */
void rdmap_atomic_terminate(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                            const struct rdmap_terminate *terminate);
/* rdmap_atomic_rules.c: every segment of a message, after its operation; other operations on the address of an open
 * Atomic. */
void rdmap_atomic_beside(struct rdmap_connection *rdmap, struct rdmap_step *step);

/* rdmap_readback_rules.c: every segment of a message, after its operation; anything that is missing or unsound. */
void rdmap_readback_free(struct rdmap_connection *rdmap);
void rdmap_readback_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_readback_hole(struct rdmap_connection *rdmap, unsigned side);
/* What is known of 8 octets of exclusive memory that `side` writes. */
struct rdmap_readback_word {
    uint8_t octets[sizeof(uint64_t)];
    uint8_t known;  /* bit i: octet i is */
    bool read;      /* the latest of them from a Read Response */
    uint32_t frame; /* of the message that the latest are from */
    uint64_t end;   /* stream offset after the latest Write, or Read Request, that they are from */
};
void rdmap_readback_word(const struct rdmap_connection *rdmap, unsigned side, uint32_t stag, uint64_t to,
                         struct rdmap_readback_word *word);

/* rdmap_close_rules.c: every FPDU of DDP's (step->sound or not; first of all hooks), ends, the end. */
bool rdmap_close_new(struct rdmap_connection *rdmap);
void rdmap_close_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_close_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place);
void rdmap_close_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/*
 * rdmap_terminate_rules.c: a Terminate message (opcode 7, untagged; QN, MSN, MO, L are judged by DDP). culprit is the
 * segment of the other direction whose header is echoed, NULL when none is remembered. status SHORT: *terminate is all
 * zero. layout says how the control word is laid out when not as the RFC says, else NULL (terminate_layout.h);
 * *terminate is what was meant.
 */
void rdmap_terminate_message(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_terminate *terminate, enum rdmap_terminate_status status,
                             const char *layout, const struct rdmap_recent *culprit);

/* rdmap_reaction_rules.c: every FPDU (also with a wrong CRC or without DDP header: step->ddp NULL), last of all hooks.
 */
bool rdmap_reaction_new(struct rdmap_connection *rdmap);
void rdmap_reaction_segment(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* After rdmap_terminate_message(). */
void rdmap_reaction_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                              const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);
void rdmap_reaction_skipped(struct rdmap_connection *rdmap, unsigned side);
void rdmap_reaction_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place);
void rdmap_reaction_finish(struct rdmap_connection *rdmap, int64_t time_ns);

#endif

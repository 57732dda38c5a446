/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our side of a case: a blocking talker, for functions written as straight code. It can send anything, right or wrong,
 * and receives start-up frames, FPDUs, FIN, RST and silence. Every wait ends at its own time and at the deadline of the
 * case; after that, nothing is sent and only silence is received.
 *
 * A case's function looks like this:
 *
 *     static void bad_crc(struct talk *talk, const struct suite_case *row)
 *     {
 *         if (!talk_start(talk, NULL))        // the verdict is set
 *             return;
 *         talk_say(talk, "read mpa@-1^1");
 *         expect_terminate(talk, &(struct expected_terminate){.reason = {{2, 0, 2}}, .or_close = true});
 *     }
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_H

#include "support/advert.h"
#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/suite.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

#include <glib.h>

/* ---- verdict ---- */

/*
 * Each takes a description of what was seen: "actual" in the report. A failure is final; otherwise the last verdict
 * counts. A case without a verdict is inconclusive.
 */
void talk_passed(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);
void talk_failed(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);
void talk_inconclusive(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);
void talk_not_applicable(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);

/*
 * Passed because the DUT refused or ended the connection, as required. A dead device would look the same: afterwards a
 * fresh connection has to succeed (struct case_result, by_end).
 */
void talk_passed_by_end(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool talk_has_passed(const struct talk *talk); /* so far */
bool talk_has_failed(const struct talk *talk);
const char *talk_actual(const struct talk *talk); /* the description, until the next verdict; NULL: no verdict */
/* The evidence for other cases in what the device did: after talk_passed(), but before talk_failed(). */
void talk_show(struct talk *talk, enum case_shown shown);
/* The device broke another rule: an observation, not a verdict. */
void talk_observe(struct talk *talk, enum rule_id rule, const char *what);
/*
 * A usual start-up failed. closed: the device ended the connection. If our side has said nothing odd, this counts as a
 * close where the device has to go on.
 */
void talk_note_refusal(struct talk *talk, bool closed);
/* Adds a line to the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);

/* ---- connection and start-up ---- */

enum { TALK_FRAME_ROOM = 2048 };

/*
 * The start-up of our side. Zero (or NULL): as the device accepts it (traffic-gen/tester/suite/talk/startup_terms.h),
 * with an echo; a case sets only the values that its stimulus is about.
 */
struct talk_wish {
    uint8_t revision;         /* of our Request, enhanced only if also set; a Reply repeats the Request's revision */
    bool revision_0;          /* selects revision 0 */
    bool markers;             /* we want Markers */
    bool no_crc;              /* C = 0; the DUT also decides whether CRC is used */
    bool crc;                 /* C = 1, even if the device was seen to refuse it */
    bool need_no_crc;         /* not applicable when the DUT insists on CRC */
    bool need_markers;        /* not applicable when the DUT does not ask for Markers */
    bool enhanced;            /* revision 2 with S = 1 */
    struct mpa_enhanced data; /* enhanced: of the Request; all zero: what the device accepts. Unused in a Reply */
    bool in_pieces;           /* our frame in three segments, with pauses */
    bool in_octets;           /* our frame in segments of one octet */
    bool late;                /* our frame after a pause */
    bool in_halves;           /* half of our frame before the pause, and half after it */
    const size_t *cuts;       /* our frame cut before these octets, in ascending order; NULL: as in_pieces says */
    size_t n_cuts;
    bool at_once;                /* no pause after the Reply (--settle), because the case tests this */
    bool wait_only;              /* stops after the start-up frames: the case sends the Initiator's first FPDU */
    const char *frame;           /* words that change our frame: "mpa.flags|0x20" */
    struct advert_wish advert;   /* our wishes to the DUT's ULP; zero: 64 receives of 4096 octets, echo */
    const uint8_t *private_data; /* replace the wishes */
    uint16_t private_length;
};

/* What the next connection of TCP is like, and only that one. */
struct talk_next {
    uint16_t mss; /* TCP_MAXSEG of our SYN: only as Initiator; 0: the system's */
    bool crosses; /* simultaneous open, before we have seen the Initiator's SYN (NEED_WIRE) */
    /* Octets of our SYN (NEED_WIRE), which must be written first on the connection, and live until then; NULL: none. */
    const uint8_t *early;
    size_t n_early;
    uint64_t wraps_at; /* the octet of our stream with sequence number 0 (NEED_WIRE); 0: any */
    unsigned window;   /* talk_set_window() */
};
struct talk_next *talk_for_next(struct talk *talk);

/*
 * TCP only: connects to the DUT, or accepts its next connection. Ends any open connection first. False: verdict is set.
 */
bool talk_open(struct talk *talk);
/*
 * Ends the connection, if any, in order, and collects the engine's findings. True: the device said more meanwhile, and
 * we did not.
 */
bool talk_hang_up(struct talk *talk);
/* The same, and prepares the talker for a new connection. */
void talk_renew(struct talk *talk);
/*
 * talk_open() and the start-up: full operation in which both sides may send. As Initiator we have then sent the RTR
 * (peer-to-peer) or a first FPDU (a zero-length Write); as Responder we have received the DUT's first FPDU. False:
 * verdict is set (inconclusive or not applicable, with what happened instead).
 */
bool talk_start(struct talk *talk, const struct talk_wish *wish);
/* The parts of talk_start(). Sends our frame (Request: at once; Reply: after the DUT's Request). */
bool talk_send_frame(struct talk *talk, const struct talk_wish *wish);
/* Receives the DUT's frame; NULL when something else came (talk_last()). Its octets live as long as the connection. */
const struct mpa_startup *talk_hear_frame(struct talk *talk);
/* Begins full operation as negotiated in the two frames. */
void talk_begin_operation(struct talk *talk);
/* The Initiator's first FPDU: see talk_start(). */
bool talk_first_fpdu(struct talk *talk);
/* As Initiator: sends an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* Our first FPDU follows the Reply at once, though the case has not asked for this: no pause is known to be needed. */
bool talk_hurries(const struct talk *talk);

bool talk_is_initiator(const struct talk *talk);                          /* our side; the DUT is the Responder */
const struct mpa_startup *talk_frame(const struct talk *talk, bool ours); /* NULL: not yet */
const struct advert_memory *talk_region(struct talk *talk, enum advert_region region); /* NULL: verdict is set */
bool talk_crc(const struct talk *talk);                                                /* CRC is in use */
size_t talk_frame_octets(const struct talk *talk, bool ours, uint8_t out[TALK_FRAME_ROOM]);
bool talk_is_operating(const struct talk *talk);           /* full operation has begun */
const struct advert *talk_advert(const struct talk *talk); /* all memory that the device advertises, if any */
const struct mpa_framing *talk_framing(const struct talk *talk, bool ours); /* in full operation */
uint16_t talk_dut_ird(const struct talk *talk); /* Reads that the DUT serves at once; 1 if unknown */

/* ---- sending ---- */

/*
 * Signs of life, which show that the device exchanges data: learned once, before the first case (life_learn_sign()), on
 * separate connections. Cases and the checks between them use only the learned sign.
 */
enum talk_sign {
    SIGN_UNKNOWN, /* not learned: treated as SIGN_TCP */
    SIGN_READ,    /* answers a zero-length Read */
    SIGN_REGION,  /* answers a Read of one octet of the memory that it advertises */
    SIGN_ECHO,    /* echoes Sends */
    SIGN_RPC,     /* answers a NULL Call */
    SIGN_SPEAKS,  /* an Initiator that speaks first */
    SIGN_TCP,     /* no other sign: its TCP acknowledges, and the connection stays open */
};

/* Sends raw octets in one write. */
void talk_write(struct talk *talk, const void *p, size_t n);
void talk_together(struct talk *talk, bool on);    /* while on, octets are collected and leave in one segment */
void talk_finish(struct talk *talk);               /* our FIN */
void talk_reset(struct talk *talk);                /* our RST */
void talk_sleep(struct talk *talk, int64_t ns);    /* receives meanwhile, and keeps the octets */
uint64_t talk_out_offset(const struct talk *talk); /* octets sent on this connection */
/*
 * Sets about how many octets the device can send while we read none: for the next connection, as Initiator; for this
 * one in full operation, where the number can only grow.
 */
void talk_set_window(struct talk *talk, unsigned octets);

/*
 * Statements as in scripts (traffic-gen/speak/say/script.h), without the side, which is ours: "send op=12; read".
 * Messages are right for this device unless a word changes them:
 *
 *   write          zero-length, to memory that the device advertises, if any
 *   read           zero-length, from nowhere, into our sink
 *   send           TALK_MESSAGE octets
 *   fadd, cswap    with zero, on the first word of the device's memory
 *   region=NAME    for write, read, answer, send-inv: TALK_MESSAGE octets of that region, from its start: all,
 *                  read-only, write-only, local, foreign, gone, shared
 *   end            from the region's end: "write region=all end to-63" reaches beyond it
 *   ask            the question that this device answers (talk_usable_sign())
 *   startup        our start-up frame
 *
 * acked, wait and mpa.gap take time. False: not all were sent, and the verdict is set.
 */
#define talk_say(talk, ...) talk_say_octets((talk), NULL, 0, __VA_ARGS__)
/* The same with this payload in its Sends and Writes, which have no word len. */
bool talk_say_octets(struct talk *talk, const void *p, size_t n, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Asks the question for that sign, changed by words. */
bool talk_ask(struct talk *talk, enum talk_sign sign, const char *words);
/*
 * The same, but returns the octets unsent, to be cut or delayed. Our stream continues after them once they are written.
 * p: NULL for the usual payload. NULL: verdict is set.
 */
GByteArray *talk_octets(struct talk *talk, const void *p, size_t n, const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Octets of ULP payload in our messages; the payload of our unchanged Send. */
enum { TALK_MESSAGE = 64 };
bool talk_echoes_message(const struct ddp_segment *echo);
/* The sink of our Reads: STag and Tagged Offset. */
enum { TALK_SINK_STAG = 0x51A0, TALK_SINK_TO = 0x1000 };
/*
 * Changes "startup" from here on: a correct frame, but not the one that this device accepts. talk_send_frame() takes
 * the same wishes.
 */
void talk_plain_startup(struct talk *talk);

/* ---- receiving ---- */

enum talk_what {
    TALK_SILENCE, /* nothing in that time */
    TALK_FRAME,   /* start-up frame */
    TALK_FPDU,
    TALK_GARBAGE, /* other octets: a damaged FPDU (fpdu is valid), or an invalid start-up frame */
    TALK_FIN,
    TALK_RESET,
};

struct talk_heard {
    enum talk_what what;
    int64_t time_ns;
    const uint8_t *octets; /* n octets as received */
    size_t n;
    struct mpa_startup frame; /* FRAME */
    struct mpa_fpdu fpdu;     /* FPDU */
    bool crc_good;
    bool has_ddp;
    struct ddp_segment ddp; /* its payload member is set */
    bool is_terminate;
    struct rdmap_terminate terminate; /* as in the standard */
    struct rdmap_terminate meant;     /* by this device's layout, if known: layer, etype, code, m, d, r */
};

/* The DUT's next action within ns. Valid until the next call; after FIN and RST it returns the same again. */
const struct talk_heard *talk_hear(struct talk *talk, int64_t ns);
/* Keeps the DUT's start-up frame, which the case has heard by itself. */
void talk_keep_frame(struct talk *talk, const struct talk_heard *heard);
/* The last result of talk_hear(). */
const struct talk_heard *talk_last(const struct talk *talk);
/* In words: "Terminate layer 2 type 0 code 2", "FIN", "nothing within 2.0 s". Valid until the next call. */
const char *talk_describe(struct talk *talk, const struct talk_heard *heard);
const char *talk_found(struct talk *talk); /* the same of talk_last() */
/* The same with other words. */
const char *talk_phrase(struct talk *talk, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The DUT's Terminate on this connection, by its layout; NULL: none. */
const struct rdmap_terminate *talk_terminate(const struct talk *talk);
/* The number of the DUT's FPDUs with a correct CRC on this connection, and of the Markers in its FPDUs. */
unsigned talk_fpdus(const struct talk *talk, unsigned *markers);
bool talk_is_open(const struct talk *talk);   /* neither FIN nor RST from the DUT, no RST from us */
bool talk_is_whole(const struct talk *talk);  /* nor a FIN from us */
bool talk_has_reset(const struct talk *talk); /* our RST */
/* The DUT has ended it: by FIN, RST (at once, if TCP accepted only to reset) or a Terminate before a later close. */
bool talk_was_ended(const struct talk *talk);

/* Messages from the device that are not answers. */
enum talk_due {
    DUE_TERMINATE = 1,
    DUE_SENDS = 2, /* whole ones */
    DUE_READ_RESPONSES = 4,
    DUE_CHUNKS = 8, /* Read Requests and Writes, by which a server moves the data of chunks */
};
/*
 * From here on any message of the device is an answer, except the due ones, a set of enum talk_due. talk_send_frame()
 * and statements of rows set their own mark: a Terminate is due.
 */
void talk_mark(struct talk *talk, unsigned due);
/*
 * The first answer since the mark, in words, for every verdict that says "no answer"; NULL: none. Any frame is an
 * answer, and so are octets that are not a frame, and parts of a frame or a message. FIN and RST are not.
 */
const char *talk_answer(struct talk *talk);
/* The same after the device has ended the connection: it may still send something after a Terminate. */
const char *talk_late_answer(struct talk *talk);
/* Whether part of an FPDU or a Send has come: the rest may be under way. */
bool talk_is_in_pieces(const struct talk *talk);

int64_t talk_now(void); /* monotonic, nanoseconds */

/* Times in ns: --timeout and times derived from it. */
int64_t talk_t_react(const struct talk *talk);
int64_t talk_t_close(const struct talk *talk);
int64_t talk_t_start(const struct talk *talk); /* --start-timeout */
int64_t talk_t_idle(const struct talk *talk);  /* --idle-timeout */

/* ---- signs of life ---- */

/* The sign that can be requested on this connection; SIGN_TCP: none. */
enum talk_sign talk_usable_sign(const struct talk *talk);
/* Whether that sign can be requested on this connection, and whether this is the answer. */
bool talk_can_ask(const struct talk *talk, enum talk_sign sign);
bool talk_is_sign(const struct talk *talk, enum talk_sign sign, const struct talk_heard *heard);
bool talk_reads(const struct talk *talk);  /* Reads are answered on this connection */
bool talk_needs_reads(struct talk *talk);  /* the same; false: verdict is set */
bool talk_echoes(const struct talk *talk); /* Sends come back */
/*
 * Waits at most T_react until the device's TCP has everything sent on this connection: it is acknowledged, or answered
 * with a reset. A stimulus that did not arrive proves nothing: talk_passed() then makes the case inconclusive.
 */
bool talk_delivered(struct talk *talk);

/*
 * From here on connections wait at most --recover-timeout for a device that does not listen: it may need a moment after
 * an error, and is not dead. Before anything is sent they wait anyway.
 */
void talk_wait_to_listen(struct talk *talk);

/* ---- messages ---- */

/*
 * The last segment of a message with that opcode within T_react, or any of its segments; skips others. NULL:
 * talk_last() is what came instead.
 */
const struct talk_heard *talk_hear_opcode(struct talk *talk, enum rdmap_opcode opcode);
const struct talk_heard *talk_hear_segment(struct talk *talk, enum rdmap_opcode opcode);

#endif

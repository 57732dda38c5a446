/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events around the findings of a connection and at its start, for the ladder diagrams of the HTML report. Long
 * connections keep only these: the latest events are in a ring, and events that a finding wants are saved before the
 * ring overwrites them.
 */
#ifndef IWARP_CONFORMANCE_MODEL_NOTES_H
#define IWARP_CONFORMANCE_MODEL_NOTES_H

#include "engine/ddp_rdmap/rdmap.h"
#include "engine/ib/ib_rc.h"
#include "engine/rdma/ulp.h"
#include "wire/ib_cm.h"

#include <glib.h>

enum {
    NOTES_START = 14,      /* events of the start that are always kept */
    NOTES_BEFORE = 5,      /* a finding */
    NOTES_AFTER = 3,       /* likewise */
    NOTES_KEPT_MAX = 4000, /* of a connection */
    NOTE_WHAT_SIZE = 64,
    NOTE_DETAIL_SIZE = 112,
};

/* NOTE_PART: a packet of RoCE or InfiniBand with a part of a message, the counterpart of an FPDU. */
enum note_kind { NOTE_TCP, NOTE_STARTUP, NOTE_FPDU, NOTE_PART, NOTE_TERMINATE, NOTE_SKIPPED };

struct note {
    uint64_t number; /* of the connection's events, from 0; a gap means that events were left out */
    uint32_t frame, first_frame;
    int64_t time_ns;
    uint64_t offset, length; /* in the stream, or PSNs; length 0: none */
    enum note_kind kind;
    uint8_t side;
    bool wanted;                   /* wanted by a finding, or part of the start */
    char what[NOTE_WHAT_SIZE];     /* "Send", and the name of the upper layer's message */
    char detail[NOTE_DETAIL_SIZE]; /* "MSN 3, 180 octets"; may be empty */
};

struct notes;

struct notes *notes_new(void);
void notes_free(struct notes *notes);

/* Notes SYN, FIN and RST segments only. */
void notes_segment(struct notes *notes, const struct tcp_segment *segment, uint64_t offset);
void notes_startup(struct notes *notes, const struct mpa_startup_event *event);
void notes_fpdu(struct notes *notes, const struct mpa_fpdu_event *event);
void notes_skipped(struct notes *notes, unsigned side, uint64_t from, uint64_t to, const char *why,
                   const struct place *place);
/* RoCE and InfiniBand: in notes_ib.c. */
void notes_managed(struct notes *notes, unsigned side, const struct ib_cm *cm, const struct place *place);
void notes_part(struct notes *notes, const struct ib_rc_part *part);
void notes_lost(struct notes *notes, unsigned side, uint64_t from, uint64_t to, const struct place *place);
void notes_refused(struct notes *notes, const struct ib_rc_refusal *refusal);
/* The message in the Send of an FPDU or packet that was noted before. */
void notes_said(struct notes *notes, const struct ulp_said *said);

/* A finding: keeps the events around the present time, and those at the finding's frames. */
void notes_want(struct notes *notes, const struct finding *finding);

/* The kept events (struct note), in order; the caller owns the array. The next call returns the events that follow. */
GArray *notes_take(struct notes *notes);

#endif

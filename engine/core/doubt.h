/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a rule is inconclusive, and where: of each rule's inconclusive outcomes on a connection, the first. */
#ifndef IWARP_ENGINE_CORE_DOUBT_H
#define IWARP_ENGINE_CORE_DOUBT_H

#include <stdint.h>

enum why {
    WHY_NONE,      /* no reason was kept */
    WHY_HOLE,      /* packets are missing */
    WHY_LATE,      /* packets from before the capture are missing */
    WHY_CUT,       /* octets beyond the snap length are missing */
    WHY_LOWER,     /* a lower layer cannot deliver the octets, or delivers wrong octets */
    WHY_UNREAD,    /* a message cannot be decoded */
    WHY_ORDER,     /* what one side had received when it sent a packet */
    WHY_ACK,       /* likewise, for lack of an ACK number */
    WHY_COPIES,    /* octets were sent twice, and it is unknown which copy the receiver took */
    WHY_READINGS,  /* several explanations fit, and not all of them break the rule */
    WHY_CAUSE,     /* something else may be the cause of what a side did */
    WHY_AGREED,    /* a limit, or another setting, is not in the packets */
    WHY_ELSEWHERE, /* packets of another connection */
    WHY_END,       /* nothing was decided before the end */
    WHY_OPEN,      /* the documents do not say */
    WHY_MEMORY,    /* a table was full */
    WHY_COUNT,
    WHY_LOST = 32 /* a flag, see LOST_OR() */
};

/* The reason why octets or messages are missing; if none are, this one: engine/core/verdict.h. */
#define LOST_OR(otherwise) ((enum why)((unsigned)(otherwise) | WHY_LOST))

/* "packets are missing" and "near frame", which a frame number follows; indexed by enum why. */
extern const struct doubt_text {
    const char *word, *reason, *where;
} doubt_texts[WHY_COUNT];
/* The word for programs, "late start"; NULL: WHY_NONE. */
const char *doubt_word(unsigned why);

struct doubt_at {
    uint32_t frame;   /* the frame that would have decided; 0: unknown */
    uint16_t counter; /* rule_counter[] of the rule */
    uint8_t why;      /* enum why */
};

/* Of a connection or a capture. Initialise to zero; freed by doubts_free(). */
struct doubts {
    struct doubt_at *at;
    unsigned n, room;
};

/* Adds the first doubt about a rule. Later ones are ignored; without memory, a doubt is forgotten. */
void doubts_keep(struct doubts *doubts, struct doubt_at doubt);
/* The doubt of `other`, about the same rule, replaces a doubt with a higher frame, or none. */
void doubt_put_first(struct doubt_at *doubt, const struct doubt_at *other);
/* Adds doubts of another connection; sums: by rule_counter[]. */
void doubts_add(struct doubts *doubts, const struct doubts *from);
void doubts_sum(const struct doubts *doubts, struct doubt_at *sums);
void doubts_free(struct doubts *doubts);

#endif

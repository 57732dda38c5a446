/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's verdicts: findings, which go to one sink, and counts per connection and rule: passed, failed,
 * inconclusive.
 */
#ifndef IWARP_ENGINE_CORE_VERDICT_H
#define IWARP_ENGINE_CORE_VERDICT_H

#include "engine/core/doubt.h"
#include "engine/core/rule.h"
#include "wire/invariant.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Which documents are binding; PROFILE_RFC5666 is PROFILE_IETF with RFC 5666 and 5667 instead of RFC 8166 and 8267. */
enum rule_profile { PROFILE_IETF, PROFILE_RDMAC, PROFILE_RFC5666 };

enum tristate { UNKNOWN = -1, OFF = 0, ON = 1 };

enum direction { DIR_TO_RESPONDER, DIR_TO_INITIATOR, DIR_UNKNOWN };

/* Where octets were seen. */
struct place {
    uint32_t frame;       /* capture packet number, from 1; the frame that made the octets complete */
    uint32_t first_frame; /* the first frame with some of the octets; equal to frame if there was only one */
    int64_t time_ns;      /* time of frame, since the epoch */
    uint64_t offset;      /* stream offset of the first octet, within its direction */
    uint8_t side;         /* TCP side that sent the octets (0 or 1) */
    /* Nothing came from `side`: frame belongs to the other side, and something should have come after it. */
    bool awaited;
};

static inline unsigned other_side(unsigned side)
{
    return side ^ 1u;
}

enum { FINDING_MESSAGE_SIZE = 512 };

/* The subject of a finding, if the layer knows it: constants, or NULL. */
struct finding_subject {
    const char *operation; /* "OPEN"; "COMPOUND" if its operations are unknown */
    const char *kind;      /* "Call", "Reply", "Error"; "none" for an answer that never came */
};

/* The messages on which a finding depends, apart from the message that broke the rule. If packets are missing, only
 * these messages may be among them and excuse the finding. */
enum finding_basis {
    BASIS_CONTEXT, /* any messages of the other side */
    BASIS_CALL,    /* the Call of this answer: its caller may have sent it again, with other contents */
    BASIS_OWN,     /* none */
};

struct finding {
    enum rule_id rule;
    enum rule_severity severity;
    enum finding_basis basis;
    enum direction direction;
    struct place place;
    struct finding_subject subject;
    uint32_t related_frame;             /* another relevant frame (the other startup frame, ...), or 0 */
    char message[FINDING_MESSAGE_SIZE]; /* "expected ...; found ..." */
};

struct rule_count {
    uint32_t passed, failed, inconclusive; /* saturating */
};

/* Counts are scanned in blocks of this many one-octet counts. */
enum { RULE_BLOCK = 8, RULE_ROOM = (RULE_COUNTERS + RULE_BLOCK - 1) / RULE_BLOCK * RULE_BLOCK };

/*
 * Counts of all judged rules, by rule_counter[]. Nearly everything that a packet counts is in the first array, which is
 * small, because with many connections the array has left the processor's cache before the next packet comes. Folding
 * reads no other array for most connections.
 */
struct rule_counts {
    uint8_t passed[RULE_ROOM];       /* the remainder modulo 256 */
    uint32_t passed_256s[RULE_ROOM]; /* the number of passes, divided by 256 */
    uint32_t failed[RULE_ROOM], inconclusive[RULE_ROOM];
    bool others; /* false: all arrays but the first are 0 */
};

static inline struct rule_count counts_get(const struct rule_counts *counts, size_t counter)
{
    return (struct rule_count){counts->passed_256s[counter] << 8 | counts->passed[counter], counts->failed[counter],
                               counts->inconclusive[counter]};
}

static inline void counts_set(struct rule_counts *counts, size_t counter, struct rule_count count)
{
    counts->passed[counter] = (uint8_t)count.passed;
    counts->passed_256s[counter] = count.passed >> 8;
    counts->failed[counter] = count.failed;
    counts->inconclusive[counter] = count.inconclusive;
    counts->others |= (counts->passed_256s[counter] | count.failed | count.inconclusive) != 0;
    INVARIANT(counts_get(counts, counter).passed == count.passed);
}

/* All 0 for a rule that is not judged. */
static inline struct rule_count rule_counts_of(const struct rule_counts *counts, size_t id)
{
    return counts_get(counts, rule_counter[id]);
}

static inline uint32_t rule_count_sum(uint32_t a, uint32_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}

/* One verdict per connection and host (checker or plugin). */
struct verdict {
    struct rule_counts *counts; /* owned by the host, which may keep them folded (engine/core/fold.h) */
    /* Number of findings with severity error so far: a layer compares numbers to see whether a step made any. */
    uint32_t errors;
    bool off;                       /* the host wants no verdicts: layers call no rule family, and `muted` stays true */
    bool muted;                     /* neither counts nor findings: another layer has judged the current octets */
    struct finding_subject subject; /* of the findings currently being made */
    enum finding_basis basis;       /* likewise */
    enum why missing;               /* see verdict_lose() */
    uint32_t missing_frame;
    /* Since the latest Send of that side: answers to Calls that it had sent, but that the capture lacks. */
    uint32_t unseen_answered[2];
    struct doubts *doubts; /* owned by the host; NULL: it does not ask why rules are inconclusive */
    void (*finding)(void *ctx, const struct finding *finding); /* may be NULL */
    void *ctx;
};

/* Begins or ends a part that another layer has judged. */
static inline void verdict_mute(struct verdict *v, bool muted)
{
    v->muted = muted || v->off;
    INVARIANT(v->muted || !v->off);
}

/* From here on, findings depend on these messages. Returns the former basis, to be restored. */
static inline enum finding_basis verdict_rest_on(struct verdict *v, enum finding_basis basis)
{
    enum finding_basis former = v->basis;

    v->basis = basis;
    return former;
}

/*
 * Whether a finding about what `side` sent stands although `missing` messages of `hole_side` turn out to be missing. If
 * all missing messages are Calls whose answers have other XIDs, none of them is a copy of the finding's Call.
 */
static inline bool verdict_stands(const struct verdict *v, enum finding_basis basis, unsigned side, unsigned hole_side,
                                  uint64_t missing)
{
    if (basis == BASIS_CALL)
        return side == hole_side || (missing > 0 && missing <= v->unseen_answered[hole_side]);
    return basis == BASIS_OWN;
}

/* For verdict_passed(): adds 256 passes. */
void verdict_carry(struct verdict *v, enum rule_id id) __attribute__((cold));

static inline void verdict_passed(struct verdict *v, enum rule_id id)
{
    uint8_t *passed = &v->counts->passed[rule_counter[id]];

    if (__builtin_add_overflow(*passed, (uint8_t)!v->muted, passed)) /* an ADD with carry */
        verdict_carry(v, id);
}

/* Passes several rules at once, as most packets do, looking up the counts only once. */
static inline void verdict_passed_each(struct verdict *v, const enum rule_id *ids, unsigned n)
{
    uint8_t *passed = v->counts->passed, one = !v->muted;

#pragma GCC unroll 16
    for (unsigned i = 0; i < n; i++)
        if (__builtin_add_overflow(passed[rule_counter[ids[i]]], one, &passed[rule_counter[ids[i]]]))
            verdict_carry(v, ids[i]);
}

#define VERDICT_PASSED(v, ...)                                                                                         \
    verdict_passed_each(v, (const enum rule_id[]){__VA_ARGS__},                                                        \
                        sizeof(const enum rule_id[]){__VA_ARGS__} / sizeof(enum rule_id))

void verdict_passed_n(struct verdict *v, enum rule_id id, uint32_t n);

/* For verdict_inconclusive(): keeps the reason, unless the rule has one. */
void verdict_doubt(struct verdict *v, enum rule_id id, enum why why, uint32_t frame) __attribute__((cold));

/*
 * frame: the frame that would have decided, if it were not for the reason; 0: unknown. LOST_OR(why): the reason of the
 * latest verdict_lose(), if there was one.
 */
static inline void verdict_inconclusive(struct verdict *v, enum rule_id id, enum why why, uint32_t frame)
{
    uint32_t *inconclusive = &v->counts->inconclusive[rule_counter[id]];

    if (*inconclusive == 0) /* or the earlier ones are folded */
        verdict_doubt(v, id, why, frame);
    *inconclusive += !v->muted && *inconclusive != UINT32_MAX;
    v->counts->others |= !v->muted;
    INVARIANT(v->muted || (v->counts->others && *inconclusive > 0));
}

/* Octets or messages are missing, as the frame shows; 0: no frame does. Reasons name the latest loss. */
static inline void verdict_lose(struct verdict *v, enum why why, uint32_t frame)
{
    v->missing = why;
    v->missing_frame = frame;
}

/* A failure that was counted turns out to be inconclusive. */
void verdict_withdraw(struct verdict *v, enum rule_id id, enum why why, uint32_t frame);
/*
 * Counts a failure and sends the finding. The message is printf-formatted and truncated to FINDING_MESSAGE_SIZE. A
 * severity other than the rule's own is for a part of the rule whose text is weaker.
 */
void verdict_failed_as(struct verdict *v, enum rule_id id, enum rule_severity severity, enum direction direction,
                       const struct place *place, uint32_t related_frame, const char *format, ...)
    __attribute__((cold, format(printf, 7, 8)));
void verdict_vfailed_as(struct verdict *v, enum rule_id id, enum rule_severity severity, enum direction direction,
                        const struct place *place, uint32_t related_frame, const char *format, va_list args)
    __attribute__((cold, format(printf, 7, 0)));
#define verdict_failed(v, id, direction, place, related_frame, ...)                                                    \
    verdict_failed_as((v), (id), rule_catalogue[id].severity, (direction), (place), (related_frame), __VA_ARGS__)

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/chunks_model.h"

#include <string.h>

enum { SHORT = 100 /* octets that fit inline with their headers */ };

/* ---- values ---- */

static const char *const versions_of_nfs[] = {"3", "4.0", "4.1", "4.2"};
static const char *const lengths[] = {"2999", "100", "8191"};
static const char *const calls[] = {"chunk", "inline", "long", "both"};
static const char *const segments[] = {PAIRS_ABSENT, "1", "3", "7"};
static const char *const forms[] = {PAIRS_ABSENT, "own", "one", "pad", "padded", "short", "far"};
static const char *const replies[] = {"write", "inline", "reply", "both"};
static const char *const rooms[] = {PAIRS_ABSENT, "exact", "round", "more", "small"};
static const char *const sizes[] = {"4096", "1024"};
static const char *const credits[] = {"8", "1", "64"};
static const char *const at_once[] = {"1", "8"};

#define VALUES(of) (of), G_N_ELEMENTS(of)

const struct pairs_parameter chunks_parameters[CHUNKS_PARAMETERS] = {
    [CHUNKS_AT_NFS] = {"nfs", "version of NFS", VALUES(versions_of_nfs)},
    [CHUNKS_AT_LEN] = {"len", "octets of the WRITE, and of the READ", VALUES(lengths)},
    [CHUNKS_AT_CALL] = {"call", "WRITE: Read chunk, inline, Position-Zero Read chunk, both", VALUES(calls)},
    [CHUNKS_AT_SEG] = {"seg", "segments of its chunks", VALUES(segments)},
    [CHUNKS_AT_FORM] =
        {"form",
         "its Read chunk: a handle for each segment, one for all, roundup in its own segment, in the last; "
         "too short, or at too large a Position: refused",
         VALUES(forms)},
    [CHUNKS_AT_REPLY] = {"reply", "READ: Write chunk, nothing, Reply chunk, both", VALUES(replies)},
    [CHUNKS_AT_RSEG] = {"rseg", "segments of its chunks", VALUES(segments)},
    [CHUNKS_AT_ROOM] = {"room", "of its Write chunk: as many octets, with roundup, more, too few", VALUES(rooms)},
    [CHUNKS_AT_INLINE] = {"inline", "sizes of our private data", VALUES(sizes)},
    [CHUNKS_AT_CREDITS] = {"credits", "credits that we request", VALUES(credits)},
    [CHUNKS_AT_CALLS] = {"calls", "NULL Calls at once, up to the grant", VALUES(at_once)},
};

/* ---- constraints ---- */

const struct pairs_condition chunks_conditions[] = {
    {CHUNKS_AT_SEG, CHUNKS_AT_CALL, 1 << CALL_IS_CHUNK | 1 << CALL_IS_LONG | 1 << CALL_IS_BOTH},
    {CHUNKS_AT_FORM, CHUNKS_AT_CALL, 1 << CALL_IS_CHUNK},
    {CHUNKS_AT_RSEG, CHUNKS_AT_REPLY, 1 << REPLY_IS_WRITE | 1 << REPLY_IS_REPLY | 1 << REPLY_IS_BOTH},
    {CHUNKS_AT_ROOM, CHUNKS_AT_REPLY, 1 << REPLY_IS_WRITE | 1 << REPLY_IS_BOTH},
    {0, 0, 0},
};

bool chunks_allowed(const void *ctx, const int *vector)
{
    if (!pairs_allowed(ctx, vector))
        return false;
    /* We send no more inline than the server has room for, at least 1024 octets (section 3.3.2). */
    return !pairs_is(&pairs_chunks, vector, CHUNKS_AT_CALL, "inline") || vector[CHUNKS_AT_LEN] == COVERING_OPEN ||
           pairs_is(&pairs_chunks, vector, CHUNKS_AT_LEN, "100");
}

bool chunks_refused(const void *ctx, unsigned parameter, int chosen)
{
    (void)ctx;
    if (parameter == CHUNKS_AT_FORM)
        return chosen >= FORM_IS_SHORT;
    return parameter == CHUNKS_AT_ROOM && chosen == pairs_value(&pairs_chunks, CHUNKS_AT_ROOM, "small");
}

void chunks_settle(const struct pairs *pairs, int *vector)
{
    if (pairs_is(&pairs_chunks, vector, CHUNKS_AT_CALL, "inline"))
        vector[CHUNKS_AT_LEN] = pairs_value(&pairs_chunks, CHUNKS_AT_LEN, "100");
    pairs_settle(pairs, vector);
}

void chunks_usual(struct pairs *pairs, unsigned versions)
{
    memset(pairs->left_out, 0, sizeof pairs->left_out);
    memset(pairs->usual, 0, sizeof pairs->usual);
    pairs->usual[CHUNKS_AT_SEG] = pairs_value(&pairs_chunks, CHUNKS_AT_SEG, "1");
    pairs->usual[CHUNKS_AT_FORM] = FORM_IS_OWN;
    pairs->usual[CHUNKS_AT_RSEG] = pairs_value(&pairs_chunks, CHUNKS_AT_RSEG, "1");
    pairs->usual[CHUNKS_AT_ROOM] = pairs_value(&pairs_chunks, CHUNKS_AT_ROOM, "exact");
    for (int i = NFS_VERSIONS - 1; i >= 0; i--) {
        pairs->left_out[CHUNKS_AT_NFS][i] = !(versions & 1U << i);
        if (versions & 1U << i)
            pairs->usual[CHUNKS_AT_NFS] = i;
    }
}

/* ---- Calls ---- */

static uint32_t room_of(const int *vector, uint32_t length)
{
    if (pairs_is(&pairs_chunks, vector, CHUNKS_AT_ROOM, "round"))
        return (length + 3) / 4 * 4;
    if (pairs_is(&pairs_chunks, vector, CHUNKS_AT_ROOM, "more"))
        return length + 1000;
    return pairs_is(&pairs_chunks, vector, CHUNKS_AT_ROOM, "small") ? length - CHUNKS_MISSING : length;
}

struct chunks_plan chunks_plan_of(const int *vector)
{
    struct chunks_plan plan = {.version = (enum nfs_version_at)vector[CHUNKS_AT_NFS],
                               .length = pairs_number(&pairs_chunks, vector, CHUNKS_AT_LEN),
                               .call = (enum chunks_call)vector[CHUNKS_AT_CALL],
                               .form = (enum chunks_form)vector[CHUNKS_AT_FORM],
                               .reply = (enum chunks_reply)vector[CHUNKS_AT_REPLY],
                               .segments = pairs_number(&pairs_chunks, vector, CHUNKS_AT_SEG),
                               .reply_segments = pairs_number(&pairs_chunks, vector, CHUNKS_AT_RSEG),
                               .inline_size = pairs_number(&pairs_chunks, vector, CHUNKS_AT_INLINE),
                               .credits = pairs_number(&pairs_chunks, vector, CHUNKS_AT_CREDITS),
                               .calls = pairs_number(&pairs_chunks, vector, CHUNKS_AT_CALLS)};

    plan.room = room_of(vector, plan.length);
    return plan;
}

unsigned chunks_of_write(const struct chunks_plan *plan, enum rule_id *rule)
{
    static const enum rule_id by_form
        [] = {[FORM_IS_OWN] = RULE_RPCR_3_4_5_07,   [FORM_IS_ONE] = RULE_RPCR_3_4_5_07,
              [FORM_IS_PAD] = RULE_RPCR_3_4_5_2_04, [FORM_IS_PADDED] = RULE_RPCR_3_4_5_2_04,
              [FORM_IS_SHORT] = RULE_RPCR_4_5_2_07, [FORM_IS_FAR] = RULE_RPCR_4_5_2_07},
 by_call[] = {
     [CALL_IS_INLINE] = RULE_RPCR_3_5_1_01, [CALL_IS_LONG] = RULE_RPCR_3_5_3_15, [CALL_IS_BOTH] = RULE_EXP_3_5_1_01};

    *rule = plan->call == CALL_IS_CHUNK                        ? by_form[plan->form]
            : plan->call == CALL_IS_LONG && plan->segments > 1 ? RULE_RPCR_3_5_3_16
                                                               : by_call[plan->call];
    return plan->form >= FORM_IS_SHORT ? CHUNKS_ERROR : CHUNKS_SUCCESS;
}

unsigned chunks_of_read(const struct chunks_plan *plan, enum rule_id *rule)
{
    const bool has_write_chunk = plan->reply == REPLY_IS_WRITE || plan->reply == REPLY_IS_BOTH;

    if (has_write_chunk && plan->room < plan->length) { /* section 4.5.3 */
        *rule = RULE_RPCR_4_5_3_05;
        return CHUNKS_ERROR | CHUNKS_FEWER;
    }
    if (plan->reply == REPLY_IS_INLINE && plan->length > SHORT) {
        /* Whether a message fits also depends on the server's size (section 3.3.2). */
        *rule = RULE_RPCR_4_5_3_02;
        return CHUNKS_ERROR | CHUNKS_FEWER | (plan->length < plan->inline_size ? CHUNKS_SUCCESS : 0);
    }
    *rule = has_write_chunk                 ? RULE_RPCR_4_3_2_03
            : plan->reply == REPLY_IS_REPLY ? RULE_RPCR_3_5_3_11
                                            : RULE_RPCR_3_5_1_01;
    return CHUNKS_SUCCESS;
}

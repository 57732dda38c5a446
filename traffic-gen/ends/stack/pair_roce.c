// SPDX-License-Identifier: GPL-2.0-or-later
/* Recovers the messages from the octets that two ends have written. */
#include "traffic-gen/ends/stack/pair_roce.h"

#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"
#include "wire/rdmap.h"

#include <glib.h>

/* One step of a side, and where it ends in the side's octets. */
struct unit {
    struct rc_step step; /* step.p points into the side's octets */
    uint64_t end;
};

struct reading {
    const uint8_t *p; /* of one side */
    size_t n;
    GArray *units;      /* of struct unit */
    GByteArray *octets; /* of all messages; steps point into it when all are read */
    GByteArray *tagged; /* of the current Tagged message, and of the Send */
    GByteArray *untagged;
    struct rc_step begun; /* the current Tagged message: its address */
    const char *impossible;
};

static void roce_add(struct reading *r, struct rc_step step, const GByteArray *octets, uint64_t end)
{
    struct unit unit = {.step = step, .end = end};

    unit.step.p = NULL; /* set when the octets have reached their place */
    unit.step.n = octets ? octets->len : 0;
    if (octets)
        g_byte_array_append(r->octets, octets->data, octets->len);
    g_array_append_val(r->units, unit);
}

static size_t read_startup(struct reading *r)
{
    struct mpa_startup frame;
    size_t need;
    GByteArray *data = g_byte_array_new();

    if (mpa_startup_decode(&frame, &need, r->p, r->n) != MPA_STARTUP_OK) {
        need = r->n;
    } else {
        if (frame.ulp_length > 0)
            g_byte_array_append(data, frame.ulp_data, frame.ulp_length);
        roce_add(r,
                 (struct rc_step){.kind = frame.kind == MPA_REQUEST  ? RC_REQUEST
                                          : frame.flags & MPA_FLAG_R ? RC_REJECT
                                                                     : RC_REPLY},
                 data, need);
    }
    g_byte_array_unref(data);
    return need;
}

static void read_untagged(struct reading *r, const struct ddp_segment *ddp, uint64_t end)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    struct rdmap_read_request read;

    if (ddp->qn == DDP_QN_READ_REQUEST && rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len)) {
        roce_add(
            r,
            (struct rc_step){.kind = RC_READ, .rkey = read.source_stag, .address = read.source_to, .length = read.size},
            NULL, end);
        return;
    }
    if (ddp->qn != DDP_QN_SEND || !info || !info->ulp_data) {
        r->impossible = "a Terminate or an operation of RFC 7306 was sent, which RoCE does not have";
        return;
    }
    g_byte_array_append(r->untagged, ddp->payload, (guint)ddp->payload_len);
    if (!ddp->last)
        return;
    roce_add(r,
             (struct rc_step){
                 .kind = RC_SEND, .solicited = info->solicited, .invalidate = info->invalidates, .rkey = ddp->stag},
             r->untagged, end);
    g_byte_array_set_size(r->untagged, 0);
}

static void read_tagged(struct reading *r, const struct ddp_segment *ddp, uint64_t end)
{
    if (r->tagged->len == 0)
        r->begun = (struct rc_step){
            .kind = ddp->opcode == RDMAP_WRITE ? RC_WRITE : RC_ANSWER, .rkey = ddp->stag, .address = ddp->to};
    g_byte_array_append(r->tagged, ddp->payload, (guint)ddp->payload_len);
    if (!ddp->last)
        return;
    roce_add(r, r->begun, r->tagged, end);
    g_byte_array_set_size(r->tagged, 0);
}

static void roce_read_side(struct reading *r, const struct mpa_framing *framing)
{
    struct mpa_fpdu_scratch *scratch = g_new(struct mpa_fpdu_scratch, 1);
    struct mpa_fpdu fpdu;
    struct ddp_segment ddp;
    size_t need;

    for (size_t at = read_startup(r); at < r->n && !r->impossible; at += fpdu.length) {
        if (mpa_fpdu_parse(&fpdu, &need, framing, false, at, r->p + at, r->n - at, scratch) != MPA_FPDU_OK ||
            !ddp_segment_decode(&ddp, fpdu.ulpdu, fpdu.ulpdu_length))
            break;
        if (ddp.tagged)
            read_tagged(r, &ddp, at + fpdu.length);
        else
            read_untagged(r, &ddp, at + fpdu.length);
    }
    g_free(scratch);
    for (size_t i = 0, from = 0; i < r->units->len; i++) {
        struct rc_step *step = &g_array_index(r->units, struct unit, i).step;

        step->p = step->n > 0 ? r->octets->data + from : NULL;
        from += step->n;
    }
}

/* The number of the peer's steps received when this many octets were; the peer's end counts as one more. */
static uint64_t steps_within(const struct reading *peer, uint64_t received)
{
    uint64_t n = 0;

    while (n < peer->units->len && g_array_index(peer->units, struct unit, n).end <= received)
        n++;
    return n + (received > peer->n);
}

/* Scripts each step at the time when its last octet was written, after the steps that its writer had received. */
static void say_side(const struct pair *pair, unsigned side, const struct reading *own, const struct reading *peer,
                     struct rc_connection *rc)
{
    guint next = 0;

    for (size_t i = 0; i < pair_n_actions(pair); i++) {
        const struct pair_action *action = pair_action(pair, i);
        struct sim_how how = {.received = steps_within(peer, action->received), .delay_ns = action->delay_ns};

        if (action->side != side)
            continue;
        if (action->kind != PAIR_WRITE)
            rc_say(rc, side, &(struct rc_step){.kind = RC_END, .abrupt = action->kind == PAIR_RESET}, &how);
        for (; action->kind == PAIR_WRITE && next < own->units->len &&
               g_array_index(own->units, struct unit, next).end <= action->from + action->n;
             next++) {
            rc_say(rc, side, &g_array_index(own->units, struct unit, next).step, &how);
            how.delay_ns = 0;
        }
    }
}

const char *pair_play_roce(const struct pair *pair, struct rc_connection *rc)
{
    struct reading sides[2];
    struct mpa_startup frame;
    struct mpa_framing framing[2] = {{0}};
    const char *impossible = NULL;

    for (unsigned side = 0; side < 2; side++) {
        struct reading *r = &sides[side];
        size_t need;

        *r = (struct reading){
            .units = g_array_new(FALSE, FALSE, sizeof(struct unit)),
            .octets = g_byte_array_new(),
            .tagged = g_byte_array_new(),
            .untagged = g_byte_array_new(),
        };
        r->p = pair_written(pair, side, &r->n);
        if (mpa_startup_decode(&frame, &need, r->p, r->n) == MPA_STARTUP_OK) {
            framing[!side].markers = frame.flags & MPA_FLAG_M;
            framing[side].seq_start = need;
        }
    }
    for (unsigned side = 0; side < 2; side++) {
        roce_read_side(&sides[side], &framing[side]);
        if (sides[side].impossible)
            impossible = sides[side].impossible;
    }
    for (unsigned side = 0; side < 2 && !impossible; side++)
        say_side(pair, side, &sides[side], &sides[!side], rc);
    for (unsigned side = 0; side < 2; side++) {
        g_array_unref(sides[side].units);
        g_byte_array_unref(sides[side].octets);
        g_byte_array_unref(sides[side].tagged);
        g_byte_array_unref(sides[side].untagged);
    }
    return impossible;
}

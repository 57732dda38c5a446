// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/ulp_sends.h"
#include "wire/invariant.h"

#include <string.h>

void ulp_sends_skipped(struct ulp_sends *sends, unsigned side)
{
    sends->side[side & 1u].hole = true;
    sends->side[side & 1u].open = false;
}

static size_t captured(const struct rdma_part *part)
{
    return part->n > part->lacking ? part->n - part->lacking : 0;
}

/* False: the beginning of the Send is missing. */
static bool open_send(struct ulp_sends *sends, struct ulp_sends_side *s, const struct rdma_part *part)
{
    if (s->open && s->message == part->message)
        return true;
    if (!part->first_known || part->index != 0)
        return false;
    if (!s->head)
        s->head = arena_zeroed(sends->arena, ULP_HEAD_SIZE);
    s->open = s->head != NULL;
    s->message = part->message;
    s->length = 0;
    s->n = 0;
    INVARIANT(s->open == (s->head != NULL));
    return s->open;
}

/* Nothing is stored beyond the first gap in the captured octets. */
static void sends_add(struct ulp_sends_side *s, const struct rdma_part *part)
{
    size_t n = captured(part);

    if (part->offset == s->n && s->n < ULP_HEAD_SIZE) {
        n = n < ULP_HEAD_SIZE - s->n ? n : ULP_HEAD_SIZE - s->n;
        memcpy(s->head + s->n, part->p, n);
        s->n += n;
    }
    if (part->offset + part->n > s->length)
        s->length = part->offset + part->n;
    INVARIANT(s->n <= ULP_HEAD_SIZE && s->n <= s->length && s->head);
}

static bool sends_take(struct ulp_sends *sends, const struct rdma_part *part, bool from_start, struct ulp_send *send)
{
    struct ulp_sends_side *s = &sends->side[part->place.side & 1u];

    *send = (struct ulp_send){.side = part->place.side & 1u,
                              .direction = part->direction,
                              .place = part->place,
                              .first = from_start && !s->any && !s->hole,
                              .invalidates = part->invalidates,
                              .invalidated = part->invalidates ? part->invalidated : 0,
                              .faulty = part->faulty};
    if (part->complete && part->offset == 0 && part->index == 0) { /* the usual case */
        s->open = false;
        send->p = part->p;
        send->n = captured(part) < ULP_HEAD_SIZE ? captured(part) : ULP_HEAD_SIZE;
        send->length = part->n;
        INVARIANT(send->n <= ULP_HEAD_SIZE && send->n <= send->length);
        return true;
    }
    if (!open_send(sends, s, part))
        return false;
    if (part->n > 0)
        sends_add(s, part);
    send->p = s->head;
    send->n = s->n;
    send->length = s->length;
    s->open = !part->last;
    INVARIANT(send->n <= ULP_HEAD_SIZE && send->n <= send->length && (!s->open || s->head));
    return part->complete;
}

bool ulp_sends_part(struct ulp_sends *sends, const struct rdma_part *part, bool from_start, struct ulp_send *send)
{
    struct ulp_sends_side *s = &sends->side[part->place.side & 1u];
    bool completed;

    if ((!s->started && !part->first_of_all) || part->after_gap || !part->in_message)
        ulp_sends_skipped(sends, part->place.side & 1u);
    s->started = true;
    if (part->set_up || !part->in_message || part->kind != RDMA_SEND)
        return false;
    completed = sends_take(sends, part, from_start, send);
    s->any |= part->last;
    INVARIANT(s->started && (!completed || send->side < 2));
    return completed;
}

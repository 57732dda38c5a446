// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/ulp_named.h"

#include "engine/rdma/ulp_choice.h"
#include "engine/rdma/ulp_sends.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>

struct named {
    struct ulp_host host;
    struct ulp_sends sends;
    bool from_start;
    void *state;
    uint64_t value[ULP_COUNTS_MAX];
    uint64_t others; /* messages not of this kind */
};

void *ulp_named_begin(const struct ulp_host *host)
{
    struct named *named = arena_zeroed(host->arena, sizeof *named);

    if (!named)
        return NULL;
    named->host = *host;
    named->sends.arena = host->arena;
    if (host->kind->state_size > 0 && !(named->state = arena_zeroed(host->arena, host->kind->state_size)))
        return NULL;
    INVARIANT(named->state || host->kind->state_size == 0);
    return named;
}

void ulp_named_terms(void *guest, const struct rdma_terms *terms)
{
    struct named *named = guest;

    named->from_start = terms->from_start;
}

void ulp_named_private_data(void *guest, const struct rdma_private_data *data)
{
    struct named *named = guest;
    struct ulp_private_data own = ulp_private_data_of(data);

    if (named->host.kind->learn)
        named->host.kind->learn(named->state, data->place.side & 1u, &own);
}

void ulp_named_early(void *guest, const struct ulp_send *send)
{
    struct named *named = guest;
    struct ulp_words words = {.text = ""};

    named->sends.side[send->side].started = named->sends.side[send->side].any = true;
    if (!named->host.kind->describe(named->state, send, &words)) {
        words.counts_as = ULP_COUNTS_MAX;
        snprintf(words.text, sizeof words.text, "other message %" PRIu64 " octets", send->length);
    }
    if (words.counts_as < ULP_COUNTS_MAX)
        named->value[words.counts_as]++;
    else
        named->others++;
    INVARIANT(named->sends.side[send->side].any && words.text[ULP_TEXT_SIZE - 1] == '\0');
    if (named->host.said)
        named->host.said(named->host.ctx,
                         &(struct ulp_said){.kind = named->host.kind, .send = send, .text = words.text});
}

bool ulp_named_part(void *guest, const struct rdma_part *part)
{
    struct named *named = guest;
    struct ulp_send send;

    if (ulp_sends_part(&named->sends, part, named->from_start, &send))
        ulp_named_early(named, &send);
    return true;
}

void ulp_named_skipped(void *guest, unsigned side)
{
    struct named *named = guest;

    ulp_sends_skipped(&named->sends, side);
}

void ulp_named_summary(const void *guest, struct ulp_summary *summary)
{
    const struct named *named = guest;
    const struct ulp_count *counts = named->host.kind->counts;

    summary->n = 0;
    for (unsigned i = 0; i < ULP_COUNTS_MAX - 1 && counts[i].one; i++) {
        if (named->value[i] == 0)
            continue;
        summary->count[summary->n] = counts[i];
        summary->count[summary->n++].value = named->value[i];
    }
    if (named->others > 0)
        summary->count[summary->n++] =
            (struct ulp_count){.one = "other message", .many = "other messages", .value = named->others};
    INVARIANT(summary->n <= ULP_COUNTS_MAX);
}

void ulp_named_restart_counts(void *guest)
{
    struct named *named = guest;

    for (unsigned i = 0; i < ULP_COUNTS_MAX; i++)
        named->value[i] = 0;
    named->others = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests that fail again and again: which side has to change, and what that side has to change. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>
#include <string.h>

/* A caller that was asked to wait does not wait if the average time between its attempts is shorter than this. */
static const uint64_t no_pause_ns = 10000000;

/* A request that failed on a connection. */
struct one {
    const struct trouble_facts *facts;
    const struct trouble_again *again;
};

/* The requests that failed with the same error in the same operation, over all connections. */
struct repeated {
    struct one first;
    struct trouble_repeated all;
    unsigned requests;
    struct trouble_event done;           /* frame 0: at least one request never succeeded */
    const struct trouble_again *skipped; /* NULL: none */
};

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* The same requests are next to each other, in order of time. */
static gint by_request(gconstpointer a, gconstpointer b)
{
    const struct one *first = a, *second = b;
    int order = strcmp(first->again->error->name, second->again->error->name);

    if (order == 0)
        order = strcmp(first->again->what, second->again->what);
    if (order == 0)
        order = compare(first->again->key, second->again->key);
    return order != 0 ? order : compare(first->again->all.first.frame, second->again->all.first.frame);
}

static bool outcome_same_request(const struct one *a, const struct one *b)
{
    return a->again->error == b->again->error && a->again->what == b->again->what && a->again->key == b->again->key;
}

static GArray *ones_of(const struct saying *saying)
{
    GArray *ones = g_array_new(FALSE, FALSE, sizeof(struct one));

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_outcome *outcome = facts_at(saying, i)->outcome;

        for (unsigned k = 0; outcome && k < outcome->n_again; k++) {
            const struct one one = {facts_at(saying, i), &outcome->again[k]};

            g_array_append_val(ones, one);
        }
    }
    g_array_sort(ones, by_request);
    return ones;
}

/* Joins the failures of one request on several connections. */
static struct repeated join_ones(const GArray *ones, guint from, guint to)
{
    const struct one *first = &g_array_index(ones, struct one, from);
    struct repeated repeated = {.first = *first, .requests = 1};

    repeated.all.first = first->again->all.first;
    for (guint i = from; i < to; i++) {
        const struct trouble_again *again = g_array_index(ones, struct one, i).again;

        if (trouble_begins_anew(&repeated.all, again->all.first.time_ns, again->error->cure)) {
            repeated.first = g_array_index(ones, struct one, i);
            repeated.all = again->all;
            repeated.all.n = 0;
        }
        repeated.all.n += again->all.n;
        if (again->all.last.time_ns >= repeated.all.last.time_ns || i == from) {
            repeated.all.last = again->all.last;
            repeated.done = again->done;
        }
        if (again->turn.slot != 0 && !repeated.skipped)
            repeated.skipped = again;
    }
    return repeated;
}

static bool is_trouble(const struct repeated *repeated)
{
    const struct trouble_cure *cure = repeated->first.again->error->cure;

    if (repeated->all.n <= cure->tries && !repeated->skipped)
        return false;
    return cure->subject != SUBJECT_TIME ||
           time_from(repeated->all.first.time_ns, repeated->all.last.time_ns) / repeated->all.n < no_pause_ns;
}

/* Joins different requests that failed in the same way. */
static void add_repeated(GArray *found, const struct repeated *more)
{
    struct repeated *known = found->len > 0 ? &g_array_index(found, struct repeated, found->len - 1) : NULL;

    if (!known || known->first.again->error != more->first.again->error ||
        known->first.again->what != more->first.again->what) {
        g_array_append_val(found, *more);
        return;
    }
    if (more->all.first.frame < known->all.first.frame) {
        known->first = more->first;
        known->all.first = more->all.first;
    }
    if (more->all.last.time_ns > known->all.last.time_ns)
        known->all.last = more->all.last;
    known->all.n += more->all.n;
    known->requests++;
    if (!trouble_happened(&more->done) || (trouble_happened(&known->done) && more->done.time_ns > known->done.time_ns))
        known->done = more->done;
    known->skipped = known->skipped ? known->skipped : more->skipped;
}

uint64_t outcome_says(const struct saying *saying, const struct trouble_error *error)
{
    uint64_t n = 0;

    for (guint i = 0; i < saying->repeated->len; i++)
        if (g_array_index(saying->repeated, struct repeated, i).first.again->error == error)
            n += g_array_index(saying->repeated, struct repeated, i).all.n;
    return n;
}

static void outcome_say_one(const struct saying *saying, const struct repeated *repeated)
{
    const struct trouble_again *first = repeated->first.again, *skipped = repeated->skipped;
    const struct trouble_cure *cure = first->error->cure;
    uint64_t lasted = time_from(repeated->all.first.time_ns, repeated->all.last.time_ns);
    GString *text = g_string_new(NULL);
    struct trouble *trouble;
    char time[UNITS_SIZE];

    g_string_append_printf(text,
                           "%s failed %" PRIu32 " time%s with %s, from frame %" PRIu32 " to frame %" PRIu32 ", for %s",
                           first->what, repeated->all.n, repeated->all.n == 1 ? "" : "s", first->error->name,
                           repeated->all.first.frame, repeated->all.last.frame, units_time(lasted, time));
    if (repeated->requests > 1)
        g_string_append_printf(text, " (%u different requests)", repeated->requests);
    if (skipped)
        g_string_append_printf(text,
                               ": the client skips: it used sequence %" PRIu32 " of slot %" PRIu32
                               " after sequence %" PRIu32 " (carried out in frame %" PRIu32 ")",
                               skipped->sequence, skipped->slot, skipped->turn.sequence, skipped->turn.event.frame);
    else
        g_string_append_printf(text, ": %s", cure->fault);
    if (trouble_happened(&repeated->done))
        g_string_append_printf(text, "; the request succeeded in frame %" PRIu32, repeated->done.frame);
    trouble = say(saying, TROUBLE_REPEATED, repeated->first.facts, repeated->all.first, g_string_free(text, FALSE));
    trouble->count = repeated->all.n;
    trouble->time = lasted;
    say_next(trouble, g_strdup(skipped ? "in each slot the client has to count its requests by 1 (RFC 8881 section "
                                         "2.10.6.1): update the client; unmounting ends the loop"
                                       : cure->next));
}

void say_outcome(struct saying *saying)
{
    GArray *ones = ones_of(saying);

    saying->repeated = g_array_new(FALSE, FALSE, sizeof(struct repeated));
    for (guint i = 0, to; i < ones->len; i = to) {
        struct repeated repeated;

        for (to = i + 1; to < ones->len && outcome_same_request(&g_array_index(ones, struct one, i),
                                                                &g_array_index(ones, struct one, to));)
            to++;
        repeated = join_ones(ones, i, to);
        if (is_trouble(&repeated) && !state_says(saying, repeated.first.again->what))
            add_repeated(saying->repeated, &repeated);
    }
    g_array_unref(ones);
    for (guint i = 0; i < saying->repeated->len; i++)
        outcome_say_one(saying, &g_array_index(saying->repeated, struct repeated, i));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that the server answered late or with errors of its own, over all connections. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>

/* A server that asks clients to wait for a shorter time than this is merely busy. */
static const uint64_t busy_least_ns = 5000000000;

/* ---- errors ---- */

/* One error, over all connections; for ERROR_BUSY, the connection on which it lasted longest. */
struct failed {
    const struct trouble_facts *facts; /* the facts with the first frame */
    const struct trouble_error *error;
    const char *what;
    struct trouble_repeated all;
};

static uint64_t lasted_for(const struct trouble_repeated *all)
{
    return time_from(all->first.time_ns, all->last.time_ns);
}

static void join_failure(struct failed *known, const struct failed *more)
{
    if (known->error->how == ERROR_BUSY) {
        *known = lasted_for(&more->all) > lasted_for(&known->all) ? *more : *known;
        return;
    }
    known->all.n += more->all.n;
    if (more->all.last.time_ns > known->all.last.time_ns)
        known->all.last = more->all.last;
}

static void add_failure(GArray *failed, const struct trouble_facts *facts, const struct trouble_failure *failure)
{
    const struct failed more = {facts, failure->error, failure->what, failure->all};

    for (guint i = 0; i < failed->len; i++)
        if (g_array_index(failed, struct failed, i).error == failure->error) {
            join_failure(&g_array_index(failed, struct failed, i), &more);
            return;
        }
    g_array_append_val(failed, more);
}

static bool answered_after(const struct saying *saying, struct trouble_event event)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (facts_at(saying, i)->answered.time_ns > event.time_ns)
            return true;
    return false;
}

static void say_failure(const struct saying *saying, const struct failed *failed)
{
    static const enum trouble_kind kinds[] = {[ERROR_ANSWER] = TROUBLE_ERROR,
                                              [ERROR_FAILS] = TROUBLE_CALL_FAILED,
                                              [ERROR_BUSY] = TROUBLE_SERVER_BUSY,
                                              [ERROR_PROBE] = TROUBLE_CALL_FAILED,
                                              [ERROR_NOTED] = TROUBLE_ERROR};
    const struct trouble_repeated *all = &failed->all;
    uint64_t lasted = lasted_for(all);
    struct trouble *trouble;
    char time[UNITS_SIZE];
    gchar *words;

    if ((failed->error->how == ERROR_BUSY && lasted < busy_least_ns) ||
        (failed->error->how == ERROR_PROBE && answered_after(saying, all->last)) ||
        (mount_says(saying, failed->error) && all->n <= saying->refused->mount->failed.n) ||
        outcome_says(saying, failed->error) >= all->n - all->n / 10)
        return;
    if (all->n == 1)
        words = g_strdup_printf("%s failed in frame %" PRIu32 " with %s", failed->what, all->first.frame,
                                failed->error->name);
    else
        words = g_strdup_printf(
            "the server answered %" PRIu32 " Calls with %s, from frame %" PRIu32 " (%s) to frame %" PRIu32 ", for %s",
            all->n, failed->error->name, all->first.frame, failed->what, all->last.frame, units_time(lasted, time));
    trouble = say(saying, kinds[failed->error->how], failed->facts, all->first, words);
    trouble->count = all->n;
    trouble->time = lasted;
    say_next(trouble, g_strdup(failed->error->advice));
}

static void say_errors(const struct saying *saying)
{
    GArray *failed = g_array_new(FALSE, FALSE, sizeof(struct failed));

    for (guint i = 0; i < saying->facts->len; i++)
        for (unsigned k = 0; k < facts_at(saying, i)->n_failures; k++)
            add_failure(failed, facts_at(saying, i), &facts_at(saying, i)->failure[k]);
    for (guint i = 0; i < failed->len; i++)
        say_failure(saying, &g_array_index(failed, struct failed, i));
    g_array_unref(failed);
}

/* ---- late answers ---- */

static uint64_t took(const struct trouble_facts *facts)
{
    return facts->slow.n == 0 ? 0 : time_from(facts->slow.worst.call.time_ns, facts->slow.worst.answer.time_ns);
}

static void say_slow(const struct saying *saying)
{
    const struct trouble_facts *worst = NULL;
    const struct trouble_call *call;
    uint64_t n = 0;
    struct trouble *trouble;
    GString *text;
    char time[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        n += facts_at(saying, i)->slow.n;
        worst = took(facts_at(saying, i)) > (worst ? took(worst) : 0) ? facts_at(saying, i) : worst;
    }
    if (!worst)
        return;
    call = &worst->slow.worst;
    units_time(took(worst), time);
    text = g_string_new(NULL);
    if (n == 1)
        g_string_append_printf(text, "%s in frame %" PRIu32 " was answered only after %s, in frame %" PRIu32,
                               call->what, call->call.frame, time, call->answer.frame);
    else
        g_string_append_printf(text,
                               "%" PRIu64 " Calls took two seconds or more; the slowest, %s in frame %" PRIu32
                               ", was answered after %s, in frame %" PRIu32,
                               n, call->what, call->call.frame, time, call->answer.frame);
    trouble = say(saying, TROUBLE_SLOW, worst, call->call, g_string_free(text, FALSE));
    trouble->count = n;
    trouble->time = took(worst);
    say_next(trouble, g_strdup("--stats shows where the time went"));
}

void say_failures(const struct saying *saying)
{
    say_errors(saying);
    say_slow(saying);
}

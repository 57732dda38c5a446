// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that the server answered with errors of its own, or late: of all connections together. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>

/* A server that asks for less patience than this is only busy. */
static const uint64_t busy_least_ns = 1000000000;

/* ---- errors ---- */

/* One error, on all connections. */
struct failed {
    const struct trouble_facts *facts; /* where it came first */
    struct trouble_failure all;
};

static void add_failure(GArray *failed, const struct trouble_facts *facts, const struct trouble_failure *failure)
{
    for (guint i = 0; i < failed->len; i++) {
        struct failed *known = &g_array_index(failed, struct failed, i);

        if (known->all.error != failure->error)
            continue;
        known->all.n += failure->n;
        if (failure->last.time_ns > known->all.last.time_ns)
            known->all.last = failure->last;
        return;
    }
    g_array_append_val(failed, ((struct failed){facts, *failure}));
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
    const struct trouble_failure *all = &failed->all;
    uint64_t lasted = time_from(all->first.time_ns, all->last.time_ns);
    bool busy = all->error->how == ERROR_BUSY;
    enum trouble_kind kind = busy                             ? TROUBLE_SERVER_BUSY
                             : all->error->how == ERROR_NOTED ? TROUBLE_ERROR
                                                              : TROUBLE_CALL_FAILED;
    GString *text;
    struct trouble *trouble;
    char time[UNITS_SIZE];

    if ((busy && lasted < busy_least_ns) || (all->error->how == ERROR_PROBE && answered_after(saying, all->last)))
        return;
    text = g_string_new(NULL);
    if (all->n == 1)
        g_string_append_printf(text, "%s failed in frame %" PRIu32 " with %s", all->what, all->first.frame,
                               all->error->name);
    else
        g_string_append_printf(
            text,
            "the server answered %" PRIu32 " Calls with %s, from frame %" PRIu32 " (%s) to frame %" PRIu32 ", for %s",
            all->n, all->error->name, all->first.frame, all->what, all->last.frame, units_time(lasted, time));
    trouble = say(saying, kind, failed->facts, all->first, g_string_free(text, FALSE));
    trouble->count = all->n;
    trouble->time = lasted;
    say_next(trouble, g_strdup(all->error->advice));
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

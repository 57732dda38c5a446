// SPDX-License-Identifier: GPL-2.0-or-later
/* What a peer still owes at the end, over all connections, because a callback may use another connection. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>

/* A younger debt may still be paid. */
static const uint64_t patience_ns = 10000000000;

static const struct {
    const char *what, *due, *next;
} debts[DEBTS] = {
    [DEBT_OFFLOAD] = {"COPY is asynchronous", "no CB_OFFLOAD came",
                      "the client waits for the COPY to finish: look at the callback path, and at the server"},
    [DEBT_RECALL] = {"CB_RECALL was accepted", "no DELEGRETURN came",
                     "the client holds a delegation that others wait for: look at the client"},
    [DEBT_LAYOUT] = {"CB_LAYOUTRECALL was accepted", "no LAYOUTRETURN came",
                     "the client holds a layout that others wait for: look at the client"},
};

static void say_debt(const struct saying *saying, enum trouble_debt debt)
{
    const struct trouble_facts *latest = NULL;
    uint64_t owed = 0, paid = 0, waited;
    int64_t until = INT64_MIN;
    struct trouble *trouble;
    char time[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (facts->hole)
            return;
        owed += facts->owed[debt].n;
        paid += facts->owed[debt].paid;
        until = MAX(until, facts->until_ns);
        latest = facts->owed[debt].n > 0 ? facts : latest;
    }
    if (owed <= paid || !latest)
        return;
    waited = time_from(latest->owed[debt].latest.time_ns, until);
    if (waited < patience_ns)
        return;
    trouble = say(saying, TROUBLE_OWED, latest, latest->owed[debt].latest,
                  g_strdup_printf("%s (frame %" PRIu32 "): %s in %s", debts[debt].what, latest->owed[debt].latest.frame,
                                  debts[debt].due, units_time(waited, time)));
    trouble->count = owed - paid;
    say_next(trouble, g_strdup(debts[debt].next));
}

static void say_callbacks(const struct saying *saying)
{
    struct trouble *trouble;
    char time[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        const struct trouble_repeated *down = &facts->path_down;

        if (down->n < 2)
            continue;
        trouble = say(saying, TROUBLE_CALLBACKS_DOWN, facts, down->first,
                      g_strdup_printf("SEQUENCE reports that the callback path is down since frame %" PRIu32
                                      ", in %" PRIu32 " Replies, for %s",
                                      down->first.frame, down->n,
                                      units_time(time_from(down->first.time_ns, down->last.time_ns), time)));
        trouble->time = time_from(down->first.time_ns, down->last.time_ns);
        say_next(trouble, g_strdup("the client has to bind a connection to the backchannel (BIND_CONN_TO_SESSION): "
                                   "remount if it does not"));
        return;
    }
}

/* No other connection in the capture explains the difference, but there may be clients that were not captured. */
void say_differs(const struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        const struct trouble_repeated *differs = &facts->differs;
        struct trouble *trouble;
        GString *text;

        if (!facts->differs_words)
            continue;
        text = g_string_new(facts->differs_words);
        if (differs->n > 1)
            g_string_append_printf(text, "; so did %" PRIu32 " more READs", differs->n - 1);
        trouble = say(saying, TROUBLE_DIFFERS, facts, differs->first, g_string_free(text, FALSE));
        trouble->count = differs->n;
        say_next(trouble, g_strdup("the data were damaged, or a client outside the capture wrote there: compare the "
                                   "file on both sides, and check who else uses it"));
    }
}

void say_owed(const struct saying *saying)
{
    for (unsigned debt = 0; debt < DEBTS; debt++)
        say_debt(saying, (enum trouble_debt)debt);
    say_callbacks(saying);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that have no answer, and answers that did not arrive. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>
#include <string.h>

enum { CALLS_NAMED = 3 };

/* If the connection continues when the capture ends, Calls younger than this may still be answered. */
static const uint64_t patience_ns = 1000000000;

/* The report does not mention a shorter silence. */
static const uint64_t silence_ns = 1000000000;

/* A Call that waits for this many times the usual time is late. */
enum { USUAL = 4 };

/* ---- which Calls ---- */

/* The answer on that connection did not arrive. */
static bool calls_is_listed(const struct trouble_facts *facts, uint32_t xid)
{
    for (uint32_t i = 0; i < facts->n_listed; i++)
        if (facts->open[i].xid == xid)
            return true;
    return false;
}

/* An answer at the beginning of a connection; it did arrive. */
struct early {
    uint32_t xid;
    guint at; /* index among the connections of the client and the server */
    const struct trouble_answered *answered;
};

static gint by_xid(gconstpointer a, gconstpointer b)
{
    const struct early *one = a, *other = b;

    if (one->xid != other->xid)
        return one->xid < other->xid ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

static GArray *early_answers(const struct saying *saying)
{
    GArray *answers = g_array_new(FALSE, FALSE, sizeof(struct early));

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        for (unsigned k = 0; k < facts->n_early; k++) {
            struct early early = {facts->early[k].xid, i, &facts->early[k]};

            if (!calls_is_listed(facts, early.xid))
                g_array_append_val(answers, early);
        }
    }
    g_array_sort(answers, by_xid);
    return answers;
}

/* The first answer with this XID, or with a higher one. */
static guint find_early(const GArray *answers, uint32_t xid)
{
    guint low = 0, high = answers->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(answers, struct early, middle).xid < xid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the Call was answered on a later connection, as far as known. */
static bool answered_later(const struct saying *saying, const struct trouble_facts *facts,
                           const struct trouble_call *call)
{
    for (guint i = find_early(saying->early, call->xid); i < saying->early->len; i++) {
        const struct early *early = &g_array_index(saying->early, struct early, i);
        const struct trouble_facts *later = facts_at(saying, early->at);

        if (early->xid != call->xid)
            return false;
        if (later != facts && later->first.time_ns >= facts->first.time_ns &&
            early->answered->answer.time_ns > call->call.time_ns)
            return true;
    }
    return false;
}

static uint64_t waited_for(const struct trouble_facts *facts, const struct trouble_call *call)
{
    return time_from(call->call.time_ns, end_of(facts));
}

static uint64_t usual_ns(const struct trouble_facts *facts)
{
    return facts->slow.timed > 0 ? facts->slow.sum_ns / facts->slow.timed : 0;
}

static bool never_arrived(const struct trouble_facts *facts, const struct trouble_call *call)
{
    return !call->acknowledged && facts->side[call->side].acked_known;
}

/* The Call has waited for at least a second: for USUAL times the usual time, or without an acknowledgment. */
static bool is_overdue(const struct trouble_facts *facts, const struct trouble_call *call)
{
    uint64_t waited = waited_for(facts, call);

    return waited >= patience_ns && (waited / USUAL > usual_ns(facts) || never_arrived(facts, call));
}

/* The Call certainly had no effect on this connection. */
static bool calls_is_lost(const struct trouble_facts *facts, const struct trouble_call *call)
{
    return !call->unsure && !facts->hole && (has_ended(facts) || is_overdue(facts, call));
}

/* The capture ends before the Call is answered or late. */
static bool is_outstanding(const struct trouble_facts *facts, const struct trouble_call *call)
{
    return !call->unsure && !facts->hole && !has_ended(facts) && call->fate == FATE_UNANSWERED &&
           !is_overdue(facts, call);
}

/* ---- Calls with one fate ---- */

/* Lost Calls with the same fate, on connections that ended, or did not end, in the same way. */
struct lost {
    const struct trouble_facts *facts; /* of the first Call */
    enum trouble_fate fate;
    uint32_t n;
    const struct trouble_call *call[CALLS_NAMED];
    const struct trouble_call *last;
    bool alike;         /* all are the same operation */
    GPtrArray *members; /* const struct trouble_facts * */
};

static void add_names(GString *text, const struct lost *lost)
{
    for (unsigned i = 0; i < MIN(lost->n, (uint32_t)CALLS_NAMED); i++)
        g_string_append_printf(text, "%s%s in frame %" PRIu32, i == 0 ? "" : ", ", lost->call[i]->what,
                               lost->call[i]->call.frame);
    if (lost->n > CALLS_NAMED)
        g_string_append(text, ", ...");
}

static gchar *advice_on_refusal(const struct trouble_facts *facts)
{
    const char *refuser = side_name(facts, facts->refusal.side), *sender = side_name(facts, facts->refusal.side ^ 1u);

    if (strstr(facts->refusal.reason, "no Receive was posted"))
        return g_strdup_printf("%s had posted no Receive: look at its log and its threads", refuser);
    return g_strdup_printf("%s regards what %s sent as wrong: look at its log, and at the findings below", refuser,
                           sender);
}

/* Advice about the lost Calls. */
static gchar *advice_on(const struct trouble_facts *facts, const struct trouble_call *call)
{
    unsigned answerer_side = call->side ^ 1u;
    const char *caller = side_name(facts, call->side), *answerer = side_name(facts, answerer_side);
    gchar *advice;

    if (facts->path[answerer_side].read.n > 0)
        return NULL; /* say_path() gives better advice */
    if (trouble_happened(&facts->refusal.when))
        return advice_on_refusal(facts);
    if (facts->path[call->side].window.longest_ns >= silence_ns)
        return g_strdup_printf("%s has to act first (see the line above): %s cannot send", caller, answerer);
    if (call->fate == FATE_UNDELIVERED)
        return g_strdup_printf("look at the network towards %s and at its adapter", caller);
    if (trouble_psn_is_wrong(&facts->psn[call->side]))
        return g_strdup_printf("%s begins with the wrong PSN (see the line above)", caller);
    if (!call->acknowledged && around_refuses(facts, call->side))
        return around_reason_alone(facts, call->side);
    if (call->acknowledged && (advice = around_advice(facts, call)))
        return advice;
    if (never_arrived(facts, call))
        return g_strdup_printf("the transport of %s did not acknowledge the Call: %s is down or stuck, or the network "
                               "drops packets",
                               answerer, answerer);
    if (call->acknowledged)
        return g_strdup_printf("%s has received the Call: look at its log, its threads and its storage, not at the "
                               "network",
                               answerer);
    return g_strdup_printf("look at the log, the threads and the storage of %s", answerer);
}

/* Adds what is known about the side that had to answer. */
static void add_silence(GString *text, const struct lost *lost)
{
    const struct trouble_facts *facts = lost->facts;
    const struct trouble_call *call = lost->call[0];
    unsigned answerer = call->side ^ 1u;
    const struct trouble_side *side = &facts->side[answerer];
    int64_t end = end_of(facts);
    uint64_t heard = time_from(side->last.time_ns, end), spoke = time_from(side->spoke.time_ns, end);
    uint64_t half = waited_for(facts, call) / 2;
    char time[UNITS_SIZE];

    if (side->packets == 0 || facts->closer != (answerer ^ 1u))
        heard = MIN(heard, spoke); /* a FIN or reset from this side does not show that it was alive */
    if (side->packets > 0 && heard >= silence_ns && heard >= half)
        g_string_append_printf(text, "; after frame %" PRIu32 " nothing came from %s, for %s", side->last.frame,
                               side_name(facts, answerer), units_time(heard, time));
    else if (side->packets > 0 && spoke >= silence_ns && spoke >= half && spoke > heard)
        g_string_append_printf(text, "; after frame %" PRIu32 " %s sent nothing but acknowledgments, for %s",
                               trouble_happened(&side->spoke) ? side->spoke.frame : call->call.frame,
                               side_name(facts, answerer), units_time(MIN(spoke, waited_for(facts, call)), time));
    if (facts->answered.time_ns > call->call.time_ns && !call->reverse)
        g_string_append_printf(text, "; later Calls were answered, up to frame %" PRIu32, facts->answered.frame);
    if (lost->n == 1 && never_arrived(facts, call))
        g_string_append(text, "; the Call was never acknowledged");
}

/* "; the client refused the Send in frame 20 (NAK, invalid request, in frame 21)" */
static void add_refusal(GString *text, const struct trouble_facts *facts)
{
    const struct trouble_refusal *refusal = &facts->refusal;

    if (!trouble_happened(&refusal->when))
        return;
    g_string_append_printf(text, "; %s refused ", side_name(facts, refusal->side));
    if (refusal->frame != 0)
        g_string_append_printf(text, "the %s in frame %" PRIu32, refusal->operation ? refusal->operation : "message",
                               refusal->frame);
    else
        g_string_append_printf(text, "a%s %s", refusal->operation && *refusal->operation == 'R' ? "n" : "",
                               refusal->operation ? refusal->operation : "message");
    g_string_append_printf(text, " (%s, in frame %" PRIu32 ")", refusal->reason, refusal->when.frame);
}

/* ", on 9 connections, up to frame 812" */
static void add_extent(GString *text, const struct lost *lost)
{
    if (lost->members->len > 1)
        g_string_append_printf(text, ", on %u connections, up to frame %" PRIu32, lost->members->len,
                               (lost->fate == FATE_UNANSWERED ? lost->last->call : lost->last->answer).frame);
}

/* How the connections ended. */
static void add_ending(GString *text, const struct lost *lost)
{
    const struct trouble_facts *facts = lost->facts;
    g_autofree gchar *ending = has_ended(facts) ? ending_text(facts) : NULL;

    if (ending && lost->members->len > 1)
        g_string_append_printf(
            text, "; %s %s each of the connections, the first in frame %" PRIu32, side_name(facts, facts->closer),
            facts->side[facts->closer].how == END_RESET ? "reset" : "closed", facts->side[facts->closer].ended.frame);
    else if (ending)
        g_string_append_printf(text, "; %s", ending);
}

/* "3 Calls were not answered when the capture ended, the oldest for 120 s" */
static void add_outstanding(GString *text, const struct saying *saying, const struct lost *lost)
{
    uint64_t waited = waited_for(lost->facts, lost->call[0]);
    char time[UNITS_SIZE];

    g_string_append_printf(text, "%" PRIu32 " Call%s not answered when the capture ended", lost->n,
                           lost->n == 1 ? " was" : "s were");
    if (saying->troubles->end_known || waited >= patience_ns)
        g_string_append_printf(text, ", %sfor %s%s", lost->n == 1 ? "" : "the oldest ",
                               saying->troubles->end_known ? "" : "at least ", units_time(waited, time));
    else
        g_string_append(text, "; the file does not say how long the capture went on");
    g_string_append(text, ": ");
}

static gchar *unanswered_text(const struct saying *saying, const struct lost *lost)
{
    const struct trouble_facts *facts = lost->facts;
    GString *text = g_string_new(NULL);
    char time[UNITS_SIZE];

    if (!has_ended(facts)) {
        add_outstanding(text, saying, lost);
        add_names(text, lost);
    } else if (lost->n == 1) {
        add_names(text, lost);
        if (waited_for(facts, lost->call[0]) < patience_ns)
            g_string_append(text, " was never answered");
        else
            g_string_append_printf(text, " was not answered for %s",
                                   units_time(waited_for(facts, lost->call[0]), time));
    } else {
        g_string_append_printf(text, "%" PRIu32 " %s were not answered, the first for %s: ", lost->n,
                               lost->alike && lost->members->len > 1 ? "Calls of the same kind" : "Calls",
                               units_time(waited_for(facts, lost->call[0]), time));
        add_names(text, lost);
    }
    add_extent(text, lost);
    if (lost->members->len == 1)
        add_silence(text, lost);
    add_refusal(text, facts);
    add_ending(text, lost);
    return g_string_free(text, FALSE);
}

static gchar *undelivered_text(const struct saying *saying, const struct lost *lost)
{
    const struct trouble_facts *facts = lost->facts;
    GString *text = g_string_new(lost->n == 1 ? "the Reply to " : NULL);
    const char *caller = side_name(facts, lost->call[0]->side);

    (void)saying;
    if (lost->n > 1)
        g_string_append_printf(text, "%" PRIu32 " Replies, to ", lost->n);
    add_names(text, lost);
    g_string_append_printf(text, ", %s in frame %" PRIu32, lost->n == 1 ? "sent" : "the first sent",
                           lost->call[0]->answer.frame);
    add_extent(text, lost);
    if (lost->fate == FATE_REFUSED)
        add_refusal(text, facts);
    else
        g_string_append_printf(text, ", %s never acknowledged: %s did not receive %s", lost->n == 1 ? "was" : "were",
                               caller, lost->n == 1 ? "it" : "them");
    add_ending(text, lost);
    return g_string_free(text, FALSE);
}

static const struct {
    enum trouble_kind kind;
    gchar *(*words)(const struct saying *saying, const struct lost *lost);
} fates[] = {
    [FATE_UNANSWERED] = {TROUBLE_CALL_UNANSWERED, unanswered_text},
    [FATE_REFUSED] = {TROUBLE_REPLY_REFUSED, undelivered_text},
    [FATE_UNDELIVERED] = {TROUBLE_REPLY_UNDELIVERED, undelivered_text},
};

/* ---- several connections that end because of one Call ---- */

static bool calls_same_call(const struct trouble_call *a, const struct trouble_call *b)
{
    return a->xid == b->xid && a->reverse == b->reverse;
}

static struct loop *loop_of(struct saying *saying, const struct trouble_call *call)
{
    for (unsigned i = 0; i < saying->n_loops; i++)
        if (calls_same_call(saying->loop[i].call, call))
            return &saying->loop[i];
    if (saying->n_loops == LOOPS_MAX)
        return NULL;
    saying->loop[saying->n_loops] = (struct loop){.call = call, .members = g_ptr_array_new()};
    return &saying->loop[saying->n_loops++];
}

static void find_loops(struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        for (uint32_t k = 0; k < facts->n_listed; k++) {
            struct loop *loop = calls_is_lost(facts, &facts->open[k]) ? loop_of(saying, &facts->open[k]) : NULL;

            if (!loop || loop->last == facts)
                continue;
            loop->first = loop->first ? loop->first : facts;
            loop->last = facts;
            g_ptr_array_add(loop->members, (gpointer)facts);
        }
    }
}

bool in_a_loop(const struct saying *saying, const struct trouble_call *call)
{
    for (unsigned i = 0; i < saying->n_loops; i++)
        if (saying->loop[i].members->len > 1 && calls_same_call(saying->loop[i].call, call))
            return true;
    return false;
}

static void say_loop(const struct saying *saying, const struct loop *loop)
{
    const struct trouble_facts *first = loop->first;
    const struct trouble_call *call = loop->call;
    GString *text = g_string_new(NULL);
    g_autofree gchar *ending = g_strdup_printf("%s %s the first connection", side_name(first, first->closer),
                                               first->side[first->closer].how == END_RESET ? "reset" : "closed");
    struct trouble *trouble;
    char time[UNITS_SIZE];

    g_string_append_printf(text, "%s%s in frame %" PRIu32 " (XID 0x%08" PRIx32 ") ",
                           call->fate == FATE_UNANSWERED ? "" : "the Reply to ", call->what, call->call.frame,
                           call->xid);
    if (call->fate == FATE_UNDELIVERED)
        g_string_append_printf(text, "was never acknowledged, first sent in frame %" PRIu32, call->answer.frame);
    else if (call->fate == FATE_REFUSED)
        g_string_append_printf(text, "was refused, first sent in frame %" PRIu32, call->answer.frame);
    else
        g_string_append(text, "was never answered");
    g_string_append_printf(text, ": %u connections %s, one after the other, in %s", loop->members->len,
                           has_ended(loop->last) ? "ended over this Call" : "had this Call",
                           units_time(time_from(call->call.time_ns, end_of(loop->last)), time));
    add_refusal(text, first);
    if (has_ended(first))
        g_string_append_printf(text, "; %s in frame %" PRIu32, ending, first->side[first->closer].ended.frame);
    trouble = say(saying, TROUBLE_CALL_LOOP, first, call->call, g_string_free(text, FALSE));
    say_next(trouble, advice_on(first, call));
    trouble->count = loop->members->len;
    trouble->time = time_from(call->call.time_ns, end_of(loop->last));
    for (guint i = 0; i < loop->members->len; i++)
        say_also(trouble, g_ptr_array_index(loop->members, i));
}

/* ---- all ---- */

static bool is_again(const struct saying *saying, const struct trouble_facts *facts, const struct trouble_call *call)
{
    if (!has_ended(facts) || !answered_later(saying, facts, call))
        return false;
    saying->troubles->again += call->fate == FATE_UNANSWERED;
    return true;
}

static bool same_refusal(const struct trouble_facts *a, const struct trouble_facts *b)
{
    return a->refusal.side == b->refusal.side && strcmp(a->refusal.reason, b->refusal.reason) == 0;
}

static bool same_ending(const struct trouble_facts *a, const struct trouble_facts *b)
{
    return has_ended(a) == has_ended(b) && (!has_ended(a) || (side_name(a, a->closer) == side_name(b, b->closer) &&
                                                              a->side[a->closer].how == b->side[b->closer].how));
}

/* Reports refused operations that belong to no Call: one line for those that were refused in the same way. */
static void calls_say_refused(const struct saying *saying, GPtrArray *refused)
{
    while (refused->len > 0) {
        const struct trouble_facts *facts = g_ptr_array_index(refused, 0), *last = facts;
        struct lost lost = {.facts = facts, .members = g_ptr_array_new()};
        GString *text = g_string_new(NULL);
        struct trouble *trouble;
        guint others = 0;

        for (guint i = 0; i < refused->len; i++) {
            const struct trouble_facts *each = g_ptr_array_index(refused, i);

            if (same_refusal(facts, each) && same_ending(facts, each))
                g_ptr_array_add(lost.members, (gpointer)(last = each));
            else
                refused->pdata[others++] = (gpointer)each;
        }
        g_ptr_array_set_size(refused, (gint)others);
        add_refusal(text, facts);
        if (lost.members->len > 1)
            g_string_append_printf(text, "; the same happened on %u other connection%s, up to frame %" PRIu32,
                                   lost.members->len - 1, lost.members->len == 2 ? "" : "s", last->refusal.when.frame);
        add_ending(text, &lost);
        trouble =
            say(saying, TROUBLE_OPERATION_REFUSED, facts, facts->refusal.when, g_strdup(text->str + strlen("; ")));
        trouble->count = lost.members->len;
        if (strstr(facts->refusal.reason, "no Receive was posted"))
            say_next(trouble, advice_on_refusal(facts));
        for (guint i = 1; i < lost.members->len; i++)
            say_also(trouble, g_ptr_array_index(lost.members, i));
        g_ptr_array_unref(lost.members);
        g_string_free(text, TRUE);
    }
}

static void lost_add(struct lost *lost, const struct trouble_facts *facts, const struct trouble_call *call)
{
    if (lost->n == 0)
        lost->facts = facts;
    if (lost->n < CALLS_NAMED)
        lost->call[lost->n] = call;
    lost->alike = lost->n == 0 || (lost->alike && strcmp(lost->call[0]->what, call->what) == 0);
    lost->last = call;
    lost->n++;
    if (lost->members->len == 0 || g_ptr_array_index(lost->members, lost->members->len - 1) != facts)
        g_ptr_array_add(lost->members, (gpointer)facts);
}

/* The Calls of a connection that have this fate. False: there are none. */
static bool lost_take(const struct saying *saying, struct lost *lost, const struct trouble_facts *facts)
{
    uint32_t before = lost->n;

    for (uint32_t i = 0; i < facts->n_listed; i++) {
        const struct trouble_call *call = &facts->open[i];

        if (call->fate == lost->fate && calls_is_lost(facts, call) && !in_a_loop(saying, call) &&
            !is_again(saying, facts, call))
            lost_add(lost, facts, call);
    }
    /* If no Call was answered after the oldest of these was sent, younger Calls wait for the same reason. */
    if (lost->n > before && !has_ended(facts) && lost->fate == FATE_UNANSWERED &&
        facts->answered.time_ns <= lost->call[0]->call.time_ns)
        for (uint32_t i = 0; i < facts->n_listed; i++)
            if (is_outstanding(facts, &facts->open[i]))
                lost_add(lost, facts, &facts->open[i]);
    if (facts->n_open > facts->n_listed && lost->fate == FATE_UNANSWERED && lost->n - before == facts->n_listed)
        lost->n = before + facts->n_open;
    return lost->n > before;
}

static bool belongs(const struct lost *lost, const struct trouble_facts *facts)
{
    return lost->n == 0 || (same_ending(lost->facts, facts) && same_refusal(lost->facts, facts));
}

static void say_lost(const struct saying *saying, const struct lost *lost)
{
    struct trouble *trouble = say(saying, fates[lost->fate].kind, lost->facts,
                                  lost->fate == FATE_UNANSWERED ? lost->call[0]->call : lost->call[0]->answer,
                                  fates[lost->fate].words(saying, lost));

    say_next(trouble, advice_on(lost->facts, lost->call[0]));
    trouble->count = lost->n;
    trouble->time = waited_for(lost->facts, lost->call[0]);
    trouble->lasting = !has_ended(lost->facts);
    for (guint i = 1; i < lost->members->len; i++)
        say_also(trouble, g_ptr_array_index(lost->members, i));
}

/* One line for the Calls of all connections with the same fate and ending. said: by connection. */
static void say_of_fate(const struct saying *saying, enum trouble_fate fate, bool *said)
{
    g_autofree bool *done = g_new0(bool, saying->facts->len);

    for (guint i = 0; i < saying->facts->len; i++) {
        struct lost lost = {.fate = fate};

        if (done[i] || facts_at(saying, i)->n_listed == 0)
            continue;
        lost.members = g_ptr_array_new();
        for (guint k = i; k < saying->facts->len; k++) {
            if (done[k] || facts_at(saying, k)->n_listed == 0 || !belongs(&lost, facts_at(saying, k)))
                continue;
            done[k] = true;
            said[k] |= lost_take(saying, &lost, facts_at(saying, k));
        }
        if (lost.n > 0)
            say_lost(saying, &lost);
        g_ptr_array_unref(lost.members);
    }
}

/* ---- Calls that the end of the capture cut off ---- */

static void say_outstanding(const struct saying *saying)
{
    struct lost lost = {.fate = FATE_UNANSWERED, .members = g_ptr_array_new()};
    uint64_t waited, sum = 0, timed = 0;
    GString *text = g_string_new(NULL);
    struct trouble *trouble;
    char time[UNITS_SIZE], usual[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        sum += facts->slow.sum_ns;
        timed += facts->slow.timed;
        for (uint32_t k = 0; k < facts->n_listed; k++)
            if (is_outstanding(facts, &facts->open[k]))
                lost_add(&lost, facts, &facts->open[k]);
    }
    if (lost.n > 0) {
        waited = waited_for(lost.facts, lost.call[0]);
        add_outstanding(text, saying, &lost);
        add_names(text, &lost);
        if (timed > 0)
            g_string_append_printf(text,
                                   "; at the last packet the oldest had waited for %s, and Calls took %s on average",
                                   units_time(time_from(lost.call[0]->call.time_ns, lost.facts->last.time_ns), time),
                                   units_time(sum / timed, usual));
        trouble = say(saying, TROUBLE_OUTSTANDING, lost.facts, lost.call[0]->call, g_strdup(text->str));
        trouble->count = lost.n;
        trouble->time = waited;
        if (!saying->troubles->end_known)
            say_next(trouble,
                     g_strdup("if the mount hung then, capture for a few seconds longer, with dumpcap or tshark: "
                              "they write down when the capture ended"));
        for (guint i = 1; i < lost.members->len; i++)
            say_also(trouble, g_ptr_array_index(lost.members, i));
    }
    g_string_free(text, TRUE);
    g_ptr_array_unref(lost.members);
}

static bool any_in_a_loop(const struct saying *saying, const struct trouble_facts *facts)
{
    for (uint32_t i = 0; i < facts->n_listed; i++)
        if (in_a_loop(saying, &facts->open[i]))
            return true;
    return false;
}

void say_calls(struct saying *saying)
{
    g_autofree bool *said = g_new0(bool, saying->facts->len);
    g_autoptr(GPtrArray) refused = g_ptr_array_new();
    guint before = saying->troubles->list->len;

    saying->early = early_answers(saying);
    find_loops(saying);
    for (unsigned i = 0; i < saying->n_loops; i++)
        if (saying->loop[i].members->len > 1)
            say_loop(saying, &saying->loop[i]);
    for (unsigned fate = FATE_UNANSWERED; fate <= FATE_REFUSED; fate++)
        say_of_fate(saying, (enum trouble_fate)fate, said);
    for (guint i = 0; i < saying->facts->len; i++)
        if (!said[i] && trouble_happened(&facts_at(saying, i)->refusal.when) &&
            !any_in_a_loop(saying, facts_at(saying, i)))
            g_ptr_array_add(refused, (gpointer)facts_at(saying, i));
    calls_say_refused(saying, refused);
    if (saying->troubles->list->len == before)
        say_outstanding(saying);
    g_array_unref(saying->early);
    saying->early = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Failed attempts to connect, and upper layers that use another way. */
#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"
#include "wire/rpcbind.h"

#include <inttypes.h>

enum { ATTEMPTS_MAX = 32 /* different kinds */ };

/* A younger request may still be answered. */
static const uint64_t patience_ns = 1000000000;

enum outcome {
    OUTCOME_FINE,
    OUTCOME_SYN_UNANSWERED,
    OUTCOME_SYN_REFUSED,
    OUTCOME_UNANSWERED,
    OUTCOME_DROPPED, /* the server closed or reset the connection instead of a Reply */
    OUTCOME_REJECTED,
    OUTCOME_INCOMPLETE,
    OUTCOMES
};

/* Several attempts of the same kind, to the same port. */
struct attempts {
    const struct trouble_facts *first, *last;
    struct trouble_repeated asked; /* requests */
    uint32_t connections, answered, waited;
    GPtrArray *members; /* struct trouble_facts * */
};

/* ---- the course of each attempt ---- */

/* Attempts count only if a port or another connection shows that they are about RDMA. */
static bool is_for_rdma(const struct saying *saying, const struct trouble_facts *facts)
{
    uint16_t port = facts->end[facts->opener ^ 1u].port;

    if (port == RPCBIND_PORT)
        return rpcbind_matters(saying, facts->first.time_ns);
    return facts->rdma || saying->alone || facts->usual_port || port == saying->rdma_port;
}

static bool lasted(const struct trouble_facts *facts, enum trouble_step step)
{
    return facts->step[step].n > 1 || has_ended(facts) || around_refuses(facts, facts->step_side[step]) ||
           time_from(facts->step[step].first.time_ns, facts->until_ns) >= patience_ns;
}

static enum outcome outcome_of_tcp(const struct trouble_facts *facts)
{
    unsigned asker = facts->step_side[STEP_SYN];

    if (facts->step[STEP_SYN].n > 0 && facts->step[STEP_SYN_ACK].n == 0 && facts->parts == 0 && !facts->rdma) {
        if (facts->side[asker ^ 1u].how == END_RESET)
            return OUTCOME_SYN_REFUSED;
        return facts->side[asker ^ 1u].packets == 0 && (facts->step[STEP_SYN].n > 1 || around_refuses(facts, asker))
                   ? OUTCOME_SYN_UNANSWERED
                   : OUTCOME_FINE;
    }
    if (!facts->rdma || facts->step[STEP_REQUEST].n == 0 || facts->parts > 0)
        return OUTCOME_FINE;
    if (facts->step[STEP_REJECT].n > 0)
        return OUTCOME_REJECTED;
    if (facts->step[STEP_REPLY].n > 0 || facts->hole || !lasted(facts, STEP_REQUEST))
        return OUTCOME_FINE;
    return has_ended(facts) && facts->closer != facts->step_side[STEP_REQUEST] ? OUTCOME_DROPPED : OUTCOME_UNANSWERED;
}

static enum outcome outcome_of_ib(const struct trouble_facts *facts)
{
    if (facts->parts > 0 || facts->step[STEP_READY].n > 0)
        return OUTCOME_FINE;
    if (facts->step[STEP_REJECT].n > 0)
        return OUTCOME_REJECTED;
    if (facts->step[STEP_REQUEST].n == 0)
        return OUTCOME_FINE;
    if (!lasted(facts, facts->step[STEP_REPLY].n > 0 ? STEP_REPLY : STEP_REQUEST))
        return OUTCOME_FINE;
    return facts->step[STEP_REPLY].n > 0 ? OUTCOME_INCOMPLETE : OUTCOME_UNANSWERED;
}

static enum outcome attempts_outcome_of(const struct trouble_facts *facts)
{
    return facts->ib ? outcome_of_ib(facts) : outcome_of_tcp(facts);
}

bool trouble_attempt_failed(const struct trouble_facts *facts)
{
    return attempts_outcome_of(facts) != OUTCOME_FINE;
}

/* ---- words ---- */

static const char *const reasons[] = {
    [1] = "no queue pair available",
    [2] = "no end-to-end context available",
    [3] = "no resources available",
    [4] = "timeout",
    [5] = "unsupported request",
    [6] = "invalid communication ID",
    [7] = "invalid communication instance",
    [8] = "invalid service ID",
    [9] = "invalid transport service type",
    [10] = "stale connection",
    [12] = "GID of the primary remote port rejected",
    [13] = "LID of the primary remote port rejected",
    [14] = "invalid service level",
    [15] = "invalid traffic class",
    [16] = "invalid hop limit",
    [17] = "invalid packet rate",
    [24] = "port and connection management redirected",
    [25] = "port redirected",
    [26] = "invalid path MTU",
    [27] = "insufficient responder resources",
    [28] = "rejected by the consumer",
    [29] = "RNR retry count rejected",
};

static const char *reason_hint(uint16_t reason)
{
    static const struct {
        uint16_t reason;
        const char *hint;
    } hints[] = {
        {3, "the server has no resources left: look at its limits and its memory"},
        {4, "the rejecting side had waited too long for the next message"},
        {10, "the server still has a connection with these queue pairs"},
        {12, "look at the GID index, the VLAN, and RoCE v1 or v2 on both sides"},
        {28, "the application rejected it: look at its log and at its connection limit"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(hints); i++)
        if (hints[i].reason == reason)
            return hints[i].hint;
    return NULL;
}

static bool is_to_rpcbind(const struct attempts *attempts)
{
    return attempts->first->end[attempts->first->opener ^ 1u].port == RPCBIND_PORT;
}

/* "3 times in 31 s" */
static void add_times(GString *text, const struct trouble_repeated *asked)
{
    char time[UNITS_SIZE];

    if (asked->n > 1)
        g_string_append_printf(text, " %" PRIu32 " times in %s", asked->n,
                               units_time(time_from(asked->first.time_ns, asked->last.time_ns), time));
}

static void say_unanswered_syn(GString *text, const struct attempts *attempts, const char *server)
{
    g_string_append_printf(text, "%s does not answer: TCP SYN sent", server);
    add_times(text, &attempts->asked);
    g_string_append(text, ", nothing came back");
}

static gchar *next_unanswered_syn(const struct saying *saying, const struct attempts *attempts)
{
    static const char advice[] = "a firewall drops it, the host is down, or the address is wrong";

    (void)saying;
    return is_to_rpcbind(attempts) ? rpcbind_is_not_needed(attempts->first, advice) : g_strdup(advice);
}

static void attempts_say_refused(GString *text, const struct attempts *attempts, const char *server)
{
    g_string_append_printf(text, "connection refused: %s answers the SYN with a reset", server);
    add_times(text, &attempts->asked);
    g_string_append(text, ": nothing listens on this port");
}

const char *how_to_enable(const struct saying *saying, const struct trouble_facts *facts)
{
    for (guint i = 0; i < saying->facts->len; i++)
        for (const struct trouble_enable *on = facts->enable_on; on && on->server; on++)
            if (g_strcmp0(facts_at(saying, i)->server, on->server) == 0)
                return on->text;
    return facts->enable;
}

static gchar *next_refused(const struct saying *saying, const struct attempts *attempts)
{
    if (is_to_rpcbind(attempts))
        return rpcbind_is_not_needed(attempts->first, "does rpcbind run there?");
    return g_strdup(how_to_enable(saying, attempts->first));
}

static void say_unanswered(GString *text, const struct attempts *attempts, const char *server)
{
    const struct trouble_facts *first = attempts->first;

    g_string_append_printf(text, "%s does not answer: %s sent", server, first->ib ? "ConnectRequest" : "MPA Request");
    if (attempts->asked.n == 1)
        g_string_append(text, " once");
    add_times(text, &attempts->asked);
    g_string_append(text, attempts->waited > 0 ? ", it only asked to wait (MRA)" : ", no reply came");
    if (attempts->connections == 1 && has_ended(first)) {
        g_autofree gchar *ending = ending_text(first);

        g_string_append_printf(text, "; %s", ending);
    }
}

/* The latest connection to the same port that was set up before; NULL: none. */
static const struct trouble_facts *set_up_before(const struct saying *saying, const struct trouble_facts *failed)
{
    const struct trouble_facts *latest = NULL;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (is_established(facts) && facts->first.time_ns < failed->first.time_ns &&
            facts->end[facts->opener ^ 1u].port == failed->end[failed->opener ^ 1u].port)
            latest = facts;
    }
    return latest;
}

/* "; the server answered until 07:37:18.000, on connection 2" */
static void add_did_before(GString *text, const struct trouble_facts *before)
{
    g_autofree gchar *clock = before ? trouble_clock(before->side[before->opener ^ 1u].last.time_ns) : NULL;

    if (clock)
        g_string_append_printf(text, "; the server answered until %s, on connection %" PRIu32, clock, before->id);
}

static gchar *next_unanswered(const struct saying *saying, const struct attempts *attempts)
{
    const struct trouble_facts *first = attempts->first;
    GString *text = g_string_new(NULL);

    if (first->ib)
        g_string_append(text, "look at the address, the GID and VLAN of both sides, and UDP port 4791 in firewalls");
    else if (first->path[first->step_side[STEP_REQUEST]].sizes.waiting)
        g_string_append(text, "TCP connects, but its host never acknowledges the MPA Request: the host is down, or the "
                              "network drops packets with data");
    else
        g_string_append(text, "TCP has taken the MPA Request, but the listener does not answer it: look at the log and "
                              "the threads of what listens on this port");
    add_did_before(text, set_up_before(saying, first));
    return g_string_free(text, FALSE);
}

static void say_dropped(GString *text, const struct attempts *attempts, const char *server)
{
    const struct trouble_facts *first = attempts->first;
    const struct trouble_side *side = &first->side[first->closer];
    char time[UNITS_SIZE];

    g_string_append_printf(text,
                           "%s %s the connection in frame %" PRIu32 ", %s after the MPA Request (revision %u)"
                           " in frame %" PRIu32,
                           server, side->how == END_RESET ? "reset" : "closed", side->ended.frame,
                           units_time(time_from(first->step[STEP_REQUEST].last.time_ns, side->ended.time_ns), time),
                           first->revision, first->step[STEP_REQUEST].last.frame);
    if (attempts->connections > 1)
        g_string_append_printf(
            text, "; this happened %" PRIu32 " times in %s", attempts->connections,
            units_time(time_from(attempts->asked.first.time_ns, attempts->asked.last.time_ns), time));
}

static gchar *next_dropped(const struct saying *saying, const struct attempts *attempts)
{
    const struct trouble_facts *first = attempts->first, *before = set_up_before(saying, first);

    if (before && before->revision >= first->revision)
        return g_strdup_printf("the server took such a Request before, on connection %" PRIu32
                               ": look at its log and its limits",
                               before->id);
    if (first->revision > 1)
        return g_strdup(
            "the peer may know revision 1 only (RFC 6581 section 10): let the client use revision 1, or look "
            "at the log of the server");
    return g_strdup("the peer refuses MPA, or does not speak it: look at what listens on this port, and at its log");
}

static void say_rejected(GString *text, const struct attempts *attempts, const char *server)
{
    const struct trouble_facts *first = attempts->first;
    uint16_t reason = first->reject_reason, port = first->end[first->opener ^ 1u].port;
    const char *known = reason < G_N_ELEMENTS(reasons) ? reasons[reason] : NULL;

    g_string_append_printf(text, "%s rejected the connection", server);
    add_times(text, &attempts->asked);
    if (!first->ib) {
        g_string_append(text, " (MPA Reply with R)");
        return;
    }
    if (reason == 0)
        g_string_append(text, "; the capture does not have the reason");
    else
        g_string_append_printf(text, ": reason %" PRIu16 "%s%s", reason, known ? ", " : "", known ? known : "");
    if (reason == IB_CM_REJECT_INVALID_SERVICE_ID && port != 0)
        g_string_append_printf(text, ": nothing listens on port %" PRIu16 " there", port);
}

static gchar *next_rejected(const struct saying *saying, const struct attempts *attempts)
{
    const struct trouble_facts *first = attempts->first;

    if (!first->ib)
        return g_strdup("the application rejected it, or its connection limit is reached: look at its log");
    if (first->reject_reason == 0)
        return g_strdup("capture again without a snap length: the reason says who has to do what");
    return g_strdup(first->reject_reason == IB_CM_REJECT_INVALID_SERVICE_ID ? how_to_enable(saying, first)
                                                                            : reason_hint(first->reject_reason));
}

static void say_incomplete(GString *text, const struct attempts *attempts, const char *server)
{
    const struct trouble_facts *first = attempts->first;
    uint32_t replies = attempts->answered;
    char time[UNITS_SIZE];

    g_string_append_printf(
        text,
        "the handshake with %s was never completed: ConnectRequest %" PRIu32 " time%s, ConnectReply %" PRIu32
        " time%s, never a ReadyToUse, in %s",
        server, attempts->asked.n, attempts->asked.n == 1 ? "" : "s", replies, replies == 1 ? "" : "s",
        units_time(time_from(first->step[STEP_REQUEST].first.time_ns, attempts->last->until_ns), time));
}

static gchar *next_incomplete(const struct saying *saying, const struct attempts *attempts)
{
    (void)saying, (void)attempts;
    return g_strdup("the replies do not reach the client, or it drops them: look at the VLAN, the GIDs and the MTU of "
                    "both sides");
}

static const struct {
    enum trouble_kind kind;
    void (*say)(GString *text, const struct attempts *attempts, const char *server);
    gchar *(*next)(const struct saying *saying, const struct attempts *attempts);
} ways[OUTCOMES] = {
    [OUTCOME_SYN_UNANSWERED] = {TROUBLE_NO_ANSWER, say_unanswered_syn, next_unanswered_syn},
    [OUTCOME_SYN_REFUSED] = {TROUBLE_REFUSED, attempts_say_refused, next_refused},
    [OUTCOME_UNANSWERED] = {TROUBLE_NO_ANSWER, say_unanswered, next_unanswered},
    [OUTCOME_DROPPED] = {TROUBLE_REFUSED, say_dropped, next_dropped},
    [OUTCOME_REJECTED] = {TROUBLE_REJECTED, say_rejected, next_rejected},
    [OUTCOME_INCOMPLETE] = {TROUBLE_INCOMPLETE, say_incomplete, next_incomplete},
};

/* ---- similar attempts make one line ---- */

static bool alike(const struct trouble_facts *a, const struct trouble_facts *b)
{
    enum outcome outcome = attempts_outcome_of(a);

    return a->end[a->opener ^ 1u].port == b->end[b->opener ^ 1u].port && a->ib == b->ib &&
           a->reject_reason == b->reject_reason && outcome == attempts_outcome_of(b) &&
           (outcome != OUTCOME_DROPPED || a->revision == b->revision);
}

static void add_attempt(struct attempts *attempts, const struct trouble_facts *facts)
{
    const bool cut = facts->ib && facts->step[STEP_REQUEST].n == 0; /* only the refusals were read */
    const struct trouble_repeated *asked = &facts->step[cut                        ? STEP_REJECT
                                                        : facts->ib || facts->rdma ? STEP_REQUEST
                                                                                   : STEP_SYN];

    if (attempts->connections++ == 0) {
        attempts->first = facts;
        attempts->asked.first = asked->first;
    }
    attempts->last = facts;
    g_ptr_array_add(attempts->members, (gpointer)facts);
    attempts->asked.n += asked->n;
    attempts->asked.last = asked->last;
    attempts->answered += facts->step[STEP_REPLY].n;
    attempts->waited += facts->step[STEP_WAIT].n;
}

/* Why requests, or the answers to them, do not arrive; NULL: unknown. */
static gchar *reason_of(const struct saying *saying, const struct trouble_facts *facts, enum outcome outcome,
                        gchar **next)
{
    unsigned asker = facts->step_side[facts->ib || facts->rdma ? STEP_REQUEST : STEP_SYN];
    gchar *why = NULL;

    if (outcome == OUTCOME_INCOMPLETE)
        why = around_reason(saying, facts, asker ^ 1u, next);
    if (!why && (outcome == OUTCOME_INCOMPLETE || outcome == OUTCOME_UNANSWERED || outcome == OUTCOME_SYN_UNANSWERED))
        why = around_reason(saying, facts, asker, next);
    return why;
}

static void say_like(const struct saying *saying, const struct attempts *attempts)
{
    const struct trouble_facts *first = attempts->first;
    enum outcome outcome = attempts_outcome_of(first);
    struct endpoint to = first->end[first->opener ^ 1u];
    GString *text = g_string_new(NULL);
    const struct ulp_sought *elsewhere = sought_elsewhere(saying, to.port, attempts->asked.last.time_ns);
    char address[ENDPOINT_TEXT_SIZE];
    g_autofree gchar *server =
        g_strconcat(to.port == RPCBIND_PORT ? "rpcbind at " : "", endpoint_text(&to, address), NULL);
    g_autofree gchar *why = NULL;
    gchar *next = NULL;
    struct trouble *trouble;

    ways[outcome].say(text, attempts, server);
    if (elsewhere && to.port != 0 && to.port != RPCBIND_PORT)
        g_string_append_printf(text, "; rpcbind said in frame %" PRIu32 " that %s has port %" PRIu16 " for %s",
                               elsewhere->answered.frame, elsewhere->program, elsewhere->port, elsewhere->transport);
    why = reason_of(saying, first, outcome, &next);
    if (why)
        g_string_append_printf(text, "; %s", why);
    trouble = say(saying, ways[outcome].kind, first, attempts->asked.first, g_string_free(text, FALSE));
    say_next(trouble, next ? next : ways[outcome].next(saying, attempts));
    /* A refusal ends an attempt. Repeated requests without an answer are one attempt. */
    trouble->count =
        outcome == OUTCOME_REJECTED || outcome == OUTCOME_SYN_REFUSED ? attempts->asked.n : attempts->connections;
    trouble->time = time_from(attempts->asked.first.time_ns, attempts->asked.last.time_ns);
    for (guint i = 0; i < attempts->members->len; i++)
        say_also(trouble, g_ptr_array_index(attempts->members, i));
}

static struct attempts *attempts_like(struct attempts *all, unsigned *n, const struct trouble_facts *facts)
{
    for (unsigned i = 0; i < *n; i++)
        if (alike(all[i].first, facts))
            return &all[i];
    if (*n == ATTEMPTS_MAX)
        return NULL;
    all[*n].members = g_ptr_array_new();
    return &all[(*n)++];
}

/* The client continued with a lower revision, as RFC 6581 section 10 allows, and was served. */
static bool fell_back(const struct saying *saying, const struct trouble_facts *facts)
{
    for (guint i = 0; i < saying->facts->len && attempts_outcome_of(facts) == OUTCOME_DROPPED; i++) {
        const struct trouble_facts *later = facts_at(saying, i);

        if (is_established(later) && later->first.time_ns >= facts->first.time_ns && later->revision > 0 &&
            later->revision < facts->revision &&
            later->end[later->opener ^ 1u].port == facts->end[facts->opener ^ 1u].port)
            return true;
    }
    return false;
}

static void say_failed(const struct saying *saying)
{
    struct attempts all[ATTEMPTS_MAX] = {0};
    unsigned n = 0;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        struct attempts *like;

        if (attempts_outcome_of(facts) == OUTCOME_FINE || !is_for_rdma(saying, facts) || fell_back(saying, facts))
            continue;
        like = attempts_like(all, &n, facts);
        if (like)
            add_attempt(like, facts);
    }
    for (unsigned i = 0; i < n; i++) {
        say_like(saying, &all[i]);
        g_ptr_array_unref(all[i].members);
    }
}

/* ---- replies that come too late ---- */

static void say_late(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct trouble_event *asked = &facts->step[STEP_REQUEST].first, *replied = &facts->step[STEP_REPLY].first;
    uint64_t time = time_from(asked->time_ns, replied->time_ns);
    g_autofree gchar *ending = NULL;
    struct trouble *trouble;
    char text[UNITS_SIZE];

    if (!facts->rdma || facts->parts > 0 || facts->step[STEP_REQUEST].n == 0 || facts->step[STEP_REPLY].n == 0 ||
        facts->step[STEP_REJECT].n > 0 || time < patience_ns || !has_ended(facts))
        return;
    ending = ending_text(facts);
    trouble =
        say(saying, TROUBLE_LATE_REPLY, facts, *replied,
            g_strdup_printf("the %s came %s after the Request in frame %" PRIu32 ", too late: %s",
                            facts->ib ? "ConnectReply" : "MPA Reply", units_time(time, text), asked->frame, ending));
    trouble->time = time;
    say_next(trouble, g_strdup_printf("look at what delays the answer of %s, and at the timeout of %s",
                                      side_name(facts, facts->opener ^ 1u), side_name(facts, facts->opener)));
}

/* ---- another way ---- */

static bool attempts_any_failed(const struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (attempts_outcome_of(facts_at(saying, i)) != OUTCOME_FINE && is_for_rdma(saying, facts_at(saying, i)))
            return true;
    for (guint i = 0; i < saying->facts->len; i++)
        if (sought_in_vain(saying, facts_at(saying, i)) && facts_at(saying, i)->sought->rdma)
            return true;
    return false;
}

static void attempts_say_plain(const struct saying *saying)
{
    struct trouble *trouble = NULL;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        struct endpoint to = facts->end[facts->opener ^ 1u];
        char server[ENDPOINT_TEXT_SIZE];

        if (!facts->plain || trouble)
            continue;
        trouble = say(saying, TROUBLE_PLAIN_TCP, facts, facts->plain_call,
                      g_strdup_printf("%s over plain TCP to %s: RDMA is not in use there", facts->plain,
                                      endpoint_text(&to, server)));
        say_next(trouble, g_strdup(attempts_any_failed(saying) ? "RDMA was tried, and failed: see the line above"
                                                               : "mount with proto=rdma, and look at /proc/mounts"));
    }
}

void say_attempts(const struct saying *saying)
{
    say_failed(saying);
    for (guint i = 0; i < saying->facts->len; i++)
        say_late(saying, facts_at(saying, i));
    attempts_say_plain(saying);
}

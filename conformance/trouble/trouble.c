// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/trouble.h"

#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"
#include "support/utc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FACTS_KEPT_MAX = 16384,
    STRANGERS_KEPT_MAX =
        FACTS_KEPT_MAX / 4, /* connections without RDMA, limited so that they do not displace RDMA connections */
    TROUBLES_MAX = 1000,
    STRANGERS_FEW = 4,
    SOUGHT_MAX = 1024, /* the latest */
    COPIES_FEW = 3,
    COPIES_SHARE = 100
};

/* ---- kinds ---- */

/* one, more: for the headline; %s is the number, or the duration. Notes without these are not in the headline. */
static const struct {
    const char *name, *one, *more;
    bool note, lasts;
} kinds[TROUBLE_KINDS] = {
    [TROUBLE_CALL_LOOP] = {"call-loop", "%s Call was never answered", "", false, false}, /* see troubles_headline() */
    [TROUBLE_CALL_UNANSWERED] = {"call-unanswered", "%s Call was never answered", "%s Calls were never answered", false,
                                 false},
    [TROUBLE_REPLY_REFUSED] = {"reply-refused", "%s Reply was refused", "%s Replies were refused", false, false},
    [TROUBLE_REPLY_UNDELIVERED] = {"reply-not-delivered", "%s Reply never arrived", "%s Replies never arrived", false,
                                   false},
    [TROUBLE_OUTAGE] = {"outage", "no service for %s", "no service for %s", false, true},
    [TROUBLE_SIZE] = {"size-dependent-loss", "large packets never arrived", "large packets never arrived", false,
                      false},
    [TROUBLE_WINDOW] = {"closed-window", "a TCP window was closed for %s", "a TCP window was closed for %s", false,
                        true},
    [TROUBLE_PSN] = {"wrong-psn", "a connection began with the wrong PSN", "connections began with the wrong PSN",
                     false, false},
    [TROUBLE_NOT_READY] = {"receiver-not-ready", "a receiver was not ready %s time",
                           "a receiver was not ready %s times", false, false},
    [TROUBLE_READ_CONTINUED] = {"read-continued", "a Read was continued without a response",
                                "a Read was continued without a response", false, false},
    [TROUBLE_DIFFERS] = {"data-differs", "%s READ did not return what was written",
                         "%s READs did not return what was written", true, false},
    [TROUBLE_OWED] = {"owed", "%s COPY or recall was never finished", "%s COPYs or recalls were never finished", false,
                      false},
    [TROUBLE_CALLBACKS_DOWN] = {"callback-path-down", "the callback path is down", "the callback path is down", false,
                                false},
    [TROUBLE_SERVER_BUSY] = {"server-busy", "the server asked to try again for %s",
                             "the server asked to try again for %s", false, true},
    [TROUBLE_MOUNT] = {"mount-refused", "the mount failed", "the mount failed", false, false},
    [TROUBLE_STATE] = {"state-disagreement", "client and server disagree about state",
                       "client and server disagree about state", false, false},
    [TROUBLE_REPEATED] = {"request-repeated", "a request failed %s time in the same way",
                          "requests failed %s times in the same way", false, false},
    [TROUBLE_CALL_FAILED] = {"call-failed", "%s Call failed on the server", "%s Calls failed on the server", false,
                             false},
    [TROUBLE_OPERATION_REFUSED] = {"operation-refused", "%s operation was refused", "%s operations were refused", false,
                                   false},
    [TROUBLE_NO_ANSWER] = {"connect-no-answer", "%s attempt to connect was not answered",
                           "%s attempts to connect were not answered", false, false},
    [TROUBLE_REFUSED] = {"connect-refused", "%s attempt to connect was refused", "%s attempts to connect were refused",
                         false, false},
    [TROUBLE_REJECTED] = {"connect-rejected", "%s attempt to connect was rejected",
                          "%s attempts to connect were rejected", false, false},
    [TROUBLE_INCOMPLETE] = {"connect-incomplete", "%s handshake was never completed",
                            "%s handshakes were never completed", false, false},
    [TROUBLE_LATE_REPLY] = {"connect-late-reply", "the answer to %s attempt to connect came too late",
                            "the answers to %s attempts to connect came too late", false, false},
    [TROUBLE_NOT_REGISTERED] = {"not-registered", "rpcbind says that the service is not registered",
                                "rpcbind says that services are not registered", false, false},
    [TROUBLE_RPCBIND_SILENT] = {"rpcbind-no-answer", "rpcbind did not answer", "rpcbind did not answer", false, false},
    [TROUBLE_EMPTY] = {"connection-empty", "%s connection ended without a message",
                       "%s connections ended without a message", false, false},
    [TROUBLE_PLAIN_TCP] = {"plain-tcp", "a connection went over plain TCP, without RDMA",
                           "connections went over plain TCP, without RDMA", false, false},
    [TROUBLE_ERROR] = {"answered-with-error", "", "", true, false},
    [TROUBLE_SLOW] = {"slow-answer", "slow: a Call took %s", "slow: a Call took %s", true, true},
    [TROUBLE_STALL] = {"sent-again-late", "slow: lost packets cost %s", "slow: lost packets cost %s", true, true},
    [TROUBLE_DELAYED_ACK] = {"delayed-ack", "slow: delayed ACKs cost %s", "slow: delayed ACKs cost %s", true, true},
    [TROUBLE_CONGESTION] = {"congestion", "slow: the network is congested", "slow: the network is congested", true,
                            false},
    [TROUBLE_OUTSTANDING] = {"call-outstanding", "%s Call was not answered when the capture ended",
                             "%s Calls were not answered when the capture ended", true, false},
    [TROUBLE_WAITED] = {"receiver-waited-for", "slow: a receiver was not ready %s time",
                        "slow: a receiver was not ready %s times", true, false},
    [TROUBLE_PAUSED] = {"paused", "slow: pause frames cost %s", "slow: pause frames cost %s", true, true},
    [TROUBLE_CLASSES] = {"traffic-classes", "", "", true, false},
    [TROUBLE_CUT] = {"cut-packets", "packets are cut", "packets are cut", true, false},
    [TROUBLE_COPIES] = {"copies", "", "", true, false},
    [TROUBLE_ONE_DIRECTION] = {"one-direction", "only one direction was captured", "only one direction was captured",
                               true, false},
    [TROUBLE_LEFT_OUT] = {"left-out", "", "", true, false},
};

const char *trouble_kind_name(enum trouble_kind kind)
{
    return kinds[kind].name;
}

enum trouble_kind trouble_kind_of(const char *name)
{
    unsigned kind = 0;

    while (kind < TROUBLE_KINDS && g_strcmp0(kinds[kind].name, name) != 0)
        kind++;
    return (enum trouble_kind)kind;
}

bool trouble_is_note(enum trouble_kind kind)
{
    return kinds[kind].note;
}

bool trouble_fails(const struct trouble *trouble)
{
    return !kinds[trouble->kind].note && !trouble->known;
}

bool trouble_is_about(const struct trouble *trouble, uint32_t connection)
{
    if (trouble->kind == TROUBLE_COPIES || trouble->kind == TROUBLE_ONE_DIRECTION || trouble->kind == TROUBLE_LEFT_OUT)
        return false;
    for (guint i = 0; i < trouble->connections->len; i++)
        if (g_array_index(trouble->connections, uint32_t, i) == connection)
            return true;
    return false;
}

/* ---- the list ---- */

static void free_trouble(gpointer pointer)
{
    struct trouble *trouble = pointer;

    g_free(trouble->client);
    g_free(trouble->server);
    g_free(trouble->words);
    g_free(trouble->next);
    g_array_unref(trouble->connections);
    g_free(trouble);
}

static void free_facts(gpointer facts)
{
    trouble_facts_free(facts);
}

struct troubles *troubles_new(void)
{
    struct troubles *troubles = g_new0(struct troubles, 1);

    troubles->list = g_ptr_array_new_with_free_func(free_trouble);
    troubles->facts = g_ptr_array_new_with_free_func(free_facts);
    troubles->around = around_new();
    return troubles;
}

void troubles_free(struct troubles *troubles)
{
    g_ptr_array_unref(troubles->list);
    g_ptr_array_unref(troubles->facts);
    around_free(troubles->around);
    g_free(troubles);
}

void troubles_take(struct troubles *troubles, struct trouble_facts *facts)
{
    troubles->calls += facts->calls;
    troubles->answers += facts->answers;
    troubles->holes |= facts->hole && facts->rdma;
    if (troubles->facts->len < FACTS_KEPT_MAX && (facts->rdma || troubles->strangers < STRANGERS_KEPT_MAX)) {
        troubles->strangers += !facts->rdma;
        g_ptr_array_add(troubles->facts, facts);
        return;
    }
    troubles->left_out++;
    trouble_facts_free(facts);
}

void troubles_sought(struct troubles *troubles, GPtrArray *facts)
{
    guint from = facts->len > SOUGHT_MAX ? facts->len - SOUGHT_MAX : 0;

    for (guint i = troubles->facts->len; i-- > 0;)
        if (((const struct trouble_facts *)g_ptr_array_index(troubles->facts, i))->sought)
            g_ptr_array_remove_index_fast(troubles->facts, i);
    troubles->sought = facts->len - from;
    troubles->sought_left_out = from;
    while (facts->len > from)
        g_ptr_array_add(troubles->facts, g_ptr_array_steal_index_fast(facts, facts->len - 1));
}

struct trouble *troubles_add(struct troubles *troubles, const struct trouble *trouble)
{
    struct trouble *added = g_memdup2(trouble, sizeof *trouble);

    added->client = g_strdup(trouble->client);
    added->server = g_strdup(trouble->server);
    added->words = g_strdup(trouble->words);
    added->next = g_strdup(trouble->next);
    added->connections = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(troubles->list, added);
    return added;
}

bool troubles_any(const struct troubles *troubles)
{
    for (guint i = 0; i < troubles->list->len; i++)
        if (!kinds[((const struct trouble *)g_ptr_array_index(troubles->list, i))->kind].note)
            return true;
    return false;
}

bool troubles_any_fails(const struct troubles *troubles)
{
    for (guint i = 0; i < troubles->list->len; i++)
        if (trouble_fails(g_ptr_array_index(troubles->list, i)))
            return true;
    return false;
}

/* ---- clients and servers ---- */

static const struct endpoint *trouble_list_client_of(const struct trouble_facts *facts)
{
    return &facts->end[facts->opener & 1u];
}

static const struct endpoint *server_of(const struct trouble_facts *facts)
{
    return &facts->end[(facts->opener & 1u) ^ 1u];
}

static bool same_host(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip == b->ip && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static int compare_hosts(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip != b->ip ? (a->ip < b->ip ? -1 : 1) : memcmp(a->address, b->address, sizeof a->address);
}

static gint by_hosts(gconstpointer a, gconstpointer b)
{
    const struct trouble_facts *const *first = a, *const *second = b;
    int order = compare_hosts(trouble_list_client_of(*first), trouble_list_client_of(*second));

    if (order == 0)
        order = compare_hosts(server_of(*first), server_of(*second));
    if (order == 0)
        order = (*first)->first.frame < (*second)->first.frame ? -1 : 1;
    return order;
}

static uint16_t trouble_list_port_of(const struct saying *saying, bool rdma)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if ((!rdma || facts_at(saying, i)->rdma) && server_of(facts_at(saying, i))->port != 0)
            return server_of(facts_at(saying, i))->port;
    return 0;
}

static void trouble_list_say_all(struct saying *saying)
{
    saying->client = *trouble_list_client_of(facts_at(saying, 0));
    saying->server = *server_of(facts_at(saying, 0));
    saying->client.port = 0;
    saying->alone = saying->facts->len == saying->troubles->facts->len &&
                    saying->facts->len <= STRANGERS_FEW + saying->troubles->sought;
    saying->rdma_port = trouble_list_port_of(saying, true);
    saying->server.port = saying->rdma_port ? saying->rdma_port : trouble_list_port_of(saying, false);
    say_capture(saying);
    if (says_one_direction(saying))
        return;
    say_calls(saying);
    say_differs(saying);
    say_owed(saying);
    say_mount(saying);
    say_state(saying);
    say_outcome(saying);
    say_failures(saying);
    say_path(saying);
    say_around(saying);
    say_service(saying);
    say_attempts(saying);
    say_sought(saying);
    say_empty(saying);
    for (unsigned i = 0; i < saying->n_loops; i++)
        g_ptr_array_unref(saying->loop[i].members);
    saying->n_loops = 0;
    g_array_unref(saying->repeated);
    saying->refused = NULL;
    saying->stays = false;
}

/* Causes that leave Calls unanswered come first. */
static int trouble_list_rank_of(enum trouble_kind kind)
{
    static const int first[TROUBLE_KINDS] = {
        [TROUBLE_PSN] = -4, [TROUBLE_SIZE] = -3, [TROUBLE_WINDOW] = -2, [TROUBLE_READ_CONTINUED] = -1};

    return first[kind] != 0 ? first[kind] : (int)kind;
}

/* Each client and server is placed by its worst trouble. */
static gint trouble_list_by_rank(gconstpointer a, gconstpointer b)
{
    const struct trouble *const *first = a, *const *second = b;
    int one = trouble_list_rank_of((*first)->kind), other = trouble_list_rank_of((*second)->kind);

    if (one != other)
        return one < other ? -1 : 1;
    return (*first)->frame < (*second)->frame ? -1 : (*first)->frame > (*second)->frame;
}

bool trouble_same_pair(const struct trouble *a, const struct trouble *b)
{
    return strcmp(a->client, b->client) == 0 && strcmp(a->server, b->server) == 0;
}

/* Groups the trouble, sorted by rank, by client and server; the worst trouble of a group decides the group's place. */
static void gather_pairs(GPtrArray *list)
{
    for (guint i = 0; i + 1 < list->len; i++) {
        const struct trouble *here = g_ptr_array_index(list, i);

        for (guint j = i + 1; j < list->len; j++) {
            if (!trouble_same_pair(here, g_ptr_array_index(list, j)))
                continue;
            g_ptr_array_insert(list, (gint)i + 1, g_ptr_array_steal_index(list, j));
            break;
        }
    }
}

/* Belongs to the whole capture: listed with the first client and server. */
static struct trouble *say_of_all(struct troubles *troubles, enum trouble_kind kind, struct trouble_event event,
                                  uint64_t count, gchar *words)
{
    const struct trouble_facts *first = g_ptr_array_index(troubles->facts, 0);
    struct saying saying = {
        .troubles = troubles, .client = *trouble_list_client_of(first), .server = *server_of(first)};
    struct trouble *trouble;

    saying.client.port = 0;
    trouble = say(&saying, kind, first, event, words);
    trouble->count = count;
    return trouble;
}

static void say_copies(struct troubles *troubles)
{
    const struct trouble_copies *copies = &troubles->copies;
    uint64_t others = copies->packets - MIN(copies->n, copies->packets);
    char apart[UNITS_SIZE];
    gchar *words;

    if (copies->two_points) {
        words = g_strdup_printf("captured at two points: %" PRIu64 " of %" PRIu64 " packets are there twice, up to %s "
                                "apart; the first copy of each packet is judged, the second is left out",
                                copies->n, copies->packets, units_time((uint64_t)copies->apart_ns, apart));
        say_next(say_of_all(troubles, TROUBLE_COPIES, copies->first, copies->n, words),
                 g_strdup("the times are those of two clocks: check the captures of client and server one by one to "
                          "see what each of them waited for"));
        return;
    }
    if (copies->n < COPIES_FEW || copies->n < copies->packets / COPIES_SHARE || others == 0)
        return;
    if (copies->n >= others - others / 8)
        words = g_strdup_printf("each packet was captured %.0f times: %" PRIu64
                                " copies are left out; the capture was made on several ports or interfaces",
                                (double)copies->packets / (double)others, copies->n);
    else
        words = g_strdup_printf("%" PRIu64 " of %" PRIu64 " packets are copies of others, made by the capture or the "
                                "network, and are left out",
                                copies->n, copies->packets);
    say_next(say_of_all(troubles, TROUBLE_COPIES, copies->first, copies->n, words),
             g_strdup("editcap -d removes them for other programs"));
}

static void say_left_out(struct troubles *troubles)
{
    uint64_t lines = troubles->list->len > TROUBLES_MAX ? troubles->list->len - TROUBLES_MAX : 0;
    struct trouble_event first = ((const struct trouble_facts *)g_ptr_array_index(troubles->facts, 0))->first;

    if (lines > 0)
        g_ptr_array_set_size(troubles->list, TROUBLES_MAX);
    if (lines > 0)
        say_of_all(troubles, TROUBLE_LEFT_OUT, first, lines,
                   g_strdup_printf("%" PRIu64 " less serious lines are left out", lines));
    if (troubles->left_out > 0)
        say_of_all(troubles, TROUBLE_LEFT_OUT, first, troubles->left_out,
                   g_strdup_printf("there was no room to record %" PRIu64
                                   " more connections: capture fewer connections at a time",
                                   troubles->left_out));
    if (troubles->sought_left_out > 0)
        say_of_all(
            troubles, TROUBLE_LEFT_OUT, first, troubles->sought_left_out,
            g_strdup_printf("there was no room to record %u more questions to rpcbind: capture fewer clients at a time",
                            troubles->sought_left_out));
}

void troubles_conclude(struct troubles *troubles)
{
    struct saying saying = {.troubles = troubles, .facts = g_ptr_array_new()};
    GPtrArray *facts = troubles->facts;

    g_ptr_array_set_size(troubles->list, 0);
    troubles->again = 0;
    g_ptr_array_sort(facts, by_hosts);
    if (facts->len > 0)
        say_copies(troubles);
    for (guint i = 0; i < facts->len; i++) {
        struct trouble_facts *here = g_ptr_array_index(facts, i);
        const struct trouble_facts *next = i + 1 < facts->len ? g_ptr_array_index(facts, i + 1) : NULL;

        here->around = troubles->around ? around_find(troubles->around, &here->end[0], &here->end[1]) : NULL;
        g_ptr_array_add(saying.facts, here);
        if (next && same_host(trouble_list_client_of(here), trouble_list_client_of(next)) &&
            same_host(server_of(here), server_of(next)))
            continue;
        trouble_list_say_all(&saying);
        g_ptr_array_set_size(saying.facts, 0);
    }
    g_ptr_array_unref(saying.facts);
    g_ptr_array_sort(troubles->list, trouble_list_by_rank);
    if (facts->len > 0)
        say_left_out(troubles);
    gather_pairs(troubles->list);
}

/* ---- words ---- */

gchar *trouble_clock(int64_t time_ns)
{
    g_autofree gchar *text = utc_text(time_ns, 3);

    return g_strndup(text + strlen("2026-11-21T"), strlen("07:34:50.123"));
}

const char *side_name(const struct trouble_facts *facts, unsigned side)
{
    return (side & 1u) == (facts->opener & 1u) ? "the client" : "the server";
}

gchar *ending_text(const struct trouble_facts *facts)
{
    const struct trouble_side *side = &facts->side[facts->closer];

    return g_strdup_printf("%s %s the connection in frame %" PRIu32, side_name(facts, facts->closer),
                           side->how == END_RESET ? "reset" : "closed", side->ended.frame);
}

struct trouble *say(const struct saying *saying, enum trouble_kind kind, const struct trouble_facts *facts,
                    struct trouble_event event, gchar *words)
{
    char client[ENDPOINT_TEXT_SIZE], server[ENDPOINT_TEXT_SIZE];
    struct trouble trouble = {.kind = kind,
                              .client = endpoint_text(&saying->client, client),
                              .server = endpoint_text(&saying->server, server),
                              .frame = event.frame,
                              .time_ns = event.time_ns,
                              .count = 1,
                              .words = words};
    struct trouble *added = troubles_add(saying->troubles, &trouble);

    g_free(words);
    say_also(added, facts);
    return added;
}

void say_next(struct trouble *trouble, gchar *next)
{
    g_free(trouble->next);
    trouble->next = next;
}

void say_also(struct trouble *trouble, const struct trouble_facts *facts)
{
    guint n = trouble->connections->len;

    if (facts->id != 0 && (n == 0 || g_array_index(trouble->connections, uint32_t, n - 1) != facts->id))
        g_array_append_val(trouble->connections, facts->id);
}

/* ---- the headline ---- */

/* All trouble of a kind. */
struct sum {
    uint64_t count, time;
    bool any, lasting;
};

enum { SUM_LASTING = TROUBLE_KINDS, SUMS }; /* an outage that lasts is graver than all else */

/* The gravest first. Kinds that are not here follow, in their order. */
static const unsigned gravest[] = {SUM_LASTING,           TROUBLE_CALL_LOOP,         TROUBLE_CALL_UNANSWERED,
                                   TROUBLE_REPLY_REFUSED, TROUBLE_REPLY_UNDELIVERED, TROUBLE_OUTAGE};

static void add_sum(struct sum *sums, const struct trouble *trouble)
{
    bool lasts = trouble->kind == TROUBLE_OUTAGE && trouble->lasting;
    struct sum *sum = &sums[lasts ? SUM_LASTING : trouble->kind];

    if (trouble->kind == TROUBLE_CALL_LOOP) {
        sum->time = MAX(sum->time, trouble->count); /* connections */
        sum->count++;
        sum->any = true;
        return;
    }
    sum->any |= *kinds[trouble->kind].one != '\0';
    sum->count += trouble->count;
    sum->time = MAX(sum->time, trouble->time);
}

/* The words for the sum of a kind. */
static void add_words(GString *text, unsigned of, const struct sum *sum)
{
    enum trouble_kind kind = of == SUM_LASTING ? TROUBLE_OUTAGE : (enum trouble_kind)of;
    const char *format = sum->count == 1 ? kinds[kind].one : kinds[kind].more, *place = strstr(format, "%s");
    char number[UNITS_SIZE];

    g_string_append(text, text->len > 0 ? ", " : "");
    if (kind == TROUBLE_CALL_LOOP) {
        g_string_append_printf(text, "%" PRIu64 " Call%s never answered, on %" PRIu64 " connections", sum->count,
                               sum->count == 1 ? " was" : "s were", sum->time);
        return;
    }
    if (!place) {
        g_string_append(text, format);
        return;
    }
    if (kinds[kind].lasts)
        units_time(sum->time, number);
    else
        snprintf(number, sizeof number, "%" PRIu64, sum->count);
    g_string_append_printf(text, "%.*s%s%s%s", (int)(place - format), format, of == SUM_LASTING ? "at least " : "",
                           number, place + 2);
}

static void add_in_order(GString *text, struct sum *sums, bool notes)
{
    enum { FACTS_NAMED = 2 };
    unsigned most = notes ? 1 : FACTS_NAMED;

    for (unsigned i = 0; i < G_N_ELEMENTS(gravest) + TROUBLE_KINDS && most > 0; i++) {
        unsigned of = i < G_N_ELEMENTS(gravest) ? gravest[i] : i - (unsigned)G_N_ELEMENTS(gravest);

        if (!sums[of].any || (of != SUM_LASTING && kinds[of].note != notes))
            continue;
        add_words(text, of, &sums[of]);
        sums[of].any = false;
        most--;
    }
}

gchar *troubles_headline(const struct troubles *const *of, unsigned n)
{
    struct sum sums[SUMS] = {0};
    bool fails = false; /* in that case known trouble is not the reason */
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < n; i++)
        fails |= troubles_any_fails(of[i]);
    for (unsigned i = 0; i < n; i++)
        for (guint k = 0; k < of[i]->list->len; k++) {
            const struct trouble *trouble = g_ptr_array_index(of[i]->list, k);

            if (!fails || !trouble->known)
                add_sum(sums, trouble);
        }
    if (sums[TROUBLE_CALL_LOOP].any) {
        sums[TROUBLE_CALL_LOOP].count += sums[TROUBLE_CALL_UNANSWERED].count;
        sums[TROUBLE_CALL_UNANSWERED].any = false;
    }
    add_in_order(text, sums, false);
    if (text->len == 0)
        add_in_order(text, sums, true);
    return g_string_free(text, text->len == 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a connection: the client asked rpcbind for the server's port. */
#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"

#include <inttypes.h>

/* An RDMA connection worked at this time or later: rpcbind's answer did no harm. */
static bool works_since(const struct saying *saying, int64_t time_ns)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (is_established(facts_at(saying, i)) && end_of(facts_at(saying, i)) >= time_ns)
            return true;
    return false;
}

static bool works_without_rdma(const struct saying *saying, int64_t time_ns)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (facts_at(saying, i)->plain && facts_at(saying, i)->plain_call.time_ns >= time_ns)
            return true;
    return false;
}

/* RDMA is in use between the two hosts, or was tried. */
static bool any_rdma(const struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (facts_at(saying, i)->rdma || facts_at(saying, i)->usual_port)
            return true;
    return false;
}

bool rpcbind_matters(const struct saying *saying, int64_t time_ns)
{
    return (saying->alone || any_rdma(saying)) && !works_since(saying, time_ns) && !works_without_rdma(saying, time_ns);
}

gchar *rpcbind_is_not_needed(const struct trouble_facts *facts, const char *advice)
{
    return facts->where ? g_strdup_printf("%s; %s: a mount that names the port does not ask", advice, facts->where)
                        : g_strdup(advice);
}

/* The client also tried to connect, and no packet of the server was captured: one direction may be missing. */
static bool server_is_unseen(const struct saying *saying)
{
    bool tried = false;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (facts->side[(facts->opener & 1u) ^ 1u].packets > 0)
            return false;
        tried |= !facts->sought;
    }
    return tried;
}

bool sought_in_vain(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct ulp_sought *sought = facts->sought;

    if (!sought || sought->how == ULP_SOUGHT_FOUND ||
        (sought->how == ULP_SOUGHT_UNANSWERED && server_is_unseen(saying)))
        return false;
    return sought->rdma ? !works_since(saying, sought->asked.time_ns) : rpcbind_matters(saying, INT64_MIN);
}

static void say_lacking(const struct saying *saying, const struct trouble_facts *facts, const char *server)
{
    const struct ulp_sought *sought = facts->sought;
    struct trouble *trouble =
        say(saying, TROUBLE_NOT_REGISTERED, facts, facts->first,
            g_strdup_printf("rpcbind on %s says in frame %" PRIu32
                            " that %s is not registered for %s (asked in frame %" PRIu32 ")",
                            server, sought->answered.frame, sought->program, sought->transport, sought->asked.frame));
    g_autofree gchar *advice = g_strdup_printf(
        "%s rpcinfo %s lists what is registered",
        sought->rdma && facts->enable ? how_to_enable(saying, facts) : "does the server run it?", server);

    say_next(trouble, sought->rdma ? rpcbind_is_not_needed(facts, advice) : g_steal_pointer(&advice));
}

static void say_silent(const struct saying *saying, const struct trouble_facts *facts, const char *server)
{
    const struct ulp_sought *sought = facts->sought;
    char time[UNITS_SIZE];
    struct trouble *trouble =
        say(saying, TROUBLE_RPCBIND_SILENT, facts, facts->first,
            g_strdup_printf("rpcbind on %s does not answer: asked for %s for %s %" PRIu32 " times in %s", server,
                            sought->program, sought->transport, sought->times,
                            units_time(time_from(sought->asked.time_ns, sought->asked_last.time_ns), time)));

    say_next(trouble, rpcbind_is_not_needed(facts, "does rpcbind run there, and do firewalls pass port 111?"));
}

void say_sought(const struct saying *saying)
{
    struct endpoint address = saying->server;
    char server[ENDPOINT_TEXT_SIZE];

    address.port = 0;
    endpoint_text(&address, server);
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (!sought_in_vain(saying, facts))
            continue;
        if (facts->sought->how == ULP_SOUGHT_LACKING)
            say_lacking(saying, facts, server);
        else
            say_silent(saying, facts, server);
    }
}

const struct ulp_sought *sought_elsewhere(const struct saying *saying, uint16_t port, int64_t time_ns)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct ulp_sought *sought = facts_at(saying, i)->sought;

        if (sought && sought->rdma && sought->how == ULP_SOUGHT_FOUND && sought->port != 0 && sought->port != port &&
            sought->answered.time_ns <= time_ns)
            return sought;
    }
    return NULL;
}

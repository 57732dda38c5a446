// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/connection.h"

#include "plugins/common/iwarp.h"
#include "plugins/common/passed.h"

#include "engine/stack/ulps.h"

#include <epan/wmem_scopes.h>

/* The plugin does not report how often a rule passed, so all connections share the counters. */
static struct rule_counts counts;

const struct passed *passed_now;

/* ---- options ---- */

/* Presumed in place of RPC-over-RDMA: needs no events. */
static void *begin_nobody(const struct ulp_host *host)
{
    return arena_zeroed(host->arena, 1);
}

static const struct ulp_kind nobody = {.name = "unknown", .title = "unknown", .begin = begin_nobody};

static const struct ulp_kind *const *kinds_without_rpcrdma(void)
{
    static const struct ulp_kind *kinds[ULP_KINDS_MAX] = {&nobody};

    for (unsigned i = 1; i < ULP_KINDS_MAX - 1 && ulps[i]; i++)
        kinds[i] = ulps[i];
    return kinds;
}

void connection_options(struct stack_options *options, const struct ulp_own *rpcrdma, bool payload_only)
{
    struct mpa_options mpa;

    mpa_options_init(&mpa);
    mpa.payload_only = payload_only;
    stack_options_init(options, &mpa);
    options->own = rpcrdma;
    if (!rpcrdma)
        options->ulps = kinds_without_rpcrdma();
}

/* ---- life ---- */

/*
 * Where connections alternate, the memory of each is close together, in large pages (engine/core/pages.h). Not for
 * InfiniBand, whose state is too small to fill a block.
 */
static struct arena_pool pool;
static unsigned alive; /* connections with a stack */

/* The engine allocates from the C library, so its memory must be released by the time Wireshark closes the file. */
static compat_bool connection_release(wmem_allocator_t *allocator, wmem_cb_event_t event, void *ctx)
{
    (void)allocator;
    (void)event;
    connection_over(ctx);
    if (alive == 0)
        arena_pool_free(&pool);
    return 0;
}

bool connection_begin(struct connection *connection, const struct stack_setup *setup,
                      void (*on_finding)(void *connection, const struct finding *finding))
{
    struct stack_setup own = *setup;

    own.ctx = connection;
    own.pool = setup->options->first == STACK_TCP ? &pool : NULL;
    own.verdict = &connection->verdict;
    connection->verdict =
        (struct verdict){.counts = &counts, .off = !iwarp_judges(), .finding = on_finding, .ctx = connection};
    verdict_mute(&connection->verdict, false);
    connection->stack = stack_new(&own);
    if (!connection->stack)
        return false;
    alive++;
    wmem_register_callback(wmem_file_scope(), connection_release, connection);
    return true;
}

size_t connection_octets(const struct connection *connection)
{
    return connection->stack ? stack_size(connection->stack) : 0;
}

void connection_over(struct connection *connection)
{
    alive -= connection->stack != NULL;
    stack_free(connection->stack);
    connection->stack = NULL;
}

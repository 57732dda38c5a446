// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/rpc/reuse.h"

#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/talk/talk_port.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

/* A connection without a case: the members of both that belong to it. */
struct line {
    struct rpc_talker talker;
    struct talk *talk;
};

struct reuse *reuse_new(bool on)
{
    struct reuse *reuse = g_new0(struct reuse, 1);

    g_mutex_init(&reuse->lock);
    reuse->on = on;
    reuse->lines = g_ptr_array_new();
    return reuse;
}

void reuse_free(struct reuse *reuse)
{
    if (!reuse)
        return;
    g_ptr_array_unref(reuse->lines);
    g_mutex_clear(&reuse->lock);
    g_free(reuse);
}

bool reuse_is_on(const struct talk_run *run)
{
    return run->reuse && run->dut == DUT_RESPONDER && g_atomic_int_get(&run->reuse->on);
}

static guint waiting(struct reuse *reuse)
{
    guint n;

    g_mutex_lock(&reuse->lock);
    n = reuse->lines->len;
    g_mutex_unlock(&reuse->lock);
    return n;
}

bool reuse_waits(const struct talk_run *run)
{
    return reuse_is_on(run) && waiting(run->reuse) > 0;
}

void reuse_tires(struct talk_run *run)
{
    if (!run->reuse || g_atomic_int_get(&run->reuse->on) || !g_atomic_int_compare_and_exchange(&run->reuse->told, 0, 1))
        return;
    g_printerr(
        "iwarp-gen: the device refused a connection for a while, for no reason that a case gave: cases share one "
        "from here on (--reuse); --connections-per-second gives it more time\n");
    g_atomic_int_set(&run->reuse->on, 1);
}

/* ---- from one case to the next ---- */

/* The case has no remaining effect: it passed, all its Calls are answered, and the connection is as before. */
static bool reuse_may_go_on(const struct rpc_talker *talker)
{
    return talker->is_usual && talker->open && talker->end && !talker->fed_end && !talker->terminated &&
           rpc_end_outstanding(talker->end) == 0 && qp_pending(rpc_end_qp(talker->end)) == 0 &&
           talk_may_hand_over(talker->talk);
}

static void move_end(struct rpc_talker *to, struct rpc_talker *from)
{
    to->port = from->port;
    to->line.state = from->line.state;
    to->line.up = from->line.up;
    to->end = from->end;
    to->open = from->open;
    to->peer = from->peer;
    to->grant = from->grant;
    to->memory = from->memory;
    to->server.credits = from->server.credits;
    from->line.state = NULL;
    from->end = NULL;
    from->memory.region = NULL;
    from->open = from->line.up = false;
    rpc_end_hand_over(to->end, to);
    if (to->port->handed_over)
        to->port->handed_over(to);
}

bool reuse_put(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;
    struct reuse *reuse = talk_job(talk)->run->reuse;
    struct line *line;

    if (!reuse_is_on(talk_job(talk)->run) || !reuse_may_go_on(talker))
        return false;
    line = g_new0(struct line, 1);
    line->talk = talk_begin_job(talk_job(talk)->run, NULL, 1, NULL);
    talk_hand_over(line->talk, talk);
    line->talker.talk = line->talk;
    move_end(&line->talker, talker);
    g_mutex_lock(&reuse->lock);
    g_ptr_array_add(reuse->lines, line);
    g_mutex_unlock(&reuse->lock);
    return true;
}

static struct line *take_line(struct reuse *reuse)
{
    struct line *line = NULL;

    g_mutex_lock(&reuse->lock);
    if (reuse->lines->len > 0)
        line = g_ptr_array_steal_index(reuse->lines, reuse->lines->len - 1);
    g_mutex_unlock(&reuse->lock);
    return line;
}

static void reuse_give(struct line *line, struct rpc_talker *talker)
{
    talk_hand_over(talker->talk, line->talk);
    move_end(talker, &line->talker);
    talk_end_job(line->talk);
    g_free(line);
}

/* An earlier case has used our memory, and the device may have invalidated it. */
static void offer_anew(struct rpc_talker *talker)
{
    struct memory *memory = rpc_end_memory(talker->end);

    memory_invalidate(memory, talker->memory.stag_read);
    memory_invalidate(memory, talker->memory.stag_write);
    rpc_talker_offer(talker);
}

bool reuse_take(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;
    struct talk_run *run = talk_job(talk)->run;
    struct line *line = reuse_is_on(run) ? take_line(run->reuse) : NULL;

    if (!line)
        return false;
    talk_renew(talk);
    reuse_give(line, talker);
    rpc_talker_listen(talker);
    offer_anew(talker);
    talk_note(talk, talk_is_initiator(talk), NULL, 0, "goes on with the connection of an earlier case");
    return true;
}

void reuse_end(struct talk_run *run)
{
    struct line *line;

    if (!run->reuse)
        return;
    while ((line = take_line(run->reuse))) {
        struct rpc_talker talker = {.talk = talk_begin_job(run, NULL, 1, NULL)};

        reuse_give(line, &talker);
        rpc_talker_let_go(&talker);
        talk_end_job(talker.talk);
    }
}

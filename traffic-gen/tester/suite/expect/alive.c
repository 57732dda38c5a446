// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/expect/alive.h"

#include "traffic-gen/tester/suite/expect/learn_device.h"
#include "traffic-gen/tester/suite/expect/life.h"
#include "traffic-gen/tester/suite/rpc/reuse.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

enum { QUEUED_MAX = 3, ONE_BAD_LUCK = 1, SELDOM = 20 /* in this many checks one failure may be bad luck */ };

/* A silence counts after this time for a Read, and after a longer time for a Request. */
static const int64_t sure_ns = 2 * INT64_C(1000000000);
static const int64_t pause_ns = 50 * INT64_C(1000000), stay_ns = 100 * INT64_C(1000000);

const char *const device_life_names[DEVICE_LIVES] = {
    [DEVICE_ALIVE] = "alive",     [DEVICE_REFUSES] = "refuses", [DEVICE_VANISHED] = "vanished",
    [DEVICE_REJECTS] = "rejects", [DEVICE_HANGS] = "hangs",     [DEVICE_IDLES] = "idles",
    [DEVICE_STOPPED] = "stopped",
};

const char *device_life_text(enum device_life life)
{
    static const char *const texts[DEVICE_LIVES] = {
        [DEVICE_ALIVE] = "the device is alive",
        [DEVICE_REFUSES] = "the device no longer accepts connections",
        [DEVICE_VANISHED] = "the device has vanished: nothing answers any more",
        [DEVICE_REJECTS] = "the device rejects the start-up that it accepted before",
        [DEVICE_HANGS] = "the device hangs: it accepts TCP connections but says nothing on them",
        [DEVICE_IDLES] = "the device negotiates, but no longer exchanges anything",
        [DEVICE_STOPPED] = "unknown: the run was stopped",
    };

    return texts[life];
}

/* Checks a device in full operation. A device without a sign of life is alive as long as it stays connected. */
static enum device_life alive_exchanges(struct talk *talk)
{
    const struct talk_job *job = talk_job(talk);

    if (!talk_is_initiator(talk) && job->run->speaks_first && !talk_first_fpdu(talk))
        return DEVICE_IDLES;
    if (talk_is_initiator(talk) && !talk_first_fpdu(talk))
        return DEVICE_IDLES;
    if (talk_usable_sign(talk) != SIGN_TCP)
        return life_probe(talk) == LIFE_ANSWERS ? DEVICE_ALIVE : DEVICE_IDLES;
    if (!talk_delivered(talk))
        return DEVICE_IDLES;
    talk_sleep(talk, stay_ns);
    /* A device sends without end: we stop with a reset. */
    return talk_is_open(talk) || job->flooded || job->run->leaves ? DEVICE_ALIVE : DEVICE_IDLES;
}

static enum device_life alive_look(struct talk *talk)
{
    const struct talk_job *job = talk_job(talk);
    const struct mpa_startup *theirs;

    if (job->run->rpc_port || reuse_waits(job->run))
        return look_by_calls(talk);
    if (!talk_open(talk))
        return job->open_error == ECONNREFUSED || job->open_error == ECONNRESET ? DEVICE_REFUSES : DEVICE_VANISHED;
    if (talk_is_initiator(talk))
        talk_send_frame(talk, NULL);
    theirs = talk_hear_frame(talk);
    if (!theirs)
        return talk_last(talk)->what == TALK_SILENCE ? DEVICE_HANGS : DEVICE_REJECTS;
    if (talk_is_initiator(talk) && theirs->flags & MPA_FLAG_R)
        return DEVICE_REJECTS;
    if (!talk_is_initiator(talk))
        talk_send_frame(talk, NULL);
    talk_begin_operation(talk);
    return alive_exchanges(talk);
}

static char *seen(struct talk *talk, enum device_life life)
{
    const char *actual = talk_actual(talk);

    if (life == DEVICE_REFUSES || life == DEVICE_VANISHED || talk_job(talk)->run->rpc_port)
        return g_strdup(actual ? actual : "no connection");
    return g_strdup(talk_found(talk));
}

/* A check has a meaning only when the device has shown whether it is alive. final: the device is not asked again. */
static void settle_open(gint *open, gint *counted, enum device_life life, bool final)
{
    gint n = g_atomic_int_get(open);

    if (life == DEVICE_ALIVE && g_atomic_int_compare_and_exchange(open, n, 0))
        g_atomic_int_add(counted, n);
    else if (life != DEVICE_ALIVE && final)
        g_atomic_int_set(open, 0); /* the device was dead */
}

/* failed: the device accepted the connection, but the check did not go as usual. */
static void settle_checks(struct talk_run *run, bool failed, enum device_life life, bool final)
{
    if (failed)
        g_atomic_int_inc(&run->open_checks);
    settle_open(&run->open_checks, &run->failed_checks, life, final);
    settle_open(&run->open_closes, &run->closed_checks, life, final);
}

static bool is_no_bad_luck(const struct talk_run *run, gint times)
{
    return times > ONE_BAD_LUCK && times * SELDOM > g_atomic_int_get(&run->checks);
}

bool device_closes_at_times(struct talk_run *run)
{
    return is_no_bad_luck(run, g_atomic_int_get(&run->closed_checks));
}

bool device_fails_at_times(struct talk_run *run)
{
    return is_no_bad_luck(run, g_atomic_int_get(&run->failed_checks));
}

/* Checks on one connection; *queued counts successive connections that waited in the queue. longer: of
 * talk_begin_job(). */
static enum device_life look_once(struct talk_run *run, int64_t patience, unsigned longer, bool counts,
                                  unsigned *queued, char **how)
{
    enum device_life life;
    struct talk *talk = talk_begin_job(run, NULL, longer, NULL);

    talk_set_patience(talk, patience);
    life = alive_look(talk);
    if (counts) {
        g_atomic_int_inc(&run->checks);
        if (life != DEVICE_ALIVE && talk_was_ended(talk))
            g_atomic_int_inc(&run->open_closes);
    }
    if (how) {
        g_free(*how);
        *how = seen(talk, life);
    }
    /* The device may have abandoned a connection that was queued: the next one may still work. */
    *queued = talk_job(talk)->queued ? *queued + 1 : 0;
    talk_end_job(talk);
    return suite_stopped ? DEVICE_STOPPED : life;
}

/* A device, or its machine, may be busy: the factor by which the last attempt waits longer. */
static unsigned longer_for(const struct talk_run *run, enum device_life life)
{
    const bool silent = life == DEVICE_HANGS || life == DEVICE_IDLES;

    return silent && run->t_react < sure_ns ? (unsigned)((sure_ns + run->t_react - 1) / run->t_react) : 1;
}

static enum device_life look_until(struct talk_run *run, int64_t grace, int64_t patience, bool *failed, char **how)
{
    int64_t until = talk_now() + grace;
    unsigned queued = 0, looks = 0;
    unsigned longer = 1;

    for (;;) {
        /* When a device recovers, only the first check shows how it treats connections. */
        enum device_life life = look_once(run, patience, longer, looks++ == 0, &queued, how);

        if (life == DEVICE_STOPPED || life == DEVICE_ALIVE)
            return life;
        *failed |= life == DEVICE_HANGS || life == DEVICE_IDLES || life == DEVICE_REJECTS;
        if (queued > 0 && run->jobs < 2)
            tcp_drop_waiting(run->listener);
        if (talk_now() >= until && (queued == 0 || queued > QUEUED_MAX)) {
            if (longer > 1 || longer_for(run, life) == 1)
                return life;
            longer = longer_for(run, life);
        }
        g_usleep((gulong)(pause_ns / 1000));
    }
}

enum device_life alive_check(struct talk_run *run, int64_t grace, int64_t patience, char **how)
{
    bool failed = false;
    const enum device_life life = look_until(run, grace, patience, &failed, how);

    if (life != DEVICE_STOPPED)
        settle_checks(run, failed, life, grace > 0);
    return life;
}

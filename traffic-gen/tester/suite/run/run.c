// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/run.h"

#include "support/stderr_line.h"
#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/run/case.h"
#include "traffic-gen/tester/suite/run/counterparts.h"
#include "traffic-gen/tester/suite/run/load.h"
#include "traffic-gen/tester/suite/run/user_command.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

struct trial {
    const struct chosen_case *chosen;
    const struct case_result *earlier; /* result of an earlier run that is kept */
    const struct case_result *death;   /* a death in an earlier run, to be confirmed: the first of its runs */
    GPtrArray *runs;                   /* struct case_result *: --repeat */
    struct case_result *result;        /* NULL: not finished */
    unsigned late;                     /* runs that do not count because we were late */
    bool again;                        /* restarted because the device had died before this case said anything */
};

/*
 * Threads run cases; after each case they check whether the device answers. If it does not, no thread begins another
 * case, and the last thread to finish settles the death. A case is innocent if the device was seen alive after it; the
 * others are suspects.
 */
struct crew {
    struct talk_run *run;
    const struct run_options *options;
    struct suite_report *report;
    struct trial *trials;
    guint n;
    GMutex lock; /* protects the members below, and trials without a thread */
    GCond changed;
    guint next, finished, failures;
    guint working;                   /* threads that run a case */
    bool alone;                      /* a thread runs, or waits to run, a case that must run alone */
    GPtrArray *suspects, *acquitted; /* struct trial * */
    const struct case_result *last;  /* the latest to finish */
    bool over;                       /* the device is dead for good, or --stop-after is reached */
    enum device_life life;
    int64_t saved_ns;
    GMutex seen_lock;     /* protects the members below */
    GHashTable *breached; /* const struct rule *: other rules that two runs of a case saw broken */
};

static bool suite_run_may_go_on(const struct crew *crew)
{
    return !crew->over && !suite_stopped;
}

/* ---- a case ---- */

enum { ORDINARY = 2 /* number of connections, the second right after the first */, LATE_MAX = 2 };

enum end { END_ALIVE, END_NO_ANSWER, END_CUT };

/* Number of these runs that saw it. */
static unsigned suite_run_times_seen(const GPtrArray *runs, const struct rule *rule)
{
    unsigned n = 0;

    for (guint i = 0; i < runs->len; i++) {
        const GPtrArray *observations = ((const struct case_result *)g_ptr_array_index(runs, i))->observations;
        bool seen = false;

        for (guint k = 0; k < observations->len && !seen; k++)
            seen = result_seen_rule(g_ptr_array_index(observations, k), false) == rule;
        n += seen;
    }
    return n;
}

/* The result has a breach of another rule, seen once, and no case saw it twice. */
static bool has_seen_once(struct crew *crew, const GPtrArray *runs)
{
    const bool wrong_layout = g_atomic_pointer_get(&crew->run->layout) != NULL;
    bool once = false;

    g_mutex_lock(&crew->seen_lock);
    for (guint i = 0; i < runs->len; i++) {
        const GPtrArray *observations = ((const struct case_result *)g_ptr_array_index(runs, i))->observations;

        for (guint k = 0; k < observations->len; k++) {
            const struct rule *rule = result_seen_rule(g_ptr_array_index(observations, k), wrong_layout);

            if (!rule || g_hash_table_contains(crew->breached, rule))
                continue;
            if (suite_run_times_seen(runs, rule) > 1)
                g_hash_table_add(crew->breached, (gpointer)rule);
            else
                once = true;
        }
    }
    g_mutex_unlock(&crew->seen_lock);
    return once;
}

/* A single run may have met a busy device or network: failures and other findings count only if they repeat. */
static bool is_to_be_confirmed(struct crew *crew, const struct trial *trial)
{
    const GPtrArray *runs = trial->runs;

    if (crew->options->repeat > 1 || runs->len == 0)
        return false;
    return (has_seen_once(crew, runs) || (case_result_failed(g_ptr_array_index(runs, 0)) && !case_agree(runs))) &&
           runs->len < crew->options->confirm;
}

/* A case must not affect other connections. loaded: all of them were busy when the case began. */
static void judge_load(struct load *load, bool loaded, struct case_result *result)
{
    g_autofree char *errors = NULL;

    if (!load)
        return;
    load_settle(load);
    errors = load_errors(load);
    if (!errors && (loaded || result->outcome != OUTCOME_PASSED))
        return;
    case_result_conclude(result, errors ? OUTCOME_FAILED : OUTCOME_INCONCLUSIVE, "%s; the case itself: %s, %s",
                         errors ? errors : "the device did not take all the other connections of --load",
                         case_outcome_names[result->outcome], result->actual);
}

/*
 * The device closed without a Terminate, and nobody listened for a while. Some devices need a pause after any
 * connection; a device that listens at once after an ordinary connection may have crashed and restarted.
 */
static void doubt_crash(const struct crew *crew, struct case_result *result)
{
    if (result->outcome != OUTCOME_PASSED || !result->mute || !result->away || crew->run->dut != DUT_RESPONDER)
        return;
    for (unsigned i = 0; i < ORDINARY; i++)
        if (alive_check(crew->run, 0, 0, NULL) != DEVICE_ALIVE)
            return;
    case_result_conclude(result, OUTCOME_INCONCLUSIVE,
                         "%s; then nobody listened for a while, as after no other connection: perhaps it crashed, and "
                         "was started again",
                         result->actual);
}

/* Connections without errors: two after a refusal, to recognise a device that closes every second connection. */
static bool answers_after(const struct crew *crew, const struct case_result *result)
{
    bool refused = result->shown == SHOWN_REFUSED || result->shown == SHOWN_START_UP_REFUSED;

    for (unsigned i = 0; i < (refused ? ORDINARY : 1); i++)
        if (alive_check(crew->run, 0, 0, NULL) != DEVICE_ALIVE)
            return false;
    return true;
}

/* A run in which we were late does not count, except the last of several. */
static void doubt_late(const struct crew *crew, struct trial *trial)
{
    struct case_result *result = g_ptr_array_index(trial->runs, trial->runs->len - 1);

    if (!case_was_late(crew->run, result) || result->outcome == OUTCOME_DIED)
        return;
    if (result->outcome == OUTCOME_PASSED) /* only its other findings are in doubt */
        g_ptr_array_set_size(result->observations, 0);
    else if (trial->late++ < (result->outcome == OUTCOME_FAILED ? LATE_MAX : 1))
        g_ptr_array_set_size(trial->runs, trial->runs->len - 1);
    else
        case_doubt_late(result);
}

/* Its remaining runs, until the device fails to answer after one. */
static enum end run_rest(struct crew *crew, struct trial *trial)
{
    while (trial->runs->len < crew->options->repeat || is_to_be_confirmed(crew, trial)) {
        unsigned again = trial->late + (crew->options->repeat == 1 ? trial->runs->len : 0);
        struct load *load = crew->options->load;
        bool loaded = !load || load_begin(load);
        struct case_result *result = case_run(crew->run, crew->options, trial->chosen, again);

        if (suite_stopped) { /* the run was cut short, and its findings are accidental */
            case_result_free(result);
            return END_CUT;
        }
        g_ptr_array_add(trial->runs, result);
        if (result->outcome == OUTCOME_NOT_APPLICABLE && result->ports->len == 0)
            return END_ALIVE; /* the device would be late again */
        judge_load(load, loaded, result);
        if (!answers_after(crew, result))
            return suite_stopped ? END_CUT : END_NO_ANSWER;
        doubt_crash(crew, result);
        doubt_late(crew, trial);
    }
    return END_ALIVE;
}

static const int64_t save_every_ns = 1000000000;

/* Saves the report so far; suite_run_collect() fills in the final report. */
static void suite_run_save(struct crew *crew)
{
    struct suite_report *report = crew->report;
    int64_t now = talk_now();

    if (!crew->options->saved || now - crew->saved_ns < save_every_ns)
        return;
    crew->saved_ns = now;
    for (guint i = 0; i < crew->n; i++) {
        const struct trial *trial = &crew->trials[i];
        const struct case_result *result = trial->result ? trial->result : trial->earlier;

        if (result)
            g_ptr_array_add(report->results, case_result_copy(result));
    }
    report->finished = report->results->len;
    report->state = g_strdup(device_life_names[DEVICE_STOPPED]);
    crew->options->saved(crew->options->ctx, report);
    g_clear_pointer(&report->state, g_free);
    g_ptr_array_set_size(report->results, 0);
}

/* The trial has a verdict. */
static void suite_run_finish(struct crew *crew, struct trial *trial)
{
    const bool believed = crew->options->repeat == 1 && crew->options->confirm == 1;
    struct case_result *result = trial->result = case_merge(trial->runs, believed);

    crew->finished++;
    crew->last = result;
    if (crew->options->judged)
        crew->options->judged(crew->options->ctx, result);
    if (case_result_failed(result) && !result->waived && ++crew->failures == crew->options->stop_after)
        crew->over = true;
    if (crew->options->finished)
        crew->options->finished(crew->options->ctx, crew->finished, crew->n, result);
    suite_run_save(crew);
}

/* ---- death ---- */

static struct case_result *last_of(const struct trial *trial)
{
    return g_ptr_array_index(trial->runs, trial->runs->len - 1);
}

static struct device_death *add_death(struct crew *crew, const char *how)
{
    g_autofree char *what = g_strdup_printf("%s (%s)", device_life_text(crew->life), how);

    return suite_report_add_death(crew->report, device_life_names[crew->life], what);
}

/* False: the device stays dead, and the run is over. */
static bool suite_run_revive(struct crew *crew, struct device_death *death)
{
    const struct run_options *options = crew->options;
    g_autofree char *device = g_strdup_printf("IWARP_DEVICE=%s", options->address),
                    *state = g_strdup_printf("IWARP_STATE=%s", death->state),
                    *name = g_strdup_printf("IWARP_CASE=%s", (const char *)g_ptr_array_index(death->cases, 0)),
                    *why = NULL;
    const char *role = crew->run->dut == DUT_RESPONDER ? "IWARP_ROLE=responder" : "IWARP_ROLE=initiator";
    const char *const variables[] = {device, state, name, role, NULL};
    int64_t until = talk_now() + options->t_reset;
    gint waited = g_atomic_int_get(&crew->run->waited_ms); /* the time to boot says nothing about later waits */

    if (options->reset && user_command_run(options->reset, variables, options->t_reset, &why)) {
        crew->life = alive_check(crew->run, MAX(until - talk_now(), 0), options->t_reset, &why);
        g_atomic_int_set(&crew->run->waited_ms, waited);
        death->revived = crew->life == DEVICE_ALIVE;
        if (!death->revived && !suite_stopped)
            stderr_line("iwarp-gen", "after --reset-command: %s (%s)", device_life_text(crew->life), why);
    } else if (options->reset) {
        stderr_line("iwarp-gen", "--reset-command: %s", why);
    }
    crew->over |= !death->revived;
    return death->revived;
}

/* The case only reached a start-up, which was refused. */
static bool is_unbegun(const struct trial *trial)
{
    return last_of(trial)->refused && !last_of(trial)->said;
}

/*
 * The device was alive after the previous case, and dead before this case had sent its stimulus: this case is tried
 * once more.
 */
static void blame_none(struct crew *crew, struct trial *trial, const char *how)
{
    struct device_death *death = add_death(crew, how);
    struct case_result *result = last_of(trial);

    if (crew->last)
        g_ptr_array_add(death->cases, g_strdup(crew->last->id));
    g_ptr_array_add(death->cases, g_strdup(result->id));
    result->death = g_strdup(device_life_names[crew->life]);
    if (suite_run_revive(crew, death) && !trial->again) {
        trial->again = true;
        g_ptr_array_set_size(trial->runs, trial->runs->len - 1);
    }
}

/* The device is dead, and only this case can be the cause: a single death may be chance (case_merge()). */
static void blame(struct crew *crew, struct trial *trial, const char *how)
{
    struct case_result *result = last_of(trial);
    struct device_death *death;

    if (is_unbegun(trial)) {
        blame_none(crew, trial, how);
        return;
    }
    death = add_death(crew, how);
    result->death = g_strdup(device_life_names[crew->life]);
    case_result_conclude(result, OUTCOME_DIED, "%s after this case (%s); the case itself: %s, %s",
                         device_life_text(crew->life), how, case_outcome_names[result->outcome], result->actual);
    g_ptr_array_set_size(result->observations, 0); /* its omissions do not count, because it was dead */
    g_ptr_array_add(death->cases, g_strdup(result->id));
    suite_run_revive(crew, death);
}

/* Waits patiently: a device that needs a moment to recover is alive. */
static bool suite_run_is_alive(struct crew *crew, char **how)
{
    crew->life = alive_check(crew->run, crew->run->t_recover, 0, how);
    return crew->life == DEVICE_ALIVE;
}

/* Runs the remaining repetitions of a case alone: if the device dies now, the case is the cause. */
static void run_alone(struct crew *crew, struct trial *trial)
{
    while (suite_run_may_go_on(crew)) {
        g_autofree char *how = NULL;
        enum end end = run_rest(crew, trial);

        if (end == END_CUT)
            return;
        if (end == END_ALIVE)
            break;
        if (!suite_run_is_alive(crew, &how)) {
            if (crew->life == DEVICE_STOPPED)
                return;
            blame(crew, trial, how);
        }
    }
    if (trial->runs->len > 0 && !suite_stopped)
        suite_run_finish(crew, trial);
}

/* Several cases were running at the death. If the device can be revived, each runs alone; else none has a verdict. */
static void settle_several(struct crew *crew, const char *how)
{
    struct device_death *death = add_death(crew, how);
    enum device_life life = crew->life;
    guint deaths = crew->report->deaths->len, n = crew->suspects->len;
    bool revived;

    for (guint i = 0; i < n; i++)
        g_ptr_array_add(death->cases, g_strdup(last_of(g_ptr_array_index(crew->suspects, i))->id));
    revived = suite_run_revive(crew, death);
    for (guint i = 0; i < n && !suite_stopped; i++) {
        struct trial *trial = g_ptr_array_index(crew->suspects, i);

        if (revived) {
            g_ptr_array_set_size(trial->runs, 0);
            run_alone(crew, trial);
            continue;
        }
        struct case_result *result = last_of(trial);

        case_result_conclude(
            result, OUTCOME_INCONCLUSIVE,
            "%s after this case and %u others that ran at the same time (%s): -j 1 or --reset-command shows which",
            device_life_text(life), n - 1, how);
        result->death = g_strdup(device_life_names[life]);
        suite_run_finish(crew, trial);
    }
    if (crew->report->deaths->len > deaths) /* a death found alone is better evidence */
        g_ptr_array_remove(crew->report->deaths, death);
}

/* Suspects that have sent nothing are innocent: they restart when the death is settled. */
static void acquit(struct crew *crew)
{
    guint guilty = 0;

    for (guint i = 0; i < crew->suspects->len; i++)
        guilty += !is_unbegun(g_ptr_array_index(crew->suspects, i));
    for (guint i = crew->suspects->len; guilty > 0 && i > 0; i--) {
        struct trial *trial = g_ptr_array_index(crew->suspects, i - 1);

        if (!is_unbegun(trial))
            continue;
        g_ptr_array_set_size(trial->runs, 0);
        g_ptr_array_add(crew->acquitted, trial);
        g_ptr_array_remove_index(crew->suspects, i - 1);
    }
}

/* The device did not answer after the case, and answers now. */
static void doubt_absence(const struct crew *crew, struct case_result *result)
{
    result->away = true;
    doubt_crash(crew, result);
}

/* No thread runs a case. */
static void suite_run_settle(struct crew *crew)
{
    g_autofree char *how = NULL;
    bool alive = suite_run_is_alive(crew, &how);

    if (crew->life == DEVICE_STOPPED)
        return;
    if (!alive)
        acquit(crew);
    if (!alive && crew->suspects->len > 1) {
        settle_several(crew, how);
    } else {
        if (!alive)
            blame(crew, g_ptr_array_index(crew->suspects, 0), how);
        for (guint i = 0; alive && i < crew->suspects->len; i++)
            doubt_absence(crew, last_of(g_ptr_array_index(crew->suspects, i)));
        for (guint i = 0; i < crew->suspects->len; i++)
            run_alone(crew, g_ptr_array_index(crew->suspects, i));
    }
    for (guint i = 0; i < crew->acquitted->len; i++)
        run_alone(crew, g_ptr_array_index(crew->acquitted, i));
    g_ptr_array_set_size(crew->suspects, 0);
    g_ptr_array_set_size(crew->acquitted, 0);
}

/* ---- all cases ---- */

/* Many services share one region among all connections: another case may have written what a case reads. */
static bool is_alone(const struct trial *trial)
{
    return trial->chosen->row->needs & NEED_ALONE;
}

/* The next case; NULL: none. */
static struct trial *next_one(struct crew *crew)
{
    while (suite_run_may_go_on(crew) && crew->next < crew->n) {
        struct trial *trial = &crew->trials[crew->next++];

        if (!trial->earlier)
            return trial;
        crew->finished++;
    }
    return NULL;
}

/* The same, as soon as the case may begin. */
static struct trial *take_one(struct crew *crew)
{
    struct trial *trial;

    while ((crew->suspects->len > 0 || crew->alone) && suite_run_may_go_on(crew))
        g_cond_wait(&crew->changed, &crew->lock);
    trial = next_one(crew);
    if (!trial || !is_alone(trial))
        return trial;
    crew->alone = true;
    while (crew->working > 0)
        g_cond_wait(&crew->changed, &crew->lock);
    return suite_run_may_go_on(crew) ? trial : NULL;
}

static void suite_run_report_progress(const struct crew *crew, const struct trial *trial)
{
    g_autofree char *id = suite_case_id(trial->chosen->row);

    if (crew->options->progress)
        crew->options->progress(crew->options->ctx, crew->finished, crew->n, id);
}

static gpointer suite_run_work(gpointer data)
{
    struct crew *crew = data;
    struct trial *trial;

    g_mutex_lock(&crew->lock);
    while ((trial = take_one(crew))) {
        enum end end;

        suite_run_report_progress(crew, trial);
        crew->working++;
        g_mutex_unlock(&crew->lock);
        end = run_rest(crew, trial);
        g_mutex_lock(&crew->lock);
        crew->working--;
        crew->alone &= !is_alone(trial);
        if (end == END_NO_ANSWER)
            g_ptr_array_add(crew->suspects, trial);
        else if (end == END_ALIVE)
            suite_run_finish(crew, trial);
        if (crew->suspects->len > 0 && crew->working == 0)
            suite_run_settle(crew);
        g_cond_broadcast(&crew->changed);
    }
    g_mutex_unlock(&crew->lock);
    return NULL;
}

bool run_is_alive(struct talk_run *run, char **why)
{
    g_autofree char *how = NULL;
    enum device_life life = alive_check(run, run->t_recover, run->t_accept, &how);

    if (life == DEVICE_ALIVE)
        return true;
    *why = g_strdup_printf("%s after the connections that learnt what it is (%s)", device_life_text(life), how);
    return false;
}

static const struct case_result *earlier_of(const struct suite_report *report, const struct suite_case *row)
{
    g_autofree char *id = suite_case_id(row);

    return suite_report_find(report, id);
}

/*
 * The earlier run's result for the case: a verdict, which is kept; a shared death or a pass without a counterpart,
 * which decide nothing; or a death that was seen once.
 */
static void take_earlier(struct trial *trial, const struct case_result *result, unsigned confirm)
{
    if (!result || counterpart_was_missing(result) ||
        (result->death && result->outcome == OUTCOME_INCONCLUSIVE && result->runs[OUTCOME_DIED] == 0))
        return;
    if (!case_died_once(result) || confirm < 2) {
        trial->earlier = result;
        return;
    }
    trial->death = result;
    g_ptr_array_add(trial->runs, case_result_copy(result));
    case_restore_death(last_of(trial));
}

/* Keeps deaths of an earlier run whose case results are kept. */
static void take_deaths(struct crew *crew)
{
    const struct suite_report *earlier = crew->options->earlier;

    for (guint i = 0; earlier && i < earlier->deaths->len; i++) {
        const struct device_death *from = g_ptr_array_index(earlier->deaths, i);
        bool taken = false;

        for (guint k = 0; k < crew->n; k++) {
            const struct case_result *result =
                crew->trials[k].earlier ? crew->trials[k].earlier : crew->trials[k].death;

            taken |=
                result && result->death && g_ptr_array_find_with_equal_func(from->cases, result->id, g_str_equal, NULL);
        }
        if (taken) {
            struct device_death *death = suite_report_add_death(crew->report, from->state, from->what);

            death->revived = true; /* the run continued, so the device was revived */
            for (guint k = 0; k < from->cases->len; k++)
                g_ptr_array_add(death->cases, g_strdup(g_ptr_array_index(from->cases, k)));
        }
    }
}

static void suite_run_collect(struct crew *crew)
{
    for (guint i = 0; i < crew->n; i++) {
        struct trial *trial = &crew->trials[i];

        if (trial->earlier) {
            struct case_result *result = case_result_copy(trial->earlier);

            g_clear_pointer(&result->waived, g_free);
            if (crew->options->judged)
                crew->options->judged(crew->options->ctx, result);
            g_ptr_array_add(crew->report->results, result);
        } else if (trial->result)
            g_ptr_array_add(crew->report->results, trial->result);
        g_ptr_array_unref(trial->runs);
    }
    crew->report->finished = crew->report->results->len;
    crew->report->state = g_strdup(device_life_names[suite_stopped ? DEVICE_STOPPED : crew->life]);
}

void run_cases(struct talk_run *run, const GArray *chosen, const struct run_options *options,
               struct suite_report *report)
{
    struct crew crew = {.run = run,
                        .options = options,
                        .report = report,
                        .n = chosen->len,
                        .suspects = g_ptr_array_new(),
                        .acquitted = g_ptr_array_new(),
                        .breached = g_hash_table_new(NULL, NULL)};
    int64_t began = talk_now();
    GThread **threads = g_new0(GThread *, options->jobs);

    g_mutex_init(&crew.lock);
    g_mutex_init(&crew.seen_lock);
    g_cond_init(&crew.changed);
    crew.trials = g_new0(struct trial, crew.n);
    for (guint i = 0; i < crew.n; i++) {
        crew.trials[i].chosen = &g_array_index(chosen, struct chosen_case, i);
        crew.trials[i].runs = g_ptr_array_new_with_free_func((GDestroyNotify)case_result_free);
        take_earlier(&crew.trials[i], earlier_of(options->earlier, crew.trials[i].chosen->row), options->confirm);
    }
    for (unsigned i = 0; i < options->jobs; i++)
        threads[i] = g_thread_new("test", suite_run_work, &crew);
    for (unsigned i = 0; i < options->jobs; i++)
        g_thread_join(threads[i]);
    g_free(threads);
    take_deaths(&crew);
    suite_run_collect(&crew);
    g_free(crew.trials);
    g_ptr_array_unref(crew.suspects);
    g_ptr_array_unref(crew.acquitted);
    g_cond_clear(&crew.changed);
    g_mutex_clear(&crew.lock);
    g_mutex_clear(&crew.seen_lock);
    g_hash_table_unref(crew.breached);
    report->seconds = (double)(talk_now() - began) / 1e9;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/ask_device.h"

#include "traffic-gen/tester/suite/run/user_command.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

enum {
    ASKED_MAX = 3, /* how often a word is tried if a living device refuses the connection */
    SIGNS = 2,     /* failed signs of life before a device counts as dead */
    BATCH = 4,     /* batches of parallel words between signs of life */
    HASTE = 4,     /* a hasty wait is at least this fraction of the usual time */
    LONG = 4,      /* an answer slower than this many times the usual shows that the device is busy */
    PATIENT = 4,   /* so that late messages at hang-up are not taken for answers */
};

static const int64_t retry_ns = 50 * INT64_C(1000000), sure_ns = 5 * INT64_C(1000000000);

/* ---- how long to wait ---- */

/* Estimated like TCP's round-trip time (RFC 6298 section 2), but a single long absence does not count. */
static void device_note_answer(struct ask_device *device, int64_t ns)
{
    const int64_t usual = MIN(ns, device->quiet * LONG);

    if (device->mean == 0) {
        device->mean = usual;
        device->deviation = usual / 2;
    } else {
        device->deviation += (ABS(usual - device->mean) - device->deviation) / 4;
        device->mean += (usual - device->mean) / 8;
    }
}

static void take_costs(struct ask_device *device, const struct exchange *exchanges, unsigned n,
                       struct exchange_costs *sum)
{
    for (unsigned i = 0; i < n; i++) {
        exchange_costs_add(sum, &exchanges[i].costs);
        if (exchanges[i].costs.longest > 0)
            device_note_answer(device, exchanges[i].costs.longest);
    }
}

/* Answers in the second half of the wait are late. */
static int64_t quick(const struct ask_device *device)
{
    return CLAMP(2 * (device->mean + 4 * device->deviation), device->quiet / HASTE, 2 * device->quiet * LONG);
}

/* A long time for accepting connections also allows slow answers. */
static int64_t sure_time(const struct ask_device *device)
{
    return MAX(sure_ns, MAX(device->run->t_recover, device->quiet));
}

static struct exchange_pace pace_of(const struct ask_device *device, unsigned patience)
{
    return (struct exchange_pace){
        .unknown = patience == IN_HASTE ? quick(device) : MAX(quick(device), device->quiet * patience),
        .known = sure_time(device),
        .silence = MIN(quick(device), device->quiet),
        .settle = device->quiet,
    };
}

static void exchange_word(gpointer data, gpointer user_data)
{
    (void)user_data;
    exchange_run(data);
}

/* Unasked questions, as many as may run in parallel. */
static void exchange_words(struct ask_device *device, struct exchange *exchanges, unsigned n, unsigned jobs)
{
    GThreadPool *pool = g_thread_pool_new(exchange_word, NULL, (gint)jobs, FALSE, NULL);

    for (unsigned i = 0; i < n; i++) {
        exchanges[i].costs = (struct exchange_costs){0};
        if (!exchanges[i].asked)
            g_thread_pool_push(pool, &exchanges[i], NULL);
    }
    g_thread_pool_free(pool, FALSE, TRUE);
    take_costs(device, exchanges, n, &device->costs);
}

/* ---- a device that dies ---- */

static void note_death(const struct ask_device *device, const char *text)
{
    if (device->note)
        device->note(text);
}

static bool device_revive(struct ask_device *device, char **why)
{
    g_autofree char *address = g_strdup_printf("IWARP_DEVICE=%s", device->address);
    const char *const variables[] = {address, NULL};
    const int64_t began = talk_now();
    const bool good = user_command_run(device->reset, variables, device->t_reset, why);

    device->resets += talk_now() - began;
    return good;
}

static void name_suspects(const struct ask_device *device, const struct exchange *exchanges, unsigned n, char **why)
{
    g_autoptr(GString) text = g_string_new("the device died");

    for (unsigned i = 0; i < n; i++) {
        g_string_append(text, i == 0 ? " of \"" : "\", or of \"");
        word_text(&exchanges[i].question->word, device->inputs, text);
    }
    g_string_append_printf(text, "\" (%s): --reset-command revives it%s",
                           exchanges[n - 1].why ? exchanges[n - 1].why : "it gives no sign of life",
                           n > 1 ? ", -j 1 shows which it was" : "");
    *why = g_string_free(g_steal_pointer(&text), FALSE);
}

/* The device's answer to the first input of the alphabet, which is harmless, and its time; NULL: no connection. */
static const char *sign_of_life(struct ask_device *device, int64_t quiet, int64_t *after, char **why)
{
    const struct question harmless = {.word = {.n = 1}};
    struct answer answer = {0};
    struct exchange exchange = {.run = device->run,
                                .alphabet = device->alphabet,
                                .inputs = learn_alphabet(device->alphabet->name)->inputs,
                                .question = &harmless,
                                .answer = &answer,
                                .pace = {.unknown = quiet},
                                .first_only = true};

    exchange_run(&exchange);
    take_costs(device, &exchange, 1, &device->signs);
    *after = exchange.costs.longest;
    g_free(*why);
    *why = exchange.why;
    return exchange.asked ? answer.output[0] : NULL;
}

static void pause_until(int64_t until)
{
    while (talk_now() < until && !suite_stopped)
        g_usleep((gulong)(MIN(retry_ns, MAX(until - talk_now(), 0)) / 1000));
}

static bool is_silence(const char *output)
{
    return strcmp(output, "-") == 0;
}

/*
 * Asks twice, as a device or its machine may be busy: it gets some seconds on one connection, so that its backlog does
 * not fill. *late: it needed long. expected NULL: any answer will do. Result NULL: no sign of life.
 */
static const char *await_life(struct ask_device *device, const char *expected, bool *late, char **why)
{
    const bool is_mute = expected && is_silence(expected);
    const int64_t sure = sure_time(device), usual = MAX(quick(device), device->quiet);

    for (unsigned i = 0; i < SIGNS && !suite_stopped; i++) {
        const int64_t began = talk_now();
        int64_t after;
        const char *output = sign_of_life(device, is_mute ? device->quiet : sure, &after, why);

        *late = i > 0 || after > usual;
        if (output && (expected ? output == expected : !is_silence(output)))
            return output;
        if (output)
            pause_until(began + sure);
    }
    return NULL;
}

bool ask_device_begin(struct ask_device *device, char **why)
{
    bool late = false;

    device->life = await_life(device, NULL, &late, why);
    if (!device->life && !*why) /* accepts connections, but does not answer a usual question */
        device->life = g_intern_static_string("-");
    return device->life && !suite_stopped;
}

/* Checks after these exchanges. Answers of a late device may differ from its usual ones. */
static bool is_dead(struct ask_device *device, struct exchange *exchanges, unsigned n)
{
    g_autofree char *why = NULL;
    bool late = false;
    const char *output = await_life(device, device->life, &late, &why);

    for (unsigned i = 0; i < n; i++)
        exchanges[i].answer->slow |= late && output;
    return !output;
}

static void note_word(const struct ask_device *device, const struct word *word)
{
    g_autoptr(GString) text = g_string_new("the device died of \"");

    word_text(word, device->inputs, text);
    g_string_append(text, "\": --reset-command");
    note_death(device, text->str);
}

/* Asks each alone, on a device that was alive before. */
static bool ask_alone(struct ask_device *device, struct exchange *exchange, char **why)
{
    exchange->asked = false;
    exchange_words(device, exchange, 1, 1);
    if (!exchange->asked) {
        *why = g_strdup_printf("after --reset-command: %s", exchange->why);
        return false;
    }
    if (is_dead(device, exchange, 1) && !suite_stopped) {
        struct answer *answer = exchange->answer;
        const char *last = answer->output[answer->n - 1];
        g_autofree char *dead = is_silence(last) ? g_strdup("dead") : g_strdup_printf("%s, dead", last);

        answer->output[answer->n - 1] = g_intern_string(dead);
        answer->over = answer->sure = true;
        note_word(device, &exchange->question->word);
        return device_revive(device, why);
    }
    return true;
}

/* One of n exchanges, or an earlier one, has killed the device before the death was noticed. */
static bool find_death(struct ask_device *device, struct exchange *exchanges, unsigned n, char **why)
{
    if (!device->reset) {
        name_suspects(device, exchanges, n, why);
        return false;
    }
    note_death(device, "the device gives no sign of life: --reset-command, then each question alone");
    if (!device_revive(device, why))
        return false;
    for (unsigned i = 0; i < n && !suite_stopped; i++)
        if (!ask_alone(device, &exchanges[i], why))
            return false;
    return true;
}

static bool all_asked(const struct exchange *exchanges, unsigned n, char **why)
{
    for (unsigned i = 0; i < n; i++) {
        if (!exchanges[i].asked) {
            g_free(*why);
            *why =
                g_strdup_printf("it is alive, but took no connection for the next question: %s (try -j 1, or a longer "
                                "--recover-timeout)",
                                exchanges[i].why);
            return false;
        }
    }
    return true;
}

/* After them the device is checked, before further exchanges become suspects. */
static bool ask_some(struct ask_device *device, struct exchange *exchanges, unsigned n, unsigned jobs, char **why)
{
    for (unsigned tries = 0; tries < ASKED_MAX; tries++) {
        bool dead;

        exchange_words(device, exchanges, n, jobs);
        dead = !suite_stopped && is_dead(device, exchanges, n);
        if (suite_stopped) {
            *why = g_strdup("stopped");
            return false;
        }
        if (dead)
            return find_death(device, exchanges, n, why);
        if (all_asked(exchanges, n, why)) {
            g_clear_pointer(why, g_free);
            return true;
        }
    }
    return false;
}

/* The number of exchanges between checks: small if no command revives the device, as suspects then run alone. */
static unsigned batch_of(const struct ask_device *device)
{
    return device->reset && device->jobs > 1 ? BATCH * device->jobs : device->jobs;
}

bool ask_device(void *ctx, const struct question *questions, struct answer *answers, unsigned n,
                const struct manner *manner, char **why)
{
    struct ask_device *device = ctx;
    g_autofree struct exchange *exchanges = g_new0(struct exchange, n);
    const unsigned jobs = manner->alone ? 1 : device->jobs, batch = batch_of(device);
    bool good = true;

    for (unsigned i = 0; i < n && good; i += batch) {
        const unsigned end = MIN(i + batch, n);

        for (unsigned k = i; k < end; k++)
            exchanges[k] = (struct exchange){.run = device->run,
                                             .alphabet = device->alphabet,
                                             .inputs = device->alphabet->inputs,
                                             .question = &questions[k],
                                             .answer = &answers[k],
                                             .pace = pace_of(device, manner->patience),
                                             .hasty = manner->patience < PATIENT};
        good = ask_some(device, exchanges + i, end - i, jobs, why);
    }
    for (unsigned i = 0; i < n; i++)
        g_free(exchanges[i].why);
    return good; /* NOLINT(clang-analyzer-unix.Malloc): g_autofree */
}

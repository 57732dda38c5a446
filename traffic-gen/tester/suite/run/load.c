// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/load.h"

#include "traffic-gen/tester/suite/expect/life.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

enum { PIECE = 512, REGION_SHARE = 4 /* the load uses a quarter of the region, from its middle */ };

static const int64_t pause_ns = 2 * INT64_C(1000000);

/* One connection, with its thread. */
struct worker {
    struct load *load;
    unsigned index;
    GThread *thread;
    struct talk *talk; /* NULL: it has never connected */
    GRand *random;
    gint turns; /* round trips, and attempts at one */
    gint trips; /* round trips with the right octets */
};

struct load {
    struct talk_run *run;
    unsigned n;
    const char *what;
    bool (*exchange)(struct worker *worker, char **why); /* one round trip */
    struct worker workers[LOAD_MAX];
    gint over;
    GMutex lock; /* protects the members below */
    uint64_t round_trips;
    unsigned failed; /* failed connections since the last query; */
    char *first;     /* reason of the first failure */
};

/* ---- one round trip ---- */

static void load_draw(struct worker *worker, uint8_t *octets)
{
    for (unsigned i = 0; i < PIECE; i++)
        octets[i] = (uint8_t)g_rand_int(worker->random);
}

static char *instead(struct worker *worker, const char *expected)
{
    return g_strdup_printf("expected %s; found %s", expected, talk_found(worker->talk));
}

static bool load_differs(const uint8_t *sent, const struct talk_heard *heard, char **why)
{
    const struct ddp_segment *ddp = &heard->ddp;
    unsigned at = 0;

    if (ddp->payload_len != PIECE) {
        *why = g_strdup_printf("%zu octets came back of %d", ddp->payload_len, PIECE);
        return true;
    }
    while (at < PIECE && ddp->payload[at] == sent[at])
        at++;
    if (at < PIECE)
        *why = g_strdup_printf("octet %u came back as %02x instead of %02x", at, ddp->payload[at], sent[at]);
    return at < PIECE;
}

/* The place where this connection writes; all connections may share the device's region. */
static uint64_t load_place(const struct worker *worker)
{
    uint64_t length = talk_advert(worker->talk)->regions[REGION_ALL].length, room = length / REGION_SHARE;
    unsigned slots = (unsigned)MAX(room / PIECE, 1);

    return length / 2 + (uint64_t)(worker->index % slots) * PIECE;
}

static bool load_write_and_read(struct worker *worker, char **why)
{
    unsigned long long at = load_place(worker);
    const struct talk_heard *heard;
    uint8_t octets[PIECE];

    load_draw(worker, octets);
    talk_say_octets(worker->talk, octets, sizeof octets, "write region=all to+%llu", at);
    talk_say(worker->talk, "read region=all srcto+%llu size=%d", at, PIECE);
    heard = talk_hear_opcode(worker->talk, RDMAP_READ_RESPONSE);
    if (heard)
        return !load_differs(octets, heard, why);
    *why = instead(worker, "a Read Response");
    return false;
}

static bool send_and_receive(struct worker *worker, char **why)
{
    const struct talk_heard *heard;
    uint8_t octets[PIECE];

    load_draw(worker, octets);
    talk_say_octets(worker->talk, octets, sizeof octets, "send");
    heard = talk_hear_opcode(worker->talk, RDMAP_SEND);
    if (heard)
        return !load_differs(octets, heard, why);
    *why = instead(worker, "the echo of a Send");
    return false;
}

/* Accepts any answer of the device. */
static bool question(struct worker *worker, char **why)
{
    if (talk_ask(worker->talk, worker->load->run->sign, "") &&
        life_await(worker->talk, worker->load->run->sign, talk_t_react(worker->talk)) == LIFE_ANSWERS)
        return true;
    *why = instead(worker, "an answer");
    return false;
}

static void load_choose(struct load *load, const struct talk *talk)
{
    const unsigned has = load->run->has | load->run->services;

    if (has & NEED_REGIONS && talk_reads(talk) &&
        talk_advert(talk)->regions[REGION_ALL].length >= PIECE * REGION_SHARE) {
        load->exchange = load_write_and_read;
        load->what = "Writes that are read back";
    } else if (has & NEED_ECHO && talk_echoes(talk)) {
        load->exchange = send_and_receive;
        load->what = "Sends that are echoed";
    } else {
        load->exchange = question;
        load->what = "questions that are answered";
    }
}

/* ---- a connection ---- */

/* Round trips on a fresh connection; false with *why. */
static bool connect_worker(struct worker *worker, char **why)
{
    talk_end_job(worker->talk);
    worker->talk = talk_begin_job(worker->load->run, NULL, 1, NULL);
    talk_last_on(worker->talk);
    if (talk_start(worker->talk, NULL))
        return true;
    *why = g_strdup(talk_actual(worker->talk));
    return false;
}

static void note_error(struct worker *worker, char *why)
{
    struct load *load = worker->load;

    g_mutex_lock(&load->lock);
    if (load->failed++ == 0)
        load->first = why;
    else
        g_free(why);
    g_mutex_unlock(&load->lock);
}

static bool load_exchange(struct worker *worker)
{
    char *why = NULL;

    talk_last_on(worker->talk);
    if (worker->load->exchange(worker, &why)) {
        g_mutex_lock(&worker->load->lock);
        worker->load->round_trips++;
        g_mutex_unlock(&worker->load->lock);
        g_atomic_int_inc(&worker->trips);
        return true;
    }
    if (!g_atomic_int_get(&worker->load->over) && !suite_stopped)
        note_error(worker, why);
    else
        g_free(why);
    return false;
}

/* After an error tries new connections without limit: if the device is dead, the cases say so. */
static gpointer load_work(gpointer data)
{
    struct worker *worker = data;
    bool good = true;

    while (!g_atomic_int_get(&worker->load->over) && !suite_stopped) {
        g_autofree char *why = NULL;

        if (!good)
            good = connect_worker(worker, &why);
        else
            good = load_exchange(worker);
        g_atomic_int_inc(&worker->turns);
        g_usleep((gulong)(pause_ns / 1000));
    }
    return NULL;
}

/* ---- all of them ---- */

struct load *load_start(struct talk_run *run, unsigned n, char **why)
{
    struct load *load = g_new0(struct load, 1);

    load->run = run;
    g_mutex_init(&load->lock);
    for (; load->n < n; load->n++) {
        struct worker *worker = &load->workers[load->n];
        g_autofree char *how = NULL;

        *worker = (struct worker){.load = load, .index = load->n, .random = g_rand_new_with_seed(load->n)};
        if (connect_worker(worker, &how)) {
            load_choose(load, worker->talk);
            if (load->exchange(worker, &how))
                continue;
        }
        *why = g_strdup_printf("connection %u of %u: %s", load->n + 1, n, how);
        load->n++;
        load_stop(load);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++)
        load->workers[i].thread = g_thread_new("load", load_work, &load->workers[i]);
    return load;
}

bool load_begin(struct load *load)
{
    int64_t until =
        talk_now() + load->run->t_recover + 2 * patience_wait(&load->run->patience, load->run->t_react, false);
    gint before[LOAD_MAX] = {0};
    bool all = true;

    for (unsigned i = 0; i < load->n; i++)
        before[i] = g_atomic_int_get(&load->workers[i].trips);
    for (unsigned i = 0; i < load->n; i++) {
        while (g_atomic_int_get(&load->workers[i].trips) == before[i] && talk_now() < until && !suite_stopped)
            g_usleep((gulong)(pause_ns / 1000));
        all &= g_atomic_int_get(&load->workers[i].trips) != before[i];
    }
    g_free(load_errors(load));
    return all;
}

/* The current turn may have begun before. */
void load_settle(struct load *load)
{
    int64_t until = talk_now() + 2 * patience_wait(&load->run->patience, load->run->t_react, false);
    gint before[LOAD_MAX] = {0};

    for (unsigned i = 0; i < load->n; i++)
        before[i] = g_atomic_int_get(&load->workers[i].turns);
    for (unsigned i = 0; i < load->n; i++)
        while (g_atomic_int_get(&load->workers[i].turns) - before[i] < 2 && talk_now() < until && !suite_stopped)
            g_usleep((gulong)(pause_ns / 1000));
}

char *load_errors(struct load *load)
{
    char *text = NULL;

    g_mutex_lock(&load->lock);
    if (load->failed > 0)
        text = g_strdup_printf("of %u other connection%s with %s, %u failed: %s", load->n, load->n == 1 ? "" : "s",
                               load->what, load->failed, load->first);
    load->failed = 0;
    g_clear_pointer(&load->first, g_free);
    g_mutex_unlock(&load->lock);
    return text;
}

uint64_t load_round_trips(struct load *load)
{
    uint64_t n;

    g_mutex_lock(&load->lock);
    n = load->round_trips;
    g_mutex_unlock(&load->lock);
    return n;
}

const char *load_what(const struct load *load)
{
    return load->what;
}

void load_stop(struct load *load)
{
    g_atomic_int_set(&load->over, 1);
    for (unsigned i = 0; i < load->n; i++) {
        struct worker *worker = &load->workers[i];

        if (worker->thread)
            g_thread_join(worker->thread);
        talk_end_job(worker->talk);
        g_rand_free(worker->random);
    }
    g_free(load->first);
    g_mutex_clear(&load->lock);
    g_free(load);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The talker's connection: TCP, octets in and out, the watcher, the ladder, the verdict. */
#include "traffic-gen/tester/suite/talk/talk_internal.h"

#include "traffic-gen/live/wire/wire.h"
#include "traffic-gen/tester/suite/transport/pace.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <errno.h>
#include <string.h>

enum {
    ACK_SLICE_MS = 5,
    READ_SIZE = 65536,
    OCTETS_SHOWN = 192,
    CAPTION_SHOWN = 400,
    STEPS_FIRST = 12,
    STEPS_LAST = 12,
    STEPS_SHORT = 40,
    STEPS_MAX = 100000, /* in a full transcript */
    LISTEN_RETRY_US = 50000,
};

static const int64_t ms = 1000000, arrival_pause = 500 * 1000000;

int64_t talk_now(void)
{
    return g_get_monotonic_time() * 1000;
}

/* ---- verdict ---- */

static void suite_talk_conclude(struct talk *talk, enum case_outcome outcome, const char *format, va_list args)
{
    struct case_result *result = talk->job.result;

    if (result->outcome == OUTCOME_FAILED || talk->job.flooded)
        return;
    result->outcome = outcome;
    g_free(result->actual);
    result->actual = g_strdup_vprintf(format, args);
}

#define CONCLUDE(outcome)                                                                                              \
    do {                                                                                                               \
        va_list args;                                                                                                  \
        va_start(args, format);                                                                                        \
        suite_talk_conclude(talk, outcome, format, args);                                                              \
        va_end(args);                                                                                                  \
    } while (0)

static bool has_arrived(struct talk *talk, int64_t ns);

/* False: the case is inconclusive. */
static bool stimulus_has_arrived(struct talk *talk)
{
    if (has_arrived(talk, MIN(talk_t_react(talk), arrival_pause)))
        return true;
    talk_inconclusive(talk, "the stimulus did not reach the device: %s not acknowledged it",
                      talk->job.run->rpc_port ? "it has" : "its TCP has");
    return false;
}

void talk_passed(struct talk *talk, const char *format, ...)
{
    if (stimulus_has_arrived(talk))
        CONCLUDE(OUTCOME_PASSED);
}

void talk_passed_by_end(struct talk *talk, const char *format, ...)
{
    if (!stimulus_has_arrived(talk))
        return;
    CONCLUDE(OUTCOME_PASSED);
    talk->job.result->shown = talk->startup.operating ? SHOWN_REFUSED : SHOWN_START_UP_REFUSED;
    talk->job.result->mute = !talk->transcript.heard.is_terminate;
}

bool talk_has_passed(const struct talk *talk)
{
    return talk->job.result->outcome == OUTCOME_PASSED;
}

bool talk_has_failed(const struct talk *talk)
{
    return talk->job.result->outcome == OUTCOME_FAILED;
}

const char *talk_actual(const struct talk *talk)
{
    return talk->job.result->actual;
}

void talk_show(struct talk *talk, enum case_shown shown)
{
    talk->job.result->shown = shown;
}

void talk_observe(struct talk *talk, enum rule_id rule, const char *what)
{
    g_ptr_array_add(talk->job.result->observations, g_strdup_printf("%s: %s", rule_catalogue[rule].id, what));
}

/* A device that never received the stimulus cannot fail either, unless it ended the connection itself. */
void talk_failed(struct talk *talk, const char *format, ...)
{
    if (!talk->connection.dut_fin && !talk->connection.dut_reset && !stimulus_has_arrived(talk))
        return;
    CONCLUDE(OUTCOME_FAILED);
    talk->job.result->ended |= talk->transcript.heard.what == TALK_FIN || talk->transcript.heard.what == TALK_RESET ||
                               talk->transcript.heard.is_terminate;
}

void talk_inconclusive(struct talk *talk, const char *format, ...)
{
    CONCLUDE(OUTCOME_INCONCLUSIVE);
}

void talk_not_applicable(struct talk *talk, const char *format, ...)
{
    CONCLUDE(OUTCOME_NOT_APPLICABLE);
}

/* ---- times ---- */

int64_t talk_t_react(const struct talk *talk)
{
    return patience_wait(&talk->job.run->patience, talk->job.run->t_react * talk->job.longer, talk->job.sure);
}

int64_t talk_t_close(const struct talk *talk)
{
    return patience_wait(&talk->job.run->patience, talk->job.run->t_react * talk->job.longer * 5 / 2, talk->job.sure);
}

int64_t talk_t_start(const struct talk *talk)
{
    return patience_after(&talk->job.run->patience, talk->job.run->t_start);
}

int64_t talk_t_idle(const struct talk *talk)
{
    return patience_after(&talk->job.run->patience, talk->job.run->t_idle);
}

/* ---- the ladder ---- */

/*
 * A long transcript keeps the first and the last steps, and between them the device's short messages; a recording has
 * all octets.
 */
static void shorten(GPtrArray *steps)
{
    guint n = steps->len, at = STEPS_FIRST;
    struct case_step *gone, *next;

    if (n < STEPS_FIRST + STEPS_LAST)
        return;
    for (guint i = STEPS_FIRST; n < STEPS_SHORT && i + STEPS_LAST <= n; i++) {
        if (((const struct case_step *)g_ptr_array_index(steps, i))->ours) {
            at = i;
            break;
        }
    }
    gone = g_ptr_array_index(steps, at);
    next = g_ptr_array_index(steps, at + 1);
    if (n < STEPS_SHORT && !gone->ours)
        return;
    next->left_out += gone->left_out + 1;
    g_ptr_array_remove_index(steps, at);
}

/* The same octets again: counted with the last step. */
static bool repeats_last(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption)
{
    const GPtrArray *steps = talk->job.result->steps;
    struct case_step *last = steps->len > 0 ? g_ptr_array_index(steps, steps->len - 1) : NULL;

    if (!octets || !last || !last->octets || last->ours != ours || last->connection != talk->job.result->ports->len ||
        n > OCTETS_SHOWN || last->n != n || strcmp(last->caption, caption) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (g_ascii_xdigit_value(last->octets[2 * i]) * 16 + g_ascii_xdigit_value(last->octets[2 * i + 1]) != octets[i])
            return false;
    last->repeated++;
    return true;
}

void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption)
{
    static const char digits[] = "0123456789abcdef";
    bool full = talk->job.run->full_transcript;
    struct case_step *step;

    if (!full && repeats_last(talk, ours, octets, n, caption))
        return;
    if (!full)
        shorten(talk->job.result->steps);
    else if (talk->job.result->steps->len >= STEPS_MAX)
        return;
    step = g_new0(struct case_step, 1);
    step->seconds = (double)(talk_now() - talk->job.began) / 1e9;
    step->ours = ours;
    step->connection = talk->job.result->ports->len;
    step->caption =
        g_utf8_strlen(caption, -1) > CAPTION_SHOWN && !full
            ? g_strdup_printf("%.*s ...", (int)(g_utf8_offset_to_pointer(caption, CAPTION_SHOWN) - caption), caption)
            : g_strdup(caption);
    step->n = (unsigned)n;
    if (octets) {
        size_t shown = full ? n : MIN(n, OCTETS_SHOWN);

        step->octets = g_malloc(2 * shown + 1);
        for (size_t i = 0; i < shown; i++) {
            step->octets[2 * i] = digits[octets[i] >> 4];
            step->octets[2 * i + 1] = digits[octets[i] & 15];
        }
        step->octets[2 * shown] = '\0';
    }
    g_ptr_array_add(talk->job.result->steps, step);
}

/* ---- connection ---- */

struct talk *talk_begin_job(struct talk_run *run, const struct suite_case *row, unsigned longer,
                            struct case_result *result)
{
    struct talk *talk = g_new(struct talk, 1);

    *talk = (struct talk){.job = {.run = run,
                                  .row = row,
                                  .result = result ? result : case_result_new(),
                                  .owns_result = !result,
                                  .longer = longer,
                                  .sure = !row && run->learns},
                          .connection = {.fd = -1, .in = g_byte_array_new()}};
    talk->job.began = talk_now();
    talk->job.deadline = talk->job.began + run->t_accept + MAX(talk_t_start(talk), talk_t_idle(talk)) * 3 / 2 +
                         30 * talk_t_react(talk) + 4 * run->t_settle;
    return talk;
}

const struct talk_job *talk_job(const struct talk *talk)
{
    return &talk->job;
}

void talk_extend(struct talk *talk, int64_t ns)
{
    talk->job.deadline += ns;
}

void talk_last_on(struct talk *talk)
{
    talk->job.deadline = INT64_MAX;
    talk->job.received = 0;
}

void talk_set_patience(struct talk *talk, int64_t ns)
{
    talk->job.patience = ns;
}

/* What is left of a talker without its connection. */
static struct talk without_connection(const struct talk *talk, GByteArray *in)
{
    struct talk left = {.job = talk->job, .connection = {.fd = -1, .in = in}};

    left.job.open_error = 0;
    left.job.queued = false;
    return left;
}

static void forget_connection(struct talk *talk)
{
    talk_end_saying(talk);
    watch_free(talk->connection.watch);
    g_free(talk->transcript.scratch);
    g_byte_array_set_size(talk->connection.in, 0);
    *talk = without_connection(talk, talk->connection.in);
}

static bool is_of_test(const struct talk *talk, enum rule_id rule)
{
    /* Not rules that are merely judged with it: their violations need not break the tested rule. */
    return talk->job.row && rule_carried_by(&rule_catalogue[talk->job.row->rule], rule);
}

/* Takes the engine's findings about the DUT: a breach of the tested rule decides, others become observations. */
static void suite_talk_take_findings(struct talk *talk)
{
    const GArray *findings = watch_findings(talk->connection.watch);

    while (talk->connection.findings_taken < findings->len) {
        const struct watch_finding *finding =
            &g_array_index(findings, struct watch_finding, talk->connection.findings_taken++);

        /* A client connects to our port: it is not at fault if that is not the well-known port. */
        if (finding->rule == RULE_NFSULB_6_3_01 && talk->job.run->dut == DUT_INITIATOR)
            continue;
        if (is_of_test(talk, finding->rule))
            talk_failed(talk, "%s", finding->message);
        else if (finding->rule == RULE_MPA2_9_1_04)
            continue; /* our Requests ask for more Reads than a device has to serve: not the device's fault */
        else if (finding->severity != SEVERITY_NOTE)
            talk_observe(talk, finding->rule, finding->message);
    }
}

/*
 * In peer-to-peer mode the Responder waits for an RTR, or for the Terminate that reports no common type (RFC 6581
 * section 9.2). Some devices do not survive a connection that ends without an RTR of a type that they named, even if it
 * was not offered: the case is over, so they receive it.
 */
static void say_first_fpdu(struct talk *talk)
{
    const struct mpa_startup *ours = talk_frame(talk, true), *theirs = talk_frame(talk, false);
    unsigned common;

    if (!talk_is_initiator(talk) || !talk_is_open(talk) || talk->connection.our_fin || !ours || !theirs ||
        !ours->has_enhanced || !theirs->has_enhanced || theirs->flags & MPA_FLAG_R || !theirs->enhanced.peer_to_peer)
        return;
    if (!talk->startup.operating)
        talk_begin_operation(talk);
    if (talk->connection.out_offset > talk_framing(talk, true)->seq_start)
        return;
    common = ours->enhanced.rtr & theirs->enhanced.rtr;
    if (theirs->enhanced.rtr != 0) {
        talk_send_rtr(talk, common ? common : theirs->enhanced.rtr);
        return;
    }
    talk_say(talk, "term 2/0/07"); /* RFC 6581 section 8 */
}

static void close_in_order(struct talk *talk)
{
    int64_t until = talk_now() + MIN(talk_t_react(talk), 500 * ms);

    if (talk->connection.carrier)
        talk->connection.carrier->hang_up(talk->connection.carrier->ctx);
    talk->connection.carrier = NULL;
    if (talk->connection.fd < 0)
        return;
    /*
     * Closes in order, so that the DUT can serve the next connection; but a device that failed to close must not close
     * now, as if by itself.
     */
    if (talk->job.result->outcome == OUTCOME_FAILED && talk_is_open(talk)) {
        talk_reset(talk);
    } else if (!talk->connection.dut_reset && !talk->connection.our_reset) {
        say_first_fpdu(talk);
        if (!talk->connection.our_fin)
            talk_finish(talk);
        while (!talk->connection.dut_fin && !talk->connection.dut_reset && talk_now() < until)
            talk_receive(talk, until);
        if (!talk->connection.dut_fin && !talk->connection.dut_reset)
            talk_reset(talk);
    }
    if (talk->connection.fd < 0)
        return; /* talk_reset() does the rest */
    tcp_close(talk->connection.fd);
    talk->connection.fd = -1;
    watch_finish(talk->connection.watch);
    suite_talk_take_findings(talk);
}

bool talk_hang_up(struct talk *talk)
{
    const uint64_t received = talk->connection.in_offset, said = talk->connection.out_offset;

    close_in_order(talk);
    return talk->connection.in_offset > received && talk->connection.out_offset == said;
}

void talk_renew(struct talk *talk)
{
    close_in_order(talk);
    forget_connection(talk);
}

void talk_end_job(struct talk *talk)
{
    if (!talk)
        return;
    talk_renew(talk);
    g_byte_array_unref(talk->connection.in);
    if (talk->job.owns_result)
        case_result_free(talk->job.result);
    g_free(talk);
}

bool talk_may_hand_over(const struct talk *talk)
{
    const enum case_outcome outcome = talk->job.result->outcome;

    return talk_is_whole(talk) && talk->job.result->ports->len > 0 && !talk->connection.cut_short &&
           talk->connection.parsed == talk->connection.in->len &&
           (!talk->job.row || outcome == OUTCOME_PASSED || outcome == OUTCOME_NOT_APPLICABLE);
}

void talk_hand_over(struct talk *to, struct talk *from)
{
    const GArray *ports = from->job.result->ports;
    const struct talk old = *to;

    if (from->connection.watch)
        suite_talk_take_findings(from);
    *to = *from;
    *from = without_connection(from, old.connection.in);
    to->job = old.job;
    to->next.mss = old.next.mss;
    g_array_append_vals(to->job.result->ports, &g_array_index(ports, guint, ports->len - 1), 1);
    if (to->saying.said)
        to->saying.said->socket = to;
}

/* A SYN is retransmitted after 1 s and after 3 s: a device that has answered before gets no more time than that. */
int64_t talk_connect_time(const struct talk *talk)
{
    const struct talk_run *run = talk->job.run;

    if (run->accept_given)
        return run->t_accept;
    return MIN(run->t_accept, run->sign == SIGN_UNKNOWN ? 10000 * ms : MAX(talk_t_react(talk), 3500 * ms));
}

int64_t talk_accept_time(const struct talk *talk)
{
    const struct talk_run *run = talk->job.run;
    int64_t waited = g_atomic_int_get(&run->waited_ms) * ms;

    if (talk->job.patience > 0)
        return talk->job.patience;
    return run->sign == SIGN_UNKNOWN || run->jobs > 1 ? run->t_accept
                                                      : MIN(run->t_accept, MAX(run->t_recover, 4 * waited));
}

static void note_wait(struct talk_run *run, int64_t began)
{
    gint waited = (gint)((talk_now() - began) / ms);

    if (waited > g_atomic_int_get(&run->waited_ms))
        g_atomic_int_set(&run->waited_ms, waited);
}

void talk_wait_to_listen(struct talk *talk)
{
    talk->job.waits = true;
}

/* A device that serves one connection at a time may need a moment until it listens again. */
static int suite_talk_connect_to_device(struct talk *talk, const struct tcp_wish *wish, char **why)
{
    bool waits = talk->job.row && (talk->job.waits || !talk->job.result->said);
    int64_t until = talk_now() + (waits ? talk->job.run->t_recover : 0);
    int fd;

    talk->job.deadline += pace_wait(talk->job.run->pace); /* the wait does not count as the case's time */
    while ((fd = tcp_connect(talk->job.run->host, talk->job.run->port, wish, talk_connect_time(talk), why)) < 0 &&
           errno == ECONNREFUSED && talk_now() < until && !suite_stopped) {
        talk->job.result->away |= talk->job.result->said;
        g_clear_pointer(why, g_free);
        g_usleep(LISTEN_RETRY_US);
    }
    return fd;
}

enum { CROSS_TRIES = 16 };

/* How our own TCP opens the connection: simultaneous open; this initial sequence number. */
struct accepting {
    bool crosses;
    const uint32_t *iss; /* NULL: any */
};

/* Asks only for the wanted option: another case may ask for the other at the same time. */
static void ask_of_listener(int listener, const struct accepting *how, bool on)
{
    if (how->crosses)
        wire_cross(listener, on);
    if (how->iss)
        wire_begin_at(listener, on ? how->iss : NULL);
}

static bool is_as_asked(int fd, const struct accepting *how)
{
    return (!how->crosses || wire_has_crossed(fd)) && (!how->iss || wire_began_at(fd) == *how->iss);
}

/* Accepts a connection that was opened as wanted; closes connections opened earlier, or for another case. */
static int suite_talk_accept_device(const struct talk *talk, const struct accepting *how, char **why)
{
    const int listener = talk->job.run->listener;
    int fd = tcp_accept(listener, true, talk_accept_time(talk), why);

    if ((!how->crosses && !how->iss) || !wire_is_open())
        return fd;
    ask_of_listener(listener, how, true);
    for (unsigned i = 0; i < CROSS_TRIES && fd >= 0 && !is_as_asked(fd, how); i++) {
        tcp_close(fd);
        fd = tcp_accept(listener, true, talk_accept_time(talk), why);
    }
    ask_of_listener(listener, how, false);
    if (fd < 0 || is_as_asked(fd, how))
        return fd;
    tcp_close(fd);
    *why = g_strdup_printf("%s: another case took it, or the device had many others waiting",
                           how->crosses ? "both ends did not open one at once"
                                        : "none began with the sequence number that the case needs");
    errno = EAGAIN;
    return -1;
}

void talk_note_refusal(struct talk *talk, bool closed)
{
    talk->job.result->refused = true;
    if (closed && talk->job.row && !talk->job.result->said)
        g_atomic_int_inc(&talk->job.run->open_closes);
}

bool talk_open(struct talk *talk)
{
    struct watch_options options = {
        .opener = talk->job.run->dut == DUT_RESPONDER ? WATCH_SUITE : WATCH_DUT,
        /* A little less than the cases wait, so that the engine sees enough time pass. */
        .t_react = talk_t_react(talk) * 9 / 10,
        .t_close = talk_t_close(talk) * 9 / 10,
        .t_start = talk_t_start(talk) * 9 / 10,
        .t_idle = talk_t_idle(talk) * 9 / 10,
        .recorder = talk->job.run->recorder,
        .layout = g_atomic_pointer_get(&talk->job.run->layout),
        .mss = talk->next.mss,
    };
    const struct tcp_wish wish = {.mss = talk->next.mss,
                                  .window = talk->next.window,
                                  .early = talk->next.early,
                                  .n_early = talk->next.n_early,
                                  .has_iss = talk->next.wraps_at > 0,
                                  .iss = 0 - 1 - (uint32_t)talk->next.wraps_at};
    const struct accepting accepting = {talk->next.crosses, wish.has_iss ? &wish.iss : NULL};
    g_autofree char *why = NULL;
    int64_t began = talk_now();
    guint port;

    talk_renew(talk);
    if (talk->job.run->dut == DUT_RESPONDER)
        talk->connection.fd = suite_talk_connect_to_device(talk, &wish, &why);
    else
        talk->connection.fd = suite_talk_accept_device(talk, &accepting, &why);
    if (talk->connection.fd < 0) {
        talk_note_refusal(talk, errno == ECONNRESET);
        talk->job.result->away |= talk->job.result->said && errno == ECONNREFUSED;
        talk_cannot_open(talk, errno, why);
        return false;
    }
    if (talk->job.run->dut == DUT_INITIATOR) {
        if (talk->job.run->sign != SIGN_UNKNOWN) /* before that the user may still be starting the device */
            note_wait(talk->job.run, began);
        talk->job.queued = talk_now() - began < ms;
    }
    tcp_ends(talk->connection.fd, &options.ends[WATCH_SUITE], &options.ends[WATCH_DUT]);
    port = options.ends[talk->job.run->dut == DUT_RESPONDER ? WATCH_SUITE : WATCH_DUT].port;
    if (!talk->job.row && talk->job.run->sign == SIGN_UNKNOWN) /* later connections may come in parallel */
        talk->job.run->device = options.ends[WATCH_DUT];
    g_array_append_val(talk->job.result->ports, port);
    talk->connection.watch = watch_new(&options);
    talk_begin_saying(talk);
    return true;
}

void talk_cannot_open(struct talk *talk, int error, const char *why)
{
    talk->job.open_error = error;
    talk_inconclusive(talk, "no connection: %s", why);
}

void talk_carry(struct talk *talk, const struct talk_carrier *carrier)
{
    talk->connection.carrier = carrier;
}

void *talk_carried(const struct talk *talk)
{
    return talk->connection.carrier ? talk->connection.carrier->ctx : NULL;
}

void talk_carrier_ended(struct talk *talk, bool in_order)
{
    talk->connection.dut_fin |= in_order;
    talk->connection.dut_reset |= !in_order;
}

bool talk_is_whole(const struct talk *talk)
{
    return talk_is_open(talk) && !talk->connection.our_fin;
}

bool talk_has_reset(const struct talk *talk)
{
    return talk->connection.our_reset;
}

bool talk_was_ended(const struct talk *talk)
{
    return talk->connection.dut_fin || talk->connection.dut_reset || talk->job.open_error == ECONNRESET ||
           talk->transcript.heard.is_terminate;
}

bool talk_is_open(const struct talk *talk)
{
    return (talk->connection.fd >= 0 || talk->connection.carrier) && !talk->connection.dut_fin &&
           !talk->connection.dut_reset && !talk->connection.our_reset;
}

/* How far the DUT's TCP has acknowledged our octets. */
static uint64_t acked_by_dut(const struct talk *talk)
{
    uint64_t waiting = tcp_unacknowledged(talk->connection.fd);

    if (talk->connection.our_fin && waiting > 0)
        waiting--; /* the FIN has a sequence number, too */
    return talk->connection.out_offset - MIN(waiting, talk->connection.out_offset);
}

/* An RST is an answer, too: the octets will never be acknowledged. */
static bool has_arrived(struct talk *talk, int64_t ns)
{
    int64_t until = MIN(talk_now() + ns, talk->job.deadline);

    if (talk->connection.carrier)
        return talk->connection.carrier->has_arrived(talk->connection.carrier->ctx, until);
    if (talk->connection.cut_short && !talk->connection.dut_reset)
        return false;
    while (talk->connection.fd >= 0 && !talk->connection.dut_reset &&
           acked_by_dut(talk) < talk->connection.out_offset) {
        if (talk_now() >= until || suite_stopped)
            return false;
        if (talk->connection.dut_fin && talk->connection.our_fin)
            g_usleep(1000);
        else
            talk_receive(talk, MIN(until, talk_now() + ACK_SLICE_MS * ms));
    }
    return true;
}

bool talk_delivered(struct talk *talk)
{
    return has_arrived(talk, talk_t_react(talk));
}

/* ---- sending ---- */

bool talk_is_sending(const struct talk *talk)
{
    return talk->connection.fd >= 0 && !talk->connection.dut_reset && !talk->connection.our_reset &&
           talk_now() < talk->job.deadline;
}

void talk_write(struct talk *talk, const void *p, size_t n)
{
    GString *caption;
    size_t sent;

    if (!talk_is_sending(talk) || talk->connection.our_fin || n == 0)
        return;
    talk->job.result->said = true;
    caption = g_string_new(NULL);
    talk_caption(talk, true, p, n, caption);
    talk_note(talk, true, p, n, caption->str);
    g_string_free(caption, TRUE);
    /* The watcher sees octets before the answer to them. */
    watch_octets(talk->connection.watch, WATCH_SUITE, p, n, talk->connection.in_offset + talk->connection.dut_fin);
    sent = tcp_write(talk->connection.fd, p, n, MIN(talk->job.deadline, talk_now() + talk_t_close(talk)));
    talk->connection.out_offset += sent;
    if (sent < n) {
        talk->connection.cut_short = true;
        talk_note(talk, true, NULL, 0, "(not accepted by the network)");
        talk_receive(talk, talk_now()); /* usually a reset */
    }
}

void talk_together(struct talk *talk, bool on)
{
    if (talk->connection.fd < 0)
        return;
    tcp_cork(talk->connection.fd, on);
    talk->job.result->said |= !on; /* a start-up that does not leave alone is a stimulus */
}

void talk_finish(struct talk *talk)
{
    if (!talk_is_sending(talk) || talk->connection.our_fin)
        return;
    talk->connection.our_fin = true;
    talk_note(talk, true, NULL, 0, "FIN");
    watch_fin(talk->connection.watch, WATCH_SUITE, talk->connection.in_offset + talk->connection.dut_fin);
    tcp_finish(talk->connection.fd);
}

void talk_reset(struct talk *talk)
{
    if (talk->connection.fd < 0 || talk->connection.dut_reset || talk->connection.our_reset)
        return;
    talk->connection.our_reset = true;
    talk_note(talk, true, NULL, 0, "RST");
    watch_reset(talk->connection.watch, WATCH_SUITE);
    tcp_reset(talk->connection.fd);
    talk->connection.fd = -1;
    watch_finish(talk->connection.watch);
    suite_talk_take_findings(talk);
}

/* ---- receiving ---- */

static bool suite_talk_take(struct talk *talk)
{
    uint8_t octets[READ_SIZE];
    enum tcp_status status;
    size_t n;

    status = tcp_read(talk->connection.fd, octets, sizeof octets, &n);
    switch (status) {
    case TCP_READ_OCTETS:
        watch_octets(talk->connection.watch, WATCH_DUT, octets, n, acked_by_dut(talk));
        talk->connection.in_offset += n;
        talk->job.received += n;
        g_byte_array_append(talk->connection.in, octets, (guint)n);
        if (talk->job.received > talk->job.run->received_max) {
            talk_inconclusive(talk, "the device sent more than %" G_GUINT64_FORMAT " octets",
                              talk->job.run->received_max);
            talk->job.flooded = true;
            talk_reset(talk);
        }
        return true;
    case TCP_READ_FIN:
        if (talk->connection.dut_fin)
            return false;
        talk->connection.dut_fin = true;
        watch_fin(talk->connection.watch, WATCH_DUT, acked_by_dut(talk));
        return true;
    case TCP_READ_RESET:
        talk->connection.dut_reset = true;
        watch_reset(talk->connection.watch, WATCH_DUT);
        return true;
    default:
        return false;
    }
}

/* One slice of a wait. */
static bool receive_within(struct talk *talk, int64_t left)
{
    bool unacked = acked_by_dut(talk) < talk->connection.out_offset;
    int wait = (int)CLAMP((left + ms - 1) / ms, 0, TCP_STOP_SLICE_MS);
    bool news = tcp_wait(talk->connection.fd, talk->connection.dut_fin, unacked ? MIN(wait, ACK_SLICE_MS) : wait);

    if (news && suite_talk_take(talk))
        return true;
    if (news && talk->connection.dut_fin)
        g_usleep(1000); /* only an RST can still come */
    watch_acked(talk->connection.watch, WATCH_DUT, acked_by_dut(talk));
    return false;
}

bool talk_receive(struct talk *talk, int64_t until)
{
    int64_t left;

    until = MIN(until, talk->job.deadline);
    do {
        /* Nothing can come after both FINs. */
        if (talk->connection.fd < 0 || talk->connection.dut_reset ||
            (talk->connection.dut_fin && talk->connection.our_fin))
            return false;
        left = until - talk_now();
        if (receive_within(talk, left))
            return true;
    } while (left > 0 && !suite_stopped);
    return false;
}

uint64_t talk_out_offset(const struct talk *talk)
{
    return talk->connection.out_offset;
}

struct talk_next *talk_for_next(struct talk *talk)
{
    return &talk->next;
}

void talk_set_window(struct talk *talk, unsigned octets)
{
    if (talk->connection.fd >= 0 && talk->startup.operating)
        tcp_set_window(talk->connection.fd, octets);
    else
        talk->next.window = octets;
}

void talk_sleep(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;

    while (talk_receive(talk, until)) {
    }
    /* Many small delays add up: a device need not wait forever for octets that are sent in pieces. */
    if (talk_is_open(talk))
        talk->job.result->dragged += MAX(talk_now() - until, 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/learn/ask_device.h"

#include "traffic-gen/suite/run/user_command.h"
#include "traffic-gen/suite/talk/talk_internal.h"
#include "traffic-gen/suite/talk/tcp_socket.h"

#include <string.h>

enum {
    HEARD_MAX = 8, /* FPDUs that an output names */
    ASKED_MAX = 3, /* how often a word is asked of a living device that refuses a connection for it */
    LATER = 4,     /* each time that a sign of life is waited for, so many times longer than before */
    REFUSED_MAX = 2,
    BATCH = 4, /* a sign of life is asked for after so many times as many words as run at the same time */
};

static const int64_t retry_ns = 50 * INT64_C(1000000), sure_ns = 5 * INT64_C(1000000000);

/* One word, on one connection. */
struct exchange {
    const struct ask_device *device;
    const struct learn_input *inputs; /* that the word is of */
    const struct word *word;
    struct answer *answer;
    int64_t quiet;
    bool first_only; /* the first thing that the device says will do */
    bool asked;      /* there was a connection */
    char *why;       /* there was none */
};

/* ---- outputs of the start-up ---- */

static void name_frame(const struct mpa_startup *frame, GString *out)
{
    g_string_append_printf(out, "%s Rev %u%s%s%s", frame->flags & MPA_FLAG_R ? "rejecting Reply" : "Reply",
                           frame->revision, frame->flags & MPA_FLAG_M ? " M" : "",
                           frame->flags & MPA_FLAG_C ? " C" : "", frame->flags & MPA_FLAG_S ? " S" : "");
    if (frame->has_enhanced && frame->enhanced.peer_to_peer)
        g_string_append(out, " A");
}

static void name_fpdu(const struct talk_heard *heard, GString *out)
{
    const struct rdmap_opcode_info *info = heard->has_ddp ? rdmap_opcode_info(heard->ddp.opcode) : NULL;

    if (heard->is_terminate)
        g_string_append_printf(out, "Terminate %u/%u/%02x", heard->terminate.layer, heard->terminate.etype,
                               heard->terminate.code);
    else
        g_string_append(out, info ? info->name : "FPDU");
}

static void name(const struct talk_heard *heard, GString *out)
{
    switch (heard->what) {
    case TALK_SILENCE:
        break;
    case TALK_FRAME:
        name_frame(&heard->frame, out);
        break;
    case TALK_FPDU:
        name_fpdu(heard, out);
        break;
    case TALK_GARBAGE:
        g_string_append(out, "octets");
        break;
    case TALK_FIN:
        g_string_append(out, "FIN");
        break;
    case TALK_RESET:
        g_string_append(out, "RST");
        break;
    }
}

static bool ends(const struct talk_heard *heard)
{
    return heard->what == TALK_FIN || heard->what == TALK_RESET;
}

static void take_frame(struct talk *talk, const struct talk_heard *heard)
{
    if (heard->what != TALK_FRAME)
        return;
    talk_keep_frame(talk, heard);
    if (!(heard->frame.flags & MPA_FLAG_R))
        talk_begin_operation(talk);
}

/* The same once more says nothing new, and how often depends on when we stop to listen. */
static void add_output(GString *out, const char *output, const char *last)
{
    if (*output && strcmp(output, last) != 0)
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", output);
}

/* Until it is quiet. True: the device has ended the connection. */
static bool hear_startup(const struct exchange *exchange, struct talk *talk, GString *out)
{
    const struct talk_heard *heard;
    int64_t began = talk_now();
    g_autofree char *last = g_strdup("");

    for (unsigned i = 0; i < HEARD_MAX; i++) {
        g_autoptr(GString) output = g_string_new(NULL);

        heard = talk_hear(talk, exchange->quiet);
        if (heard->what == TALK_SILENCE)
            return false;
        exchange->answer->slow |= talk_now() - began > exchange->quiet / 2;
        name(heard, output);
        add_output(out, output->str, last);
        if (ends(heard) || exchange->first_only)
            return ends(heard);
        g_free(last);
        last = g_string_free(g_steal_pointer(&output), FALSE);
        take_frame(talk, heard);
        began = talk_now();
    }
    return false;
}

/* ---- outputs of RPC-over-RDMA ---- */

static bool hear_rpc(const struct exchange *exchange, struct rpc_talker *talker, GString *out)
{
    guint before = talker->heard->len;
    int64_t began = talk_now();
    const char *last = "";

    rpc_talker_pump(talker, exchange->quiet, NULL);
    for (guint i = before; i < talker->heard->len && i < before + HEARD_MAX; i++) {
        const char *output = rpc_answer_words(rpc_talker_kind(g_ptr_array_index(talker->heard, i)));

        add_output(out, output, last);
        last = output;
    }
    exchange->answer->slow |= talker->heard->len > before && talk_now() - began > exchange->quiet * 3 / 2;
    if (!talker->fed_end && !talker->terminated)
        return false;
    add_output(out, talker->terminated ? "Terminate" : "the end of the connection", "");
    return true;
}

static void say_rpc(struct rpc_talker *talker, const struct learn_input *input)
{
    talker->xid++; /* no server's reply cache knows it */
    rpc_talker_say_statement(talker, input->says);
}

/* ---- a word ---- */

static bool answer_one(const struct exchange *exchange, struct talk *talk, struct rpc_talker *talker, unsigned i)
{
    const struct learn_input *input = &exchange->inputs[exchange->word->input[i]];
    struct answer *answer = exchange->answer;
    g_autoptr(GString) out = g_string_new(NULL);

    if (input->say)
        input->say(talk, input);
    else
        say_rpc(talker, input);
    if (!talk->our_reset)
        answer->over = talker ? hear_rpc(exchange, talker, out) : hear_startup(exchange, talk, out);
    answer->over |= input->ends;
    answer->output[answer->n++] = g_intern_string(out->len > 0 ? out->str : "-");
    return !answer->over;
}

static void answer_all(const struct exchange *exchange, struct talk *talk, struct rpc_talker *talker)
{
    *exchange->answer = (struct answer){0};
    for (unsigned i = 0; i < exchange->word->n && answer_one(exchange, talk, talker, i); i++)
        ;
}

static bool try_once(struct exchange *exchange, struct talk *talk)
{
    struct rpc_talker talker;

    if (!exchange->device->alphabet->rpc) {
        exchange->asked = talk_open(talk);
        if (exchange->asked)
            answer_all(exchange, talk, NULL);
        return exchange->asked;
    }
    exchange->asked = rpc_talker_open(&talker, talk, NULL);
    if (exchange->asked)
        answer_all(exchange, talk, &talker);
    rpc_talker_close(&talker);
    return exchange->asked;
}

/* What comes only now was an answer to something before. */
static void hang_up(const struct exchange *exchange, struct talk *talk)
{
    uint64_t received = talk->in_offset;

    talk_hang_up(talk);
    exchange->answer->slow |= talk->in_offset > received;
}

/* A device may take a moment until it listens again. */
static void exchange_word(gpointer data, gpointer user_data)
{
    struct exchange *exchange = data;
    int64_t until = talk_now() + exchange->device->run->t_recover;

    (void)user_data;
    exchange->asked = false;
    do {
        struct case_result *result = case_result_new();
        struct talk talk;

        talk_init(&talk, exchange->device->run, NULL, 1, result);
        if (!try_once(exchange, &talk)) {
            g_free(exchange->why);
            exchange->why = g_strdup(result->actual);
            g_usleep((gulong)(retry_ns / 1000));
        }
        hang_up(exchange, &talk);
        talk_clear(&talk);
        case_result_free(result);
    } while (!exchange->asked && talk_now() < until && !suite_stopped);
}

/* Those that have not been asked yet. */
static void exchange_words(const struct ask_device *device, struct exchange *exchanges, unsigned n)
{
    GThreadPool *pool = g_thread_pool_new(exchange_word, NULL, (gint)device->jobs, FALSE, NULL);

    for (unsigned i = 0; i < n; i++)
        if (!exchanges[i].asked)
            g_thread_pool_push(pool, &exchanges[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
}

/* ---- a device that dies ---- */

static bool revive(const struct ask_device *device, char **why)
{
    g_autofree char *address = g_strdup_printf("IWARP_DEVICE=%s", device->address);
    const char *const variables[] = {address, NULL};

    return user_command_run(device->reset, variables, device->t_reset, why);
}

static void name_suspects(const struct ask_device *device, const struct exchange *exchanges, unsigned n, char **why)
{
    g_autoptr(GString) text = g_string_new("the device died");

    for (unsigned i = 0; i < n; i++) {
        g_string_append(text, i == 0 ? " of \"" : "\", or of \"");
        word_text(exchanges[i].word, device->inputs, text);
    }
    g_string_append_printf(text, "\" (%s): --reset-command revives it%s",
                           exchanges[n - 1].why ? exchanges[n - 1].why : "it gives no sign of life",
                           n > 1 ? ", -j 1 says which it was" : "");
    *why = g_string_free(g_steal_pointer(&text), FALSE);
}

/* What it says to the first input of the alphabet, which is harmless; NULL: there is no connection. */
static const char *sign_of_life(const struct ask_device *device, int64_t quiet, char **why)
{
    const struct word harmless = {.n = 1};
    struct answer answer = {0};
    struct exchange exchange = {.device = device,
                                .inputs = learn_alphabet(device->alphabet->name)->inputs,
                                .word = &harmless,
                                .answer = &answer,
                                .quiet = quiet,
                                .first_only = true};

    exchange_word(&exchange, NULL);
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
 * A device, or the machine that it runs on, may have other work to do: it is asked again, and has longer each time, up
 * to some seconds. *late: it needed that. expected NULL: any answer will do. NULL: it never gave a sign of life.
 */
static const char *await_life(const struct ask_device *device, const char *expected, bool *late, char **why)
{
    unsigned refused = 0;
    bool sure = false;

    *late = false;
    for (int64_t quiet = device->quiet; !sure && refused < REFUSED_MAX && !suite_stopped; quiet *= LATER) {
        const int64_t began = talk_now(), wait = MIN(quiet, MAX(sure_ns, device->quiet));
        const char *output = sign_of_life(device, wait, why);

        if (output && (expected ? output == expected : !is_silence(output)))
            return output;
        *late = true;
        refused += !output;
        sure = quiet >= sure_ns;
        pause_until(began + wait);
    }
    return NULL;
}

bool ask_device_begin(struct ask_device *device, char **why)
{
    bool late;

    device->life = await_life(device, NULL, &late, why);
    if (!device->life && !*why) /* it takes connections, and says nothing to what usually has an answer */
        device->life = g_intern_static_string("-");
    return device->life && !suite_stopped;
}

/* After these exchanges. What a device answered while it was late may not be its usual answer. */
static bool is_dead(const struct ask_device *device, struct exchange *exchanges, unsigned n)
{
    g_autofree char *why = NULL;
    bool late;
    const char *output = await_life(device, device->life, &late, &why);

    for (unsigned i = 0; i < n; i++)
        exchanges[i].answer->slow |= late && output;
    return !output;
}

/* Each alone, on a device that was alive before it. */
static bool ask_alone(const struct ask_device *device, struct exchange *exchange, char **why)
{
    exchange_word(exchange, NULL);
    if (!exchange->asked) {
        *why = g_strdup_printf("after --reset-command: %s", exchange->why);
        return false;
    }
    if (is_dead(device, exchange, 1) && !suite_stopped) {
        struct answer *answer = exchange->answer;
        const char *last = answer->output[answer->n - 1];
        g_autofree char *dead = is_silence(last) ? g_strdup("dead") : g_strdup_printf("%s, dead", last);

        answer->output[answer->n - 1] = g_intern_string(dead);
        answer->over = true;
        return revive(device, why);
    }
    return true;
}

/* n exchanges, of which one has killed it, or one of those before it was noticed. */
static bool find_death(const struct ask_device *device, struct exchange *exchanges, unsigned n, char **why)
{
    if (!device->reset) {
        name_suspects(device, exchanges, n, why);
        return false;
    }
    if (!revive(device, why))
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

/* After them it is looked whether the device lives, before others are suspects, too. */
static bool ask_some(const struct ask_device *device, struct exchange *exchanges, unsigned n, char **why)
{
    for (unsigned tries = 0; tries < ASKED_MAX; tries++) {
        bool dead;

        exchange_words(device, exchanges, n);
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

/* How many are suspects together: if it cannot be revived, so that each is asked alone, they had better be few. */
static unsigned batch_of(const struct ask_device *device)
{
    return device->reset && device->jobs > 1 ? BATCH * device->jobs : device->jobs;
}

bool ask_device(void *ctx, const struct word *words, struct answer *answers, unsigned n, unsigned patience, char **why)
{
    const struct ask_device *device = ctx;
    g_autofree struct exchange *exchanges = g_new0(struct exchange, n);
    bool good = true;

    for (unsigned i = 0; i < n; i++)
        exchanges[i] = (struct exchange){.device = device,
                                         .inputs = device->alphabet->inputs,
                                         .word = &words[i],
                                         .answer = &answers[i],
                                         .quiet = device->quiet * patience};
    for (unsigned i = 0; i < n && good; i += batch_of(device))
        good = ask_some(device, exchanges + i, MIN(batch_of(device), n - i), why);
    for (unsigned i = 0; i < n; i++)
        g_free(exchanges[i].why);
    return good;
}

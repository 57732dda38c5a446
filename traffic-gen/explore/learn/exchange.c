// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/exchange.h"

#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

enum { HEARD_MAX = 8 /* most FPDUs in an output */ };

static const int64_t retry_ns = 50 * INT64_C(1000000);

void exchange_costs_add(struct exchange_costs *sum, const struct exchange_costs *costs)
{
    sum->connections += costs->connections;
    sum->inputs += costs->inputs;
    sum->start += costs->start;
    sum->answers += costs->answers;
    sum->silence += costs->silence;
    sum->end += costs->end;
    sum->longest = MAX(sum->longest, costs->longest);
}

static void exchange_note_answer(struct exchange *exchange, int64_t ns)
{
    exchange->costs.answers += ns;
    exchange->costs.longest = MAX(exchange->costs.longest, ns);
}

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

static void exchange_name(const struct talk_heard *heard, GString *out)
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

static bool exchange_ends(const struct talk_heard *heard)
{
    return heard->what == TALK_FIN || heard->what == TALK_RESET;
}

/* Repetitions are dropped: their number depends on when we stop listening. */
static void add_output(GString *out, const char *output, const char *last)
{
    if (*output && strcmp(output, last) != 0)
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", output);
}

static bool is_all(const char *known, const GString *out)
{
    return known && strcmp(known, out->str) == 0;
}

/* known: the expected output; NULL: unknown. */
static int64_t exchange_wait_for(const struct exchange *exchange, const char *known, const GString *out)
{
    if (!known)
        return exchange->pace.unknown;
    if (is_all(known, out))
        return exchange->pace.settle;
    return strcmp(known, "-") == 0 ? exchange->pace.silence : exchange->pace.known;
}

/* Listens until silence, or the known output. True: the device has ended the connection. */
static bool hear_startup(struct exchange *exchange, struct talk *talk, const char *known, GString *out)
{
    const struct talk_heard *heard;
    g_autofree char *last = g_strdup("");

    for (unsigned i = 0; i < HEARD_MAX; i++) {
        const int64_t began = talk_now(), wait = exchange_wait_for(exchange, known, out);
        g_autoptr(GString) output = g_string_new(NULL);

        heard = talk_hear(talk, wait);
        if (heard->what == TALK_SILENCE) {
            exchange->costs.silence += talk_now() - began;
            return false;
        }
        exchange_note_answer(exchange, talk_now() - began);
        exchange->answer->slow |= !known && talk_now() - began > wait / 2;
        exchange_name(heard, output);
        add_output(out, output->str, last);
        if (exchange_ends(heard) || exchange->first_only)
            return exchange_ends(heard);
        g_free(last);
        last = g_string_free(g_steal_pointer(&output), FALSE);
        if (heard->what == TALK_FRAME) {
            talk_keep_frame(talk, heard);
            if (!(heard->frame.flags & MPA_FLAG_R))
                talk_begin_operation(talk);
        }
        /* Some devices lose messages right after their Reply. */
        if (is_all(known, out) && heard->what != TALK_FRAME)
            return false;
    }
    return false;
}

/* ---- outputs of RPC-over-RDMA ---- */

static bool exchange_is_over(const struct rpc_talker *talker)
{
    return talker->fed_end || talker->terminated;
}

/* New messages since then. */
static void name_messages(const struct rpc_talker *talker, guint before, GString *out)
{
    const char *last = "";

    g_string_truncate(out, 0);
    for (guint i = before; i < talker->heard->len && i < before + HEARD_MAX; i++) {
        const char *output = rpc_answer_words(rpc_talker_kind(g_ptr_array_index(talker->heard, i)));

        add_output(out, output, last);
        last = output;
    }
    if (exchange_is_over(talker))
        add_output(out, talker->terminated ? "Terminate" : "the end of the connection", "");
}

/* Listens until silence, or the known output. */
static bool hear_rpc(struct exchange *exchange, struct rpc_talker *talker, const char *known, GString *out)
{
    const guint before = talker->heard->len;
    int64_t began = talk_now(), wait = exchange_wait_for(exchange, known, out);

    while (!exchange_is_over(talker) && talker->heard->len < before + HEARD_MAX && !is_all(known, out)) {
        const guint heard = talker->heard->len;

        if (rpc_talker_hear(talker, MAX(began + wait - talk_now(), 0)) == RPC_PORT_SILENCE ||
            talk_now() > began + wait + talk_t_react(talker->talk))
            break;
        if (talker->heard->len == heard && !exchange_is_over(talker))
            continue; /* Reads and Writes of either side */
        exchange_note_answer(exchange, talk_now() - began);
        exchange->answer->slow |= !known && talk_now() - began > wait / 2;
        name_messages(talker, before, out);
        if (exchange->first_only)
            break;
        began = talk_now();
        wait = exchange_wait_for(exchange, known, out);
    }
    if (!exchange->first_only && !is_all(known, out))
        exchange->costs.silence += talk_now() - began;
    return exchange_is_over(talker);
}

/* ---- a word ---- */

static bool exchange_answer_one(struct exchange *exchange, struct talk *talk, struct rpc_talker *talker, unsigned i)
{
    const struct question *question = exchange->question;
    const struct learn_input *input = &exchange->inputs[question->word.input[i]];
    const char *known = i < question->n_known ? question->known[i] : NULL;
    struct answer *answer = exchange->answer;
    g_autoptr(GString) out = g_string_new(NULL);

    if (input->say)
        input->say(talk, input);
    else if (talker) {
        talker->xid++; /* no server's reply cache knows it */
        rpc_talker_say_statement(talker, input->says);
    }
    exchange->costs.inputs++;
    if (!talk_has_reset(talk))
        answer->over = talker ? hear_rpc(exchange, talker, known, out) : hear_startup(exchange, talk, known, out);
    answer->over |= input->ends;
    answer->output[answer->n] = g_intern_string(out->len > 0 ? out->str : "-");
    answer->n++;
    return !answer->over && (!known || known == answer->output[i]);
}

static void exchange_answer_all(struct exchange *exchange, struct talk *talk, struct rpc_talker *talker)
{
    *exchange->answer = (struct answer){0};
    for (unsigned i = 0; i < exchange->question->word.n && exchange_answer_one(exchange, talk, talker, i); i++)
        ;
}

/* For an Initiator: with its Request. */
static bool open_startup(const struct exchange *exchange, struct talk *talk)
{
    if (!talk_open(talk))
        return false;
    if (!exchange->alphabet->initiator || talk_hear_frame(talk))
        return true;
    talk_inconclusive(talk, "a connection without a Request: %s", talk_found(talk));
    return false;
}

static void try_once(struct exchange *exchange, struct talk *talk)
{
    const int64_t began = talk_now();
    struct rpc_talker talker;

    exchange->asked = exchange->alphabet->rpc ? rpc_talker_open(&talker, talk, NULL) : open_startup(exchange, talk);
    exchange->costs.start += talk_now() - began;
    exchange->costs.connections += exchange->asked;
    if (exchange->asked)
        exchange_answer_all(exchange, talk, exchange->alphabet->rpc ? &talker : NULL);
    if (exchange->alphabet->rpc)
        rpc_talker_close(&talker);
}

/* Anything that only comes now may answer an earlier input. */
static void hang_up(struct exchange *exchange, struct talk *talk)
{
    const int64_t began = talk_now();
    const bool said_more = talk_hang_up(talk);

    exchange->costs.end += talk_now() - began;
    exchange->answer->slow |= exchange->hasty && said_more;
}

void exchange_run(struct exchange *exchange)
{
    int64_t until = talk_now() + exchange->run->t_recover;

    exchange->asked = false;
    do {
        struct talk *talk = talk_begin_job(exchange->run, NULL, 1, NULL);

        try_once(exchange, talk);
        if (!exchange->asked) {
            g_free(exchange->why);
            exchange->why = g_strdup(talk_actual(talk));
            g_usleep((gulong)(retry_ns / 1000));
        }
        hang_up(exchange, talk);
        talk_end_job(talk);
    } while (!exchange->asked && talk_now() < until && !suite_stopped);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: credits, Receive buffers, inline thresholds and the private data that advertise them (RFC 8166
 * section 3.3, RFC 8797).
 */
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/tester/suite/rpc/reuse.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

enum { CREDITS = 64, SERVED = 40, FORGOTTEN = 0xEAD };

/* ---- credits ---- */

void rpcrdma_sizes_bursts(struct rpc_talker *talker, const struct suite_case *row)
{
    const unsigned before = row->variant == LATER ? 3 : 0, times = row->variant == LATER ? 3 : 1;
    uint32_t xid = talker->xids + TALKER_XID_BURST + (row->variant == LATER ? CREDITS : 0);
    bool good = true;

    for (unsigned i = 0; i < before && good; i++)
        good = rpc_talker_alive(talker);
    for (unsigned i = 0; i < times && good; i++, xid += CREDITS)
        good = calls_burst(talker, "call null credit=64", xid, MIN(talker->grant, CREDITS), talk_t_close(talker->talk));
    if (good)
        talk_passed(talker->talk, "all were answered, with a grant of %u", talker->grant);
}

enum { NO_REPLY = RPC_ANSWER_SILENCE | RPC_ANSWER_GONE | RPC_ANSWER_NONSENSE };

/* Each Call is answered. */
void rpcrdma_sizes_none_forgotten(struct rpc_talker *talker, const struct suite_case *row)
{
    static const uint32_t xids[] = {TALKER_XID_BURST + 1, TALKER_XID_BURST + 2, FORGOTTEN, TALKER_XID_BURST + 3};
    enum rpc_answer answer = RPC_ANSWER_SUCCESS;

    (void)row;
    for (unsigned i = 0; i < G_N_ELEMENTS(xids) && !(answer & NO_REPLY); i++) {
        rpc_talker_say(talker, "call null xid=%u", talker->xids + xids[i]);
        answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    }
    if (answer == RPC_ANSWER_NONSENSE)
        talk_inconclusive(talker->talk, "%s", rpc_answer_words(answer));
    else if (answer == RPC_ANSWER_GONE)
        talk_passed_by_end(talker->talk, "the connection ends");
    else if (answer != RPC_ANSWER_SILENCE)
        talk_passed(talker->talk, "each is answered");
    else if (rpc_talker_alive(talker))
        talk_failed(talker->talk, "expected each Call answered; one was not, and a later one was");
}

/* variant: how many connections, each of which is over before the next one. */
void rpcrdma_sizes_many_connections(struct talk *talk, const struct suite_case *row)
{
    const unsigned n = (unsigned)row->variant;
    const struct talk_run *run = talk_job(talk)->run;
    bool good = true, tired = false, ours = false; /* this host's fault */
    unsigned i = 0;

    if (run->pace || reuse_is_on(run)) {
        talk_not_applicable(talk, "the device needs time between connections (--reuse, --connections-per-second)");
        return;
    }
    for (; i < n && good && !tired && !suite_stopped; i += good) {
        const int64_t began = talk_now();
        struct rpc_talker talker;

        good = rpc_talker_open(&talker, talk, &(struct talker_wish){.alone = true});
        ours = rpc_talker_failed_here(&talker);
        tired = talker.waited;
        rpc_talker_close(&talker);
        talk_extend(talk, talk_now() - began);
    }
    if (good && tired) {
        talk_inconclusive(talk, "the device took connection %u only after it had refused it for a while", i);
    } else if (i == n) {
        talk_passed(talk, "%u connections, one after the other, and a Reply on each", n);
    } else if (i > 0 && !ours && !suite_stopped) {
        g_autofree char *what = g_strdup(talk_actual(talk));

        talk_failed(talk, "expected %s; found on connection %u: %s", row->expected, i + 1, what);
    }
}

/* ---- Receive buffers ---- */

enum { NULL_REPLY = 24 /* octets */ };

static uint32_t advertised_size(const struct rpc_talker *talker)
{
    return talker->peer.tells ? talker->peer.data.receive_size : 0;
}

/* 0: verdict is set (not applicable). */
static size_t large_size(struct rpc_talker *talker, int variant)
{
    size_t advertised = MIN(advertised_size(talker), 65536);

    if (variant != AS_TOLD)
        return RPCRDMA_INLINE_DEFAULT;
    if (advertised > RPCRDMA_INLINE_DEFAULT)
        return advertised;
    talk_not_applicable(talker->talk, "the device does not advertise a Receive Size above 1024");
    return 0;
}

/* A Reply to nobody is discarded, and the client continues. */
static void large_to_client(struct rpc_talker *talker, size_t size)
{
    g_autofree char *what = g_strdup_printf("a Send of %zu octets", size);

    if (rpc_talker_wait_calls(talker, 1) &&
        rpc_talker_say(talker, "reply null xid=0x7B7B7B7B grow=%zu", size - RPCRDMA_HEADER_MIN - NULL_REPLY))
        rpc_talker_judge_continues(talker, what);
}

static void large_to_server(struct rpc_talker *talker, size_t size)
{
    if (rpc_talker_say(talker, "call null grow=%zu", size - RPC_NULL_SEND))
        rpcrdma_judge(talker, RPC_ANSWER_SUCCESS | RPC_ANSWER_GARBAGE | RPC_ANSWER_RPC_ERROR,
                      rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk)));
}

void rpcrdma_sizes_large_send(struct rpc_talker *talker, const struct suite_case *row)
{
    size_t size = large_size(talker, row->variant);

    if (size > 0 && talk_is_initiator(talker->talk))
        large_to_server(talker, size);
    else if (size > 0)
        large_to_client(talker, size);
}

/* ---- chunks of our own ---- */

/* A READ of more than fits inline by either side's sizes; variant: octets of the chunk for it. */
void rpcrdma_sizes_too_small(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;
    bool beyond = false;

    if (!calls_say(talker, row))
        return;
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    for (int i = row->variant; i < TALKER_REGION; i++)
        beyond |= talker->memory.region[i] != 0;
    if (beyond || (talker->terminated && talker->error == QP_LOCAL_ACCESS))
        talk_failed(talker->talk, "expected nothing past the end of a chunk of %d octets; the device wrote there",
                    row->variant);
    else if (talker->terminated && talker->error == QP_LOCAL_LENGTH)
        talk_failed(talker->talk, "expected %s; found a Send that is too long for our Receive buffer", row->expected);
    else
        rpcrdma_judge(talker, RPC_FAULTS | RPC_ANSWER_SUCCESS, answer);
}

/* ---- private data ---- */

enum { RESULT = 3500, SIZE_3 = 4096 };

/* A file of RESULT octets, read without chunks: whether the Reply comes inline shows what the device understood. */
static void ask_inline(struct rpc_talker *talker, unsigned expects)
{
    struct talk *talk = talker->talk;
    bool took;

    if (!calls_say(talker, talk_job(talk)->row))
        return;
    took = rpc_talker_status(talker) == 0 && talker->reply.message.n > RESULT;
    if (expects == INLINE_TAKEN && !took)
        talk_failed(talk,
                    "expected a Reply of %d octets inline, as both sides advertise 4096; it did not come inline: the "
                    "device has not understood our private data",
                    RESULT);
    else if (talker->terminated || talker->fed_end || talker->reply.n == 0)
        talk_failed(talk, "expected %s; found %s", talk_job(talk)->row->expected, rpc_talker_result_words(talker));
    else
        talk_passed(talk, took ? "the Reply comes inline" : "no long Send: %s", rpc_talker_result_words(talker));
}

static bool has_served_enough(const struct rpc_talker *talker)
{
    return talker->server.served >= SERVED;
}

static bool has_shown(const struct rpc_talker *talker)
{
    return talker->server.served >= SERVED && talker->server.showing > 0;
}

/* A client whose Calls must fit our Receive buffers. Calls show that which only a mistake would send inline. */
static void serve_all(struct rpc_talker *talker, const struct suite_case *row)
{
    const unsigned expects = (unsigned)row->variant;
    struct talk *talk = talker->talk;

    talker->server.shows_above = talker->size;
    while (talker->server.n_held > 0)
        rpc_talker_answer(talker, 0);
    rpc_talker_pump(talker, (expects == INLINE_NOT ? 3 : 1) * talk_t_close(talk),
                    expects == INLINE_NOT ? has_shown : has_served_enough);
    if (talker->terminated)
        talk_failed(talk, "expected %s; found %s", row->expected, rpc_talker_end_words(talker));
    else if (talker->fed_end && !rpc_talker_unmounted(talker))
        talk_failed(talk, "expected %s; found the end of the connection", row->expected);
    else if (talker->server.served == 0 && !rpc_talker_left_early(talker))
        talk_inconclusive(talk, "the device makes no Calls: keep it busy");
    else if (expects == INLINE_NOT && talker->server.showing == 0)
        talk_inconclusive(talk,
                          "none of %u Calls has more than %u octets and fewer than 4096, to show what size it assumes "
                          "for our Receive buffers",
                          talker->server.served, (uint32_t)talker->server.shows_above);
    else if (expects == INLINE_NOT)
        talk_passed(talk, "%u Calls, %u of them longer than our Receive buffers and not sent inline",
                    talker->server.served, talker->server.showing);
    else
        talk_passed(talk, "%u Calls are made", talker->server.served);
}

static void ask_server(struct rpc_talker *talker, unsigned expects)
{
    if (expects == INLINE_TAKEN && advertised_size(talker) < SIZE_3)
        talk_not_applicable(talker->talk, "the device does not advertise sizes of 4096");
    else if (expects != ALIVE)
        ask_inline(talker, expects);
    else if (rpc_talker_alive(talker))
        talk_passed(talker->talk, "Calls are answered");
}

void rpcrdma_sizes_private_data(struct rpc_talker *talker, const struct suite_case *row)
{
    if (talk_is_initiator(talker->talk))
        ask_server(talker, (unsigned)row->variant);
    else
        serve_all(talker, row);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: credits, Receive buffers, inline thresholds and the private data that advertise them (RFC 8166
 * section 3.3, RFC 8797).
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/nfs.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum { CREDITS = 64, SERVED = 40, FORGOTTEN = 0xEAD };

/* ---- credits ---- */

static void send_null(struct rpc_talker *talker, uint32_t xid, uint32_t credit, size_t size)
{
    uint32_t before = talker->xid;
    GByteArray *octets;

    talker->xid = xid;
    octets = rpc_talker_octets(talker, "XID 00000001 00000008 00000000 00000000 00000000 00000000 NULL");
    put_be32(octets->data + 8, credit);
    if (size > octets->len) {
        guint from = octets->len;

        g_byte_array_set_size(octets, (guint)size);
        memset(octets->data + from, 0, size - from);
    }
    rpc_talker_send(talker, octets->data, octets->len);
    g_byte_array_unref(octets);
    talker->xid = before;
}

/* As many Calls at once as are granted, up to what was requested: all are answered. */
static bool burst(struct rpc_talker *talker, uint32_t xid)
{
    uint32_t n = MIN(talker->grant, CREDITS);

    for (uint32_t i = 0; i < n; i++)
        send_null(talker, xid + i, CREDITS, 0);
    for (uint32_t i = 0; i < n; i++) {
        enum rpc_answer answer = rpc_talker_await(talker, xid + i, talk_t_close(talker->talk));

        if (answer == RPC_ANSWER_SILENCE || answer == RPC_ANSWER_GONE) {
            talk_failed(talker->talk,
                        "expected an answer to each of %u simultaneous Calls, as granted; number %u has %s", n, i + 1,
                        rpc_answer_words(answer));
            return false;
        }
    }
    return true;
}

enum { AT_ONCE, LATER };

static void bursts(struct rpc_talker *talker, const struct suite_case *row)
{
    const unsigned before = row->variant == LATER ? 3 : 0, times = row->variant == LATER ? 3 : 1;
    uint32_t xid = talker->xids + TALKER_XID_BURST + (row->variant == LATER ? CREDITS : 0);
    bool good = true;

    for (unsigned i = 0; i < before && good; i++)
        good = rpc_talker_alive(talker);
    for (unsigned i = 0; i < times && good; i++, xid += CREDITS)
        good = burst(talker, xid);
    if (good)
        talk_passed(talker->talk, "all were answered, with a grant of %u", talker->grant);
}

/* The requester asks for an unusual number. */
static void requested(struct rpc_talker *talker, const struct suite_case *row)
{
    uint32_t xid = talker->xids + TALKER_XID_BURST;
    enum rpc_answer answer;

    send_null(talker, xid, (uint32_t)row->variant, 0);
    answer = rpc_talker_await(talker, xid, talk_t_react(talker->talk));
    if (answer == RPC_ANSWER_SUCCESS && talker->grant == 0)
        talk_failed(talker->talk, "expected a grant of at least 1; the Reply grants 0 credits");
    else
        rpcrdma_judge(talker, RPC_ANSWER_SUCCESS, answer);
}

/* Each Call is answered. */
static void none_forgotten(struct rpc_talker *talker, const struct suite_case *row)
{
    static const uint32_t xids[] = {TALKER_XID_BURST + 1, TALKER_XID_BURST + 2, FORGOTTEN, TALKER_XID_BURST + 3};
    enum rpc_answer answer = RPC_ANSWER_SUCCESS;

    (void)row;
    for (unsigned i = 0; i < G_N_ELEMENTS(xids) && answer != RPC_ANSWER_SILENCE && answer != RPC_ANSWER_GONE; i++) {
        send_null(talker, talker->xids + xids[i], 8, 0);
        answer = rpc_talker_await(talker, talker->xids + xids[i], talk_t_close(talker->talk));
    }
    if (answer != RPC_ANSWER_SILENCE)
        talk_passed(talker->talk, "each is answered, or the connection ends");
    else if (rpc_talker_alive(talker))
        talk_failed(talker->talk, "expected each Call answered; one was not, and a later one was");
}

/* ---- Receive buffers ---- */

enum { SMALLEST, AS_TOLD };

static uint32_t advertised_size(const struct rpc_talker *talker)
{
    return talker->tells ? talker->peer_data.receive_size : 0;
}

/* A Reply to nobody, of that size: discarded, and the client continues. */
static void large_to_client(struct rpc_talker *talker, size_t size)
{
    uint8_t *octets;
    struct xdr_writer w;
    char *what;

    if (!rpc_talker_wait_calls(talker, 1))
        return;
    octets = g_malloc0(size);
    w = (struct xdr_writer){.p = octets, .size = size};
    rpcrdma_header_encode(&(struct rpcrdma_plan){.xid = 0x7B7B7B7B, .vers = 1, .credit = 8}, &w);
    xdr_put_u32(&w, 0x7B7B7B7B);
    xdr_put_u32(&w, RPC_REPLY);
    rpc_talker_send(talker, octets, size);
    g_free(octets);
    what = g_strdup_printf("a Send of %zu octets", size);
    rpc_talker_judge_continues(talker, what);
    g_free(what);
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

static void large_send(struct rpc_talker *talker, const struct suite_case *row)
{
    uint32_t xid = talker->xids + TALKER_XID_BURST;
    size_t size = large_size(talker, row->variant);

    if (size > 0 && !talk_is_initiator(talker->talk)) {
        large_to_client(talker, size);
    } else if (size > 0) {
        send_null(talker, xid, 8, size);
        rpcrdma_judge(talker, RPC_ANSWER_SUCCESS | RPC_ANSWER_GARBAGE | RPC_ANSWER_RPC_ERROR,
                      rpc_talker_await(talker, xid, talk_t_close(talker->talk)));
    }
}

/* ---- private data ---- */

enum { RESULT = 3500, SIZE_3 = 4096 };

/* What our private data lead to. */
enum { INLINE_TAKEN, INLINE_NOT, ALIVE };

/* A file of RESULT octets, read without chunks: whether the Reply comes inline shows what the device understood. */
static void ask_inline(struct rpc_talker *talker, unsigned expects)
{
    struct talk *talk = talker->talk;
    bool took;

    if (!rpc_talker_file(talker))
        return;
    rpc_talker_say(talker, "write len=3500 read reply=400");
    if (rpc_talker_status(talker) != 0) {
        talk_inconclusive(talk, "cannot write the file: %s", rpc_talker_result_words(talker));
        return;
    }
    rpc_talker_say(talker, "read len=3500");
    took = rpc_talker_status(talker) == 0 && talker->reply.n > RESULT;
    if (expects == INLINE_TAKEN && !took)
        talk_failed(talk,
                    "expected a Reply of %d octets inline, as both sides advertise 4096; it did not come inline: the "
                    "device has not understood our private data",
                    RESULT);
    else if (talker->terminated || talker->fed_end || talker->replied == 0)
        talk_failed(talk, "expected %s; found %s", talk->row->expected, rpc_talker_result_words(talker));
    else
        talk_passed(talk, took ? "the Reply comes inline" : "no long Send: %s", rpc_talker_result_words(talker));
}

static bool has_served_enough(const struct rpc_talker *talker)
{
    return talker->served >= SERVED;
}

static bool has_shown(const struct rpc_talker *talker)
{
    return talker->served >= SERVED && talker->showing > 0;
}

/* A client whose Calls must fit our Receive buffers. Calls show that which only a mistake would send inline. */
static void serve_all(struct rpc_talker *talker, const struct suite_case *row)
{
    const unsigned expects = (unsigned)row->variant;
    struct talk *talk = talker->talk;

    talker->shows_above = talker->size;
    while (talker->n_held > 0)
        rpc_talker_answer(talker, 0);
    rpc_talker_pump(talker, (expects == INLINE_NOT ? 3 : 1) * talk_t_close(talk),
                    expects == INLINE_NOT ? has_shown : has_served_enough);
    if (talker->terminated)
        talk_failed(talk, "expected %s; found %s", row->expected, rpc_talker_end_words(talker));
    else if (talker->fed_end && !rpc_talker_unmounted(talker))
        talk_failed(talk, "expected %s; found the end of the connection", row->expected);
    else if (talker->served == 0 && !rpc_talker_left_early(talker))
        talk_inconclusive(talk, "the device makes no Calls: keep it busy");
    else if (expects == INLINE_NOT && talker->showing == 0)
        talk_inconclusive(talk,
                          "none of %u Calls has more than %u octets and fewer than 4096, to show what size it assumes "
                          "for our Receive buffers",
                          talker->served, (uint32_t)talker->shows_above);
    else if (expects == INLINE_NOT)
        talk_passed(talk, "%u Calls, %u of them longer than our Receive buffers and not sent inline", talker->served,
                    talker->showing);
    else
        talk_passed(talk, "%u Calls are made", talker->served);
}

/* The connection did not come up: with the usual private data it must, or the cause is another. */
static void judge_refusal(struct talk *talk, const char *what)
{
    struct rpc_talker talker;

    if (!rpc_talker_open(&talker, talk, &(struct talker_wish){.alone = true}))
        return rpc_talker_close(&talker);
    if (talker.waited)
        talk_inconclusive(talk, "the device refuses any connection for a while: %s", what);
    else
        talk_failed(talk, "expected a connection as with the usual private data; it does not come up: %s", what);
    rpc_talker_close(&talker);
}

static void judge_sizes(struct rpc_talker *talker, unsigned expects)
{
    if (expects == INLINE_TAKEN && advertised_size(talker) < SIZE_3)
        talk_not_applicable(talker->talk, "the device does not advertise sizes of 4096");
    else if (expects != ALIVE)
        ask_inline(talker, expects);
    else if (rpc_talker_alive(talker))
        talk_passed(talker->talk, "Calls are answered");
}

/* A connection before it, with larger sizes. */
static bool connect_once(struct talk *talk)
{
    struct rpc_talker talker;
    bool good = rpc_talker_open(&talker, talk, NULL);

    rpc_talker_close(&talker);
    return good;
}

static void ask_server(struct talk *talk, const struct talker_wish *wish, unsigned expects)
{
    g_autofree char *what = NULL;
    struct rpc_talker talker;
    bool opened = rpc_talker_open(&talker, talk, wish);

    if (opened)
        judge_sizes(&talker, expects);
    what = g_strdup(talk->result->actual);
    rpc_talker_close(&talker);
    if (!opened && expects == ALIVE && !rpc_talker_failed_here(&talker))
        judge_refusal(talk, what);
}

static void private_data(struct talk *talk, const struct suite_case *row)
{
    const unsigned expects = (unsigned)row->variant;
    struct rpcrdma_wish wish;
    bool good = rpcrdma_wish(talk, row, &wish);

    if (good && talk_is_initiator(talk) && expects != ALIVE)
        good = rpc_talker_first_version(talk, &wish.wish.version);
    if (good && row->rule == RULE_CMPD_4_03)
        good = connect_once(talk);
    if (good && talk_is_initiator(talk))
        ask_server(talk, &wish.wish, expects);
    else if (good)
        rpc_talker_with_client(talk, row, &wish.wish, serve_all);
    rpcrdma_wish_clear(&wish);
}

static const struct suite_case tests[] = {
#include "suite_rpcrdma_sizes.inc"
};

const struct suite suite_rpcrdma_sizes = {"rpcrdma", tests, G_N_ELEMENTS(tests)};

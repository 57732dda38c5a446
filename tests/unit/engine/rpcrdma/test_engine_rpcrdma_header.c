// SPDX-License-Identifier: GPL-2.0-or-later
/* Sends of random octets, and a Send that ends twice. rules/rpcrdma.cases tests the headers one by one. */
#include "tests/unit/support/rpcrdma_talk.h"

#include <stdio.h>
#include <stdlib.h>

#define FIXED "00000010 00000001 00000020 00000000 "
#define NOMSG "00000010 00000001 00000020 00000001 "
#define NONE  "00000000 00000000 00000000 "
/* NULL of NFS version 3 */
#define RPC     "00000010 00000000 00000002 000186a3 00000003 00000000 [16] "
#define HLOO    "c0ffee01 00001000 00007f12 34567000 "
#define HLOO_2  "c0ffee02 00000800 00007f12 99990000 "
#define P0      "00000000 "
#define P80     "00000080 "
#define PZRC    "00000001 " P0 "c0ffee03 00000028 00007f12 55550000 "
#define WRITE_1 "00000001 00000001 " HLOO
#define WRITE_2 "00000001 00000002 " HLOO HLOO_2
#define END     "00000000 "

/* Words changed, octets cut off or inserted, in any order: only findings result. */
UNIT_TEST(test_at_random)
{
    static const char *const seeds[] = {
        FIXED NONE RPC,
        FIXED "00000001 " P80 HLOO END WRITE_2 WRITE_1 RPC,
        NOMSG PZRC END WRITE_1 WRITE_2,
        "00000010 00000001 00000020 00000004 00000001 00000001 00000001",
    };
    static const uint32_t words[] = {0,    1,          2,          3,          4,          5,
                                     0x10, 0x01000000, 0x10000001, 0x7fffffff, 0x80000028, UINT32_MAX};
    uint64_t random = 1;

    for (unsigned round = 0; round < 2000; round++) {
        struct rpcrdma_talk *t = talk_new();

        for (unsigned i = 0; i < 20; i++) {
            uint8_t octets[512];
            size_t n = octets_of(seeds[(random >> 20) % ARRAY_LENGTH(seeds)], octets, sizeof octets - 4);
            uint8_t *exact;

            for (unsigned k = 0; k < 3; k++) {
                size_t at;

                random = random * 6364136223846793005u + 1442695040888963407u;
                at = (random >> 33) % (n / 4 + 1) * 4;
                if ((random >> 60) < 4 && n >= 4)
                    n = at; /* cut off */
                else if ((random >> 60) < 8 && at + 4 <= n)
                    n -= 4, memmove(octets + at, octets + at + 4, n - at);
                else if (at + 4 <= n)
                    put_be32(octets + at, words[(random >> 50) % ARRAY_LENGTH(words)]);
            }
            exact = malloc(n + 1);
            assert_non_null(exact);
            memcpy(exact + 1, octets, n); /* so that out-of-bounds reads are found */
            talk_send_octets(t, random >> 59 & 1, exact + 1, n);
            free(exact);
        }
        talk_finish(t);
        talk_free(t);
    }
}

static void count(void *ctx, const struct rpcrdma_message *message)
{
    (*(unsigned *)ctx)++;
}

/* The first segment had L = 1 and was taken as the whole: later segments are not separate messages. */
UNIT_TEST(test_last_twice_in_a_send)
{
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan = talk_plan(t, C, 0x20);
    struct rdmap_operation op = {.number = ++t->operations, .kind = RDMAP_OP_SEND, .side = C, .msn = t->msn[C]};
    struct rdmap_segment_event part = {.message = t->messages[C]++};
    struct ddp_segment ddp = {.last = true, .opcode = RDMAP_SEND, .qn = DDP_QN_SEND, .msn = t->msn[C]++};
    unsigned messages = 0;
    uint8_t rpc[64];
    size_t n = talk_put_message(t, &plan, rpc, talk_rpc_call(rpc, sizeof rpc, 0x20, TALK_NFS, 3, 0, NULL, 0));

    t->watch = (struct rpcrdma_events){.ctx = &messages, .message = count};
    talk_part(t, C, ddp, &op, t->send, n, &part);
    assert_int_equal(messages, 1);
    assert_true(rpcrdma_whole(t->rpcrdma));
    ddp.mo = (uint32_t)n;
    talk_part(t, C, ddp, &op, t->send, n, &part);
    assert_int_equal(messages, 1);
    assert_false(rpcrdma_whole(t->rpcrdma));
    talk_finish(t);
    assert_int_equal(t->seen.n, 0);
    talk_free(t);
}

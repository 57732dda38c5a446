// SPDX-License-Identifier: GPL-2.0-or-later
/* Silence after packets that a live capture lost proves nothing. */
#include "conformance/check/check_share.h"
#include "conformance/options/options.h"
#include "tests/unit/support/support.h"

#include <string.h>

#define SECOND INT64_C(1000000000)

static const uint8_t request[] = "MPA ID Req Frame\x40\x01\x00\x00";

static void say(struct share *share, uint32_t frame, bool answer, uint8_t flags, uint32_t seq, uint32_t ack,
                uint32_t length)
{
    struct endpoint client = {.address = {192, 0, 2, 2}, .port = 50000, .ip = 4};
    struct endpoint server = {.address = {192, 0, 2, 1}, .port = 7174, .ip = 4};
    struct addressed_segment segment = {.source = answer ? server : client,
                                        .destination = answer ? client : server,
                                        .segment = {.frame = frame,
                                                    .time_ns = frame * SECOND / 1000,
                                                    .flags = flags,
                                                    .mss = flags & TCP_SYN ? 1460 : 0,
                                                    .sack_permitted = true,
                                                    .df = true,
                                                    .window = 65535,
                                                    .window_scale = 255,
                                                    .seq = seq,
                                                    .ack = ack,
                                                    .length = length,
                                                    .captured = length,
                                                    .payload = request}};

    share_segment(share, &segment);
}

/* A Request without a Reply, and the capture is long enough to expect one. */
static guint findings_of_silence(bool lost)
{
    char program[] = "iwarp-check", file[] = "x";
    char *arguments[] = {program, file, NULL};
    struct report_capture *capture = report_capture_new("x");
    struct check_options options;
    struct share_pool pool = {0};
    struct share_setup setup = {.options = &options, .capture = capture, .pool = &pool, .shares = 1};
    struct report_connection *connection;
    struct share *share;
    guint found;

    assert_true(options_parse(&options, 2, arguments, NULL));
    share = share_new(&setup);
    assert_non_null(share);
    say(share, 1, false, TCP_SYN, 100, 0, 0);
    say(share, 2, true, TCP_SYN | TCP_ACK, 500, 101, 0);
    say(share, 3, false, TCP_ACK, 101, 501, 0);
    say(share, 4, false, TCP_ACK, 101, 501, sizeof request - 1);
    say(share, 5, true, TCP_ACK, 501, 101 + sizeof request - 1, 0);
    if (lost)
        share_dropped(share, 1);
    share_finish(share, 300 * SECOND);
    assert_int_equal(share_result(share)->connections->len, 1);
    connection = g_ptr_array_index(share_result(share)->connections, 0);
    found = connection->findings->len;
    report_connection_free(connection);
    share_free(share);
    share_pool_clear(&pool);
    options_clear(&options);
    report_capture_free(capture);
    return found;
}

UNIT_TEST(silence_after_what_was_lost)
{
    assert_true(findings_of_silence(false) > 0);
    assert_int_equal(findings_of_silence(true), 0);
}

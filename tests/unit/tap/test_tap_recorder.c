// SPDX-License-Identifier: GPL-2.0-or-later
/* Records become packets: whose, in which order, what is cut, and what is missing. */
#include "tap/recorder.h"
#include "tests/unit/support/support.h"
#include "wire/ib.h"
#include "wire/ib_cm.h"
#include "wire/octets.h"
#include "wire/tap_mark.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 14 + 20 + 8, BLOCK_PACKET = 6, BLOCK_STATISTICS = 5, MS = 1000000 };

static const uint8_t empty_call[28] = {0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1};
/* With a Write list of one chunk of 8 octets, and the beginning of an RPC Reply. */
static const uint8_t chunk_reply[] = {0, 0, 0,    7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
                                      0, 0, 0,    1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0, 0,
                                      0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1};

static struct bench {
    char path[32];
    struct capture_file *file;
    struct recorder *recorder;
    gchar *octets;
    gsize n, at;
} bench;

static void start(const struct recorder_options *options)
{
    static const struct recorder_options none;
    int fd;

    bench = (struct bench){.path = "/tmp/test-tap-XXXXXX"};
    fd = mkstemp(bench.path);
    assert_true(fd >= 0);
    close(fd);
    bench.file = capture_file_open(bench.path, CAPTURE_PCAPNG, 0);
    assert_non_null(bench.file);
    bench.recorder = recorder_new(options ? options : &none, bench.file);
}

static struct recorder_counts end_recording(void)
{
    struct recorder_counts counts;

    recorder_finish(bench.recorder);
    counts = recorder_counts(bench.recorder);
    recorder_free(bench.recorder);
    assert_true(capture_file_close(bench.file));
    assert_true(g_file_get_contents(bench.path, &bench.octets, &bench.n, NULL));
    unlink(bench.path);
    bench.at = 0;
    return counts;
}

static void end(void)
{
    g_free(bench.octets);
}

/* Defines a test of a recorder without options; its body follows. */
#define RECORDER_TEST(test)                                                                                            \
    static void test##_recorded(void);                                                                                 \
    UNIT_TEST(test)                                                                                                    \
    {                                                                                                                  \
        start(NULL);                                                                                                   \
        test##_recorded();                                                                                             \
        end();                                                                                                         \
    }                                                                                                                  \
    static void test##_recorded(void)

/* The next block of that type in the file; its octets from the type on. NULL: none. */
static const uint8_t *next_block(uint32_t type)
{
    while (bench.at + 12 <= bench.n) {
        const uint8_t *block = (const uint8_t *)bench.octets + bench.at;

        bench.at += get_le32(block + 4);
        if (get_le32(block) == type)
            return block;
    }
    return NULL;
}

struct seen {
    struct ib_packet packet;
    struct tap_mark mark;
    uint32_t captured, length;
    const uint8_t *frame;
};

static bool next_packet(struct seen *seen)
{
    const uint8_t *block = next_block(BLOCK_PACKET);

    *seen = (struct seen){.frame = NULL};
    if (!block)
        return false;
    *seen = (struct seen){.captured = get_le32(block + 20), .length = get_le32(block + 24), .frame = block + 28};
    seen->mark = tap_mark_decode(seen->frame, seen->captured);
    assert_true(seen->mark.tapped);
    assert_int_equal(ib_packet_decode(&seen->packet, seen->frame + HEAD, seen->length - HEAD, seen->captured - HEAD),
                     IB_DECODED);
    return true;
}

/* The next packet, which has a message of connection management. */
static struct tap_mark next_mad(uint8_t mad[IB_MAD_LEN])
{
    struct seen seen;

    assert_true(next_packet(&seen));
    assert_true(seen.packet.payload_captured >= IB_MAD_LEN);
    if (seen.packet.payload)
        memcpy(mad, seen.packet.payload, IB_MAD_LEN);
    return seen.mark;
}

static void assert_next(unsigned operation)
{
    struct seen seen;

    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, operation);
}

static void put_address(uint8_t out[TAP_SOCKADDR], const char *text, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    memcpy(out, &address, sizeof address);
}

static struct tap_event event_of(enum tap_kind kind, bool server, uint64_t of)
{
    struct tap_event event = {.connection = 77, .of = of, .kind = kind, .server = server, .first = 1};

    put_address(event.local, "192.0.2.1", server ? 20049 : 1000);
    put_address(event.peer, "192.0.2.2", server ? 1000 : 20049);
    return event;
}

static void give(struct tap_event event, const void *p, uint32_t n)
{
    uint8_t record[sizeof event + TAP_BLOCK];

    event.n = n;
    event.length = MAX(event.length, n);
    if (event.total == 0)
        event.total = n;
    memcpy(record, &event, sizeof event);
    if (n > 0)
        memcpy(record + sizeof event, p, n);
    recorder_take(bench.recorder, record, sizeof event + n);
}

RECORDER_TEST(a_reply_is_delivered_when_it_is_done)
{
    struct seen seen;
    uint32_t psn;

    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    give(event_of(TAP_HEAD, true, 2), empty_call, sizeof empty_call);
    give(event_of(TAP_HEAD, true, 3), empty_call, sizeof empty_call);
    give(event_of(TAP_SENT, true, 2), NULL, 0);
    assert_int_equal(end_recording().packets, 5);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_SEND_ONLY);
    assert_int_equal(seen.packet.bth.qp & 1, 1); /* to the server */
    assert_int_equal(seen.mark.source_port, 1000);
    assert_int_equal(seen.mark.destination_port, 20049);
    assert_false(seen.mark.by_client);
    assert_next(IB_ACKNOWLEDGE);
    assert_true(next_packet(&seen));
    psn = seen.packet.bth.psn;
    assert_next(IB_SEND_ONLY);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_ACKNOWLEDGE);
    assert_int_equal(seen.packet.bth.psn, psn);
    assert_false(next_packet(&seen));
}

/* On the wire they came first; in the client's memory they are found later. */
RECORDER_TEST(written_octets_come_before_their_reply)
{
    struct seen seen;
    struct tap_event over;

    give(event_of(TAP_RECEIVED, false, 1), chunk_reply, sizeof chunk_reply);
    give(event_of(TAP_RECEIVED, false, 2), empty_call, sizeof empty_call);
    assert_int_equal(recorder_counts(bench.recorder).packets, 0);
    over = event_of(TAP_WRITTEN, false, GUINT32_TO_BE(7));
    give(over, "abcdefgh", 8);
    over.first = 0;
    give(over, NULL, 0);
    assert_int_equal(recorder_counts(bench.recorder).packets, 5);
    give(event_of(TAP_RECEIVED, false, 3), chunk_reply, sizeof chunk_reply);
    over.first = over.last = 1; /* one record with all of them */
    give(over, "abcdefgh", 8);
    assert_int_equal(recorder_counts(bench.recorder).packets, 8);
    end_recording();
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_WRITE_ONLY);
    assert_int_equal(seen.packet.reth.rkey, 9);
    assert_int_equal(seen.packet.reth.address, 0x1000);
    assert_int_equal(seen.packet.payload_len, 8);
    assert_memory_equal(seen.packet.payload, "abcdefgh", 8);
    assert_true(seen.mark.found && seen.mark.by_client);
    assert_next(IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE);
    assert_next(IB_SEND_ONLY);
}

/* A client's Sends are not completed one by one, but who answers a Call has received it, and all before it. */
RECORDER_TEST(a_reply_acknowledges_its_call)
{
    static const uint8_t call[] = {0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
                                   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0},
                         reply[] = {0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1};
    struct seen seen;
    uint32_t psn;

    give(event_of(TAP_HEAD, false, 1), empty_call, sizeof empty_call);
    give(event_of(TAP_HEAD, false, 2), call, sizeof call);
    give(event_of(TAP_HEAD, false, 3), empty_call, sizeof empty_call);
    give(event_of(TAP_RECEIVED, false, 1), reply, sizeof reply);
    assert_int_equal(end_recording().packets, 6);
    assert_next(IB_SEND_ONLY);
    assert_true(next_packet(&seen));
    psn = seen.packet.bth.psn;
    assert_next(IB_SEND_ONLY);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_ACKNOWLEDGE);
    assert_int_equal(seen.packet.bth.psn, psn);
    assert_next(IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE); /* of the Reply */
}

RECORDER_TEST(a_reply_does_not_wait_for_ever)
{
    struct tap_event late = event_of(TAP_RECEIVED, false, 2);
    struct seen seen;

    give(event_of(TAP_RECEIVED, false, 1), chunk_reply, sizeof chunk_reply);
    late.time_ns = RECORDER_WAIT_NS + MS;
    give(late, empty_call, sizeof empty_call);
    assert_int_equal(recorder_counts(bench.recorder).packets, 5);
    end_recording();
    assert_true(next_packet(&seen)); /* what was written is not known */
    assert_int_equal(seen.packet.bth.opcode, IB_WRITE_ONLY);
    assert_int_equal(seen.packet.payload_captured, 0);
    assert_int_equal(seen.packet.payload_len, 8);
}

RECORDER_TEST(reads_have_the_numbers_of_their_packets)
{
    static const uint8_t octets[TAP_BLOCK];
    struct tap_event read = event_of(TAP_READ, true, 5), done = event_of(TAP_READ_OCTETS, true, 5);
    struct seen seen;

    read.handle = 3;
    read.address = 0x2000;
    read.total = 5000;
    give(read, NULL, 0);
    give(event_of(TAP_HEAD, true, 6), empty_call, sizeof empty_call);
    give(done, octets, TAP_BLOCK);
    done.first = 0;
    give(done, octets, 5000 - TAP_BLOCK);
    give(done, NULL, 0);
    end_recording();
    assert_next(IB_READ_REQUEST);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.psn, 2);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_READ_RESPONSE_FIRST);
    assert_int_equal(seen.packet.bth.psn, 0);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_READ_RESPONSE_LAST);
    assert_int_equal(seen.packet.payload_captured, 5000 - TAP_BLOCK);
}

/* Records say how many came before them that are lost, so the gap is at that place, and once. */
RECORDER_TEST(a_loss_is_at_its_place)
{
    struct tap_event after = event_of(TAP_RECEIVED, true, 2);
    struct seen seen;

    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    after.lost = 2;
    give(after, empty_call, sizeof empty_call);
    after.lost = 1; /* of another processor, which has not seen the last one */
    give(after, empty_call, sizeof empty_call);
    recorder_lost(bench.recorder, 2);
    assert_int_equal(end_recording().dropped, 2);
    assert_next(IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE);
    assert_next(IB_ACKNOWLEDGE); /* of what is missing, either way */
    assert_next(IB_ACKNOWLEDGE);
    for (unsigned psn = 3; psn < 5; psn++) {
        assert_true(next_packet(&seen));
        assert_int_equal(seen.packet.bth.psn, psn);
        assert_next(IB_ACKNOWLEDGE);
    }
    assert_false(next_packet(&seen));
}

/* The rest of a Send was left out: what a peer can cause is missing in its own connection only. */
RECORDER_TEST(an_incomplete_message_is_missing_in_its_connection)
{
    struct tap_event half = event_of(TAP_RECEIVED, true, 1), other = event_of(TAP_RECEIVED, true, 2);
    struct recorder_counts counts;
    struct seen seen;

    half.total = sizeof empty_call + 1;
    other.connection++;
    put_address(other.peer, "192.0.2.3", 1000);
    give(half, empty_call, sizeof empty_call);
    give(other, empty_call, sizeof empty_call);
    give(event_of(TAP_RECEIVED, true, 3), empty_call, sizeof empty_call);
    counts = end_recording();
    assert_true(counts.dropped == 0 && counts.incomplete == 1 && counts.connections == 2);
    assert_next(IB_SEND_ONLY); /* of the other */
    assert_next(IB_ACKNOWLEDGE);
    assert_next(IB_ACKNOWLEDGE); /* of what is missing, either way */
    assert_next(IB_ACKNOWLEDGE);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.psn, 1);
    assert_next(IB_ACKNOWLEDGE);
    assert_false(next_packet(&seen));
}

/* An incomplete Send of another connection, and a whole one that waits for it, as does everything after it. */
static void block_queue(bool server)
{
    struct tap_event half = event_of(TAP_RECEIVED, server, 1), whole = event_of(TAP_RECEIVED, server, 2);

    half.connection = whole.connection = 99;
    half.total = sizeof empty_call + 1;
    give(half, empty_call, sizeof empty_call);
    give(whole, empty_call, sizeof empty_call);
}

/* The kernel uses a request again while the Call is waiting for its turn. */
RECORDER_TEST(a_call_has_its_own_memory)
{
    struct tap_event exposed = event_of(TAP_EXPOSED, false, 5), head = event_of(TAP_HEAD, false, 5);

    head.total = sizeof empty_call;
    block_queue(false);
    for (unsigned i = 0; i < 2; i++) {
        give(exposed, "octets", 6);
        give(head, empty_call, sizeof empty_call);
    }
    assert_int_equal(end_recording().incomplete, 1);
}

RECORDER_TEST(what_is_missing_waits_for_the_set_up)
{
    struct tap_event half = event_of(TAP_WRITE, true, 5);
    struct recorder_counts counts;
    struct seen seen;

    half.total = 4;
    block_queue(true);
    give(event_of(TAP_ASKED, true, 0), NULL, 0);
    give(half, "ab", 2);
    half.total = 2;
    give(half, "cd", 2);
    counts = end_recording();
    assert_true(counts.incomplete == 2 && counts.connections == 2);
    for (unsigned i = 0; i < 4; i++) /* of the other connection */
        assert_true(next_packet(&seen));
    assert_next(IB_UD << 5 | IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE); /* of what is missing, either way */
    assert_next(IB_ACKNOWLEDGE);
    assert_next(IB_WRITE_ONLY);
}

/* Only the first record of a connection needs the addresses; without them nobody knows whose a message is. */
RECORDER_TEST(addresses_are_told_once)
{
    struct tap_event later = event_of(TAP_RECEIVED, true, 2), sent = event_of(TAP_SENT, true, 3);
    struct seen seen;

    memset(later.local, 0, sizeof later.local);
    memset(later.peer, 0, sizeof later.peer);
    memset(sent.local, 0, sizeof sent.local);
    give(sent, NULL, 0);
    give(later, empty_call, sizeof empty_call);
    assert_int_equal(recorder_counts(bench.recorder).dropped, 1);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    give(later, empty_call, sizeof empty_call);
    assert_int_equal(end_recording().dropped, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(next_packet(&seen));
        assert_int_equal(seen.packet.bth.opcode, IB_SEND_ONLY);
        assert_int_equal(seen.mark.source_port, 1000);
        assert_next(IB_ACKNOWLEDGE);
    }
    assert_false(next_packet(&seen));
}

RECORDER_TEST(losses_are_in_the_file)
{
    struct seen seen;
    const uint8_t *statistics;
    struct recorder_counts counts;

    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    recorder_lost(bench.recorder, 3);
    give(event_of(TAP_RECEIVED, true, 2), empty_call, sizeof empty_call);
    recorder_take(bench.recorder, "short", 5);
    counts = end_recording();
    assert_int_equal(counts.dropped, 4);
    assert_next(IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE);
    assert_next(IB_ACKNOWLEDGE); /* of what is missing, either way */
    assert_next(IB_ACKNOWLEDGE);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.psn, 4);
    bench.at = 0;
    for (unsigned i = 0; i < 3; i++) {
        statistics = next_block(BLOCK_STATISTICS);
        assert_non_null(statistics);
        if (statistics)
            assert_int_equal(get_le32(statistics + 24), i == 0 ? 3 : 4);
    }
}

/* For a reader that judges at once, the number comes before what follows the loss. */
RECORDER_TEST(losses_are_told_at_once)
{
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    recorder_lost(bench.recorder, 3);
    give(event_of(TAP_RECEIVED, true, 2), empty_call, sizeof empty_call);
    end_recording();
    assert_next(IB_SEND_ONLY);
    for (unsigned i = 0; i < 2; i++) { /* and once more at the end */
        const uint8_t *block = next_block(BLOCK_STATISTICS);

        assert_non_null(block);
        if (block)
            assert_int_equal(get_le32(block + 24), 3);
    }
    assert_null(next_block(BLOCK_STATISTICS));
}

UNIT_TEST(others_are_left_out)
{
    struct recorder_options options = {
        .n_peers = 1, .peer = {{.ip = 4, .address = {192, 0, 2, 9}}}, .n_ports = 1, .port = {20049}};

    start(&options);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    assert_int_equal(end_recording().packets, 0);
    end();
    options.peer[0].address[3] = 2;
    start(&options);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    assert_int_equal(end_recording().packets, 2);
    end();
    options.port[0] = 7;
    start(&options);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    assert_int_equal(end_recording().packets, 0);
    end();
}

UNIT_TEST(packets_are_cut)
{
    struct recorder_options options = {.snap = 60};
    struct seen seen;

    start(&options);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    end_recording();
    assert_true(next_packet(&seen));
    assert_int_equal(seen.captured, 60);
    assert_int_equal(seen.packet.payload_len, sizeof empty_call);
    end();
}

/* Whole packets without octets are only counted, at most 255 at a time. */
UNIT_TEST(packets_without_octets_are_left_out)
{
    enum { PACKETS = 260 };
    static const uint8_t octets[TAP_BLOCK];
    struct tap_event write = event_of(TAP_WRITE, true, 5);
    struct seen seen;
    uint32_t psn;

    start(&(struct recorder_options){.headers = true});
    write.total = PACKETS * TAP_BLOCK;
    for (unsigned i = 0; i < PACKETS; i++) {
        give(write, octets, sizeof octets);
        write.first = 0;
    }
    assert_int_equal(end_recording().packets, 3);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_WRITE_FIRST);
    assert_int_equal(seen.packet.reth.length, PACKETS * TAP_BLOCK);
    assert_int_equal(seen.mark.left_out, 0);
    psn = seen.packet.bth.psn;
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_WRITE_MIDDLE);
    assert_int_equal(seen.mark.left_out, 255);
    assert_int_equal(seen.packet.bth.psn, psn + 256);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.bth.opcode, IB_WRITE_LAST);
    assert_int_equal(seen.mark.left_out, 2);
    assert_int_equal(seen.packet.bth.psn, psn + PACKETS - 1);
    assert_int_equal(seen.packet.payload_captured, 0);
    end();
}

/* A peer can name 4 GiB in 16 octets. Such segments count as missing, and no packets are written for them. */
UNIT_TEST(impossible_lengths_are_missing)
{
    enum { SEGMENTS = 250 };
    static const bool servers[] = {true, false};

    for (unsigned i = 0; i < 2; i++) {
        uint8_t reply[44 + 16 * SEGMENTS] = {[3] = 7, [7] = 1, [11] = 1, [23] = 1, [27] = SEGMENTS};
        struct seen seen;
        struct recorder_counts counts;

        for (unsigned segment = 0; segment < SEGMENTS; segment++)
            memset(reply + 28 + 16 * segment, 0xFF, 16);
        put_be32(reply + sizeof reply - 8, 7);
        put_be32(reply + sizeof reply - 4, 1);
        start(NULL);
        give(event_of(TAP_RECEIVED, servers[i], 1), reply, sizeof reply);
        counts = end_recording();
        assert_int_equal(counts.packets, 4);
        assert_true(counts.dropped == 0 && counts.incomplete == 1);
        assert_next(IB_ACKNOWLEDGE);
        assert_next(IB_ACKNOWLEDGE);
        assert_true(next_packet(&seen));
        assert_int_equal(seen.packet.bth.opcode, IB_SEND_ONLY);
        assert_int_equal(seen.packet.bth.psn, 1);
        end();
    }
}

/* A READ of 256 KiB takes less than 2 % of 256 KiB in the file. */
UNIT_TEST(headers_are_small)
{
    enum { BLOCKS = 64, CALLS = 20 };
    static const uint8_t octets[TAP_BLOCK], message[200] = {[3] = 7, [7] = 1, [11] = 1};
    struct recorder_counts counts;

    start(&(struct recorder_options){.headers = true});
    for (unsigned call = 0; call < CALLS; call++) {
        struct tap_event write = event_of(TAP_WRITE, true, call);

        give(event_of(TAP_RECEIVED, true, call), message, sizeof message);
        write.total = BLOCKS * TAP_BLOCK;
        for (unsigned i = 0; i < BLOCKS; i++) {
            give(write, octets, sizeof octets);
            write.first = 0;
        }
        give(event_of(TAP_HEAD, true, call), message, sizeof message);
        give(event_of(TAP_SENT, true, call), NULL, 0);
    }
    counts = end_recording();
    assert_int_equal(counts.packets, CALLS * 6);
    assert_true(bench.n < CALLS * (BLOCKS * TAP_BLOCK + 2 * sizeof message) / 50);
    end();
}

/* The number of a connection may be used again. */
RECORDER_TEST(connections_begin_and_end)
{
    uint8_t mad[IB_MAD_LEN] = {0};
    uint32_t qp;

    give(event_of(TAP_ASKED, true, 0), "\xf6\xab\x0e\x18\1\1\3\3", 8);
    give(event_of(TAP_ACCEPT, true, 0), "\xf6\xab\x0e\x18\1\0\3\3", 8);
    give(event_of(TAP_LEFT, true, 0), NULL, 0);
    give(event_of(TAP_LEAVE, true, 0), NULL, 0);
    give(event_of(TAP_SENT, true, 9), NULL, 0);
    give(event_of(TAP_GONE, true, 0), NULL, 0);
    give(event_of(TAP_ASKED, true, 0), NULL, 0);
    assert_int_equal(end_recording().connections, 2);
    next_mad(mad);
    qp = get_be24(mad + 24 + 32);
    assert_memory_equal(mad + 24 + 140 + 36, "\xf6\xab\x0e\x18\1\1\3\3", 8);
    assert_int_equal(qp & 1, 0);
    next_mad(mad);
    assert_int_equal(next_mad(mad).source_port, 1000); /* the client was first */
    assert_int_equal(mad[17], IB_CM_DISCONNECT_REQUEST);
    next_mad(mad);
    assert_int_not_equal(get_be24(mad + 24 + 32), qp);
}

/* The host may have ended a connection that began before the tap; only the consequence is reported. */
UNIT_TEST(nobody_is_named_who_may_not_have_ended_it)
{
    uint8_t mad[IB_MAD_LEN] = {0};

    start(NULL);
    give(event_of(TAP_RECEIVED, false, 1), empty_call, sizeof empty_call);
    give(event_of(TAP_LEFT, false, 0), NULL, 0);
    give(event_of(TAP_GONE, false, 0), NULL, 0);
    assert_int_equal(end_recording().packets, 2);
    end();
    start(NULL);
    give(event_of(TAP_RECEIVED, false, 1), empty_call, sizeof empty_call);
    give(event_of(TAP_LEAVE, false, 0), NULL, 0);
    assert_int_equal(end_recording().packets, 3);
    assert_next(IB_SEND_ONLY);
    assert_next(IB_ACKNOWLEDGE);
    assert_int_equal(next_mad(mad).source_port, 1000);
    end();
}

/* The set-up of the second one is lost, and so is the end of the first one. */
RECORDER_TEST(other_addresses_are_another_connection)
{
    struct tap_event other = event_of(TAP_RECEIVED, true, 2), next = other;
    struct seen seen;

    put_address(other.peer, "192.0.2.3", 1001);
    memset(next.local, 0, sizeof next.local);
    give(event_of(TAP_RECEIVED, true, 1), empty_call, sizeof empty_call);
    give(other, empty_call, sizeof empty_call);
    give(next, empty_call, sizeof empty_call);
    assert_int_equal(end_recording().connections, 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(next_packet(&seen));
        assert_int_equal(seen.mark.source_port, i > 0 ? 1001 : 1000);
        assert_int_equal(seen.packet.bth.psn, i > 1);
        assert_next(IB_ACKNOWLEDGE);
    }
}

/* Its number is used again for a connection whose set-up is lost but for the end. */
RECORDER_TEST(a_set_up_after_the_end_is_another_connection)
{
    struct tap_event left = event_of(TAP_LEFT, false, 0);

    give(event_of(TAP_CONNECT, false, 0), NULL, 0);
    give(left, NULL, 0);
    recorder_reach(bench.recorder, left.time_ns + RECORDER_END_NS + 1);
    give(event_of(TAP_ACCEPTED, false, 0), NULL, 0);
    assert_int_equal(end_recording().connections, 2);
}

/* Private data that could not be read, or have no room in InfiniBand's messages. */
RECORDER_TEST(missing_private_data_are_cut)
{
    static const uint8_t octets[100];
    struct tap_event asked = event_of(TAP_ASKED, true, 0), accept = event_of(TAP_ACCEPT, true, 0);
    struct seen seen;

    asked.total = 100;
    give(asked, octets, 100);
    accept.total = 8;
    give(accept, octets, 3);
    assert_int_equal(end_recording().incomplete, 2);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.payload_captured, IB_MAD_LEN);
    assert_true(next_packet(&seen));
    assert_int_equal(seen.packet.payload_captured, 24 + 36 + 3);
}

/*
 * A client keeps a connection that has ended until the mount ends. The messages that the client then posts on
 * the connection are never sent.
 */
RECORDER_TEST(an_end_does_not_wait_for_ever)
{
    uint8_t mad[IB_MAD_LEN] = {0};
    struct tap_event left = event_of(TAP_LEFT, false, 0);

    give(event_of(TAP_CONNECT, false, 0), NULL, 0);
    give(left, NULL, 0);
    recorder_reach(bench.recorder, left.time_ns + RECORDER_END_NS);
    assert_int_equal(recorder_counts(bench.recorder).packets, 1);
    recorder_reach(bench.recorder, left.time_ns + RECORDER_END_NS + 1);
    assert_int_equal(recorder_counts(bench.recorder).packets, 2);
    give(event_of(TAP_RECEIVED, false, 1), "1234", 4);
    recorder_reach(bench.recorder, left.time_ns + 10 * (uint64_t)RECORDER_END_NS);
    give(event_of(TAP_GONE, false, 0), NULL, 0);
    assert_int_equal(end_recording().packets, 2);
    next_mad(mad);
    next_mad(mad);
    assert_int_equal(mad[17], IB_CM_DISCONNECT_REQUEST);
}

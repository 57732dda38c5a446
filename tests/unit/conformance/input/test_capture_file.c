// SPDX-License-Identifier: GPL-2.0-or-later
/* Hand-made capture files, good and bad. */
#include "conformance/input/capture.h"
#include "conformance/input/capture_drops.h"
#include "tests/unit/support/support.h"

#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/iwarp-test-capture-XXXXXX";

static void write_file(const uint8_t *p, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(p, 1, n, file), n);
    fclose(file);
}

static size_t write_hex(const char *hex)
{
    static uint8_t octets[4096];
    size_t n = octets_of(hex, octets, sizeof octets);
    write_file(octets, n);
    return n;
}

/* Two packets of Ethernet: 4 and 2 octets (of 60), at 1 s and a bit, 2 s. */
#define LITTLE(magic)                                                                                                  \
    magic " 0200 0400 00000000 00000000 ffff0000 01000000 "                                                            \
          "01000000 07000000 04000000 04000000 aabbccdd 02000000 00000000 02000000 3c000000 eeff"
#define BIG(magic)                                                                                                     \
    magic " 0002 0004 00000000 00000000 0000ffff 00000001 "                                                            \
          "00000001 00000007 00000004 00000004 aabbccdd 00000002 00000000 00000002 0000003c eeff"
/* pcapng: section, an unknown block, interface in nanoseconds, two packets. */
static const char pcapng_little[] = "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000 "
                                    "ad0b0000 10000000 12345678 10000000 "
                                    "01000000 1c000000 0100 0000 00000400 0900 0100 09000000 1c000000"
                                    "06000000 24000000 00000000 00000000 07ca9a3b 04000000 04000000 aabbccdd 24000000 "
                                    "06000000 24000000 00000000 00000000 00943577 02000000 3c000000 eeff0000 24000000";
static const char pcapng_big[] = "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c "
                                 "00000001 0000001c 0001 0000 00040000 0009 0001 09000000 0000001c"
                                 "00000006 00000024 00000000 00000000 3b9aca07 00000004 00000004 aabbccdd 00000024 "
                                 "00000006 00000024 00000000 00000000 77359400 00000002 0000003c eeff0000 00000024";

static const struct {
    const char *name, *hex;
    int64_t fraction;
} good[] = {
    {"little-endian", LITTLE("d4c3b2a1"), 7000},           {"big-endian", BIG("a1b2c3d4"), 7000},
    {"little-endian, nanoseconds", LITTLE("4d3cb2a1"), 7}, {"big-endian, nanoseconds", BIG("a1b23c4d"), 7},
    {"pcapng, little-endian", pcapng_little, 7},           {"pcapng, big-endian", pcapng_big, 7},
};

/* Statistics of two interfaces: 2 and 1 packets dropped, by the interface and by the system. */
static void counters_of_dropped_packets(void **state)
{
    static const struct {
        const char *statistics[2];
        uint64_t dropped;
    } cases[] = {
        {{"", ""}, 0},
        {{"05000000 24000000 00000000 00000000 00000000 0500 0800 0200000000000000 24000000 "
          "05000000 28000000 01000000 00000000 00000000 0700 0800 0100000000000000 00000000 28000000",
          "00000005 00000024 00000000 00000000 00000000 0005 0008 0000000000000002 00000024 "
          "00000005 00000028 00000001 00000000 00000000 0007 0008 0000000000000001 00000000 00000028"},
         3},
        {{"05000000 24000000 00000000 00000000 00000000 0500 f8ff 0200000000000000 24000000",
          "00000005 00000024 00000000 00000000 00000000 0005 fff8 0000000000000002 00000024"},
         0},
        {{"05000000 24000000 00000000 00000000 00000000 0500 0800 0200000000000000 25000000",
          "00000005 fffffff4 00000000 00000000 00000000 0005 0008 0000000000000002 fffffff4"},
         0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        for (unsigned big = 0; big < 2; big++) {
            char hex[2048];
            struct capture *capture;

            snprintf(hex, sizeof hex, "%s%s", big ? pcapng_big : pcapng_little, cases[i].statistics[big]);
            write_hex(hex);
            capture = capture_open(path, &(struct capture_error){0});
            assert_non_null(capture);
            assert_int_equal(capture_dropped(capture), cases[i].dropped);
            capture_close(capture);
        }
    }
}

/* As a pipe brings them: counters between packets, in pieces of any length. Of each interface the latest count. */
static void counters_of_a_stream(void **state)
{
    static const char *const between[] = {
        "05000000 24000000 00000000 00000000 00000000 0500 0800 0100000000000000 24000000 "
        "05000000 24000000 00000000 00000000 00000000 0500 0800 0200000000000000 24000000 "
        "05000000 28000000 01000000 00000000 00000000 0700 0800 0100000000000000 00000000 28000000",
        "00000005 00000024 00000000 00000000 00000000 0005 0008 0000000000000001 00000024 "
        "00000005 00000024 00000000 00000000 00000000 0005 0008 0000000000000002 00000024 "
        "00000005 00000028 00000001 00000000 00000000 0007 0008 0000000000000001 00000000 00000028"};

    for (unsigned big = 0; big < 2; big++) {
        char hex[2048];
        uint8_t octets[1024];
        size_t n;

        snprintf(hex, sizeof hex, "%s%s", big ? pcapng_big : pcapng_little, between[big]);
        n = octets_of(hex, octets, sizeof octets);
        for (size_t piece = 1; piece <= n; piece++) {
            struct drops_stream stream = {0};

            for (size_t at = 0; at < n; at += piece)
                drops_octets(&stream, octets + at, n - at < piece ? n - at : piece);
            assert_int_equal(stream.sum.dropped, 3);
            assert_false(stream.unusual);
        }
        { /* another section counts anew; a counter that falls does not count */
            struct drops_stream stream = {0};

            drops_octets(&stream, octets, n);
            drops_octets(&stream, octets, n);
            assert_int_equal(stream.sum.dropped, 6);
            drops_octets(&stream, octets + n - 40 - 2 * 36, 36);
            assert_int_equal(stream.sum.dropped, 6);
        }
        for (size_t cut = 0; cut < n; cut++) { /* each octet damaged: sanitizers look for accesses outside */
            struct drops_stream stream = {0};

            octets[cut] ^= 0xFF;
            drops_octets(&stream, octets, n);
            octets[cut] ^= 0xFF;
        }
    }
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        struct drops_stream stream = {0};
        uint8_t octets[1024];

        drops_octets(&stream, octets, octets_of(good[i].hex, octets, sizeof octets));
        assert_int_equal(stream.sum.dropped, 0);
        assert_int_equal(stream.unusual, strncmp(good[i].name, "pcapng", 6) != 0);
    }
}

static void both_formats_and_byte_orders(void **state)
{
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        struct capture_error error = {""};
        struct packet packet;
        size_t size = write_hex(good[i].hex);
        struct capture *capture = capture_open(path, &error);
        assert_string_equal(error.text, "");
        assert_non_null(capture);
        assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
        assert_int_equal(packet.frame, 1);
        assert_true(packet.time_ns == INT64_C(1000000000) + good[i].fraction);
        assert_int_equal(packet.captured, 4);
        assert_int_equal(packet.length, 4);
        assert_memory_equal(packet.data, "\xaa\xbb\xcc\xdd", 4);
        assert_int_equal(packet.linktype, DLT_EN10MB);
        assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
        assert_int_equal(packet.frame, 2);
        assert_int_equal(packet.captured, 2);
        assert_int_equal(packet.length, 60);
        assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_END);
        assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_END);
        assert_true(capture_progress(capture) > 0.99);
        capture_close(capture);

        /* Cut anywhere: refused within the file header, reported as truncated within a record; nothing else. */
        static uint8_t octets[4096];
        octets_of(good[i].hex, octets, sizeof octets);
        for (size_t n = 0; n < size; n++) {
            enum capture_status status;
            error.text[0] = '\0';
            write_file(octets, n);
            capture = capture_open(path, &error);
            if (!capture) {
                assert_non_null(strstr(error.text, path));
                assert_null(strchr(error.text, '\n'));
                continue;
            }
            while ((status = capture_next(capture, &packet, &error)) == CAPTURE_PACKET)
                ;
            if (status == CAPTURE_TRUNCATED)
                assert_non_null(strstr(error.text, "ends too early"));
            else
                assert_int_equal(status, CAPTURE_END); /* between two records */
            capture_close(capture);
        }
    }
}

static void expect_refusal(const char *file, const char *what)
{
    struct capture_error error = {""};
    char expected[CAPTURE_ERROR_SIZE];
    assert_null(capture_open(file, &error));
    snprintf(expected, sizeof expected, "%s: %s", file, what);
    assert_string_equal(error.text, expected);
}

static void what_is_no_capture(void **state)
{
    expect_refusal("/tmp", "is a directory");
    expect_refusal("/nonexistent/file", "no such file");
    write_hex("");
    expect_refusal(path, "empty file");
    write_file((const uint8_t *)"This is a text.\nIt has lines.\n", 30);
    expect_refusal(path, "not a pcap or pcapng file");
    write_hex("fd377a58 [40]");
    expect_refusal(path, "not a pcap or pcapng file: compressed with xz; unpack it first");
    write_hex("1f8b0800 00000000 0003");
    expect_refusal(path, "cannot be decompressed: gzip: the compressed data end too early");
    write_hex("1f8bff00 [40]");
    expect_refusal(path, "cannot be decompressed: gzip: unknown compression method");
    if (geteuid() != 0) {
        chmod(path, 0);
        expect_refusal(path, "Permission denied");
        chmod(path, 0600);
    }
}

static void corrupt_records(void **state)
{
    struct capture_error error = {""};
    struct packet packet;

    /* The second record announces 2 GiB. */
    write_hex("d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000 "
              "01000000 07000000 04000000 04000000 aabbccdd 02000000 00000000 00000080 00000080 eeff");
    struct capture *capture = capture_open(path, &error);
    assert_non_null(capture);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_CORRUPT);
    assert_non_null(strstr(error.text, "corrupt after packet 1"));
    error.text[0] = '\0';
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_CORRUPT);
    assert_non_null(strstr(error.text, "corrupt after packet 1"));
    capture_close(capture);
}

static void several_interfaces(void **state)
{
    static const char interface[] = "01000000 14000000 0100 0000 00000400 14000000";
    static const char cooked[] = "01000000 14000000 7100 0000 00000400 14000000";
    static const char section[] = "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000";
    static const char record[] = "06000000 24000000 00000000 00000000 07000000 04000000 04000000 aabbccdd 24000000";
    struct capture_error error = {""};
    struct packet packet;
    char file[1024];

    /* With one link type. */
    snprintf(file, sizeof file, "%s %s %s %s %s", section, interface, interface, record, record);
    write_hex(file);
    struct capture *capture = capture_open(path, &error);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    assert_int_equal(packet.time_ns, 7000);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_END);
    capture_close(capture);
    /* With two, as mergecap writes them. */
    snprintf(file, sizeof file, "%s %s %s %s %s", section, interface, record, cooked, record);
    write_hex(file);
    capture = capture_open(path, &error);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_END);
    capture_close(capture);
}

static void live_capture_of_nothing(void **state)
{
    struct capture_error error = {""};

    assert_null(capture_open_live("no-such-interface", NULL, &error));
    assert_non_null(strstr(error.text, "no-such-interface"));
    assert_null(strchr(error.text, '\n'));
}

static void stopping(void **state)
{
    struct capture_error error = {""};
    struct packet packet;

    write_hex(good[0].hex);
    struct capture *capture = capture_open(path, &error);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_PACKET);
    capture_stop(capture);
    assert_int_equal(capture_next(capture, &packet, &error), CAPTURE_END);
    capture_close(capture);
}

static int make_path(void **state)
{
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return -1;
    close(descriptor);
    return 0;
}

static int remove_path(void **state)
{
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_dropped_packets),
        cmocka_unit_test(counters_of_a_stream),
        cmocka_unit_test(both_formats_and_byte_orders),
        cmocka_unit_test(what_is_no_capture),
        cmocka_unit_test(corrupt_records),
        cmocka_unit_test(several_interfaces),
        cmocka_unit_test(live_capture_of_nothing),
        cmocka_unit_test(stopping),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}

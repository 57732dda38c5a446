// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of the BPF programs, however they contradict one another, become a capture. A record is 8 octets of the
 * input, of which the kind, the size and what it belongs to are made, and the octets that follow. The capture is not
 * much larger than the input, whatever lengths are in it.
 */
#include "tap/recorder.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>

enum { HEAD = 8, SIZES = 64, OUT_PER_OCTET = 256, OUT_MIN = 4096 };

static struct tap_event event_of(const uint8_t *p)
{
    struct tap_event event = {.time_ns = p[0] * 100000000u,
                              .connection = p[1] & 3,
                              .of = p[2] & 7,
                              .address = (uint64_t)p[3] << 12,
                              .kind = p[4] % (TAP_KINDS + 1),
                              .n = p[5] % SIZES,
                              .length = p[5],
                              .total = (uint32_t)p[6] << (p[7] & 12),
                              .handle = p[6],
                              .status = p[7] & 1,
                              .server = p[7] >> 1 & 1,
                              .first = p[7] >> 4 & 1,
                              .invalidates = p[7] >> 5 & 1};
    struct sockaddr_in local = {.sin_family = p[1] & 8 ? AF_INET6 : AF_INET, .sin_port = htons(20049)}, peer = local;

    memcpy(event.local, &local, sizeof local);
    memcpy(event.peer, &peer, sizeof peer);
    return event;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recorder_options options = {.headers = size > 0 && data[0] & 1, .snap = size > 0 ? data[0] & 0x70 : 0};
    struct capture_file *file = capture_file_open("/dev/null", CAPTURE_PCAPNG, 0);
    struct recorder *recorder = recorder_new(&options, file);
    uint64_t lost = 0;

    for (size_t at = 1; at + HEAD <= size;) {
        uint8_t record[sizeof(struct tap_event) + SIZES];
        struct tap_event event = event_of(data + at);
        size_t n = event.n < size - at - HEAD ? event.n : size - at - HEAD;

        memcpy(record, &event, sizeof event);
        memcpy(record + sizeof event, data + at + HEAD, n);
        if (data[at + 4] == UINT8_MAX)
            recorder_lost(recorder, lost += data[at + 5]);
        else
            recorder_take(recorder, record, sizeof event + n); /* with less than it says, at the end of the input */
        at += HEAD + n;
    }
    recorder_finish(recorder);
    HOLDS(!recorder_counts(recorder).failed);
    HOLDS(recorder_counts(recorder).octets <= OUT_MIN + OUT_PER_OCTET * size);
    recorder_free(recorder);
    capture_file_close(file);
    return 0;
}

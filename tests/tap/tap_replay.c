// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tap-replay OUT [--headers] [--snap=N] < RECORDS: iwarp-tap without a kernel. Each record has its
 * length before it (4 octets, little-endian); a record without octets reports one that was lost.
 */
#include "tap/recorder.h"
#include "wire/octets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct recorder_options options = {0};
    static uint8_t record[sizeof(struct tap_event) + TAP_BLOCK];
    struct capture_file *file = argc > 1 ? capture_file_open(argv[1], CAPTURE_PCAPNG, 0) : NULL;
    struct recorder *recorder;
    struct recorder_counts counts;
    uint64_t lost = 0;
    uint8_t head[4];

    for (int i = 2; i < argc; i++) {
        options.headers |= strcmp(argv[i], "--headers") == 0;
        if (strncmp(argv[i], "--snap=", 7) == 0)
            options.snap = (uint32_t)strtoul(argv[i] + 7, NULL, 10);
    }
    if (!file)
        return 2;
    recorder = recorder_new(&options, file);
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        uint32_t n = get_le32(head);

        if (n > sizeof record || fread(record, 1, n, stdin) != n)
            return 2;
        if (n == 0)
            recorder_lost(recorder, ++lost);
        else
            recorder_take(recorder, record, n);
    }
    recorder_finish(recorder);
    counts = recorder_counts(recorder);
    recorder_free(recorder);
    fprintf(stderr, "%llu packets, %llu dropped, %llu incomplete\n", (unsigned long long)counts.packets,
            (unsigned long long)counts.dropped, (unsigned long long)counts.incomplete);
    return capture_file_close(file) && !counts.failed ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copier behind --annotate, on any file. libpcap reads the same from the copy as from the original: the same
 * packets with the same times, only more comments. A copy of the copy differs only by comments, so copying it succeeds,
 * too.
 */
#define _GNU_SOURCE /* memfd_create */
#include "conformance/annotate/annotate_copy.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static int memory[2];
static char path[2][64];

static void start(void)
{
    for (int i = 0; i < 2; i++) {
        memory[i] = memfd_create("capture", MFD_CLOEXEC);
        HOLDS(memory[i] >= 0);
        snprintf(path[i], sizeof path[i], "/proc/self/fd/%d", memory[i]);
    }
}

/* Zero to two comments, by the frame's number. */
static void comment(void *ctx, uint32_t frame, GPtrArray *texts)
{
    uint32_t *last = ctx;

    HOLDS(frame == *last + 1);
    *last = frame;
    for (uint32_t i = 0; i < frame % 3; i++)
        g_ptr_array_add(texts, g_strdup_printf("comment %u of frame %u", i, frame));
}

static enum annotate_status copy(const char *from, const char *to)
{
    uint32_t last = 0;
    const struct annotate_comments comments = {.ctx = &last, .section = "the verdict", .packet = comment};
    struct capture_error error = {""};
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    enum annotate_status status;

    HOLDS(in && out);
    status = annotate_copy(in, out, &comments, &error);
    HOLDS((status == ANNOTATE_COPIED) == (error.text[0] == '\0'));
    HOLDS(!ferror(out));
    fclose(in);
    fclose(out);
    return status;
}

/*
 * pcapng: the original is pcapng, too. In pcap, microseconds may exceed a second, and the link type may have reserved
 * bits: readers differ about them.
 */
static void same_packets(struct capture *original, struct capture *copied, bool pcapng)
{
    struct capture_error error;
    struct packet one, other;
    enum capture_status first, second;

    do {
        first = capture_next(original, &one, &error);
        second = capture_next(copied, &other, &error);
        if (first != CAPTURE_PACKET)
            return;
        HOLDS(second == CAPTURE_PACKET);
        HOLDS(one.linktype == other.linktype || !pcapng);
        HOLDS(one.time_ns == other.time_ns || !pcapng);
        HOLDS(one.length == other.length || one.captured < other.captured);
        HOLDS(one.captured <= other.captured && memcmp(one.data, other.data, one.captured) == 0);
    } while (true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capture_error error;
    struct capture *original, *copied;

    if (memory[0] == 0)
        start();
    HOLDS(ftruncate(memory[0], 0) == 0 && pwrite(memory[0], data, size, 0) == (ssize_t)size);
    if (copy(path[0], path[1]) != ANNOTATE_COPIED)
        return 0;
    original = capture_open(path[0], &error);
    copied = capture_open(path[1], &error);
    if (original) {
        HOLDS(copied != NULL);
        same_packets(original, copied, data[0] == 0x0A);
    }
    capture_close(original);
    capture_close(copied);
    HOLDS(copy(path[1], path[0]) == ANNOTATE_COPIED);
    return 0;
}

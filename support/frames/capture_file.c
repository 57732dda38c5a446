// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcapng: draft-ietf-opsawg-pcapng. Block: type (4), total length (4), body padded to 32 bits, total length (4). All
 * fields are little-endian on every host, so that captures are the same everywhere.
 */
#include "support/frames/capture_file.h"

#include "wire/octets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1A2B3C4D,
    PCAP_MAGIC_NS = (int)0xA1B23C4D,
    LINKTYPE_ETHERNET = 1,
    OPTION_COMMENT = 1,
    OPTION_DROPPED_BY_SYSTEM = 7,
    OPTION_TSRESOL = 9,
    BUFFER_SIZE = 1 << 20,
    SNAP_LENGTH_ALL = 262144,
};

struct capture_file {
    capture_file_wants wants; /* NULL: everything */
    void *wants_ctx;
    capture_file_take take; /* NULL: written to f */
    void *take_ctx;
    FILE *f;
    enum capture_format format;
    uint32_t snap_length;
    uint64_t octets;
    int error; /* first errno */
    bool live;
    int64_t shift_ns; /* live: added to all times; set by the first packet */
    bool shifted;
};

static void put_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static bool file_write_all(struct capture_file *file, const void *p, size_t n)
{
    if (file->error == 0 && fwrite(p, 1, n, file->f) != n)
        file->error = errno ? errno : EIO;
    file->octets += n;
    return file->error == 0;
}

static void file_write_section(struct capture_file *file, const char *comment)
{
    static const uint8_t zero[4];
    uint16_t n = comment ? (uint16_t)strlen(comment) : 0;
    uint32_t padding = (4u - n) & 3u;
    uint32_t total = 28 + (comment ? 4 + n + padding + 4 : 0); /* option head, text, end of options */
    uint8_t head[24], option[4], tail[4];

    put_le32(head, BLOCK_SECTION);
    put_le32(head + 4, total);
    put_le32(head + 8, BYTE_ORDER_MAGIC);
    put_le16(head + 12, 1);
    put_le16(head + 14, 0);
    memset(head + 16, 0xFF, 8); /* section length unknown */
    file_write_all(file, head, sizeof head);
    if (comment) {
        put_le16(option, OPTION_COMMENT);
        put_le16(option + 2, n);
        file_write_all(file, option, sizeof option);
        file_write_all(file, comment, n);
        file_write_all(file, zero, padding);
        file_write_all(file, zero, 4);
    }
    put_le32(tail, total);
    file_write_all(file, tail, sizeof tail);
}

static void file_write_interface(struct capture_file *file)
{
    uint8_t interface[32];

    memset(interface, 0, sizeof interface);
    put_le32(interface, BLOCK_INTERFACE);
    put_le32(interface + 4, sizeof interface);
    put_le16(interface + 8, LINKTYPE_ETHERNET);
    put_le32(interface + 12, file->snap_length);
    put_le16(interface + 16, OPTION_TSRESOL);
    put_le16(interface + 18, 1);
    interface[20] = 9; /* 10^-9 s */
    put_le32(interface + 28, sizeof interface);
    file_write_all(file, interface, sizeof interface);
}

static void write_pcap_head(struct capture_file *file)
{
    uint8_t head[24] = {0};

    put_le32(head, (uint32_t)PCAP_MAGIC_NS);
    put_le16(head + 4, 2);
    put_le16(head + 6, 4);
    put_le32(head + 16, file->snap_length);
    put_le32(head + 20, LINKTYPE_ETHERNET);
    file_write_all(file, head, sizeof head);
}

static struct capture_file *file_open_file(const char *path, enum capture_format format, uint32_t snap_length,
                                           const char *comment)
{
    struct capture_file *file = calloc(1, sizeof *file);

    if (!file)
        return NULL;
    file->format = format;
    file->snap_length = snap_length ? snap_length : SNAP_LENGTH_ALL;
    file->f = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    if (!file->f) {
        free(file);
        return NULL;
    }
    setvbuf(file->f, NULL, _IOFBF, BUFFER_SIZE);
    if (format == CAPTURE_PCAPNG) {
        file_write_section(file, comment);
        file_write_interface(file);
    } else {
        write_pcap_head(file);
    }
    return file;
}

struct capture_file *capture_file_open(const char *path, enum capture_format format, uint32_t snap_length)
{
    return file_open_file(path, format, snap_length, NULL);
}

struct capture_file *capture_file_open_commented(const char *path, const char *comment)
{
    return file_open_file(path, CAPTURE_PCAPNG, 0, comment);
}

struct capture_file *capture_file_to(capture_file_take take, void *ctx)
{
    struct capture_file *file = calloc(1, sizeof *file);

    if (!file)
        return NULL;
    file->take = take;
    file->take_ctx = ctx;
    file->snap_length = SNAP_LENGTH_ALL;
    return file;
}

void capture_file_set_filter(struct capture_file *file, capture_file_wants wants, void *ctx)
{
    file->wants = wants;
    file->wants_ctx = ctx;
}

void capture_file_set_live(struct capture_file *file)
{
    file->live = true;
}

/* Waits until it is time for the packet; returns that time. */
static int64_t file_wait_for(struct capture_file *file, int64_t time_ns)
{
    struct timespec now;

    if (!file->shifted) {
        clock_gettime(CLOCK_REALTIME, &now);
        file->shift_ns = now.tv_sec * NS_PER_S + now.tv_nsec - time_ns;
        file->shifted = true;
    }
    time_ns += file->shift_ns;

    const struct timespec then = {.tv_sec = time_ns / NS_PER_S, .tv_nsec = time_ns % NS_PER_S};

    fflush(file->f); /* so that others can read the file meanwhile */
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &then, NULL) == EINTR)
        ;
    return time_ns;
}

bool capture_file_cut_packet(struct capture_file *file, int64_t time_ns, const uint8_t *p, size_t there, size_t n)
{
    static const uint8_t zero[4];
    uint32_t captured = there > file->snap_length ? file->snap_length : (uint32_t)there;

    if (file->wants && !file->wants(file->wants_ctx, p, there))
        return true;
    if (file->live)
        time_ns = file_wait_for(file, time_ns);
    if (file->take) {
        if (!file->error && !file->take(file->take_ctx, time_ns, p, captured, n))
            file->error = errno ? errno : EIO;
        return file->error == 0;
    }

    if (file->format == CAPTURE_PCAP) {
        uint8_t head[16];

        put_le32(head, (uint32_t)(time_ns / 1000000000));
        put_le32(head + 4, (uint32_t)(time_ns % 1000000000));
        put_le32(head + 8, captured);
        put_le32(head + 12, (uint32_t)n);
        return file_write_all(file, head, sizeof head) && file_write_all(file, p, captured);
    }

    uint8_t head[28], tail[4];
    uint32_t padding = (4u - captured) & 3u;
    uint32_t total = (uint32_t)sizeof head + captured + padding + 4;

    put_le32(head, BLOCK_PACKET);
    put_le32(head + 4, total);
    put_le32(head + 8, 0);
    put_le32(head + 12, (uint32_t)((uint64_t)time_ns >> 32));
    put_le32(head + 16, (uint32_t)time_ns);
    put_le32(head + 20, captured);
    put_le32(head + 24, (uint32_t)n);
    put_le32(tail, total);
    return file_write_all(file, head, sizeof head) && file_write_all(file, p, captured) &&
           file_write_all(file, zero, padding) && file_write_all(file, tail, sizeof tail);
}

bool capture_file_packet(struct capture_file *file, int64_t time_ns, const uint8_t *p, size_t n)
{
    return capture_file_cut_packet(file, time_ns, p, n, n);
}

bool capture_file_drops(struct capture_file *file, int64_t time_ns, uint64_t dropped)
{
    uint8_t block[40] = {0};

    if (file->take || file->format == CAPTURE_PCAP)
        return true;
    put_le32(block, BLOCK_STATISTICS);
    put_le32(block + 4, sizeof block);
    put_le32(block + 12, (uint32_t)((uint64_t)time_ns >> 32));
    put_le32(block + 16, (uint32_t)time_ns);
    put_le16(block + 20, OPTION_DROPPED_BY_SYSTEM);
    put_le16(block + 22, 8);
    put_le32(block + 24, (uint32_t)dropped);
    put_le32(block + 28, (uint32_t)(dropped >> 32));
    put_le32(block + 36, sizeof block);
    return file_write_all(file, block, sizeof block);
}

bool capture_file_flush(struct capture_file *file)
{
    if (file->f && fflush(file->f) != 0 && file->error == 0)
        file->error = errno;
    errno = file->error;
    return file->error == 0;
}

uint64_t capture_file_octets(const struct capture_file *file)
{
    return file->octets;
}

bool capture_file_close(struct capture_file *file)
{
    if (file->f == stdout) {
        if (fflush(file->f) != 0 && file->error == 0)
            file->error = errno;
    } else if (file->f && fclose(file->f) != 0 && file->error == 0) {
        file->error = errno;
    }

    int error = file->error;

    free(file);
    errno = error;
    return error == 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads pcap files like libpcap 1.10, with the same messages, by which conformance/input/capture.c distinguishes
 * trouble. Format: draft-ietf-opsawg-pcap.
 */
#include "web/libs/pcap_file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 24, RECORD = 16, MAGIC = 4 };

static const uint32_t of_microseconds = 0xa1b2c3d4, of_nanoseconds = 0xa1b23c4d, of_pcapng = 0x0a0d0d0a;

void pcap_say(pcap_t *pcap, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(pcap->error, sizeof pcap->error, format, arguments);
    va_end(arguments);
}

uint32_t pcap_get32(const pcap_t *pcap, const uint8_t *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof value);
    return pcap->swapped ? __builtin_bswap32(value) : value;
}

uint16_t pcap_get16(const pcap_t *pcap, const uint8_t *p)
{
    uint16_t value;

    memcpy(&value, p, sizeof value);
    return pcap->swapped ? __builtin_bswap16(value) : value;
}

int pcap_linktype_of(uint32_t in_file)
{
    static const struct {
        uint16_t in_file, here;
    } differ[] = {{100, 11}, {101, DLT_RAW}, {102, 15}, {103, 16}, {50, 50}, {106, 19}, {109, 109}, {123, 138}};

    for (size_t i = 0; i < sizeof differ / sizeof differ[0]; i++)
        if (differ[i].in_file == in_file)
            return differ[i].here;
    return (int)in_file;
}

int pcap_snap_length_of(uint32_t in_file)
{
    return in_file == 0 || in_file > INT_MAX ? PCAP_SNAP_LENGTH_MAX : (int)in_file;
}

bool pcap_room(pcap_t *pcap, size_t n)
{
    uint8_t *larger;

    if (n <= pcap->room)
        return true;
    larger = realloc(pcap->buffer, n);
    if (!larger) {
        pcap_say(pcap, "out of memory");
        return false;
    }
    pcap->buffer = larger;
    pcap->room = n;
    return true;
}

/* ---- pcap ---- */

static bool pcap_begin(pcap_t *pcap)
{
    uint8_t rest[HEAD - MAGIC];
    size_t got = fread(rest, 1, sizeof rest, pcap->file);
    unsigned major, minor;

    if (got != sizeof rest) {
        pcap_say(pcap, "truncated dump file; tried to read %zu file header bytes, only got %zu", (size_t)HEAD, got);
        return false;
    }
    major = pcap_get16(pcap, rest);
    minor = pcap_get16(pcap, rest + 2);
    if (major < 2) {
        pcap_say(pcap, "archaic pcap savefile format");
        return false;
    }
    if (!(major == 2 && minor <= 4) && !(major == 543 && minor == 0)) {
        pcap_say(pcap, "unsupported pcap savefile version %u.%u", major, minor);
        return false;
    }
    pcap->snap_length = pcap_snap_length_of(pcap_get32(pcap, rest + 12));
    pcap->linktype = pcap_linktype_of(pcap_get32(pcap, rest + 16) & 0x03FFFFFF);
    return true;
}

static bool read_captured(pcap_t *pcap, uint32_t n)
{
    uint8_t rest[512];
    uint32_t kept = n < (uint32_t)pcap->snap_length ? n : (uint32_t)pcap->snap_length;
    size_t got;

    if (!pcap_room(pcap, kept > 0 ? kept : 1))
        return false;
    got = fread(pcap->buffer, 1, kept, pcap->file);
    for (uint32_t left = n - kept; got >= kept && left > 0;) {
        uint32_t piece = left < sizeof rest ? left : sizeof rest;
        size_t more = fread(rest, 1, piece, pcap->file);

        got += more;
        left -= piece;
        if (more != piece)
            break;
    }
    pcap->header.caplen = kept;
    if (got == n)
        return true;
    pcap_say(pcap, "truncated dump file; tried to read %u captured bytes, only got %zu", n, got);
    return false;
}

static int pcap_next_record(pcap_t *pcap, const uint8_t **data)
{
    uint8_t record[RECORD];
    size_t got = fread(record, 1, sizeof record, pcap->file);
    uint32_t captured;

    if (got == 0 && !ferror(pcap->file))
        return PCAP_ERROR_BREAK;
    if (got != sizeof record) {
        pcap_say(pcap, "truncated dump file; tried to read %zu header bytes, only got %zu", sizeof record, got);
        return PCAP_ERROR;
    }
    captured = pcap_get32(pcap, record + 8);
    pcap->header.ts.tv_sec = (int32_t)pcap_get32(pcap, record);
    pcap->header.ts.tv_usec = (int32_t)pcap_get32(pcap, record + 4);
    if (!pcap->nanoseconds)
        pcap->header.ts.tv_usec *= 1000;
    pcap->header.len = pcap_get32(pcap, record + 12);
    if (captured > PCAP_SNAP_LENGTH_MAX) {
        pcap_say(pcap, "invalid packet capture length %u, bigger than snaplen of %d", captured, pcap->snap_length);
        return PCAP_ERROR;
    }
    if (!read_captured(pcap, captured))
        return PCAP_ERROR;
    *data = pcap->buffer;
    return 1;
}

/* ---- both ---- */

/* Recognises the magic number of the file. */
static bool is_known(pcap_t *pcap, const uint8_t magic[MAGIC])
{
    for (int swapped = 0; swapped < 2; swapped++) {
        uint32_t number;

        pcap->swapped = swapped;
        number = pcap_get32(pcap, magic);
        pcap->nanoseconds = number == of_nanoseconds;
        pcap->is_pcapng = number == of_pcapng;
        if (number == of_microseconds || pcap->nanoseconds || pcap->is_pcapng)
            return true;
    }
    return false;
}

static bool begin_file(pcap_t *pcap)
{
    uint8_t magic[MAGIC];
    size_t got = fread(magic, 1, sizeof magic, pcap->file);

    if (got != sizeof magic && ferror(pcap->file))
        pcap_say(pcap, "error reading dump file");
    else if (got != sizeof magic)
        pcap_say(pcap, "truncated dump file; tried to read %zu file header bytes, only got %zu", sizeof magic, got);
    else if (!is_known(pcap, magic))
        pcap_say(pcap, "unknown file format");
    else
        return pcap->is_pcapng ? pcapng_begin(pcap, magic) : pcap_begin(pcap);
    return false;
}

pcap_t *pcap_fopen_offline_with_tstamp_precision(FILE *file, u_int precision, char *error)
{
    pcap_t *pcap = calloc(1, sizeof *pcap);

    (void)precision; /* nanoseconds, always */
    if (!pcap) {
        snprintf(error, PCAP_ERRBUF_SIZE, "out of memory");
        return NULL;
    }
    pcap->file = file;
    if (begin_file(pcap))
        return pcap;
    memcpy(error, pcap->error, PCAP_ERRBUF_SIZE);
    pcap->file = NULL; /* stays open */
    pcap_close(pcap);
    return NULL;
}

void pcap_close(pcap_t *pcap)
{
    if (pcap->file && pcap->file != stdin)
        fclose(pcap->file);
    free(pcap->interfaces);
    free(pcap->buffer);
    free(pcap);
}

int pcap_next_ex(pcap_t *pcap, struct pcap_pkthdr **header, const u_char **data)
{
    *header = &pcap->header;
    return pcap->is_pcapng ? pcapng_next(pcap, data) : pcap_next_record(pcap, data);
}

char *pcap_geterr(pcap_t *pcap)
{
    return pcap->error;
}

FILE *pcap_file(pcap_t *pcap)
{
    return pcap->file;
}

int pcap_datalink(pcap_t *pcap)
{
    return pcap->linktype;
}

int pcap_snapshot(pcap_t *pcap)
{
    return pcap->snap_length;
}

int pcap_get_tstamp_precision(pcap_t *pcap)
{
    (void)pcap;
    return PCAP_TSTAMP_PRECISION_NANO;
}

void pcap_breakloop(pcap_t *pcap)
{
    (void)pcap; /* reading is never interrupted */
}

/* ---- filters: their compiler is left out ---- */

int pcap_compile(pcap_t *pcap, struct bpf_program *program, const char *filter, int optimize, bpf_u_int32 mask)
{
    (void)program, (void)filter, (void)optimize, (void)mask;
    pcap_say(pcap, "the checker of the web page has no filters");
    return PCAP_ERROR;
}

void pcap_freecode(struct bpf_program *program)
{
    (void)program;
}

int pcap_offline_filter(const struct bpf_program *program, const struct pcap_pkthdr *header, const u_char *data)
{
    (void)program, (void)header, (void)data;
    return 1;
}

/* ---- names of link types ---- */

static const struct link_type {
    int number;
    const char *name, *text;
} link_types[] = {
#include "link_types.h"
};

static const struct link_type *find_link_type(int number)
{
    for (size_t i = 0; i < sizeof link_types / sizeof link_types[0]; i++)
        if (link_types[i].number == number)
            return &link_types[i];
    return NULL;
}

const char *pcap_datalink_val_to_name(int number)
{
    const struct link_type *known = find_link_type(number);

    return known ? known->name : NULL;
}

const char *pcap_datalink_val_to_description(int number)
{
    const struct link_type *known = find_link_type(number);

    return known ? known->text : NULL;
}

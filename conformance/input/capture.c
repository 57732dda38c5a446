// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture.h"

#include "conformance/input/capture_direct.h"
#include "conformance/input/capture_drops.h"
#include "conformance/input/capture_keep.h"
#include "conformance/input/capture_live.h"
#include "conformance/input/capture_tap.h"
#include "conformance/input/unpack.h"
#include "support/privileges.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    READ_BUFFER = 256 << 10, /* the C library's default buffer costs a system call per 4 KiB */
    TAP_SNAP = 262144,
    NS_PER_S = 1000000000,
};

struct capture {
    pcap_t *pcap;
    struct capture_direct *direct; /* NULL: libpcap reads the packets */
    struct unpack *unpack;         /* NULL: a regular file that is not compressed */
    struct drops_stream drops;     /* of any other */
    int linktype;
    char *name;
    char *buffer; /* of the stream; outlives it */
    bool is_live;
    struct capture_live live;
    bool is_tap; /* live, too, but read directly */
    struct capture_tap tap;
    bool nanoseconds;
    int64_t size;             /* of a regular file; -1: unknown */
    enum capture_status last; /* END and errors are final */
    char last_text[CAPTURE_ERROR_SIZE];
    volatile sig_atomic_t stop;
    uint64_t packets;
    uint64_t dropped;             /* recorded in a regular file: at its end, or so far */
    struct capture_counts counts; /* the same, and more: at its end */
    _Atomic int64_t stopped_ns;   /* a live capture was stopped; 0: it was not */
    bool filtered;
    struct bpf_program filter; /* for a file */
    struct {
        int linktype;
        bool compiled;
        struct bpf_program filter;
    } other; /* the filter for packets of the latest other link type */
    char *filter_text;
    struct capture_keep *keep;                      /* NULL: packets are not kept */
    bool (*give)(void *ctx, struct packet *packet); /* NULL: packets come from elsewhere */
    void *give_ctx;
};

void capture_error_set(struct capture_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    for (char *c = error->text; *c; c++) /* a single line, even if the file name has several */
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

/* Likely reasons if libpcap does not know the format, by the first octets. */
static const char *format_hint(const uint8_t *p, size_t n)
{
    static const struct {
        uint8_t magic[4];
        uint8_t length;
        const char *hint;
    } known[] = {
        {{0xfd, '7', 'z', 'X'}, 4, "compressed with xz; unpack it first"},
        {{'B', 'Z', 'h'}, 3, "compressed with bzip2; unpack it first"},
        {{'s', 'n', 'o', 'o'}, 4, "a snoop capture; convert it to pcapng first"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (n >= known[i].length && memcmp(p, known[i].magic, known[i].length) == 0)
            return known[i].hint;
    return NULL;
}

/* Sets the error for a file that libpcap rejects. magic: the first n octets, as far as known. */
static void capture_say_refused(struct capture_error *error, const struct capture *capture, const char *reason,
                                const uint8_t *magic, size_t n)
{
    const char *name = capture->name, *hint = format_hint(magic, n);
    const char *trouble = capture->unpack ? unpack_trouble(capture->unpack) : NULL;
    const char *packed = capture->unpack ? unpack_format(capture->unpack) : NULL;
    const char *inside = packed ? " after decompression with " : "", *form = packed ? packed : "";

    if (trouble)
        capture_error_set(error, "%s: cannot be decompressed: %s: %s", name, form, trouble);
    else if (hint)
        capture_error_set(error, "%s: not a pcap or pcapng file: %s", name, hint);
    else if (strstr(reason, "unknown file format"))
        capture_error_set(error, "%s: not a pcap or pcapng file%s%s", name, inside, form);
    else if (strstr(reason, "only got 0"))
        capture_error_set(error, "%s: %s%s%s", name, *form ? "nothing" : "empty file", inside, form);
    else if (strncmp(reason, "truncated", 9) == 0)
        capture_error_set(error, "%s: ends inside the file header (%s)", name, reason);
    else
        capture_error_set(error, "%s: %s", name, reason);
}

/* For link types that libpcap passes on unchanged from the file, in any byte order. */
static void read_directly(struct capture *capture)
{
    static const int plain[] = {DLT_EN10MB, DLT_RAW, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_IPV4, DLT_IPV6};
    const struct direct_facts facts = {.snap_length = (uint32_t)pcap_snapshot(capture->pcap),
                                       .linktype = capture->linktype};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i] == capture->linktype)
            capture->direct = direct_open(fileno(pcap_file(capture->pcap)), &facts);
}

/* Facts about a file before libpcap reads it. */
struct opening {
    FILE *file; /* standard input, or a file to close */
    uint8_t magic[4];
    size_t n_magic; /* 0: not read */
    bool from_start;
};

/* Reads the first octets of a regular file that is not compressed. */
static bool capture_look_at(struct opening *opening)
{
    off_t here = ftello(opening->file);

    opening->n_magic = fread(opening->magic, 1, sizeof opening->magic, opening->file);
    if (ferror(opening->file))
        return false;
    opening->from_start = here == 0;
    fseeko(opening->file, here > 0 ? here : 0, SEEK_SET);
    return true;
}

static void capture_watch_drops(void *ctx, uint8_t *p, size_t n)
{
    drops_octets(ctx, p, n);
}

/* Prepares for reading the content of the file. */
static bool capture_prepare(struct capture *capture, struct opening *opening, struct capture_error *error)
{
    struct stat status;
    const struct unpack_watch watch = {.ctx = &capture->drops, .octets = capture_watch_drops};
    FILE *stream;

    if (fstat(fileno(opening->file), &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            capture_error_set(error, "%s: is a directory", capture->name);
            return false;
        }
        if (S_ISREG(status.st_mode))
            capture->size = status.st_size;
    }
    capture->buffer = opening->file == stdin ? NULL : malloc(READ_BUFFER);
    if (capture->buffer)
        setvbuf(opening->file, capture->buffer, _IOFBF, READ_BUFFER);
    stream = unpack_stream(opening->file, &watch, &capture->unpack);
    if (stream)
        opening->file = stream;
    if (stream && (capture->unpack || capture->size < 0 || capture_look_at(opening)))
        return true;
    capture_error_set(error, "%s: %s", capture->name, strerror(errno));
    return false;
}

static bool open_offline(struct capture *capture, struct opening *opening, struct capture_error *error)
{
    char reason[PCAP_ERRBUF_SIZE] = "";

    if (!capture_prepare(capture, opening, error))
        return false;
    capture->pcap = pcap_fopen_offline_with_tstamp_precision(opening->file, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!capture->pcap) {
        capture_say_refused(error, capture, reason, opening->magic, opening->n_magic);
        return false;
    }
    capture->linktype = pcap_datalink(capture->pcap);
    if (opening->from_start) {
        capture->counts = capture_drops(fileno(opening->file), capture->size);
        capture->dropped = capture->counts.dropped;
        read_directly(capture);
    }
    return true;
}

struct capture *capture_open(const char *path, struct capture_error *error)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct opening opening = {.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb")};
    struct capture *capture;

    if (!opening.file) {
        capture_error_set(error, "%s: %s", name, errno == ENOENT ? "no such file" : strerror(errno));
        return NULL;
    }
    capture = calloc(1, sizeof *capture);
    if (capture) {
        capture->size = -1;
        capture->nanoseconds = true;
        capture->name = strdup(name);
    }
    if (!capture || !capture->name)
        capture_error_set(error, "%s: out of memory", name);
    else if (open_offline(capture, &opening, error))
        return capture;
    if (opening.file != stdin)
        fclose(opening.file);
    capture_close(capture);
    return NULL;
}

/* What iwarp-tap said on the standard error output precedes this program's own words. */
static struct capture *capture_open_tap(struct capture *capture, const struct capture_live_options *options,
                                        struct capture_error *error)
{
    capture->is_tap = true;
    capture->nanoseconds = true;
    capture->linktype = DLT_EN10MB;
    if (tap_open(&capture->tap, options, error)) {
        capture->direct = direct_open_pipe(capture->tap.packets);
        capture->pcap =
            pcap_open_dead_with_tstamp_precision(DLT_EN10MB, TAP_SNAP, PCAP_TSTAMP_PRECISION_NANO); /* for copies */
        if (capture->direct && capture->pcap)
            return capture;
        capture_error_set(error, "%s: iwarp-tap could not begin", capture->name);
    }
    capture_close(capture);
    return NULL;
}

struct capture *capture_open_live(const char *interface, const struct capture_live_options *options,
                                  struct capture_error *error)
{
    static const struct capture_live_options defaults;
    struct capture *capture = calloc(1, sizeof *capture);

    if (!capture || !(capture->name = strdup(interface))) {
        capture_error_set(error, "%s: out of memory", interface);
        free(capture);
        return NULL;
    }
    capture->is_live = true;
    capture->size = -1;
    if (tap_is_interface(interface))
        return capture_open_tap(capture, options ? options : &defaults, error);
    if (!live_open(&capture->live, interface, options ? options : &defaults, error)) {
        capture->pcap = capture->live.pcap;
        capture_close(capture);
        return NULL;
    }
    capture->pcap = capture->live.pcap;
    capture->linktype = pcap_datalink(capture->pcap);
    capture->nanoseconds = pcap_get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
    return capture;
}

struct capture *capture_from(bool (*give)(void *ctx, struct packet *packet), void *ctx)
{
    struct capture *capture = calloc(1, sizeof *capture);

    if (!capture)
        return NULL;
    capture->size = -1;
    capture->linktype = DLT_EN10MB;
    capture->give = give;
    capture->give_ctx = ctx;
    return capture;
}

bool capture_live_opened(const char *interface, bool remain, struct capture_error *error)
{
    bool dropped = remain || privileges_drop_rest();

    if (!dropped)
        capture_error_set(error, "%s: cannot drop privileges: %s", interface, strerror(errno));
    return dropped;
}

void capture_close(struct capture *capture)
{
    if (!capture)
        return;
    direct_close(capture->direct);
    if (capture->is_tap)
        tap_close(&capture->tap);
    keep_close(capture->keep);
    if (capture->filtered)
        pcap_freecode(&capture->filter);
    if (capture->other.compiled)
        pcap_freecode(&capture->other.filter);
    free(capture->filter_text);
    if (capture->pcap)
        pcap_close(capture->pcap);
    unpack_free(capture->unpack);
    free(capture->drops.links);
    free(capture->buffer);
    free(capture->name);
    free(capture);
}

/* libpcap has one return value for every error in a file; only the text differs. */
static enum capture_status stopped(struct capture *capture, struct capture_error *error)
{
    const char *reason = pcap_geterr(capture->pcap);
    const char *packed = capture->unpack ? unpack_trouble(capture->unpack) : NULL;
    bool truncated = packed ? unpack_is_truncated(capture->unpack) : strncmp(reason, "truncated", 9) == 0;

    if (truncated)
        capture_error_set(error, "%s ends too early: the first %" PRIu64 " packets were checked", capture->name,
                          capture->packets);
    else if (packed)
        capture_error_set(error, "%s: cannot be decompressed past packet %" PRIu64 ": %s: %s", capture->name,
                          capture->packets, unpack_format(capture->unpack), packed);
    else if (strstr(reason, "of the first interface")) /* libpcap requires one link type and snap length */
        capture_error_set(error, "%s: cannot be read past packet %" PRIu64 ", its interfaces differ: %s", capture->name,
                          capture->packets, reason);
    else if (capture->is_live)
        capture_error_set(error, "%s: %s", capture->name, reason);
    else
        capture_error_set(error, "%s: corrupt after packet %" PRIu64 ": %s", capture->name, capture->packets, reason);
    memcpy(capture->last_text, error->text, sizeof capture->last_text);
    return truncated ? CAPTURE_TRUNCATED : CAPTURE_CORRUPT;
}

/*
 * Nanoseconds since the epoch. A hostile file may hold any number: within 0 .. 2^61, the differences computed in all
 * layers never overflow.
 */
static int64_t capture_time_of(const struct capture *capture, const struct timeval *time)
{
    const int64_t seconds_max = (INT64_C(1) << 61) / NS_PER_S - 1;
    int64_t stamp = time->tv_sec;
    int64_t seconds;

    /* From 2038 on: libpcap takes the 32 bits in a pcap file for a signed number. */
    if (stamp < 0 && stamp >= INT32_MIN)
        stamp += INT64_C(1) << 32;
    seconds = stamp < 0 ? 0 : stamp > seconds_max ? seconds_max : stamp;

    int64_t fraction = time->tv_usec < 0 ? 0 : time->tv_usec > NS_PER_S ? NS_PER_S : time->tv_usec;

    return seconds * NS_PER_S + fraction * (capture->nanoseconds ? 1 : 1000);
}

/* Something unusual follows the packets read so far: libpcap continues from the same place. */
static int leave_to_libpcap(struct capture *capture)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int result = 1;

    direct_close(capture->direct);
    capture->direct = NULL;
    for (uint64_t i = 0; i < capture->packets && result == 1; i++)
        result = pcap_next_ex(capture->pcap, &header, &data);
    return result;
}

/* Frame numbers may wrap in a long live capture. */
static uint32_t next_frame(struct capture *capture)
{
    return (uint32_t)(capture->packets++ % UINT32_MAX) + 1;
}

static void set_packet(struct capture *capture, struct packet *packet, const struct direct_record *record)
{
    packet->frame = next_frame(capture);
    packet->time_ns = record->time_ns;
    packet->captured = record->captured;
    packet->length = record->length > record->captured ? record->length : record->captured;
    packet->data = record->data;
    packet->linktype = record->linktype >= 0 ? record->linktype : capture->linktype;
}

/* For anything but a packet, asks libpcap. */
static bool next_directly(struct capture *capture, struct packet *packet, int *result)
{
    struct direct_record record;
    enum direct_status status = direct_next(capture->direct, &record);

    if (direct_dropped(capture->direct) > capture->dropped)
        capture->dropped = direct_dropped(capture->direct);
    switch (status) {
    case DIRECT_PACKET:
        set_packet(capture, packet, &record);
        return true;
    case DIRECT_END:
        *result = PCAP_ERROR_BREAK;
        return false;
    case DIRECT_WAIT: /* not of a file */
    case DIRECT_UNUSUAL:
        break;
    }
    *result = leave_to_libpcap(capture);
    return false;
}

static int next_of_libpcap(struct capture *capture, struct pcap_pkthdr **header, const u_char **data)
{
    int result;

    if (capture->stop != 0 && (!capture->is_live || capture->stop > 1))
        return PCAP_ERROR_BREAK;
    if (capture->stop != 0)
        capture_live_stop(&capture->live);
    if (capture->is_live)
        return live_next(&capture->live, header, data);
    result = pcap_next_ex(capture->pcap, header, data);
    return result < 0 && capture->stop != 0 ? PCAP_ERROR_BREAK : result; /* being interrupted is not an error then */
}

/* Ends early only if iwarp-tap could not go on. */
static enum capture_status next_of_tap(struct capture *capture, struct packet *packet, struct capture_error *error)
{
    struct direct_record record;

    if (capture->stop > 1)
        return capture->last = CAPTURE_END;
    if (capture->stop != 0)
        tap_stop(&capture->tap);
    switch (direct_next(capture->direct, &record)) {
    case DIRECT_PACKET:
        set_packet(capture, packet, &record);
        return CAPTURE_PACKET;
    case DIRECT_WAIT:
        tap_wait(&capture->tap);
        return CAPTURE_TIMEOUT;
    case DIRECT_END:
        if (tap_close(&capture->tap))
            return capture->last = CAPTURE_END;
        break;
    case DIRECT_UNUSUAL:
        break;
    }
    capture_error_set(error, "%s: iwarp-tap ended early", capture->name);
    memcpy(capture->last_text, error->text, sizeof capture->last_text);
    return capture->last = CAPTURE_CORRUPT;
}

static enum capture_status next_given(struct capture *capture, struct packet *packet)
{
    if (!capture->give(capture->give_ctx, packet))
        return capture->last = CAPTURE_END;
    packet->frame = next_frame(capture);
    packet->linktype = capture->linktype;
    return CAPTURE_PACKET;
}

static enum capture_status next_packet(struct capture *capture, struct packet *packet, struct capture_error *error)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int result = 1;

    if (capture->last != CAPTURE_PACKET) {
        memcpy(error->text, capture->last_text, sizeof error->text);
        return capture->last;
    }
    if (capture->is_tap)
        return next_of_tap(capture, packet, error);
    if (capture->direct && !capture->stop && next_directly(capture, packet, &result))
        return CAPTURE_PACKET;
    if (capture->give)
        return next_given(capture, packet);
    if (result == 1)
        result = next_of_libpcap(capture, &header, &data);
    if (result == 0)
        return CAPTURE_TIMEOUT;
    if (result == 1 && capture->is_live && live_is_over(&capture->live, capture_time_of(capture, &header->ts)))
        result = PCAP_ERROR_BREAK;
    if (result != 1)
        return capture->last = result == PCAP_ERROR_BREAK ? CAPTURE_END : stopped(capture, error);

    packet->frame = next_frame(capture);
    packet->time_ns = capture_time_of(capture, &header->ts);
    packet->captured = header->caplen;
    packet->length = header->len > header->caplen ? header->len : header->caplen;
    packet->data = data;
    packet->linktype = drops_linktype(&capture->drops, capture->packets - 1, capture->linktype);
    return CAPTURE_PACKET;
}

bool capture_filter(struct capture *capture, const char *filter, struct capture_error *error)
{
    if (pcap_compile(capture->pcap, &capture->filter, filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        capture_error_set(error, "filter \"%s\": %s", filter, pcap_geterr(capture->pcap));
        return false;
    }
    capture->filtered = true;
    capture->filter_text = strdup(filter);
    capture->other.linktype = -1;
    return true;
}

/* Interfaces may have different link types. NULL: the filter has no meaning for this one. */
static struct bpf_program *filter_for(struct capture *capture, int linktype)
{
    pcap_t *other;

    if (linktype == capture->linktype)
        return &capture->filter;
    if (capture->other.linktype == linktype)
        return capture->other.compiled ? &capture->other.filter : NULL;
    if (capture->other.compiled)
        pcap_freecode(&capture->other.filter);
    capture->other.linktype = linktype;
    other = pcap_open_dead_with_tstamp_precision(linktype, TAP_SNAP, PCAP_TSTAMP_PRECISION_NANO);
    capture->other.compiled =
        other && capture->filter_text &&
        pcap_compile(other, &capture->other.filter, capture->filter_text, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (other)
        pcap_close(other);
    return capture->other.compiled ? &capture->other.filter : NULL;
}

static bool passes_filter(struct capture *capture, const struct packet *packet)
{
    const struct pcap_pkthdr header = {.caplen = packet->captured, .len = packet->length};
    struct bpf_program *filter = filter_for(capture, packet->linktype);

    return filter && pcap_offline_filter(filter, &header, packet->data) != 0;
}

bool capture_keep(struct capture *capture, const char *path, struct capture_error *error)
{
    capture->keep = keep_open(path, capture->pcap, error);
    return capture->keep != NULL;
}

bool capture_kept(struct capture *capture, struct capture_error *error)
{
    return !capture->keep || keep_finish(capture->keep, error);
}

enum capture_status capture_next(struct capture *capture, struct packet *packet, struct capture_error *error)
{
    enum capture_status status;

    do
        status = next_packet(capture, packet, error);
    while (capture->filtered && status == CAPTURE_PACKET && !passes_filter(capture, packet));
    if (capture->keep && status == CAPTURE_PACKET)
        keep_packet(capture->keep, packet);
    else if (capture->keep)
        keep_flush(capture->keep); /* a reader of the copy sees all packets while none come */
    return status;
}

double capture_progress(const struct capture *capture)
{
    if (capture->is_live || capture->size <= 0)
        return -1;
    off_t here = capture->unpack   ? (off_t)unpack_position(capture->unpack)
                 : capture->direct ? (off_t)direct_position(capture->direct)
                                   : ftello(pcap_file(capture->pcap));
    return here < 0 ? -1 : (double)here / (double)capture->size;
}

uint64_t capture_dropped(struct capture *capture)
{
    if (capture->is_tap)
        return direct_dropped(capture->direct);
    if (capture->is_live)
        return live_dropped(&capture->live);
    return capture->unpack ? capture->drops.sum.dropped : capture->dropped;
}

int64_t capture_ended(const struct capture *capture)
{
    const struct capture_counts *counts = capture->unpack ? &capture->drops.sum : &capture->counts;

    if (capture->is_live)
        return capture->stopped_ns;
    return capture->last == CAPTURE_END && !capture->stop && counts->delivered <= capture->packets ? counts->ended_ns
                                                                                                   : 0;
}

bool capture_is_live(const struct capture *capture)
{
    return capture->is_live;
}

bool capture_is_endless(const struct capture *capture)
{
    return capture->is_live || capture->size < 0;
}

int64_t capture_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void capture_stop(struct capture *capture)
{
    if (capture->stop == 0)
        capture->stopped_ns = capture_now();
    if (capture->stop < 2)
        capture->stop++;
    if (!capture->is_live)
        pcap_breakloop(capture->pcap);
}

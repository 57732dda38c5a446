// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets to segments, segments to the shares of the capture, and what these found to one report. */
#include "conformance/check.h"

#include "conformance/check_workers.h"
#include "engine/heap.h"

enum { PROGRESS_EVERY = 4096 /* packets */ };

struct reading {
    struct capture *source;
    struct report_capture *capture;
    const struct check_progress *progress;
    struct decap *decap;
    struct check *shares[CHECK_SHARES];
    unsigned n_shares;
    struct workers *workers; /* NULL: the shares are worked on here */
    uint32_t next_id;        /* of the shares together, as long as that is so */
    int64_t last_ns;
    bool memory_lacking;
    uint64_t decapsulated[DECAP_STATUS_COUNT];
    int unknown_linktype;
};

/* ---- the packets ---- */

static void take_segment(struct reading *reading, struct addressed_segment *segment)
{
    unsigned share = reading->n_shares == 1 ? 0 : flows_share(segment, reading->n_shares);

    if (reading->workers == NULL)
        share_segment(reading->shares[share], segment);
    else
        reading->memory_lacking |= !workers_segment(reading->workers, share, segment);
}

static enum capture_status read_all(struct reading *reading, struct capture_error *error)
{
    const struct check_progress *progress = reading->progress;
    struct addressed_segment segment;
    struct packet packet;
    enum capture_status status;

    while ((status = capture_next(reading->source, &packet, error)) == CAPTURE_PACKET || status == CAPTURE_TIMEOUT) {
        enum decap_status decapsulated;

        if (status == CAPTURE_TIMEOUT)
            continue;
        if (packet.frame == 1)
            reading->capture->start_ns = packet.time_ns;
        reading->last_ns = packet.time_ns;
        decapsulated = decap_packet(reading->decap, &packet, &segment);
        reading->decapsulated[decapsulated]++;
        if (decapsulated == DECAP_TCP)
            take_segment(reading, &segment);
        else if (decapsulated == DECAP_LINKTYPE)
            reading->unknown_linktype = packet.linktype;
        if (progress->tell != NULL && packet.frame % PROGRESS_EVERY == 0)
            progress->tell(progress->ctx, capture_progress(reading->source));
    }
    return status;
}

static void explain_status(const struct reading *reading, enum capture_status status, const struct capture_error *error)
{
    struct report_capture *capture = reading->capture;
    bool lacking = reading->memory_lacking || heap_refused();

    capture->truncated = status == CAPTURE_TRUNCATED;
    capture->failed = status == CAPTURE_CORRUPT || lacking;
    if (lacking)
        capture->trouble =
            g_strdup_printf("%s: not enough memory for all connections; findings may be missing", capture->file);
    else if (status == CAPTURE_CORRUPT || status == CAPTURE_TRUNCATED)
        capture->trouble = g_utf8_make_valid(error->text, -1);
    else if (reading->decapsulated[DECAP_LINKTYPE] > 0 && reading->decapsulated[DECAP_TCP] == 0)
        capture->trouble =
            g_strdup_printf("%s: link type %d is not understood", capture->file, reading->unknown_linktype);
}

/* ---- the shares ---- */

static bool make_shares(struct reading *reading, const struct check_options *options, FILE *print, unsigned threads)
{
    /* With --print all is told in the order in which it came. */
    unsigned n = print != NULL ? 1 : CHECK_SHARES;
    struct share_setup setup = {.options = options, .capture = reading->capture, .print = print, .shares = n};

    reading->next_id = 1;
    if (print != NULL || threads <= 1)
        setup.next_id = &reading->next_id;
    for (; reading->n_shares < n; reading->n_shares++) {
        reading->shares[reading->n_shares] = share_new(&setup);
        if (reading->shares[reading->n_shares] == NULL)
            return false;
    }
    if (setup.next_id == NULL)
        reading->workers = workers_new(reading->shares, MIN(threads, CHECK_SHARES));
    return true;
}

static void finish_shares(struct reading *reading)
{
    if (reading->workers != NULL)
        workers_finish(reading->workers, reading->last_ns);
    else
        for (unsigned i = 0; i < reading->n_shares; i++)
            share_finish(reading->shares[i], reading->last_ns);
    reading->workers = NULL;
}

/* ---- one report ---- */

static gint by_id(gconstpointer a, gconstpointer b)
{
    const struct report_connection *const *first = a, *const *second = b;

    return (*first)->id < (*second)->id ? -1 : (*first)->id > (*second)->id;
}

static gint by_frame(gconstpointer a, gconstpointer b)
{
    const uint32_t *first = a, *second = b;

    return *first < *second ? -1 : *first > *second;
}

/* How many of the frames come before this one. */
static guint rank(const GArray *frames, uint32_t frame)
{
    guint low = 0, high = frames->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(frames, uint32_t, middle) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The shares numbered their connections apart: the numbers of the capture follow from the frames that opened them. */
static void number_connections(const struct reading *reading)
{
    GArray *frames = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (unsigned i = 0; i < reading->n_shares; i++) {
        const GArray *opened = share_result(reading->shares[i])->opened;

        g_array_append_vals(frames, opened->data, opened->len);
    }
    g_array_sort(frames, by_frame);
    for (unsigned i = 0; i < reading->n_shares; i++) {
        const struct share_found *found = share_result(reading->shares[i]);

        for (guint j = 0; j < found->connections->len; j++) {
            struct report_connection *connection = g_ptr_array_index(found->connections, j);

            connection->id = 1 + rank(frames, g_array_index(found->opened, uint32_t, connection->id - 1));
        }
    }
    g_array_unref(frames);
}

static void gather(struct reading *reading, bool numbered)
{
    struct report_capture *capture = reading->capture;

    if (!numbered)
        number_connections(reading);
    for (unsigned i = 0; i < reading->n_shares; i++) {
        const struct share_found *found = share_result(reading->shares[i]);

        for (guint j = 0; j < found->connections->len; j++)
            g_ptr_array_add(capture->connections, g_ptr_array_index(found->connections, j));
        capture->other_connections += found->other_connections;
        reading->memory_lacking |= found->memory_lacking;
    }
    g_ptr_array_sort(capture->connections, by_id);
}

void check_capture(const struct check_options *options, struct capture *source, struct report_capture *capture,
                   FILE *print, unsigned threads, const struct check_progress *progress)
{
    struct reading reading = {.source = source, .capture = capture, .progress = progress};
    struct capture_error error = {""};

    reading.decap = decap_new(0);
    if (reading.decap == NULL || !make_shares(&reading, options, print, threads)) {
        capture->failed = true;
        capture->trouble = g_strdup_printf("%s: not enough memory", capture->file);
    } else {
        enum capture_status status = read_all(&reading, &error);

        finish_shares(&reading);
        gather(&reading, reading.next_id > 1);
        explain_status(&reading, status, &error);
    }
    capture->packets = capture_packets(source);
    capture->octets = capture_octets(source);
    capture->dropped = capture_dropped(source);
    for (unsigned i = 0; i < reading.n_shares; i++)
        share_free(reading.shares[i]);
    if (reading.decap != NULL)
        decap_free(reading.decap);
}

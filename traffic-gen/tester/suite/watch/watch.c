// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/watch/watch.h"

#include "engine/stack/stack.h"
#include "engine/terminate/terminate_layout.h"
#include "support/frames/frame.h"
#include "wire/octets.h"

#include <string.h>

enum {
    SEGMENT_MAX = 32768,
    WINDOW = 65535,
    FINDINGS_MAX = 256,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SACK = 4,
    SACK_LENGTH = 4, /* includes two octets for alignment */
};

struct watch {
    struct watch_options options;
    struct stack_options layers;
    struct stack *stack;
    struct verdict verdict;
    struct rule_counts counts;
    struct terminate_layouts layouts; /* the DUT's */
    GArray *findings;
    uint64_t sent[2], acked[2]; /* acked: octets that this side received from the other */
    bool ended[2], reset, finished;
    uint16_t ip_id[2];
    uint32_t isn[2];
    uint32_t frames;
    int64_t now;
};

static const uint32_t first_isn[2] = {[WATCH_SUITE] = 0x10000000, [WATCH_DUT] = 0x20000000};
static const uint32_t isn_step = 0x01000193;

/* Of this process: the host may reuse a port, and the same first sequence number would look like a retransmission. */
static gint connections;

/* ---- findings of the engine ---- */

static void watch_on_finding(void *ctx, const struct finding *finding)
{
    struct watch *watch = ctx;
    struct watch_finding kept = {.rule = finding->rule, .severity = finding->severity};

    if (finding->place.side != WATCH_DUT || watch->findings->len >= FINDINGS_MAX)
        return;
    kept.message = g_strdup(finding->message);
    g_array_append_val(watch->findings, kept);
}

/* ---- segments ---- */

static void watch_record(struct watch *watch, const struct frame_tcp *tcp)
{
    struct watch_recorder *recorder = watch->options.recorder;
    const struct endpoint *ends = watch->options.ends;
    struct frame_path path = {
        .ipv6 = ends[WATCH_SUITE].ip == 6,
        .real = true,
        .host = {[WATCH_SUITE] = 1, [WATCH_DUT] = 2},
        .port = {ends[WATCH_SUITE].port, ends[WATCH_DUT].port},
    };
    g_autofree uint8_t *frame = NULL;
    size_t n;

    if (!recorder)
        return;
    memcpy(path.address[WATCH_SUITE], ends[WATCH_SUITE].address, sizeof path.address[0]);
    memcpy(path.address[WATCH_DUT], ends[WATCH_DUT].address, sizeof path.address[0]);
    frame = g_malloc(FRAME_MAX);
    n = frame_encode(&path, tcp, frame);
    g_mutex_lock(&recorder->lock);
    recorder->failed |= !capture_file_packet(recorder->file, watch->now, frame, n);
    g_mutex_unlock(&recorder->lock);
}

static void watch_segment(struct watch *watch, enum watch_side side, uint8_t flags, const uint8_t *p, size_t n)
{
    /* Options of the SYN: SACK, which every TCP supports, and the MSS if a case has chosen one. */
    uint8_t options[] = {OPTION_NOP, OPTION_NOP, OPTION_SACK, 2, OPTION_MSS, 4, 0, 0};
    bool syn = flags & TCP_SYN, tells_mss = syn && side == WATCH_SUITE && watch->options.mss > 0;
    struct frame_tcp tcp = {
        .side = side,
        .seq = watch->isn[side] + (syn ? 0 : 1 + (uint32_t)watch->sent[side] + watch->ended[side]),
        .ack = flags & TCP_ACK ? watch->isn[!side] + 1 + (uint32_t)watch->acked[side] : 0,
        .flags = flags,
        .window = WINDOW,
        .ip_id = ++watch->ip_id[side],
        .options = syn ? options : NULL,
        .options_length = tells_mss ? sizeof options
                          : syn     ? SACK_LENGTH
                                    : 0,
        .payload = p,
        .payload_length = n,
    };
    struct tcp_segment seen = {
        .frame = ++watch->frames,
        .side = side,
        .flags = flags,
        .df = true,
        .mss = tells_mss ? watch->options.mss : 0,
        .window = WINDOW,
        .window_scale = 255,
        .sack_permitted = syn,
        .seq = tcp.seq,
        .ack = tcp.ack,
        .length = (uint32_t)n,
        .captured = (uint32_t)n,
        .payload = p,
    };
    int64_t now = g_get_real_time() * 1000;

    put_be16(options + sizeof options - 2, watch->options.mss);
    watch->now = MAX(now, watch->now);
    seen.time_ns = watch->now;
    watch_record(watch, &tcp);
    stack_segment(watch->stack, &seen);
    if (!syn)
        watch->sent[side] += n;
}

void watch_octets(struct watch *watch, enum watch_side side, const uint8_t *p, size_t n, uint64_t acked)
{
    watch->acked[side] = MAX(watch->acked[side], acked);
    for (size_t part; n > 0; p += part, n -= part) {
        part = MIN(n, SEGMENT_MAX);
        watch_segment(watch, side, TCP_ACK | TCP_PSH, p, part);
    }
}

void watch_acked(struct watch *watch, enum watch_side side, uint64_t acked)
{
    if (acked <= watch->acked[side] || watch->reset)
        return;
    watch->acked[side] = acked;
    watch_segment(watch, side, TCP_ACK, NULL, 0);
}

void watch_fin(struct watch *watch, enum watch_side side, uint64_t acked)
{
    if (watch->ended[side] || watch->reset)
        return;
    watch->acked[side] = MAX(watch->acked[side], acked);
    watch_segment(watch, side, TCP_FIN | TCP_ACK, NULL, 0);
    watch->ended[side] = true;
    /* Received by the other side's TCP, so it was sent. */
    watch->acked[!side] = watch->sent[side] + 1;
    watch_segment(watch, !side, TCP_ACK, NULL, 0);
}

void watch_reset(struct watch *watch, enum watch_side side)
{
    if (watch->reset)
        return;
    watch_segment(watch, side, TCP_RST | TCP_ACK, NULL, 0);
    watch->reset = true;
}

/* ---- life ---- */

struct watch *watch_new(const struct watch_options *options)
{
    struct watch *watch = g_new0(struct watch, 1);
    const struct stack_setup setup = {.options = &watch->layers,
                                      .verdict = &watch->verdict,
                                      .port = {options->ends[0].port, options->ends[1].port},
                                      .host[WATCH_DUT] = {&watch->layouts, options->ends[WATCH_DUT]}};
    struct mpa_options mpa_options;
    const uint32_t nth = (uint32_t)g_atomic_int_add(&connections, 1);

    mpa_options_init(&mpa_options);
    mpa_options.t_react = options->t_react;
    mpa_options.t_close = options->t_close;
    mpa_options.t_start = options->t_start;
    mpa_options.t_idle = options->t_idle;
    stack_options_init(&watch->layers, &mpa_options);
    rdmap_terminate_assume(options->layout, &setup.host[WATCH_DUT]);
    watch->options = *options;
    for (unsigned i = 0; i < G_N_ELEMENTS(watch->isn); i++)
        watch->isn[i] = first_isn[i] + nth * isn_step;
    watch->findings = g_array_new(FALSE, FALSE, sizeof(struct watch_finding));
    watch->verdict.counts = &watch->counts;
    watch->verdict.finding = watch_on_finding;
    watch->verdict.ctx = watch;
    watch->stack = stack_new(&setup);
    if (!watch->stack)
        g_error("not enough memory for the watcher of a connection"); /* as GLib does on allocation failure */
    watch_segment(watch, options->opener, TCP_SYN, NULL, 0);
    watch_segment(watch, !options->opener, TCP_SYN | TCP_ACK, NULL, 0);
    watch_segment(watch, options->opener, TCP_ACK, NULL, 0);
    return watch;
}

void watch_finish(struct watch *watch)
{
    if (watch->finished)
        return;
    watch->finished = true;
    watch->now = MAX(watch->now, g_get_real_time() * 1000);
    stack_finish(watch->stack, watch->now);
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    stack_free(watch->stack);
    for (guint i = 0; i < watch->findings->len; i++)
        g_free(g_array_index(watch->findings, struct watch_finding, i).message);
    g_array_unref(watch->findings);
    g_free(watch);
}

const GArray *watch_findings(const struct watch *watch)
{
    return watch->findings;
}

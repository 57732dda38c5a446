// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/test/watch.h"

#include "engine/nfs.h"
#include "traffic-gen/frame.h"
#include "wire/octets.h"

#include <string.h>

enum {
    SEGMENT_MAX = 32768,
    WINDOW = 65535,
    FINDINGS_MAX = 256,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SACK = 4,
    SACK_LENGTH = 4, /* with the two octets that align it */
};

struct watch {
    struct watch_options options;
    struct tcp_pair *tcp;
    struct mpa_connection *mpa;
    struct rdmap_connection *rdmap;
    struct rpcrdma_connection *rpcrdma;
    struct nfs_connection *nfs;
    struct verdict verdict;
    struct rule_count counts[RULE_COUNT];
    GArray *findings;
    uint64_t sent[2], acked[2]; /* acked: by that side, of the other one */
    bool ended[2], reset, finished;
    uint16_t ip_id[2];
    uint32_t frames;
    int64_t now;
};

static const uint32_t isn[2] = {[WATCH_TEST] = 0x10000000, [WATCH_DUT] = 0x20000000};

/* ---- what the layers tell ---- */

static void on_finding(void *ctx, const struct finding *finding)
{
    struct watch *watch = ctx;
    struct watch_finding kept = {.rule = finding->rule, .severity = finding->severity};

    if (finding->place.side != WATCH_DUT || watch->findings->len >= FINDINGS_MAX)
        return;
    kept.message = g_strdup(finding->message);
    g_array_append_val(watch->findings, kept);
}

static void on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct watch *watch = ctx;

    rpcrdma_connection_startup(watch->rpcrdma, event);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct watch *watch = ctx;

    rdmap_connection_fpdu(watch->rdmap, event);
}

static void on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place)
{
    struct watch *watch = ctx;

    (void)from;
    (void)to;
    (void)why;
    (void)place;
    rdmap_connection_skipped(watch->rdmap, side);
}

static void on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters,
                       const struct place *place)
{
    struct watch *watch = ctx;

    (void)place;
    rdmap_connection_parameters(watch->rdmap, phase, parameters);
    rpcrdma_connection_parameters(watch->rpcrdma, phase, parameters);
}

static void on_ddp_segment(void *ctx, const struct rdmap_segment_event *event)
{
    struct watch *watch = ctx;

    rpcrdma_connection_segment(watch->rpcrdma, event);
}

static void on_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    struct watch *watch = ctx;

    rpcrdma_connection_terminate(watch->rpcrdma, event);
}

static void on_rdmap_skipped(void *ctx, unsigned side)
{
    struct watch *watch = ctx;

    rpcrdma_connection_skipped(watch->rpcrdma, side);
    nfs_connection_skipped(watch->nfs, side);
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct watch *watch = ctx;

    nfs_connection_message(watch->nfs, message);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct watch *watch = ctx;

    nfs_connection_payload(watch->nfs, payload);
}

static void on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct watch *watch = ctx;

    nfs_connection_retired(watch->nfs, transaction);
}

/* ---- what the TCP connection tells ---- */

static void on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known, uint64_t acked)
{
    struct watch *watch = ctx;

    mpa_connection_segment(watch->mpa, segment, offset, acked_known, acked);
    if (segment->length == 0)
        rdmap_connection_acked(watch->rdmap, segment->side, acked_known, acked);
}

static void on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    struct watch *watch = ctx;

    rdmap_connection_acked(watch->rdmap, side, origin->acked_known, origin->acked);
    mpa_connection_octets(watch->mpa, side, offset, p, n, origin);
}

static void end_layers(struct watch *watch, unsigned side, bool reset, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct place place = {
        .frame = frame, .first_frame = frame, .time_ns = time_ns, .offset = offset, .side = (uint8_t)side};

    rdmap_connection_end(watch->rdmap, side, reset, &place);
    rpcrdma_connection_end(watch->rpcrdma, side, reset, &place);
    nfs_connection_end(watch->nfs, side, reset, &place);
}

static void on_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct watch *watch = ctx;

    mpa_connection_fin(watch->mpa, side, offset, frame, time_ns);
    end_layers(watch, side, false, offset, frame, time_ns);
}

static void on_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    struct watch *watch = ctx;

    mpa_connection_reset(watch->mpa, side, frame, time_ns);
    end_layers(watch, side, true, 0, frame, time_ns);
}

/* ---- segments ---- */

static void record(struct watch *watch, const struct frame_tcp *tcp)
{
    struct watch_recorder *recorder = watch->options.recorder;
    const struct endpoint *ends = watch->options.ends;
    struct frame_path path = {
        .ipv6 = ends[WATCH_TEST].ip == 6,
        .real = true,
        .host = {[WATCH_TEST] = 1, [WATCH_DUT] = 2},
        .port = {ends[WATCH_TEST].port, ends[WATCH_DUT].port},
    };
    g_autofree uint8_t *frame = NULL;
    size_t n;

    if (!recorder)
        return;
    memcpy(path.address[WATCH_TEST], ends[WATCH_TEST].address, sizeof(path.address[0]));
    memcpy(path.address[WATCH_DUT], ends[WATCH_DUT].address, sizeof(path.address[0]));
    frame = g_malloc(FRAME_MAX);
    n = frame_encode(&path, tcp, frame);
    g_mutex_lock(&recorder->lock);
    recorder->failed |= !capture_file_packet(recorder->file, watch->now, frame, n);
    g_mutex_unlock(&recorder->lock);
}

static void segment(struct watch *watch, enum watch_side side, uint8_t flags, const uint8_t *p, size_t n)
{
    /* SACK as every system's TCP has it; the MSS only where a test has chosen it. */
    uint8_t options[] = {OPTION_NOP, OPTION_NOP, OPTION_SACK, 2, OPTION_MSS, 4, 0, 0};
    bool syn = flags & TCP_SYN, tells_mss = syn && side == WATCH_TEST && watch->options.mss > 0;
    struct frame_tcp tcp = {
        .side = side,
        .seq = isn[side] + (syn ? 0 : 1 + (uint32_t)watch->sent[side] + watch->ended[side]),
        .ack = flags & TCP_ACK ? isn[!side] + 1 + (uint32_t)watch->acked[side] : 0,
        .flags = flags,
        .window = WINDOW,
        .ip_id = ++watch->ip_id[side],
        .options = syn ? options : NULL,
        .options_length = tells_mss ? sizeof(options)
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

    put_be16(options + sizeof(options) - 2, watch->options.mss);
    watch->now = MAX(now, watch->now);
    seen.time_ns = watch->now;
    record(watch, &tcp);
    tcp_pair_segment(watch->tcp, &seen);
    if (!syn)
        watch->sent[side] += n;
}

void watch_octets(struct watch *watch, enum watch_side side, const uint8_t *p, size_t n, uint64_t acked)
{
    watch->acked[side] = MAX(watch->acked[side], acked);
    for (size_t part; n > 0; p += part, n -= part) {
        part = MIN(n, SEGMENT_MAX);
        segment(watch, side, TCP_ACK | TCP_PSH, p, part);
    }
}

void watch_acked(struct watch *watch, enum watch_side side, uint64_t acked)
{
    if (acked <= watch->acked[side] || watch->reset)
        return;
    watch->acked[side] = acked;
    segment(watch, side, TCP_ACK, NULL, 0);
}

void watch_fin(struct watch *watch, enum watch_side side, uint64_t acked)
{
    if (watch->ended[side] || watch->reset)
        return;
    watch->acked[side] = MAX(watch->acked[side], acked);
    segment(watch, side, TCP_FIN | TCP_ACK, NULL, 0);
    watch->ended[side] = true;
    /* The other side's TCP has it: that is how this is known. */
    watch->acked[!side] = watch->sent[side] + 1;
    segment(watch, !side, TCP_ACK, NULL, 0);
}

void watch_reset(struct watch *watch, enum watch_side side)
{
    if (watch->reset)
        return;
    segment(watch, side, TCP_RST | TCP_ACK, NULL, 0);
    watch->reset = true;
}

/* ---- life ---- */

struct watch *watch_new(const struct watch_options *options)
{
    struct watch *watch = g_new0(struct watch, 1);
    const struct tcp_pair_events tcp_events = {
        .ctx = watch, .segment = on_segment, .octets = on_octets, .fin = on_fin, .reset = on_reset};
    const struct mpa_events mpa_events = {
        .ctx = watch, .startup = on_startup, .fpdu = on_fpdu, .skipped = on_skipped, .changed = on_changed};
    const struct rdmap_events rdmap_events = {
        .ctx = watch, .segment = on_ddp_segment, .terminate = on_terminate, .skipped = on_rdmap_skipped};
    const struct rpcrdma_events rpcrdma_events = {
        .ctx = watch, .message = on_message, .payload = on_payload, .retired = on_retired};
    const struct rdmap_options rdmap_options = {
        .t_react = options->t_react, .t_close = options->t_close, .t_idle = options->t_idle};
    const struct rpcrdma_options rpcrdma_options = {.t_react = options->t_react};
    const struct tcp_pair_options tcp_options = {0};
    struct mpa_options mpa_options;

    mpa_options_init(&mpa_options);
    mpa_options.t_react = options->t_react;
    mpa_options.t_close = options->t_close;
    mpa_options.t_start = options->t_start;
    mpa_options.t_idle = options->t_idle;
    watch->options = *options;
    watch->findings = g_array_new(FALSE, FALSE, sizeof(struct watch_finding));
    watch->verdict.counts = watch->counts;
    watch->verdict.finding = on_finding;
    watch->verdict.ctx = watch;
    watch->verdict.counts = watch->counts;
    watch->tcp = tcp_pair_new(&tcp_options, &tcp_events);
    watch->mpa = mpa_connection_new(&mpa_options, &mpa_events, &watch->verdict);
    watch->rdmap = rdmap_connection_new(&rdmap_options, &rdmap_events, &watch->verdict);
    watch->rpcrdma = rpcrdma_connection_new(&rpcrdma_options, &rpcrdma_events, &watch->verdict);
    if (watch->rpcrdma)
        watch->nfs = nfs_connection_new(&rpcrdma_options, watch->rpcrdma, &watch->verdict);
    if (!watch->tcp || !watch->mpa || !watch->rdmap || !watch->nfs)
        g_error("not enough memory for the watcher of a connection"); /* as GLib does where it allocates */
    mpa_connection_set_tcp(watch->mpa, watch->tcp);
    rpcrdma_connection_ports(watch->rpcrdma, options->ends[0].port, options->ends[1].port);
    nfs_connection_ports(watch->nfs, options->ends[0].port, options->ends[1].port);
    rpcrdma_connection_parameters(watch->rpcrdma, mpa_connection_phase(watch->mpa),
                                  mpa_connection_parameters(watch->mpa));
    segment(watch, options->opener, TCP_SYN, NULL, 0);
    segment(watch, !options->opener, TCP_SYN | TCP_ACK, NULL, 0);
    segment(watch, options->opener, TCP_ACK, NULL, 0);
    return watch;
}

void watch_finish(struct watch *watch)
{
    if (watch->finished)
        return;
    watch->finished = true;
    watch->now = MAX(watch->now, g_get_real_time() * 1000);
    tcp_pair_finish(watch->tcp);
    mpa_connection_finish(watch->mpa, watch->now);
    rdmap_connection_finish(watch->rdmap, watch->now);
    rpcrdma_connection_finish(watch->rpcrdma, watch->now);
    nfs_connection_finish(watch->nfs, watch->now);
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    tcp_pair_free(watch->tcp);
    mpa_connection_free(watch->mpa);
    rdmap_connection_free(watch->rdmap);
    rpcrdma_connection_free(watch->rpcrdma); /* retires what the binding keeps of transactions */
    nfs_connection_free(watch->nfs);
    for (guint i = 0; i < watch->findings->len; i++)
        g_free(g_array_index(watch->findings, struct watch_finding, i).message);
    g_array_unref(watch->findings);
    g_free(watch);
}

const GArray *watch_findings(const struct watch *watch)
{
    return watch->findings;
}

struct rule_count watch_count(const struct watch *watch, enum rule_id rule)
{
    struct rule_count sum = watch->counts[rule_catalogue[rule].same];

    for (unsigned i = 0; i < rule_catalogue[rule].n_with; i++)
        rule_count_add(&sum, &watch->counts[rule_catalogue[rule].with[i]]);
    return sum;
}

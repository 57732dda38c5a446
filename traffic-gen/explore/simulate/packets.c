// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/packets.h"

#include "traffic-gen/scenario/scenario_source.h"
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/sim/sim_trouble.h"

#include <errno.h>

/* The server's number; the last octet of a MAC address is the number of its host (support/frames/frame.c). */
enum { SERVER = 2, MAC_TO = 5, MAC_FROM = 11, OCTETS_MAX = 64 << 20 };

void packets_init(struct packets *packets)
{
    packets->octets = g_byte_array_new();
    packets->frames = g_array_new(FALSE, FALSE, sizeof(struct frame_in_memory));
}

void packets_clear(struct packets *packets)
{
    g_byte_array_unref(packets->octets);
    g_array_unref(packets->frames);
}

static bool packets_take(void *ctx, int64_t time_ns, const uint8_t *p, size_t captured, size_t n)
{
    struct packets *packets = ctx;
    struct frame_in_memory frame = {.time_ns = time_ns, .at = packets->octets->len, .n = captured};

    (void)n; /* nothing is cut here */
    if (captured > OCTETS_MAX - packets->octets->len) {
        errno = EFBIG;
        return false;
    }
    frame.to_client = p[MAC_FROM] == SERVER;
    frame.client = p[frame.to_client ? MAC_TO : MAC_FROM];
    g_byte_array_append(packets->octets, p, (guint)captured);
    g_array_append_val(packets->frames, frame);
    return true;
}

/* ---- playing ---- */

/* The faults whose deviation is made in a scenario; others are in the script of the talk. */
static const struct fault *deviation_of(const struct plan *plan, unsigned client)
{
    return client == 0 && plan->fault && !plan->fault->script ? plan->fault : NULL;
}

static bool packets_play_talk(const struct plan *plan, struct stage *stage, char **error)
{
    const struct talk *talk = plan->talks->pdata[stage->client];
    struct scenario_source source;
    bool good = scenario_source_load(&source, talk->scenario ? talk->scenario : "script", talk->script, 0, error);

    if (good && !source.scenario) {
        *error = g_strdup_printf("no scenario %s", talk->scenario);
        good = false;
    }
    if (good && stage->client == 0)
        stage->mtu = scenario_source_mtu(&source);
    good = good && scenario_source_play(&source, deviation_of(plan, stage->client), stage, error);
    scenario_source_clear(&source);
    return good;
}

static bool packets_play_stage(const struct plan *plan, struct stage *stage, char **error)
{
    const char *why = NULL;

    stage->carrier = plan->roce ? &carrier_roce : &carrier_mpa;
    stage->ipv6 = plan->ipv6;
    stage->vlan = plan->vlan;
    for (stage->client = 0; stage->client < plan->talks->len; stage->client++) {
        if (!packets_play_talk(plan, stage, error))
            return false;
    }
    if (sim_run(stage->sim, &why))
        return true;
    *error = g_strdup_printf("the network stops: %s", why);
    return false;
}

bool packets_play(const struct plan *plan, struct packets *packets, bool *provoked, char **error)
{
    struct sim_trouble trouble = {0};
    struct stage_place place = {0};
    struct capture_file *file;
    struct stage *stage;
    bool good;

    *error = NULL;
    if (plan->net && !sim_trouble_parse(plan->net, plan->roce, &trouble, error))
        return false;
    g_byte_array_set_size(packets->octets, 0);
    g_array_set_size(packets->frames, 0);
    file = capture_file_to(packets_take, packets);
    if (!file)
        g_error("not enough memory"); /* as GLib does */
    stage = stage_new(file, plan->seed, &trouble, &place);
    good = packets_play_stage(plan, stage, error);
    *provoked = plan->fault && (plan->fault->script || stage->deviated);
    stage_free(stage);
    capture_file_close(file);
    return good;
}

/* ---- views ---- */

struct view *view_of_all(const struct packets *packets)
{
    struct view *view = g_new0(struct view, 1);

    view->shown = g_array_sized_new(FALSE, FALSE, sizeof(unsigned), packets->frames->len);
    for (unsigned i = 0; i < packets->frames->len; i++)
        g_array_append_val(view->shown, i);
    return view;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    g_array_unref(view->shown);
    g_free(view);
}

bool view_write(const struct view *view, const struct packets *packets, const char *path)
{
    struct capture_file *file = capture_file_open(path, CAPTURE_PCAPNG, view->octets);
    int64_t now = 0;

    if (!file)
        return false;
    for (unsigned i = 0; i < view->shown->len; i++) {
        const struct frame_in_memory *frame = packets_frame(packets, view_packet(view, i));

        now = MAX(now, frame->time_ns);
        capture_file_packet(file, now, packets->octets->data + frame->at, frame->n);
    }
    return capture_file_close(file);
}

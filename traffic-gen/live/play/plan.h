/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scripted conversation as a plan for a real connection: what each side writes, and how far the peer must have come
 * before. The peer's progress is counted in units (traffic-gen/live/tcp/units.h), not in octets, so that a peer may
 * have other private data or payload.
 */
#ifndef IWARP_TRAFFIC_LIVE_PLAY_PLAN_H
#define IWARP_TRAFFIC_LIVE_PLAY_PLAN_H

#include "traffic-gen/live/tcp/units.h"
#include "traffic-gen/scenario/scenario_source.h"
#include "traffic-gen/speak/say/conversation.h"

enum plan_what { PLAN_WRITE, PLAN_SILENCE, PLAN_FIN, PLAN_RESET };

/* How far the peer's stream must have come. */
struct plan_gate {
    unsigned units;  /* complete units */
    uint64_t octets; /* octets after them */
    uint64_t offset; /* the same as an offset in the planned stream, for streams without units */
    bool fin;
};

struct plan_step {
    enum plan_what what;
    uint64_t from, n; /* WRITE: octets in the stream */
    struct plan_gate gate;
    bool acked; /* also wait until all octets of this side are acknowledged */
    int64_t delay_ns;
};

struct plan_side {
    enum role role;
    GByteArray *stream;
    GArray *steps;        /* struct plan_step */
    GArray *units;        /* struct unit_kind */
    struct plan_gate all; /* the end of the stream */
    int64_t silence_ns;   /* the longest planned silence */
    bool reset;
    struct units_stream frame; /* framing of the other stream, from its start-up frame; nothing else is set */
};

struct plan {
    struct plan_side sides[2]; /* TCP sides: 0 opens */
    bool after;                /* begins after the previous connection has ended; else together with it */
    unsigned mss;
};

/* Plans of all connections, in order; faults NULL: none. NULL with *error (for g_free()). */
GPtrArray *plan_make(const struct scenario_source *source, const GPtrArray *faults, unsigned mtu, uint64_t seed,
                     char **error);

#endif

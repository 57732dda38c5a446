// SPDX-License-Identifier: GPL-2.0-or-later
/* Deviations: where they apply, and how the peer reacts. */
#include "traffic-gen/speak/say/deviation.h"

#include "traffic-gen/speak/say/verb.h"

#include <string.h>

/* ---- conditions of FPDUs ---- */

static uint64_t deviation_end_of(const struct frame_write *w)
{
    return w->plan.offset + mpa_fpdu_octets(&w->plan.framing, w->plan.offset, w->plan.ulpdu_length);
}

static bool on_grid(const struct frame_write *w, uint64_t at)
{
    return w->plan.framing.markers && mpa_next_marker(&w->plan.framing, at) == at;
}

/* Markers after the first octet. */
static unsigned inner_markers(const struct frame_write *w)
{
    uint64_t end = deviation_end_of(w);
    unsigned n = 0;

    for (uint64_t at = mpa_next_marker(&w->plan.framing, w->plan.offset + 1); at < end; at += MPA_MARKER_PERIOD)
        n++;
    return w->plan.framing.markers ? n : 0;
}

static enum rdmap_opcode deviation_opcode_of(const struct frame_write *w)
{
    return w->ulpdu[1] & 0x0F;
}

static bool deviation_has_pad(const struct frame_write *w)
{
    return w->plan.pad_length > 0;
}

static bool has_three_pad_octets(const struct frame_write *w)
{
    return w->plan.pad_length == 3;
}

static bool deviation_is_send(const struct frame_write *w)
{
    return deviation_opcode_of(w) == RDMAP_SEND;
}

static bool is_end_of_send(const struct frame_write *w)
{
    return deviation_is_send(w) && w->ulpdu[0] & 0x40 && w->plan.ulpdu_length > 40;
}

static bool is_read_request(const struct frame_write *w)
{
    return deviation_opcode_of(w) == RDMAP_READ_REQUEST;
}

static bool deviation_is_short(const struct frame_write *w)
{
    return w->plan.ulpdu_length < 100;
}

static bool is_not_corked(const struct frame_write *w)
{
    return !w->conversation->is_corked[w->role];
}

static bool is_rdmac(const struct frame_write *w)
{
    return w->conversation->version == 0 && w->conversation->setup.wish[INITIATOR].revision > 0;
}

static bool has_markers(const struct frame_write *w)
{
    return w->plan.framing.markers;
}

static bool has_no_markers(const struct frame_write *w)
{
    return !w->plan.framing.markers;
}

static bool deviation_marker_leads(const struct frame_write *w)
{
    return on_grid(w, w->plan.offset);
}

static bool no_marker_leads(const struct frame_write *w)
{
    return !on_grid(w, w->plan.offset);
}

static bool marker_inside(const struct frame_write *w)
{
    return inner_markers(w) >= 1;
}

static bool one_marker_inside(const struct frame_write *w)
{
    return inner_markers(w) == 1;
}

static bool two_markers_inside(const struct frame_write *w)
{
    return inner_markers(w) >= 2;
}

/* The FPDU has a single Marker, with octets of the ULPDU or PAD on both sides. */
static bool marker_in_ulpdu(const struct frame_write *w)
{
    uint64_t at = mpa_next_marker(&w->plan.framing, w->plan.offset);

    return has_markers(w) && no_marker_leads(w) && at + MPA_MARKER_LEN + MPA_CRC_LEN < deviation_end_of(w) &&
           at + MPA_MARKER_PERIOD > deviation_end_of(w);
}

static bool marker_before_crc(const struct frame_write *w)
{
    return on_grid(w, deviation_end_of(w) - MPA_CRC_LEN - MPA_MARKER_LEN);
}

static bool ends_on_grid(const struct frame_write *w)
{
    return on_grid(w, deviation_end_of(w));
}

/* The stream offset of sequence number 0. */
static uint64_t deviation_wrap_of(const struct frame_write *w)
{
    return UINT64_C(0x100000000) - w->conversation->setup.isn[w->conversation->side[w->role]] - 1;
}

/* Sequence numbers wrap in the FPDU, before a Marker. */
static bool marker_after_wrap(const struct frame_write *w)
{
    return marker_inside(w) && mpa_next_marker(&w->plan.framing, w->plan.offset) >= deviation_wrap_of(w);
}

/* Sequence number 2^32 lies between the header and a Marker. */
static bool wrap_before_marker(const struct frame_write *w)
{
    return marker_inside(w) && w->plan.offset + MPA_MARKER_LEN < deviation_wrap_of(w) &&
           mpa_next_marker(&w->plan.framing, w->plan.offset + 1) >= deviation_wrap_of(w);
}

static const struct {
    const char *name;
    bool (*holds)(const struct frame_write *w);
} conditions[] = {
    {"pad", deviation_has_pad},
    {"pad-3", has_three_pad_octets},
    {"send", deviation_is_send},
    {"end-of-send", is_end_of_send},
    {"read", is_read_request},
    {"short", deviation_is_short},
    {"not-corked", is_not_corked},
    {"rdmac", is_rdmac},
    {"markers", has_markers},
    {"no-markers", has_no_markers},
    {"marker-leads", deviation_marker_leads},
    {"no-marker-leads", no_marker_leads},
    {"marker-inside", marker_inside},
    {"one-marker-inside", one_marker_inside},
    {"two-markers-inside", two_markers_inside},
    {"marker-in-ulpdu", marker_in_ulpdu},
    {"marker-before-crc", marker_before_crc},
    {"ends-on-grid", ends_on_grid},
    {"marker-after-wrap", marker_after_wrap},
    {"wrap-before-marker", wrap_before_marker},
};

/* ---- reading ---- */

static void read_conditions(struct deviation *d)
{
    const char *text = words_value(&d->change, "when");
    g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);

    for (unsigned i = 0; names[i]; i++) {
        for (unsigned k = 0; k < G_N_ELEMENTS(conditions) && i < CONDITIONS_MAX; k++) {
            if (strcmp(conditions[k].name, names[i]) == 0)
                d->conditions[i] = conditions[k].holds;
        }
        if (i >= CONDITIONS_MAX || !d->conditions[i])
            words_refuse(&d->change, names[i]);
    }
}

static void read_change(struct deviation *d, const struct statement *s, const char *source, bool startup)
{
    d->changes = true;
    d->startup = startup;
    d->role = s->role;
    d->change = words_of(s, source, &d->error);
    if (startup) {
        d->enhanced = words_have(&d->change, "enhanced");
    } else {
        d->index = (unsigned)words_number(&d->change, "from", 0);
        d->persistent = words_have(&d->change, "every");
        d->more = (unsigned)words_number(&d->change, "more", 0);
        read_conditions(d);
    }
    mpa_take_words(&d->change, startup);
    words_end(&d->change);
}

static void deviation_read_statement(struct deviation *d, const struct statement *s, const char *source)
{
    struct words words = words_of(s, source, &d->error);
    const char *verb = s->verb->name;

    if (strcmp(verb, "with") == 0) {
        struct conversation_setup scratch = {0};

        d->sets_up = true;
        d->setup = words_of(s, source, &d->error);
        setup_change(&scratch, &d->setup);
        words_end(&d->setup);
    } else if (verb_says_startup(s->verb))
        read_change(d, s, source, true);
    else if (strcmp(verb, "fpdu") == 0)
        read_change(d, s, source, false);
    else if (strcmp(verb, "term") == 0) {
        d->aftermath = TERMINATED;
        d->terminate = (uint16_t)words_terminate(&words, "term");
        words_end(&words);
    } else if (strcmp(verb, "close") == 0)
        d->aftermath = CLOSED;
    else
        words_refuse(&words, verb);
}

struct deviation *deviation_parse(const char *source, const char *text, char **error)
{
    GPtrArray *statements = script_parse(source, text, error);
    struct deviation *d;

    if (!statements)
        return NULL;
    d = g_new0(struct deviation, 1);
    d->statements = statements;
    for (unsigned i = 0; i < statements->len && !d->error; i++)
        deviation_read_statement(d, statements->pdata[i], source);
    if (!d->error)
        return d;
    *error = g_steal_pointer(&d->error);
    deviation_free(d);
    return NULL;
}

void deviation_free(struct deviation *deviation)
{
    if (!deviation)
        return;
    g_ptr_array_unref(deviation->statements);
    g_free(deviation->error);
    g_free(deviation);
}

/* ---- where they apply ---- */

bool deviation_strikes_startup(const struct deviation *deviation, const struct conversation *c, enum role role)
{
    const struct startup_wish *wish = &c->setup.wish[role];

    return deviation && c->number == 0 && deviation->changes && deviation->startup && deviation->role == role &&
           (!deviation->enhanced || (wish->flags & MPA_FLAG_S && wish->ulp_length >= 4));
}

bool deviation_strikes(const struct deviation *deviation, const struct frame_write *w)
{
    if (!deviation || w->conversation->number != 0 || !deviation->changes || deviation->startup ||
        deviation->role != w->role || w->index < deviation->index ||
        (w->conversation->stage->deviated && !deviation->persistent))
        return false;
    for (unsigned i = 0; i < CONDITIONS_MAX && deviation->conditions[i]; i++) {
        if (!deviation->conditions[i](w))
            return false;
    }
    return true;
}

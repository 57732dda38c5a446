// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words about MPA's startup frames and FPDUs. Each changes one thing before the frame is encoded, or in its octets;
 * they are applied in the order in which they are written.
 */
#include "traffic-gen/say/deviation.h"

#include "traffic-gen/say/verb.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>

enum value { ALONE, NUMBER, OCTETS };

/* ---- octets of both ---- */

/* mpa@OFFSET=N, a negative one from the end; past it nothing is changed. */
static void change_octet(GByteArray *octets, const struct word *word)
{
    long at = strtol(word->name + strlen("mpa@"), NULL, 0);

    at += at < 0 ? (long)octets->len : 0;
    if (at >= 0 && at < (long)octets->len)
        octets->data[at] = (uint8_t)word_apply(word, octets->data[at]);
}

static bool is_octet_word(const struct word *word)
{
    char *end;

    if (!g_str_has_prefix(word->name, "mpa@") || !word->is_number)
        return false;
    strtol(word->name + strlen("mpa@"), &end, 0);
    return !*end && end != word->name + strlen("mpa@");
}

static GByteArray *octets_of(const struct word *word)
{
    GByteArray *octets = g_byte_array_new();
    uint8_t octet;

    for (const char *p = word->text; words_octet(p, &octet); p += 2)
        g_byte_array_append(octets, &octet, 1);
    return octets;
}

static bool has_value(const struct word *word, enum value value)
{
    size_t n = word->text ? strlen(word->text) : 0;

    return value == ALONE ? !word->op
           : value == NUMBER
               ? word->op && word->is_number
               : word->op == '=' && word->text && n % 2 == 0 && strspn(word->text, "0123456789abcdefABCDEF") == n;
}

static void put_before(GByteArray *octets, const struct word *word)
{
    g_autoptr(GByteArray) more = octets_of(word);

    g_byte_array_prepend(octets, more->data, more->len);
}

static void put_after(GByteArray *octets, const struct word *word)
{
    g_autoptr(GByteArray) more = octets_of(word);

    g_byte_array_append(octets, more->data, more->len);
}

static void cut_octets(GByteArray *octets, const struct word *word)
{
    g_byte_array_set_size(octets, octets->len - (guint)MIN(word->number, octets->len));
}

/* ---- startup frames ---- */

static void set_data(struct startup_write *w, const struct word *word)
{
    g_autoptr(GByteArray) data = octets_of(word);

    w->frame.ulp_length = (uint16_t)MIN(data->len, sizeof w->data);
    memcpy(w->data, data->data, w->frame.ulp_length);
    w->frame.ulp_data = w->data;
    mpa_startup_fix_length(&w->frame);
}

static void set_enhanced(struct startup_write *w, const struct word *word)
{
    w->frame.has_enhanced = word->number != 0;
    mpa_startup_fix_length(&w->frame);
}

static void set_flags(struct startup_write *w, const struct word *word)
{
    w->frame.flags = (uint8_t)word_apply(word, w->frame.flags);
    mpa_startup_fix_length(&w->frame);
}

static void set_revision(struct startup_write *w, const struct word *word)
{
    w->frame.revision = (uint8_t)word->number;
}

static void set_length(struct startup_write *w, const struct word *word)
{
    w->frame.pd_length = (uint16_t)word_apply(word, w->frame.pd_length);
}

static void set_peer_to_peer(struct startup_write *w, const struct word *word)
{
    w->frame.enhanced.peer_to_peer = word->number != 0;
}

static void set_rtr(struct startup_write *w, const struct word *word)
{
    w->frame.enhanced.rtr = (uint8_t)word->number;
}

static void append_crc(struct startup_write *w, const struct word *word)
{
    uint8_t crc[MPA_CRC_LEN];

    (void)word;
    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

static void swap_length(struct startup_write *w, const struct word *word)
{
    (void)word;
    if (w->octets->len >= MPA_STARTUP_HEADER_LEN)
        put_be16(w->octets->data + 18, GUINT16_SWAP_LE_BE(get_be16(w->octets->data + 18)));
}

/* The enhanced data after the upper layer's. */
static void move_enhanced(struct startup_write *w, const struct word *word)
{
    uint8_t *p = w->octets->data + MPA_STARTUP_HEADER_LEN, enhanced[MPA_ENHANCED_LEN];
    size_t rest = w->octets->len - MPA_STARTUP_HEADER_LEN;

    (void)word;
    if (w->octets->len < MPA_STARTUP_HEADER_LEN + sizeof enhanced)
        return;
    memcpy(enhanced, p, sizeof enhanced);
    memmove(p, p + sizeof enhanced, rest - sizeof enhanced);
    memcpy(p + rest - sizeof enhanced, enhanced, sizeof enhanced);
}

/* mpa.fill=N: up to so many octets, with mpa.filler=N. */
static void fill_startup(struct startup_write *w, const struct word *word)
{
    uint8_t filler = (uint8_t)words_number(w->words, "mpa.filler", 'x');

    while (w->octets->len < MIN(word->number, UINT16_MAX))
        g_byte_array_append(w->octets, &filler, 1);
}

static void startup_octet(struct startup_write *w, const struct word *word)
{
    change_octet(w->octets, word);
}

static void before_startup(struct startup_write *w, const struct word *word)
{
    put_before(w->octets, word);
}

static void after_startup(struct startup_write *w, const struct word *word)
{
    put_after(w->octets, word);
}

static void cut_startup(struct startup_write *w, const struct word *word)
{
    cut_octets(w->octets, word);
}

static const struct startup_word {
    const char *name;
    enum value value;
    void (*frame)(struct startup_write *w, const struct word *word);
    void (*octets)(struct startup_write *w, const struct word *word);
} startup_words[] = {
    {"mpa.flags", NUMBER, set_flags, NULL},
    {"mpa.rev", NUMBER, set_revision, NULL},
    {"mpa.len", NUMBER, set_length, NULL},
    {"mpa.data", OCTETS, set_data, NULL},
    {"mpa.enhanced", NUMBER, set_enhanced, NULL},
    {"mpa.a", NUMBER, set_peer_to_peer, NULL},
    {"mpa.rtr", NUMBER, set_rtr, NULL},
    {"mpa.before", OCTETS, NULL, before_startup},
    {"mpa.after", OCTETS, NULL, after_startup},
    {"mpa.cut", NUMBER, NULL, cut_startup},
    {"mpa.fill", NUMBER, NULL, fill_startup},
    {"mpa.filler", NUMBER, NULL, NULL},
    {"mpa.crc", ALONE, NULL, append_crc},
    {"mpa.len-swapped", ALONE, NULL, swap_length},
    {"mpa.enhanced-last", ALONE, NULL, move_enhanced},
};

static const struct startup_word octet_of_startup = {"mpa@", NUMBER, NULL, startup_octet};

static const struct startup_word *startup_word_of(const struct word *word)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(startup_words); i++) {
        if (strcmp(startup_words[i].name, word->name) == 0)
            return has_value(word, startup_words[i].value) ? &startup_words[i] : NULL;
    }
    return is_octet_word(word) ? &octet_of_startup : NULL;
}

void startup_change_frame(struct words *words, struct startup_write *w)
{
    w->words = words;
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct startup_word *known = startup_word_of(&words->list[i]);

        if (known && known->frame)
            known->frame(w, &words->list[i]);
    }
}

void startup_change_octets(struct words *words, struct startup_write *w)
{
    w->words = words;
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct startup_word *known = startup_word_of(&words->list[i]);

        if (known && known->octets)
            known->octets(w, &words->list[i]);
    }
}

/* ---- FPDUs before they are encoded ---- */

static void add_to_length(struct fpdu_write *w, const struct word *word)
{
    w->plan.ulpdu_length = (uint16_t)word_apply(word, w->plan.ulpdu_length);
}

static void set_ulpdu_length(struct fpdu_write *w, uint16_t n)
{
    w->plan.ulpdu_length = w->plan.ulpdu_octets = n;
    w->plan.pad_length = (uint8_t)mpa_pad_length(n);
}

/* mpa.ulpdu=N: as if it had always been so long. */
static void resize_ulpdu(struct fpdu_write *w, const struct word *word)
{
    uint16_t n = (uint16_t)MIN(word->number, ULPDU_ROOM);

    if (n > w->plan.ulpdu_length)
        memset(w->ulpdu + w->plan.ulpdu_length, 0x5A, n - w->plan.ulpdu_length);
    set_ulpdu_length(w, n);
}

/* The segment twice in one FPDU, its second MSN one higher. */
static void double_ulpdu(struct fpdu_write *w, const struct word *word)
{
    uint16_t n = w->plan.ulpdu_length;

    (void)word;
    if (n < DDP_UNTAGGED_HEADER_LEN || 2 * n > ULPDU_ROOM)
        return;
    memcpy(w->ulpdu + n, w->ulpdu, n);
    put_be32(w->ulpdu + n + 10, get_be32(w->ulpdu + 10) + 1);
    set_ulpdu_length(w, (uint16_t)(2 * n));
}

/* Of the DDP header's first octets, as faults of versions need them. */
static void change_ulpdu_octet(struct fpdu_write *w, const struct word *word)
{
    unsigned at = word->name[strlen("mpa.ulpdu")] - '0';

    w->ulpdu[at] = (uint8_t)word_apply(word, w->ulpdu[at]);
}

static void set_pad_length(struct fpdu_write *w, const struct word *word)
{
    w->plan.pad_length = (uint8_t)MIN(word->number, sizeof w->plan.pad);
}

static void set_padding(struct fpdu_write *w, const struct word *word)
{
    g_autoptr(GByteArray) octets = octets_of(word);

    memcpy(w->plan.pad, octets->data, MIN(octets->len, w->plan.pad_length));
}

static void omit_crc(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    w->plan.crc_present = false;
}

static void fix_crc(struct fpdu_write *w, uint32_t crc)
{
    w->plan.crc = crc;
    w->plan.crc_fixed = true;
}

static void set_crc(struct fpdu_write *w, const struct word *word)
{
    fix_crc(w, (uint32_t)word->number);
}

/* That of the FPDU before the words that follow. */
static void keep_crc(struct fpdu_write *w, const struct word *word)
{
    g_autofree uint8_t *octets = g_malloc(MPA_FPDU_OCTETS_MAX);
    size_t n = mpa_fpdu_encode(&w->plan, octets, MPA_FPDU_OCTETS_MAX);

    (void)word;
    fix_crc(w, get_le32(octets + n - MPA_CRC_LEN));
}

/* From here on. */
static void use_markers(struct fpdu_write *w, const struct word *word)
{
    w->plan.framing.markers = w->conversation->framing[w->role].markers = word->number != 0;
}

/* Does not wait for the peer. */
static void send_early(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    w->how.received = 0;
}

/* Waits for the Initiator's Request alone. */
static void send_after_request(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    w->how.received = w->conversation->framing[INITIATOR].seq_start;
}

static void change_marker(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    struct words *words = ((struct fpdu_write *)ctx)->marker_words;

    (void)offset;
    if ((words_have(words, "mpa.first-marker") && index > 0) || (words_have(words, "mpa.later-markers") && index == 0))
        return;
    for (unsigned i = 0; i < words->n; i++) {
        const struct word *word = &words->list[i];

        if (strcmp(word->name, "mpa.ptr") == 0)
            put_be16(marker + 2, (uint16_t)word_apply(word, get_be16(marker + 2)));
        else if (strcmp(word->name, "mpa.reserved") == 0)
            put_be16(marker, (uint16_t)word_apply(word, get_be16(marker)));
        else if (strcmp(word->name, "mpa.ptr-swapped") == 0)
            put_be16(marker + 2, GUINT16_SWAP_LE_BE(get_be16(marker + 2)));
    }
}

static void change_markers(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    w->plan.marker_hook = change_marker;
    w->plan.hook_ctx = w;
}

/* ---- octets of FPDUs: the CRC ---- */

static size_t covered(const struct fpdu_write *w)
{
    return w->octets->len - MPA_CRC_LEN;
}

/* There may be no CRC field, or other words may have cut the FPDU. */
static bool is_whole(const struct fpdu_write *w)
{
    return w->octets->len >= MPA_LENGTH_LEN + 2 + MPA_CRC_LEN;
}

static void put_crc(struct fpdu_write *w, uint32_t crc)
{
    if (is_whole(w))
        put_le32(w->octets->data + covered(w), crc);
}

/* CRC over everything before the CRC field but the n octets at `at`. */
static void put_crc_without(struct fpdu_write *w, size_t at, size_t n)
{
    const uint8_t *p = w->octets->data;

    if (is_whole(w) && at + n <= covered(w))
        put_crc(w, crc32c_extend(crc32c(p, at), p + at + n, covered(w) - at - n));
}

static void crc_without_length(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    put_crc_without(w, 0, MPA_LENGTH_LEN);
}

static void crc_without_leading_marker(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    put_crc_without(w, 0, MPA_MARKER_LEN);
}

static void crc_without_marker(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    put_crc_without(w, mpa_next_marker(&w->plan.framing, w->plan.offset) - w->plan.offset, MPA_MARKER_LEN);
}

static void crc_without_last_marker(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    put_crc_without(w, covered(w) - MPA_MARKER_LEN, MPA_MARKER_LEN);
}

static void crc_with_next_marker(struct fpdu_write *w, const struct word *word)
{
    static const uint8_t marker[MPA_MARKER_LEN];

    (void)word;
    if (is_whole(w))
        put_crc(w, crc32c_extend(crc32c(w->octets->data, covered(w)), marker, sizeof marker));
}

/* CRC-32 of IEEE 802.3. */
static void crc_of_ethernet(struct fpdu_write *w, const struct word *word)
{
    uint32_t crc = 0xFFFFFFFF;

    (void)word;
    for (size_t i = 0; is_whole(w) && i < covered(w); i++) {
        crc ^= w->octets->data[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    put_crc(w, ~crc);
}

static void crc_swapped(struct fpdu_write *w, const struct word *word)
{
    uint8_t *p = w->octets->data + covered(w);

    (void)word;
    if (is_whole(w))
        put_be32(p, get_le32(p));
}

/* The CRC field straight after ULPDU_Length, the rest moved back. */
static void crc_after_length(struct fpdu_write *w, const struct word *word)
{
    uint8_t *p = w->octets->data;
    uint32_t crc;

    (void)word;
    if (!is_whole(w))
        return;
    crc = crc32c(p, covered(w));
    memmove(p + MPA_LENGTH_LEN + MPA_CRC_LEN, p + MPA_LENGTH_LEN, covered(w) - MPA_LENGTH_LEN);
    put_le32(p + MPA_LENGTH_LEN, crc);
}

/* [length ULPDU PAD CRC] becomes [length ULPDU CRC PAD], the CRC over what then precedes it. */
static void crc_before_pad(struct fpdu_write *w, const struct word *word)
{
    uint8_t pad = w->plan.pad_length, *crc = w->octets->data + covered(w) - pad;

    (void)word;
    if (!is_whole(w) || covered(w) < pad)
        return;
    put_le32(crc, crc32c(w->octets->data, (size_t)(crc - w->octets->data)));
    memset(crc + MPA_CRC_LEN, 0, pad);
}

/* ---- octets of FPDUs: Markers in the wrong places ---- */

/* The FPDU anew with Markers at the stream offsets at[0..n); pointers and CRC are right for these places. */
static void place_markers(struct fpdu_write *w, const uint64_t *at, unsigned n)
{
    struct mpa_fpdu_plan plan = w->plan;
    g_autofree uint8_t *plain = g_malloc(MPA_FPDU_OCTETS_MAX);
    uint64_t position = w->plan.offset, header = position;
    unsigned next = 0;
    uint8_t crc[MPA_CRC_LEN];
    size_t length;

    plan.framing.markers = false;
    length = mpa_fpdu_encode(&plan, plain, MPA_FPDU_OCTETS_MAX) - MPA_CRC_LEN;
    g_byte_array_set_size(w->octets, 0);
    for (size_t i = 0; i < length; i++, position++) {
        if (next < n && at[next] == position) {
            uint8_t marker[MPA_MARKER_LEN] = {0};

            if (i == 0)
                header += MPA_MARKER_LEN;
            else
                put_be16(marker + 2, (uint16_t)(position - header) & 0xFFFC); /* as 4.2 wants it, wherever it is */
            g_byte_array_append(w->octets, marker, sizeof marker);
            position += MPA_MARKER_LEN;
            next++;
        }
        g_byte_array_append(w->octets, plain + i, 1);
    }
    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

/* At all stream offsets first + period * k that this FPDU reaches, and before its first octet where `lead` is set. */
static void place_grid(struct fpdu_write *w, bool lead, uint64_t first, unsigned period)
{
    uint64_t at[MPA_FPDU_MARKERS_MAX + 1];
    struct mpa_framing none = {.markers = false};
    uint64_t end = w->plan.offset + mpa_fpdu_octets(&none, w->plan.offset, w->plan.ulpdu_length) - MPA_CRC_LEN;
    unsigned n = 0;

    if (lead)
        at[n++] = w->plan.offset;
    for (uint64_t position = first; position < end + n * (uint64_t)MPA_MARKER_LEN && n < MPA_FPDU_MARKERS_MAX;
         position += period) {
        if (position >= w->plan.offset + lead)
            at[n++] = position;
    }
    place_markers(w, at, n);
}

static bool leads(const struct fpdu_write *w)
{
    return mpa_next_marker(&w->plan.framing, w->plan.offset) == w->plan.offset;
}

/* mpa.grid=PERIOD, mpa.grid-from=OFFSET of the first one. */
static void other_period(struct fpdu_write *w, const struct word *word)
{
    uint64_t from = words_number(w->words, "mpa.grid-from", 0);

    place_grid(w, false, w->plan.framing.seq_start + from, (unsigned)CLAMP(word->number, 64, UINT16_MAX));
}

static void no_inner_markers(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    place_markers(w, &w->plan.offset, leads(w) ? 1 : 0);
}

/* The next Marker after the leading one a octet late. */
static void marker_late(struct fpdu_write *w, const struct word *word)
{
    uint64_t first = mpa_next_marker(&w->plan.framing, w->plan.offset);

    place_grid(w, leads(w), first + (leads(w) ? MPA_MARKER_PERIOD : 0) + word->number, MPA_MARKER_PERIOD);
}

static void grid_of_peer(struct fpdu_write *w, const struct word *word)
{
    const struct mpa_framing *peer = &w->conversation->framing[w->role == INITIATOR ? RESPONDER : INITIATOR];

    (void)word;
    place_grid(w, leads(w), mpa_next_marker(peer, w->plan.offset + 8), MPA_MARKER_PERIOD);
}

/* ---- octets of FPDUs: how they are sent ---- */

static void write_first(struct fpdu_write *w, guint n, const struct sim_how *how)
{
    struct conversation *c = w->conversation;

    sim_write(c->tcp, c->side[w->role], w->octets->data, n, how);
    g_byte_array_remove_range(w->octets, 0, n);
}

/* The first n octets now; the others as soon as they may be sent, or after mpa.gap=MICROSECONDS, once mpa.acked. */
static void split(struct fpdu_write *w, guint n)
{
    uint64_t received = words_given(w->words, "mpa.gap") ? 0 : w->how.received;

    write_first(w, n, &w->how);
    w->how = (struct sim_how){.received = received,
                              .acked = words_have(w->words, "mpa.acked"),
                              .delay_ns = (int64_t)words_number(w->words, "mpa.gap", 0) * 1000};
}

/* mpa.split=N: so many octets first, negative: all but so many. */
static void split_at(struct fpdu_write *w, const struct word *word)
{
    int64_t n = (int64_t)word->number;

    n += n < 0 ? w->octets->len : 0;
    if (n > 0 && n < w->octets->len)
        split(w, (guint)n);
}

static void split_half(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    if (w->octets->len > 1)
        split(w, w->octets->len / 2);
}

/* The leading Marker alone when only the Request has arrived. */
static void marker_alone(struct fpdu_write *w, const struct word *word)
{
    struct sim_how how = {.received = w->conversation->framing[INITIATOR].seq_start};

    (void)word;
    if (w->octets->len > MPA_MARKER_LEN)
        write_first(w, MPA_MARKER_LEN, &how);
}

static void first_half_only(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    g_byte_array_set_size(w->octets, w->octets->len / 2 & ~3u);
}

/* Four times in IP fragments that reach nobody. */
static void lost_fragments(struct fpdu_write *w, const struct word *word)
{
    struct conversation *c = w->conversation;
    unsigned side = c->side[w->role];

    (void)word;
    for (unsigned i = 0; i < 4; i++) {
        struct sim_how how = {.received = w->how.received, .fragment = true, .delay_ns = i * INT64_C(1000000000)};

        sim_raw(c->tcp, side,
                &(struct sim_raw){.flags = SEG_ACK | SEG_PSH,
                                  .offset = sim_written(c->tcp, side),
                                  .p = w->octets->data,
                                  .n = w->octets->len},
                &how);
    }
    g_byte_array_set_size(w->octets, 0);
}

static void fpdu_octet(struct fpdu_write *w, const struct word *word)
{
    change_octet(w->octets, word);
}

static void before_fpdu(struct fpdu_write *w, const struct word *word)
{
    put_before(w->octets, word);
}

static void bad_crc(struct fpdu_write *w, const struct word *word)
{
    (void)word;
    if (is_whole(w))
        w->octets->data[w->octets->len - 1] ^= 0x01;
}

static const struct fpdu_word {
    const char *name;
    enum value value;
    void (*plan)(struct fpdu_write *w, const struct word *word);
    void (*octets)(struct fpdu_write *w, const struct word *word);
} fpdu_words[] = {
    {"mpa.len", NUMBER, add_to_length, NULL},
    {"mpa.ulpdu", NUMBER, resize_ulpdu, NULL},
    {"mpa.ulpdu0", NUMBER, change_ulpdu_octet, NULL},
    {"mpa.ulpdu1", NUMBER, change_ulpdu_octet, NULL},
    {"mpa.twice", ALONE, double_ulpdu, NULL},
    {"mpa.pad", NUMBER, set_pad_length, NULL},
    {"mpa.padding", OCTETS, set_padding, NULL},
    {"mpa.no-crc", ALONE, omit_crc, NULL},
    {"mpa.crc", NUMBER, set_crc, NULL},
    {"mpa.old-crc", ALONE, keep_crc, NULL},
    {"mpa.markers", NUMBER, use_markers, NULL},
    {"mpa.ptr", NUMBER, change_markers, NULL},
    {"mpa.ptr-swapped", ALONE, change_markers, NULL},
    {"mpa.reserved", NUMBER, change_markers, NULL},
    {"mpa.first-marker", ALONE, NULL, NULL},
    {"mpa.later-markers", ALONE, NULL, NULL},
    {"mpa.early", ALONE, send_early, NULL},
    {"mpa.after-request", ALONE, send_after_request, NULL},
    {"mpa.crc-without-length", ALONE, NULL, crc_without_length},
    {"mpa.crc-without-leading-marker", ALONE, NULL, crc_without_leading_marker},
    {"mpa.crc-without-marker", ALONE, NULL, crc_without_marker},
    {"mpa.crc-without-last-marker", ALONE, NULL, crc_without_last_marker},
    {"mpa.crc-with-next-marker", ALONE, NULL, crc_with_next_marker},
    {"mpa.crc-of-ethernet", ALONE, NULL, crc_of_ethernet},
    {"mpa.crc-swapped", ALONE, NULL, crc_swapped},
    {"mpa.crc-after-length", ALONE, NULL, crc_after_length},
    {"mpa.crc-before-pad", ALONE, NULL, crc_before_pad},
    {"mpa.grid", NUMBER, NULL, other_period},
    {"mpa.grid-from", NUMBER, NULL, NULL},
    {"mpa.grid-of-peer", ALONE, NULL, grid_of_peer},
    {"mpa.no-inner-markers", ALONE, NULL, no_inner_markers},
    {"mpa.marker-late", NUMBER, NULL, marker_late},
    {"mpa.marker-alone", ALONE, NULL, marker_alone},
    {"mpa.before", OCTETS, NULL, before_fpdu},
    {"mpa.half", ALONE, NULL, first_half_only},
    {"mpa.split", NUMBER, NULL, split_at},
    {"mpa.split-half", ALONE, NULL, split_half},
    {"mpa.gap", NUMBER, NULL, NULL},
    {"mpa.acked", ALONE, NULL, NULL},
    {"mpa.lost-fragments", ALONE, NULL, lost_fragments},
    {"bad-crc", ALONE, NULL, bad_crc},
};

static const struct fpdu_word octet_of_fpdu = {"mpa@", NUMBER, NULL, fpdu_octet};

static const struct fpdu_word *fpdu_word_of(const struct word *word)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(fpdu_words); i++) {
        if (strcmp(fpdu_words[i].name, word->name) == 0)
            return has_value(word, fpdu_words[i].value) ? &fpdu_words[i] : NULL;
    }
    return is_octet_word(word) ? &octet_of_fpdu : NULL;
}

void fpdu_change_plan(struct words *words, struct fpdu_write *w)
{
    w->words = words;
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct fpdu_word *known = fpdu_word_of(&words->list[i]);

        if (known && known->plan)
            known->plan(w, &words->list[i]);
        if (known && known->plan == change_markers)
            w->marker_words = words;
    }
}

void fpdu_change_octets(struct words *words, struct fpdu_write *w)
{
    w->words = words;
    for (unsigned i = 0; words && i < words->n; i++) {
        const struct fpdu_word *known = fpdu_word_of(&words->list[i]);

        if (known && known->octets)
            known->octets(w, &words->list[i]);
    }
}

bool mpa_take_words(struct words *words, bool startup)
{
    bool any = false;

    for (unsigned i = 0; i < words->n; i++) {
        if (startup ? startup_word_of(&words->list[i]) != NULL : fpdu_word_of(&words->list[i]) != NULL)
            any = words->used[i] = true;
    }
    return any;
}

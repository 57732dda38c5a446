// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/mutants/misbehave.h"

#include "support/advert.h"
#include "traffic-gen/mutants/mutant.h"

#include <string.h>

/* Those of rules/, and of combinations. */
extern const char rule_mutants[], pairs_mutants[];

static GPtrArray *misbehave_make_rows(void)
{
    static const struct {
        const char *name, *text;
    } sources[] = {{"rules.mutants", rule_mutants}, {"pairs.mutants", pairs_mutants}};
    GPtrArray *rows = g_ptr_array_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++) {
        g_autofree char *error = NULL;

        /* What is wrong in them fails a unit test. */
        if (!mutants_parse(rows, sources[i].name, sources[i].text, &error))
            g_warning("%s", error);
    }
    return rows;
}

/* Read once, for the life of the program. */
static const GPtrArray *all_rows(void)
{
    static GPtrArray *rows;
    static gsize made;

    if (g_once_init_enter(&made)) {
        rows = misbehave_make_rows();
        g_once_init_leave(&made, 1);
    }
    return rows;
}

const struct misbehaviour *misbehave_at(unsigned index)
{
    const GPtrArray *rows = all_rows();

    return index < rows->len ? rows->pdata[index] : NULL;
}

const struct misbehaviour *misbehave_find(const char *id, enum suite_dut role)
{
    const struct misbehaviour *row;

    for (unsigned i = 0; (row = misbehave_at(i)); i++) {
        if (row->roles & role && strcmp(row->id, id) == 0)
            return row;
    }
    return NULL;
}

/* ---- set-up ---- */

static const struct word *setup_word(const struct misbehaviour *how, const char *name)
{
    for (unsigned i = 0; how && how->setup && i < how->setup->words->len; i++) {
        const struct word *word = &g_array_index(how->setup->words, struct word, i);

        if (strcmp(word->name, name) == 0)
            return word;
    }
    return NULL;
}

unsigned misbehave_ignored_wishes(const struct misbehaviour *how)
{
    return setup_word(how, "accept-all") ? ADVERT_REJECT : 0;
}

bool misbehave_calls_at_length(const struct misbehaviour *how)
{
    return setup_word(how, "long-calls") != NULL;
}

/* One at a time: a device is one mutant. */
static void misbehave_set_private_data(const struct misbehaviour *how, struct mpa_end_wish *wish)
{
    const struct word *data = setup_word(how, "data");
    static uint8_t octets[MPA_PRIVATE_DATA_MAX];
    uint16_t n = 0;

    if (!data)
        return;
    while (n < sizeof octets && words_octet(data->text + 2 * (size_t)n, &octets[n]))
        n++;
    wish->private_data = octets;
    wish->private_length = n;
}

void mutant_prepare(const struct misbehaviour *how, struct qp_options *options)
{
    const struct word *a = setup_word(how, "a"), *rtr = setup_word(how, "rtr");

    if (setup_word(how, "no-crc"))
        options->mpa.crc = false;
    if (setup_word(how, "markers"))
        options->mpa.markers = true;
    if (setup_word(how, "keep-open"))
        options->keep_open = true;
    if (setup_word(how, "patient"))
        options->mpa.t_rest = 0;
    if (a)
        options->mpa.enhanced_data.peer_to_peer = a->number != 0;
    if (rtr)
        options->mpa.enhanced_data.rtr = (uint8_t)rtr->number;
    misbehave_set_private_data(how, &options->mpa);
}

void mutant_prepare_rpc(const struct misbehaviour *how, struct rpc_end_options *options)
{
    if (setup_word(how, "no-invalidation"))
        options->remote_invalidation = false;
    mutant_prepare(how, &options->qp);
}

/* ---- hooks ---- */

void mutant_attach(struct mutant *mutant, const struct misbehaviour *how, struct qp *qp)
{
    static gint connections;
    const struct word *mulpdu = setup_word(how, "mulpdu");
    struct mpa_end_spoil mpa;
    struct qp_spoil spoil;

    *mutant = (struct mutant){.how = how, .qp = qp, .connection = (unsigned)g_atomic_int_add(&connections, 1) + 1};
    if (!how)
        return;
    mpa = mutant_mpa_hooks(how);
    mpa.ctx = mutant;
    mpa.ulpdu_max = mulpdu ? (uint16_t)mulpdu->number : 0;
    if (qp_mpa(qp)) /* a queue pair of an RDMA device has none */
        mpa_end_set_spoil(qp_mpa(qp), &mpa);
    spoil = mutant_qp_hooks(how);
    spoil.ctx = mutant;
    qp_set_spoil(qp, &spoil);
}

void mutant_attach_rpc(struct mutant *mutant, const struct misbehaviour *how, struct rpc_end *end)
{
    struct rpc_end_spoil spoil;

    mutant_attach(mutant, how, rpc_end_qp(end));
    if (!how)
        return;
    spoil = mutant_rpc_hooks(how);
    spoil.ctx = mutant;
    rpc_end_set_spoil(end, &spoil);
}

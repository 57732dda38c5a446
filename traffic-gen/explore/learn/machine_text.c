// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/machine.h"

#include <string.h>

/* Inputs with the same result share a line: "read, send, write". */
static void print_outcome(const struct machine *machine, unsigned state, unsigned first, FILE *out)
{
    const struct machine_edge *edge = &machine->edges[state][first];
    g_autoptr(GString) inputs = g_string_new(machine->inputs[first]);

    for (unsigned i = first + 1; i < machine->n_inputs; i++)
        if (memcmp(&machine->edges[state][i], edge, sizeof *edge) == 0)
            g_string_append_printf(inputs, ", %s", machine->inputs[i]);
    fprintf(out, "  %-44s -> %s", inputs->str, edge->output);
    if (edge->next != state)
        fprintf(out, "; %s %u", machine_is_over(machine, edge->next) ? "over:" : "state", edge->next);
    fputc('\n', out);
}

static bool is_first(const struct machine *machine, unsigned state, unsigned input)
{
    for (unsigned i = 0; i < input; i++)
        if (memcmp(&machine->edges[state][i], &machine->edges[state][input], sizeof machine->edges[state][i]) == 0)
            return false;
    return true;
}

void machine_text(const struct machine *machine, FILE *out)
{
    fprintf(out, "%s: %u states, %u inputs\n", machine->device, machine->n_states, machine->n_inputs);
    for (unsigned state = 0; state < machine->n_states; state++) {
        g_autoptr(GString) access = g_string_new(NULL);

        word_text(&machine->access[state], machine->inputs, access);
        fprintf(out, "\nstate %u, after %s%s\n", state, access->str,
                machine_is_over(machine, state) ? ": the connection is over" : "");
        for (unsigned i = 0; i < machine->n_inputs && !machine_is_over(machine, state); i++)
            if (is_first(machine, state, i))
                print_outcome(machine, state, i, out);
    }
}

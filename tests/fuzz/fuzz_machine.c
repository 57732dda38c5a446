// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iwarp-gen learn --compare with any machine: either a one-line message names the mistake, or the machine can be
 * written in every format, its JSON gives the same machine, and no word distinguishes it from itself.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz_file.h"
#include "traffic-gen/explore/learn/machine.h"

static char *written(void (*write)(const struct machine *machine, FILE *out), const struct machine *machine)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    write(machine, out);
    fclose(out);
    HOLDS(g_utf8_validate(text, (gssize)n, NULL));
    for (size_t i = 0; i < n; i++)
        HOLDS((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file files[2];
    GError *error = NULL;
    struct machine *machine = machine_load(fuzz_file(&files[0], data, size), &error), *again;
    struct word word;
    char *json;

    HOLDS((machine == NULL) == (error != NULL));
    if (error) {
        holds_one_line(error->message);
        g_clear_error(&error);
        return 0;
    }
    free(written(machine_text, machine));
    free(written(machine_svg, machine));
    json = written(machine_json, machine);
    again = machine_load(fuzz_file(&files[1], (const uint8_t *)json, strlen(json)), NULL);
    HOLDS(again && again->n_states == machine->n_states && !machine_differ(machine, again, &word));
    free(json);
    g_free(machine);
    g_free(again);
    return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walker's view, for tests that compare it with other decoders. Reads lines "PROGRAM VERSION PROCEDURE call|reply
 * forward|reverse HEX", the arguments or results in HEX ("-": none), and writes a line of JSON for each.
 */
#include "wire/nfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_SIZE = 4 << 20 };

struct lists {
    char *operations, *items, *values;
    size_t operations_size, items_size, values_size;
    FILE *op, *item, *value;
    const char *separator[3];
};

static void on_operation(void *ctx, const struct nfs_operation *o)
{
    struct lists *l = ctx;

    fprintf(l->op, "%s{\"op\":%" PRIu32 ",\"position\":%" PRIu64 ",\"status\":%ld}", l->separator[0], o->op,
            o->position, o->has_status ? (long)o->status : -1);
    l->separator[0] = ",";
}

static uint64_t on_item(void *ctx, const struct nfs_item *i)
{
    struct lists *l = ctx;

    fprintf(l->item, "%s{\"count\":%" PRIu32 ",\"position\":%" PRIu64 ",\"op\":%u,\"mark\":%d,\"eligible\":%s}",
            l->separator[1], i->count, i->position, i->op_index, (int)i->mark, i->eligible ? "true" : "false");
    l->separator[1] = ",";
    return xdr_padded(i->count);
}

static void on_value(void *ctx, const struct nfs_value *v)
{
    struct lists *l = ctx;

    fprintf(l->value, "%s{\"mark\":%d,\"value\":%" PRIu64 ",\"position\":%" PRIu64 "}", l->separator[2], (int)v->mark,
            v->value, v->position);
    l->separator[2] = ",";
}

static void walk(const struct nfs_procedure *procedure, bool reply, const uint8_t *p, size_t n)
{
    static const char *const names[] = {"ok", "unknown", "short", "bad"};
    struct lists l = {.separator = {"", "", ""}};
    struct nfs_walk_events events = {&l, on_operation, on_item, on_value, NULL};
    struct nfs_walk_result result;

    l.op = open_memstream(&l.operations, &l.operations_size);
    l.item = open_memstream(&l.items, &l.items_size);
    l.value = open_memstream(&l.values, &l.values_size);
    if (!l.op || !l.item || !l.value)
        exit(2);
    nfs_walk(procedure, reply, p, n, 0, &events, &result);
    fclose(l.op);
    fclose(l.item);
    fclose(l.value);
    printf("{\"status\":\"%s\",\"name\":\"%s\",\"at\":%zu,\"fault\":%" PRIu32 ",\"left\":%zu,\"operations\":[%s],"
           "\"items\":[%s],\"values\":[%s]}\n",
           names[result.status], procedure->name, result.at, result.fault, result.left, l.operations, l.items,
           l.values);
    free(l.operations);
    free(l.items);
    free(l.values);
}

static size_t octets_of(const char *hex, uint8_t *out)
{
    size_t n = 0;

    if (strcmp(hex, "-") == 0)
        return 0;
    for (; hex[0] && hex[1]; hex += 2) {
        char digits[3] = {hex[0], hex[1], 0};

        out[n++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n;
}

/* program version number kind way hex */
static bool read_line(char *line, uint8_t *p)
{
    const struct nfs_procedure *procedure;
    char *words[6], *rest = line;

    for (unsigned i = 0; i < 6; i++) {
        words[i] = strtok_r(rest, " \n", &rest);
        if (!words[i])
            return false;
    }
    procedure = nfs_procedure_find((uint32_t)strtoul(words[0], NULL, 10), (uint32_t)strtoul(words[1], NULL, 10),
                                   (uint32_t)strtoul(words[2], NULL, 10));
    if (procedure)
        walk(procedure, strcmp(words[3], "reply") == 0, p, octets_of(words[5], p));
    else
        puts("{\"status\":\"no procedure\"}");
    return true;
}

int main(void)
{
    char *line = malloc(LINE_MAX_SIZE);
    uint8_t *p = malloc(LINE_MAX_SIZE / 2);
    bool understood = line && p;

    while (understood && fgets(line, LINE_MAX_SIZE, stdin))
        understood = read_line(line, p);
    free(p);
    free(line);
    return understood ? 0 : 2;
}

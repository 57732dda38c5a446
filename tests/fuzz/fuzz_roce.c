// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The generator's conversations of RPC-over-RDMA on RoCE, through the whole of iwarp-check. First octet: the scenario;
 * then four octets for each event: its kind, its packet (a fraction of the capture), its place, its value. Damaged
 * packets have the right ICRC. Missing or duplicated packets alone cause no finding in a conforming conversation.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz_checking.h"
#include "tests/fuzz/fuzz_words.h"
#include "traffic-gen/scenario/scenario_source.h"
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/sim/sim.h"
#include "wire/ib_icrc.h"

enum {
    HEAD = 1,
    STEP = 4,
    STEPS_MAX = 64,
    FILE_HEADER = 24,
    RECORD = 16,
    ETHERNET = 14,
    IP = 20,
    BELOW = IP + 8, /* includes UDP */
    BTH_PSN = 9,
    ICRC = 4,
    CONVERSATIONS_MAX = 256,
    PORT = 4791,
};

enum happening { LOST, TWICE, SWAPPED, OCTET, PSN, CUT, DAMAGED, HAPPENINGS };

/* Each packet as a record of pcap. */
struct conversation_capture {
    const struct scenario *scenario;
    uint8_t header[FILE_HEADER];
    GPtrArray *records; /* of GByteArray; NULL: not played yet */
    bool conforms;
};

static struct conversation_capture all[CONVERSATIONS_MAX];
static unsigned n_all;
static struct fuzz_checking checking;

#ifdef IWARP_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return fuzz_mutate_words(data, size, max, seed, HEAD);
}
#endif

static void find_scenarios(void)
{
    const struct scenario *scenario;

    for (unsigned i = 0; (scenario = scenario_at(i)) && n_all < CONVERSATIONS_MAX; i++) {
        struct scenario_source source = {0};
        char *error = NULL;

        if (scenario_source_load(&source, scenario->name, NULL, 0, &error)) {
            char *why = scenario_source_roce_refusal(&source, NULL);

            if (!why)
                all[n_all++].scenario = scenario;
            g_free(why);
        }
        g_free(error);
        scenario_source_clear(&source);
    }
    HOLDS(n_all > 10);
}

static void play(const struct scenario *scenario, char *path)
{
    struct capture_file *file = capture_file_open(path, CAPTURE_PCAP, 0);
    struct stage_place place = {0};
    struct sim_trouble trouble = {0};
    struct stage *stage = stage_new(file, 1, &trouble, &place);
    struct scenario_source source = {0};
    const char *why = NULL;
    char *error = NULL;

    HOLDS(file && scenario_source_load(&source, scenario->name, NULL, 0, &error));
    stage->mtu = scenario_source_mtu(&source);
    stage->carrier = &carrier_roce;
    HOLDS(scenario_source_play(&source, NULL, stage, &error) && sim_run(stage->sim, &why));
    stage_leave(stage, &place);
    stage_free(stage);
    scenario_source_clear(&source);
    HOLDS(capture_file_close(file));
}

static uint32_t little32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * With `first` this learns whether the conversation conforms; later it checks that it has no finding. A faulty
 * conversation may break another rule if octets are missing.
 */
static void look_at_findings(struct conversation_capture *conversation, const struct report *report, bool first)
{
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);

    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        for (guint j = 0; j < connection->findings->len; j++) {
            const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, j);

            if (first) {
                conversation->conforms = false;
                return;
            }
            fprintf(stderr, "%s: %s frame %u: %s\n", conversation->scenario->name, rule_catalogue[finding->rule].id,
                    (unsigned)finding->frame, finding->message);
            HOLDS(false);
        }
    }
}

static void load(struct conversation_capture *conversation)
{
    static struct fuzz_file file;
    struct report report;
    gchar *octets = NULL;
    gsize n = 0;

    fuzz_file(&file, (const uint8_t *)"", 0);
    play(conversation->scenario, file.path);
    HOLDS(g_file_get_contents(file.path, &octets, &n, NULL) && n > FILE_HEADER);
    memcpy(conversation->header, octets, FILE_HEADER);
    conversation->records = g_ptr_array_new();
    for (gsize at = FILE_HEADER; at < n;) {
        guint length = RECORD + little32((const uint8_t *)octets + at + 8);

        HOLDS(length <= n - at);
        g_ptr_array_add(conversation->records,
                        g_byte_array_append(g_byte_array_new(), (const guint8 *)octets + at, length));
        at += length;
    }
    HOLDS(fuzz_check(&checking, (const uint8_t *)octets, n, &report));
    conversation->conforms = true;
    look_at_findings(conversation, &report, true);
    report_clear(&report);
    g_free(octets);
}

/* The BTH of a packet of RoCE v2 on IPv4; NULL: another kind of packet. *n: octets from there to the ICRC. */
static uint8_t *transport(GByteArray *record, size_t *n)
{
    uint8_t *ip = record->data + RECORD + ETHERNET;

    if (record->len < RECORD + ETHERNET + BELOW + 12 + ICRC || ip[-2] != 8 || ip[-1] != 0 || ip[0] != 0x45 ||
        ip[9] != 17 || (ip[IP + 2] << 8 | ip[IP + 3]) != PORT)
        return NULL;
    *n = record->len - RECORD - ETHERNET - BELOW - ICRC;
    return ip + BELOW;
}

static void repair(GByteArray *record)
{
    size_t n;
    uint8_t *bth = transport(record, &n);
    uint32_t crc = ib_icrc(IB_BELOW_IPV4_UDP, bth - BELOW, BELOW, bth, n);

    for (unsigned i = 0; i < ICRC; i++)
        bth[n + i] = (uint8_t)(crc >> 8 * i);
}

/* True when this may cause a finding. */
static bool happens(GPtrArray *records, const uint8_t step[STEP])
{
    guint which = (guint)(step[1] * records->len / 256);
    GByteArray *record = g_ptr_array_index(records, which), *copy;
    size_t n = 0;
    uint8_t *bth = transport(record, &n);

    switch (step[0] % HAPPENINGS) {
    case LOST:
        if (records->len > 1)
            g_byte_array_unref(g_ptr_array_steal_index(records, which));
        return false;
    case TWICE:
        copy = g_byte_array_append(g_byte_array_new(), record->data, record->len);
        g_ptr_array_insert(records, (gint)which + 1, copy);
        return false;
    case SWAPPED:
        if (which + 1 < records->len) {
            records->pdata[which] = records->pdata[which + 1];
            records->pdata[which + 1] = record;
        }
        return true;
    case CUT:
        g_byte_array_set_size(record, RECORD + (guint)(step[2] * (record->len - RECORD) / 256));
        record->data[8] = (uint8_t)(record->len - RECORD);
        record->data[9] = (uint8_t)((record->len - RECORD) >> 8);
        record->data[10] = record->data[11] = 0;
        return true;
    case DAMAGED:
        if (record->len > RECORD)
            record->data[RECORD + step[2] * (record->len - RECORD) / 256] = step[3];
        return true;
    case OCTET:
        if (bth) {
            bth[step[2] % n] = step[3];
            repair(record);
        }
        return true;
    case PSN:
        if (bth) {
            bth[BTH_PSN + 2] = (uint8_t)(bth[BTH_PSN + 2] + step[3]);
            repair(record);
        }
        return true;
    }
    return true;
}

static void unref_record(gpointer record)
{
    g_byte_array_unref(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GPtrArray *records = g_ptr_array_new_with_free_func(unref_record);
    GByteArray *capture = g_byte_array_new();
    struct conversation_capture *conversation;
    struct report report;
    bool harmless = true;

    if (n_all == 0)
        find_scenarios();
    conversation = &all[size > 0 ? data[0] % n_all : 0];
    if (!conversation->records)
        load(conversation);
    for (guint i = 0; i < conversation->records->len; i++) {
        const GByteArray *record = g_ptr_array_index(conversation->records, i);

        g_ptr_array_add(records, g_byte_array_append(g_byte_array_new(), record->data, record->len));
    }
    for (size_t i = 0, at = HEAD; i < STEPS_MAX && at + STEP <= size; i++, at += STEP)
        harmless &= !happens(records, data + at);
    g_byte_array_append(capture, conversation->header, FILE_HEADER);
    for (guint i = 0; i < records->len; i++) {
        const GByteArray *record = g_ptr_array_index(records, i);

        g_byte_array_append(capture, record->data, record->len);
    }
    HOLDS(fuzz_check(&checking, capture->data, capture->len, &report));
    if (harmless && conversation->conforms)
        look_at_findings(conversation, &report, false);
    report_clear(&report);
    g_byte_array_unref(capture);
    g_ptr_array_unref(records);
    return 0;
}

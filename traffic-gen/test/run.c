// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/test/run.h"

#include "traffic-gen/test/elsewhere.h"
#include "traffic-gen/test/net.h"

/* ---- tests ---- */

static void fill_in(struct test_result *result, const struct chosen_test *chosen)
{
    const struct rule *rule = &rule_catalogue[chosen->test->rule];

    result->id = suite_test_id(chosen->test);
    result->rule = g_strdup(rule->id);
    result->suite = g_strdup(chosen->suite->name);
    result->document = g_strdup(rule->document);
    result->section = g_strdup(rule->section);
    result->level = g_strdup(rule->level);
    result->severity = g_strdup(rule_severity_name(rule->severity));
    result->requirement = g_strdup(rule->text);
    result->stimulus = g_strdup(chosen->test->stimulus);
    result->expected = g_strdup(chosen->test->expected);
    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (elsewhere_settled((enum rule_id)i, chosen->test->rule))
            g_ptr_array_add(result->aliases, g_strdup(rule_catalogue[i].id));
    }
}

/* Known before anything is said; what a DUT that is Initiator has shows only in its Requests. */
static const char *cannot_run(const struct talk_run *run, const struct suite_test *test)
{
    unsigned has = run->has | run->services;

    if (!(test->duts & run->dut))
        return run->dut == DUT_RESPONDER ? "for devices that are Initiator" : "for devices that are Responder";
    if (run->dut == DUT_RESPONDER && test->needs & (NEED_ENHANCED | NEED_PEER_TO_PEER) && !(has & NEED_ENHANCED))
        return "the device does not speak the enhanced set-up of RFC 6581";
    /* Whether it has the peer-to-peer mode is for the case's own Reply to say: some do not survive that question. */
    if (run->dut == DUT_RESPONDER && test->needs & (NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS) & ~has)
        return "the device does not advertise memory and an echo in its private data";
    if (test->needs & (NEED_RPC | NEED_NFS) & ~has)
        return "the device is not said to be an RPC-over-RDMA server (--service)";
    return NULL;
}

static void run_one(struct talk_run *run, const struct chosen_test *chosen, struct test_result *result)
{
    const char *why = cannot_run(run, chosen->test);
    struct talk talk;

    fill_in(result, chosen);
    talk_init(&talk, run, chosen->test, result);
    if (why)
        talk_not_applicable(&talk, "%s", why);
    else
        chosen->test->run(&talk, chosen->test);
    talk_clear(&talk);
    if (!result->actual)
        result->actual = g_strdup("the stimulus could not be given");
    result->seconds = (double)(talk_now() - talk.began) / 1e9;
}

struct crew {
    struct talk_run *run;
    const GArray *chosen;
    GPtrArray *results;
    void (*progress)(unsigned done, unsigned n, const char *id);
    gint next, done;
};

static gpointer work(gpointer data)
{
    struct crew *crew = data;
    guint i;

    while (!net_stopped && (i = (guint)g_atomic_int_add(&crew->next, 1)) < crew->chosen->len) {
        const struct chosen_test *chosen = &g_array_index(crew->chosen, struct chosen_test, i);

        if (crew->progress) {
            g_autofree char *id = suite_test_id(chosen->test);

            crew->progress((unsigned)g_atomic_int_get(&crew->done), crew->chosen->len, id);
        }
        run_one(crew->run, chosen, g_ptr_array_index(crew->results, i));
        if (net_stopped) /* it was cut short, and found what it did not look for */
            g_clear_pointer(&((struct test_result *)g_ptr_array_index(crew->results, i))->id, g_free);
        g_atomic_int_inc(&crew->done);
    }
    return NULL;
}

void run_tests(struct talk_run *run, const GArray *chosen, unsigned jobs,
               void (*progress)(unsigned done, unsigned n, const char *id), struct test_report *report)
{
    struct crew crew = {.run = run, .chosen = chosen, .results = report->results, .progress = progress};
    int64_t began = talk_now();
    GThread **threads = g_new0(GThread *, jobs);

    for (guint i = 0; i < chosen->len; i++)
        g_ptr_array_add(report->results, test_result_new());
    for (unsigned i = 0; i < jobs; i++)
        threads[i] = g_thread_new("test", work, &crew);
    for (unsigned i = 0; i < jobs; i++)
        g_thread_join(threads[i]);
    g_free(threads);
    for (guint i = chosen->len; i > 0; i--) {
        if (!((const struct test_result *)g_ptr_array_index(report->results, i - 1))->id)
            g_ptr_array_remove_index(report->results, i - 1);
    }
    report->seconds = (double)(talk_now() - began) / 1e9;
}

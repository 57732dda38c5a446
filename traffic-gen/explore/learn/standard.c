// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/standard.h"

#include <string.h>

/* Classes of messages in an output. */
enum output_class {
    SILENCE = 1,
    ACCEPTED = 2,
    REJECTED = 4,
    TERMINATE = 8, /* any Terminate except those below: */
    END = 16,      /* FIN, RST */
    ANSWER = 32,   /* a Read Response */
    FPDU = 64,     /* any other FPDU */
    OCTETS = 128,
    DEAD = 256,
    SUCCESS = 512, /* of RPC */
    RPC_ERROR = 1024,
    ERR_VERS = 2048,
    ERR_CHUNK = 4096,
    OF_MPA = 8192,        /* a Terminate from MPA */
    CATASTROPHIC = 16384, /* a Terminate: local catastrophic error */
};

enum state {
    CONNECTED,
    FULL, /* full operation */
    FREE, /* no further checks */
    STATES
};

static unsigned classes(const char *output)
{
    static const struct {
        const char *begins;
        unsigned class;
    } names[] = {
        {"-", SILENCE},
        {"Reply Rev", ACCEPTED},
        {"rejecting Reply", REJECTED},
        {"Terminate 2/0/", OF_MPA},
        {"Terminate 0/2/02", OF_MPA}, /* with layer and type swapped: RDMAP has no such code */
        {"Terminate 0/0/", CATASTROPHIC},
        {"Terminate", TERMINATE},
        {"FIN", END},
        {"RST", END},
        {"the end of the connection", END},
        {"RDMA Read Response", ANSWER},
        {"octets", OCTETS},
        {"dead", DEAD},
        {"a Reply with SUCCESS", SUCCESS},
        {"a Reply with", RPC_ERROR},
        {"RDMA_ERROR with ERR_VERS", ERR_VERS},
        {"RDMA_ERROR with ERR_CHUNK", ERR_CHUNK},
    };
    g_auto(GStrv) parts = g_strsplit(output, ", ", -1);
    unsigned set = 0;

    for (unsigned i = 0; parts[i]; i++) {
        unsigned k = 0;

        while (k < G_N_ELEMENTS(names) && !g_str_has_prefix(parts[i], names[k].begins))
            k++;
        set |= k < G_N_ELEMENTS(names) ? names[k].class : FPDU;
    }
    return set;
}

#define ANY_TERMINATE (TERMINATE | OF_MPA | CATASTROPHIC)
#define BAD_CRC       (OF_MPA | CATASTROPHIC | END)

/* Allowed answers for a step. The first row with the state and the input counts. */
static const struct step {
    const char *alphabet;
    enum state state;
    const char *input;
    unsigned allowed; /* set of enum output_class */
    enum state next;  /* after an answer that is not a rejection and leaves the connection open */
    enum rule_id rule;
    const char *due;
} steps[] = {
    /* A ULP may delay, reject, or close (RFC 5044 section 7.1.3); no FPDU comes before our first. */
    {"startup", CONNECTED, "request", ACCEPTED | REJECTED | END | SILENCE, FULL, RULE_MPA_7_1_2_23, "a Reply alone"},
    {"startup", CONNECTED, "request-2", ACCEPTED | REJECTED | END | SILENCE, FULL, RULE_MPA_7_1_2_23, "a Reply alone"},
    {"startup", CONNECTED, "request-p2p", ACCEPTED | REJECTED | END | SILENCE, FULL, RULE_MPA_7_1_2_23,
     "a Reply alone"},
    {"startup", CONNECTED, "request-markers", ACCEPTED | REJECTED | END | SILENCE, FULL, RULE_MPA_7_1_2_23,
     "a Reply alone"},
    {"startup", CONNECTED, "request-long", END, FREE, RULE_MPA_7_1_2_40, "a close without a Reply"},
    {"startup", CONNECTED, "request-half", END, FREE, RULE_MPA_7_1_1_30, "a close without a Reply"},
    {"startup", CONNECTED, "write", END, FREE, RULE_MPA_7_1_1_02, "a close: it is no Request"},
    {"startup", CONNECTED, "read", END, FREE, RULE_MPA_7_1_1_02, "a close: it is no Request"},
    {"startup", CONNECTED, "send", END, FREE, RULE_MPA_7_1_1_02, "a close: it is no Request"},
    {"startup", CONNECTED, "terminate", END, FREE, RULE_MPA_7_1_1_02, "a close: it is no Request"},
    {"startup", CONNECTED, "garbage", END, FREE, RULE_MPA_7_1_1_02, "a close: it is no Request"},
    {"startup", FULL, "write", SILENCE | FPDU | END, FULL, RULE_DDP_5_2_16, "no error"},
    {"startup", FULL, "read", ANSWER | FPDU | END | ANY_TERMINATE, FULL, RULE_RDMAP_5_2_1_18,
     "a zero-length Read Response"},
    {"startup", FULL, "terminate", SILENCE | END, FREE, RULE_COUNT, "nothing but a close"},
    {"startup", FULL, "garbage", BAD_CRC, FREE, RULE_MPA_4_4_19, "a Terminate of MPA, or a close: the CRC is wrong"},
    {"startup", FULL, "send", SILENCE | FPDU | ANY_TERMINATE | END, FULL, RULE_COUNT, "no other octets"},
    /* The device's ULP may close, or send messages (RFC 5044 section 7.1.2). */
    {"reply", CONNECTED, "reply", SILENCE | FPDU | ANSWER | ANY_TERMINATE | END, FULL, RULE_MPA_7_1_2_22, "FPDUs"},
    {"reply", CONNECTED, "reply-markers", SILENCE | FPDU | ANSWER | ANY_TERMINATE | END, FULL, RULE_MPA_7_1_2_22,
     "FPDUs"},
    {"reply", CONNECTED, "reply-257", SILENCE | FPDU | ANSWER | ANY_TERMINATE | END, FULL, RULE_MPA_7_1_2_22, "FPDUs"},
    {"reply", CONNECTED, "reply-reject", SILENCE | END, FREE, RULE_COUNT, "nothing but a close"},
    {"reply", CONNECTED, "reply-long", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_31, "a close"},
    {"reply", CONNECTED, "reply-empty", END | ANY_TERMINATE, FREE, RULE_MPA2_6_09, "a close"},
    {"reply", CONNECTED, "reply-half", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_30, "a close"},
    {"reply", CONNECTED, "write", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_05, "a close: it is no Reply"},
    {"reply", CONNECTED, "read", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_05, "a close: it is no Reply"},
    {"reply", CONNECTED, "send", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_05, "a close: it is no Reply"},
    {"reply", CONNECTED, "terminate", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_05, "a close: it is no Reply"},
    {"reply", CONNECTED, "garbage", END | ANY_TERMINATE, FREE, RULE_MPA_7_1_1_05, "a close: it is no Reply"},
    {"reply", FULL, "write", SILENCE | FPDU | END, FULL, RULE_DDP_5_2_16, "no error"},
    {"reply", FULL, "read", ANSWER | FPDU | END | ANY_TERMINATE, FULL, RULE_RDMAP_5_2_1_18,
     "a zero-length Read Response"},
    {"reply", FULL, "terminate", SILENCE | END, FREE, RULE_COUNT, "nothing but a close"},
    {"reply", FULL, "garbage", BAD_CRC, FREE, RULE_MPA_4_4_19, "a Terminate of MPA, or a close: the CRC is wrong"},
    {"reply", FULL, "send", SILENCE | FPDU | ANY_TERMINATE | END, FULL, RULE_COUNT, "no other octets"},
    {"rpc", CONNECTED, "null", SUCCESS, CONNECTED, RULE_RPCR_2_2_2_05, "a Reply"},
    {"rpc", CONNECTED, "version", ERR_VERS, CONNECTED, RULE_RPCR_4_5_1_01, "RDMA_ERROR with ERR_VERS"},
    {"rpc", CONNECTED, "proc", ERR_CHUNK, CONNECTED, RULE_RPCR_4_5_2_02, "RDMA_ERROR with ERR_CHUNK"},
    {"rpc", CONNECTED, "short", SILENCE, CONNECTED, RULE_RPCR_4_5_01, "no answer"},
    {"rpc", CONNECTED, "list", ERR_CHUNK, CONNECTED, RULE_RPCR_4_5_2_01, "RDMA_ERROR with ERR_CHUNK"},
    {"rpc", CONNECTED, "no-body", ERR_CHUNK, CONNECTED, RULE_RPCR_4_5_2_03, "RDMA_ERROR with ERR_CHUNK"},
    {"rpc", CONNECTED, "done", SILENCE, CONNECTED, RULE_RPCR_4_6_2_02, "no answer"},
    {"rpc", CONNECTED, "error", SILENCE, CONNECTED, RULE_RPCR_4_2_4_08, "no answer"},
    {"rpc", CONNECTED, "no-credit", SUCCESS | RPC_ERROR | ERR_CHUNK | SILENCE | END, CONNECTED, RULE_COUNT, "anything"},
    {"rpc", CONNECTED, "msgp", SUCCESS | RPC_ERROR | ERR_CHUNK | SILENCE, CONNECTED, RULE_RPCR_4_6_1_02,
     "RDMA_ERROR with ERR_CHUNK, or a Reply"},
    {"rpc", CONNECTED, "reply", SILENCE, CONNECTED, RULE_RPCR_2_2_2_05, "no answer"},
};

static const struct step *standard_step_of(const char *alphabet, enum state state, const char *input)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++)
        if (steps[i].state == state && strcmp(steps[i].alphabet, alphabet) == 0 && strcmp(steps[i].input, input) == 0)
            return &steps[i];
    return NULL;
}

/* A state of the device with a state of the standard. */
struct both {
    unsigned of_device;
    enum state state;
    struct word word;
};

static enum state standard_after(const struct step *step, unsigned set)
{
    /* A device that is silent when a Reply is due may still be asking its ULP. */
    if (!step || set & (END | ANY_TERMINATE | REJECTED | DEAD) || (step->allowed & ACCEPTED && !(set & ACCEPTED)))
        return FREE;
    return step->next;
}

static void standard_note(GArray *differences, const struct both *at, const struct step *step, const char *output)
{
    const struct standard_difference difference = {.word = at->word,
                                                   .output = output,
                                                   .due = step ? step->due : "a device that survives",
                                                   .rule = step ? step->rule : RULE_COUNT};

    g_array_append_val(differences, difference);
}

GArray *standard_compare(const struct machine *machine, const char *alphabet)
{
    GArray *differences = g_array_new(FALSE, FALSE, sizeof(struct standard_difference));
    g_autoptr(GArray) queue = g_array_new(FALSE, TRUE, sizeof(struct both));
    bool seen[MACHINE_STATES_MAX][STATES] = {{true}};
    struct both start = {0};

    g_array_append_val(queue, start);
    for (guint at = 0; at < queue->len; at++) {
        for (unsigned i = 0; i < machine->n_inputs; i++) {
            struct both both = g_array_index(queue, struct both, at);
            const struct machine_edge *edge = &machine->edges[both.of_device][i];
            const struct step *step = standard_step_of(alphabet, both.state, machine->inputs[i]);
            unsigned set = classes(edge->output);

            if (!word_add(&both.word, i))
                continue;
            if (set & DEAD)
                standard_note(differences, &both, NULL, edge->output);
            else if (step && set & ~step->allowed)
                standard_note(differences, &both, step, edge->output);
            both.of_device = edge->next;
            both.state = standard_after(step, set);
            if (!seen[both.of_device][both.state])
                g_array_append_val(queue, both);
            seen[both.of_device][both.state] = true;
        }
    }
    return differences;
}

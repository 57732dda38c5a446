// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/learn/inputs.h"

#include "traffic-gen/tester/suite/talk/talk.h"

#include <string.h>

/* ---- start-up and close of MPA (RFC 5044 section 7.1, RFC 6581) ---- */

static void frame(struct talk *talk, const struct learn_input *input)
{
    talk_send_frame(talk, &input->wish);
}

static void half_frame(struct talk *talk, const struct learn_input *input)
{
    talk_send_frame(talk, &input->wish);
    talk_finish(talk);
}

static void statement(struct talk *talk, const struct learn_input *input)
{
    talk_say(talk, "%s", input->says);
}

/* Has the length in its first two octets when read as an FPDU; the CRC is wrong. */
static void garbage(struct talk *talk, const struct learn_input *input)
{
    static const uint8_t octets[24] = {0,   18,  'n', 'o', ' ', 'f', 'r', 'a', 'm', 'e', ' ', 'o',
                                       'f', ' ', 'a', 'n', 'y', ' ', 'k', 'i', 'n', 'd', '!', '!'};

    (void)input;
    talk_write(talk, octets, sizeof octets);
}

static void fin(struct talk *talk, const struct learn_input *input)
{
    (void)input;
    talk_finish(talk);
}

static void rst(struct talk *talk, const struct learn_input *input)
{
    (void)input;
    talk_reset(talk);
}

static const uint8_t too_long[MPA_PRIVATE_DATA_MAX + 1];

#define PEER_TO_PEER                                                                                                   \
    {                                                                                                                  \
        .peer_to_peer = true, .rtr = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, .ird = 16, .ord = 16                 \
    }

static const struct learn_input startup[] = {
    {"request", "a Request of revision 1", frame, .wish = {.revision = 1}},
    {"request-2", "a Request of revision 2 with IRD and ORD", frame, .wish = {.revision = 2, .enhanced = true}},
    {"request-p2p", "the same with A = 1 and all types of RTR", frame,
     .wish = {.revision = 2, .enhanced = true, .data = PEER_TO_PEER}},
    {"request-markers", "a Request of revision 1 with M = 1", frame, .wish = {.revision = 1, .markers = true}},
    {"request-long", "a Request with 513 octets of Private Data, one too many", frame,
     .wish = {.revision = 1, .private_data = too_long, .private_length = sizeof too_long}},
    {"request-half", "a Request without the last 54 of its 64 octets of Private Data, then our FIN", half_frame,
     .wish = {.revision = 1, .private_data = too_long, .private_length = 64, .frame = "mpa.cut=54"}, .ends = true},
    {"write", "a zero-length Write", statement, .says = "write"},
    {"read", "a zero-length Read Request", statement, .says = "read"},
    {"send", "a Send of 64 octets", statement, .says = "send"},
    {"terminate", "a Terminate: Local Catastrophic Error", statement, .says = "term 0/0/00"},
    {"garbage", "24 octets that are no start-up frame, and no FPDU with a correct CRC", .say = garbage},
    {"fin", "our FIN", .say = fin, .ends = true},
    {"rst", "our RST", .say = rst, .ends = true},
};

/* ---- the same for an Initiator, whose Request has come ---- */

/* After an accepting Reply, right or wrong, both sides send FPDUs. */
static void inputs_reply(struct talk *talk, const struct learn_input *input)
{
    const struct mpa_startup *ours;

    if (!talk_send_frame(talk, &input->wish))
        return;
    ours = talk_frame(talk, true);
    if (!talk_is_operating(talk) && ours && !(ours->flags & MPA_FLAG_R))
        talk_begin_operation(talk);
}

enum { LONGER_THAN_SOME = 257 }; /* RFC 5044 section 7.1.1 allows 512; some RDMA stacks allow less */

static const struct learn_input replies[] = {
    {"reply", "a Reply that fits the Request", .say = inputs_reply},
    {"reply-reject", "the same with R = 1", inputs_reply, .wish = {.frame = "mpa.flags|0x20"}},
    {"reply-markers", "the same with M = 1", inputs_reply, .wish = {.markers = true}},
    {"reply-257", "the same with 257 octets of Private Data", inputs_reply,
     .wish = {.private_data = too_long, .private_length = LONGER_THAN_SOME}},
    {"reply-long", "the same with 513 octets of Private Data, one too many", inputs_reply,
     .wish = {.frame = "mpa.len=513 mpa.fill=533 mpa.filler=0"}},
    {"reply-empty", "a Reply of revision 2 with S = 1, but without IRD and ORD", inputs_reply,
     .wish = {.frame = "mpa.rev=2 mpa.flags|0x10 mpa.enhanced=0 mpa.data="}},
    {"reply-half", "a Reply without the last 54 of its 64 octets of Private Data, then our FIN", half_frame,
     .wish = {.private_data = too_long, .private_length = 64, .frame = "mpa.cut=54"}, .ends = true},
    {"write", "a zero-length Write", statement, .says = "write"},
    {"read", "a zero-length Read Request", statement, .says = "read"},
    {"send", "a Send of 64 octets", statement, .says = "send"},
    {"terminate", "a Terminate: Local Catastrophic Error", statement, .says = "term 0/0/00"},
    {"garbage", "24 octets that are no start-up frame, and no FPDU with a correct CRC", .say = garbage},
    {"fin", "our FIN", .say = fin, .ends = true},
    {"rst", "our RST", .say = rst, .ends = true},
};

/* ---- errors and credits of RPC-over-RDMA (RFC 8166 section 4.5), for a server ---- */

static const struct learn_input rpc[] = {
    {"null", "a NULL Call", .says = "call null"},
    {"no-credit", "a NULL Call that asks for 0 credits", .says = "call null credit=0"},
    {"version", "a NULL Call with rdma_vers 2", .says = "call null h.vers=2"},
    {"proc", "a NULL Call with rdma_proc 5", .says = "call null h.proc=5"},
    {"short", "a Send of 24 octets", .says = "call null cut=24"},
    {"list", "a Call whose Read list cannot be decoded", .says = "call null @h16=2"},
    {"no-body", "an RDMA_NOMSG without any chunk", .says = "call null bare h.proc=1"},
    {"msgp", "a NULL Call as RDMA_MSGP", .says = "call null h.proc=2"},
    {"done", "an RDMA_DONE", .says = "done"},
    {"error", "an RDMA_ERROR with ERR_CHUNK", .says = "error chunk"},
    {"reply", "a Reply to nothing", .says = "reply null"},
    {"fin", "our FIN", .say = fin, .ends = true},
    {"rst", "our RST", .say = rst, .ends = true},
};

const struct learn_alphabet learn_alphabets[] = {
    {"startup", "MPA's start-up and close, for a Responder", startup, G_N_ELEMENTS(startup), .rpc = false},
    {"rpc", "errors of RPC-over-RDMA, for a server", rpc, G_N_ELEMENTS(rpc), .rpc = true},
    {"reply", "MPA's start-up and close, for an Initiator", replies, G_N_ELEMENTS(replies), .initiator = true},
};
const unsigned learn_alphabets_n = G_N_ELEMENTS(learn_alphabets);

const struct learn_alphabet *learn_alphabet(const char *name)
{
    for (unsigned i = 0; i < learn_alphabets_n; i++)
        if (strcmp(learn_alphabets[i].name, name) == 0)
            return &learn_alphabets[i];
    return NULL;
}

static const struct learn_input *input_named(const struct learn_alphabet *alphabet, const char *name)
{
    for (unsigned i = 0; i < alphabet->n; i++)
        if (strcmp(alphabet->inputs[i].name, name) == 0)
            return &alphabet->inputs[i];
    return NULL;
}

bool learn_alphabet_choose(const struct learn_alphabet *whole, const char *names, struct learn_input *inputs,
                           struct learn_alphabet *out, char **unknown)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", -1);

    *out = *whole;
    out->inputs = inputs;
    out->n = 0;
    for (unsigned i = 0; parts[i]; i++) {
        const struct learn_input *input = input_named(whole, parts[i]);

        if (!input || (out->n > 0 && input_named(out, parts[i]))) {
            *unknown = g_strdup(parts[i]);
            return false;
        }
        inputs[out->n++] = *input;
    }
    return out->n > 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Random Calls and Replies of NFS: what RFC 8166, RFC 8267 and RFC 8797 leave to the ends. */
#include "traffic-gen/explore/simulate/choose.h"

#include <string.h>

enum {
    SLOTS = 16,      /* slots of a session; its backchannel has half of them */
    CALLS_MAX = 16,  /* Calls of a side without a Reply */
    REPLY_ROOM = 700 /* octets of an NFS message beside its data, at most */
};

/* How the octets of the Call's last number travel. */
enum data { NO_DATA, RESULT, ARGUMENT };

struct phrase {
    const char *call, *reply;
    enum data data;
};

static const struct phrase nfs23[] = {
    {"nfs3.{getattr|null|lookup|fsinfo|remove|commit|access|rename}", "{||denied|accept=5|accept=3}", NO_DATA},
    {"{nfs2.getattr|nfs2.create|nfs2.statfs|nlm4.lock|nlm4.unlock|mount3.mnt|nsm1.notify}", "{||denied|accept=5}",
     NO_DATA},
    {"nfs3.read count={len}", "{||len=0 eof=1|status=5}", RESULT},
    {"nfs3.write len={len}", "{|||status=28}", ARGUMENT},
    {"nfs3.symlink len={1-1000}", "", ARGUMENT},
    {"nfs3.readlink write=1024", "len={1-999}", NO_DATA},
    {"nfs3.readdir count=32768 reply=20000+13500", "{entries=3|entries=3 long|entries=100|status=10003}", NO_DATA},
    {"nfs2.read count={1-8191}", "{||len=0|status=5}", RESULT},
    {"nfs2.write len={1-8191}", "", ARGUMENT},
    {"nfs2.symlink len={1-999}", "", ARGUMENT},
    {"nfsacl3.getacl reply=16000+384", "aclcnt={1-300}", NO_DATA},
    {"nfsacl3.setacl aclcnt={1-30}", "", NO_DATA},
    {"nfs3.read cred=gss:1 count={len} write={cut}", "", NO_DATA},
    {"nfs3.read cred=gss:{2|3} count={len} reply={cut+700}", "", NO_DATA},
    {"nfs3.write cred=gss:1 len={len} read={cut}", "", NO_DATA},
    {"nfs3.write cred=gss:{2|3} len={len} pz", "", NO_DATA},
};

static const struct phrase nfs4[] = {
    {"{version}.compound ops=sequence:{slot},putfh,{getattr|lookup,getfh|open,getfh,getattr|close|setattr|remove}", "",
     NO_DATA},
    {"{version}.compound ops=sequence:{slot},{putfh,access,getattr|putfh,lock|putfh,savefh,putfh,rename}", "", NO_DATA},
    {"{version}.compound ops=sequence:{slot},putfh,read:{len},getattr",
     "{|||results=3 status=5|results=1 status=10052}", RESULT},
    {"{version}.compound ops=sequence:{slot},putfh,write:{len},getattr", "", ARGUMENT},
    {"{version}.compound ops=sequence:{slot},putfh,create:len={1-1000},getfh,getattr", "", ARGUMENT},
    {"{version}.compound ops=sequence:{slot},putfh,readdir:16384 reply=17000+500", "entries={0-99}", NO_DATA},
    {"{version}.compound ops=sequence:{slot},putfh,readlink,getattr write=4096",
     "{len=100|len=2000|results=3 status=22}", NO_DATA},
    {"{version}.compound ops=sequence:{slot},putfh,write:{len},getattr,read:{n} read={cut} write={cut}", "", NO_DATA},
};

static const struct phrase callback = {"{version}.cb_compound ops=cb_sequence:{slot},cb_recall", "", NO_DATA};

struct waiting {
    bool pulls, pulled; /* it has Read chunks; they were read */
    bool offers;        /* memory, which a Reply may invalidate */
    int slot;           /* -1: none */
    const char *reply;
};

struct speech {
    struct phrasing *phrasing;
    GString *out;
    struct waiting waiting[2][CALLS_MAX]; /* by the caller's side */
    unsigned n_waiting[2];
    unsigned granted[2];
    unsigned slots[2]; /* a bit for each one in use */
    unsigned inline_size;
    const char *version, *callback_version;
    bool invalidation;
};

/* ---- Calls ---- */

static void rpc_begin(struct speech *speech)
{
    static const unsigned sizes[] = {1024, 1024, 2048, 4096, 4096, 16384};
    struct phrasing *phrasing = speech->phrasing;

    speech->inline_size = sizes[phrase_below(phrasing, G_N_ELEMENTS(sizes))];
    speech->invalidation = phrase_chance(phrasing, 0.7);
    g_string_append(speech->out, "with rpcrdma");
    if (speech->inline_size == 1024 && phrase_chance(phrasing, 0.5)) {
        g_string_append(speech->out, " no-private-data");
        speech->invalidation = false;
    } else {
        g_string_append_printf(speech->out, " inline=%u", speech->inline_size);
        if (!speech->invalidation)
            phrase_append(speech->out, phrasing, " {r=0|rI=0|rR=0}");
    }
    phrase_append(speech->out, phrasing, "{|||| pd-at={3-9}| mulpdu=288 mss=300| mulpdu=1099 mss=1111}");
}

static int choose_slot(struct speech *speech, unsigned side)
{
    unsigned n = side == INITIATOR ? SLOTS : SLOTS / 2, slot;

    do
        slot = phrase_below(speech->phrasing, n);
    while (speech->slots[side] & 1U << slot);
    speech->slots[side] |= 1U << slot;
    return (int)slot;
}

/* The chunks for the data, unless the data must or shall be inline. */
static void append_chunks(struct speech *speech, enum data data)
{
    struct phrasing *phrasing = speech->phrasing;
    bool large = phrasing->n + REPLY_ROOM > speech->inline_size;

    if (data == RESULT && (large || phrase_chance(phrasing, 0.5)))
        phrase_append(speech->out, phrasing, " write={cut}");
    if (data == ARGUMENT && (large || phrase_chance(phrasing, 0.5)))
        phrase_append(speech->out, phrasing, phrase_chance(phrasing, 0.7) ? " read={cut}" : " pz");
}

static void rpc_call(struct speech *speech, unsigned side)
{
    struct phrasing *phrasing = speech->phrasing;
    bool old = side == INITIATOR && phrase_chance(phrasing, 0.5);
    struct waiting *waiting = &speech->waiting[side][speech->n_waiting[side]++];
    const struct phrase *phrase = side == RESPONDER ? &callback
                                  : old             ? &nfs23[phrase_below(phrasing, G_N_ELEMENTS(nfs23))]
                                                    : &nfs4[phrase_below(phrasing, G_N_ELEMENTS(nfs4))];
    size_t before;

    *waiting = (struct waiting){.slot = old ? -1 : choose_slot(speech, side), .reply = phrase->reply};
    phrasing->slot = (unsigned)MAX(waiting->slot, 0);
    phrasing->version = side == RESPONDER ? speech->callback_version : speech->version;
    g_string_append_printf(speech->out, "; %c call ", "IR"[side]);
    before = speech->out->len;
    phrase_append(speech->out, phrasing, phrase->call);
    append_chunks(speech, phrase->data);
    waiting->pulls = strstr(speech->out->str + before, " read=") || strstr(speech->out->str + before, " pz");
    waiting->offers =
        waiting->pulls || strstr(speech->out->str + before, " write=") || strstr(speech->out->str + before, " reply=");
    if (phrase_chance(phrasing, 0.2))
        phrase_append(speech->out, phrasing, " credit={17|32|128}");
    if (phrase_chance(phrasing, 0.05))
        phrase_append(speech->out, phrasing, " wait={1-9000}");
}

/* ---- Replies ---- */

static void rpc_reply(struct speech *speech, unsigned side, unsigned index)
{
    struct phrasing *phrasing = speech->phrasing;
    struct waiting *waiting = &speech->waiting[side][index];
    unsigned n = --speech->n_waiting[side];

    if (waiting->pulls && !waiting->pulled) {
        g_string_append_printf(speech->out, "; R pull of=%u", index);
        phrase_append(speech->out, phrasing, "{|||| parts=1000| parts=512}");
    }
    g_string_append_printf(speech->out, "; %c reply of=%u ", "RI"[side], index);
    phrase_append(speech->out, phrasing, waiting->reply);
    if (side == INITIATOR && waiting->offers && speech->invalidation && phrase_chance(phrasing, 0.3))
        g_string_append(speech->out, " inv");
    phrase_append(speech->out, phrasing, "{|||||||| se| backward}");
    speech->granted[side] = MAX(n + 2, phrase_chance(phrasing, 0.5) ? 32 : 4);
    g_string_append_printf(speech->out, " credit=%u", speech->granted[side]);
    if (waiting->slot >= 0)
        speech->slots[side] &= ~(1U << waiting->slot);
    memmove(waiting, waiting + 1, (n - index) * sizeof *waiting);
}

/* The connection breaks; all Calls without a Reply are repeated on the next one. */
static void rpc_reconnect(struct speech *speech)
{
    while (speech->n_waiting[RESPONDER] > 0)
        rpc_reply(speech, RESPONDER, 0);
    phrase_append(speech->out, speech->phrasing, "; {I rst|R close}; next");
    speech->phrasing->version = speech->version;
    speech->granted[INITIATOR] = speech->granted[RESPONDER] = 1;
    for (unsigned i = 0; i < speech->n_waiting[INITIATOR]; i++)
        speech->waiting[INITIATOR][i].pulled = false;
    while (speech->n_waiting[INITIATOR] > 0) {
        g_string_append(speech->out, "; I again");
        rpc_reply(speech, INITIATOR, 0);
    }
    phrase_append(speech->out, speech->phrasing,
                  "; I call {version}.compound ops=bind_conn_to_session; R reply credit=32");
    speech->granted[INITIATOR] = 32;
}

/* Whether the side has a credit. A client keeps one for a check whether its server is alive (RFC 8267 section 6.7.2).
 */
static bool may_call(const struct speech *speech, unsigned side)
{
    unsigned most = side == INITIATOR ? CALLS_MAX : SLOTS / 2, granted = speech->granted[side];

    return speech->n_waiting[side] < MIN(granted == 1 ? 1 : granted - 1, most);
}

char *choose_rpc(struct phrasing *phrasing, unsigned calls)
{
    struct speech speech = {.phrasing = phrasing, .out = g_string_new(NULL), .granted = {1, 1}};
    unsigned steps = phrase_below(phrasing, 2 * calls + 1);
    unsigned breaks = phrase_chance(phrasing, 0.15) ? phrase_below(phrasing, steps + 1) : steps;
    bool both = phrase_chance(phrasing, 0.4), minor_2 = phrase_chance(phrasing, 0.3);

    speech.version = minor_2 ? "nfs42" : "nfs41";
    speech.callback_version = minor_2 ? "cb42" : "cb41";
    phrasing->version = speech.version;
    rpc_begin(&speech);
    phrase_append(speech.out, phrasing,
                  "; I call {version}.compound ops=exchange_id; R reply"
                  "; I call {version}.compound ops=create_session; R reply credit=32");
    speech.granted[INITIATOR] = 32;
    for (unsigned i = 0; i < steps; i++) {
        unsigned side = both && phrase_chance(phrasing, 0.3);

        if (i == breaks)
            rpc_reconnect(&speech);
        if (may_call(&speech, side) && phrase_chance(phrasing, 0.6))
            rpc_call(&speech, side);
        else if (speech.n_waiting[side] > 0)
            rpc_reply(&speech, side, phrase_below(phrasing, speech.n_waiting[side]));
    }
    for (unsigned side = 0; side < 2; side++) {
        while (speech.n_waiting[side] > 0)
            rpc_reply(&speech, side, phrase_below(phrasing, speech.n_waiting[side]));
    }
    return g_string_free(speech.out, FALSE);
}

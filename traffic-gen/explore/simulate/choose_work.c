// SPDX-License-Identifier: GPL-2.0-or-later
/* Random work of real ends: the messages, and everything that the standards prescribe, are theirs. */
#include "traffic-gen/explore/simulate/choose.h"

enum { ROUNDS_MAX = 4, POSTS_MAX = 4, JOBS_MAX = 8 };

/* Each side's memory is the same; nobody but the peer writes to the inbox, and the sink is for this side's Reads. */
static const char queue_pairs[] =
    "with work {rev1|rev1 no-crc|rev2|rev2|rev2 rtrI=1 rtrR=1|rev2 rtrI=4 rtrR=4} markersI={0|0|1} "
    "markersR={0|0|1} irdI=8 ordI=8 irdR=8 ordR=8{||| mss=300| mss=700}\n"
    "memory inbox len=8192 to={0|0x4000|18446744073709543424} rights=read+write\n"
    "memory words len=64 to=0x9000 rights=read+atomic\n"
    "memory sink len=8192 to=0x100 rights=none\n";

static const char *const posts[] = {
    "send{|-se} len={0-3000}",
    "send len={0-3000} from=inbox+{0-1000}",
    "write len={0-3000} to=inbox+{0-5000}",
    "read len={0-3000} from=inbox+{0-5000} into=sink+{0-5000}",
    "read len={0-64} from=words into=sink+{0-5000}",
    "fadd data={any} mask={0|{any}} at=words+{0|8|16|56}",
    "cswap data={any} cdata={0|1} cmask={0|255} at=words+{0|8|16|56}",
    "imm{|-se} data={any}",
};

static const char *const jobs[] = {
    "null",
    "statfs /",
    "getattr not/there expect=NOENT",
    "mkdir m{slot}",
    "write f{slot} len={0-9000} pattern={slot}\nI read f{slot} pattern={slot}\nI getattr f{slot}",
    "write f{slot} len={2000-9000} pattern={slot}\nI truncate f{slot} len={1-2000}\nI read f{slot} pattern={slot}",
    "symlink l{slot} text=short\nI readlink l{slot} text=short",
    "mkdir d{slot}\nI files d{slot} count={1-12}\nI list d{slot}",
    "write f{slot} len={0-900} pattern={slot}\nI rename f{slot} to=g{slot}\nI remove g{slot}",
};

char *choose_work(struct phrasing *phrasing, bool nfs)
{
    GString *out = g_string_new(NULL);

    if (nfs) {
        phrase_append(out, phrasing,
                      "with work nfs={2|3|4.0|4.1|4.1 backchannel|4.2} io={1024|4096|8192} in-flight={1|3|8}"
                      "{|| calls=long| calls=reduced}{||| remote-invalidation=0}{|| credits=2}");
        for (unsigned n = 1 + phrase_below(phrasing, JOBS_MAX); n > 0; n--) {
            phrasing->slot = 1000 + n; /* no two jobs have the same file */
            g_string_append(out, "\nI ");
            phrase_append(out, phrasing, jobs[phrase_below(phrasing, G_N_ELEMENTS(jobs))]);
        }
        return g_string_free(out, FALSE);
    }
    phrase_append(out, phrasing, queue_pairs);
    for (unsigned round = 1 + phrase_below(phrasing, ROUNDS_MAX); round > 0; round--) {
        for (unsigned side = 0; side < 2; side++) {
            /* The Initiator speaks first, and a round of the Responder begins with it. */
            for (unsigned n = 1 + phrase_below(phrasing, POSTS_MAX), i = 0; i < n; i++) {
                g_string_append_printf(out, "%c ", "IR"[side]);
                phrase_append(out, phrasing, posts[phrase_below(phrasing, G_N_ELEMENTS(posts))]);
                g_string_append(out, i > 0 ? "\n" : side == 0 ? " acked\n" : " early\n");
            }
        }
    }
    return g_string_free(out, FALSE);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults: each breaks one rule in an otherwise conforming conversation, and is registered under the id of that rule.
 *
 * For rules about reactions there are two: ID, where the stimulus is answered wrongly, and ID+ok, where it is
 * answered as the standard says: perhaps by its scenario as it is. ID/name is another way to break the same rule.
 * They are written in rules/LAYER.cases, beside the catalogue, and made into C at build time.
 */
#ifndef IWARP_TRAFFIC_FAULTS_FAULT_H
#define IWARP_TRAFFIC_FAULTS_FAULT_H

#include "traffic-gen/say/conversation.h"

struct fault {
    const char *id;
    const char *scenario; /* it is made for; a deviation is possible in any other that has the place */
    const char *summary;
    const char *also; /* ids of findings that the stimulus itself gives rise to, comma-separated; NULL: none */
    /* One of these, or none: then the scenario itself has the stimulus and the proper answer. */
    const char *deviation; /* in the scenario (traffic-gen/say/deviation.h) */
    const char *script;    /* instead of the scenario (traffic-gen/say/script.h) */

    const char *not_on_roce; /* why it cannot be shown there, where its layer can; NULL: it can */
};

extern const struct fault fault_rows[]; /* id NULL ends */

/* All faults, in the order of the files. */
const struct fault *fault_at(unsigned index); /* NULL past the end */
/* Rules that others state, or are judged along with: faults are registered under those. */
struct fault_alias {
    const char *id, *others; /* comma-separated */
};
extern const struct fault_alias fault_aliases[]; /* id NULL ends */

/* By its id, or by that of a rule that states the same; NULL: there is none. */
const struct fault *fault_find(const char *id);

/* "MPA", "DDP", "RDMAP" when it breaks a rule of that, which is not on RoCE; else NULL. */
const char *fault_layer_below(const struct fault *fault);
#endif

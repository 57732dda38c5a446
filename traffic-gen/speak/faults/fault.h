/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults: each breaks one rule in an otherwise conforming conversation, and is registered under the id of that rule.
 *
 * For rules about reactions there are two: ID, with a wrong answer to the stimulus, and ID+ok, with the answer that the
 * standard requires (perhaps its scenario unchanged). ID/name is another way to break the same rule. rules/LAYER.cases,
 * beside the catalogue, has the faults; the build turns them into C.
 */
#ifndef IWARP_TRAFFIC_SPEAK_FAULTS_FAULT_H
#define IWARP_TRAFFIC_SPEAK_FAULTS_FAULT_H

#include "traffic-gen/speak/say/conversation.h"

struct fault {
    const char *id;
    const char *scenario; /* its own scenario; a deviation works in any other scenario with a suitable place */
    const char *summary;
    const char *also; /* ids of findings that the stimulus itself causes, separated by commas; NULL: none */
    /* At most one of these is set; without either, the scenario itself has the stimulus and the proper answer. */
    const char *deviation; /* made in the scenario (traffic-gen/speak/say/deviation.h) */
    const char *script;    /* replaces the scenario (traffic-gen/speak/say/script.h) */

    const char *not_on_roce; /* why RoCE cannot show it, although its layer exists there; NULL: it can */
};

extern const struct fault fault_rows[]; /* ends with id NULL */

/* All faults, in the order of the files. */
const struct fault *fault_at(unsigned index); /* NULL past the end */
/* Rules with the same requirement as other rules, or judged with them: faults are registered under the others. */
struct fault_alias {
    const char *id, *others; /* separated by commas */
};
extern const struct fault_alias fault_aliases[]; /* ends with id NULL */

/* Finds a fault by its id, or by that of an equivalent rule; NULL: unknown. */
const struct fault *fault_find(const char *id);

/* "MPA", "DDP", "RDMAP" when it breaks a rule of that layer, which RoCE lacks; else NULL. */
const char *fault_layer_below(const struct fault *fault);
#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across_sought.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A question younger than this may still be answered. */
static const int64_t patience_ns = INT64_C(1000000000);

void sought_answered(struct sought *sought, const struct question *question, enum rpcbind_answer answer, uint16_t port,
                     const struct lookup_place *place)
{
    const uint32_t version = UINT32_C(1) << question->program_version, transport = UINT32_C(1) << question->transport;
    bool lacking = answer == RPCBIND_NOT_REGISTERED;

    INVARIANT(question->program_version < 32 && question->transport < 32);

    sought->latest_ns = place->time_ns;
    if (lacking && sought->offered && !(sought->versions & version && sought->transports & transport))
        return;
    if (!lacking || !sought->lacking)
        *sought = (struct sought){.lacking = lacking,
                                  .offered = !lacking,
                                  .port = port,
                                  .asked = question->first,
                                  .answered = {.frame = place->frame, .time_ns = place->time_ns},
                                  .latest_ns = place->time_ns};
    sought->versions |= version;
    sought->transports |= transport;
    INVARIANT(sought->lacking != sought->offered && sought->versions != 0 && sought->transports != 0);
}

/* ---- words ---- */

static __attribute__((format(printf, 3, 4))) void sought_append(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + at, size - at, format, arguments);
    va_end(arguments);
}

static void sought_name(struct ulp_sought *told, enum nfs_sought what, uint32_t versions, uint32_t transports)
{
    static const char *const of_transport[] = {[RPCBIND_FOR_TCP] = "TCP",
                                               [RPCBIND_FOR_UDP] = "UDP",
                                               [RPCBIND_FOR_RDMA] = "netid rdma",
                                               [RPCBIND_FOR_RDMA6] = "netid rdma6"};
    bool one = (versions & (versions - 1)) == 0;
    const char *before = one ? " version " : " (versions ";

    told->rdma = what == NFS_SOUGHT_RDMA;
    snprintf(told->program, sizeof told->program, "%s", nfs_sought_name(what));
    told->transport[0] = '\0';
    for (unsigned i = 0; i < 32; i++) {
        if (!(versions >> i & 1))
            continue;
        sought_append(told->program, sizeof told->program, "%s%u", before, i);
        before = ", ";
    }
    if (!one)
        sought_append(told->program, sizeof told->program, ")");
    before = "";
    for (unsigned i = 0; i < RPCBIND_FOR_OTHERS; i++) {
        if (!(transports >> i & 1))
            continue;
        sought_append(told->transport, sizeof told->transport, "%s%s", before, of_transport[i]);
        before = ", ";
    }
}

/* ---- outcome ---- */

/*
 * Finds questions since the latest answer. At least one question must be a repetition, because its first copy was never
 * answered.
 */
static bool is_unanswered(const struct sought *sought, enum nfs_sought what, const struct question *questions,
                          unsigned n, int64_t now_ns, struct ulp_sought *told)
{
    bool answered = sought->lacking || sought->offered, again = false;
    uint32_t versions = 0, transports = 0;

    told->times = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct question *question = &questions[i];

        if (question->sought != what || question->answered || question->perhaps || question->ambiguous ||
            (answered && question->first.time_ns <= sought->latest_ns))
            continue;
        if (told->times == 0 || question->first.time_ns < told->asked.time_ns)
            told->asked = question->first;
        if (told->times == 0 || question->last.time_ns > told->asked_last.time_ns)
            told->asked_last = question->last;
        told->times += question->times;
        again |= question->times > 1;
        versions |= UINT32_C(1) << question->program_version;
        transports |= UINT32_C(1) << question->transport;
    }
    INVARIANT(!again || (told->times > 1 && versions != 0 && transports != 0));
    if (!again || now_ns - told->asked.time_ns < patience_ns)
        return false;
    told->how = ULP_SOUGHT_UNANSWERED;
    sought_name(told, what, versions, transports);
    return true;
}

bool sought_outcome(const struct sought *sought, enum nfs_sought what, const struct question *questions, unsigned n,
                    int64_t now_ns, struct ulp_sought *told)
{
    if (is_unanswered(sought, what, questions, n, now_ns, told))
        return true;
    if (!sought->lacking && !sought->offered)
        return false;
    told->how = sought->lacking ? ULP_SOUGHT_LACKING : ULP_SOUGHT_FOUND;
    told->asked = told->asked_last = sought->asked;
    told->answered = sought->answered;
    told->port = sought->port;
    told->times = 1;
    INVARIANT(sought->versions != 0 && sought->transports != 0);
    sought_name(told, what, sought->versions, sought->transports);
    return true;
}

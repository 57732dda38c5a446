// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs only for real ends, which receive work to do (traffic-gen/scenario/work_read.h). */
#include "traffic-gen/speak/say/verb.h"

static void refuse_work(struct saying *s)
{
    words_refuse_because(&s->words, s->verb->name, "it is for real ends, in a scenario that begins with 'with work'");
}

#define WORK(NAME)                                                                                                     \
    {                                                                                                                  \
        .name = (NAME), .say = refuse_work                                                                             \
    }

const struct verb work_verbs[] = {
    {.name = "memory", .say = refuse_work, .of_both = true},
    WORK("receives"),
    WORK("null"),
    WORK("mkdir"),
    WORK("files"),
    WORK("list"),
    WORK("getattr"),
    WORK("access"),
    WORK("truncate"),
    WORK("symlink"),
    WORK("readlink"),
    WORK("rename"),
    WORK("link"),
    WORK("remove"),
    WORK("rmdir"),
    WORK("statfs"),
    WORK("remove-files"),
    WORK("change"),
    {.name = NULL},
};

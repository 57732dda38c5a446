// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

void mpa_judge_fpdu_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    (void)mpa, (void)side, (void)event;
}

void mpa_judge_content_finish(struct mpa_connection *mpa)
{
    (void)mpa;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

void mpa_judge_negotiation(struct mpa_connection *mpa)
{
    (void)mpa;
}

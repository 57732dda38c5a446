// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

void mpa_judge_startup(struct mpa_connection *mpa, unsigned side)
{
    (void)mpa, (void)side;
}

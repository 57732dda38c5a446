// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/plan.h"

uint32_t plan_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static enum plan_answer plan_answer_to(uint32_t flags)
{
    if (flags & ADVERT_SILENT)
        return PLAN_SILENCE;
    if (flags & ADVERT_REJECT_DATA)
        return PLAN_REJECT_WITH_DATA;
    return flags & ADVERT_REJECT ? PLAN_REJECT : PLAN_ACCEPT;
}

struct plan target_plan_make(const struct target_options *options, const uint8_t *p, size_t n)
{
    struct plan plan = {.receives = options->receives, .size = options->size, .echo = !options->sink};
    struct advert_wish wish;

    if (p && advert_wish_decode(&wish, p, n))
        plan = (struct plan){plan_answer_to(wish.flags), wish.receives, wish.size, wish.flags & ADVERT_ECHO};
    plan.receives = plan_least(plan.receives, PLAN_RECEIVES_MAX);
    plan.size = plan_least(plan.size, PLAN_SIZE_MAX);
    if (plan.size > 0)
        plan.receives = plan_least(plan.receives, PLAN_MEMORY_MAX / plan.size);
    return plan;
}

bool plan_is_question(const uint8_t *p, size_t n, bool *echo)
{
    struct advert_wish wish;

    if (n != ADVERT_WISH_LEN || !advert_wish_decode(&wish, p, n))
        return false;
    *echo = wish.flags & ADVERT_ECHO;
    return true;
}

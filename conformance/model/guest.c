// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/guest.h"

const struct guest_face *guest_face_of(const struct ulp_kind *kind)
{
    for (const struct guest_face *const *face = guest_faces; kind && *face; face++)
        if ((*face)->kind == kind || !(*face)->kind)
            return *face;
    return NULL;
}

gchar *guest_titles_judged(void)
{
    GString *titles = g_string_new(NULL);

    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->judged)
            g_string_append_printf(titles, "%s%s", titles->len > 0 ? " or " : "", (*face)->kind->title);
    return g_string_free(titles, FALSE);
}

struct report_guest report_guest_take(const struct ulp_kind *kind, void *guest, unsigned initiator)
{
    const struct guest_face *face = guest ? guest_face_of(kind) : NULL;
    void *report = face ? face->take(kind, guest, initiator) : NULL;

    return (struct report_guest){report ? face : NULL, report};
}

void report_guest_free(struct report_guest *guest)
{
    if (guest->face)
        guest->face->free(guest->report);
    *guest = (struct report_guest){NULL, NULL};
}

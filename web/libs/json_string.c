// SPDX-License-Identifier: GPL-2.0-or-later
/* json-glib's writing of texts. */
#include <json-glib/json-glib.h>

#include <string.h>

struct _JsonNode {
    gchar *text;
};

JsonNode *json_node_alloc(void)
{
    return g_new0(JsonNode, 1);
}

JsonNode *json_node_init_string(JsonNode *node, const char *text)
{
    node->text = g_strdup(text);
    return node;
}

void json_node_unref(JsonNode *node)
{
    g_free(node->text);
    g_free(node);
}

char *json_to_string(JsonNode *node, gboolean pretty)
{
    static const char special[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    GString *out = g_string_new("\"");

    (void)pretty;
    for (const char *p = node->text; *p; p++) {
        const char *known = strchr(special, *p);

        if (known)
            g_string_append_printf(out, "\\%c", letters[known - special]);
        else if ((guchar)*p < 0x20 || *p == 0x7F)
            g_string_append_printf(out, "\\u%04x", (guchar)*p);
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}

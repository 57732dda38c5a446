// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/page.h"

extern const char page_css[]; /* support/page.css */

static gchar *page_source_of(const char *text)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize n = sizeof digest;
    gchar *base64, *source;

    g_checksum_update(checksum, (const guchar *)text, -1);
    g_checksum_get_digest(checksum, digest, &n);
    g_checksum_free(checksum);
    base64 = g_base64_encode(digest, n);
    source = g_strdup_printf("'sha256-%s'", base64);
    g_free(base64);
    return source;
}

/* Only this style and this script apply: a script smuggled in by a capture or a device would not run. */
static void write_policy(xmlTextWriter *writer, const char *style, const char *script)
{
    gchar *style_source = page_source_of(style), *script_source = script ? page_source_of(script) : g_strdup("'none'");
    gchar *policy =
        g_strdup_printf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
                        style_source, script_source);

    markup_void(writer, "meta", "http-equiv", "Content-Security-Policy", "content", policy, NULL);
    g_free(policy);
    g_free(style_source);
    g_free(script_source);
}

static void write_raw(xmlTextWriter *writer, const char *name, const char *text)
{
    markup_begin(writer, name, NULL);
    xmlTextWriterWriteRaw(writer, BAD_CAST text);
    markup_end(writer);
}

xmlTextWriter *page_open(const struct page *page, FILE *out)
{
    xmlTextWriter *writer = xmlNewTextWriter(xmlOutputBufferCreateFile(out, NULL));
    gchar *style = g_strconcat(page_css, page->style, NULL);

    xmlTextWriterWriteRaw(writer, BAD_CAST "<!DOCTYPE html>\n");
    markup_begin(writer, "html", "lang", "en", NULL);
    markup_begin(writer, "head", NULL);
    markup_void(writer, "meta", "charset", "utf-8", NULL);
    write_policy(writer, style, page->script);
    markup_void(writer, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1", NULL);
    markup_void(writer, "meta", "name", "color-scheme", "content", "light dark", NULL);
    markup_void(writer, "meta", "name", "generator", "content", page->generator, NULL);
    markup_element(writer, "title", NULL, "%s", page->title);
    write_raw(writer, "style", style);
    markup_end(writer);
    markup_begin(writer, "body", NULL);
    g_free(style);
    return writer;
}

void page_begin_tools(xmlTextWriter *writer, const char *placeholder)
{
    markup_begin(writer, "form", "id", "tools", "role", "search", "hidden", "hidden", NULL);
    markup_begin(writer, "label", NULL);
    markup_text(writer, "Search ");
    markup_void(writer, "input", "type", "search", "id", "search", "placeholder", placeholder, "autocomplete", "off",
                NULL);
    markup_end(writer);
}

void page_select(xmlTextWriter *writer, const char *label, const char *const (*options)[2], size_t n)
{
    markup_begin(writer, "label", NULL);
    markup_text(writer, label);
    markup_begin(writer, "select", "id", "outcome", NULL);
    for (size_t i = 0; i < n; i++) {
        markup_begin(writer, "option", "value", options[i][0], NULL);
        markup_text(writer, options[i][1]);
        markup_end(writer);
    }
    markup_end(writer);
    markup_end(writer);
}

void page_end_tools(xmlTextWriter *writer)
{
    markup_begin(writer, "output", "id", "shown", "aria-live", "polite", NULL);
    markup_end(writer);
    markup_end(writer);
}

void page_close(const struct page *page, xmlTextWriter *writer)
{
    if (page->script)
        write_raw(writer, "script", page->script);
    markup_end(writer);
    markup_end(writer);
    xmlTextWriterWriteRaw(writer, BAD_CAST "\n");
    xmlFreeTextWriter(writer);
}

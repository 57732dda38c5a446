// SPDX-License-Identifier: GPL-2.0-or-later
// Search and filters. The page is XML, too: no ampersand and no less-than sign in here.
"use strict";
(function () {
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const tools = document.getElementById("tools");
  const search = document.getElementById("search");
  const outcome = document.getElementById("outcome");
  const shown = document.getElementById("shown");
  const boxes = all("input[type=checkbox]", tools);
  const articles = all("article.connection").map((element) => ({
    element,
    text: element.querySelector("h3").textContent.toLowerCase(),
    groups: all(".group", element).map((group) => ({
      element: group, kind: group.dataset.class, text: group.textContent.toLowerCase(),
    })),
  }));
  const rows = all(".matrix tbody tr").map((element) => ({
    element, outcome: element.dataset.outcome, text: element.textContent.toLowerCase(),
  }));
  const groups = articles.reduce((sum, article) => sum + article.groups.length, 0);

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
    const narrowed = words.length + (kinds.length === boxes.length ? 0 : 1) > 0;
    const has = (text) => words.every((word) => text.includes(word));
    let visible = 0;

    for (const article of articles) {
      let here = 0;
      for (const group of article.groups) {
        const on = kinds.includes(group.kind) ? has(article.text + " " + group.text) : false;
        group.element.hidden = !on;
        here += on ? 1 : 0;
      }
      article.element.hidden = narrowed ? here === 0 : false;
      visible += here;
    }
    for (const row of rows)
      row.element.hidden = outcome.value !== "" ? row.outcome !== outcome.value || !has(row.text) : !has(row.text);
    shown.textContent = visible + " of " + groups + (groups === 1 ? " group of findings shown" : " groups of findings shown");
  }

  // A closed part would not be on paper.
  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const part of all("details.start:not([open]), details.about:not([open])")) {
      if (opened.length === 200)
        return;
      part.open = true;
      opened.push(part);
    }
  });
  window.addEventListener("afterprint", () => {
    while (opened.length > 0)
      opened.pop().open = false;
  });
  tools.addEventListener("input", apply);
  tools.addEventListener("submit", (event) => event.preventDefault());
  // report.html#q=MPA-4.3 is a link to what was searched for.
  function fromAddress() {
    if (location.hash.startsWith("#q="))
      search.value = decodeURIComponent(location.hash.slice(3));
    apply();
  }
  window.addEventListener("hashchange", fromAddress);
  tools.hidden = false;
  fromAddress();
}());

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
  // A diagram shows the rules of its neighbours, too: these are not what the entry is about.
  const textOf = (group) => {
    const copy = group.cloneNode(true);
    all(".ladder .rule", copy).forEach((mark) => mark.remove());
    return copy.textContent.toLowerCase();
  };
  const articles = all("article.connection").map((element) => ({
    element,
    text: element.querySelector("h3").textContent.toLowerCase(),
    groups: all(".group", element).map((group) => ({
      element: group, kind: group.dataset.class, text: textOf(group),
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
    shown.textContent = visible + " of " + groups + (groups === 1 ? " entry shown" : " entries shown");
  }

  // A click on the head of a column sorts by it.
  const value = (row, column) => {
    const text = row.cells[column].textContent, number = Number(text.replace(/,/g, ""));
    return Number.isNaN(number) ? text : number;
  };
  const rank = { error: 0, warning: 1, note: 2, waived: 3, fail: 0, unreadable: 1, "nothing checked": 2, pass: 3 };
  const compare = (a, b) => {
    if (a in rank) return rank[a] - rank[b];
    return typeof a === "number" ? b - a : a.localeCompare(b, "en", { numeric: true });
  };
  for (const table of all("table.sortable")) {
    const heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const again = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
        const rows = Array.from(body.rows).map((row) => ({ row, key: value(row, column) }));
        rows.sort((a, b) => again * compare(a.key, b.key));
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", again === 1 ? "descending" : "ascending");
        body.replaceChildren(...rows.map((entry) => entry.row));
      });
    });
  }

  // A closed part would not be on paper.
  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const part of [...all("details.start:not([open])").slice(0, 1), ...all("details.about:not([open])")]) {
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
    else if (location.hash !== "") {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const around = target ? target.closest("details") : null;
      if (around) {
        around.open = true;
        target.scrollIntoView();
      }
    }
    apply();
  }
  window.addEventListener("hashchange", fromAddress);
  tools.hidden = false;
  fromAddress();
}());

// SPDX-License-Identifier: GPL-2.0-or-later
// Search and filter of the matrix. The page is XML, too: no ampersand and no less-than sign in here.
"use strict";
(function () {
  const tools = document.getElementById("tools");
  const search = document.getElementById("search");
  const outcome = document.getElementById("outcome");
  const rows = Array.from(document.querySelectorAll(".matrix tbody tr")).map((element) => ({
    element, kinds: element.dataset.kinds.split(" "), text: element.textContent.toLowerCase(),
  }));

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let visible = 0;

    for (const row of rows) {
      const on = words.every((word) => row.text.includes(word)) ? outcome.value === "" || row.kinds.includes(outcome.value) : false;
      row.element.hidden = !on;
      visible += on ? 1 : 0;
    }
    document.getElementById("shown").textContent = visible + " of " + rows.length + (rows.length === 1 ? " case shown" : " cases shown");
  }
  tools.addEventListener("input", apply);
  tools.addEventListener("submit", (event) => event.preventDefault());
  tools.hidden = false;
  apply();
}());

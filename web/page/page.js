// SPDX-License-Identifier: GPL-2.0-or-later
// Passes captures to the program, which runs in a worker, and shows its report. File names are only ever inserted as text.
"use strict";
(function () {
  const at = (id) => document.getElementById(id);
  const octets = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const OUTCOMES = [["pass", "PASS"], ["fail", "FAIL"], ["trouble", "Not everything could be read or judged"], ["nothing", "Nothing to check"]];
  const LISTED = 5;  // names of captures above the verdict
  const shipped = JSON.parse('{{shipped}}');
  const REPORTS = [["html", "html", "HTML"], ["ndjson", "ndjson", "JSON (NDJSON)"], ["junit", "xml", "JUnit"]];
  const source = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
  const packed = octets(at("program").textContent);
  let captures = [], worker = null, links = [];

  // A worker with the program, ready for the first capture.
  function start() {
    worker = new Worker(source);
    worker.onerror = (event) => end("trouble", "The program could not be started: " + event.message);
    worker.postMessage({ packed });
  }

  function size_of(octets) {
    return octets < 1e6 ? Math.ceil(octets / 1e3) + " kB" : (octets / 1e6).toFixed(1) + " MB";
  }

  // Distinct names that the program accepts as files.
  function named(files) {
    const names = new Set(["report.html", "report.ndjson", "report.xml", "waivers.yaml"]);
    return files.map((file) => {
      let name = file.name.replace(/^-/, "./-");
      for (let n = 2; names.has(name); n++)
        name = "(" + n + ") " + file.name;
      names.add(name);
      return { name, file };
    });
  }

  // Characters that turn a line round or break it are shown as escapes.
  function shown_name(name) {
    return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
  }

  function list(files) {
    const names = files.slice(0, LISTED).map((file) => {
      const name = document.createElement("bdi");
      name.textContent = shown_name(file.name) + " (" + size_of(file.size) + ")";
      return name;
    });
    const parts = names.flatMap((name, i) => i > 0 ? [", ", name] : [name]);
    if (files.length > LISTED)
      parts.push(" and " + (files.length - LISTED) + " more, " + size_of(files.reduce((sum, file) => sum + file.size, 0)) + " in all");
    at("chosen").replaceChildren(...parts);
    at("chosen").hidden = false;
  }

  function show(outcome, text) {
    at("outcome").className = outcome;
    at("outcome").textContent = text;
  }

  // The verdict on the page no longer belongs to the options.
  function outdate() {
    if (at("result").hidden || at("outcome").classList.contains("old"))
      return;
    at("outcome").classList.add("old");
    at("outcome").append(" (with other options than now: check again)");
  }

  function end(outcome, text) {
    at("working").hidden = true;
    at("check").disabled = captures.length === 0;
    show(outcome, text);
  }

  function stop() {
    worker.terminate();
    start();
  }

  function show_reports(reports) {
    links.forEach((link) => URL.revokeObjectURL(link.href));
    links = REPORTS.filter(([, suffix]) => reports["report." + suffix].size > 0).map(([, suffix, words]) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(reports["report." + suffix]);
      link.download = "iwarp-check-report." + suffix;
      link.textContent = words;
      return link;
    });
    at("downloads").replaceChildren("Download: ", ...links);
    return reports["report.html"].text().then((html) => {
      const frame = at("report").cloneNode();  // a frame that gets a second report while it is hidden stays blank in Chromium
      frame.srcdoc = html;
      at("report").replaceWith(frame);
      at("result").hidden = html === "";
      return new DOMParser().parseFromString(html, "text/html").querySelector("header");
    });
  }

  // One click checks again with the list of known deviations that the report names.
  function offer(header) {
    const named = /--waivers=([\w.-]+)/.exec(header && header.querySelector(".known")?.textContent || "");
    at("known").hidden = !named || !shipped.includes(named[1]);
    if (named) {
      at("known").value = named[1];
      at("known").textContent = "Check again without the known deviations of " + named[1];
    }
  }

  // The report's own verdict and colour; without a report, those of the exit status. What was not decompressed is missing in the
  // report, so its verdict counts only if it is FAIL.
  async function finished(message, seconds) {
    const [outcome, words] = OUTCOMES[message.status] || OUTCOMES[2];
    const header = await show_reports(message.reports);
    at("said").textContent = message.said;
    at("said").hidden = message.said === "";
    offer(header);
    at("setup").open = false;
    const counts = header && (!message.lacking || header.className === "fail");
    end(counts ? header.className : outcome, (counts ? header.querySelector("h1").textContent : words) + ", in " + seconds.toFixed(1) + " s");
  }

  function run() {
    const since = performance.now(), files = named(captures), own = at("waivers").files[0], words = ["--progress"];
    if (captures.length === 0)
      return;
    if (!at("working").hidden)
      stop();
    if (at("stats").checked)
      words.push("--stats");
    if (at("profile").value)
      words.push("--profile=" + at("profile").value);
    if (at("shipped").value)
      words.push("--waivers=" + at("shipped").value);
    if (own)
      words.push("--waivers=waivers.yaml");
    for (const [format, suffix] of REPORTS)
      words.push("--format=" + format, "--output=report." + suffix);
    at("working").hidden = false;
    at("progress").removeAttribute("value");
    at("result").hidden = at("said").hidden = true;
    at("check").disabled = true;
    show("", "Checking ...");
    worker.onmessage = ({ data }) => {
      if ("progress" in data)
        at("progress").value = data.progress;
      else if ("trouble" in data)
        end("trouble", data.trouble);
      else
        finished(data, (performance.now() - since) / 1000);
    };
    worker.postMessage({
      arguments: words.concat(files.map(({ name }) => name)), files: files.concat(own ? [{ name: "waivers.yaml", file: own }] : []),
      outputs: REPORTS.map(([, suffix]) => "report." + suffix),
    });
  }

  function choose(files) {
    if (files.length === 0)
      return;
    captures = Array.from(files);
    list(captures);
    run();
  }

  function fill_shipped() {
    for (const name of shipped)
      at("shipped").append(new Option(name, name));
  }

  if (!self.WebAssembly || !self.DecompressionStream) {
    show("trouble", "This browser is too old: the page needs WebAssembly and DecompressionStream.");
    return;
  }
  fill_shipped();
  at("files").addEventListener("change", (event) => choose(event.target.files));
  at("choose").addEventListener("submit", (event) => { event.preventDefault(); run(); });
  at("choose").addEventListener("change", (event) => event.target.id === "files" || outdate());
  at("known").addEventListener("click", () => { at("shipped").value = at("known").value; run(); });
  at("cancel").addEventListener("click", () => { stop(); end("trouble", "Cancelled"); });
  for (const name of ["dragover", "dragleave", "drop"])
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.toggle("over", name === "dragover");  // the report takes no files: its frame would open them
      if (name === "drop")
        choose(event.dataTransfer.files);
    });
  start();
})();

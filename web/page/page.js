// SPDX-License-Identifier: GPL-2.0-or-later
// Passes captures to the program, which runs in a worker, and shows its report. File names are only ever inserted as text.
"use strict";
(function () {
  const at = (id) => document.getElementById(id);
  const octets = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const OUTCOMES = [["pass", "PASS"], ["fail", "FAIL"], ["trouble", "Not everything could be read or judged"], ["nothing", "Nothing to check"]];
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

  function show(outcome, text) {
    at("outcome").className = outcome;
    at("outcome").textContent = text;
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
      link.textContent = "Download " + words;
      return link;
    });
    at("downloads").replaceChildren(...links);
    return reports["report.html"].text().then((html) => {
      at("report").srcdoc = html;
      at("result").hidden = html === "";
    });
  }

  // The last line of the report has the verdict on all captures.
  async function has_trouble(report) {
    const lines = (await report.text()).trimEnd().split("\n");
    return JSON.parse(lines[lines.length - 1]).trouble === true;
  }

  async function finished(message, seconds) {
    let [outcome, words] = OUTCOMES[message.status] || OUTCOMES[2];
    await show_reports(message.reports);
    if (message.status === 0 && await has_trouble(message.reports["report.ndjson"]))
      [outcome, words] = ["trouble", "TROUBLE"];
    at("said").textContent = message.said;
    at("said").hidden = message.said === "";
    end(outcome, words + ", in " + seconds.toFixed(1) + " s");
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
    at("chosen").textContent = captures.map((file) => file.name + " (" + size_of(file.size) + ")").join(", ");
    at("chosen").hidden = false;
    run();
  }

  function fill_shipped() {
    for (const name of JSON.parse('{{shipped}}'))
      at("shipped").append(new Option(name, name));
  }

  if (!self.WebAssembly || !self.DecompressionStream) {
    show("trouble", "This browser is too old: the page needs WebAssembly and DecompressionStream.");
    return;
  }
  fill_shipped();
  at("files").addEventListener("change", (event) => choose(event.target.files));
  at("choose").addEventListener("submit", (event) => { event.preventDefault(); run(); });
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

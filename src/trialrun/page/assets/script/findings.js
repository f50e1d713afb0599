// Findings with their code frames, filtered by what the address says.
async function findingsPage(_, query) {
  const data = await section("findings");
  if (query.get("show") === "suppressions") return suppressionsPage(data);
  const holder = h("div.findings", { "aria-live": "off" });
  const filters = Object.fromEntries(["severity", "rule", "path", "text"].map((name) => [name, query.get(name) ?? ""]));
  const summary = h("p.about", { role: "status" });
  const show = () => {
    const found = data.findings.filter((finding) => matchesFilters(finding, filters));
    summary.textContent = `${plural(found.length, "finding")}${found.length < data.total ? ` of ${count(data.total)}` : ""}`;
    holder.replaceChildren(growing(found, findingItem, { size: 40, noun: "findings" }));
  };
  const change = (name) => (value) => {
    filters[name] = value;
    const set = Object.entries(filters).filter(([, text]) => text);
    history.replaceState(null, "", `#/findings${set.length ? `?${new URLSearchParams(set)}` : ""}`);
    show();
  };
  show();
  return [
    heading("Findings", summary),
    h("p", link("#/findings?show=suppressions", "Suppressions, baseline and what was not checked")),
    data.total > data.findings.length && h("p.hint", `The worst ${count(data.findings.length)} of ${count(data.total)} findings are on this page; trialrun check has all.`),
    h("form.filters", { onsubmit: (event) => event.preventDefault() },
      field("Severity", select(choices(SEVERITIES.filter((word) => data.severities[word])), filters.severity, change("severity"))),
      field("Rule", select(choices(unique(data.findings.map((one) => one.rule))), filters.rule, change("rule"))),
      field("File", select(choices(unique(data.findings.map((one) => one.path)), shortPath), filters.path, change("path"))),
      field("Text", searchBox(filters.text, change("text")))),
    data.findings.length ? holder : empty("Nothing is wrong."),
  ];
}

function unique(values) {
  return [...new Set(values)].sort();
}

function choices(values, show = (text) => text) {
  return [["", "all"], ...values.map((value) => [value, show(value)])];
}

function matchesFilters(finding, filters) {
  const text = filters.text.toLowerCase();
  return (!filters.severity || finding.severity === filters.severity)
    && (!filters.rule || finding.rule === filters.rule)
    && (!filters.path || finding.path === filters.path)
    && (!text || `${finding.message} ${finding.path} ${finding.rule} ${finding.resource}`.toLowerCase().includes(text));
}

function findingItem(finding) {
  return h("article.finding",
    h("div",
      h("h2", severity(finding.severity), " ", link(address("rules", finding.rule), finding.rule)),
      h("p.message", clipped(finding.message)),
      h("p.advice",
        finding.help && h("span", "help: ", finding.help),
        finding.fix && h("span", "help: ", finding.fix.title, ` (${finding.fix.safe ? "safe" : "unsafe"} fix)`),
        finding.refusal && h("span", "no fix here: ", finding.refusal))),
    h("div", finding.frames.map(codeFrame)));
}

function suppressionsPage(data) {
  return [
    heading("Suppressions and baseline"),
    h("p", link("#/findings", "Findings")),
    block("Suppressions", data.suppressions.length
      ? table("suppressions", ["where", "rules", "reason", ["findings", "number"], ["age", "number"], "until", ""], data.suppressions.map(suppressionRow))
      : empty("Nothing is suppressed.")),
    block("Baseline", data.baseline ? baselineText(data.baseline) : empty("The settings name no baseline.")),
    block("Not checked", data.not_checked.length
      ? table("not checked", ["file", "what", "why"], data.not_checked.map((entry) => [place(entry.path), entry.what, entry.why]))
      : empty("Everything was checked.")),
  ];
}

function suppressionRow(entry) {
  const state = entry.expired ? "expired" : entry.unused.length ? `unused: ${entry.unused.join(", ")}` : "";
  return [place(entry.path, entry.line), entry.rules.join(", "), clipped(entry.reason || "no reason", 200), count(entry.silenced),
    entry.days === null ? "" : h("span", { title: `since ${entry.since}` }, `${count(entry.days)} d`), entry.until ?? "", state && h("span.tag.warning", state)];
}

function baselineText(baseline) {
  const age = baseline.since ? `, the oldest since ${baseline.since} (${plural(baseline.days, "day")})` : "";
  return h("p", place(baseline.path), ` has ${plural(baseline.entries, "entry", "entries")}${age}; ${plural(baseline.hidden, "finding is", "findings are")} hidden by it.`);
}

async function rulePage([id]) {
  const data = await section("findings");
  const rule = data.rules[id];
  const to = (name) => address("rules", name);
  if (!rule) return unknownName("rule with findings", id ?? "", Object.keys(data.rules), to);
  const number = data.findings.filter((finding) => finding.rule === id).length;
  return [
    heading(id, severity(rule.severity)),
    h("p", link(`#/findings?rule=${encodeURIComponent(id)}`, plural(number, "finding"))),
    h("div.prose", proseBlocks(rule.page)),
  ];
}

// The plain page of a rule: indented lines are examples, the others paragraphs; the first line is the heading.
function proseBlocks(page) {
  const blocks = [];
  for (const line of page.split("\n").slice(1)) {
    const isCode = line.startsWith("    ") || (line === "" && blocks.at(-1)?.code && blocks.at(-1).open);
    const last = blocks.at(-1);
    if (line === "" && !isCode) { if (last) last.open = false; continue; }
    if (last && last.open && last.code === isCode) last.lines.push(isCode ? line.slice(4) : line);
    else blocks.push({ code: isCode, open: true, lines: [isCode ? line.slice(4) : line] });
  }
  return blocks.map(({ code, lines }) => (code ? scroller("example", h("pre", lines.join("\n").trimEnd())) : h("p", lines.join(" "))));
}

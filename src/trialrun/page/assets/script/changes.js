// What lies between a revision and the working tree, as `trialrun plan` has it.
async function changesPage(_, query) {
  const data = await section("changes");
  if (!data) return [heading("Changes"), empty("This page was made without --since.")];
  const level = query.get("level");
  const shown = data.changes.filter((change) => !level || change.level === level);
  return [
    heading(`Changes from ${data.base} to ${data.head}`, h("p.about", `${plural(data.total, "change")}, ${plural(data.findings.new.length, "new finding")}, ${plural(data.findings.gone.length, "finding")} gone`)),
    numbers(changeNumbers(data.summary)),
    level && h("p", link("#/changes", "all levels")),
    shown.length ? growing(shown, changeEntry, { holder: h("ul.changes-list"), noun: "changes" }) : empty("No change."),
    data.findings.new.length > 0 && block("New findings", findingLines(data.findings.new)),
    data.findings.gone.length > 0 && block("Findings that are gone", findingLines(data.findings.gone)),
    data.not_compared.length > 0 && block("Not compared", h("ul", data.not_compared.map((one) => h("li", Object.values(one).filter(Boolean).map(String).join(" · "))))),
  ];
}

function changeNumbers(summary) {
  return ["breaking", "risky", "safe"].map((word) => [summary[word], word, `#/changes?level=${word}`, word === "breaking" && summary[word] ? "error" : ""]);
}

function changeEntry(change) {
  const stores = change.reach.stores;
  const levels = { breaking: "error", risky: "warning", safe: "" };
  return h("li.surprise",
    h("p", h(levels[change.level] ? `span.tag.${levels[change.level]}` : "span.tag", change.level), " ", h("b", change.id), " ", endOfName(change.resource ?? ""), " ", place(change.path, change.range.start.line)),
    change.before !== null && change.before !== undefined && h("p.mono", "− ", clipped(valueText(change.before), 300)),
    change.after !== null && change.after !== undefined && h("p.mono", "+ ", clipped(valueText(change.after), 300)),
    change.why && h("p", clipped(change.why, 400)),
    stores && h("p.faint", `reaches ${count(stores.count)} of ${plural(stores.total, "store")}`, stores.names.length > 0 && [": ", stores.names.map((name, index) => [index > 0 && ", ", link(address("stores", endOfName(name)), endOfName(name))])]));
}

function findingLines(findings) {
  return growing(findings, (one) => h("li", severity(one.severity), " ", one.rule, ": ", clipped(one.message, 300), " ", place(one.path, one.line)), { holder: h("ul.sessions"), noun: "findings" });
}

// What is wrong, what runs next, and what there is.
async function overviewPage() {
  const [data, found, scenarios, views] = await Promise.all(["overview", "findings", "scenarios", "views"].map(section));
  const severities = ["error", "warning"].filter((word) => found.severities[word]).map((word) => plural(found.severities[word], word));
  const rules = groupedBy(found.findings.filter((finding) => finding.severity !== "note"), (finding) => finding.rule);
  const failing = failingScenarios(scenarios);
  const unplayed = scenarios?.not_played ? [{ path: "", what: plural(scenarios.not_played, "scenario"), why: "the extra runtime is not installed" }] : [];
  const wrong = [
    wrongBlock(`Findings: ${severities.join(", ")}`, rules, findingLine, "rules"),
    wrongBlock("Not checked", [...found.not_checked, ...unplayed], (entry) => wrongLine(["not checked", "warning"], place(entry.path), `${entry.what}: ${entry.why}`), "more"),
    wrongBlock(plural(failing.length, "failing scenario"), failing, failureLine, "scenarios"),
    wrongViews(views),
  ].filter(Boolean);
  return [
    heading(data.workspace, h("p.about", `as of ${fullTime(data.at)} · trialrun ${data.version}`)),
    wrong.length ? wrong : nothingWrong(data, scenarios),
    data.changes && block(`Changes since ${data.changes.base}`, numbers(changeNumbers(data.changes.summary))),
    views && nextRuns(data, views),
    scenarios && folded(`Coverage of scenarios: ${plural(scenarios.scenarios.length, "scenario")}, ${count(failing.length)} failing`, coverageTable(scenarios.coverage)),
    folded(`Workspace: ${data.counts.map(([number, text]) => `${count(number)} ${text}`).join(", ")}`, workspaceNumbers(data)),
    data.notes.length > 0 && block("Not on this page", h("ul", data.notes.map((note) => h("li", note)))),
  ];
}

// What is wrong, a line each, the worst at once.
function wrongBlock(title, items, line, noun) {
  return items.length > 0 && block(title, growing(items, line, { size: 8, holder: h("ul.wrong"), noun }));
}

function wrongViews(views) {
  const wrong = viewsWithProblems(views);
  return wrongBlock(plural(wrong.length, "view with a problem", "views with problems"), wrong, viewLine, "views");
}

function wrongLine([tag, kind], where, ...content) {
  return h("li", h(`span.tag.${kind}`, tag), h("p", content), where);
}

// The worst finding of a rule, and how many others it has.
function findingLine([rule, [finding, ...others]]) {
  const more = others.length > 0 ? `and ${count(others.length)} more of this rule` : "";
  return wrongLine([finding.severity, finding.severity], place(finding.path, finding.line), link(`#/findings?rule=${encodeURIComponent(rule)}`, rule), " ", clipped(finding.message, 240), h("span.faint", " ", more));
}

function failureLine(scenario) {
  const [failure] = scenario.failures;
  const text = !failure ? "" : failure.expected === null ? failure.got : `expected ${failure.expected}, got ${failure.got}`;
  const where = place(failure?.path ?? scenario.path, failure?.line ?? scenario.line);
  return wrongLine([scenario.outcome === "error" ? "could not run" : scenario.outcome, "error"], where, link(`#/scenarios?outcome=${scenario.outcome}`, scenario.name), " ", clipped(text, 240));
}

function viewLine(view) {
  const [[tag, kind, text], ...others] = viewProblems(view);
  return wrongLine([tag, kind], place(view.path, view.line), link(address("views", view.id), view.label), " ", clipped(text, 240), others.map(([other]) => ` · ${other}`));
}

function nothingWrong(data, scenarios) {
  const [[files]] = data.counts;
  if (!files) return empty("There are no documents here: trialrun init writes a first workspace, trialrun new KIND NAME a document, and trialrun import FILE takes over what you have.");
  const played = scenarios ? `, ${plural(scenarios.scenarios.length, "scenario")} passed` : "";
  return h("p.good", `✓ Nothing is wrong: ${plural(files, "file was", "files were")} checked${played}.`);
}

function nextRuns(data, { views }) {
  const runs = views.filter((view) => view.runs.length).map((view) => ({ view, at: view.runs[0] }));
  runs.sort((one, other) => new Date(one.at) - new Date(other.at));
  return runs.length > 0 && block("Next runs", table("next runs", ["view", ["", "time"], ["UTC", "time"], ["local time", "time"]], runs.slice(0, 10).map(({ view, at }) => [
    link(address("views", view.id), view.label), until(data.at, at), utcTime(at), view.zone === "UTC" ? "" : [localTime(at), h("span.faint", ` ${view.zone}`)]])));
}

function workspaceNumbers({ counts, findings }) {
  const hidden = "#/findings?show=suppressions";
  const others = [[findings.severities.note, "notes", "#/findings?severity=note"], [findings.suppressed, "suppressed", hidden], [findings.baselined, "in the baseline", hidden]];
  return [numbers([...counts, ...others.filter(([number]) => number)])];
}

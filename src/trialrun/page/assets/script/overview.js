// What there is, what is wrong, what runs next, what changed.
async function overviewPage() {
  const data = await section("overview");
  return [
    heading(data.workspace, h("p.about", `as of ${fullTime(data.at)} · trialrun ${data.version}`)),
    block("Workspace", numbers(data.counts.map(([number, text, to]) => [number, text, to]))),
    block("Findings", overviewFindings(data.findings)),
    data.changes && block(`Changes since ${data.changes.base}`, changesSummary(data.changes)),
    h("div.side-by-side",
      data.scenarios && block("Scenarios and coverage", overviewScenarios(data.scenarios)),
      data.next_runs.length > 0 && block("Next runs", nextRuns(data))),
    data.notes.length > 0 && block("Not on this page", h("ul", data.notes.map((note) => h("li", note)))),
  ];
}

function overviewFindings(found) {
  const entries = SEVERITIES.filter((word) => found.severities[word])
    .map((word) => [found.severities[word], plural(found.severities[word], word).replace(/^\S+ /, ""), `#/findings?severity=${word}`, word]);
  if (found.suppressed) entries.push([found.suppressed, "suppressed", "#/findings?show=suppressions"]);
  if (found.baselined) entries.push([found.baselined, "in the baseline", "#/findings?show=suppressions"]);
  if (found.not_checked) entries.push([found.not_checked, "not checked", "#/findings?show=suppressions"]);
  const owners = Object.entries(found.owners);
  return [
    entries.length ? numbers(entries) : empty("Nothing is wrong."),
    owners.length > 0 && table("findings by owner", ["owner", ["findings", "number"]],
      owners.map(([owner, number]) => [link(`#/findings?owner=${encodeURIComponent(owner)}`, owner), count(number)])),
  ];
}

function overviewScenarios(data) {
  const entries = ["passed", "failed", "error"].filter((word) => data.outcomes[word])
    .map((word) => [data.outcomes[word], word === "error" ? "could not run" : word, `#/scenarios?outcome=${word}`, word === "passed" ? "" : "error"]);
  return [
    entries.length ? numbers(entries) : empty("There is no scenario."),
    table("coverage", ["exercised by scenarios", ["covered", "number"], ["of", "number"], ""],
      data.coverage.map((aspect) => [
        link(`#/scenarios?aspect=${encodeURIComponent(aspect.name)}`, aspect.words),
        count(aspect.covered), count(aspect.total), bar(aspect.total ? aspect.covered / aspect.total : 1)])),
  ];
}

// A share as a bar; its number stands beside it.
function bar(share) {
  return s("svg", { class: "bar", viewBox: "0 0 100 8", width: "100", height: "8", "aria-hidden": "true" },
    s("rect", { class: "bar-all", width: "100", height: "8" }),
    s("rect", { class: "bar-part", width: String(Math.round(share * 100)), height: "8" }));
}

function nextRuns(data) {
  return table("next runs", ["view", "local time", "UTC", ""],
    data.next_runs.map((run) => [
      link(address("views", run.id), run.view), [localTime(run.at), h("span.faint", ` ${run.zone}`)], utcTime(run.at), h("span.faint", until(data.at, run.at))]));
}

function changesSummary(changes) {
  const entries = ["breaking", "risky", "safe"].map((level) => [changes.summary[level], level, `#/changes?level=${level}`, level === "breaking" && changes.summary[level] ? "error" : ""]);
  return numbers(entries);
}

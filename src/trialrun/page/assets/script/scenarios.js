// Scenarios with their traces, and what none of them exercises.
async function scenariosPage(_, query) {
  const data = await section("scenarios");
  if (!data) return [heading("Scenarios and coverage"), empty("The workspace has no scenario.")];
  const outcome = query.get("outcome");
  const shown = data.scenarios.filter((one) => !outcome || one.outcome === outcome);
  const conversations = (await section("upsells"))?.conversations ?? [];
  const aspect = data.coverage.find((one) => one.name === query.get("aspect"));
  return [
    heading("Scenarios and coverage", h("p.about", plural(data.scenarios.length, "scenario"))),
    data.not_played > 0 && h("p.hint", `${plural(data.not_played, "scenario")} with rows not played: pip install 'trialrun[runtime]' on the machine that makes this page.`),
    outcome && h("p", link("#/scenarios", "all outcomes")),
    aspect && block(`Not covered: ${aspect.words}`, missingList(aspect), h("p", link("#/scenarios", "all scenarios"))),
    !aspect && [scenariosBlock("failing", failingScenarios({ scenarios: shown }), conversations), scenariosBlock("passed", shown.filter((one) => one.outcome === "passed"), conversations)],
    aspect ? block("Coverage", coverageTable(data.coverage, aspect)) : folded("Coverage", coverageTable(data.coverage)),
    data.conditions.length > 0 && !aspect && block("Conditions with parts that nothing exercises", growing(data.conditions, conditionEntry, { holder: h("ul.conditions"), noun: "conditions" })),
  ];
}

function failingScenarios(data) {
  return (data?.scenarios ?? []).filter((one) => one.outcome !== "passed");
}

function scenariosBlock(word, scenarios, conversations) {
  return scenarios.length > 0 && block(`${count(scenarios.length)} ${word}`, growing(scenarios, (one) => scenarioEntry(one, conversations), { size: 60, holder: h(`ul.scenarios.${word}`), noun: "scenarios" }));
}

function coverageTable(coverage, chosen) {
  return table("coverage", ["exercised by scenarios", ["covered", "number"], ["of", "number"], ""], coverage.filter((one) => one.total).map((one) => [
    link(`#/scenarios?aspect=${encodeURIComponent(one.name)}`, chosen === one ? h("b", one.words) : one.words), count(one.covered), count(one.total), bar(one.covered / one.total)]));
}

function missingList(aspect) {
  const left = aspect.total - aspect.covered - aspect.missing.length;
  return [
    aspect.missing.length ? growing(aspect.missing, (one) => h("li", clipped(one.name, 200), " ", place(one.path, one.line)), { holder: h("ul.sessions"), noun: "more" }) : empty("Everything is covered."),
    left > 0 && h("p.faint", `and ${count(left)} more`),
  ];
}

function conditionEntry(one) {
  const marks = one.parts.map(([start, end]) => [start, end, "idle"]);
  return h("li.condition-entry", h("p", h("b", one.upsell), " ", place(one.path, one.line), " ", one.never.map((word) => h("span.tag.warning", `never ${word}`))),
    h("p", h("code", marked(one.text, marks))));
}

function scenarioEntry(one, conversations) {
  const told = conversations.filter((each) => each.kind === "scenario" && each.title === one.name && each.path === one.path);
  return h("li.scenario",
    h("p", h(`span.tag.${one.outcome}`, one.outcome === "passed" ? "✓ passed" : one.outcome), " ", one.name, " ", place(one.path, one.line)),
    told.length > 0 && h("p.faint", "sessions at ", sessionLinks(told)),
    one.failures.map((failure) => h("div.hint.error",
      h("p", failure.expected === null ? "" : ["expected ", h("b", clipped(failure.expected, 300)), ", got "], clipped(failure.got, 600), " ", place(failure.path ?? one.path, failure.line)),
      failure.trace.length > 0 && h("details", h("summary", `trace of ${plural(failure.trace.length, "step")}`), h("ol.trace", failure.trace.map((line) => h("li", clipped(line, 600))))))));
}

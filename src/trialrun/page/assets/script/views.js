// Feature views: the way from the source to the index, and when what runs.
async function viewsPage([id, ...rest], query) {
  const data = await section("views");
  if (!data) return [heading("Views"), empty("The workspace declares no feature view.")];
  if (id) return viewPage(data, [id, ...rest].join("/"));
  const text = query.get("text") ?? "";
  const holder = h("div");
  const summary = h("p.about", { role: "status" });
  const show = (wanted) => {
    const found = data.views.filter((view) => `${view.label} ${view.name} ${view.path} ${view.source.kind} ${view.store.id}`.toLowerCase().includes(wanted.toLowerCase()));
    summary.textContent = plural(found.length, "feature view");
    holder.replaceChildren(growing(found, viewPicture, { size: 40, noun: "views" }));
  };
  show(text);
  return [
    heading("Views", summary),
    wrongViews(data),
    scheduleBlocks(data.schedule),
    h("form.filters", { onsubmit: (event) => event.preventDefault() }, field("Views", searchBox(text, (wanted) => {
      history.replaceState(null, "", wanted ? `#/views?${new URLSearchParams({ text: wanted })}` : "#/views");
      show(wanted);
    }, { placeholder: "name, file, source or store" }))),
    holder,
  ];
}

// What keeps a view from serving what it should: a tag, its kind, and why. A view whose rows are elsewhere is not synced.
function viewProblems({ source, sync, runs, data }) {
  const hasRows = source.tables.every((table) => table.rows);
  return [
    sync.kind === "invalid" && ["cannot be scheduled", "error", sync.text],
    sync.kind === "schedule" && !runs.length && ["never runs", "error", sync.text],
    hasRows && data?.problem && ["not synced", "error", data.problem],
    hasRows && data?.overdue && ["overdue", "error", `no sync since its run of ${fullTime(data.overdue)}`],
    data?.findings?.length > 0 && [plural(data.findings.length, "data finding"), "warning", data.findings.map((finding) => finding.code).join(", ")],
  ].filter(Boolean);
}

function viewsWithProblems(data) {
  const kindOf = (view) => viewProblems(view)[0]?.[1];
  return ["error", "warning"].flatMap((kind) => (data?.views ?? []).filter((view) => kindOf(view) === kind));
}

// One view as four boxes, from left to right.
function viewPicture(view) {
  const box = (title, ...content) => h("li.box", h("h3", title), content);
  return h("section.view",
    h("h2", link(address("views", view.id), view.label), " ", view.findings > 0 && link(`#/findings?text=${encodeURIComponent(view.name)}`, h("span.tag.warning", plural(view.findings, "finding"))), viewProblems(view).map(([tag, kind]) => [" ", h(`span.tag.${kind}`, tag)])),
    h("ol.flow",
      box(`${view.source.kind} source`, sourceLines(view.source)),
      box("sync", h("p", view.sync.text), view.runs.length > 0 && h("p.faint", "next ", localTime(view.runs[0]), " · ", utcTime(view.runs[0]))),
      box("store", h("p", view.store.id || "no store"), view.store.type && h("p.faint", view.store.type)),
      view.index ? box("index", h("p", view.index.algorithm, view.index.leaf && `, ${plural(view.index.leaf, "row")} a leaf`), h("p.faint", [view.index.column, view.index.distance?.replace("_DISTANCE", "").replaceAll("_", " ").toLowerCase()].filter(Boolean).join(" · "))) : box("index", h("p.faint", "none")),
      view.data && box("data", h("p", servedText(view.data)))));
}

function sourceLines(source) {
  return source.tables.map((table) => h("p", table.group && h("span", table.group, " "), h("span.mono", unbroken(table.uri ?? "not declared", /(?<=[/.])/)),
    table.features && h("span.faint", ` ${plural(table.features.length, "feature")}`)));
}

function servedText(data) {
  if (data.problem) return clipped(data.problem, 240);
  const served = `${plural(data.served, "entity", "entities")} served`;
  return data.at ? `${served} since ${fullTime(data.at)}` : `${plural(data.read, "row")} read, ${served}`;
}

function drawn(picture) {
  const tags = { rect: ["x", "y", "width", "height"], line: ["x1", "y1", "x2", "y2"], circle: ["cx", "cy", "r"], text: ["x", "y"] };
  const shapes = picture.shapes.map(([tag, kind, ...numbers]) => {
    const names = tags[tag];
    const attributes = { class: kind };
    names.forEach((name, index) => { attributes[name] = String(numbers[index]); });
    const text = numbers[names.length];
    return s(tag, attributes, text && (tag === "text" ? text : s("title", {}, text)));
  });
  const size = { viewBox: `0 0 ${picture.width} ${picture.height}`, width: String(picture.width), height: String(picture.height) };
  return scroller(picture.label, s("svg", { ...size, class: "drawing", role: "img", "aria-label": picture.label }, shapes));
}

function scheduleBlocks(schedule) {
  const changes = schedule.clock_changes;
  return [
    block(`Runs from ${fullTime(schedule.from)} to ${fullTime(schedule.to)}`, drawn(schedule.week)),
    schedule.herds.length > 0 && block("Herds", h("p.faint", "More views of one store in a minute than the setting sync-herd-size allows."), herdTable(schedule.herds)),
    changes.length > 0 && folded("Days on which clocks change", h("ul.changes", changes.map((change) => h("li", drawn(change))))),
  ];
}

function herdTable(herds) {
  return table("herds", ["store", "views", ["minutes", "number"], "first"], herds.map((herd) => [
    herd.store, herd.views.map((name, index) => [index ? ", " : "", name]), count(herd.count), utcTime(herd.minutes[0])]));
}

async function viewPage(data, id) {
  const view = data.views.find((one) => one.id === id);
  if (!view) return unknownName("view", id, data.views.map((one) => one.id), (name) => address("views", name));
  const picture = viewPicture(view);
  picture.querySelector("h2").replaceWith(h("h2.hidden", "From its source to its index"));
  return [
    heading(view.label),
    h("p.facts", h("span.mono", unbroken(view.name ?? "no name")), " · ", place(view.path, view.line)),
    picture,
    viewProblems(view).filter(([, kind]) => kind === "error").map(([tag, , text]) => h("p.hint.error", h("b", tag), ": ", clipped(text))),
    view.findings > 0 && h("p", link(`#/findings?text=${encodeURIComponent(view.name)}`, plural(view.findings, "finding"))),
    block("Source", sourceTable(view.source)),
    block("Runs", view.runs.length ? table("runs", ["local time", "UTC"], view.runs.map((run) => [[localTime(run), h("span.faint", ` ${view.zone}`)], utcTime(run)])) : empty(view.sync.text),
      view.sync.cron && h("p.mono", view.sync.cron),
      view.changes.length > 0 && h("p.hint.warning", view.changes.map((change) => `${change.local.replace("T", " ")} ${change.kind === "skipped" ? "is skipped" : "is run twice"}`).join("; "))),
    view.index && block("Index", indexTable(view.index)),
    view.data && block("Data", dataBlock(view.data)),
    Object.keys(view.labels).length > 0 && block("Labels", table("labels", ["label", "value"], Object.entries(view.labels))),
  ];
}

function sourceTable(source) {
  if (!source.tables.length) return empty("It has no source; its values are written directly.");
  const groups = source.kind === "registry";
  return [
    table("tables", [...(groups ? ["feature group"] : []), "uri", "rows", "declared"], source.tables.map((one) => [
      ...(groups ? [one.group] : []), h("span.mono", unbroken(one.uri ?? "not declared", /(?<=[/.])/)), one.rows ?? h("span.faint", "where its rows are is not declared"), one.path ? place(one.path, one.line) : ""])),
    source.entity && h("p", "entity id: ", h("span.mono", source.entity.join(", "))),
    source.corpus && h("p", "RAG corpus ", source.corpus),
    source.tables.some((one) => one.features) && h("p", "features: ", h("span.mono", source.tables.flatMap((one) => one.features ?? []).join(", "))),
  ];
}

function indexTable(index) {
  const rows = [["algorithm", index.algorithm], ["rows of a leaf", index.leaf], ["embedding column", index.column], ["dimensions", index.dimension], ["distance", index.distance], ["filter columns", index.filters.join(", ")], ["crowding column", index.crowding]];
  return table("index", ["", ""], rows.filter(([, value]) => value).map(([name, value]) => [h("span.faint", name), value]));
}

function dataBlock(data) {
  return [
    h("p", servedText(data)),
    data.findings?.length > 0 && h("ul", data.findings.map((finding) => h("li.hint.warning", h("b", finding.code), " ", clipped(finding.message, 400), finding.examples?.length > 0 && h("p.mono", clipped(finding.examples.map(valueText).join(", "), 300))))),
    data.sample?.rows.length > 0 && h("div", h("h3", "Some rows that are served"), table("rows", data.sample.columns, data.sample.rows.map((row) => row.map((value) => clipped(valueText(value), 80))))),
  ];
}


// What is in effect at each store and who set it: fields by stores, and one store as a document.
const MAX_COLUMNS = 16;

async function openStores() {
  stored ??= await section("stores");
  if (stored && !stored.byId) {
    stored.byId = new Map(stored.stores.map((store, index) => [store.id, { ...store, index }]));
  }
  return stored;
}

async function storesPage([id, ...rest], query) {
  const data = await openStores();
  if (!data) return [heading("Stores"), empty("The workspace declares no store; add one to the stores of a Brand.")];
  if (id) return storePage(data, [id, ...rest].join("/"), query);
  return matrixPage(data, query);
}

function matrixPage(data, query) {
  const state = { stores: query.get("stores") ?? "", fields: query.get("fields") ?? "", all: query.get("all") === "yes", first: 0 };
  const holder = h("div");
  const detail = h("aside.detail", { "aria-live": "polite", "aria-label": "The chosen value" }, empty("Choose a value to see who set it."));
  const summary = h("p.about", { role: "status" });
  const show = () => {
    const groups = matchingGroups(data, state.stores);
    state.first = Math.min(state.first, Math.max(0, groups.length - 1));
    const shown = groups.slice(state.first, state.first + MAX_COLUMNS);
    summary.textContent = `${plural(data.stores.length, "store")} with ${plural(data.groups.length, "configuration")}`;
    holder.replaceChildren(columnsBar(groups, state, show), matrix(data, shown, state, detail));
  };
  const change = (name) => (value) => {
    state[name] = value;
    state.first = 0;
    const set = Object.entries({ stores: state.stores, fields: state.fields, all: state.all ? "yes" : "" }).filter(([, text]) => text);
    history.replaceState(null, "", `#/stores${set.length ? `?${new URLSearchParams(set)}` : ""}`);
    show();
  };
  const box = h("input", { type: "checkbox" });
  box.checked = state.all;
  box.addEventListener("change", () => change("all")(box.checked));
  show();
  return [
    heading("Stores", summary),
    h("form.filters", { onsubmit: (event) => event.preventDefault() },
      field("Stores", searchBox(state.stores, change("stores"), { placeholder: "name, tag or zone" })),
      field("Fields and values", searchBox(state.fields, change("fields"))),
      field("Also fields that do not differ", box, "inline")),
    levelLegend(),
    h("div.matrix-and-detail", holder, detail),
  ];
}

function matchingGroups(data, text) {
  const wanted = text.toLowerCase();
  const fits = (index) => {
    const store = data.stores[index];
    return `${store.id} ${store.title ?? ""} ${(store.tags ?? []).join(" ")} ${store.zone ?? ""}`.toLowerCase().includes(wanted);
  };
  const all = data.groups.map((group, number) => ({ group, number, members: wanted ? group.stores.filter(fits) : group.stores }));
  return all.filter(({ members }) => members.length);
}

function columnsBar(groups, state, show) {
  if (groups.length <= MAX_COLUMNS) return h("p.hidden", "All configurations are shown.");
  const move = (by) => () => { state.first = Math.max(0, state.first + by); show(); };
  const last = Math.min(groups.length, state.first + MAX_COLUMNS);
  return h("p.columns-bar",
    button("Earlier", move(-MAX_COLUMNS), { disabled: state.first === 0 }),
    button("Later", move(MAX_COLUMNS), { disabled: last >= groups.length }),
    h("span", `configurations ${count(state.first + 1)} to ${count(last)} of ${count(groups.length)}, those of the most stores first; differences are between these`));
}

function matrix(data, columns, state, detail) {
  if (!columns.length) return empty("No store fits.");
  const wanted = state.fields.toLowerCase();
  const rows = [];
  for (const type of Object.keys(columns[0].group.roots)) {
    const views = columns.map(({ group }) => (group.roots[type] === null ? undefined : viewOf(group.roots[type])));
    for (const row of compareViews(views, [], state.all)) rows.push({ ...row, type });
  }
  const fitting = rows.filter((row) => row.path.length && (!wanted || rowText(row).toLowerCase().includes(wanted)));
  if (!fitting.length) return empty(columns.length > 1 ? "Nothing differs between these stores." : "There is one configuration: nothing differs. Show all fields to see it.");
  const grid = h("table.matrix", { role: "grid", "aria-label": "fields by stores" });
  append(grid, [h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { scope: "col", role: "columnheader" }, "field"), columns.map((column) => columnHead(data, column))))]);
  const body = h("tbody", { role: "rowgroup" });
  append(grid, [body]);
  const frame = scroller("fields by stores", grid);
  frame.classList.add("matrix-frame");
  let above = { type: "", path: [] };
  const add = (row) => {
    const lines = headingsAbove(row, above, columns.length);
    above = row;
    return [...lines, matrixRow(data, row, columns, detail)];
  };
  const list = growing(fitting, add, { size: 60, holder: body, noun: "fields" });
  const more = list.querySelector(".more");
  rove(grid);
  return h("div", frame, more);
}

function rowText(row) {
  return `${row.path.join(".")} ${row.cells.filter(Boolean).map((view) => (isLeaf(view) ? valueText(view.value) : "")).join(" ")}`;
}

function columnHead(data, { members }) {
  const [first] = members;
  const names = members.slice(0, 40).map((index) => data.stores[index].id).join(", ");
  return h("th", { scope: "col", role: "columnheader", title: members.length > 1 ? names : null },
    link(address("stores", data.stores[first].id), data.stores[first].id), members.length > 1 && h("span.faint", ` and ${count(members.length - 1)} more`));
}

// The messages that a field is in, where the row above is in others.
function headingsAbove(row, above, columns) {
  const shared = row.type === above.type ? row.path.findIndex((step, index) => step !== above.path[index]) : 0;
  const lines = [];
  if (row.type !== above.type) lines.push(h("tr.type", { role: "row" }, h("th", { scope: "rowgroup", role: "rowheader", colspan: String(columns + 1) }, row.type)));
  for (let depth = Math.max(0, shared); depth < row.path.length - 1; depth++) {
    lines.push(h("tr.message", { role: "row" }, h(`th.depth-${Math.min(depth, 6)}`, { scope: "rowgroup", role: "rowheader", colspan: String(columns + 1) }, row.path[depth])));
  }
  return lines;
}

function matrixRow(data, row, columns, detail) {
  const depth = Math.min(row.path.length - 1, 6);
  return h("tr", { role: "row" },
    h(`th.depth-${depth}`, { scope: "row", role: "rowheader" }, row.path.at(-1)),
    row.cells.map((view, index) => h("td", { role: "gridcell" }, matrixCell(data, row, view, columns[index], detail))));
}

function matrixCell(data, row, view, column, detail) {
  if (!view) return h("span.unset", { title: "not set" }, "–");
  const origin = originOf(view);
  const text = isLeaf(view) ? valueText(view.value).trim().replace(/\n\s*/g, " ⏎ ") : "set";
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const store = data.stores[column.members[0]].id;
  return h("button.cell", {
    type: "button",
    tabindex: "-1",
    onclick: (event) => {
      event.currentTarget.closest("table").querySelector("[aria-pressed='true']")?.setAttribute("aria-pressed", "false");
      event.currentTarget.setAttribute("aria-pressed", "true");
      detail.replaceChildren(...cellDetail(row, view, origin, store, column));
    },
    "aria-pressed": "false",
  }, origin && levelMark(origin.level), h("span", shown), origin && h("span.hidden", LEVELS[origin.level][1]));
}

function cellDetail(row, view, origin, store, column) {
  const others = column.members.length > 1 ? ` and ${count(column.members.length - 1)} more` : "";
  return [
    h("h2", row.path.join(" › ")),
    h("p", link(address("stores", store), store), others),
    isLeaf(view) ? h("p.mono", clipped(valueText(view.value), 1200)) : h("p", `a message of ${plural(childrenOf(view).size, "part")}`),
    origin && h("p", "set by ", originText(origin), h("span.faint", ` ${origin.config}`)),
    ...overrodeLines(view),
  ];
}

function overrodeLines(view) {
  return (view.over ?? []).map((origin) => h("p.over", "overrode ", h("span.mono", clipped(valueText(origin.value), 200)), " of ", originText(origin)));
}

// One cell of a grid is in the order of the tab key; the arrows lead to the others.
function rove(grid) {
  const first = grid.querySelector("button.cell");
  if (first) first.tabIndex = 0;
  grid.addEventListener("focusin", (event) => {
    if (!event.target.matches("button.cell")) return;
    for (const cell of grid.querySelectorAll("button.cell[tabindex='0']")) cell.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  grid.addEventListener("keydown", (event) => {
    const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!move || !event.target.matches("button.cell")) return;
    event.preventDefault();
    nextCell(event.target, move)?.focus();
  });
}

function nextCell(cell, [down, right]) {
  let row = cell.closest("tr");
  let column = [...row.children].indexOf(cell.closest("td"));
  for (let steps = 0; steps < 2000; steps++) {
    if (down) row = down > 0 ? row.nextElementSibling : row.previousElementSibling;
    else column += right;
    const target = row?.children[column];
    if (!row || (!target && !down)) return null;
    const found = target?.querySelector?.("button.cell");
    if (found) return found;
  }
  return null;
}

function storePage(data, id, query) {
  const store = data.byId.get(id);
  if (!store) return unknownName("store", id, [...data.byId.keys()], (name) => address("stores", name));
  const group = data.groups[store.group];
  const spoken = data.spoken[store.group];
  const brand = data.brands[store.brand];
  const equal = group.stores.filter((index) => index !== store.index);
  return [
    heading(store.id, store.title && h("p", store.title)),
    h("p.facts", [brand.title ?? endOfName(brand.name), store.zone, (store.tags ?? []).join(", ")].filter(Boolean).join(" · "), " · ", place(brand.path, store.line)),
    equal.length > 0 && h("p", "The same is in effect at ", equal.slice(0, 12).map((index, at) => [at ? ", " : "", link(address("stores", data.stores[index].id), data.stores[index].id)]), equal.length > 12 && ` and ${count(equal.length - 12)} more`, "."),
    h("p", link(address("upsells", store.id), "Upsells and sessions of this store")),
    (group.unapplied ?? []).length > 0 && block("Applies nothing", h("ul", group.unapplied.map((entry) => h("li.hint.warning", levelName(entry.level), " ", endOfName(entry.config), ": ", entry.reason, " · ", place(entry.path, entry.line))))),
    (group.clashes ?? []).length > 0 && block("Clashes", h("ul.clashes", group.clashes.map(clashEntry))),
    ...Object.entries(group.roots).map(([type, root]) => block(type, root === null ? empty("No config of this type applies.") : documentOf(viewOf(root)))),
    ...(spoken ? spokenBlocks(spoken) : [h("p.hint", "Instructions and languages are on this page for the configurations of the most stores; trialrun languages ", store.id, " shows those of this one.")]),
  ];
}

// What two settings of equal right say, and which of them their order chooses.
function clashEntry({ field, upsells, winner, loser, settled }) {
  const value = ([, what]) => h("code", clipped(valueText(what), 200));
  const side = (name, origin) => h("p.who", name, ": ", originText(openOrigin(origin)));
  if (upsells) {
    const [first, second] = upsells.map((name) => `"${name}"`);
    return h("li", h("p", `${first} and ${second} have the same priority, ${winner[1]}: only their order decides, and ${first} comes first`), side(first, winner), side(second, loser));
  }
  return h("li",
    h("p", h("b", unbroken(field, /(?<=\.)/)), " is ", value(settled ?? winner), settled ? ", set by a later level than these two, which differ" : [" and not ", value(loser), ": only their order decides"]),
    side(value(winner), winner), side(value(loser), loser));
}

// A configuration as a document, with who set each value in the margin.
function documentOf(view) {
  const rows = [];
  const add = (part, label, depth) => {
    const kind = `depth-${Math.min(depth, 6)}`;
    if (isLeaf(part)) {
      rows.push(h("div.entry", h(`div.key.${kind}`, label), h("div.what", valueOf(part.value, label)), h("div.who", part.origin && originText(part.origin), overrodeLines(part))));
      return;
    }
    if (label) rows.push(h("div.entry", h(`div.key.message.${kind}`, label), h("div.who", overrodeLines(part))));
    for (const [name, child] of childrenOf(part)) add(child, name, label ? depth + 1 : depth);
  };
  add(view, "", 0);
  return growing(rows, (row) => row, { size: 400, holder: h("div.document"), noun: "lines" });
}

function valueOf(value, name) {
  if (Array.isArray(value)) {
    if (!value.length) return h("span.mono", "[]");
    const isPlain = value.every((item) => item === null || typeof item !== "object");
    if (isPlain) return h("ul.values", value.map((item) => h("li", clipped(valueText(item), 300))));
    return h("details", h("summary", plural(value.length, "item")), scroller("items", h("pre", JSON.stringify(value, null, 2))));
  }
  if (name === "conditionExpression") return h("pre", clipped(valueText(value), 1000));
  return typeof value === "string" ? clipped(value, 600) : h("span.mono", valueText(value));
}

function spokenBlocks(spoken) {
  return [
    block("Instructions", spoken.instructions.length ? h("ul.spoken", spoken.instructions.map((entry) => h("li", clipped(entry.text, 600), h("div.who", originText(entry.from))))) : empty("none")),
    block("Tools", spoken.tools.length ? h("ul.spoken", spoken.tools.map((tool) => h("li", h("b.mono", tool.name), " ", clipped(tool.description, 300), h("div.who", originText(tool.from))))) : empty("none")),
    block("Languages", spoken.silent ? empty(spoken.silent) : languagesTable(spoken)),
  ];
}

function languagesTable(spoken) {
  if (!spoken.languages.length) return empty("No text in any language.");
  return growing(spoken.languages, (language) => languageEntry(language, spoken.default), { holder: h("div.languages"), noun: "languages" });
}

function languageEntry(language, usual) {
  const own = language.texts.filter((text) => text.source === "own").length;
  const entry = h("details",
    h("summary", h("b", language.tag), " ", language.name ?? "", language.tag === usual && h("span.faint", " default"),
      h("span.counts", language.gaps > 0 && h("span.tag.error", plural(language.gaps, "gap")), language.fallbacks > 0 && h("span.tag.warning", plural(language.fallbacks, "fallback")), h("span.faint", `${count(own)} of ${plural(language.texts.length, "text")} of its own`))));
  entry.addEventListener("toggle", () => {
    if (entry.open && entry.children.length === 1) append(entry, [spokenTexts(language)]);
  });
  return entry;
}

function spokenTexts(language) {
  const words = { own: "", fallback: "fallback", none: "gap" };
  const order = ["none", "fallback", "own"];
  const texts = [...language.texts].sort((one, other) => order.indexOf(one.source) - order.indexOf(other.source));
  return table(`texts in ${language.tag}`, ["what", "", "text", "where"], texts.map((text) => [
    text.title, words[text.source] && h(`span.tag.${text.source === "none" ? "error" : "warning"}`, text.source === "fallback" ? `in ${text.tag ?? "no language"}` : "gap"),
    text.why ? clipped(text.why, 200) : text.texts.map((phrase) => h("p", { lang: text.tag }, clipped(phrase, 300))), text.from ? originText(text.from) : ""]));
}

// Values and neighbors of a view, by the operations that clients call.
async function searchPage([...parts]) {
  const names = await viewNames();
  if (!names.length) return [heading("Search"), empty("No view is served: the workspace declares none whose store is known.")];
  const chosen = parts.join("/");
  const name = names.find((known) => known === chosen || known.split("/").at(-1) === chosen) ?? names[0];
  if (chosen && name !== chosen && name.split("/").at(-1) !== chosen) return unknownName("view", chosen, names.map((known) => known.split("/").at(-1)), (known) => address("search", known));
  const view = await ask("GET", `v1/${encodeName(name)}`);
  const chooser = select(names.map((known) => [known, known.split("/").at(-1)]), name, (known) => { location.hash = address("search", known); });
  return [
    heading("Search", h("p.about", name)),
    h("form.filters", { onsubmit: (event) => event.preventDefault() }, field("View", chooser), syncButton(name)),
    fetchForm(name),
    view.indexConfig ? searchForm(name, view) : block("Neighbors", empty("The view has no index.")),
  ];
}

async function viewNames() {
  return (await ask("GET", control("views"))).views;
}

function encodeName(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}

function syncButton(name) {
  const outcome = h("span.faint", { role: "status" });
  const sync = async () => {
    outcome.textContent = "syncing …";
    try {
      const { featureViewSync } = await ask("POST", `v1/${encodeName(name)}:sync`, {});
      const record = await ask("GET", `v1/${encodeName(featureViewSync)}`);
      outcome.textContent = `${count(Number(record.syncSummary?.rowSynced ?? 0))} entities are served`;
    } catch (error) {
      outcome.textContent = error.message;
    }
  };
  return h("span.field.inline", button("Sync now", sync), " ", outcome);
}

function fetchForm(name) {
  const id = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: 'an id, or ["a", 7] for several columns' });
  const found = h("div", { "aria-live": "polite" });
  const show = async () => {
    try {
      const values = await ask("POST", `v1/${encodeName(name)}:fetchFeatureValues`, { dataKey: dataKey(id.value), dataFormat: "KEY_VALUE" });
      found.replaceChildren(featureTable(values.keyValues?.features ?? []));
    } catch (error) {
      found.replaceChildren(refused(error));
    }
  };
  return block("Values of an entity", h("form.filters", { onsubmit: (event) => { event.preventDefault(); show(); } }, field("Entity", id), h("button", { type: "submit" }, "Fetch")), found);
}

function dataKey(text) {
  if (text.trim().startsWith("[")) {
    try {
      return { compositeKey: { parts: JSON.parse(text).map(String) } };
    } catch {
      return { key: text };
    }
  }
  return { key: text };
}

function featureTable(features) {
  return table("values", ["feature", "value"], features.map((feature) => [feature.name, h("code", featureText(feature.value))]));
}

function featureText(value) {
  if (!value) return "null";
  const [inner] = Object.entries(value).filter(([name]) => name.endsWith("Value")).map(([, one]) => one);
  const plain = inner && typeof inner === "object" && "values" in inner ? inner.values : inner;
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  return text.length > 200 ? `${text.slice(0, 200)} …` : text;
}

function searchForm(name, view) {
  const by = h("textarea", { rows: "2", spellcheck: "false", placeholder: "an entity id, or a vector: [0.1, 0.2, …]" });
  const number = h("input", { type: "number", min: "1", max: "1000", value: "10" });
  const filters = (view.indexConfig.filterColumns ?? []).map((column) => [column, h("input", { type: "text", autocomplete: "off", placeholder: "any; or =3, <3, >=3, or words: a, b, -c" })]);
  const crowding = view.indexConfig.crowdingColumn && h("input", { type: "number", min: "1", placeholder: "any" });
  const found = h("div", { "aria-live": "polite" });
  const show = async () => {
    try {
      const query = searchQuery(by.value, number.value, filters, crowding?.value);
      const begin = performance.now();
      const usual = await neighbors(name, query);
      const taken = performance.now() - begin;
      const exact = view.indexConfig.bruteForceConfig ? usual : await neighbors(name, { ...query, parameters: { leafNodesSearchFraction: 1 } });
      found.replaceChildren(...neighborTables(usual, exact, taken, Boolean(view.indexConfig.bruteForceConfig)));
    } catch (error) {
      found.replaceChildren(refused(error));
    }
  };
  return block("Neighbors",
    h("form.filters", { onsubmit: (event) => { event.preventDefault(); show(); } },
      field("Nearest to", by), field("How many", number), filters.map(([column, box]) => field(column, box)), crowding && field(`At most for each ${view.indexConfig.crowdingColumn}`, crowding),
      h("button", { type: "submit" }, "Search")), found);
}

function searchQuery(text, number, filters, crowding) {
  const query = { neighborCount: Number(number) || 10, stringFilters: [], numericFilters: [] };
  if (text.trim().startsWith("[")) query.embedding = { value: JSON.parse(text) };
  else query.entityId = text.trim();
  for (const [column, box] of filters) addFilter(query, column, box.value.trim());
  if (crowding) query.perCrowdingAttributeNeighborCount = Number(crowding);
  return query;
}

const OPERATORS = { "=": "EQUAL", "!=": "NOT_EQUAL", "<": "LESS", "<=": "LESS_EQUAL", ">": "GREATER", ">=": "GREATER_EQUAL" };
function addFilter(query, name, text) {
  if (!text) return;
  const [, sign, value] = /^(<=|>=|!=|=|<|>)\s*(-?[0-9.eE+-]+)$/.exec(text) ?? [];
  if (sign) {
    query.numericFilters.push({ name, op: OPERATORS[sign], ...(/^-?[0-9]+$/.test(value) ? { valueInt: value } : { valueDouble: Number(value) }) });
    return;
  }
  const words = text.split(",").map((word) => word.trim()).filter(Boolean);
  query.stringFilters.push({ name, allowTokens: words.filter((word) => !word.startsWith("-")), denyTokens: words.filter((word) => word.startsWith("-")).map((word) => word.slice(1)) });
}

async function neighbors(name, query) {
  const answer = await ask("POST", `v1/${encodeName(name)}:searchNearestEntities`, { query, returnFullEntity: true });
  return answer.nearestNeighbors.neighbors;
}

function neighborTables(usual, exact, taken, isExact) {
  const ids = new Set(exact.map((one) => one.entityId));
  const hits = usual.filter((one) => ids.has(one.entityId)).length;
  const rows = usual.map((one) => [one.entityId, one.distance.toPrecision(6), h("span.faint", (one.entityKeyValues?.keyValues?.features ?? []).slice(0, 6).map((feature) => `${feature.name} ${featureText(feature.value).slice(0, 40)}`).join(", "))]);
  const about = isExact ? `${plural(usual.length, "neighbor")}, exact, ${taken.toFixed(1)} ms` : `${plural(usual.length, "neighbor")} by the tree in ${taken.toFixed(1)} ms; ${hits} of the exact ${exact.length} are among them`;
  return [h("p", { role: "status" }, about), table("neighbors", ["entity", ["distance", "number"], "values"], rows)];
}

// Effective configurations: values with who set them, from the nodes that equal parts of stores share.
const openedNodes = new Map();
let stored = null;
forgetters.push(() => { stored = null; openedNodes.clear(); });

// A part of a configuration: {value, leaf, fields, items, origin, over}; the same object for the same node.
function viewOf(number) {
  if (number === null) return { fields: new Map() };
  if (!openedNodes.has(number)) openedNodes.set(number, openNode(stored.nodes[number]));
  return openedNodes.get(number);
}

function openNode([kind, ...rest]) {
  if (kind === "v") return openValue(rest);
  const [children, ...over] = rest;
  const replaced = { over: over.map(openOrigin) };
  if (kind === "l") return { items: children.map(viewOf), ...replaced };
  return { fields: new Map(Object.entries(children).map(([name, child]) => [name, viewOf(child)])), ...replaced };
}

function openValue([setter, name, value, distances, ...over]) {
  let line = 0;
  let next = 0;
  const open = (part, name) => {
    const view = { value: part, setter };
    if (isMessage(part)) view.fields = new Map(Object.entries(part).map(([key, inner]) => [key, open(inner, key)]));
    else if (isMergedList(part, name)) view.items = part.map((item) => open(item, ""));
    else {
      line += distances[next++];
      view.origin = { ...stored.setters[setter], line };
    }
    return view;
  };
  const opened = open(value, name);
  opened.over = over.map(openOrigin);
  return opened;
}

function openOrigin([setter, value, line]) {
  return { ...stored.setters[setter], value, line };
}

function isMessage(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0;
}

function isMergedList(value, name) {
  return Array.isArray(value) && value.length > 0 && stored.merged_lists.includes(name);
}

function itemName(view, index) {
  const text = (name) => view.fields?.get(name)?.value;
  return text("displayName") ?? text("languageCode") ?? (text("priority") === undefined ? `${index + 1}` : `priority ${text("priority")}`);
}

// The parts of a message or a list, by what people call them.
function childrenOf(view) {
  if (view.fields) return view.fields;
  const named = new Map();
  (view.items ?? []).forEach((item, index) => {
    const name = itemName(item, index);
    named.set(named.has(name) ? `${name} (${index + 1})` : name, item);
  });
  return named;
}

function isLeaf(view) {
  return !view.fields && !view.items;
}

// Who set something; of a message, whoever set its first part.
function originOf(view) {
  if (view.origin) return view.origin;
  for (const child of childrenOf(view).values()) {
    const found = originOf(child);
    if (found) return found;
  }
  return null;
}

function leafText(view) {
  view.text ??= JSON.stringify(view.value);
  return view.text;
}

// The fields of several configurations, each with its part in every one: only those that differ, unless `all`.
function compareViews(columns, path, all, rows = []) {
  const present = columns.filter(Boolean);
  if (!all && (present.length === 0 || new Set(columns).size === 1)) return rows;
  const isMissing = present.length < columns.length;
  if (present.every((view) => !isLeaf(view))) {
    if (isMissing) rows.push({ path, cells: columns, isHeading: true });
    if (isMissing && !all && new Set(present).size === 1) return rows;
    const names = new Set(present.flatMap((view) => [...childrenOf(view).keys()]));
    for (const name of names) {
      const inner = columns.map((view) => view && childrenOf(view).get(name));
      const whereSet = inner.filter((_, index) => columns[index]);
      if (all || !isSame(whereSet)) compareViews(inner, [...path, name], all, rows);
    }
    return rows;
  }
  const texts = new Set(columns.map((view) => (view ? (isLeaf(view) ? leafText(view) : "{}") : "")));
  if (all || texts.size > 1) rows.push({ path, cells: columns });
  return rows;
}

// Whether parts are equal, whoever set them.
function isSame(views) {
  if (new Set(views).size === 1) return true;
  if (views.some((view) => !view)) return false;
  if (views.every(isLeaf)) return new Set(views.map(leafText)).size === 1;
  if (views.some(isLeaf)) return false;
  const children = views.map(childrenOf);
  const names = new Set(children.flatMap((each) => [...each.keys()]));
  return [...names].every((name) => isSame(children.map((each) => each.get(name))));
}

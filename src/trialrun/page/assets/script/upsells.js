// Upsells of a store in the order in which it tries them, how far each reaches, and sessions turn by turn.
const VERDICTS = { never: "proved: no session offers it", possible: "possible: a session that offers it was played", unknown: "not decided whether a session offers it" };
const OFFERS = { greetingOffer: "at the welcome", celUpsell: "in a turn", closingOffer: "at the end" };

async function upsellsPage([id, ...rest]) {
  const stores = await openStores();
  const data = await section("upsells");
  if (!data || !stores) return [heading("Upsells"), empty("The workspace declares no store.")];
  if (id) return storeUpsells(stores, data, [id, ...rest].join("/"));
  const reachOf = new Map(data.reach.flatMap((entry) => entry.stores.map((store) => [store, entry])));
  const rows = stores.groups.flatMap((group) => {
    const names = group.stores.map((index) => stores.stores[index].id);
    return groupedBy(names, (name) => reachOf.get(name)).map(([reach, names]) => ({ reach, names, group }));
  });
  const body = growing(rows, (row) => upsellsRow(row), { size: 100, holder: h("tbody"), noun: "configurations" });
  const more = body.querySelector(".more");
  return [
    heading("Upsells", h("p.about", reachSummary(data))),
    h("div", scroller("configurations", h("table", h("thead", h("tr", ["stores", "upsells", "never offered", "surprises"].map((text, index) => h(index ? "th.number" : "th", { scope: "col" }, text)))), body.querySelector("tbody"))), more),
    conversationBlocks(data.conversations),
  ];
}

function reachSummary(data) {
  const sessions = data.reach.reduce((sum, entry) => sum + (entry.sessions ?? 0), 0);
  return `${plural(sessions, "random session")} at ${plural(data.reach.length, "configuration")}`;
}

function upsellsRow({ reach, names, group }) {
  const upsells = orderedUpsells(group);
  const never = reach?.upsells?.filter((entry) => entry.offered === 0).length;
  return h("tr",
    h("td", link(address("upsells", names[0]), names[0]), names.length > 1 && h("span.faint", ` and ${count(names.length - 1)} more`)),
    h("td.number", count(upsells.length)),
    h("td.number", never === undefined ? h("span.faint", reach?.errors ? "has errors" : "not explored") : count(never)),
    h("td.number", reach?.surprises ? count(reach.surprises.length) : ""));
}

// The upsells as they are tried: at the welcome, then in turns (the most favored first), then at the end.
function orderedUpsells(group) {
  const kinds = Object.keys(OFFERS);
  for (const type of ["UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"]) {
    const root = group.roots[type];
    const strategy = root === null || root === undefined ? null : viewOf(root).fields?.get("operationsConfig")?.fields?.get("upsellStrategy");
    const items = strategy?.fields?.get("upsells");
    if (!strategy) continue;
    const upsells = [...(items ? childrenOf(items) : [])].map(([name, view]) => {
      const kind = kinds.find((each) => view.fields?.has(each)) ?? "";
      const offer = view.fields?.get(kind);
      const priority = view.fields?.get("priority")?.value ?? 0;
      return { name, view, kind, offer, priority, favor: kind === "celUpsell" ? offer?.fields?.get("priority")?.value ?? 0 : 0, disabled: view.fields?.get("disabled")?.value === true };
    });
    return upsells.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || other.favor - one.favor || one.priority - other.priority);
  }
  return [];
}

function storeUpsells(stores, data, id) {
  const store = stores.byId.get(id);
  if (!store) return unknownName("store", id, [...stores.byId.keys()], (name) => address("upsells", name));
  const upsells = orderedUpsells(stores.groups[store.group]);
  const reach = data.reach.find((entry) => entry.stores.includes(id));
  const told = data.conversations.filter((one) => one.store === id || (one.kind === "example" && reach?.stores.includes(one.store)));
  return [
    heading(`Upsells at ${store.id}`, link(address("stores", store.id), "its configuration")),
    reachNote(reach, id),
    reach?.surprises?.length > 0 && block("Surprises in random sessions", h("ul", reach.surprises.map(surpriseEntry))),
    block("In the order in which they are tried", upsells.length ? growing(upsells, (upsell) => upsellEntry(upsell, reach), { holder: h("ol.upsells"), noun: "upsells" }) : empty("This store offers nothing.")),
    conversationBlocks(told),
  ];
}

function reachNote(reach, id) {
  if (reach?.errors) return h("p.hint.error", "Not explored: the documents of this store have errors.");
  if (!reach) return h("p.hint", "Not explored on this page: trialrun explore ", id, " plays random sessions at this store.");
  const equal = reach.stores.length > 1 ? `, the same at ${plural(reach.stores.length, "store")}` : "";
  return [h("p.about", `Offered in how many of ${plural(reach.sessions, "random session")} with ${plural(reach.turns, "turn")}, seed ${reach.seed}${equal}:`), commandBlock(reach.command)];
}

function upsellEntry(upsell, reach) {
  const share = reach?.upsells?.find((one) => one.upsell === upsell.name);
  const text = upsell.offer?.fields?.get("conditionExpression")?.value;
  const origin = originOf(upsell.view);
  const items = upsell.offer?.fields?.get("suggestedMenuItems")?.value ?? [];
  return h("li.upsell",
    h("div.what", h("b", upsell.name), " ", h("span.faint", [OFFERS[upsell.kind], `priority ${upsell.priority}`, upsell.favor ? `favored ${upsell.favor}` : ""].filter(Boolean).join(" · ")),
      upsell.disabled && h("span.tag", "disabled"), " ", upsell.offer?.fields?.get("suggestionOnly")?.value === true && h("span.tag", "suggestion only"),
      text && h("p", h("code", clipped(text, 1000))),
      items.length > 0 && h("p.faint", "suggests ", items.join(", ")),
      origin && h("p.who", originText(origin))),
    h("div.reach", share && [h("p", bar(share.offered), " ", h("b", percent(share.offered)), " offered"),
      share.verdict && h(share.verdict === "never" ? "p" : "p.faint", VERDICTS[share.verdict]),
      h("p.faint", `${percent(share.accepted)} accepted, ${percent(share.declined)} declined`),
      share.passed_over.length > 0 && h("p.faint", "passed over: ", share.passed_over.slice(0, 4).map(([code, sessions]) => `${code} in ${count(sessions)}`).join(", "))]));
}

function surpriseEntry(surprise) {
  return h("li.surprise", severity(surprise.severity), " ", clipped(surprise.message, 400),
    surprise.sessions > 0 && h("span.faint", ` in ${plural(surprise.sessions, "session")}`),
    surprise.nearest && h("p.faint", surprise.nearest),
    h("p", surprise.from && h("span.who", originText(surprise.from)), surprise.conversation && [" · ", link(address("sessions", surprise.conversation), "see a session")]));
}

// Sessions by what they show: surprises first, then scenarios.
function conversationBlocks(conversations) {
  const titles = { example: "Sessions with a surprise", scenario: "Sessions of scenarios" };
  const blocks = Object.entries(titles).map(([kind, title]) => {
    const groups = groupedBy(conversations.filter((one) => one.kind === kind), (one) => one.title);
    return groups.length > 0 && block(title, growing(groups, sessionGroup, { holder: h("ul.sessions"), noun: "lines" }));
  });
  return blocks.some(Boolean) ? h("div.side-by-side", blocks) : block("Sessions", empty("No session is on this page."));
}

function groupedBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups];
}

function sessionGroup([title, sessions]) {
  return h("li", link(address("sessions", sessions[0].id), title), h("span.faint", " ", sessionLinks(sessions)));
}

function sessionLinks(sessions) {
  return groupedBy(sessions, (one) => one.store).map(([store, played], at) => [at > 0 && "; ", store, ": ",
    played.map((one, index) => [index > 0 && ", ", h("a.unbroken", { href: address("sessions", one.id) }, plural(one.turns.length - 1, "turn"))])]);
}

async function sessionPage([id]) {
  const data = await section("upsells");
  const one = data?.conversations.find((each) => each.id === id);
  if (!one) return unknownName("session", id ?? "", data?.conversations.map((each) => each.id) ?? [], (name) => address("sessions", name));
  return [
    heading(one.title),
    h("p.facts", one.kind, " at ", link(address("upsells", one.store), one.store), one.path && [" · ", place(one.path, one.line)]),
    one.command && commandBlock(one.command),
    h("ol.turns", one.turns.map((turn, index) => turnEntry(turn, index, one))),
  ];
}

// A turn: the conversation at the left, the decisions at the right.
function turnEntry(turn, index, conversation) {
  return h(index === conversation.turn ? "li.turn.shows" : "li.turn",
    h("div.talk", h("h2", index ? `Turn ${index}` : "Welcome", h("span.faint", ` ${turn.language}`)),
      turn.customer && h("p.customer", h("span.hidden", "customer: "), clipped(turn.customer, 300)),
      (turn.said ?? []).map((said) => h(said.kind === "instruction" ? "p.agent.aside" : "p.agent", { lang: said.language }, h("span.hidden", "agent: "), clipped(said.text, 600))),
      (turn.offered ?? []).filter((offer) => !offer.text).map((offer) => h("p.agent.aside", offer.kind === "suggestion" ? "shows " : "offers ", h("b", offer.upsell), offer.items.length > 0 && `: ${offer.items.join(", ")}`)),
      (turn.mapped ?? []).map((term) => h("p.aside", `“${term.heard}” is understood as ${term.targets.join(" or ") || term.kind}`)),
      turn.refused && h("p.hint.error", turn.refused),
      turn.silence && h("p.aside", turn.silence),
      turn.order && h("p.order", h("span.faint", "order: "), turn.order.map(([number, item]) => (number > 1 ? `${number} ${item}` : item)).join(", "))),
    h("div.decisions", decisions(turn)));
}

function decisions(turn) {
  const conditions = new Map((turn.conditions ?? []).map((one) => [one.upsell, one]));
  const offered = (turn.offered ?? []).map((offer) => decision(offer.upsell, "offered", offer.reason, [], conditions));
  const passed = (turn.passed_over ?? []).map((entry) => decision(entry.upsell, "", entry.reason, entry.further ?? [], conditions));
  if (!offered.length && !passed.length) return empty("Nothing could be offered.");
  return [offered, passed];
}

function decision(name, tag, reason, further, conditions) {
  const condition = conditions.get(name);
  const head = [tag && h("span.tag.offered", tag), " ", h("b", name), " ", h("span.reason", clipped(reason, 200))];
  if (!condition && !further.length) return h("p.decision", head);
  const box = h("details.decision", h("summary", head));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) append(box, [further.map((text) => h("p.faint", "also: ", text)), condition && conditionTable(condition)]);
  });
  return box;
}

function conditionTable(condition) {
  const letters = [...condition.text];
  const value = condition.error ?? String(condition.value);
  const rows = [[h("code", condition.text), truth(value)], ...condition.parts.map(([start, end, text]) => [h("code", letters.slice(start, end).join("")), truth(text)])];
  return table("parts of the condition", ["part", "value"], rows);
}

function truth(value) {
  return h(value === "true" ? "span.mono.true" : value === "false" ? "span.mono.false" : "span.mono", value);
}

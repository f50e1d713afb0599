// The playground: an order at a store, turn by turn. The server plays all turns anew each time, so undo takes one away.
const PLAYED_KEYS = ["seed", "at", "language"];

async function playgroundPage([...parts], query) {
  const data = await openStores();
  if (!data) return [heading("Playground"), empty("The workspace declares no store; add one to the stores of a Brand.")];
  const id = parts.join("/") || data.stores[0].id;
  if (!data.byId.has(id)) return unknownName("store", id, data.stores.map((store) => store.id), (known) => address("playground", known));
  const played = { store: id, seed: query.get("seed") ?? "0", at: query.get("at") ?? "", language: query.get("language") ?? "", state: [], turns: [] };
  const view = playgroundView(played);
  const menu = await ask("GET", control("menu", { store: id }));
  view.menu.replaceChildren(...menuList(menu, view.type));
  await view.play();
  refreshPage = async () => {
    view.menu.replaceChildren(...menuList(await ask("GET", control("menu", { store: id })), view.type));
    await view.play();
  };
  const chooser = select(data.stores.map((store) => [store.id, store.title ? `${store.title} (${store.id})` : store.id]), id, (name) => { location.hash = address("playground", name); });
  return [
    heading("Playground", h("p.about", "An order at a store, as the runtime plays it. Nothing is kept on the server.")),
    h("form.filters", { onsubmit: (event) => event.preventDefault() }, field("Store", chooser), view.choices),
    h("div.playground", h("div.talk", view.conversation, view.order, view.prompt), h("div.why", view.decisions), view.menuBox),
  ];
}

function playgroundView(played) {
  const conversation = h("ol.conversation", { "aria-label": "Conversation" });
  const decisions = h("div", { "aria-live": "polite" });
  const order = h("div.order");
  const menu = h("ul.menu");
  const problem = h("div");
  const line = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "add 2 Fries with Extra Salt; say no onions; decline; done" });
  let shown = null;
  const play = async () => {
    problem.replaceChildren();
    try {
      const answer = await ask("POST", control("session"), sessionRequest(played));
      if (answer.mistake) {
        played.turns.pop();
        problem.replaceChildren(refused({ message: answer.mistake }));
        return false;
      }
      shown = answer.turns;
      conversation.replaceChildren(...shown.map((turn) => spokenTurn(turn, () => choose(turn))));
      order.replaceChildren(orderTable(shown.at(-1).order));
      choose(shown.at(-1));
      return true;
    } catch (error) {
      if (played.turns.length) played.turns.pop();
      problem.replaceChildren(refused(error));
      return false;
    }
  };
  const choose = (turn) => {
    for (const [index, row] of [...conversation.children].entries()) row.setAttribute("aria-current", String(shown[index] === turn));
    decisions.replaceChildren();
    append(decisions, turnDecisions(turn));
  };
  const send = async (text) => {
    if (!text.trim()) return;
    played.turns.push(text.trim());
    if (await play()) line.value = "";
    line.focus();
    conversation.lastElementChild?.scrollIntoView({ block: "nearest" });
  };
  const undo = async () => {
    const last = played.turns.pop();
    await play();
    if (last) line.value = last;
    line.focus();
  };
  const restart = async () => {
    played.turns = [];
    await play();
  };
  const save = async () => {
    const name = `Session at ${played.store}`;
    try {
      download(`${fileName(played.store)}.yaml`, await ask("POST", control("scenario"), { ...sessionRequest(played), name }));
    } catch (error) {
      problem.replaceChildren(refused(error));
    }
  };
  const prompt = h("form.prompt", { onsubmit: (event) => { event.preventDefault(); send(line.value); } },
    field("The customer", line),
    h("div.buttons", h("button", { type: "submit" }, "Send"), button("Accept", () => send("accept")), button("Decline", () => send("decline")), button("Done", () => send("done")),
      button("Undo", undo), button("Start again", restart), button("Save as scenario", save)),
    problem);
  return { conversation, decisions, order, prompt, menu, menuBox: h("section.menu-box", h("h2", "Menu"), menu), play, type: send, choices: startChoices(played, restart) };
}

function sessionRequest(played) {
  const request = { store: played.store, seed: Number.parseInt(played.seed, 10) || 0, turns: played.turns, state: played.state };
  if (played.at) request.at = played.at;
  if (played.language) request.language = played.language;
  return request;
}

function startChoices(played, restart) {
  const change = (name) => (event) => {
    played[name] = event.target.value.trim();
    const set = PLAYED_KEYS.filter((key) => played[key] && played[key] !== "0").map((key) => [key, played[key]]);
    history.replaceState(null, "", `${address("playground", played.store)}${set.length ? `?${new URLSearchParams(set)}` : ""}`);
    restart();
  };
  const text = (name, attributes) => {
    const control_ = h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes, onchange: change(name) });
    control_.value = played[name];
    return control_;
  };
  const state = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "session.channelType=DRIVE_THRU", onchange: (event) => {
    played.state = event.target.value.split(";").map((part) => part.trim()).filter(Boolean);
    restart();
  } });
  return [
    field("Language", text("language", { size: "8", placeholder: "default" })),
    field("Time", text("at", { size: "22", placeholder: "the server's clock" })),
    field("Seed", text("seed", { size: "6", inputmode: "numeric" })),
    field("Sent by the client", state),
  ];
}

function fileName(text) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "session";
}

function menuList(menu, send) {
  if (!menu.items.length) return [h("li", empty(menu.isDeclared ? "The menu has no items." : "The brand declares no menu: any name can be typed."))];
  const rows = menu.items.map((item) => {
    const price = item.price ? h("span.price", item.price.toFixed(2)) : null;
    const order = button(item.name, () => send(`add ${quoted(item.name)}`), { disabled: Boolean(item.unavailable), title: item.unavailable ?? null });
    const groups = (item.modifiers ?? []).map((group) => h("li", h("span.faint", `${group.group || "modifiers"}: `), group.names.flatMap((name, index) =>
      [index ? " " : null, button(name, () => send(`add ${quoted(item.name)} with ${quoted(name)}`), { disabled: Boolean(item.unavailable), class: "small" })])));
    return h("li", order, " ", price, item.unavailable && h("p.faint", item.unavailable), groups.length ? h("details", h("summary", "with modifiers"), h("ul", groups)) : null);
  });
  const omitted = menu.omitted ? [h("li.faint", `${count(menu.omitted)} more can be typed`)] : [];
  return [...rows, ...omitted];
}

// Names that have a meaning of their own in a line of a script are put in quotation marks.
function quoted(name) {
  return /^[\p{L}][\p{L}\p{N} '-]*$/u.test(name) && !/\b(with|and)\b/i.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

function spokenTurn(turn, choose) {
  const said = turn.said.filter((one) => one.kind !== "instruction").map((one) => h("p.agent", one.text));
  const customer = turn.customer && h("p.customer", turn.customer);
  const offered = turn.offered.filter((offer) => !offer.message).map((offer) => h("p.agent.suggested", `offers ${[...offer.items, ...offer.modifiers].join(", ") || offer.upsell}`));
  const silence = !said.length && !offered.length && h("p.agent.faint", turn.silence || "(the agent has nothing to add)");
  const title = turn.turn === 0 ? "welcome" : `turn ${turn.turn}`;
  return h("li", { "aria-current": "false" }, h("button.turn", { type: "button", onclick: choose }, title), customer, said, offered, silence);
}

function orderTable(order) {
  if (!order.length) return empty("The order is empty.");
  const total = order.reduce((sum, one) => sum + one.quantity * (one.price || 0), 0);
  const rows = order.map((one) => [String(one.quantity), [one.item, one.modifiers.length ? h("span.faint", ` with ${one.modifiers.map((modifier) => modifier.modifier).join(", ")}`) : null], one.price ? one.price.toFixed(2) : ""]);
  return table("the order", [["", "number"], "order", ["price", "number"]], total ? [...rows, ["", h("b", "subtotal"), h("b", total.toFixed(2))]] : rows);
}

function turnDecisions(turn) {
  const offered = turn.offered.map((offer) => h("li", h("span.tag.offered", offer.kind), " ", h("b", offer.upsell), ` ${offer.items.join(", ")}`, offer.reason && h("p.faint", offer.reason), h("p.faint", originText(offer.from))));
  const passed = turn.passed_over.map((one) => h("li", h("b", one.upsell), ` ${one.reason}`, one.further.map((further) => h("p.faint", further.reason)), conditionOf(turn, one.upsell)));
  return [
    h("h2", turn.turn === 0 ? "Decisions at the welcome" : `Decisions in turn ${turn.turn}`),
    offered.length ? h("ul.decisions", offered) : empty("Nothing was offered."),
    passed.length ? [h("h3", "Passed over"), h("ul.decisions", passed)] : null,
    turn.mapped.length ? [h("h3", "What was understood"), h("ul.decisions", turn.mapped.map((term) => h("li", h("b", term.heard), ` ${term.instruction || term.targets.map((target) => target.item).join(", ")}`)))] : null,
  ];
}

function conditionOf(turn, upsell) {
  const condition = turn.conditions.find((one) => one.upsell === upsell);
  if (!condition || !condition.parts.length) return null;
  const rows = condition.parts.map((part) => [h("code", part.text), part.error ? h("span.tag.error", part.error) : h("code", JSON.stringify(part.value))]);
  return h("details", h("summary", "the parts of its condition"), table(`the condition of ${upsell}`, ["part", "value"], rows));
}

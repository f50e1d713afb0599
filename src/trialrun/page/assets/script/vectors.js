// A map of a view's vectors on a canvas: colored by a filter column, the neighbors of a search lit up.
async function vectorsBlock(view) {
  const data = await section("vectors");
  const found = data?.maps[view.name];
  if (!found) return null;
  const canvas = h("canvas", { role: "img", "aria-label": `map of ${plural(found.ids.length, "vector")} of ${view.label}` });
  const columns = Object.keys(found.colors);
  const state = { column: columns[0] ?? "", search: null };
  const legend = h("ul.legend");
  const answer = h("div", { "aria-live": "polite" });
  const paint = () => {
    paintMap(canvas, found, data.side, state);
    const names = found.colors[state.column]?.names ?? [];
    legend.replaceChildren(...names.map((name, index) => h("li", s("svg", { width: "10", height: "10", class: "drawing", "aria-hidden": "true" }, s("circle", { class: `c${index % 8}`, cx: "5", cy: "5", r: "4" })), " ", name)));
  };
  const show = (index) => {
    state.search = index === "" ? null : found.searches[Number(index)];
    answer.replaceChildren(...(state.search ? [neighborsTable(found, state.search)] : []));
    paint();
  };
  const recalls = found.searches.map((one) => one.recall).filter((recall) => typeof recall === "number");
  new ResizeObserver(paint).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  return block("Vectors",
    h("p.about", `${count(found.ids.length)} of ${plural(found.total, "vector")} by their two directions of largest variance, which have ${percent(found.explained[0])} and ${percent(found.explained[1])} of it`),
    recalls.length > 0 && h("p", `The index finds ${percent(recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length)} of the true ${found.searches[0].neighbors.length} nearest neighbors, over ${plural(recalls.length, "search", "searches")} beside exact ones.`),
    h("form.filters", { onsubmit: (event) => event.preventDefault() },
      columns.length > 0 && field("Color", select(columns.map((name) => [name, name]), state.column, (column) => { state.column = column; paint(); })),
      found.searches.length > 0 && field("Neighbors of", select([["", "nobody"], ...found.searches.map((one, index) => [String(index), found.ids[one.of]])], "", show))),
    h("div.map", h("figure", canvas, legend), answer));
}

function paintMap(canvas, found, side, state) {
  const size = Math.max(200, Math.min(640, canvas.parentElement?.clientWidth ?? 640));
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(size * scale)) canvas.width = canvas.height = Math.round(size * scale);
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, size, size);
  const near = new Map((state.search?.neighbors ?? []).filter(([at]) => at !== null).map(([at], rank) => [at, rank]));
  const shades = Array.from({ length: 8 }, (_, index) => color(`--c${index}`));
  const of = found.colors[state.column]?.of;
  const radius = found.ids.length > 5000 ? 1.2 : found.ids.length > 1000 ? 2 : 3;
  const place = (at) => [8 + (found.points[2 * at] / side) * (size - 16), 8 + (1 - found.points[2 * at + 1] / side) * (size - 16)];
  const dot = (at, shade, wide) => { const [x, y] = place(at); context.fillStyle = shade; context.beginPath(); context.arc(x, y, wide, 0, 7); context.fill(); };
  context.globalAlpha = state.search ? 0.25 : 0.8;
  for (let at = 0; at < found.ids.length; at++) if (!near.has(at)) dot(at, shades[(of?.[at] ?? 1) % 8], radius);
  context.globalAlpha = 1;
  if (!state.search) return;
  const [x, y] = place(state.search.of);
  context.strokeStyle = color("--strong-line");
  for (const at of near.keys()) { const [tox, toy] = place(at); context.beginPath(); context.moveTo(x, y); context.lineTo(tox, toy); context.stroke(); dot(at, shades[(of?.[at] ?? 1) % 8], radius + 2); }
  dot(state.search.of, color("--ink"), radius + 3);
}

function neighborsTable(found, search) {
  return h("div", h("h3", `Nearest to ${found.ids[search.of]}`),
    table("neighbors", [["rank", "number"], "id", ["distance", "number"]], search.neighbors.map(([, id, distance], rank) => [String(rank + 1), id, String(distance)])),
    typeof search.recall === "number" && h("p.faint", `recall ${percent(search.recall)} beside exact search`));
}

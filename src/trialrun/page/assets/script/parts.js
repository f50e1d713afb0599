// Parts that several pages have.
const LEVELS = {
  "brand-default": ["○", "brand default"],
  "brand-binding": ["●", "brand binding"],
  "store-default": ["◇", "store default"],
  "store-binding": ["◆", "store binding"],
};
const SEVERITIES = ["error", "warning", "note"];

function levelMark(level) {
  return h(`span.level.${level}`, { "aria-hidden": "true" }, LEVELS[level]?.[0] ?? "·");
}

function levelName(level) {
  return h(`span.level.${level}`, h("span", { "aria-hidden": "true" }, `${LEVELS[level]?.[0] ?? ""} `), LEVELS[level]?.[1] ?? level);
}

function levelLegend() {
  return h("p.legend", Object.keys(LEVELS).map(levelName));
}

function severity(word) {
  return h(`span.tag.${word}`, word);
}

function heading(text, ...beside) {
  return h("div.heading", h("h1", { tabindex: "-1" }, text), beside);
}

function block(title, ...content) {
  return h("section.block", title && h("h2", title), content);
}

function folded(title, ...content) {
  return h("details.block", h("summary", h("h2", title)), content);
}

function empty(text) {
  return h("p.empty", text);
}

// A command in full, and a button that copies it; where the browser does not allow that, it is chosen for the keys.
function commandBlock(command) {
  const text = h("pre", unbroken(command, /(?<= )/));
  const outcome = h("span.faint", { role: "status" });
  const copy = () => {
    getSelection().selectAllChildren(text);
    outcome.textContent = document.execCommand("copy") ? "copied" : "chosen: press Ctrl+C or ⌘C";
  };
  return h("div.command", text, button("Copy", copy), outcome);
}

// Numbers with what they count; each leads to where it comes from.
function numbers(entries) {
  return h("ul.numbers", entries.map(([number, text, to, kind]) =>
    h(kind ? `li.${kind}` : "li", link(to, h("b", typeof number === "number" ? count(number) : number), " ", h("span", text)))));
}

// A share as a bar; its number stands beside it.
function bar(share) {
  return s("svg", { class: "bar", viewBox: "0 0 100 8", width: "100", height: "8", "aria-hidden": "true" },
    s("rect", { class: "bar-all", width: "100", height: "8" }),
    s("rect", { class: "bar-part", width: String(Math.round(share * 100)), height: "8" }));
}

// The lines of a file that something is about, with marks in them.
function codeFrame(frame) {
  if (!frame.lines.length) return h("p", place(frame.path, frame.line), " is not readable any more");
  const rows = [];
  let previous = 0;
  for (const [number, text, marks] of frame.lines) {
    if (previous && number > previous + 1) rows.push(h("div.gap", "⋯"));
    rows.push(h("div.line", h("span.number", { "data-number": number }), h("code", marked(text, marks))));
    for (const [start, , style, message] of marks) if (message) rows.push(h(`div.remark.${style}`, `${" ".repeat(start)}${message}`));
    previous = number;
  }
  const title = `${frame.path}:${frame.line}:${frame.column}`;
  return h("div.frame", h("p.place", unbroken(title)), scroller(`lines of ${title}`, rows));
}

function marked(text, marks) {
  const parts = [];
  const letters = [...text];
  let at = 0;
  for (const [start, end, style] of [...marks].sort((one, other) => one[0] - other[0])) {
    if (start < at) continue;
    parts.push(letters.slice(at, start).join(""), h(`mark.${style}`, letters.slice(start, end).join("") || " "));
    at = end;
  }
  parts.push(letters.slice(at).join(""));
  return parts;
}

// The page for a name that does not exist, with the nearest that do.
function unknownName(noun, name, names, to) {
  const near = nearestNames(name, names);
  return [
    heading(`No ${noun} “${name.slice(0, 120)}”`),
    near.length
      ? h("p", "The nearest names: ", h("ul.names", near.map((known) => h("li", link(to(known), known)))))
      : empty(`The workspace has no ${noun}.`),
  ];
}

function originText(origin) {
  const rule = origin.rule ? ` (${origin.rule})` : "";
  return [levelName(origin.level), rule, " · ", place(origin.path, origin.line)];
}

// Elements. Everything that a workspace says becomes text: there is no way from a string to markup.
const SVG = "http://www.w3.org/2000/svg";
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// Control characters, bidirectional ones among them, are shown by their numbers.
function visible(value) {
  return String(value).replace(CONTROLS, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return parent;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
}

// h("a.path", {href: "#/"}, "text"): an element with its classes, attributes and content.
function h(name, ...content) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  const [first] = content;
  const isPlain = first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  if (isPlain) setAttributes(element, content.shift());
  return append(element, content);
}

function s(name, attributes, ...content) {
  const element = document.createElementNS(SVG, name);
  setAttributes(element, attributes);
  return append(element, content);
}

function address(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

function link(to, ...content) {
  return h("a", { href: to }, ...content);
}

function button(text, action, attributes = {}) {
  return h("button", { type: "button", onclick: action, ...attributes }, text);
}

let lastId = 0;
function field(label, control, ...classes) {
  const id = `field-${++lastId}`;
  control.id = id;
  return h(["span", "field", ...classes].join("."), h("label", { for: id }, label), control);
}

function select(options, value, action) {
  const control = h("select", options.map(([key, text]) => h("option", { value: key }, text)));
  control.value = value;
  control.addEventListener("change", () => action(control.value));
  return control;
}

function searchBox(value, action, attributes = {}) {
  const control = h("input", { type: "search", autocomplete: "off", spellcheck: "false", ...attributes });
  control.value = value;
  control.addEventListener("input", () => action(control.value));
  return control;
}

// A table that scrolls inside of its own frame; `columns` are headings, or [heading, class].
function table(label, columns, rows) {
  const heads = columns.map((column) => (Array.isArray(column) ? column : [column, ""]));
  const cell = (content, index) => h(heads[index][1] ? `td.${heads[index][1]}` : "td", content);
  return scroller(
    label,
    h("table",
      h("thead", h("tr", heads.map(([text, kind]) => h(text ? (kind ? `th.${kind}` : "th") : "td", text ? { scope: "col" } : {}, text)))),
      h("tbody", rows.map((row) => h("tr", row.map(cell))))),
  );
}

// What is wider or higher than its frame can be scrolled by the keyboard as well, and fades where there is more of it.
const overflows = new ResizeObserver((entries) => {
  for (const { target } of entries) showOverflow(target.closest(".scroller"));
});

function showOverflow(frame) {
  const right = frame.scrollWidth - frame.clientWidth;
  const below = frame.scrollHeight - frame.clientHeight;
  if (right > 1 || below > 1) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
  frame.classList.toggle("more-right", right - frame.scrollLeft > 1);
  frame.classList.toggle("more-below", below - frame.scrollTop > 1);
}

function scroller(label, ...content) {
  const frame = h("div.scroller", { role: "group", "aria-label": label, onscroll: () => showOverflow(frame) }, content);
  for (const part of [frame, frame.firstElementChild]) if (part) overflows.observe(part);
  return frame;
}

// A list that grows by a button: of many thousands of things, the first are shown at once.
function growing(items, show, { size = 50, holder = h("div"), noun = "more" } = {}) {
  let shown = 0;
  const more = button("", () => grow());
  const box = h("div", holder.parentNode ? null : holder, h("p.more", more));
  function grow() {
    const next = items.slice(shown, shown + size);
    const added = next.map(show);
    append(holder, added);
    shown += next.length;
    more.parentElement.hidden = shown >= items.length;
    more.textContent = `Show ${Math.min(size, items.length - shown)} of ${count(items.length - shown)} ${noun}`;
  }
  grow();
  return box;
}

// The sections of the page: from elements of this file, or from the endpoints of the server that serves it.
const isLive = document.documentElement.dataset.mode === "live";
const sections = new Map();

// Sections are packed: "$12" stands for entry 12 of the table. Equal parts become one object.
function unpack({ table, root }) {
  const entries = [];
  const open = (value) => {
    if (typeof value === "string") return value[0] !== "$" ? value : value[1] === "$" ? value.slice(1) : entries[value.slice(1)];
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(open);
    const opened = Object.create(null);
    for (const key of Object.keys(value)) opened[key] = open(value[key]);
    return opened;
  };
  for (const entry of table) entries.push(open(entry));
  return open(root);
}

async function fromServer(name) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(`trialrun/v1/page/${name}`, { headers });
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${name}`);
  return response.json();
}

function fromFile(name) {
  const element = document.getElementById(`data-${name}`);
  if (!element) return null;
  const text = element.textContent;
  element.remove();
  return JSON.parse(text);
}

// A section by its name, read once; null where the page has none.
function section(name) {
  if (!sections.has(name)) {
    const packed = isLive ? fromServer(name) : Promise.resolve(fromFile(name));
    sections.set(name, packed.then((found) => found && unpack(found)));
  }
  return sections.get(name);
}

// What else is kept of sections is forgotten with them.
const forgetters = [];
function forgetSections() {
  sections.clear();
  for (const forget of forgetters) forget();
}

// A server that asks for a token prints it in the fragment of its address, which browsers do not send.
const TOKEN_KEY = "trialrun-token";
function readToken() {
  const given = new URLSearchParams(location.hash.replace(/^#\/?/, "")).get("token");
  if (!given) return sessionStorage.getItem(TOKEN_KEY);
  sessionStorage.setItem(TOKEN_KEY, given);
  history.replaceState(null, "", "#/");
  return given;
}
const token = isLive ? readToken() : null;

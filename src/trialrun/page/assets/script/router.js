// Addresses: `#/page/name/part?filter=value`. Each shows one page, sets the title and moves the focus to its heading.
const PAGES = [
  ["", "Overview", overviewPage],
  ["stores", "Stores", storesPage],
  ["upsells", "Upsells", upsellsPage],
  ["sessions", null, sessionPage],
  ["views", "Views", viewsPage],
  ["findings", "Findings", findingsPage],
  ["scenarios", "Scenarios", scenariosPage],
  ["changes", "Changes", changesPage],
  ["rules", null, rulePage],
];

if (isLive) {
  PAGES.push(["playground", "Playground", playgroundPage], ["search", "Search", searchPage], ["server", "Server", serverPage]);
}

function currentAddress() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const decode = (part) => { try { return decodeURIComponent(part); } catch { return part; } };
  return { parts: path.split("/").map(decode), query: new URLSearchParams(query ?? "") };
}

function navigation(current, available) {
  const shown = PAGES.filter(([name, title]) => title && available.includes(name || "overview"));
  return h("nav", { "aria-label": "Pages" }, h("ul", shown.map(([name, title]) =>
    h("li", h("a", { href: name ? `#/${name}` : "#/", "aria-current": name === current ? "page" : null }, title)))));
}

let turn = 0;
let isFirst = true;

async function showPage({ keepsPlace = false } = {}) {
  if (location.hash === "#main") return;
  const mine = ++turn;
  if (isLive) refreshPage = null;
  const { parts, query } = currentAddress();
  const [name, ...rest] = parts;
  const overview = await section(isLive ? "outline" : "overview");
  const page = PAGES.find(([known]) => known === name);
  let content;
  try {
    content = page ? await page[2](rest, query) : unknownPage(name);
  } catch (error) {
    content = [heading("This page cannot be shown"), h("p", String(error.message ?? error))];
    console.error(error);
  }
  if (mine !== turn) return;
  present(overview, name, content, keepsPlace);
}

function unknownPage(name) {
  return unknownName("page", name, PAGES.filter(([, title]) => title).map(([known]) => known || "overview"), (known) => (known === "overview" ? "#/" : `#/${known}`));
}

function present(overview, name, content, keepsPlace) {
  const main = document.getElementById("main");
  document.getElementById("top").replaceChildren(
    h("a.workspace", { href: "#/" }, overview.workspace), navigation(name, overview.pages));
  main.replaceChildren();
  append(main, [content]);
  const title = main.querySelector("h1")?.textContent ?? "";
  document.title = visible(name ? `${title} · ${overview.workspace}` : `${overview.workspace} · trialrun`);
  if (!isFirst && !keepsPlace) {
    main.querySelector("h1")?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
  if (isFirst && !isLive) readAhead(overview.pages);
  isFirst = false;
  document.body.dataset.ready = location.hash || "#/";
}

// The other sections are read while nobody waits, so that the first click on a page is as fast as the next one.
function readAhead(names) {
  const later = window.requestIdleCallback ?? ((read) => setTimeout(read, 200));
  const [name, ...rest] = names;
  if (name) later(() => { section(name); readAhead(rest); });
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
window.addEventListener("hashchange", () => showPage());
showPage();
if (isLive) followFiles();

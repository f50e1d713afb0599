// Requests to the server that serves the page; the token, where there is one, is a header of each.
class Refusal extends Error {
  constructor(error) {
    super(error.message);
    this.violations = (error.details ?? []).flatMap((detail) => detail.fieldViolations ?? []);
  }
}

async function ask(method, path, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  const answer = isJson ? await response.json() : await response.text();
  if (!response.ok) throw new Refusal(answer.error ?? { message: `the server answers ${response.status}` });
  return answer;
}

const control = (name, parameters) => `trialrun/v1/${name}${parameters ? `?${new URLSearchParams(parameters)}` : ""}`;

function refused(error) {
  const lines = (error.violations ?? []).map((violation) => h("li", place(violation.field), ` ${violation.description}`));
  return h("div.refusal", { role: "alert" }, h("p.message", error.message), lines.length > 1 && h("ul", lines));
}

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const anchor = h("a", { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Saved files: the sections are read again, and the page that is shown is shown again with them, in its own way or anew.
let refreshPage = null;
let revision = null;
async function followFiles() {
  let now = null;
  try {
    now = (await ask("GET", control("revision"))).revision;
    document.body.dataset.server = "answers";
  } catch {
    document.body.dataset.server = "silent";
  }
  if (now !== null && revision !== null && now !== revision) await showAgain();
  revision = now ?? revision;
  setTimeout(followFiles, document.hidden ? 10000 : 1500);
}

async function showAgain() {
  forgetSections();
  await (refreshPage ? refreshPage() : showPage({ keepsPlace: true }));
  announce("The files have changed; the page shows them as they are now.");
}

function announce(text) {
  document.getElementById("status").textContent = text;
}

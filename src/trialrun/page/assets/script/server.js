// The clock and the faults of the server.
async function serverPage() {
  const [clock, faults] = await Promise.all([ask("GET", control("clock")), ask("GET", control("faults"))]);
  return [heading("Server", h("p.about", "Its clock and the faults that tests asked for. What is changed here holds for every client.")), clockBlock(clock), faults && faultsBlock(faults)];
}

function clockBlock(clock) {
  const now = h("b", clock.now);
  const speed = h("input", { type: "text", inputmode: "decimal", size: "8", value: String(clock.speed) });
  const time = h("input", { type: "text", size: "24", placeholder: "2027-03-14T09:00:00Z" });
  const outcome = h("div", { "aria-live": "polite" });
  const change = async (body) => {
    try {
      const answer = await ask("POST", control("clock"), body);
      now.textContent = answer.now;
      outcome.replaceChildren();
      append(outcome, [syncsMade(answer)]);
    } catch (error) {
      outcome.replaceChildren(refused(error));
    }
  };
  return block("Clock", h("p", now, h("span.faint", " UTC")),
    h("div.buttons", ["1m", "1h", "1d", "7d", "365d"].map((by) => button(`+ ${by}`, () => change({ advance: by })))),
    h("form.filters", { onsubmit: (event) => { event.preventDefault(); change({ time: time.value }); } }, field("Move on to", time), h("button", { type: "submit" }, "Move")),
    h("form.filters", { onsubmit: (event) => { event.preventDefault(); change({ speed: Number(speed.value) }); } }, field("Seconds in one second", speed), h("button", { type: "submit" }, "Change the speed")),
    outcome);
}

function syncsMade(answer) {
  if (!answer.syncCount) return h("p", { role: "status" }, "No sync was due.");
  const rows = answer.syncs.map((sync) => [sync.name.split("/").at(-3), sync.createTime, sync.finalStatus.code ? h("span.tag.error", sync.finalStatus.message) : `${sync.syncSummary?.rowSynced ?? 0} entities`]);
  return [h("p", { role: "status" }, `${plural(answer.syncCount, "sync")}, ${count(answer.failedCount)} failed`), table("syncs", ["view", "time (UTC)", "outcome"], rows)];
}

function faultsBlock(answer) {
  const faults = answer.faults ?? [];
  const rows = faults.map((fault) => [String(fault.id ?? ""), h("code", JSON.stringify(fault)), button("Clear", async () => {
    await ask("DELETE", `trialrun/v1/faults/${encodeURIComponent(fault.id)}`);
    showPage();
  })]);
  return block("Faults", faults.length ? table("faults", ["id", "fault", ""], rows) : empty("There are none. Tests add them by POST /trialrun/v1/faults."));
}

"""Measures the page: its size, `trialrun report`, first paint and a click in chromium: `python -m benchmarks.page`.

One brand with many configs and stores, whose page is opened from disk. First paint and click are medians of several
runs; the click opens the stores, chooses a cell and opens a store, each measured from the click to the next frame.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.brands import brand
from benchmarks.check import SEED
from benchmarks.corpus import write
from tests.page.chromium import Browser, chromium, why_not

CLICKS = {
    "the page of stores": "document.querySelector('nav a[href=\"#/stores\"]')",
    "a cell": "document.querySelectorAll('button.cell')[5]",
    "a store": "document.querySelector('.matrix thead a')",
}
TIMED_CLICK = (
    "const done = arguments[arguments.length - 1]; const started = performance.now(); {target}.click();"
    "const ready = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - started)));"
    "const wait = () => (document.body.dataset.ready === location.hash || {isCell}) ? ready() : setTimeout(wait, 1);"
    "wait();"
)


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--configs", type=int, default=1000, help="how many configs (default 1000)")
    parser.add_argument("--stores", type=int, default=5000, help="how many stores (default 5000)")
    parser.add_argument("--times", type=int, default=5, help="runs of the browser (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder = Path(name) / "brand"
        write(folder, brand(options.configs, options.stores, seed=SEED))
        file = Path(name) / "page.html"
        command = [sys.executable, "-m", "trialrun", "report", "-o", str(file), "--at", "2026-11-20"]
        seconds = _timed(command, folder)
        print("| work | measured |\n|---|---|")
        print(f"| {options.configs} configs, {options.stores} stores: size | {file.stat().st_size / 1e6:.2f} MB |")
        print(f"| `trialrun report` | {seconds:.1f} s |", flush=True)
        if reason := why_not():
            print(f"no browser: {reason}")
            return
        with chromium() as browser:
            _print_browser(browser, file, options.times)


def _timed(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - started


def _print_browser(browser: Browser, file: Path, times: int) -> None:
    paints: list[float] = []
    clicks: dict[str, list[float]] = {name: [] for name in CLICKS}
    for _ in range(times):
        browser.open(file)
        browser.wait("performance.getEntriesByName('first-contentful-paint').length")
        script = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
        paints.append(float(browser.run(script)))
        for name, target in CLICKS.items():
            is_cell = "true" if name == "a cell" else "false"
            browser.run("delete document.body.dataset.ready") if is_cell == "false" else None
            timed = TIMED_CLICK.replace("{target}", target).replace("{isCell}", is_cell)
            clicks[name].append(float(browser.driver.execute_async_script(timed)))
    print(f"| first paint | {statistics.median(paints):.0f} ms |")
    for name, measured in clicks.items():
        print(f"| a click on {name} | {statistics.median(measured):.0f} ms |")


if __name__ == "__main__":
    main()

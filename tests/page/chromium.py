"""Chromium as the tests of the page drive it: what it asks for, what it complains of, and what axe-core finds."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

AXE = Path(__file__).parent / "npm" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 60
SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
)
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def why_not() -> str:
    """What is missing to run chromium; empty where nothing is."""
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    try:
        import selenium  # noqa: F401
    except ImportError:
        missing.append("selenium")
    return f"needs {missing[0]}; run .ci/browser" if missing else ""


class Browser:
    """One window of chromium."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def open(self, file: Path, address: str = "#/") -> None:
        """Open an address of a page, also of the one that is open."""
        self.driver.get("about:blank")
        self.driver.get(f"{file.as_uri()}{address}")
        self.wait("document.body && document.body.dataset.ready")

    def go(self, address: str) -> None:
        """Go to another address of the page that is open."""
        self.run("delete document.body.dataset.ready; location.hash = arguments[0]", address)
        self.wait("document.body.dataset.ready")

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script's `return`."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def text(self, selector: str = "main") -> str:
        """The text of an element as a person sees it."""
        text: str = self.run("return document.querySelector(arguments[0]).innerText", selector)
        return text

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a selector."""
        script = "return [...document.querySelectorAll(arguments[0])].map((element) => element.innerText)"
        texts: list[str] = self.run(script, selector)
        return texts

    def click(self, selector: str) -> None:
        """Click the first element of a selector."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def press(self, *keys: str) -> None:
        """Press keys, one after another, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def paste(self) -> None:
        """Press the keys that paste."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("v").key_up(Keys.CONTROL).perform()

    def resize(self, width: int, height: int = 900) -> None:
        """Make the page so wide."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def use_scheme(self, scheme: str) -> None:
        """Make the page light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def requests(self) -> list[str]:
        """What was asked for since the last time, besides the file itself."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [
            entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("file:", "about:", "data:"))]

    def complaints(self) -> list[str]:
        """What stands in the console since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def violations(self) -> list[str]:
        """What axe-core finds on the page, by rule and element."""
        self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        script = (
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']})"
            ".then((found) => done(found.violations.flatMap((one) => one.nodes.map((node) =>"
            " `${one.id}: ${node.target} ${node.failureSummary}`))), (error) => done([String(error)]))"
        )
        found: list[str] = self.driver.execute_async_script(script, list(TAGS))
        return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window, which ends with the test."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    try:
        yield Browser(driver)
    finally:
        driver.quit()

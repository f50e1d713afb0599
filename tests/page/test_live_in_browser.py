"""The page of a server in chromium: the playground, the search box, the clock, and files that are saved meanwhile."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.example_workspace import EXAMPLE
from tests.page.chromium import AXE, Browser, chromium, why_not
from tests.server.server_process import RunningServer, start_server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), pytest.mark.skipif(bool(why_not()), reason=why_not())]

PAGES = [
    *("#/", "#/stores", "#/playground", "#/playground/austin-lamar", "#/playground/austin", "#/search"),
    *("#/search/menu_search_exact", "#/search/menu", "#/server"),
]
TURNS = "document.querySelectorAll('.conversation li').length"
NEXT = "#/playground/austin-lamar"
TOKEN = "a-token-of-this-test-0123456789"
SEARCHED = "#/search/menu_search_exact"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live") / "burgers"
    shutil.copytree(EXAMPLE, folder)
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path) -> Iterator[RunningServer]:
    with start_server(workspace, "--at", "2026-06-01T18:00:00Z", "--speed", "0") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(autouse=True)
def quiet(browser: Browser, server: RunningServer) -> Iterator[None]:
    """Every test fails where another server was asked, or something stands in the console."""
    browser.requests(), browser.complaints()
    browser.resize(1280)
    yield
    assert [url for url in browser.requests() if not url.startswith(server.http)] == []
    assert browser.complaints() == []


def visit(browser: Browser, server: RunningServer, address: str) -> None:
    """Open an address of the page, and wait until it shows something."""
    browser.driver.get("about:blank")
    browser.driver.get(f"{server.http}/{address}")
    browser.wait("document.body && document.body.dataset.ready && document.querySelector('main h1')")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("address", PAGES)
def test_no_page_is_wider_than_the_window(browser: Browser, server: RunningServer, address: str, width: int) -> None:
    browser.resize(width)
    visit(browser, server, address)
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core; run .ci/browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing(browser: Browser, server: RunningServer, address: str, scheme: str) -> None:
    browser.use_scheme(scheme)
    visit(browser, server, address)
    assert browser.violations() == []


def test_an_order_is_played_by_clicks_and_by_keys_and_undone(browser: Browser, server: RunningServer) -> None:
    visit(browser, server, NEXT)
    browser.wait(f"{TURNS} === 1")
    browser.click(".menu button")
    browser.wait(f"{TURNS} === 2")
    assert "Classic Smash" in browser.text(".order")
    assert "Decisions in turn 1" in browser.text(".why")
    browser.run("document.querySelector('.prompt input').focus()")
    browser.press("done", "\ue007")
    browser.wait(f"{TURNS} === 3")
    browser.run("[...document.querySelectorAll('.prompt button')].find((one) => one.innerText === 'Undo').click()")
    browser.wait(f"{TURNS} === 2")
    browser.click(".conversation button.turn")
    browser.wait("document.querySelector('.why h2').innerText === 'Decisions at the welcome'")


def test_a_turn_that_cannot_be_played_is_explained(browser: Browser, server: RunningServer) -> None:
    visit(browser, server, NEXT)
    browser.wait(f"{TURNS} === 1")
    browser.run("document.querySelector('.prompt input').focus()")
    browser.press("add Clasic Smash", "\ue007")
    browser.wait("document.querySelector('.refusal')")
    assert "Classic Smash" in browser.text(".refusal")
    assert browser.run(f"return {TURNS}") == 1


def test_a_session_is_downloaded_as_a_scenario(browser: Browser, server: RunningServer) -> None:
    visit(browser, server, NEXT)
    browser.wait(f"{TURNS} === 1")
    browser.run(
        "window.saved = []; const create = URL.createObjectURL;"
        "URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push(text)); return create(blob); };"
        "HTMLAnchorElement.prototype.click = () => {};"
        "[...document.querySelectorAll('.prompt button')].find((one) => one.innerText === 'Save as scenario').click()"
    )
    browser.wait("window.saved.length")
    assert str(browser.run("return window.saved[0]")).startswith("kind: Scenario\n")


def test_a_view_is_synced_searched_and_fetched(browser: Browser, server: RunningServer) -> None:
    visit(browser, server, SEARCHED)
    browser.click(".filters button")
    browser.wait("document.querySelector('main [role=status]').innerText.includes('are served')")
    assert browser.run("return document.querySelector('textarea') !== null")
    browser.run(
        "document.querySelector('textarea').value = JSON.stringify(Array(768).fill(0.1));"
        "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Search').click()"
    )
    browser.wait("document.querySelector('[aria-label=neighbors]')")
    assert "10 neighbors, exact" in browser.text()
    browser.run(
        "document.querySelector('.block input').value = arguments[0];"
        "[...document.querySelectorAll('button')].find((one) => one.innerText === 'Fetch').click()",
        browser.run("return document.querySelector('[aria-label=neighbors] tbody td').innerText"),
    )
    browser.wait("document.querySelector('[aria-label=values]')")


def test_the_clock_of_the_server_is_moved(browser: Browser, server: RunningServer) -> None:
    visit(browser, server, "#/server")
    before = browser.text("main b")
    browser.run("[...document.querySelectorAll('button')].find((one) => one.innerText === '+ 1h').click()")
    browser.wait("document.querySelector('[aria-live] p')")
    assert browser.text("main b") > before


def test_a_saved_file_is_shown_without_losing_the_order(
    browser: Browser, server: RunningServer, workspace: Path
) -> None:
    visit(browser, server, NEXT)
    browser.wait(f"{TURNS} === 1")
    browser.click(".menu button")
    browser.wait(f"{TURNS} === 2")
    browser.wait("document.body.dataset.server === 'answers'")
    file = workspace / "channels" / "house-voice.yaml"
    text = file.read_text()
    assert "welcome to Smashwell" in text
    file.write_text(text.replace("welcome to Smashwell", "welcome to the new Smashwell"))
    browser.wait("document.querySelector('.conversation').innerText.includes('the new Smashwell')")
    assert browser.run(f"return {TURNS}") == 2


def test_a_token_is_taken_from_the_address_and_hidden(browser: Browser, workspace: Path, tmp_path: Path) -> None:
    with start_server(workspace, "--store", str(tmp_path / "store"), environment={"TRIALRUN_TOKEN": TOKEN}) as running:
        browser.driver.get(f"{running.http}/#token={TOKEN}")
        browser.wait("document.body && document.body.dataset.ready")
        assert "burgers" in browser.text("#top")
        assert TOKEN not in browser.driver.current_url
        browser.driver.get("about:blank")  # a page that is open goes on asking a server that has ended
    browser.requests(), browser.complaints()

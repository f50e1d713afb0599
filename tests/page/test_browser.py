"""The page in chromium: nothing leaves, nothing breaks, everything can be reached and used."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.changes.git_workspace import change_example
from tests.cli.example_workspace import EXAMPLE, NOON, copied
from tests.page.chromium import AXE, Browser, chromium, why_not
from tests.program import own_environment, run_here, view

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), pytest.mark.skipif(bool(why_not()), reason=why_not())]

PAGES = [
    *("#/", "#/stores", "#/stores?all=yes", "#/stores/chicago-wicker-park", "#/stores/chicago", "#/findings"),
    *("#/findings?show=suppressions", "#/rules/cron-syntax", "#/nothing", "#/rules/cron-sintax"),
]
WIDTHS = (360, 768, 1280)
CONTROLS = "a[href], button:not([tabindex='-1']), input, select, summary, [tabindex='0']"
"""What the tab key leads to; the cells of a grid are reached by arrows."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the example workspace, its broken files included."""
    folder = tmp_path_factory.mktemp("page")
    file = folder / "page.html"
    ran = run_here(("report", *NOON, "-o", str(file)), EXAMPLE, own_environment(folder))
    assert ran.code == 0, ran.err
    return file


def written_page(folder: Path) -> Path:
    """The page of a folder at noon."""
    ran = run_here(("report", *NOON, "--sessions", "5"), folder, own_environment(folder))
    assert ran.code == 0, ran.err
    return folder / "trialrun-report.html"


@pytest.fixture(scope="module")
def page_with_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the example workspace with rows and changes."""
    folder = tmp_path_factory.mktemp("data")
    workspace = copied(folder / "shop")
    change_example(workspace)
    ran = run_here(("report", *NOON, "--with-data", "--since", "HEAD"), workspace, own_environment(folder))
    assert ran.code == 0, ran.err
    return workspace / "trialrun-report.html"


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test fails where something was asked for, or stands in the console."""
    browser: Browser = request.getfixturevalue("browser")
    browser.requests(), browser.complaints()
    browser.resize(1280)
    yield
    assert (browser.requests(), browser.complaints()) == ([], [])


@pytest.mark.parametrize("address", PAGES)
def test_a_page_has_a_heading_and_a_title(browser: Browser, page: Path, address: str) -> None:
    browser.open(page, address)
    assert len(browser.texts("main h1")) == 1
    assert browser.run("return document.title")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("address", PAGES)
def test_no_page_is_wider_than_the_window(browser: Browser, page: Path, address: str, width: int) -> None:
    browser.resize(width)
    browser.open(page, address)
    assert browser.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core; run .ci/browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing(browser: Browser, page: Path, address: str, scheme: str) -> None:
    browser.use_scheme(scheme)
    browser.open(page, address)
    assert browser.violations() == []


def test_the_keyboard_alone_reaches_every_control(browser: Browser, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    for address in PAGES:
        browser.open(page, address)
        wanted = browser.run(
            "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length",
            CONTROLS,
        )
        reached = browser.run(
            "window.reached = new Set(); document.addEventListener('focusin', (event) => reached.add(event.target));"
            "return reached.size"
        )
        for _ in range(min(wanted, 400) + 2):
            browser.press(Keys.TAB)
        reached = browser.run("return reached.size")
        assert reached >= min(wanted, 400), address


def test_findings_are_filtered_and_the_address_says_so(browser: Browser, page: Path) -> None:
    browser.open(page, "#/findings?severity=warning")
    assert set(browser.texts(".finding .tag")) == {"warning"}
    browser.run(
        "const rule = document.querySelectorAll('.filters select')[1];"
        "rule.value = 'ambiguous-scalar'; rule.dispatchEvent(new Event('change'))"
    )
    assert browser.texts(".finding h2 a") == ["ambiguous-scalar"]
    assert browser.run("return location.hash") == "#/findings?severity=warning&rule=ambiguous-scalar"


def test_an_unknown_name_shows_the_nearest(browser: Browser, page: Path) -> None:
    browser.open(page, "#/rules/cron-sintax")
    assert browser.texts(".names a")[0] == "cron-syntax"


def test_the_focus_follows_to_the_heading_of_a_page(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.go("#/findings")
    assert browser.run("return document.activeElement.tagName") == "H1"


def test_a_cell_of_the_matrix_says_who_set_it_and_what_that_overrode(browser: Browser, page: Path) -> None:
    browser.open(page, "#/stores")
    row = (
        "[...document.querySelectorAll('.matrix tbody tr')].find((row) => row.innerText.startsWith('maxUpsellOffers'))"
    )
    browser.run(f"{row}.querySelectorAll('button.cell')[1].click()")
    detail = browser.text(".detail")
    assert "maxUpsellOffers" in detail
    assert "chicago-wicker-park" in detail
    assert "channels/dayparts.yaml:44" in detail
    assert "overrode 3" in detail


def test_arrows_lead_through_the_matrix(browser: Browser, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(page, "#/stores")
    browser.run("document.querySelector('button.cell').focus()")
    before = browser.run("return document.activeElement.innerText")
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ENTER)
    assert browser.run("return document.activeElement.className") == "cell"
    assert browser.run("return document.activeElement.innerText") != before
    assert "chicago-wicker-park" in browser.text(".detail")


def test_stores_and_fields_are_searched(browser: Browser, page: Path) -> None:
    browser.open(page, "#/stores?stores=kiosk&fields=maxUpsell")
    assert browser.texts(".matrix thead a") == ["chicago-wicker-park", "montreal-plateau"]
    assert [text for text in browser.texts(".matrix tbody th[scope=row]") if "maxUpsell" not in text] == []


def test_a_store_shows_its_languages(browser: Browser, page: Path) -> None:
    browser.open(page, "#/stores/chicago-wicker-park")
    browser.click(".languages summary")
    browser.wait("document.querySelector('.languages table')")
    assert "Welcome, gold members" in browser.text(".languages")


def test_a_view_is_drawn_from_its_source_to_its_index(browser: Browser, page: Path) -> None:
    browser.open(page, "#/views?text=menu_search_exact")
    assert browser.texts(".view h2 a")[:1] == ["menu_search_exact"]
    assert browser.texts(".flow h3") == ["warehouse source", "sync", "store", "index", "data"]
    browser.click(".view h2 a")
    browser.wait("document.querySelector('h1').innerText === 'menu_search_exact'")


def test_the_schedule_is_a_picture_with_its_meaning_in_words(browser: Browser, page: Path) -> None:
    browser.open(page, "#/views")
    label = browser.run("return document.querySelector('svg.drawing').getAttribute('aria-label')")
    assert "runs of 9 views from Fri 20 Nov 2026 to Fri 27 Nov 2026" in label
    assert browser.run("return document.querySelectorAll('svg.drawing .run').length") > 20


def test_upsells_are_in_the_order_in_which_they_are_tried(browser: Browser, page: Path) -> None:
    browser.open(page, "#/upsells/chicago-wicker-park")
    names = browser.texts(".upsell .what > b")
    assert (names[0], names[1], names[-1]) == ("Welcome, gold members", "Bigger table, Family Pack", "Something sweet")
    assert "100 % offered" in browser.text(".upsell .reach")
    assert "uses up maxUpsellOffers" in browser.text()


def test_a_session_is_played_to_its_end(browser: Browser, page: Path) -> None:
    browser.open(page, "#/upsells/phoenix-airport")
    browser.run(
        "[...document.querySelectorAll('.sessions a')].find((one) => one.innerText.startsWith('Two offers')).click()"
    )
    browser.wait("document.querySelectorAll('.turn').length === 6")
    turns = browser.texts(".turn")
    assert "add Classic Smash" in turns[1]
    assert "offers Fries with burgers" in turns[1]
    assert "Something sweet 2 of 2 offers are made" in turns[5]


def test_every_passed_over_upsell_says_why_down_to_the_parts_of_its_condition(browser: Browser, page: Path) -> None:
    browser.open(page, "#/upsells/phoenix-airport")
    browser.run(
        "[...document.querySelectorAll('.sessions a')].find((one) => one.innerText.startsWith('Two offers')).click()"
    )
    browser.wait("document.querySelectorAll('.turn').length === 6")
    browser.run("document.querySelectorAll('.turn')[1].querySelectorAll('summary').forEach((one) => one.click())")
    browser.wait("document.querySelector('.turn .decisions table')")
    table = browser.texts(".turn:nth-child(2) .decisions")[0]
    assert "Drink with a meal" in table
    assert "its condition is false" in table
    assert "order.items.size() >= 2" in table


def test_scenarios_show_what_failed_and_what_nothing_exercises(browser: Browser, page: Path) -> None:
    browser.open(page, "#/scenarios")
    assert "Austin offers hash browns with a breakfast burger" in browser.texts(".scenario")[0]
    assert "to be offered" in browser.texts(".scenario .hint")[0]
    assert "order.subtotal < 9.0" in browser.texts("mark.idle")
    browser.go("#/scenarios?aspect=stores")
    assert "Everything is covered." in browser.text()


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core; run .ci/browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["#/views/menu_search", "#/changes"])
def test_axe_finds_nothing_on_pages_with_data(
    browser: Browser, page_with_data: Path, address: str, scheme: str
) -> None:
    browser.use_scheme(scheme)
    browser.open(page_with_data, address)
    assert browser.violations() == []


def test_what_is_wrong_comes_first(browser: Browser, page: Path) -> None:
    browser.open(page)
    lines = browser.texts(".wrong li")
    assert lines[0].startswith("error")
    assert any("failed" in line and '"Hash browns" to be offered' in line for line in lines)
    assert any("lunch_forecast" in line and "hour 25 is outside 0-23" in line for line in lines)
    headings = ["Findings: 19 errors, 6 warnings", "Not checked", "1 failing scenario", "7 views with problems"]
    assert browser.texts("main h2")[:4] == headings
    assert [title.split(":")[0] for title in browser.texts("details summary")] == ["Coverage of scenarios", "Workspace"]
    assert browser.run("return document.querySelectorAll('details[open]').length") == 0
    browser.click(".wrong li a")
    browser.wait("document.querySelector('h1').innerText === 'Findings'")
    assert browser.texts(".finding .tag")[0] == "error"


def test_the_worst_findings_come_first_in_their_list(browser: Browser, page: Path) -> None:
    browser.open(page, "#/findings")
    order = [("error", "warning", "note").index(word) for word in browser.texts(".finding h2 .tag")]
    assert order == sorted(order)


def test_a_workspace_in_which_nothing_is_wrong_says_what_was_looked_at(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view("menu"))
    browser.open(written_page(tmp_path))
    assert browser.texts("main .good") == ["✓ Nothing is wrong: 1 file was checked."]
    assert browser.texts(".wrong li") == []


def test_an_empty_workspace_says_how_to_begin(browser: Browser, tmp_path: Path) -> None:
    browser.open(written_page(tmp_path))
    assert "trialrun init" in browser.text()
    assert "Nothing is wrong" not in browser.text()


@pytest.mark.parametrize(
    ("address", "element"), [("#/upsells/phoenix-airport", ".upsell code"), ("#/stores/phoenix-airport", ".entry pre")]
)
def test_a_condition_keeps_its_line_ends(browser: Browser, page: Path, address: str, element: str) -> None:
    browser.open(page, address)
    (shown,) = [text for text in browser.texts(element) if text.startswith("//")]
    assert shown.splitlines()[:2] == ["// something to eat, nothing to drink", "order.items.size() >= 2"]


def test_a_value_stands_beside_its_field_and_who_set_it(browser: Browser, page: Path) -> None:
    browser.resize(1400)
    browser.open(page, "#/stores/chicago-wicker-park")
    rows = "[...document.querySelectorAll('.entry')].filter((row) => row.children.length === 3)"
    tops = f"return {rows}.map((row) => [...row.children].map((part) => part.getBoundingClientRect().top))"
    assert max(max(row) - min(row) for row in browser.run(tops)) < 8
    assert "priority" in browser.texts(".entry .key")


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("address", ["#/", "#/stores/chicago-wicker-park", "#/scenarios", "#/views", "#/findings"])
def test_paths_break_between_their_parts_only(browser: Browser, page: Path, address: str, width: int) -> None:
    browser.resize(width)
    browser.open(page, address)
    broken = (
        "return [...document.querySelectorAll('.unbroken')].filter((one) => one.getClientRects().length > 1).length"
    )
    assert browser.run("return document.querySelectorAll('.unbroken').length") > 0
    assert browser.run(broken) == 0


def test_the_matrix_shows_where_it_scrolls(browser: Browser, page: Path) -> None:
    browser.resize(1000)
    browser.open(page, "#/stores")
    frame = "document.querySelector('.matrix-frame')"
    browser.wait(f"{frame}.classList.contains('more-right')")
    assert browser.run(f"return {frame}.tabIndex") == 0
    browser.run(f"{frame}.scrollLeft = 10000")
    browser.wait(f"!{frame}.classList.contains('more-right')")


def test_clashes_are_told_in_words(browser: Browser, page: Path) -> None:
    browser.open(page, "#/stores/chicago-wicker-park")
    (first, *_) = browser.texts(".clashes li")
    assert first.startswith(
        '"Fries with burgers" and "Welcome, gold members" have the same priority, 1: only their order'
    )
    assert "/operationsConfig" not in browser.text()


def test_sessions_are_grouped(browser: Browser, page: Path) -> None:
    browser.open(page, "#/upsells")
    lines = [line for line in browser.texts(".sessions li") if line.startswith("The window is quick")]
    assert lines == ["The window is quick, one combo or one side austin-lamar: 3 turns, 1 turn, 1 turn, 1 turn"]
    (cheese,) = [line for line in browser.texts(".sessions li") if line.startswith('"Extra cheese" offers')]
    assert "austin-lamar: 1 turn" in cheese
    assert "phoenix-airport: 1 turn" in cheese


def test_the_command_that_replays_a_session_is_copied_by_the_keyboard(browser: Browser, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(page, "#/sessions/1")
    command = browser.text(".command pre")
    assert command.startswith("printf ")
    browser.run("document.querySelector('.command button').focus()")
    browser.press(Keys.ENTER)
    browser.wait("document.querySelector('.command [role=status]').innerText === 'copied'")
    browser.go("#/findings")
    browser.run("document.querySelector('input[type=search]').focus()")
    browser.paste()
    assert browser.run("return document.querySelector('input[type=search]').value") == command


def test_changes_lead_to_the_stores_that_they_reach(browser: Browser, page_with_data: Path) -> None:
    browser.open(page_with_data, "#/changes")
    assert "reaches" in browser.text()
    browser.click(".changes-list a")
    browser.wait("location.hash.startsWith('#/stores/') && document.querySelector('.document')")


HOSTILE = "</script><img src=x onerror=alert(1)>\u202eevil"


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a workspace with hostile names, a text of 10,000 characters and 1,000 languages."""
    folder = tmp_path_factory.mktemp("hostile")
    letters = "abcdefghijklmnopqrstuvwxyz"
    tags = [f"q{one}{two}" for one in letters[:20] for two in letters][: 26 * 20]
    tags += [f"{tag}-US" for tag in tags[:480]]
    greetings = [{"languageCode": tag, "greetingPhrases": [f"Hello {tag}"]} for tag in tags]
    upsell = {"displayName": HOSTILE, "priority": 1, "celUpsell": {"conditionExpression": "true"}}
    long = {"displayName": "L" * 10_000, "priority": 2, "celUpsell": {"conditionExpression": f"'{'x' * 10_000}' == ''"}}
    parent = "projects/p/locations/l/brands/b"
    strategy = {"upsellStrategy": {"upsells": [upsell, long]}}
    config = {"greetings": greetings, "defaultLanguageCode": "en-US", **strategy}
    name = f"{parent}/channelConfigs/c"
    documents: list[dict[str, object]] = [
        {"kind": "ChannelConfig", "name": name, "type": "AGENT_CUSTOMIZATION", "operationsConfig": config},
        {
            "kind": "Brand",
            "name": parent,
            "displayName": HOSTILE,
            "defaults": [name],
            "stores": [{"name": f"{parent}/stores/s", "displayName": HOSTILE, "tags": [HOSTILE]}],
        },
    ]
    (folder / "all.yaml").write_text("\n---\n".join(map(json.dumps, documents)), encoding="utf-8")
    return written_page(folder)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "address", ["#/", "#/stores?all=yes", "#/stores/s", "#/upsells/s", "#/findings", f"#/stores/{HOSTILE}"]
)
def test_hostile_texts_break_no_layout_and_run_nothing(
    browser: Browser, hostile_page: Path, address: str, width: int
) -> None:
    browser.resize(width)
    browser.open(hostile_page, "#/nothing")
    browser.go(address)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return document.querySelectorAll('main img, main script').length") == 0
    assert "\u202e" not in browser.text()
    assert "\u202e" not in browser.run("return document.title")

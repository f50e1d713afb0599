"""The page of a server: its sections, its playground and its explorations."""

import asyncio
import shutil
import socket
import time
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.server.server_process import RunningServer, start_server
from tests.service.service_fixture import run
from trialrun.cli.options import default_request
from trialrun.page import upsells_section
from trialrun.page.html import content_security_policy
from trialrun.runtime.clock import FixedClock
from trialrun.server.addresses import Addresses, welcome
from trialrun.server.http.guards import CLIENT_GONE
from trialrun.server.http.routes import EXCEPTION_HANDLERS
from trialrun.server.page import Page
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.workspace.dry_run import dry_run

WORKSPACE = Path(__file__).parents[2] / "fixtures" / "workspaces" / "burger-brand"
STORE = "austin-lamar"
EXPLORED = 20_000
"""Of the work of the section of upsells, as much as one configuration takes instead of all of them."""
LONG = "/trialrun/v1/explore?store=austin-lamar&sessions=2000&turns=20"


class PageClient:
    """Sends requests to the endpoints of the page of the example workspace."""

    def __init__(self) -> None:
        self.clock = FixedClock(datetime(2026, 6, 1, 18, tzinfo=UTC))
        trial = dry_run(default_request((), {"at": "2026-06-01T18:00:00Z", "isolated": False}), self.clock)
        feature_views = FeatureViewService(trial.catalog, clock=self.clock)
        self.revision = 0
        self.live = Page(lambda: (self.revision, trial), self.clock, feature_views)
        self.app = Starlette(routes=self.live.routes(), exception_handlers=EXCEPTION_HANDLERS)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The response to a request."""
        return run(self._send(method, path, options))

    async def _send(self, method: str, path: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, **options)

    def play(self, *turns: str, **fields: Any) -> Any:
        """The answer to a session with some turns."""
        return self.send("POST", "/trialrun/v1/session", json={"store": STORE, "turns": turns, **fields}).json()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    """The page of the example workspace with few of its scenarios, which it plays."""
    folder = tmp_path_factory.mktemp("page") / WORKSPACE.name
    shutil.copytree(WORKSPACE, folder, ignore=shutil.ignore_patterns(".trialrun"))
    for file in {*(folder / "scenarios").iterdir()} - {folder / "scenarios" / "voices.yaml"}:
        file.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(upsells_section, "MAX_WORK", EXPLORED)
        yield PageClient()


def test_the_page_has_no_data_and_reaches_its_server_alone(client: PageClient) -> None:
    response = client.send("GET", "/")
    assert response.headers["content-security-policy"].startswith(content_security_policy(live=True))
    assert "connect-src 'self'" in response.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert 'type="application/json"' not in response.text


def test_a_section_is_what_a_report_embeds(client: PageClient) -> None:
    overview = client.send("GET", "/trialrun/v1/page/overview").json()
    assert overview["root"]["workspace"] == "burger-brand"
    outline = client.send("GET", "/trialrun/v1/page/outline").json()["root"]
    assert outline["pages"] == [*overview["root"]["pages"], "playground", "search", "server"]
    assert client.send("GET", "/trialrun/v1/page/stores").json()["root"]["stores"]
    assert client.send("GET", "/trialrun/v1/page/storse").status_code == 404


def test_sections_are_built_again_when_files_change(client: PageClient) -> None:
    first = client.live.read()
    assert client.live.read() is first
    client.revision += 1
    assert client.send("GET", "/trialrun/v1/revision").json() == {"revision": client.revision}
    assert client.live.read() is not first


def test_a_session_is_played_as_by_the_command(client: PageClient) -> None:
    played = client.play("add Classic Smash", "done")
    assert [turn["turn"] for turn in played["turns"]] == [0, 1, 2]
    assert played["turns"][1]["order"][0]["item"] == "Classic Smash"
    assert played["turns"][2]["finished"] is True
    assert played["mistake"] is None
    assert played["at"] == "2026-06-01T18:00:00Z"
    assert client.play(at="2026-01-02T03:04:05Z")["at"] == "2026-01-02T03:04:05Z"


def test_a_turn_that_cannot_be_played_is_reported_beside_the_others(client: PageClient) -> None:
    played = client.play("add Classic Smash", "add Clasic Smash")
    assert len(played["turns"]) == 2
    assert "Classic Smash" in played["mistake"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"language": "en_US!"}, "language"),
        ({"state": ["session.channelType"]}, "state[0]"),
        ({"turns": ["", ""]}, "turns"),
        ({"turns": ["add Fries"] * 201}, "turns"),
        ({"seed": "x"}, "seed"),
        ({"sed": 1}, "sed"),
    ],
)
def test_what_a_session_cannot_begin_with_is_refused(client: PageClient, fields: dict[str, Any], field: str) -> None:
    response = client.send("POST", "/trialrun/v1/session", json={"store": STORE, **fields})
    violations = response.json()["error"]["details"][1]["fieldViolations"]
    assert (response.status_code, violations[0]["field"]) == (400, field)


def test_an_unknown_store_is_not_found(client: PageClient) -> None:
    for path in ("resolve", "menu", "explore"):
        assert client.send("GET", f"/trialrun/v1/{path}?store=nowhere").status_code == 404


def test_a_session_becomes_a_scenario_that_passes(client: PageClient) -> None:
    body = {"store": STORE, "turns": ["add Classic Smash", "decline"], "name": "declines"}
    response = client.send("POST", "/trialrun/v1/scenario", json=body)
    assert response.headers["content-type"].startswith("application/yaml")
    assert response.text.startswith("kind: Scenario\nname: declines\n")
    refused = client.send("POST", "/trialrun/v1/scenario", json={**body, "turns": ["add Nothing At All"]})
    assert (refused.status_code, refused.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_effective_configurations_menus_and_explorations_are_json(client: PageClient) -> None:
    assert client.send("GET", f"/trialrun/v1/resolve?store={STORE}").json()["types"]["UPSELL_STRATEGY"]["value"]
    menu = client.send("GET", f"/trialrun/v1/menu?store={STORE}").json()
    assert {"Classic Smash", "Fries"} <= {item["name"] for item in menu["items"]}
    assert client.send("GET", f"/trialrun/v1/explore?store={STORE}&sessions=20").json()["sessions"] == 20
    assert client.send("GET", f"/trialrun/v1/explore?store={STORE}&sessions=1000000").status_code == 400


def test_explorations_that_nobody_waits_for_end_and_keep_nobody_waiting(client: PageClient) -> None:
    """`test_explorations_keep_nobody_waiting` has the same of a process, with many more of them."""
    path = f"/trialrun/v1/explore?store={STORE}&sessions=2000&turns=20"

    async def explore_and_hang_up() -> list[tuple[int, bytes]]:
        looks, gone = asyncio.Semaphore(0), asyncio.Event()
        explorations = [asyncio.create_task(ask_until(gone, looks, client.app, path)) for _ in range(3)]
        assert (await client._send("GET", "/trialrun/v1/revision", {})).status_code == 200
        assert not any(exploration.done() for exploration in explorations)
        for _ in range(2):  # the server looks before an exploration, and while it is under way
            await looks.acquire()
        gone.set()
        return await asyncio.gather(*explorations)

    under_way, *waiting = run(explore_and_hang_up())
    assert under_way == (200, b"{}"), "it was not ended"
    assert waiting == [(CLIENT_GONE, b"")] * 2
    assert client.send("GET", f"/trialrun/v1/explore?store={STORE}&sessions=1").json()["sessions"] == 1


async def ask_until(gone: asyncio.Event, looks: asyncio.Semaphore, app: Starlette, path: str) -> tuple[int, bytes]:
    """The status and the body with which a server is done with a request whose client goes away.

    `looks` is released each time that the server looks whether it has.
    """
    url = httpx.URL(path)
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        looks.release()
        if not gone.is_set():
            await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await app(
        {"type": "http", "method": "GET", "path": url.path, "query_string": url.query, "headers": []}, receive, send
    )
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_views_of_every_store_are_listed(client: PageClient) -> None:
    views = client.send("GET", "/trialrun/v1/views").json()["views"]
    assert len(views) > 10
    assert all("/featureViews/" in view for view in views)


def test_only_a_terminal_gets_an_address_with_the_token() -> None:
    addresses = Addresses("http://127.0.0.1:80")
    assert "http://127.0.0.1:80/#token=a%2Fb\n" in welcome(addresses, token="a/b", shows_token=True)
    assert "a/b" not in welcome(addresses, token="a/b")
    assert "a%2Fb" not in welcome(addresses, token="a/b")


@contextmanager
def explorations(server: RunningServer, number: int) -> Iterator[None]:
    """Many long explorations under way, of clients that hang up when the block is left."""
    with ExitStack() as stack:
        for _ in range(number):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            connection.sendall(f"GET {LONG} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(number / 50)
        yield


@pytest.mark.exhaustive
@pytest.mark.parametrize(("number", "views", "advance"), [(8, "guest-profile.yaml", "1d"), (50, "*.yaml", "1s")])
def test_explorations_keep_nobody_waiting(tmp_path: Path, number: int, views: str, advance: str) -> None:
    """Nobody waits: not even the syncs of some views, which take several times as long beside them."""
    workspace = shutil.copytree(WORKSPACE, tmp_path / "workspace")
    kept = {*(workspace / "feature-views").glob(views)}
    for file in {*(workspace / "feature-views").iterdir()} - kept:
        file.unlink()
    with start_server(workspace, "--at", "2026-11-20", "--speed", "0", "--store", str(tmp_path / "store")) as server:
        server.send("GET", LONG.replace("sessions=2000", "sessions=1"))
        with explorations(server, number):
            start = time.monotonic()
            moved = server.send("POST", "/trialrun/v1/clock", json={"advance": advance}).json()
            assert (moved["complete"], moved["syncCount"] > 0) == (True, True)
            assert time.monotonic() - start < 10
        explored = server.send("GET", LONG.replace("sessions=2000", "sessions=1"))
        assert (explored.json()["sessions"], time.monotonic() - start < 20) == (1, True), "abandoned ones go on"
        with explorations(server, number):
            start = time.monotonic()
            assert server.stop() == 0
            assert time.monotonic() - start < 5

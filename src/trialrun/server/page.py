"""The page of a workspace as a server shows it: its sections, effective configurations, sessions and explorations."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from itertools import chain
from threading import Lock, RLock
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.explore import explore_object
from trialrun.outputs.resolve import store_object
from trialrun.page.html import content_security_policy, pack, page_html
from trialrun.page.sections import SECTIONS, overview_section
from trialrun.page.sources import PageSources
from trialrun.runtime.channel_config.explore.report import build_exploration
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.declaration import UndeclaredError
from trialrun.server.clock import run_abandonable
from trialrun.server.http.middleware import CLIENT_GONE
from trialrun.server.http.request_json import query_json
from trialrun.server.http.routes import CONTROL
from trialrun.server.json_body import object_json
from trialrun.server.playground import (
    PlayRequest,
    RecordRequest,
    document_errors,
    menu_json,
    play,
    played_json,
    scenario,
)
from trialrun.service.error import Status, invalid_argument, service_error
from trialrun.service.lint_request import parse_request
from trialrun.service.message import Message
from trialrun.service.resource_names import not_found
from trialrun.workspace.store_dry_run import StoreDryRun

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.clock import Clock
    from trialrun.service.feature_view.service import FeatureViewService
    from trialrun.workspace.dry_run import DryRun

MAX_AGE = 60.0
"""Seconds of the server's clock after which the workspace is read again: some sections say what runs next."""
MIN_AGE = 5.0
"""Seconds for which it is kept at any speed of the clock, unless the files change."""
SERVER_PAGES = ("playground", "search", "server")
"""Pages that only a server has."""
MAX_SESSIONS = 2_000
MAX_EXPLORED_TURNS = 20
PAGE_THREADS = 2
"""Threads of the page alone, so that the operations of clients, syncs and the clock never wait for what it shows."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class ReadWorkspace:
    """The workspace as it was read: of which revision, when, and what was built of it so far."""

    revision: int
    sources: PageSources
    read_at: float
    sections: dict[str, Any]
    errors: dict[str, list[Diagnostic]]
    lock: RLock

    def is_current(self, revision: int, now: datetime) -> bool:
        """Whether it still says what there is."""
        age = abs((now - self.sources.now).total_seconds())
        return self.revision == revision and (age < MAX_AGE or time.monotonic() - self.read_at < MIN_AGE)

    def section(self, name: str) -> Any:
        """A section of the page by its name; None where the workspace has nothing for it.

        It is built alone: of requests for it at one time, the first builds it, and the others wait.
        """
        with self.lock:
            if name not in self.sections:
                self.sections[name] = self._overview() if name == "overview" else SECTIONS[name](self.sources)
            return self.sections[name]

    def _overview(self) -> Any:
        others = {name: self.section(name) for name in SECTIONS}
        return overview_section(self.sources, {name: found for name, found in others.items() if found is not None})


class LiveWorkspace:
    """What the page of a server shows; every method may be called from any thread.

    `current` gives the documents that the server serves now, and their revision: another one after each change.
    """

    def __init__(self, current: Callable[[], tuple[int, DryRun]], clock: Clock) -> None:
        self._current = current
        self._clock = clock
        self._lock = Lock()
        self._workspace: ReadWorkspace | None = None

    @property
    def revision(self) -> int:
        """The revision of the documents."""
        return self._current()[0]

    @property
    def title(self) -> str:
        """The name of the workspace's folder."""
        root = self._current()[1].request.root
        return os.path.basename(root) or root

    def read(self) -> ReadWorkspace:
        """The workspace as it is now."""
        with self._lock:
            (revision, trial), now = self._current(), self._clock.now()
            if self._workspace is None or not self._workspace.is_current(revision, now):
                request = replace(trial.request, now=now)
                sources = PageSources(request, trial=replace(trial, request=request), with_data=True)
                self._workspace = ReadWorkspace(revision, sources, time.monotonic(), {}, {}, RLock())
            return self._workspace

    def store(self, name: str, at: datetime | None = None) -> StoreDryRun:
        """A store under trial, at a time or now. Raises UndeclaredError."""
        sources = self.read().sources
        request = replace(sources.request, now=at or self._clock.now())
        return StoreDryRun(request, sources.brands, sources.options, sources.brands.store(name))

    def errors(self, trial: StoreDryRun) -> list[Diagnostic]:
        """The errors of the documents that sessions at a store use."""
        known, name = self.read().errors, trial.store.name
        if name not in known:
            known[name] = trial.errors()
        return known[name]


class StoreRequest(Message):
    """A store of the workspace, by its name or the end of one."""

    store: str


class ExploreRequest(StoreRequest):
    """Random sessions at a store."""

    sessions: Annotated[int, Field(ge=1, le=MAX_SESSIONS)] = 200
    turns: Annotated[int, Field(ge=1, le=MAX_EXPLORED_TURNS)] = 8
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0


class PageEndpoints:
    """The endpoints of the page; they change nothing."""

    def __init__(self, live: LiveWorkspace, feature_views: FeatureViewService) -> None:
        self._live = live
        self._feature_views = feature_views
        self._threads = ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="page")
        self._exploring = asyncio.Lock()

    def routes(self) -> list[Route]:
        """The page at `/`, and what it reads below `/trialrun/v1`."""
        return [
            Route("/", self._page, methods=["GET"]),
            Route(f"{CONTROL}/revision", self._revision, methods=["GET"]),
            Route(f"{CONTROL}/page/{{section}}", self._section, methods=["GET"]),
            Route(f"{CONTROL}/views", self._views, methods=["GET"]),
            Route(f"{CONTROL}/resolve", self._resolve, methods=["GET"]),
            Route(f"{CONTROL}/menu", self._menu, methods=["GET"]),
            Route(f"{CONTROL}/explore", self._explore, methods=["GET"]),
            Route(f"{CONTROL}/session", self._session, methods=["POST"]),
            Route(f"{CONTROL}/scenario", self._scenario, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        headers = {
            "content-security-policy": f"{content_security_policy(live=True)}; frame-ancestors 'none'",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        }
        return HTMLResponse(page_html(f"{self._live.title} · trialrun", (), live=True), headers=headers)

    async def _revision(self, request: Request) -> Response:
        return JSONResponse({"revision": self._live.revision})

    async def _section(self, request: Request) -> Response:
        name = request.path_params["section"]
        if name not in (names := ("outline", "overview", *SECTIONS)):
            raise not_found("section", name, names)

        def section() -> Any:
            content = self._outline() if name == "outline" else self._live.read().section(name)
            return None if content is None else pack(content)

        return JSONResponse(await self._run(section))

    def _outline(self) -> dict[str, Any]:
        """What every page shows: the name of the workspace, and the pages that there are."""
        sources = self._live.read().sources
        empty = {"stores": sources.stores, "upsells": sources.stores, "views": sources.documents.views}
        empty["scenarios"] = sources.scenarios
        empty |= {"vectors": (), "changes": ()}  # those are on the pages of views; a server has no plan
        pages = [name for name in ("overview", *SECTIONS) if name not in empty or empty[name]]
        return {"workspace": self._live.title, "pages": [*pages, *SERVER_PAGES]}

    async def _views(self, request: Request) -> Response:
        return JSONResponse({"views": self._feature_views.names()})

    async def _resolve(self, request: Request) -> Response:
        asked = _query(request, StoreRequest)
        trial = await self._run(self._store, asked.store)
        return JSONResponse(await self._run(lambda: store_object(trial.active_config)))

    async def _menu(self, request: Request) -> Response:
        asked = _query(request, StoreRequest)
        trial = await self._run(self._store, asked.store)
        return JSONResponse(await self._run(menu_json, trial))

    async def _explore(self, request: Request) -> Response:
        asked = _query(request, ExploreRequest)

        def explored(is_stopped: Callable[[], bool]) -> Mapping[str, Any]:
            return self._explored(asked, is_stopped)

        async with self._exploring:  # one after the other, each with no more than a thread
            if await request.is_disconnected():
                return Response(status_code=CLIENT_GONE)
            return JSONResponse(await run_abandonable(explored, request.is_disconnected, self._threads))

    async def _session(self, request: Request) -> Response:
        asked = parse_request(PlayRequest, object_json(await request.body()))

        def played() -> dict[str, Any]:
            trial = self._playable_store(asked)
            return played_json(play(asked, trial), trial)

        return JSONResponse(await self._run(played))

    async def _scenario(self, request: Request) -> Response:
        asked = parse_request(RecordRequest, object_json(await request.body()))

        def recorded() -> str:
            trial = self._playable_store(asked)
            return canonical_yaml(scenario(asked, play(asked, trial), trial))

        return PlainTextResponse(await self._run(recorded), media_type="application/yaml")

    async def _run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _store(self, name: str, at: datetime | None = None) -> StoreDryRun:
        try:
            return self._live.store(name, at)
        except UndeclaredError as error:
            raise service_error(Status.NOT_FOUND, "unknown-store", str(error)) from error

    def _playable_store(self, asked: PlayRequest) -> StoreDryRun:
        """The store of a session, whose documents must be sound. Raises FAILED_PRECONDITION."""
        trial = self._store(asked.store, asked.at)
        if errors := self._live.errors(trial):
            raise document_errors(errors)
        return trial

    def _explored(self, asked: ExploreRequest, is_stopped: Callable[[], bool]) -> Mapping[str, Any]:
        trial = self._store(asked.store)
        search = Search(
            trial.active_config,
            trial.menu,
            trial.catalog.schema_for,
            begin=trial.now,
            seed=asked.seed,
            turns=asked.turns,
        )
        for _ in chain(search.play(asked.sessions), search.shorten()):
            if is_stopped():
                return {}
        return explore_object(build_exploration(search, asked.sessions), [], [])


def _query(request: Request, model: type[Any]) -> Any:
    names = [name for name, _ in request.query_params.multi_items()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise invalid_argument(twice, "duplicate-parameter", "it is there twice; send it once")
    return parse_request(model, query_json(request.query_params.multi_items(), model))

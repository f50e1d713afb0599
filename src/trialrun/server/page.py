"""The page of a workspace as a server shows it: its sections, effective configurations, sessions and explorations."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain
from threading import Lock, RLock
from typing import Annotated, Any, TypeVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from trialrun.diagnostic import Diagnostic
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.outputs.explore import build_explored, explore_object
from trialrun.outputs.resolve import store_object
from trialrun.outputs.scenarios import scenario_document
from trialrun.outputs.session import session_object
from trialrun.page.html import PackedSection, content_security_policy, page_html
from trialrun.page.sections import SECTIONS, overview_section
from trialrun.page.sources import PageSources
from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.script import ScriptError, parse, parse_setting
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, build_client_state
from trialrun.runtime.channel_config.session.plan import session_plan
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import Turn
from trialrun.runtime.clock import Clock
from trialrun.runtime.declaration import UndeclaredError
from trialrun.server.clock import run_abandonable
from trialrun.server.http.guards import CLIENT_GONE
from trialrun.server.http.routes import CONTROL
from trialrun.server.http.transcoding import query_json
from trialrun.server.json_body import object_json
from trialrun.service.error import BadRequest, FieldViolation, Status, invalid_argument, service_error
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.lint_request import parse_request
from trialrun.service.listing import not_found
from trialrun.service.message import Message, Timestamp
from trialrun.workspace.dry_run import DryRun
from trialrun.workspace.store_dry_run import StoreDryRun

MAX_ITEMS = 2_000
"""Items that are listed, in the order of the menu; the others can be typed."""
MAX_LINE = 2000
MAX_SHOWN_ERRORS = 20
MAX_AGE = 60.0
"""Seconds of the server's clock after which the workspace is read again: some sections say what runs next."""
MIN_AGE = 5.0
"""Seconds for which it is kept at any speed of the clock, unless the files change."""
SERVER_PAGES = ("playground", "search", "server")
"""Pages that only a server has."""
PAGE_THREADS = 2
"""Threads of the page alone, so that the operations of clients, syncs and the clock never wait for what it shows."""
Line = Annotated[str, Field(max_length=MAX_LINE)]
Result = TypeVar("Result")


class StoreRequest(Message):
    """A store of the workspace, by its name or the end of one."""

    store: str


class ExploreRequest(StoreRequest):
    """Random sessions at a store."""

    sessions: Annotated[int, Field(ge=1, le=2_000)] = 200
    turns: Annotated[int, Field(ge=1, le=20)] = 8
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0


class PlayRequest(Message):
    """A session at a store: what it begins with, and what the customer does in each turn, as lines of a script.

    A request has all turns so far, so that nothing of a session is kept.
    """

    store: Line
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] = 0
    at: Timestamp | None = None
    language: Annotated[str, Field(max_length=100)] | None = None
    state: Annotated[list[Line], Field(max_length=100, default_factory=list)]
    turns: Annotated[list[Line], Field(max_length=200, default_factory=list)]


class RecordRequest(PlayRequest):
    """A session to record as a Scenario with a name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


def menu_json(trial: StoreDryRun) -> dict[str, Any]:
    """The items of a store's menu with their modifiers, at the time of the trial."""
    menu = trial.menu
    plan = session_plan(trial.active_config, menu, trial.catalog.schema_for)
    moment = Moment(trial.store.name, plan.local_time(trial.now))
    items = []
    for item in menu.items[:MAX_ITEMS]:
        reason = menu.why_unavailable(item, moment)
        groups: dict[str, list[str]] = {}
        for modifier in menu.modifiers_of(item):
            groups.setdefault(modifier.group, []).append(modifier.name)
        modifiers = [{"group": group, "names": names} for group, names in groups.items()]
        shown = {"name": item.name, "id": item.id or None, "price": item.price}
        items.append(shown | ({"unavailable": reason} if reason else {}) | ({"modifiers": modifiers} if groups else {}))
    omitted = max(0, len(menu.items) - MAX_ITEMS)
    return {"store": trial.store.name, "isDeclared": menu.is_declared, "items": items, "omitted": omitted}


def play(request: PlayRequest, trial: StoreDryRun) -> tuple[Session, list[SetState], list[Turn], str | None]:
    """A session, its settings and the turns that could be played, and what is wrong with the one after.

    Raises INVALID_ARGUMENT.
    """
    settings: list[SetState] = []
    for index, text in enumerate(request.state):
        try:
            settings.append(parse_setting(text))
        except ScriptError as error:
            raise invalid_argument(f"state[{index}]", "invalid-state", str(error)) from error
    try:
        session = trial.begin_session(seed=request.seed, language=request.language, state=build_client_state(settings))
    except ActionError as error:
        field = "state" if isinstance(error.action, SetState) else "language"
        raise invalid_argument(field, f"invalid-{field}", str(error)) from error
    turns, mistake = [session.welcome()], None
    for text in request.turns:
        try:
            lines = parse(text, trial.menu)
            if len(lines) != 1:
                raise invalid_argument("turns", "invalid-turn", "a turn is one line that is not empty")
            turns.append(session.turn(lines[0].actions, lines[0].text))
        except (ScriptError, ActionError) as error:
            mistake = str(error)
            break
    return session, settings, turns, mistake


def played_json(request: PlayRequest, trial: StoreDryRun) -> dict[str, Any]:
    """The JSON of `trialrun session`, and `mistake`: why the turn after the last one cannot be played."""
    session, _, turns, mistake = play(request, trial)
    return {**session_object(trial.store.name, session, turns), "mistake": mistake}


def scenario(request: RecordRequest, trial: StoreDryRun) -> dict[str, Any]:
    """The Scenario that expects what the agent did. Raises INVALID_ARGUMENT for turns that cannot be played."""
    session, settings, turns, mistake = play(request, trial)
    if mistake is not None:
        raise invalid_argument(f"turns[{len(turns) - 1}]", "invalid-turn", mistake)
    return scenario_document(request.name, trial, session, turns, language=request.language, settings=settings)


@dataclass(frozen=True)
class ReadWorkspace:
    """The workspace as it was read: of which revision, when, and what was built of it so far."""

    revision: int
    sources: PageSources
    read_at: float = field(default_factory=time.monotonic)
    sections: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, list[Diagnostic]] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    def section(self, name: str) -> Any:
        """A section of the page by its name, built once for all who ask; None where there is nothing for it."""
        with self.lock:
            if name == "overview" and name not in self.sections:
                others = {name: found for name in SECTIONS if (found := self.section(name)) is not None}
                self.sections[name] = overview_section(self.sources, others)
            elif name not in self.sections:
                section = SECTIONS[name](self.sources)
                self.sections[name] = section and {
                    key: list(value) if isinstance(value, Iterator) else value for key, value in section.items()
                }
            return self.sections[name]


class Page:
    """The page of a server and its endpoints, which change nothing.

    `current` gives the documents that the server serves now, and their revision: another one after each change. What is
    no endpoint may be called from any thread.
    """

    def __init__(
        self, current: Callable[[], tuple[int, DryRun]], clock: Clock, feature_views: FeatureViewService
    ) -> None:
        self._current, self._clock, self._feature_views = current, clock, feature_views
        self._lock = Lock()
        self._workspace: ReadWorkspace | None = None
        self._threads = ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="page")
        self._exploring = asyncio.Lock()

    def _title(self) -> str:
        root = self._current()[1].request.root
        return os.path.basename(root) or root

    def read(self) -> ReadWorkspace:
        """The workspace as it is now."""
        with self._lock:
            (revision, trial), now = self._current(), self._clock.now()
            read = self._workspace
            is_old = read is not None and abs((now - read.sources.now).total_seconds()) >= MAX_AGE
            if read is None or read.revision != revision or (is_old and time.monotonic() - read.read_at >= MIN_AGE):
                request = replace(trial.request, now=now)
                sources = PageSources(request, trial=replace(trial, request=request), with_data=True)
                read = self._workspace = ReadWorkspace(revision, sources)
            return read

    def _outline(self) -> dict[str, Any]:
        """What every page shows: the name of the workspace, and the pages that there are."""
        sources = self.read().sources
        empty = {"stores": sources.stores, "upsells": sources.stores, "views": sources.documents.views}
        empty["scenarios"] = sources.scenarios
        empty["changes"] = ()  # a server has no plan
        pages = [name for name in ("overview", *SECTIONS) if name not in empty or empty[name]]
        return {"workspace": self._title(), "pages": [*pages, *SERVER_PAGES]}

    def _store(self, name: str, at: datetime | None = None) -> StoreDryRun:
        """A store under trial, at a time or now. Raises NOT_FOUND."""
        sources = self.read().sources
        request = replace(sources.request, now=at or self._clock.now())
        try:
            return StoreDryRun(request, sources.brands, sources.options, sources.brands.store(name))
        except UndeclaredError as error:
            raise service_error(Status.NOT_FOUND, "unknown-store", str(error)) from error

    def _playable_store(self, asked: PlayRequest) -> StoreDryRun:
        """The store of a session, whose documents must be sound. Raises NOT_FOUND and FAILED_PRECONDITION."""
        trial = self._store(asked.store, asked.at)
        known, name = self.read().errors, trial.store.name
        if name not in known:
            known[name] = trial.errors()
        violations = [
            FieldViolation(
                field=f"{error.path}:{error.range.start.line}:{error.range.start.column}",
                description=error.message,
                reason=error.rule,
            )
            for error in known[name][:MAX_SHOWN_ERRORS]
        ]
        if violations:
            first, details = violations[0], BadRequest(fieldViolations=violations)
            message = f"the documents of the store have errors; {first.field}: {first.description}"
            raise service_error(Status.FAILED_PRECONDITION, first.reason, message, details)
        return trial

    def _explore(self, asked: ExploreRequest, is_stopped: Callable[[], bool]) -> Mapping[str, Any]:
        """The report of random sessions; nothing where it is stopped."""
        trial = self._store(asked.store)
        config, schema_for = trial.active_config, trial.catalog.schema_for
        search = Search(config, trial.menu, schema_for, begin=trial.now, seed=asked.seed, turns=asked.turns)
        for _ in chain(search.play(asked.sessions), search.shorten()):
            if is_stopped():
                return {}
        return explore_object(build_explored(search, asked.sessions), [])

    def routes(self) -> list[Route]:
        """The page at `/`, and what it reads below `/trialrun/v1`."""
        return [
            Route("/", self._page, methods=["GET"]),
            Route(f"{CONTROL}/revision", self._revision, methods=["GET"]),
            Route(f"{CONTROL}/page/{{section}}", self._section, methods=["GET"]),
            Route(f"{CONTROL}/views", self._views, methods=["GET"]),
            Route(f"{CONTROL}/resolve", self._resolve, methods=["GET"]),
            Route(f"{CONTROL}/menu", self._menu, methods=["GET"]),
            Route(f"{CONTROL}/explore", self._explore_sessions, methods=["GET"]),
            Route(f"{CONTROL}/session", self._session, methods=["POST"]),
            Route(f"{CONTROL}/scenario", self._scenario, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        headers = {
            "content-security-policy": f"{content_security_policy(live=True)}; frame-ancestors 'none'",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        }
        return HTMLResponse("".join(page_html(f"{self._title()} · trialrun", (), live=True)), headers=headers)

    async def _revision(self, request: Request) -> Response:
        return JSONResponse({"revision": self._current()[0]})

    async def _section(self, request: Request) -> Response:
        name = request.path_params["section"]
        if name not in (names := ("outline", "overview", *SECTIONS)):
            raise not_found("section", name, names)

        def section() -> Any:
            content = self._outline() if name == "outline" else self.read().section(name)
            return None if content is None else PackedSection(content).to_object()

        return JSONResponse(await self._run(section))

    async def _views(self, request: Request) -> Response:
        return JSONResponse({"views": self._feature_views.names()})

    async def _resolve(self, request: Request) -> Response:
        asked = _query(request, StoreRequest)
        return JSONResponse(await self._run(lambda: store_object(self._store(asked.store).active_config)))

    async def _menu(self, request: Request) -> Response:
        asked = _query(request, StoreRequest)
        return JSONResponse(await self._run(lambda: menu_json(self._store(asked.store))))

    async def _explore_sessions(self, request: Request) -> Response:
        explored = partial(self._explore, _query(request, ExploreRequest))
        async with self._exploring:  # one after the other, each with no more than a thread
            if await request.is_disconnected():
                return Response(status_code=CLIENT_GONE)
            return JSONResponse(await run_abandonable(explored, request.is_disconnected, self._threads))

    async def _session(self, request: Request) -> Response:
        asked = parse_request(PlayRequest, object_json(await request.body()))
        return JSONResponse(await self._run(lambda: played_json(asked, self._playable_store(asked))))

    async def _scenario(self, request: Request) -> Response:
        asked = parse_request(RecordRequest, object_json(await request.body()))
        text = await self._run(lambda: canonical_yaml(scenario(asked, self._playable_store(asked))))
        return PlainTextResponse(text, media_type="application/yaml")

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _query(request: Request, model: type[Any]) -> Any:
    query = request.query_params.multi_items()
    twice = next((name for name, count in Counter(name for name, _ in query).items() if count > 1), None)
    if twice is not None:
        raise invalid_argument(twice, "duplicate-parameter", "it is there twice; send it once")
    return parse_request(model, query_json(query, model))

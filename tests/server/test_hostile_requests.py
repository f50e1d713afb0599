"""Whatever a request says, it is answered below 500 in JSON, or refused with a reason, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.cases import tries_all_cases
from tests.server.hostile_requests import HostileRequest, hostile_requests
from tests.server.server_fixture import HttpClient
from tests.service.channel_config.service_fixture import service as channel_configs
from tests.service.service_fixture import MENU, RIDERS
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.trial_run import InMemoryStorage
from trialrun.server.bindings.binding import Services
from trialrun.server.dialect import dialect_of
from trialrun.server.http.app import build_app
from trialrun.server.http.body import BodyReader
from trialrun.server.http.control import ClockEndpoint
from trialrun.server.http.guards import Guards
from trialrun.server.http.middleware import GuardedApp
from trialrun.server.long_running import LongRunningOperations
from trialrun.server.metrics import Metrics
from trialrun.server.options import DialectName
from trialrun.server.request_log import RequestLog

REQUESTS = 10
"""Requests that one server answers, one after the other."""
SERVERS = 2_000 if tries_all_cases() else 10
SECONDS = 60


class SharedStorage(InMemoryStorage):
    """Keeps the values of one server for the next, so that not each of them has to be synced."""

    def __init__(self) -> None:
        self._stores: dict[str, OnlineStore] = {}

    def store_of(self, view: str) -> OnlineStore:
        """The store that a view is served from."""
        return self._stores.setdefault(view.rpartition("/featureViews/")[0], super().store_of(view))


STORAGE = SharedStorage()
FOLDER = Path(tempfile.mkdtemp(prefix="trialrun-test-"))


def guarded_app(dialect: DialectName) -> GuardedApp:
    """The application of a server over views and configs."""
    client = HttpClient(FOLDER, dialect=dialect, places=STORAGE)
    for view in (RIDERS, MENU):
        if STORAGE.store_of(view).snapshot(view) is None:
            client.send("POST", f"/v1/{view}:sync", json={})
    services = Services(client.services.feature_views, channel_configs())
    control = ClockEndpoint(client.scheduler).routes()
    app: Any = build_app(services, LongRunningOperations(), dialect_of(dialect), control)
    return GuardedApp(app, Guards(), RequestLog("json", is_verbose=True), Metrics(), BodyReader())


async def answer(app: GuardedApp, request: HostileRequest) -> tuple[int, bytes]:
    """The status and the body of the response to a request."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": request.body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "path": request.path.decode("latin-1"),
        "raw_path": request.path,
        "query_string": request.query,
        "headers": [*request.headers, (b"content-length", str(len(request.body)).encode())],
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


async def require_answers(app: GuardedApp, requests: Sequence[HostileRequest]) -> None:
    """Send requests one after the other, and check what comes back."""
    for request in requests:
        status, body = await asyncio.wait_for(answer(app, request), SECONDS)
        assert status < 500, (request, body)
        content = json.loads(body) if request.method != "HEAD" else {}
        if status >= 400 and request.method != "HEAD":
            error = content["error"]
            assert error["code"] == status and error["message"] and error["details"][0]["reason"], request


@pytest.mark.timeout(2400)
@given(some.sampled_from(["specification", "vendor"]), some.lists(hostile_requests(), min_size=REQUESTS))
@settings(max_examples=SERVERS, suppress_health_check=list(HealthCheck))
def test_every_request_is_answered(dialect: DialectName, requests: list[HostileRequest]) -> None:
    asyncio.run(require_answers(guarded_app(dialect), requests[:REQUESTS]))

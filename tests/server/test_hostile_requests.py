"""Whatever a request says, it is answered below 500 in JSON, or refused with a reason, and the server goes on."""

import asyncio
import copy
import json
import tempfile
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.cases import tries_all_cases
from tests.server.server_fixture import HttpClient
from tests.service.channel_config.service_fixture import ACME, AUSTIN, BISTRO, VOICE, WITH_CAKE
from tests.service.channel_config.service_fixture import service as channel_configs
from tests.service.service_fixture import INDEX, MENU, RIDERS, SERVING, SOURCE, VECTORS
from trialrun.runtime.clock import SystemClock
from trialrun.runtime.feature_view.store.interface import OnlineStore
from trialrun.runtime.feature_view.trial_run import StoreLocations
from trialrun.server.dialect import DIALECTS, DialectName
from trialrun.server.http.guards import BodyReader, GuardedApp, Guards
from trialrun.server.http.routes import build_app, clock_routes
from trialrun.server.monitoring import Monitoring, RequestLog
from trialrun.server.operations import RPCS, LongRunningOperations, Operations, Services
from trialrun.service.journal import Journal

DEEP, LONG_NUMBER, HUGE, NOT_A_NUMBER = "@deep@", "@long-number@", "@huge@", "@nan@"
RAW = {DEEP: "[" * 100_000 + "]" * 100_000, LONG_NUMBER: "1" * 5_000, HUGE: "1e999", NOT_A_NUMBER: "NaN"}
"""What a body has in place of these texts, since no value of Python is written so."""
LONG = "a" * 100_000
ODD_TEXTS = ["", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "\ufeff", "\u202e", "e\u0301", "ﬁ", "İ", "🍔" * 50]
ODD_TEXTS += ["../../../etc/passwd", "..", ".", "/", "a/b", "%2e%2e%2f", "%", "%zz", "-", "--", "*", "a,b.c,*", "`"]
ODD_TEXTS += ["`a`.b", "'; DROP TABLE views; --", "${jndi:ldap://x}", "{{7*7}}", "\r\nX: y", LONG, "labels."]
ODD_TEXTS += ["labels.a = ", "((((", "NOT " * 50 + "a", "(" * 2_000, "-" * 2_000, 'labels."a" : *']
ODD_TEXTS += ['create_time > "9999-12-31T23:59:59.999999999Z"', "create_time desc", "id asc, id desc"]
ODD_TEXTS += ["0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"]
ODD_TEXTS += ["9999-12-31T23:59:59-23:59", "2026-03-01T12:00:00+99:99", "NaN", "Infinity", "1e400", "9" * 400, "-0"]
ODD_TEXTS += ["0x10", "true", "AAAA====", "trialrun1.e30.AAAA", "trialrun1.!!.\ud800", "* * * * *", "TZ=\0 0 0 * * *"]
ODD_TEXTS += ["0 0 31 2 *", "bq://acme.serving.riders", "bq://../../etc/passwd.x.y", "file:///etc/passwd"]
ODD_TEXTS += ["projects/p/locations/l/featureOnlineStores/s/featureViews/v", RIDERS, MENU, "ana", "feature_timestamp"]
ODD_TEXTS += [DEEP, LONG_NUMBER, HUGE, NOT_A_NUMBER]
ODD_NUMBERS = [0, -1, 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**400]
ODD_NUMBERS += [0.5, -0.0, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan")]  # type: ignore[list-item]
NAMES = ["name", "parent", "etag", "uid", "labels", "featureView", "feature_view", "query", "dataKey", "key", "value"]
NAMES += ["uri", "cron", "syncConfig", "sync_config", "source", "bigQuerySource", "indexConfig", "embedding", "state"]
NAMES += ["entityId", "features", "metadata", "generateTime", "__proto__", "__class__", "model_config", "self", "$ref"]
NAMES += ["policy", "bindings", "members", "condition", "updateMask", "filter", "orderBy", "pageToken", "pageSize"]
NAMES += ["operationsConfig", "upsellStrategy", "upsells", "priority", "displayName", "type", "valueAndTimestamp"]
LEAVES = (
    some.sampled_from(ODD_TEXTS)
    | some.sampled_from(ODD_NUMBERS)
    | some.none()
    | some.booleans()
    | some.integers()
    | some.text(max_size=8)
)
VALUES = some.recursive(
    LEAVES,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.sampled_from(NAMES) | some.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KEY = {"dataKey": {"key": "ana"}}
WRITE = {"dataKey": {"key": "ana"}, "features": [{"name": "trips", "value": {"int64Value": "13"}}]}
FILTERS = {"stringFilters": [{"name": "cuisine", "allowTokens": ["thai"], "denyTokens": ["x"]}]}
RANGE = {"numericFilters": [{"name": "price", "valueDouble": 10, "op": "LESS"}]}
QUERY = {"embedding": {"value": [1, 0]}, "neighborCount": 2, "perCrowdingAttributeNeighborCount": 1}
VIEW = {"warehouseSource": SOURCE, "syncConfig": {"cron": "0 3 * * *"}, "labels": {"team": "a"}}
VECTOR_VIEW = {"warehouseSource": {"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]}, "indexConfig": INDEX}
POLICY = {"bindings": [{"role": "roles/viewer", "members": ["user:ana@acme.example"]}], "version": 1}
LISTING = {"pageSize": "2", "filter": "labels.team = a", "orderBy": "create_time desc", "pageToken": ""}
BODIES: dict[str, list[Any]] = {
    "CreateFeatureView": [VIEW, VECTOR_VIEW, {}],
    "UpdateFeatureView": [VIEW, {"labels": {"a": "b"}}, {"name": RIDERS, "etag": "x"}],
    "FetchFeatureValues": [{**KEY, "dataFormat": 2}, {"dataKey": {"compositeKey": {"parts": ["ana"]}}}],
    "StreamingFetchFeatureValues": [[{"dataKeys": [{"key": "ana"}], "dataFormat": "KEY_VALUE"}]],
    "FeatureViewDirectWrite": [[{"featureView": RIDERS, "dataKeyAndFeatureValues": [WRITE]}]],
    "SearchNearestEntities": [
        {"query": {**QUERY, **FILTERS}, "returnFullEntity": True},
        {"query": {"entityId": "1", **RANGE, "parameters": {"leafNodesSearchFraction": 0.5}}},
    ],
    "SetIamPolicy": [{"policy": POLICY, "updateMask": "bindings"}],
    "GetIamPolicy": [{"options": {"requestedPolicyVersion": 1}}, {}],
    "TestIamPermissions": [{"permissions": ["trialrun.featureViews.get"]}],
    "CreateChannelConfig": [WITH_CAKE, {"type": "AGENT_CUSTOMIZATION", "tone": "FRIENDLY"}],
    "UpdateChannelConfig": [WITH_CAKE, {"displayName": "x"}],
    "PromoteChannelConfig": [{"destinationBrand": BISTRO}, {}],
}
QUERIES: dict[str, dict[str, str]] = {
    "CreateFeatureView": {"featureViewId": "copy", "runSyncImmediately": "false"},
    "CreateChannelConfig": {"channelConfigId": "copy"},
    "UpdateFeatureView": {"updateMask": "labels,syncConfig.cron"},
    "UpdateChannelConfig": {"updateMask": "displayName"},
    "TestIamPermissions": {"permissions": "a.b"},
}
NAMES_OF = {
    "featureOnlineStores/*/featureViews/*/featureViewSyncs/*": [f"{RIDERS}/featureViewSyncs/1"],
    "featureOnlineStores/*/featureViews/*": [RIDERS, MENU, f"{SERVING}/featureViews/copy"],
    "featureOnlineStores/*": [SERVING, VECTORS],
    "brands/*/channelConfigs/*": [VOICE, f"{ACME}/channelConfigs/copy"],
    "brands/*/stores/*": [AUSTIN],
    "brands/*/menus/*": [f"{ACME}/menus/acme-menu"],
    "brands/*": [ACME, BISTRO],
    "*": ["projects/acme/locations/us"],
}
"""Names that there are, by the end of the pattern of a path."""
HEADERS = ["accept", "cookie", "authorization", "x-trialrun-token", "x-goog-api-client", "range"]
HEADERS += ["x-http-method-override"]
HEADERS += ["content-encoding", "x-forwarded-for", "x-http-method-override", "upgrade", "x-goog-request-params"]
REQUESTS = 10
"""Requests that one server answers, one after the other."""
SERVERS = 2_000 if tries_all_cases() else 10
SECONDS = 60

FOLDER = Path(tempfile.mkdtemp(prefix="trialrun-test-"))


@dataclass(frozen=True)
class HostileRequest:
    """A request as bytes."""

    method: str
    path: bytes
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


@some.composite
def hostile_requests(draw: some.DrawFn) -> HostileRequest:
    """A request of the tables, of the server itself or of nothing, with some strange parts."""
    binding = draw(some.sampled_from(RPCS))
    name = draw(_resource_name(binding.template.pattern))
    path = name + binding.template.after_field
    method = binding.verb
    if draw(some.integers(0, 15)) == 7:
        method, path = draw(_other_path(name))
    version = draw(some.sampled_from(["v1beta1", "v1", "ui", *["v1"] * 10, ""]))
    query = {**QUERIES.get(binding.method, {})}
    if binding.method.startswith("List") and draw(some.booleans()):
        query |= {name: value for name, value in LISTING.items() if name in binding.request.model_fields}
    body = _body_bytes(draw, draw(_mutated(copy.deepcopy(draw(some.sampled_from(BODIES.get(binding.method, [{}])))))))
    return HostileRequest(
        method, f"/{version}/{path}".encode("utf-8", "replace"), draw(_query(query)), draw(_headers()), body
    )


@some.composite
def _resource_name(draw: some.DrawFn, pattern: str) -> str:
    name = draw(some.sampled_from(next(names for end, names in NAMES_OF.items() if pattern.endswith(end))))
    if draw(some.integers(0, 9)) != 7:
        return name
    segments = name.split("/")
    place = draw(some.integers(0, len(segments) - 1))
    segments[place] = quote(draw(some.sampled_from(ODD_TEXTS)).encode("utf-8", "surrogatepass")[:2000], safe="/:.%*")
    return "/".join(segments)


def _other_path(name: str) -> some.SearchStrategy[tuple[str, str]]:
    paths = [f"{name}/operations/1", f"{name}/operations", f"{name}/operations/1:wait", f"{name}:dance", "", "/", "//"]
    paths += [
        "trialrun/v1/clock",
        "../healthz",
        "$discovery/rest",
        "%00",
        "%ff%fe",
        f"{name}/",
        f"{name}//x",
        "a:b:c/d:e",
    ]
    return some.tuples(some.sampled_from(["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD"]), some.sampled_from(paths))


@some.composite
def _query(draw: some.DrawFn, known: dict[str, str]) -> bytes:
    query: dict[str, str | bytes] = {**known}
    for _ in range(draw(some.sampled_from([0, 0, 0, 1, 2]))):
        name = draw(some.sampled_from([*known] * 9 + ["$alt", "options.requestedPolicyVersion", "a.b", ".", *NAMES]))
        value = draw(some.sampled_from(ODD_TEXTS) | some.text(max_size=8)).encode("utf-8", "surrogatepass")[:2000]
        query[name] = value
    return urlencode(query).encode()


@some.composite
def _headers(draw: some.DrawFn) -> tuple[tuple[bytes, bytes], ...]:
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    for name in draw(some.lists(some.sampled_from(HEADERS), max_size=2)):
        value = draw(some.binary(max_size=20) | some.sampled_from([b"gzip", b"bytes=0-", b"\xff\xfe", b"a" * 5000]))
        headers.append((name.encode(), bytes(byte for byte in value if byte >= 32 and byte != 127)))
    return tuple(headers)


@some.composite
def _mutated(draw: some.DrawFn, value: Any) -> Any:
    """A value of which up to three parts are replaced, added or left out."""
    if draw(some.integers(0, 19)) == 7:
        return draw(VALUES)
    for _ in range(draw(some.sampled_from([0, 1, 1, 2, 3]))):
        _mutate(draw, value)
    return value


def _mutate(draw: some.DrawFn, value: Any) -> None:
    places = list(_places(value))
    if not places:
        return
    container, key = draw(some.sampled_from(places))
    match draw(some.sampled_from(["replace", "replace", "replace", "add", "remove", "nest", "repeat"])):
        case "remove":
            del container[key]
        case "nest":
            container[key] = draw(some.sampled_from([[container[key]], {"value": container[key]}]))
        case "repeat" if isinstance(container, list):
            container.extend(container[:1] * draw(some.sampled_from([1, 1000])))
        case "add" if isinstance(container, dict):
            container[draw(some.sampled_from([*NAMES, *ODD_TEXTS[:12]]))] = draw(VALUES)
        case _:
            container[key] = draw(VALUES)


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


def _body_bytes(draw: some.DrawFn, value: Any) -> bytes:
    text = json.dumps(value)
    for mark, raw in RAW.items():
        text = text.replace(f'"{mark}"', raw)
    body = text.encode()
    if draw(some.integers(0, 19)) == 7 and body:
        place = draw(some.integers(0, len(body) - 1))
        body = body[:place] + draw(some.binary(max_size=3)) + body[place + draw(some.integers(0, 2)) :]
    return body


class SharedStorage(StoreLocations):
    """Keeps the values of one server for the next, so that not each of them has to be synced."""

    def __init__(self) -> None:
        self._stores: dict[str, OnlineStore] = {}

    def store_of(self, view: str) -> OnlineStore:
        """The store that a view is served from."""
        return self._stores.setdefault(view.rpartition("/featureViews/")[0], super().store_of(view))


STORAGE = SharedStorage()


def guarded_app(dialect: DialectName) -> GuardedApp:
    """The application of a server over views and configs."""
    client = HttpClient(FOLDER, dialect=dialect, places=STORAGE)
    for view in (RIDERS, MENU):
        if STORAGE.store_of(view).snapshot(view) is None:
            client.send("POST", f"/v1/{view}:sync", json={})
    services = Services(client.services.feature_views, channel_configs())
    operations = Operations(services, LongRunningOperations(Journal(), SystemClock()), DIALECTS[dialect])
    app: Any = build_app(operations, clock_routes(client.scheduler))
    return GuardedApp(app, Guards(), Monitoring(RequestLog("json", is_verbose=True)), BodyReader())


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

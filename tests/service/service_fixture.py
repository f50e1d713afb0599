"""A small workspace, as the tests of the service have it: two stores, their views, a table of riders, and a clock."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from trialrun.diagnostic import Range
from trialrun.lint.selection import Selection, default_rules
from trialrun.model.feature_view import FeatureView
from trialrun.model.kinds import model_of
from trialrun.model.validate import validate
from trialrun.runtime.clock import Clock, FixedClock
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.trial_run import StoreLocations
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.iam import AccessEnabled, Binding, Policy, Signer
from trialrun.service.listing import GetRequest
from trialrun.text import Position

Answer = TypeVar("Answer")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STORES = "projects/acme/locations/us/featureOnlineStores"
SERVING, VECTORS = f"{STORES}/serving", f"{STORES}/vectors"
RIDERS, MENU = f"{SERVING}/featureViews/riders", f"{VECTORS}/featureViews/menu"
SOURCE = {"uri": "bq://acme.serving.riders", "entityIdColumns": ["rider_id"]}
ROWS = [
    {"rider_id": "ana", "trips": 12, "rating": 4.5, "feature_timestamp": "2026-03-01T08:00:00Z"},
    {"rider_id": "ben", "trips": 7, "rating": None, "feature_timestamp": "2026-03-01T09:00:00Z"},
]
DISHES = [
    {"dish": 1, "cuisine": "thai", "price": 9.5, "vector": [1.0, 0.0]},
    {"dish": 2, "cuisine": "thai", "price": 12.0, "vector": [0.9, 0.1]},
    {"dish": 3, "cuisine": "greek", "price": 8.0, "vector": [0.0, 1.0]},
]
INDEX = {
    "embeddingColumn": "vector",
    "filterColumns": ["cuisine", "price"],
    "crowdingColumn": "cuisine",
    "distanceMeasureType": "SQUARED_L2_DISTANCE",
    "bruteForceConfig": {},
    "embeddingDimension": 2,
}
DOCUMENTS: list[dict[str, Any]] = [
    {"kind": "FeatureOnlineStore", "name": SERVING, "type": "KEY_VALUE"},
    {"kind": "FeatureOnlineStore", "name": "vectors", "type": "OPTIMIZED"},
    {"kind": "Source", "uri": SOURCE["uri"], "files": "riders.json", "format": "JSON"},
    {"kind": "Source", "uri": "bq://acme.serving.menu", "files": "menu.json", "format": "JSON"},
    {"kind": "FeatureView", "name": RIDERS, "labels": {"team": "search"}, "warehouseSource": SOURCE},
    {
        "kind": "FeatureView",
        "name": MENU,
        "warehouseSource": {"uri": "bq://acme.serving.menu", "entityIdColumns": ["dish"]},
        "indexConfig": INDEX,
    },
]
PLURALS = {"FeatureView": "views", "FeatureOnlineStore": "stores", "FeatureGroupTable": "groups", "Source": "sources"}


def catalog(folder: Path, documents: Iterable[dict[str, Any]] = ()) -> Catalog:
    """The catalog of the workspace, with further documents, and its tables written to a folder."""
    for name, rows in (("riders", ROWS), ("menu", DISHES)):
        (folder / f"{name}.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found: dict[str, list[Any]] = {plural: [] for plural in PLURALS.values()}
    for number, value in enumerate([*DOCUMENTS, *documents]):
        node = validate(value, model_of(value["kind"])).node
        declared = DeclaredResource(node, str(folder / "views.yaml"), str(folder), number, lambda place: FIRST)
        found[PLURALS[value["kind"]]].append(declared)
    return Catalog(**found)


FIRST = Range(Position(1, 1), Position(1, 1))


def service(
    folder: Path,
    *documents: dict[str, Any],
    clock: Clock | None = None,
    access: AccessEnabled | None = None,
    places: StoreLocations | None = None,
    **options: Any,
) -> FeatureViewService:
    """A service of the workspace, at noon, in memory unless values have another place."""
    return FeatureViewService(
        catalog(folder, documents),
        places,
        clock=clock or FixedClock(NOON),
        selection=Selection(default_rules(), option_values=options),
        access=access,
        signer=Signer(b"a key of the tests"),
    )


def policy(**members: str) -> Policy:
    """A policy: `viewer="user:ana@acme.example"`."""
    bindings = [Binding(role=f"roles/featureViews.{role}", members=[member]) for role, member in members.items()]
    return Policy(bindings=bindings)


def run(operation: Coroutine[Any, Any, Answer]) -> Answer:
    """What an operation answers."""
    return asyncio.run(operation)


def stream(answers: AsyncIterator[Answer]) -> list[Answer]:
    """All that a stream answers."""

    async def collected() -> list[Answer]:
        return [answer async for answer in answers]

    return asyncio.run(collected())


async def sent(*requests: Answer) -> AsyncIterator[Answer]:
    """A stream of requests."""
    for request in requests:
        yield request


def refusal(operation: Coroutine[Any, Any, Any]) -> ServiceError:
    """What an operation is refused with."""
    with pytest.raises(ServiceError) as told:
        run(operation)
    return told.value


def reason(operation: Coroutine[Any, Any, Any]) -> str:
    """What an operation is refused with: its status, its reason, and its message, which begins with the field."""
    error = refusal(operation)
    return f"{error.status.name} {error.reason}: {error.message}"


def creating(
    here: FeatureViewService, view: Any = None, **request: Any
) -> Coroutine[Any, Any, m.CreateFeatureViewResponse]:
    """The creation of a view, by default of the view "new" of the riders."""
    given = {"parent": SERVING, "featureViewId": "new", "featureView": view or {"warehouseSource": SOURCE}, **request}
    return here.create(m.CreateFeatureViewRequest(**given))


def created(here: FeatureViewService, view: Any = None, **request: Any) -> m.CreateFeatureViewResponse:
    """The answer to the creation of a view."""
    return run(creating(here, view, **request))


def getting(here: FeatureViewService, name: str = RIDERS) -> Coroutine[Any, Any, FeatureView]:
    """The request for a view."""
    return here.get(GetRequest(name=name))


def got(here: FeatureViewService, name: str = RIDERS) -> FeatureView:
    """A view as it is now."""
    return run(getting(here, name))


def patching(
    here: FeatureViewService, mask: str | None = None, **view: Any
) -> Coroutine[Any, Any, m.PatchFeatureViewResponse]:
    """The patch of a view, by default of the riders."""
    return here.patch(m.PatchFeatureViewRequest(featureView={"name": RIDERS, **view}, updateMask=mask))


def patched(here: FeatureViewService, mask: str | None = None, **view: Any) -> m.PatchFeatureViewResponse:
    """The answer to the patch of a view."""
    return run(patching(here, mask, **view))


def deleting(
    here: FeatureViewService, name: str = RIDERS, etag: str | None = None
) -> Coroutine[Any, Any, m.DeleteFeatureViewResponse]:
    """The deletion of a view."""
    return here.delete(m.DeleteFeatureViewRequest(name=name, etag=etag))


def syncing(here: FeatureViewService, name: str = RIDERS) -> Coroutine[Any, Any, m.SyncFeatureViewResponse]:
    """The sync of a view on demand."""
    return here.sync(m.SyncFeatureViewRequest(featureView=name))


def synced(here: FeatureViewService, name: str = RIDERS) -> m.FeatureViewSync:
    """The record of the sync of a view on demand."""
    return run(here.get_sync(GetRequest(name=run(syncing(here, name)).featureViewSync)))


def fetching(
    here: FeatureViewService, key: object = "ana", view: str = RIDERS, **request: Any
) -> Coroutine[Any, Any, m.FetchFeatureValuesResponse]:
    """The fetch of an entity, whose key is a text or a data key as JSON."""
    given = {"featureView": view, "dataKey": {"key": key} if isinstance(key, str) else key, **request}
    return here.fetch_feature_values(m.FetchFeatureValuesRequest.model_validate(given))

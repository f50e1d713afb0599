"""Carrying out the operations of both endpoint tables, the same for requests by HTTP and by gRPC.

Long-running operations are finished when a client sees them first, and kept for those that ask again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from trialrun.errors import StoreError
from trialrun.runtime.clock import Clock
from trialrun.server.dialect import Dialect, OperationMetadata
from trialrun.server.faults import FaultList
from trialrun.server.json_body import LARGE, Json, count_values, off_loop
from trialrun.service.channel_config.service import ChannelConfigService
from trialrun.service.error import TYPE_URL, ServiceError
from trialrun.service.feature_view.messages import RpcStatus
from trialrun.service.feature_view.service import FeatureViewService
from trialrun.service.feature_view.storage import stale_reads
from trialrun.service.filter import TextField
from trialrun.service.iam import Caller
from trialrun.service.journal import Journal, Record, counter_record, read_counter, refuse_unkept
from trialrun.service.lint_request import parse_request
from trialrun.service.listing import ListRequest, list_page, not_found
from trialrun.service.message import Message
from trialrun.service.rpc import Api, Rpc, rpcs_of
from trialrun.values.timestamp import format_timestamp

RPCS: Final[tuple[Rpc, ...]] = (*rpcs_of(FeatureViewService), *rpcs_of(ChannelConfigService))
"""Every operation; HTTP, gRPC and the discovery document are made of this table alone."""
VERSIONS = ("v1", "v1beta1")
"""The versions of the API, which have the same operations here."""
KIND = "Operation"
MAX_OPERATIONS = 10_000
"""So many operations are kept; of more the oldest are forgotten."""


@dataclass(frozen=True)
class Services:
    """The services of one server, and the faults that happen to calls of them.

    `members` are the callers by the digests of their tokens, None where access control is off.
    """

    feature_views: FeatureViewService
    channel_configs: ChannelConfigService
    faults: FaultList = field(default_factory=FaultList)
    members: Mapping[bytes, Caller] | None = None

    def call(self, rpc: Rpc, request: Any, caller: Caller) -> Any:
        """What carries out an operation with a request, or a stream of them."""
        if rpc.api is Api.CHANNEL_CONFIG:
            return rpc.run(self.channel_configs, request)
        return rpc.run(self.feature_views, request, caller)

    def require_operations(self, name: str, caller: Caller) -> None:
        """Refuse a caller who may not get the view that long-running operations of a name are on."""
        self.feature_views.access.require("featureViews.get", caller, resource=name.partition("/operations")[0])


class ListOperationsRequest(Message):
    """The operations on a resource; all of them are here, so none is left out as unreachable."""

    name: str = ""
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    returnPartialSuccess: bool = False


class LongRunningOperations:
    """The operations of a server by name, each with the types of the API version that began it.

    They are in a journal, and here are their names alone. A finished operation has changed what it was to change, so it
    is answered also where the journal cannot keep it; then it ends with the process.
    """

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal, self.clock = journal, clock
        self._names = OrderedDict[str, None].fromkeys(self._journal.names(KIND))
        self._unkept: dict[str, Json] = {}
        self._count = read_counter(self._journal, KIND)

    def finish(self, resource: str, response: Json, metadata: Json) -> Json:
        """A finished operation on a resource, whose response and metadata are messages with their types."""
        self._count += 1
        name = f"{resource}/operations/{self._count}"
        operation: Json = {"name": name, "metadata": metadata, "done": True, "response": response}
        oldest = [next(iter(self._names))] if len(self._names) == MAX_OPERATIONS else []
        records = [Record(KIND, name, operation), counter_record(KIND, self._count)]
        try:
            self._journal.write([*(Record(KIND, old, None) for old in oldest), *records])
        except StoreError:
            self._unkept[name] = operation
        self._names[name] = None
        for old in oldest:
            del self._names[old]
            self._unkept.pop(old, None)
        return operation

    def call(self, method: str, request: Json) -> Json:
        """What a method of google.longrunning.Operations answers; there is nothing to wait for or to cancel.

        Raises NOT_FOUND and INVALID_ARGUMENT.
        """
        if method == "ListOperations":
            return self._list(parse_request(ListOperationsRequest, request))
        name = str(request.get("name", ""))
        operation = self._get(name)
        if method == "DeleteOperation":
            with refuse_unkept():
                self._journal.write([Record(KIND, name, None)])
            self._unkept.pop(name, None)
            self._names.pop(name, None)
        return {} if method in ("DeleteOperation", "CancelOperation") else operation

    def _get(self, name: str) -> Json:
        with refuse_unkept():
            operation = self._unkept.get(name) or self._journal.get(KIND, name)
        if operation is None:
            raise not_found("Operation", name, list(self._names)[-10:])
        return operation

    def _list(self, asked: ListOperationsRequest) -> Json:
        under = [self._get(name) for name in [*self._names] if name.startswith(f"{asked.name}/operations/")]
        listed = ListRequest(parent=asked.name, **asked.model_dump(include={"pageSize", "pageToken", "filter"}))
        filtered = {
            "name": TextField(lambda operation: operation["name"]),
            "done": TextField(lambda operation: str(operation["done"]).lower()),
        }
        numbers = {"number": lambda operation: int(operation["name"].rpartition("/")[2])}
        operations, token = list_page(under, listed, filtered, numbers, tie="number")
        return {"operations": operations, "nextPageToken": token}


class Operations:
    """Carries out operations of the services of a server, for clients that speak a dialect."""

    def __init__(self, services: Services, long_running: LongRunningOperations, dialect: Dialect) -> None:
        self.services, self.long_running, self.dialect = services, long_running, dialect

    async def run(self, rpc: Rpc, request: Json, caller: Caller, version: str) -> Json:
        """The response to a request, or the finished operation that carried it out, with the types of an API version.

        Raises ServiceError.
        """
        is_large = count_values(request, LARGE) >= LARGE
        async with self.services.faults.happening_to(rpc.method) as (reads_are_stale, _, _):
            try:
                message = await off_loop(self._parsed, rpc, request, is_large=is_large)
                with stale_reads(reads_are_stale):
                    response: BaseModel = await self.services.call(rpc, message, caller)
            except ServiceError as error:
                raise await off_loop(self.dialect.write_error, rpc, request, error, is_large=is_large) from error
        answer = getattr(response, rpc.resource) if rpc.resource else response
        written: Json = await off_loop(self.dialect.write_response, answer, is_large=is_large)
        if rpc.operation is None:
            return written
        response_type, metadata_type = rpc.operation
        return self.long_running.finish(
            str(written.get("name") or request.get(rpc.template.field)),
            typed_message(version, response_type, written),
            typed_message(version, metadata_type, self._metadata(response)),
        )

    async def run_stream(self, rpc: Rpc, requests: AsyncIterator[Json], caller: Caller) -> AsyncGenerator[Json]:
        """The responses to a stream of requests. Raises ServiceError."""
        is_large = False

        async def messages() -> AsyncGenerator[Message]:
            nonlocal is_large
            async for request in requests:
                large = count_values(request, LARGE) >= LARGE
                try:
                    message = await off_loop(self._parsed, rpc, request, is_large=large)
                except ServiceError as error:
                    raise await off_loop(self.dialect.write_error, rpc, request, error, is_large=large) from error
                is_large = large
                yield message

        async with self.services.faults.happening_to(rpc.method) as (reads_are_stale, left, broken):
            async with aclosing(messages()) as sent, aclosing(self.services.call(rpc, sent, caller)) as responses:
                while left is None or left > 0:
                    with stale_reads(reads_are_stale):
                        response = await anext(responses, None)
                    if response is None:
                        broken = None  # it ended before
                        break
                    yield await off_loop(self.dialect.write_response, response, is_large=is_large)
                    left = None if left is None else left - 1
            if broken:
                raise broken

    def _parsed(self, rpc: Rpc, request: Json) -> Message:
        read = self.dialect.read_request(rpc, request)
        return parse_request(rpc.request, rpc.prepare(read) if rpc.prepare else read)

    def _metadata(self, response: BaseModel) -> Json:
        """What an operation that has just ended tells beside its response; of a create, why its first sync failed."""
        now = format_timestamp(self.long_running.clock.now())
        status: RpcStatus | None = getattr(response, "syncStatus", None)
        failures = {"partialFailures": [status.json_object()]} if status is not None and status.code else {}
        generic = {"createTime": now, "updateTime": now, **failures}
        members: dict[str, Any] = {
            name: getattr(response, name, None) or None for name in ("warnings", "featureViewSync")
        }
        return self.dialect.write_response(OperationMetadata(genericMetadata=generic, **members))


def typed_message(version: str, type_: str, message: Json) -> Json:
    """A message of an API version as JSON has a google.protobuf.Any."""
    full_name = "google.protobuf.Empty" if type_ == "Empty" else f"google.cloud.aiplatform.{version}.{type_}"
    return {"@type": f"{TYPE_URL}/{full_name}", **message}

"""Long-running operations: finished when a client sees them first, and kept for those that ask again."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from typing import Any

from trialrun.runtime.clock import Clock, SystemClock
from trialrun.service.error import TYPE_URL
from trialrun.service.filter import TextField
from trialrun.service.filter.fields import Fields
from trialrun.service.journal import (
    Journal,
    JournalError,
    MemoryJournal,
    Record,
    counter_record,
    read_counter,
    refuse_unkept,
)
from trialrun.service.listing import ListRequest, list_page
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request
from trialrun.service.resource_names import not_found

Json = dict[str, Any]
KIND = "Operation"
MAX_OPERATIONS = 10_000
"""So many operations are kept; of more the oldest are forgotten."""


def typed_message(version: str, type_: str, message: Json) -> Json:
    """A message of an API version as JSON has a google.protobuf.Any."""
    full_name = "google.protobuf.Empty" if type_ == "Empty" else f"google.cloud.aiplatform.{version}.{type_}"
    return {"@type": f"{TYPE_URL}/{full_name}", **message}


class ListOperationsRequest(Message):
    """The operations on a resource; all of them are here, so none is left out as unreachable."""

    name: str = ""
    pageSize: int | None = None
    pageToken: str = ""
    filter: str = ""
    returnPartialSuccess: bool = False


def _number(operation: Json) -> int:
    return int(operation["name"].rpartition("/")[2])


NUMBER = "number"
FILTERED: Fields = {
    "name": TextField(lambda operation: operation["name"]),
    "done": TextField(lambda operation: str(operation["done"]).lower()),
}


class LongRunningOperations:
    """The operations of a server by name, each with the types of the API version that began it.

    They are in a journal, and here are their names alone. A finished operation has changed what it was to change, so it
    is answered also where the journal cannot keep it; then it ends with the process.
    """

    def __init__(self, journal: Journal | None = None, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._journal = journal or MemoryJournal()
        self._names = OrderedDict[str, None].fromkeys(self._journal.names(KIND))
        self._unkept: dict[str, Json] = {}
        self._count = read_counter(self._journal, KIND)

    @property
    def now(self) -> datetime:
        """The time of the server."""
        return self._clock.now()

    def finish(self, resource: str, response: Json, metadata: Json) -> Json:
        """A finished operation on a resource, whose response and metadata are messages with their types."""
        self._count += 1
        name = f"{resource}/operations/{self._count}"
        operation: Json = {"name": name, "metadata": metadata, "done": True, "response": response}
        self._keep(name, operation)
        return operation

    def _keep(self, name: str, operation: Json) -> None:
        oldest = [next(iter(self._names))] if len(self._names) == MAX_OPERATIONS else []
        records = [Record(KIND, name, operation), counter_record(KIND, self._count)]
        try:
            self._journal.write([*(Record(KIND, old, None) for old in oldest), *records])
        except JournalError:
            self._unkept[name] = operation
        self._names[name] = None
        for old in oldest:
            del self._names[old]
            self._unkept.pop(old, None)

    def get(self, name: str) -> Json:
        """An operation by its name. Raises NOT_FOUND."""
        with refuse_unkept():
            operation = self._unkept.get(name) or self._journal.get(KIND, name)
        if operation is None:
            raise not_found("Operation", name, list(self._names)[-10:])
        return operation

    def list_page(self, request: Json) -> Json:
        """The page of the operations on a resource that is asked for, the oldest first. Raises INVALID_ARGUMENT."""
        asked = parse_request(ListOperationsRequest, request)
        under = [self.get(name) for name in [*self._names] if name.startswith(f"{asked.name}/operations/")]
        listed = ListRequest(parent=asked.name, **asked.model_dump(include={"pageSize", "pageToken", "filter"}))
        operations, token = list_page(under, listed, FILTERED, {NUMBER: _number}, tie=NUMBER)
        return {"operations": operations, "nextPageToken": token}

    def delete(self, name: str) -> None:
        """Forget an operation. Raises NOT_FOUND."""
        self.get(name)
        with refuse_unkept():
            self._journal.write([Record(KIND, name, None)])
        self._unkept.pop(name, None)
        self._names.pop(name, None)

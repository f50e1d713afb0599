"""Long-running operations: finished when a client sees them first, and kept for those that ask again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from trialrun.service.error import TYPE_URL
from trialrun.service.resource_names import not_found

Json = dict[str, Any]
MAX_OPERATIONS = 10_000
"""So many operations are kept; of more the oldest are forgotten."""
EMPTY = f"{TYPE_URL}/google.protobuf.Empty"


class LongRunningOperations:
    """The operations of a server by name, each with the types of the API version that began it."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Json] = OrderedDict()
        self._count = 0

    def finish(self, resource: str, version: str, operation_type: str, response: Json) -> Json:
        """A finished operation on a resource, whose response has a type of an API version."""
        self._count += 1
        name = f"{resource}/operations/{self._count}"
        type_url = (
            EMPTY if operation_type == "Empty" else f"{TYPE_URL}/google.cloud.aiplatform.{version}.{operation_type}"
        )
        operation: Json = {"name": name, "done": True, "response": {"@type": type_url, **response}}
        self._known[name] = operation
        if len(self._known) > MAX_OPERATIONS:
            self._known.popitem(last=False)
        return operation

    def get(self, name: str) -> Json:
        """An operation by its name. Raises NOT_FOUND."""
        if name not in self._known:
            raise not_found("Operation", name, list(self._known)[-10:])
        return self._known[name]

    def list_under(self, resource: str) -> list[Json]:
        """The operations on a resource, the oldest first."""
        return [operation for name, operation in self._known.items() if name.startswith(f"{resource}/operations/")]

    def delete(self, name: str) -> None:
        """Forget an operation. Raises NOT_FOUND."""
        self.get(name)
        del self._known[name]

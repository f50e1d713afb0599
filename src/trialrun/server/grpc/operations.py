"""The calls about long-running operations (google.longrunning.Operations)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from trialrun.model.feature_view import FeatureView
from trialrun.server.dialect import VendorDialect
from trialrun.server.operations import LongRunningOperations

Json = dict[str, Any]


def long_running_calls(operations: LongRunningOperations) -> Mapping[str, Callable[[Json], Awaitable[Json]]]:
    """What answers each method; all operations are finished, so there is nothing to wait for or to cancel."""

    async def get(request: Json) -> Json:
        return _in_words_of_vendor(operations.get(_name(request)))

    async def list_operations(request: Json) -> Json:
        page = operations.list_page(request)
        return {**page, "operations": [_in_words_of_vendor(operation) for operation in page["operations"]]}

    async def delete(request: Json) -> Json:
        operations.delete(_name(request))
        return {}

    async def cancel(request: Json) -> Json:
        operations.get(_name(request))
        return {}

    return {
        "GetOperation": get,
        "WaitOperation": get,
        "ListOperations": list_operations,
        "DeleteOperation": delete,
        "CancelOperation": cancel,
    }


def _name(request: Json) -> str:
    return str(request.get("name", ""))


def _in_words_of_vendor(operation: Json) -> Json:
    """An operation with a view in the vendor's words, whatever the words of the request were that began it."""
    response = operation.get("response", {})
    return (
        {**operation, "response": VendorDialect.names.write(response, FeatureView)} if "name" in response else operation
    )

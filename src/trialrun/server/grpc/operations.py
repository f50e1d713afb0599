"""The calls about long-running operations (google.longrunning.Operations)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from trialrun.server.long_running import LongRunningOperations

Json = dict[str, Any]


def long_running_calls(operations: LongRunningOperations) -> Mapping[str, Callable[[Json], Awaitable[Json]]]:
    """What answers each method; all operations are finished, so there is nothing to wait for or to cancel."""

    async def get(request: Json) -> Json:
        return operations.get(request.get("name", ""))

    async def list_operations(request: Json) -> Json:
        return {"operations": operations.list_under(request.get("name", ""))}

    async def delete(request: Json) -> Json:
        operations.delete(request.get("name", ""))
        return {}

    async def cancel(request: Json) -> Json:
        operations.get(request.get("name", ""))
        return {}

    return {
        "GetOperation": get,
        "WaitOperation": get,
        "ListOperations": list_operations,
        "DeleteOperation": delete,
        "CancelOperation": cancel,
    }

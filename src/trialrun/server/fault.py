"""A fault on purpose: which calls it happens to, and what happens to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from trialrun.server.duration import Duration
from trialrun.server.json_body import object_json
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.message import Message
from trialrun.service.parse_request import parse_request
from trialrun.values.suggest import did_you_mean

EVERY_OPERATION = "*"
MAX_DELAY = timedelta(minutes=1)
MAX_CALLS = 1_000_000_000
READS = frozenset({"FetchFeatureValues", "StreamingFetchFeatureValues", "SearchNearestEntities"})
STATUS_NAMES = tuple(status.name for status in Status if status is not Status.OK)
INJECTED = "injected-fault"
HEADER = "x-trialrun-fault"
"""The header, or the key of metadata, with a fault for its own call alone."""
MAX_HEADER_LENGTH = 4_096
OperationKind = Literal["call", "stream"]
FLAGS = ("staleReads", "afterCall")
PAIR = re.compile(r"\s*(\w+)\s*(?:=\s*(.*?)\s*)?")


def _status(value: object) -> object:
    """The name of a status, which may come as its number."""
    if type(value) is int and value in {status.value for status in Status if status is not Status.OK}:
        return Status(value).name
    if isinstance(value, str) and value not in STATUS_NAMES:
        near = did_you_mean(value.upper(), STATUS_NAMES)
        raise ValueError(f'"{value}" is no status that a call fails with{near}')
    return value


def _bounded(value: timedelta) -> timedelta:
    if value > MAX_DELAY:
        raise ValueError(f"{value.total_seconds():g} seconds are too long; a delay is at most a minute")
    return value


StatusName = Annotated[str, BeforeValidator(_status)]
Delay = Annotated[Duration, AfterValidator(_bounded)]
Count = Annotated[int, Field(ge=1, le=MAX_CALLS)]


class FaultEffect(Message):
    """What happens to a call; `afterCall` has it carried out first, so that only its response is lost.

    A stream breaks after `breakAfter` responses, with the status or UNAVAILABLE. Stale reads answer with the values
    that were served before the last sync. The delay is in seconds of the real world.
    """

    status: StatusName | None = None
    message: Annotated[str, Field(max_length=1_000)] = ""
    reason: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")] = INJECTED
    delay: Delay | None = None
    breakAfter: Annotated[int, Field(ge=0, le=MAX_CALLS)] | None = None
    staleReads: bool = False
    afterCall: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing would happen."""
        return self.status is None and self.delay is None and self.breakAfter is None and not self.staleReads

    def error(self, number: str = "") -> ServiceError:
        """What the call fails with."""
        status = Status[self.status] if self.status else Status.UNAVAILABLE
        message = self.message or f"fault {number} was asked for".replace("  ", " ")
        return service_error(status, self.reason, message)


class Fault(FaultEffect):
    """A fault for the calls of an operation: the nth of them, a share of them, or all, and at most `count` times.

    Calls are counted from when the fault is set. A share is drawn by a random generator of this seed. `nth` alone
    happens once; with a count, to so many calls from the nth on.
    """

    operation: str = EVERY_OPERATION
    nth: Count | None = None
    share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    seed: int = 0
    count: Count | None = None

    @property
    def most(self) -> int | None:
        """How often it happens at most, None for no bound."""
        return 1 if self.count is None and self.nth is not None else self.count


def parse_fault(value: Mapping[str, Any], operations: Mapping[str, OperationKind]) -> Fault:
    """The fault that a request asks for; `operations` are all that there are. Raises INVALID_ARGUMENT."""
    fault = parse_request(Fault, value)
    named = next((name for name in operations if name.lower() == fault.operation.lower()), None)
    if fault.operation != EVERY_OPERATION and named is None:
        near = did_you_mean(fault.operation, list(operations))
        raise invalid_argument("operation", "unknown-operation", f'there is no operation "{fault.operation}"{near}')
    fault = fault.model_copy(update={"operation": named or EVERY_OPERATION})
    _require_effect(fault)
    if fault.nth is not None and fault.share is not None:
        raise invalid_argument("share", "union-conflict", "nth is set as well; send one of them")
    if named and fault.breakAfter is not None and operations[named] != "stream":
        raise invalid_argument("breakAfter", "no-stream", f"{named} is no stream; send a status instead")
    if named and fault.staleReads and named not in READS:
        raise invalid_argument(
            "staleReads", "no-read", f"{named} reads no values; stale are {', '.join(sorted(READS))}"
        )
    return fault


def parse_header(text: str) -> FaultEffect:
    """The fault for one call, as JSON or in short: `UNAVAILABLE`, `delay=2s; breakAfter=1`. Raises INVALID_ARGUMENT."""
    if len(text) > MAX_HEADER_LENGTH:
        raise invalid_argument(HEADER, "too-long", f"a fault has at most {MAX_HEADER_LENGTH:,} characters")
    value = object_json(text.encode()) if text.lstrip().startswith("{") else _short_form(text)
    try:
        effect = parse_request(FaultEffect, value)
        _require_effect(effect)
    except ServiceError as error:
        raise invalid_argument(HEADER, error.reason, error.message) from error
    return effect


def _short_form(text: str) -> dict[str, Any]:
    pairs = [PAIR.fullmatch(part) for part in text.split(";") if part.strip()]
    value: dict[str, Any] = {}
    for pair in pairs:
        if pair is None:
            raise invalid_argument(HEADER, "wrong-type", "a fault is JSON, a status, or name=value; name=value")
        name, written = pair[1], pair[2]
        if written is None and name not in FLAGS:
            name, written = "status", name
        value[name] = (
            True if written in (None, "true") else int(written) if re.fullmatch(r"[0-9]{1,9}", written) else written
        )
    return value


def _require_effect(effect: FaultEffect) -> None:
    if effect.is_empty:
        message = "nothing would happen; send one of status, delay, breakAfter and staleReads"
        raise service_error(Status.INVALID_ARGUMENT, "missing-field", message)

"""The faults that are set on a server: which of them happen to a call, and how often each did."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from random import Random
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.server.fault import EVERY_OPERATION, READS, Fault, FaultEffect, parse_header
from trialrun.service.error import ServiceError, Status, service_error

MAX_FAULTS = 100
CALL_FAULT: ContextVar[str] = ContextVar("call_fault", default="")
"""What the call of this task has in its header x-trialrun-fault, or in its metadata; each way in sets it."""


class ActiveFault:
    """A fault that is set, with the calls that it was asked about and those that it happened to."""

    def __init__(self, id: str, fault: Fault) -> None:
        self.id, self.fault = id, fault
        self.calls = self.happened = 0
        self._random = Random(fault.seed)

    def happens_to(self, method: str) -> bool:
        """Whether it happens to the next call of an operation, which is counted."""
        if self.fault.operation not in (EVERY_OPERATION, method):
            return False
        self.calls += 1
        is_hit = self._hits()
        self.happened += is_hit
        return is_hit

    def _hits(self) -> bool:
        fault = self.fault
        is_drawn = fault.share is None or self._random.random() < fault.share
        is_left = fault.most is None or self.happened < fault.most
        return is_drawn and is_left and (fault.nth is None or self.calls >= fault.nth)

    def to_json(self) -> dict[str, Any]:
        """The fault as responses have it."""
        content = self.fault.model_dump(mode="json", exclude_defaults=True)
        return {
            "id": self.id,
            "operation": self.fault.operation,
            **content,
            "callCount": self.calls,
            "happenedCount": self.happened,
        }


@dataclass(frozen=True)
class CallFaults:
    """What happens to a call of an operation, of all faults together, each with its id; the first comes first."""

    method: str = ""
    effects: tuple[tuple[str, FaultEffect], ...] = ()

    @property
    def delay(self) -> float:
        """How many seconds the call waits."""
        return sum(effect.delay.total_seconds() for _, effect in self.effects if effect.delay)

    @property
    def reads_are_stale(self) -> bool:
        """Whether it reads the values before the last sync, if it reads any."""
        return self.method in READS and any(effect.staleReads for _, effect in self.effects)

    def error(self, *, after_call: bool) -> ServiceError | None:
        """What it fails with before, or after, it is carried out; None where it does not."""
        failing = (
            effect.error(id_)
            for id_, effect in self.effects
            if effect.status and effect.breakAfter is None and effect.afterCall is after_call
        )
        return next(failing, None)

    def break_after(self) -> tuple[int, ServiceError] | None:
        """After how many responses a stream breaks, and with what; None for never."""
        breaks = [
            (effect.breakAfter, effect.error(id_)) for id_, effect in self.effects if effect.breakAfter is not None
        ]
        return min(breaks, key=lambda broken: broken[0], default=None)


NO_FAULTS = CallFaults()


class FaultList:
    """The faults of a server; the event loop alone uses it."""

    def __init__(self) -> None:
        self._faults: dict[str, ActiveFault] = {}
        self._count = 0

    def __iter__(self) -> Iterator[ActiveFault]:
        return iter([*self._faults.values()])

    def add(self, fault: Fault) -> ActiveFault:
        """Set a fault. Raises RESOURCE_EXHAUSTED where there are too many."""
        if len(self._faults) >= MAX_FAULTS:
            message = f"{MAX_FAULTS} faults are set; delete some first"
            raise service_error(Status.RESOURCE_EXHAUSTED, "too-many-faults", message)
        self._count += 1
        active = ActiveFault(str(self._count), fault)
        self._faults[active.id] = active
        return active

    def get(self, id: str) -> ActiveFault:
        """A fault. Raises NOT_FOUND."""
        if id not in self._faults:
            raise service_error(Status.NOT_FOUND, "unknown-fault", f'there is no fault "{id}"')
        return self._faults[id]

    def remove(self, id: str) -> None:
        """Take back a fault. Raises NOT_FOUND."""
        del self._faults[self.get(id).id]

    def clear(self) -> None:
        """Take back all faults."""
        self._faults.clear()

    def of_call(self, method: str, header: str = "") -> CallFaults:
        """What happens to a call of an operation, with the fault of its own. Raises INVALID_ARGUMENT."""
        own = [("", parse_header(header))] if header else []
        if not own and not self._faults:
            return NO_FAULTS
        active = [(fault.id, fault.fault) for fault in self if fault.happens_to(method)]
        return CallFaults(method, (*own, *active))

"""Environment of a scenario: its documents, clock and temporary store; what happens in it, in words, and its mistakes.

Words for values and times are the same in traces and expectations, and so is how values are compared.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from trialrun.diagnostic import SymbolicLocation
from trialrun.model.node import Node
from trialrun.runtime.declaration import Catalog, DeclaredResource, UndeclaredError
from trialrun.serialization import json_value
from trialrun.values import timestamp
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.clock import FixedClock
    from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.coverage import CoverageRecorder


MAX_LIST_ITEMS = 8
"""The items of a list that are shown; vectors have hundreds."""


class InvalidTimeError(ValueError):
    """A text is not an RFC 3339 time; the message says why."""


def parse_time(text: str) -> datetime:
    """The time of an RFC 3339 text, to the microsecond. Raises InvalidTimeError."""
    try:
        return timestamp.parse(text).to_datetime()
    except ValueError as error:
        raise InvalidTimeError(str(error)) from error


def format_value(value: object) -> str:
    """A value as a person reads it in a scenario; long lists are cut, and say how long they are."""
    if isinstance(value, (list, tuple)) and len(value) > MAX_LIST_ITEMS:
        first = ", ".join(map(_json, value[:MAX_LIST_ITEMS]))
        return f"[{first}, … {len(value)} items]"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False)


NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def matches_expected(got: object, expected: Any, *, tolerance: float = 0) -> bool:
    """Whether a value is the expected one, as a document writes it; numbers may be off by the tolerance.

    Times are written in RFC 3339, with any offset, bytes in base64, and what is not a number as NaN or Infinity.
    """
    if isinstance(got, (list, tuple)):
        if not isinstance(expected, list) or len(got) != len(expected):
            return False
        return all(matches_expected(*pair, tolerance=tolerance) for pair in zip(got, expected, strict=True))
    if isinstance(got, datetime):
        try:
            return isinstance(expected, str) and parse_time(expected) == got
        except InvalidTimeError:
            return False
    if isinstance(got, bytes):
        return isinstance(expected, str) and base64.b64encode(got).decode("ascii") == expected
    if isinstance(got, bool) or isinstance(expected, bool):
        return got is expected
    if not isinstance(got, (int, float)):
        return bool(got == expected)
    number = NOT_FINITE.get(expected, expected) if isinstance(expected, str) else expected
    if not isinstance(number, (int, float)):
        return False
    if got == number or (got != got and number != number):
        return True
    try:
        return abs(got - number) <= tolerance
    except OverflowError:  # an integer beyond all floats is near none
        return False


Declared = TypeVar("Declared")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An expectation, at its place in the scenario, and what was got; nothing is `expected` of a mistake there."""

    place: SymbolicLocation
    expected: str | None
    got: str


Event = str | Mismatch
"""What happens in a step: something was done, in words for the trace, or is not as expected."""
Events = Iterator[Event]


class ScenarioError(Exception):
    """A step, or the whole scenario, cannot be played for mistakes in it."""

    def __init__(self, place: SymbolicLocation, message: str, *others: Mismatch) -> None:
        super().__init__(message)
        self.mistakes = [Mismatch(place, None, message), *others]

    @classmethod
    def of(cls, mistakes: Sequence[Mismatch]) -> ScenarioError:
        """The error of some mistakes, in order."""
        first, *others = mistakes
        return cls(first.place, first.got, *others)


def until_mistake(events: Iterable[Event]) -> Events:
    """The events of a part of a step; mistakes that end it are the last ones."""
    try:
        yield from events
    except ScenarioError as error:
        yield from error.mistakes


def compare_refusal(
    expect: Any, at: Callable[..., SymbolicLocation], place: SymbolicLocation, error: Exception | None, got: str = ""
) -> Events:
    """Compare an error, or what was `got` without one, with the words that a message expects of a refusal.

    `at` tells where fields of the message are, `place` is where an error is reported that is not expected.
    """
    expected = expect.refused if expect else None
    if error is not None and expected is None:
        yield Mismatch(place, "no refusal", f"a refusal: {error}")
    elif expected is not None and (error is None or expected not in str(error)):
        instead = got if error is None else f"a refusal: {error}"
        yield Mismatch(at(expect, "refused"), f'a refusal with "{expected}"', instead)


@dataclass(frozen=True)
class Environment:
    """Where a scenario is played: it begins at a time; `folder` is a temporary one, gone with the scenario."""

    catalog: Catalog
    brands: BrandCatalog
    begin: datetime
    clock: FixedClock
    options: Options
    folder: str
    recorder: CoverageRecorder

    def view(self, step: Node, name: str | None, *path: str | int) -> DeclaredResource[FeatureView]:
        """The view that a step names, in its field `view` or where the steps lead. Raises ScenarioError."""
        return _declared(self.catalog.view, name, step.location(*path or ("view",)))

    def store_named(self, step: Node, name: str | None) -> DeclaredStore:
        """The store that a step names in its field `store`. Raises ScenarioError."""
        return _declared(self.brands.store, name, step.location("store"))

    def now(self) -> str:
        """The time on the clock, as the trace has it."""
        return format_timestamp(self.clock.now())

    @cached_property
    def trial(self) -> TrialRun:
        """What syncs, reads and searches the views; their indexes are in memory."""
        from trialrun.runtime.feature_view.trial_run import StoreFolder, TrialRun, ViewStores

        stores = ViewStores(StoreFolder(self.folder, temporary=True), keeps_indexes=False)
        return TrialRun(self.catalog, stores, self.clock, self.options)


def _declared(find: Callable[[str], Declared], name: str | None, place: SymbolicLocation) -> Declared:
    try:
        return find(name or "")
    except UndeclaredError as error:
        raise ScenarioError(place, f"{error}{did_you_mean(name or '', error.candidates)}") from error

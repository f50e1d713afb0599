"""Our dataclasses are the standard library's, whenever the first instance is made."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, asdict, field, is_dataclass, replace
from typing import Any, ClassVar

import pytest

from tests.program import SOURCE
from trialrun.lazy_dataclass import dataclass


def declared() -> Iterator[type[Any]]:
    """Classes nobody has made an instance of yet."""

    @dataclass(frozen=True, slots=True, order=True)
    class Slotted:
        """With slots."""

        first: int
        second: str = "b"
        kind: ClassVar[str] = "slotted"

        @property
        def both(self) -> str:
            return f"{self.first}{self.second}"

    @dataclass(frozen=True, order=True)
    class Plain:
        """Without slots."""

        first: int
        second: str = "b"
        kind: ClassVar[str] = "slotted"

        @property
        def both(self) -> str:
            return f"{self.first}{self.second}"

    yield from (Slotted, Plain)


@pytest.fixture(params=["slots", "no slots"])
def fresh(request: pytest.FixtureRequest) -> type[Any]:
    slotted, plain = declared()
    return slotted if request.param == "slots" else plain


def test_instances_are_made_with_defaults(fresh: type[Any]) -> None:
    one = fresh(1)
    assert (one.first, one.second, one.both, one.kind) == (1, "b", "1b", "slotted")
    assert fresh(first=2, second="c").second == "c"


def test_wrong_arguments_are_refused(fresh: type[Any]) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'first'"):
        fresh()


def test_equal_ordered_and_hashable(fresh: type[Any]) -> None:
    assert fresh(1) == fresh(1) != fresh(2)
    assert fresh(1) < fresh(2)
    assert len({fresh(1), fresh(1), fresh(2)}) == 2


def test_frozen(fresh: type[Any]) -> None:
    with pytest.raises(FrozenInstanceError):
        fresh(1).first = 2


def test_slots_are_slots() -> None:
    slotted, plain = declared()
    assert not hasattr(slotted(1), "__dict__")
    assert hasattr(plain(1), "__dict__")


def test_matched_by_position(fresh: type[Any]) -> None:
    match fresh(1):
        case fresh(first, second):
            assert (first, second) == (1, "b")


def test_known_to_the_standard_library(fresh: type[Any]) -> None:
    one = fresh(1)
    assert is_dataclass(one)
    assert asdict(replace(one, first=3)) == {"first": 3, "second": "b"}
    assert repr(one).endswith("(first=1, second='b')")
    assert copy.deepcopy(one) == one


def test_a_class_is_completed_with_the_classes_it_derives_from() -> None:
    @dataclass(frozen=True)
    class Above:
        path: str
        rule: ClassVar[str]

    @dataclass(frozen=True)
    class Below(Above):
        rule = "below"
        items: list[int] = field(default_factory=list)

    assert Below("a", [1]) == Below("a", [1])
    assert Below("a").items == []
    assert Above("a").path == "a"


def test_methods_of_its_own_are_kept() -> None:
    @dataclass(frozen=True, slots=True, eq=False)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert Own("a") == Own("b")
    assert hash(Own("a")) == 7


def test_an_instance_from_another_process_completes_its_class() -> None:
    from trialrun.text import Span

    code = "import pickle, sys; one = pickle.load(sys.stdin.buffer); print(one, one == type(one)(1, 2), one < one)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(Span(1, 2)),
        env={"PYTHONPATH": SOURCE},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == "Span(start=1, end=2) True False"

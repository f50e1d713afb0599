"""The fixes of one file may have so much of it read again, all together."""

from __future__ import annotations

from tests.fix.mending import remove
from trialrun.diagnostic import Fix
from trialrun.fix import Refused, text_fix
from trialrun.fix.effort import MOST, TOO_MANY, Effort
from trialrun.tree import read

TREE = read(b"a:\n  - x\n  - y\nb: 1\n", "a.yaml")


def made(effort: Effort) -> object:
    fix = Fix("remove it", (remove("a", 0),))
    return text_fix(
        fix, source=TREE.source, document=TREE.documents[0], find_path=lambda place: place.steps, effort=effort
    )


def test_a_fix_takes_what_is_read_again_for_it() -> None:
    effort = Effort()
    assert not isinstance(made(effort), Refused)
    assert effort.left < MOST


def test_a_fix_is_refused_once_nothing_is_left() -> None:
    assert made(Effort(left=3)) is TOO_MANY


def test_the_first_fix_is_never_refused() -> None:
    assert Effort().spend(2 * MOST) is None


def test_what_is_refused_costs_nothing() -> None:
    effort = Effort(left=3)
    effort.spend(4)
    assert effort.left == 3

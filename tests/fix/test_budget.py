"""The fixes of one file may have so much of it read again, all together."""

from __future__ import annotations

import pytest

from tests.fix.fix_text import remove, rename, wrap
from trialrun.diagnostic import Fix, Operation
from trialrun.fix import Unfixable, resolve_fix
from trialrun.fix.removal_safety import BUDGET_SPENT, MAX_REPARSED_CHARS, FixBudget
from trialrun.parser import parse

TREE = parse(b"a:\n  - x\n    y\n  - z\nb: 1\n", "a.yaml")


def made_with(effort: FixBudget) -> object:
    fix = Fix("remove it", (remove("a", 0),))
    return resolve_fix(
        fix, source=TREE.source, document=TREE.documents[0], find_path=lambda place: place.path, budget=effort
    )


def test_a_fix_takes_what_is_read_again_for_it() -> None:
    effort = FixBudget()
    assert not isinstance(made_with(effort), Unfixable)
    assert effort.remaining < MAX_REPARSED_CHARS


def test_a_fix_is_refused_once_nothing_is_left() -> None:
    assert made_with(FixBudget(remaining=3)) is BUDGET_SPENT


def test_a_fix_that_scans_a_text_is_refused_once_nothing_is_left() -> None:
    tree = parse(b"a: long\n", "a.yaml")
    resolved = resolve_fix(
        Fix("wrap it", (wrap("a"),)),
        source=tree.source,
        document=tree.documents[0],
        find_path=lambda place: place.path,
        budget=FixBudget(remaining=3),
    )
    assert resolved is BUDGET_SPENT


def test_the_first_fix_is_never_refused() -> None:
    assert FixBudget().spend(2 * MAX_REPARSED_CHARS) is None


def test_what_is_refused_costs_nothing() -> None:
    effort = FixBudget(remaining=3)
    effort.spend(4)
    assert effort.remaining == 3


def read_again(text: str, *path: str | int) -> int:
    """The characters that are read again to prove that what a path leads to can be removed."""
    return read_again_for(text, remove(*path))


def read_again_for(text: str, operation: Operation) -> int:
    """The characters that are read again to prove that an operation can be carried out."""
    tree, effort = parse(text.encode(), "a.yaml"), FixBudget()
    fix = Fix("mend it", (operation,))
    resolve_fix(fix, source=tree.source, document=tree.documents[0], find_path=lambda place: place.path, budget=effort)
    return MAX_REPARSED_CHARS - effort.remaining


def test_an_item_that_goes_with_its_line_needs_no_reading() -> None:
    assert read_again("a:\n  - x\n  - y\n  - z\nb: 1\n", "a", 1) == 0
    assert read_again("a:\n  - x\n  - y\nb: 1\n", "a", 1) == 0


def test_what_stands_below_such_an_item_may_belong_to_a_text_above_it() -> None:
    assert read_again("a:\n  - |\n    t\n  - y\n    # c\n  - z\n", "a", 1) > 0
    assert read_again("a:\n  - |+\n    t\n  - y\n\n  - z\n", "a", 1) > 0


def test_items_of_several_lines_are_read_again() -> None:
    assert read_again("a:\n  - x\n  - y\n    z\n  - b\n", "a", 1) > 0


ANCHORED = "base: &base\n  a: 1\nother: *base\nown:\n  one_key: 1\nmerged:\n  <<: *base\n  a: 2\n"


def test_a_key_that_no_alias_has_to_do_with_needs_no_reading() -> None:
    assert read_again_for(ANCHORED, rename(("own", "one_key"), "oneKey")) == 0
    assert read_again_for(ANCHORED, rename(("own", "one_key"), "K", (3, 5))) == 0


@pytest.mark.parametrize("path", [("base", "a"), ("merged", "a")])
def test_keys_at_anchors_and_beside_merge_keys_are_read_again(path: tuple[str, ...]) -> None:
    assert read_again_for(ANCHORED, rename(path, "b")) > 0

"""Names of a workspace by their letters."""

from __future__ import annotations

import pytest

from trialrun.lsp.features.navigation import rank_of


@pytest.mark.parametrize(
    ("wanted", "names"),
    [("fri", ["Fries", "Stir-Fried", "Kid's Fries", "Afri", "Ferris"]), ("", ["a", "bc"]), ("sidesize", ["Side Size"])],
)
def test_the_nearest_names_come_first(wanted: str, names: list[str]) -> None:
    ranks = [rank for name in names if (rank := rank_of(name, wanted)) is not None]
    assert len(ranks) == len(names)
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(("name", "wanted"), [("Fries", "fx"), ("Fries", "sf"), ("", "a"), ("ab", "abc")])
def test_a_name_without_the_letters_in_their_order_is_not_found(name: str, wanted: str) -> None:
    assert rank_of(name, wanted) is None

"""Names that are like another one, found without comparing all."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import product

from tests.cases import each_of
from trialrun.values.suggest import (
    MAX_CANDIDATES,
    MAX_COMPARED,
    MAX_LENGTH,
    NameIndex,
    candidates,
    closest_name,
    suggest,
)
from trialrun.values.time_zone import zone_names

ZONES = sorted(name.casefold() for name in zone_names())


@each_of(
    product(
        ["europe/pariss", "america/new_yrok", "asia/kolkatta", "austrlia/sidney", "x", "", "africa/lagoss"],
        [0.6, 0.75, 0.9],
    )
)
def test_the_closest_match_is_that_of_difflib(name: str, close: float) -> None:
    assert closest_name(name, ZONES, min_similarity=close) == next(iter(get_close_matches(name, ZONES, 1, close)), None)


def test_a_name_that_is_a_slip_away_is_meant_whatever_its_length() -> None:
    assert closest_name("utc+", ZONES, min_similarity=0.9) == "utc"


def test_what_cannot_be_alike_enough_is_not_compared() -> None:
    assert [name for _, name in candidates("coke", ["coka", "cola", "k", "cokecokecoke"], close=0.7)] == ["coka"]


def test_letters_count_as_often_as_they_stand() -> None:
    assert candidates("aaaa", ["abcd"], close=0.5) == []


def test_a_letter_that_stands_very_often_says_nothing() -> None:
    assert candidates("a" * 40, ["a" * 39 + "b"], close=0.9)


def test_few_of_many_are_compared() -> None:
    assert len(candidates("item", [f"item{number}" for number in range(1000)], close=0.1)) == MAX_COMPARED


def test_a_name_of_great_length_is_like_none() -> None:
    name = "a" * (MAX_LENGTH + 1)
    assert closest_name(name, [name], min_similarity=0.5) is None


def test_names_that_share_rare_pairs_of_letters_come_first() -> None:
    index = NameIndex(["fries", *(f"item number {number}" for number in range(1000))])
    assert index.similar_names("freis number 7")[0] == "fries"


def test_many_names_are_not_all_looked_at() -> None:
    assert len(NameIndex(f"item {number}" for number in range(1000)).similar_names("item")) == MAX_CANDIDATES


def test_a_very_long_text_is_no_misspelt_name() -> None:
    assert suggest("a" * 1_000_000, ["a" * 1_000_000]) is None

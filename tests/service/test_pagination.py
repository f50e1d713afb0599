"""Pages keep their place when resources come and go, and tokens are good for one list only."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.service.error import ServiceError
from trialrun.service.pagination import PageRequest, paginate, parse_order

ORDERS: Mapping[str, Any] = {"view_id": lambda one: one[0], "create_time": lambda one: one[1]}
THREE = [("b", 1), ("a", 2), ("c", 1)]


def listed(resources: list[tuple[str, int]], by: str = "", *, size: int | None = 2, token: str = "") -> tuple[str, str]:
    chosen, following = paginate(
        resources, parse_order(by, ORDERS, tie="view_id"), PageRequest(size, token, ("parent", by))
    )
    return "".join(name for name, _ in chosen), following


@each_of(
    [
        ("", "abc"),
        ("view_id desc", "cba"),
        ("create_time", "bca"),
        ("createTime desc", "abc"),
        ("create_time, view_id desc", "cba"),
        ("create_time asc,view_id asc", "bca"),
    ],
)
def test_an_order(by: str, names: str) -> None:
    assert listed(THREE, by, size=None) == (names, "")


def test_pages_follow_each_other_to_the_end() -> None:
    first, token = listed(THREE)
    assert (first, *listed(THREE, token=token)) == ("ab", "c", "")


def test_a_resource_that_comes_meanwhile_moves_no_other() -> None:
    _, token = listed(THREE)
    assert listed([*THREE, ("aa", 0), ("d", 0)], token=token, size=9) == ("cd", "")


def test_the_page_goes_on_when_its_last_resource_is_gone() -> None:
    _, token = listed(THREE)
    assert listed([("c", 1)], token=token) == ("c", "")


def test_a_descending_order_goes_on_where_it_was() -> None:
    first, token = listed(THREE, "create_time desc")
    assert (first, listed(THREE, "create_time desc", token=token)[0]) == ("ab", "c")


def test_a_large_page_is_cut_to_a_thousand() -> None:
    many = [(f"{number:05}", number) for number in range(1001)]
    chosen, token = paginate(many, parse_order("", ORDERS, tie="view_id"), PageRequest(5000, "", ()))
    assert (len(chosen), bool(token)) == (1000, True)


@each_of(
    [
        ("", -1, "", "pageSize: -1 is negative"),
        ("", 1, "rubbish", "pageToken: this is not a page token"),
        ("", 1, "W10", "pageToken: this is not a page token"),
        ("viewid", 1, "", 'orderBy: there is no field "viewid" to order by; did you mean "view_id"?'),
        ("view_id down", 1, "", 'orderBy: "view_id down" cannot be sorted by'),
        ("view_id,,", 1, "", 'orderBy: "" cannot be sorted by'),
    ],
)
def test_what_is_no_page(by: str, size: int, token: str, message: str) -> None:
    with pytest.raises(ServiceError) as told:
        listed(THREE, by, size=size, token=token)
    assert told.value.message.startswith(message)


def test_a_token_of_another_order_is_refused() -> None:
    _, token = listed(THREE)
    with pytest.raises(ServiceError, match="the page token is of another list"):
        listed(THREE, "view_id desc", token=token)


@pytest.mark.parametrize("place", [[5], [None], [["a"]], [{}]])
def test_a_token_with_another_place_in_it_is_refused(place: list[object]) -> None:
    _, token = listed(THREE)
    digest, _ = json.loads(base64.urlsafe_b64decode(token + "=="))
    with pytest.raises(ServiceError, match="not a page token"):
        listed(THREE, token=base64.urlsafe_b64encode(json.dumps([digest, place]).encode()).decode())


def test_a_token_of_many_brackets_is_refused() -> None:
    with pytest.raises(ServiceError, match="not a page token"):
        listed(THREE, token=base64.urlsafe_b64encode(b"[" * 100_000).decode())

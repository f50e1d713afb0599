"""Lists of resources: filters, orders, pages and their tokens."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.cases import each_of
from trialrun.service.error import ServiceError
from trialrun.service.filter import FilterError, LabelsField, TextField, TimeField, compile_filter
from trialrun.service.listing import ListRequest, list_page


@dataclass
class View:
    createTime: str | None = "2026-03-01T09:30:00Z"
    id: str = "riders"
    labels: dict[str, str] | None = field(default_factory=lambda: {"team": "search", "tier": "gold", "a.b": "dotted"})


FIELDS = {
    "createTime": TimeField(lambda view: view.createTime),
    "viewId": TextField(lambda view: view.id),
    "labels": LabelsField(lambda view: view.labels),
}


@each_of(
    [
        "",
        "  ",
        "labels.team = search",
        'labels.team = "search"',
        "labels.team=search",
        "labels.'a.b' = dotted",
        "labels.team:*",
        "labels:team",
        "labels:te*",
        "labels.team:search",
        "labels.team = s*h",
        "labels.team = *",
        "labels.team != pricing",
        "NOT labels.owner:*",
        "-labels.owner:*",
        "- labels.owner:*",
        'createTime = "2026-03-01T09:30:00Z"',
        'create_time >= "2026-03-01T10:30:00+01:00"',
        "create_time > 2026-03-01T09:29:59.999Z",
        "create_time < 2026-03-01T09:30:00.5Z",
        "create_time != 2026-03-01T09:30:01Z",
        "viewId = riders",
        "view_id = ri*rs",
        "labels.team = search AND labels.tier = gold",
        "labels.team = search labels.tier = gold",
        "labels.team = pricing OR labels.tier = gold",
        "(labels.team = pricing OR labels.team = search) AND NOT labels.tier = tin",
    ]
)
def test_a_filter_that_holds(text: str) -> None:
    assert compile_filter(text, FIELDS)(View())


@each_of(
    [
        "labels.team = pricing",
        "labels.owner = *",
        "labels.owner != x",
        "labels:owner",
        "labels.team = Search",
        "labels.team = s*x*h",
        "labels.team = searc",
        "NOT labels.team = search",
        "create_time < 2026-03-01T09:30:00Z",
        "labels.team = search AND labels.tier = tin",
        "labels.tier = gold AND labels.team = pricing OR labels.tier = tin",
        "labels.team = search OR labels.team = pricing AND labels.tier = tin",  # OR binds tighter than AND
        "viewId = rid*ders",  # stars do not overlap
    ]
)
def test_a_filter_that_does_not_hold(text: str) -> None:
    assert not compile_filter(text, FIELDS)(View())


def test_a_view_without_what_is_compared_is_not_listed() -> None:
    bare = View(createTime=None, labels=None)
    assert not compile_filter("labels.team = search", FIELDS)(bare)
    assert not compile_filter("create_time != 2026-03-01T09:30:00Z", FIELDS)(bare)


@each_of(
    [
        ("label.team = x", 'character 1: there is no field "label" to filter by; did you mean "labels"?'),
        ("labels.team = a AND colour = b", 'character 21: there is no field "colour" to filter by; there are createTi'),
        ("labels.team", "character 12: the end where an operator is expected"),
        ("labels.team = ", "character 15: the end where a value is expected"),
        ("labels. = x", 'character 9: "=" where a name after "." is expected'),
        ("search", "character 7: the end where an operator is expected"),
        ("labels.team = a AND", "character 20: the end where a field is expected"),
        ("labels.team = a OR OR b", 'character 20: "OR" where a field is expected'),
        ("labels.team = a or labels.tier = b", 'character 17: "or" is not an operator; write OR'),
        ("labels.team = a && labels.tier = b", 'character 17: "&&" is not an operator; write AND'),
        ("Not labels.team = a", 'character 1: "Not" is not an operator; write NOT'),
        ("labels.team == a", 'character 13: "==" is not an operator; write ='),
        ("labels.team <> a", 'character 13: "<>" is not an operator; write !='),
        ("(labels.team = a", "character 1: this parenthesis is not closed"),
        ("labels.team = a)", 'character 16: ")" has no opening parenthesis'),
        ('labels.team = "a', 'character 15: the quotes that open with " are not closed'),
        ("labels.team ! a", 'character 13: "!" is not an operator; write != for unequal'),
        ("!labels.team = a", 'character 1: "!" is not an operator; write != for unequal'),
        ("labels.team < a", 'character 13: "labels.team" is not compared by <'),
        ("labels = team", 'character 8: "labels" is not compared by ='),
        ("labels.a.b = x", "character 10: a label has no fields in it"),
        ("create_time > yesterday", "character 15: 'yesterday' is not an RFC 3339 time"),
        ("create_time : 2026-03-01T09:30:00Z", 'character 13: "create_time" is not compared by :'),
        ("viewId.x = a", 'character 8: "viewId" has no fields in it'),
        ("(" * 60 + "labels:a" + ")" * 60, "character 51: more than 50 parentheses inside each other"),
    ]
)
def test_a_filter_that_cannot_be_read_is_told_at_its_character(text: str, message: str) -> None:
    with pytest.raises(FilterError) as told:
        compile_filter(text, FIELDS)
    assert message in str(told.value)


ORDERS: Mapping[str, Any] = {"view_id": lambda one: one[0], "create_time": lambda one: one[1]}
THREE = [("b", 1), ("a", 2), ("c", 1)]


def listed(resources: list[tuple[str, int]], by: str = "", *, size: int | None = 2, token: str = "") -> tuple[str, str]:
    request = ListRequest(parent="parent", pageSize=size, pageToken=token, orderBy=by)
    chosen, following = list_page(resources, request, {}, ORDERS, tie="view_id")
    return "".join(name for name, _ in chosen), following


@each_of(
    [
        ("", "abc"),
        ("view_id desc", "cba"),
        ("create_time", "bca"),
        ("createTime desc", "abc"),
        ("create_time, view_id desc", "cba"),
        ("create_time asc,view_id asc", "bca"),
    ]
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
    names, token = listed([(f"{number:05}", number) for number in range(1001)], size=5000)
    assert (len(names), bool(token)) == (1000 * len("00000"), True)


@each_of(
    [
        ("", -1, "", "pageSize: -1 is negative"),
        ("", 1, "rubbish", "pageToken: this is not a page token"),
        ("", 1, "W10", "pageToken: this is not a page token"),
        ("viewid", 1, "", 'orderBy: there is no field "viewid" to order by; did you mean "view_id"?'),
        ("view_id down", 1, "", 'orderBy: "view_id down" cannot be sorted by'),
        ("view_id,,", 1, "", 'orderBy: "" cannot be sorted by'),
    ]
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

"""Herds: views of one store in the same minutes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from trialrun.runtime.feature_view.schedule_collisions import find_collisions

STORE = "projects/p/locations/l/featureOnlineStores/s"
THREE = datetime(2026, 11, 20, 3, tzinfo=UTC)
FOUR = THREE + timedelta(hours=1)


def view_name(name: str, store: str = STORE) -> str:
    return f"{store}/featureViews/{name}"


def test_more_views_than_allowed_in_one_minute_are_a_herd() -> None:
    views = [(view_name("a"), [THREE, FOUR]), (view_name("b"), [THREE, FOUR]), (view_name("c"), [FOUR])]
    (herd,) = find_collisions(views, most=2)
    assert (herd.store_id, herd.views, herd.minutes) == ("s", (view_name("a"), view_name("b"), view_name("c")), (FOUR,))
    assert find_collisions(views, most=3) == []


def test_the_minute_counts_in_whatever_zone_it_is_said() -> None:
    in_phoenix = THREE.astimezone(timezone(timedelta(hours=-7))) + timedelta(seconds=59)
    assert find_collisions([(view_name("a"), [THREE]), (view_name("b"), [in_phoenix])], most=1)[0].minutes == (THREE,)


def test_one_view_alone_is_no_herd_whatever_the_setting() -> None:
    assert find_collisions([(view_name("a"), [THREE]), (view_name("a"), [THREE])], most=0) == []


def test_stores_do_not_share_herds_and_a_name_without_a_store_is_in_none() -> None:
    views = [(view_name("a"), [THREE]), (view_name("a", f"{STORE}2"), [THREE]), ("x", [THREE]), ("y", [THREE])]
    assert find_collisions(views, most=1) == []


def test_the_same_views_are_one_herd_and_the_earliest_comes_first() -> None:
    views = [(view_name("c"), [THREE, FOUR]), (view_name("a"), [THREE, FOUR]), (view_name("b"), [FOUR])]
    found = find_collisions(views, most=1)
    assert [(len(herd.views), herd.minutes) for herd in found] == [(2, (THREE,)), (3, (FOUR,))]

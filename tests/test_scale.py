"""The page on scale: its figures are computed from rates and assumptions, its simulations repeat, and both can fail."""

from __future__ import annotations

import statistics
from xml.etree import ElementTree

import pytest

from scripts import scale, simulate
from tests.cases import each_of
from trialrun.runtime.feature_view.estimate.rates import RATES, Rate, rate

TEXT = scale.PAGE.read_text(encoding="utf-8")


@each_of([*scale.sections()])
def test_a_section_is_computed(name: str) -> None:
    assert scale.section_of(TEXT, name) == scale.sections()[name], "run python scripts/scale.py"


def test_every_assumption_is_used() -> None:
    formulas = " ".join(figure.formula for part in scale.PARTS.values() for figure in part())
    assert {name for name in scale.ASSUMPTIONS if name not in formulas} == set()


def test_a_figure_follows_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    def minutes() -> float:
        return next(figure.value for figure in scale.spark() if figure.name == "statement")

    before, old = minutes(), RATES["spark-statement"]
    half = Rate(old.value / 2, old.unit, old.meaning, old.command)
    monkeypatch.setitem(RATES, "spark-statement", half)  # type: ignore[arg-type]
    assert minutes() - rate("spark-start") / 60 == pytest.approx(2 * (before - rate("spark-start") / 60))


@pytest.mark.exhaustive
def test_the_tail_on_the_page_is_simulated() -> None:
    lines = simulate.all_times(simulate.QUERIES, simulate.SEED)
    assert scale.section_of(TEXT, "tail") == simulate.tail_table(lines), "run python scripts/simulate.py"
    drawn = simulate.draw_charts(list(simulate.charts(lines)))
    assert simulate.PICTURE.read_text(encoding="utf-8") == drawn
    ElementTree.fromstring(drawn)


@pytest.mark.exhaustive
def test_the_skew_on_the_page_is_simulated() -> None:
    assert scale.section_of(TEXT, "skew") == simulate.skew_table(simulate.SEED), "run python scripts/simulate.py"


def times(fault: simulate.Fault, *, hedged: bool = False, queries: int = 600) -> list[float]:
    """The times of one shard."""
    arrivals = simulate._arrivals(queries, 3)
    return simulate.shard_times(arrivals, fault, hedged=hedged, seed="3")


def test_an_idle_shard_takes_the_time_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    arrivals = [1_000.0 * number for number in range(4_000)]
    measured = simulate.shard_times(arrivals, simulate.HEALTHY, hedged=False, seed="1")
    assert statistics.median(measured) == pytest.approx(1, rel=0.03)
    assert simulate.percentile(measured, 0.99) == pytest.approx(2.54, rel=0.07)


def test_queues_make_a_busy_shard_slower() -> None:
    idle = simulate.shard_times([1_000.0 * number for number in range(600)], simulate.HEALTHY, hedged=False, seed="3")
    assert statistics.mean(times(simulate.HEALTHY)) > 1.1 * statistics.mean(idle)


def test_a_request_to_a_lost_node_takes_the_timeout_and_a_hedged_one_does_not() -> None:
    lost = simulate.Fault(lost_at=0)
    plain, hedged = times(lost, queries=100), times(lost, hedged=True, queries=100)
    assert sum(time > simulate.TIMEOUT for time in plain) > 30
    assert max(hedged) < simulate.TIMEOUT
    assert min(time for time in plain if time > simulate.TIMEOUT) < simulate.TIMEOUT + 3


def test_a_lost_node_is_not_asked_once_it_is_noticed() -> None:
    arrivals = [simulate.NOTICED_AFTER + 10.0 * number for number in range(200)]
    measured = simulate.shard_times(arrivals, simulate.Fault(lost_at=0), hedged=False, seed="1")
    assert max(measured) < simulate.TIMEOUT


def test_hedging_shortens_the_tail_of_a_slow_replica() -> None:
    slow = simulate.Fault(slowness=simulate.SLOWNESS)
    assert simulate.percentile(times(slow, hedged=True), 0.99) < simulate.percentile(times(slow), 0.99) / 2


def test_more_shards_are_never_faster() -> None:
    by_shards = simulate.query_times(simulate.HEALTHY, hedged=False, queries=200, seed=5)
    medians = [statistics.median(by_shards[shards]) for shards in simulate.SHARDS]
    assert medians == sorted(medians)
    assert all(few <= many for few, many in zip(by_shards[4], by_shards[64], strict=True))


def test_a_seed_repeats_and_another_differs() -> None:
    first, again, other = (simulate._arrivals.__wrapped__(50, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_without_skew_partitions_are_alike_and_with_it_one_entity_decides() -> None:
    assert simulate.skew(0.0, 200, latest_first=False, seed=1) == pytest.approx(1, abs=0.05)
    heaviest = simulate._rows_of_keys(1.2)[0] / (simulate.ROWS / 200)
    assert simulate.skew(1.2, 200, latest_first=False, seed=1) == pytest.approx(heaviest, rel=0.2)


def test_all_rows_are_placed() -> None:
    rows = simulate._rows_of_keys(0.8)
    scaled = rows[0] * simulate._power_sum(simulate.HEAVY_KEYS, simulate.ENTITIES, 0.8)
    assert sum(rows) + scaled == pytest.approx(simulate.ROWS)

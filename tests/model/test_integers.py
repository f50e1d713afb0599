"""Integers of the models have 64 bits, whatever their spelling."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.model.channel_config import CelUpsell, UpsellConfig, UpsellStrategy
from trialrun.model.feature_view import RagSource
from trialrun.model.field_declaration import INT64_MAX, INT64_MIN
from trialrun.model.node import Node
from trialrun.model.validate import validate

FIELDS: list[tuple[type[Node], str]] = [
    (UpsellConfig, "priority"),
    (CelUpsell, "priority"),
    (UpsellStrategy, "maxItemsInCart"),
    (RagSource, "ragCorpusId"),
]
TOO_LARGE = [2**63, str(2**63), f"{2**63}.0", float(2**63), "1e19", 1e19, 10**30, str(10**30)]


@each_of([(model, field, value) for model, field in FIELDS for value in TOO_LARGE])
def test_an_integer_beyond_64_bits_is_refused_in_every_spelling(
    model: type[Node], field: str, value: int | float | str
) -> None:
    fitted = validate({field: value}, model)
    assert getattr(fitted.node, field) is None
    assert [type(misfit).__name__ for misfit in fitted.misfits if misfit.path == (field,)] == ["WrongType"]


@each_of([(model, field, value) for model, field in FIELDS for value in [INT64_MAX, str(INT64_MAX)]])
def test_the_largest_integer_of_64_bits_is_taken(model: type[Node], field: str, value: int | str) -> None:
    assert getattr(validate({field: value}, model).node, field) == INT64_MAX


def test_the_least_integer_of_64_bits_is_taken() -> None:
    assert validate({"priority": INT64_MIN}, CelUpsell).node.priority == INT64_MIN
    assert validate({"priority": INT64_MIN - 1}, CelUpsell).node.priority is None

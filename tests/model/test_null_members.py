"""A null member of a union: `{}` is only what was meant where no other member stands beside it."""

from __future__ import annotations

from typing import Any

from tests.cases import each_of
from trialrun.model.feature_view import FeatureView, IndexConfig
from trialrun.model.misfit import NullValue
from trialrun.model.node import Node
from trialrun.model.validate import validate

INDEX: dict[str, Any] = {"embeddingColumn": "vector"}


def fillable(value: dict[str, Any], model: type[Node]) -> list[str]:
    """The keys whose null may become an empty message."""
    misfits = validate(value, model).misfits
    return [str(misfit.path[-1]) for misfit in misfits if isinstance(misfit, NullValue) and misfit.empty_message]


@each_of(
    [
        ({**INDEX, "bruteForceConfig": None}, ["bruteForceConfig"]),
        ({**INDEX, "bruteForceConfig": None, "treeAhConfig": {}}, []),
        ({**INDEX, "treeAhConfig": {}, "bruteForceConfig": None}, []),
        ({**INDEX, "bruteForceConfig": None, "treeAhConfig": None}, ["bruteForceConfig"]),
        ({**INDEX, "brute_force_config": None, "tree_ah_config": None}, ["brute_force_config"]),
    ]
)
def test_only_one_member_of_a_union_is_filled(value: dict[str, Any], keys: list[str]) -> None:
    assert fillable(value, IndexConfig) == keys


def test_fields_that_are_as_good_as_a_union_are_one() -> None:
    assert fillable({"indexConfig": INDEX, "vectorSearchConfig": None}, FeatureView) == []

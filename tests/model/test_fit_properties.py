"""What holds of every value that a file can have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from tests.model.shapes import ANYTHING, DOCUMENTS, PARTS, message_of
from trialrun.diagnostic import Path
from trialrun.model.lenient import validate_leniently
from trialrun.model.node import Node, message_fields
from trialrun.model.validate import ValidatedModel, validate

EACH_MESSAGE = pytest.mark.parametrize("model", DOCUMENTS + PARTS, ids=lambda model: model.__name__)


@EACH_MESSAGE
@settings(max_examples=number_of_cases(40), deadline=None)
@given(value=ANYTHING)
def test_no_value_is_too_strange(model: type[Node], value: Any) -> None:
    fitted = validate(value, model)
    assert isinstance(fitted.node, model)
    assert fitted.misfits or model.accept(value)


@EACH_MESSAGE
@settings(max_examples=number_of_cases(150, 30), deadline=None)
@given(data=st.data())
def test_the_fast_way_and_the_slow_way_agree(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    fast, slow = model.accept(value), validate_leniently(value, model)
    assert (fast is None) == bool(slow.misfits)
    assert fast is None or (fast == slow.node and fast.model_fields_set == slow.node.model_fields_set)


@EACH_MESSAGE
@settings(max_examples=number_of_cases(150, 30), deadline=None)
@given(data=st.data())
def test_taking_sound_parts_whole_changes_nothing(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    quick = validate(value, model, correct_typos=True)
    with patch.object(Node, "accept", lambda _: None):
        slow = validate_leniently(value, model, correct_typos=True)
    assert repr((quick.misfits, quick.node)) == repr((slow.misfits, slow.node))  # by their text: no nan is another
    assert list(paths_of_fields(quick)) == list(paths_of_fields(slow))


def paths_of_fields(fitted: ValidatedModel) -> Iterator[Path]:
    """The path in the file of every field that stands in a message of a model."""
    nodes = [fitted.node, *(node for node, _ in fitted.detached)]
    while nodes:
        node = nodes.pop()
        yield from sorted((fitted.path(node.location(name)) for name in node.model_fields_set), key=repr)
        for name, listed, _ in message_fields(type(node)):
            inner = getattr(node, name)
            nodes += (inner or []) if listed else [inner] if inner else []

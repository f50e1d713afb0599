"""What holds of every value that a file can have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.shapes import ANYTHING, DOCUMENTS, PARTS, message_of
from trialrun.model.fit import accepted, fit
from trialrun.model.node import Node
from trialrun.model.reading import read

EACH_MESSAGE = pytest.mark.parametrize("model", DOCUMENTS + PARTS, ids=lambda model: model.__name__)


@EACH_MESSAGE
@settings(max_examples=40, deadline=None)
@given(value=ANYTHING)
def test_no_value_is_too_strange(model: type[Node], value: Any) -> None:
    fitted = fit(value, model)
    assert isinstance(fitted.node, model)
    assert fitted.misfits or accepted(value, model)


@EACH_MESSAGE
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_fast_way_and_the_slow_way_agree(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    fast, slow = accepted(value, model), read(value, model)
    assert (fast is None) == bool(slow.misfits)
    assert fast is None or (fast == slow.node and fast.model_fields_set == slow.node.model_fields_set)

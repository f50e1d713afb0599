"""The canonical text of a document reads back as the same value, and is the same for equal documents."""

import math
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from tests.model.shapes import DOCUMENTS, message_of
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.model.canonical import CanonicalForm
from trialrun.model.misfit import UnknownField
from trialrun.model.node import Node
from trialrun.parser import parse

TEXTS = st.one_of(
    st.text(max_size=12),
    st.text("ab \n\t#:-|>'\"\\{}[],&*!%@`?~=<\u2028\ufeff\x85\x00é🍔", max_size=12),
    st.sampled_from(
        ["no", "1_000", "012", "null", "~", "2026-01-01", "a\n\nb\n", "a\n b", "- x", "x" * 2000, "=", "<<"]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


def read(text: str) -> Any:
    parsed = parse(text.encode("utf-8"), "document.yaml")
    assert parsed.errors == []
    (document,) = parsed.documents
    return document.value


def exact(value: Any) -> str:
    """A value as a text to compare: NaN equals NaN, but 0.0 is not -0.0, 1 is not 1.0, and the order of keys counts."""
    return repr(value)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
@example({"zeros": [0.0, -0.0, 0, False], "others": [math.nan, math.inf, -math.inf, 1, 1.0, True]})
@example({"text": "line\n# no comment\n--- no document\n"})
@example({"x" * 3000: {"a": [[["b"], {}], [], {"c": "d\ne"}]}})
def test_any_value_reads_back_as_it_was(value: dict[str, Any]) -> None:
    assert exact(read(canonical_yaml(value))) == exact(value)


@each_of(
    [
        ("a\nb", ["|-", "  a", "  b"]),
        ("a\nb\n", ["|", "  a", "  b"]),
        ("a\n\nb", ["|-", "  a", "", "  b"]),
        ("a\n  b", ["|-", "  a", "    b"]),
        ("# a\n---", ["|-", "  # a", "  ---"]),
        (" a\nb", ['" a\\nb"']),
        ("\na", ['"\\na"']),
        ("a\n\n", ['"a\\n\\n"']),
        ("a \nb", ['"a \\nb"']),
        ("a\tb\nc", ['"a\\tb\\nc"']),
        ("a\r\nb", ['"a\\r\\nb"']),
        ("\n", ['"\\n"']),
    ]
)
def test_texts_of_several_lines(text: str, lines: list[str]) -> None:
    written = canonical_yaml({"key": text})
    assert written == "key: " + "\n".join(lines) + "\n"
    assert read(written) == {"key": text}


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_every_reader_of_yaml_1_1_reads_the_same(value: dict[str, Any]) -> None:
    assert exact(yaml.safe_load(canonical_yaml(value))) == exact(value)


@pytest.mark.parametrize("model", DOCUMENTS)
@given(st.data())
def test_the_canonical_form_of_a_document_is_one_and_reads_back(model: type[Node], data: st.DataObject) -> None:
    form = CanonicalForm(data.draw(message_of(model)), model)
    assert exact(read(canonical_yaml(form.value))) == exact(form.value)
    again = CanonicalForm(form.value, model)
    assert exact(again.value) == exact(form.value)
    assert not [misfit for misfit in again.misfits if isinstance(misfit, UnknownField)]


def test_texts_of_several_lines_are_blocks_and_others_have_quotes_where_they_need_them() -> None:
    value = {
        "kind": "ChannelConfig",
        "text": "Say please.\n\nSay thank you.\n",
        "condition": 'order.items.exists(i, i.displayName == "Fries")',
        "number": "12",
        "list": ["a", {"b": 1, "c": []}, "d\ne"],
        "empty": {},
    }
    assert (
        canonical_yaml(value)
        == """\
kind: ChannelConfig
text: |
  Say please.

  Say thank you.
condition: order.items.exists(i, i.displayName == "Fries")
number: "12"
list:
  - a
  - b: 1
    c: []
  - |-
    d
    e
empty: {}
"""
    )

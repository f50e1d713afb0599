"""Entity ids as a command line has them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.cli.views import format_entity_id, parse_entity_id
from trialrun.errors import UsageError
from trialrun.runtime.feature_view.column import Column

TEXT, NUMBER = Column("store", "STRING"), Column("lane", "INT64")
READ = [
    ("g-1", (TEXT,), ("g-1",)),
    ("a,b", (TEXT,), ("a,b",)),
    ("7", (TEXT,), ("7",)),
    ("7", (NUMBER,), (7,)),
    ("[7", (TEXT,), ("[7",)),
    ('["a"]', (TEXT,), ("a",)),
    ('["a", "b"]', (TEXT,), ('["a", "b"]',)),
    ("a,7", (TEXT, NUMBER), ("a", 7)),
    ('["a", 7]', (TEXT, NUMBER), ("a", 7)),
    ('["a", "7"]', (TEXT, NUMBER), ("a", 7)),
    ('["a,b", 7]', (TEXT, NUMBER), ("a,b", 7)),
]
WRONG = [
    ("x", (NUMBER,), "lane"),
    ("a", (TEXT, NUMBER), "it has 1 value, not 2: store (STRING), lane (INT64)"),
    ("a,b,7", (TEXT, NUMBER), """it has 3 values, not 2: store (STRING), lane (INT64); write STORE,7"""),
    ("a,b", (TEXT, NUMBER), "lane"),
]


@each_of(READ)
def test_what_an_id_means(text: str, keys: tuple[Column, ...], meant: tuple[object, ...]) -> None:
    assert parse_entity_id(text, keys) == meant


@pytest.mark.parametrize(("text", "keys", "told"), WRONG)
def test_an_id_that_does_not_fit_is_told(text: str, keys: tuple[Column, ...], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_entity_id(text, keys)
    assert str(raised.value).startswith(f'"{text}" is not an entity id: ')
    assert told in str(raised.value)


@pytest.mark.parametrize("id", [("",), (" ",), ("a ",), ("", "a"), (" ", "b")])
def test_an_id_that_nobody_would_see_is_shown_in_quotes(id: tuple[str, ...]) -> None:
    assert format_entity_id(id) == json.dumps(list(id))


@given(st.lists(st.text(alphabet='a7, []"\\', max_size=5), min_size=1, max_size=3))
def test_an_id_as_it_is_shown_means_itself(values: list[str]) -> None:
    keys = tuple(Column(f"c{number}", "STRING") for number in range(len(values)))
    assert parse_entity_id(format_entity_id(values), keys) == tuple(values)

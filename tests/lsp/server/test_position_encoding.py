"""Places as clients count them, in three encodings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialrun.diagnostic import Range
from trialrun.lsp.server.position_encoding import Encoding, PositionMapper, ProtocolPosition, source_of
from trialrun.text import Position

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab \n\r\u2028\x0b\x85é漢🍔\ufeff"), max_size=30)


def at(line: int, character: int) -> ProtocolPosition:
    return {"line": line, "character": character}


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 8), ("utf-16", 6), ("utf-32", 5)])
def test_a_character_is_counted_in_the_units_of_the_client(encoding: Encoding, character: int) -> None:
    mapper = PositionMapper(source_of("a: 🍔 b: c", "a.yaml"), encoding)
    assert mapper.to_protocol(Position(1, 6)) == at(0, character)
    assert mapper.position(at(0, character)) == Position(1, 6)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_place_inside_a_character_is_the_one_before_it(encoding: Encoding) -> None:
    mapper = PositionMapper(source_of("🍔🍔", "a.yaml"), encoding)
    middle = {"utf-8": 6, "utf-16": 3, "utf-32": 1}[encoding]
    assert mapper.offset(at(0, middle)) == 1


@pytest.mark.parametrize("place", [(0, 99), (9, 0), (1, 0)])
def test_a_place_beyond_the_text_is_its_end(place: tuple[int, int]) -> None:
    assert PositionMapper(source_of("abc", "a.yaml"), "utf-16").offset(at(*place)) == 3


def test_a_range_of_an_older_text_ends_with_the_text() -> None:
    mapper = PositionMapper(source_of("abc", "a.yaml"), "utf-16")
    assert mapper.range_to_protocol(Range(Position(1, 2), Position(7, 40))) == {"start": at(0, 1), "end": at(0, 3)}


def test_only_breaks_that_the_protocol_has_end_a_line() -> None:
    mapper = PositionMapper(source_of("a\u2028b\x0bc\x85d\r\ne\rf", "a.yaml"), "utf-16")
    assert mapper.offset(at(1, 1)) == 10
    assert mapper.offset(at(2, 0)) == 11


def test_a_byte_order_mark_that_the_client_counts_is_passed_over() -> None:
    mapper = PositionMapper(source_of("\ufeffab", "a.yaml"), "utf-16")
    assert mapper.to_protocol(Position(1, 2)) == at(0, 2)
    assert mapper.offset(at(0, 2)) == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_every_position_comes_back(encoding: Encoding, text: str, data: Any) -> None:
    source = source_of(text, "a.yaml")
    mapper = PositionMapper(source, encoding)
    offset = data.draw(st.integers(0, len(source.text)))
    position = source.position(offset)
    if position.column <= len(source.line(position.line)) + 1:
        assert mapper.position(mapper.to_protocol(position)) == position


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, new=TEXTS, data=st.data())
def test_an_edit_puts_a_text_in_place_of_another(encoding: Encoding, text: str, new: str, data: Any) -> None:
    source = source_of(text.replace("\ufeff", ""), "a.yaml")
    ends = [
        end for end in range(len(source.text) + 1) if not 0 < end < len(source.text) or source.text[end - 1] != "\r"
    ]
    first, last = sorted((data.draw(st.sampled_from(ends)), data.draw(st.sampled_from(ends))))
    mapper = PositionMapper(source, encoding)
    edited = mapper.replace(
        mapper.to_protocol(source.position(first)), mapper.to_protocol(source.position(last)), new.replace("\ufeff", "")
    )
    assert edited.text == source.text[:first] + new.replace("\ufeff", "") + source.text[last:]

"""Every key, value and character of generated documents stands where the emitter put it."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from tests.parser.emitter import Emitter, Written
from trialrun.parser import Document, parse
from trialrun.text import Span

LETTERS = st.sampled_from(list("abzNo0159 _-:#'\"\\/.,*&!|>%@`{}[]?éß漢🍔\n\t\x85\xa0\x1b\0"))
TEXTS = st.one_of(
    st.text(LETTERS, max_size=12),
    st.text(st.sampled_from(list("ab é🍔")), max_size=20),
    st.text(st.sampled_from(list("ab \n")), max_size=20),
    st.text(max_size=8).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
)
KEYS = st.one_of(st.text(st.sampled_from(list("abcdé_")), min_size=1, max_size=6), st.text(LETTERS, max_size=6))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), TEXTS, TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda children: st.one_of(st.lists(children, max_size=4), st.dictionaries(KEYS, children, max_size=4)),
    max_leaves=14,
)


def emit(documents: list[Any], seed: int, line_break: str) -> Written:
    emitter = Emitter(random.Random(seed), line_break)
    for number, value in enumerate(documents):
        emitter.document(value, first=number == 0)
    return emitter.written


@settings(max_examples=number_of_cases(400), deadline=None)
@given(
    st.lists(VALUES, min_size=1, max_size=3),
    st.integers(0, 2**32),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_yaml(documents: list[Any], seed: int, line_break: str, bom: bool) -> None:
    written = emit(documents, seed, line_break)
    tree = parse(written.text.encode("utf-8-sig" if bom else "utf-8"), "a.yaml")
    assert [trouble.message for trouble in tree.errors] == []
    assert [document.value for document in tree.documents] == written.values
    assert [differences(document, written) for document in tree.documents] == [[] for _ in documents]


def test_a_stream_of_documents_with_carriage_returns_is_no_json() -> None:
    tree = parse(b"[]\r---  # a comment\r'/*': null\r", "a.yaml")
    assert (tree.errors, [document.value for document in tree.documents]) == ([], [[], {"/*": None}])


def differences(document: Document, written: Written) -> list[tuple[object, ...]]:
    number = document.index
    found: list[tuple[object, ...]] = []
    for path, place in written.spans[number].items():
        found.extend([("span", path, place, document.span(path))] * (document.span(path) != Span(*place)))
    for path, place in written.keys[number].items():
        found.extend([("key", path, place, document.key_span(path))] * (document.key_span(path) != Span(*place)))
    for inside, characters in (
        (document.scalar_span, written.characters[number]),
        (document.key_text_span, written.key_characters[number]),
    ):
        for path, places in characters.items():
            got = [inside(path, at, at + 1) for at in range(len(places))]
            found.extend([(inside.__name__, path, places, got)] * (got != [Span(*place) for place in places]))
    return found


@settings(max_examples=number_of_cases(200), deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 2, "\t"]))
def test_json(value: Any, ascii_only: bool, indent: int | str | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    tree = parse(text.encode(), "a.json")
    assume(not tree.errors)  # DEL and the like are legal JSON, and told
    document = tree.documents[0]
    assert document.value == value
    assert [path for path, part in parts(value) if not slices_back(text, document, path, part)] == []


def parts(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(pair for step, child in children for pair in parts(child, (*path, step)))]


def slices_back(text: str, document: Document, path: tuple[str | int, ...], part: Any) -> bool:
    span = document.span(path)
    key = document.key_span(path)
    if json.loads(text[span.start : span.end]) != part:
        return False
    if key is not None and json.loads(text[key.start : key.end]) != path[-1]:
        return False
    return not isinstance(part, str) or all(
        json.loads(f'"{text[place.start : place.end]}"') == part[at]
        for at in range(len(part))
        for place in [document.scalar_span(path, at, at + 1)]
    )

"""What is read without libyaml is what libyaml reads, with nothing to remark; anything uncertain is left to libyaml."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.corpus import corpus
from tests.cases import each_of, number_of_cases
from tests.fuzz.harness import FIXTURES, mutated
from tests.parser.test_comments import VALUES, emit
from trialrun.parser import Document, SourceSlice
from trialrun.parser.compose import Unsupported, compose, limit_events
from trialrun.parser.decode import decode
from trialrun.parser.document import ComposedDocument, add_document
from trialrun.parser.events import YAMLError, make_parser
from trialrun.parser.fast_path import parse_fast
from trialrun.parser.nodes import MAX_DEPTH, MAX_NODES
from trialrun.parser.scalars import WORDS
from trialrun.text import Span

SUITE = Path(__file__).parents[3] / "shared" / "cases" / "yaml-test-suite.json"
FILES = {str(path.relative_to(FIXTURES)): path.read_bytes() for path in sorted(FIXTURES.rglob("*.y*ml"))}


@cache
def generated_files() -> dict[str, bytes]:
    """Files of the benchmark corpus, generated where a test asks for them rather than when this is imported."""
    return {file.path: file.content for file in corpus(number_of_cases(300), seed=7)}


SIMPLE = {
    "a: b\n": {"a": "b"},
    "a: b": {"a": "b"},
    "a: b  # c\n# d\n\n   # e\n": {"a": "b"},
    "a:\nb: \nc: # d\n": {"a": None, "b": None, "c": None},
    "a:\n  b: 1\n  c:\n      d: -2\ne: +3\n": {"a": {"b": 1, "c": {"d": -2}}, "e": 3},
    "- a\n- b: 1\n  c: 2\n-   d: 3\n    e: 4\n-\n- 5\n": ["a", {"b": 1, "c": 2}, {"d": 3, "e": 4}, None, 5],
    "a:\n- b\n- c:\n  - d\ne: f\n": {"a": ["b", {"c": ["d"]}], "e": "f"},
    "a:\n  - b\n  -\n    c: d\n": {"a": ["b", {"c": "d"}]},
    "  a: b\n  c: d\n": {"a": "b", "c": "d"},
    "a: true\nb: null\nc: ~\nd: False\ne: nope\nf: x\n": {
        "a": True,
        "b": None,
        "c": None,
        "d": False,
        "e": "nope",
        "f": "x",
    },
    "a: 1.5\nb: 0x1F\nc: .5\nd: 1e400x\ne: -x\nf: 5 boxes\n": {
        "a": 1.5,
        "b": 31,
        "c": 0.5,
        "d": "1e400x",
        "e": "-x",
        "f": "5 boxes",
    },
    "a: x:y #z\nb: it's [1] {2}, #3\nc: x#y\n": {"a": "x:y", "b": "it's [1] {2},", "c": "x#y"},
    "a: 'it''s: # '\nb: ''\nc: '~' # d\n": {"a": "it's: # ", "b": "", "c": "~"},
    'a: "b\\n\\t\\"\\\\\\/"\nc: "d: #"  # e\n': {"a": 'b\n\t"\\/', "c": "d: #"},
    "a: [b, 'c', \"d\", 1, ~, [e, {f: g}], [], {}]  # h\n": {"a": ["b", "c", "d", 1, None, ["e", {"f": "g"}], [], {}]},
    "a: {b: c:d, 'e': [1], f: http://g.h/i}\nj: []\nk: {}\n": {
        "a": {"b": "c:d", "e": [1], "f": "http://g.h/i"},
        "j": [],
        "k": {},
    },
    "a: |\n  b\n    c\n\n  # d\n\n\ne: |-\n    f \n": {"a": "b\n  c\n\n# d\n", "e": "f "},
    "a: >\n  b\n  c\n\n  d\n\n\n  e\n\nf: >-\n\n   g\n   h\n": {"a": "b c\nd\n\ne\n", "f": "\ng h"},
    "- |\n b\n- c: >-\n   d\n": ["b\n", {"c": "d"}],
    "---\na: b\n--- # c\n- d\n---\n": [{"a": "b"}, ["d"], None],
    "a: &x b\nc: *x\nd: &y [1]\ne: *y  # f\ng: &z 'h' # i\n": {"a": "b", "c": "b", "d": [1], "e": [1], "g": "h"},
    "a: &x\n\n  # d\n  b: 1\nc: *x\ne: &y # f\n- g\nh: *y\n": {"a": {"b": 1}, "c": {"b": 1}, "e": ["g"], "h": ["g"]},
    "a: &x\nb: *x\nc:\n- &x\n- *x\n- &x d\n- *x\n": {"a": None, "b": None, "c": [None, None, "d", "d"]},
    "- &x\n  a: 1\n  b: 2\n- <<: *x\n  a: 3\n- <<: *x # c\n- d: 4\n  <<: *x\n": [
        {"a": 1, "b": 2},
        {"b": 2, "a": 3},
        {"a": 1, "b": 2},
        {"a": 1, "b": 2, "d": 4},
    ],
    "a: &x\n  p: 1\nb: &y\n  <<: *x\n  q: 2\nc:\n  <<: *y\n  p: 5\n  r:\n    <<: *x\n": {
        "a": {"p": 1},
        "b": {"p": 1, "q": 2},
        "c": {"q": 2, "p": 5, "r": {"p": 1}},
    },
}
UNCERTAIN = [
    "a: no\n",
    "a: [on]\n",
    "on: a\n",
    "a: {off: b}\n",
    "a: 012\n",
    "a: 12:30\n",
    "a: 2024-01-01\n",
    "a: =\n",
    "a: 1\na: 2\n",
    "a: {b: 1, b: 2}\n",
    "- a: 1\n  a: 2\n",
    "<<: a\n",
    "1: a\n",
    "a: *b\n",
    "a: &b\n  c: *b\n",
    "a: &b\n  <<: *b\n",
    "a: &b\n  c: 1\n---\nd: *b\n",
    "a: &b\n  c: 1\nd:\n  <<: *b\n  <<: *b\n",
    "a: &b 1\nc:\n  <<: *b\n",
    "a: &b\n- c: 1\nd:\n  <<: *b\n",
    "a: &b\n  c: 1\nd:\n  <<: [*b]\n",
    "<<: {a: b}\n",
    "a: &b &c d\n",
    "a: &b |\n  c\n",
    "a: &b: c\n",
    "a: &\u00e9 c\n",
    "a: &b no\n",
    "a: &b !c d\n",
    "&a b: c\n",
    "- &a b: c\n",
    "a: &b c\n*b : d\n",
    "a: &b c\nd: *b e\n",
    "a: &b\n  c\n",
    "".join(["a0: &a0 [x]\n", *(f"a{n}: &a{n}\n- *a{n - 1}\n- *a{n - 1}\n" for n in range(1, 30))]),
    "a: !b c\n",
    "a: {1: b}\n",
    "a: {'': b}\n",
    "a:\tb\n",
    "a: b\t\n",
    "a: b\t# c\n",
    "a: b\n  c\n",
    "a: 'b\n  c'\n",
    "a: [b,\n  c]\n",
    "a: b: c\n",
    "a: b:\n",
    "a: 'b' c\n",
    "a: 'b'# c\n",
    "a: [b]# c\n",
    "a: [b] c\n",
    "a: [b\n",
    "a: [b: c]\n",
    "a: [b: ]\n",
    "a: {b: c: }\n",
    "a: {b: c, b: d}\n",
    "a: {b}\n",
    "a: {b:c}\n",
    'a: "\\u00e9"\n',
    "a: - b\n",
    "a: -\n",
    "a: @b\n",
    "a: `b\n",
    "a: %b\n",
    "? a\n: b\n",
    "a\n",
    "'a'\n",
    "a: b\n c: d\n",
    "a:\n   b: c\n  d: e\n",
    "a: b\n- c\n",
    "- a\nb: c\n",
    "a:\n  b:\n- c\n",
    "- - a\n",
    "a: |+\n  b\n",
    "a: |2\n  b\n",
    "a: |\nb: c\n",
    "a: |\n  b",
    "a: >\n  b\n   c\n",
    "a: >\n  b\n\n   c\n",
    "a: |\n    b\n   c\n",
    "a: |\n     \n  b\n",
    "a: |\n  b\n      \n",
    "- a: |\n  b\n",
    "a: b\n...\n",
    "--- a\n",
    "%YAML 1.2\n---\na: b\n",
    "a: b\r\nc: d\n",
    "a: b\rc: d\n",
    "a: b\x85c\n",
    "a: b\u2028c\n",
    "a: [" + "[" * 9 + "]" * 10 + "\n",
    "".join("  " * depth + "a:\n" for depth in range(MAX_DEPTH)),
    "a: " + "b" * 2 * MAX_NODES + "\n",
    "---\n" * 10_000,
    "k" * 1025 + ": a\n",
]


@each_of(SIMPLE.items())
def test_simple_texts_are_read(text: str, value: Any) -> None:
    answer = parse_fast(text)
    assert answer is not None
    assert [one.value for one in answer] in ([value], value)
    assert facts(answer) == facts(by_libyaml(text))


@each_of([*SIMPLE])
def test_carriage_returns_are_counted(text: str) -> None:
    text = text.replace("\n", "\r\n")
    answer = parse_fast(text)
    assert answer is not None
    assert facts(answer) == facts(by_libyaml(text))


@each_of(UNCERTAIN)
def test_uncertain_texts_are_left_to_libyaml(text: str) -> None:
    assert parse_fast(text) is None


@each_of([*WORDS, "<<", "-0", "+.inf", "0b1", "1_000", "1.", "...", "--"])
def test_every_word_is_read_as_libyaml_does(word: str) -> None:
    for text in (f"a: {word}\n", f"{word}: a\n", f"- {word}\n", f"- {word}: a\n", f"a: {word}  # b\n"):
        assert difference(text) is None
    for text in (f"a: [{word}]\n", f"a: {{{word}: b}}\n", f"a: {{b: {word}}}\n", f"a: {{b: {word}, c: d}}\n"):
        assert difference(text) is None


@each_of(FILES.items())
def test_files_are_read_as_libyaml_does(name: str, data: bytes) -> None:
    assert difference(decode(data, name).clean) is None


@pytest.mark.generated
def test_generated_files_are_read_as_libyaml_does() -> None:
    files = list(generated_files().items())[: number_of_cases(300)]
    texts = {path: decode(data, path).clean for path, data in files}
    assert {path: found for path, text in texts.items() if (found := difference(text))} == {}
    assert sum(parse_fast(text) is not None for text in texts.values()) >= 0.9 * len(texts)


@each_of(list(FILES)[::3])
def test_places_are_the_same(name: str) -> None:
    text = decode(FILES[name], name).clean
    answer = parse_fast(text)
    if answer is not None:
        assert places(text, answer) == places(text, by_libyaml(text))


@each_of(range(0, number_of_cases(300), 3))
def test_places_in_generated_files_are_the_same(number: int) -> None:
    name, data = list(generated_files().items())[number]
    text = decode(data, name).clean
    answer = parse_fast(text)
    if answer is not None:
        assert places(text, answer) == places(text, by_libyaml(text))


def test_places_in_later_documents() -> None:
    text = "# a\n  b: c\n\n---\n\n  d:\n  - e\n--- # f\ng: 'h'\n"
    for form in (text, text.replace("\n", "\r\n")):
        answer = parse_fast(form)
        assert answer is not None
        assert places(form, answer) == places(form, by_libyaml(form))
        assert [form[span.start : span.end] for span in places(form, answer)] == ["b: c", "c", *documents_after(form)]


def documents_after(form: str) -> list[str]:
    line_break = "\r\n" if "\r" in form else "\n"
    return [f"d:{line_break}  - e", "- e", "e", "g: 'h'", "'h'"]


@settings(max_examples=number_of_cases(1500), deadline=None)
@given(st.text(st.sampled_from(list("-:?|>#'\"[]{},&*!%@` \n\tab0~.")), max_size=30))
@example("a:\n-\n- b")
def test_any_signs(text: str) -> None:
    assert difference(text) is None


PIECES = (
    *("a", "b", "c", "- ", "a: ", "b: ", "c:", "\n", "\n  ", "\n- ", "\n  - ", "\n    ", " ", "# x", "'x'", '"y"'),
    *(
        "[a, b]",
        "{a: b}",
        "[",
        "}",
        ", ",
        "|",
        ">-",
        "|\n  x\n",
        ">\n    x\n\n    y\n",
        "---\n",
        "two words",
        "&x ",
        "&x\n",
        "a: &x\n    b: ",
        "*x",
        "<<: *x\n",
        "    ",
        "no",
        "-1",
    ),
)


@settings(max_examples=number_of_cases(1500, 16), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16))
def test_any_pieces(pieces: list[str]) -> None:
    assert difference("".join(pieces)) is None


@settings(max_examples=number_of_cases(300), deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=3), st.integers(0, 2**32), st.sampled_from(["\n", "\r\n"]))
def test_any_documents(documents: list[Any], seed: int, line_break: str) -> None:
    assert difference(decode(emit(documents, seed, line_break).text.encode(), "a.yaml").clean) is None


@each_of(range(4))
def test_damaged_files(seed: int) -> None:
    choose = random.Random(seed)
    files = list(FILES.values())
    damaged = [mutated(choose.choice(files), files, choose) for _ in range(150)]
    assert [found for data in damaged if (found := difference(decode(data, "a.yaml").clean))] == []


@pytest.mark.skipif(not SUITE.exists(), reason=f"the YAML test suite is not at {SUITE}")
def test_the_yaml_test_suite() -> None:
    cases = json.loads(SUITE.read_text(encoding="utf-8"))["cases"]
    texts = {case["id"]: decode(case["yaml"].encode(), "a.yaml").clean for case in cases}
    assert {name: found for name, text in texts.items() if (found := difference(text))} == {}
    right = [case for case in cases if "json" in case and parse_fast(texts[case["id"]])]
    assert len(right) >= 20
    assert [case["id"] for case in right if case.get("error") or values(texts[case["id"]]) != expected(case)] == []


@pytest.mark.generated
def test_ruamel_agrees() -> None:
    from ruamel.yaml import YAML

    for path, data in list(generated_files().items())[: number_of_cases(30, 10)]:
        text = decode(data, path).clean
        if parse_fast(text) is not None:
            assert values(text) == list(YAML(typ="safe", pure=True).load_all(text)), path


# ---- both ways of reading


def by_libyaml(text: str) -> list[ComposedDocument]:
    composed: list[ComposedDocument] = []
    parser = make_parser(text)
    try:
        compose(limit_events(parser.get_event, text), composed, text)
    finally:
        parser.dispose()
    return composed


def facts(composed: list[ComposedDocument]) -> list[tuple[str, int, int, bool]]:
    """Values as they are shown, which tells 1 from true and 1.0, and the order of keys."""
    return [(repr(document.value), document.start, document.end, document.needs_second_look) for document in composed]


def difference(text: str) -> object:
    """What libyaml reads in a text that was answered without it, where that differs."""
    answer = parse_fast(text)
    if answer is None:
        return None
    try:
        other = facts(by_libyaml(text))
    except (YAMLError, Unsupported) as error:
        return text, answer, error
    return None if facts(answer) == other else (text, answer, other)


def places(text: str, composed: list[ComposedDocument]) -> list[Span]:
    """The spans of all values in all documents."""
    documents: list[Document] = []
    for one in composed:
        add_document(one, SourceSlice(text), documents, [], index=len(documents))
    return [document.span(path) for document in documents for path in paths(document.value)]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for step, child in children for deeper in paths(child, (*path, step)))]


def values(text: str) -> list[Any]:
    return [document.value for document in parse_fast(text) or []]


def expected(case: dict[str, Any]) -> list[Any]:
    """The values of a JSON text of zero or more documents."""
    found, decoder, rest = [], json.JSONDecoder(), case["json"].strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found

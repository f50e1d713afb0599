"""Comments are told from `#` inside scalars in every style, and entries are found by their lines."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from tests.parser.emitter import Emitter, Written
from trialrun.lint.suppression.collect import LineIndex
from trialrun.parser import Document, ParsedFile, parse
from trialrun.parser.comments import comments
from trialrun.text import Span

SIGNS = """\
# yes
%YAML 1.2 # yes
---   # yes
a: "x # no
  y # no" # yes
b: 'x '' # no' # yes
c: plain # yes
d: | # yes
  x # no
  # no

# yes
e: >- # yes
   # no
  # yes
f: [a, "# no", b#no # yes
  ] #yes
g: http://x#no
? "k # no" # yes
: &a # yes
  !!str "# no" # yes
h: '# no'
h: 5 # yes
i: don't "x # yes
j: plain
  more # yes
k: "\\" # no"
l: &b |2 # yes
   # no
m: !!str # yes
  >+
  # no
... # yes
# yes
--- | # yes
 # no
# yes
"""
BROKEN = """\
a: */5 * * * * # yes
b: [1, "# no", 2 # yes
c: "open # no
---
d: x: y # yes
 e: 1 # yes
--- # yes
f: 1 # yes
"""


def comments_in(text: str, path: str = "file.yaml") -> list[str]:
    """The rest of each line from the sign on that begins a comment."""
    tree = parse(text.encode(), path)
    return [tree.source.text[comment.span.start : comment.span.end] for comment in comments(tree, re.compile("#"))]


def promised(text: str) -> list[str]:
    return re.findall(r"(?<!no)# ?yes", text)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
@pytest.mark.parametrize("text", [SIGNS, BROKEN], ids=["sound", "broken"])
def test_a_comment_is_what_stands_in_no_scalar(text: str, mark: str, ends: str) -> None:
    assert comments_in(mark + text.replace("\n", ends)) == promised(text)


def test_comments_of_utf_16_are_found() -> None:
    tree = parse("\ufeffa: 1 # 😀\n".encode("utf-16-le"), "file.yaml")
    assert [comment.span.start for comment in comments(tree, re.compile("#"))] == [5]


def test_json_has_no_comments() -> None:
    assert comments_in('{"a": 1} # no\n', "file.json") == []


def test_a_comment_alone_on_its_line_is_told_apart() -> None:
    tree = parse(b"# one\na: 1  # two\n  # three\n", "file.yaml")
    assert [comment.is_own_line for comment in comments(tree, re.compile("#"))] == [True, False, True]


ENTRIES = """\
kind: A  # kind
l:  # l
- a  # l/0
-  # l/1
  b: 1  # l/1/b
-  # x # l/2
  c:  # l/2/c
- |  # l/3
  x - y

 # none
- &q  # l/4
  d: {e: 1}  # l/4/d
- *q  # l/5
- # l/6
  *q
m: *q  # m
f: {a: 1,  # f
   b: [1,  # f/b
  2], c: 3, d: 4  # f/c f/d f/b/1
  }  # f
n: plain  # n
o: "plain
  more"  # o
<<: *q
p: [{a: 1},  # p
  {b: 1}, 2]  # p/1 p/2
"""


def entries_on(tree: ParsedFile, line: int) -> list[str]:
    return ["/".join(map(str, path)) for path, _ in LineIndex(tree.documents[0], tree.source).entries_at(line)]


@each_of([(n, line) for n, line in enumerate(ENTRIES.split("\n"), 1) if "# " in line])
def test_the_outermost_entries_of_a_line(number: int, line: str) -> None:
    tree = parse(ENTRIES.encode(), "file.yaml")
    assert tree.errors == []
    promised = line.rpartition("# ")[2].split()
    assert sorted(entries_on(tree, number)) == sorted([] if promised == ["none"] else promised)


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

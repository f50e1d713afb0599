"""Comments are told from `#` inside scalars in every style, and entries are found by their lines."""

from __future__ import annotations

import re

import pytest

from tests.cases import each_of
from trialrun.parser import ParsedFile, parse
from trialrun.parser.comments import comments
from trialrun.parser.line_index import LineIndex

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
    data = "\ufeffa: 1 # 😀\n".encode("utf-16-le")
    tree = parse(data, "file.yaml")
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
    return ["/".join(map(str, entry.path)) for entry in LineIndex(tree.documents[0], tree.source).entries_at(line)]


@each_of([(n, line) for n, line in enumerate(ENTRIES.split("\n"), 1) if "# " in line])
def test_the_outermost_entries_of_a_line(number: int, line: str) -> None:
    tree = parse(ENTRIES.encode(), "file.yaml")
    assert tree.errors == []
    promised = line.rpartition("# ")[2].split()
    assert sorted(entries_on(tree, number)) == sorted([] if promised == ["none"] else promised)

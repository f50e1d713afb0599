"""No bytes make the reading raise, and every place stays inside the text."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from trialrun.parser import ParsedFile, parse

SEED = """\
# trialrun
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
base: &base {cron: "CRON_TZ=UTC 0 5 * * *", on: 012}
labels: {<<: *base, 'it''s': "\\u00e9\\x41"}
list:
- !tag x
- |
  literal

- >-
  folded
   text
---
[a, *base, {b: c}]
...
--- 'text'
"""
JSON = '{"a": [1, -2.5e3, true, null], "b": {"c": "\\u00e9\\ud83c\\udf54", "c": "x"}} '
PIECES = [
    "\t",
    "\0",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    "*a",
    "&a",
    "!",
    "|",
    ">",
    "#",
    "%",
    "@",
    "---\n",
    "<<: ",
    "\\",
    "\xff",
    "\ufeff",
]


def is_sound(tree: ParsedFile) -> bool:
    spans = [span for trouble in tree.errors for span in (trouble.span, *trouble.related)]
    for document in tree.documents:
        spans += [document.span(()), document.first_key_span(()), document.scalar_span((), 0, 3)]
        for key, span in document.key_spans(()):
            spans += [
                span,
                document.span((key,)),
                document.key_text_span((key,), 0, 1),
                document.scalar_span((key,), 1, 2),
            ]
    return all(0 <= span.start <= span.end <= len(tree.source.text) for span in spans)


@settings(max_examples=number_of_cases(300), deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.yaml", "a.json", "-"]))
@example(b"\xff\xfe\x00", "a.yaml")
@example(b"&a", "a.yaml")
@example(b"*a : &a\n", "a.yaml")
def test_any_bytes(data: bytes, name: str) -> None:
    assert is_sound(parse(data, name))


@settings(max_examples=number_of_cases(600), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([("a.yaml", SEED), ("a.json", JSON)]), st.integers(1, 6))
def test_mutated_files(seed: int, file: tuple[str, str], changes: int) -> None:
    name, text = file
    rnd = random.Random(seed)
    for _ in range(changes):
        start = rnd.randrange(len(text) + 1)
        text = text[:start] + rnd.choice([*PIECES, ""]) + text[start + rnd.choice([0, 1, 5]) :]
    tree = parse(text.encode("latin-1" if rnd.random() < 0.05 and text.isascii() else "utf-8"), name)
    assert is_sound(tree)

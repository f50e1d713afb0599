"""A broken document that is read again from the middle tells what it tells when it is read from its start."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from trialrun.parser.incremental import IncrementalComposer, compose_slice
from trialrun.parser.parse_error import SourceSlice
from trialrun.parser.repair import to_fault

TEXT = """\
%TAG ! tag:yaml.org,2002:
--- # of many kinds
name: one
base: &base {cron: "0 5 * * *", on: 012}
list:
- !str x
- - deep: [1, {b: c}]
    deeper:
        - *base
        - # an item on a line of its own
          text: |
            literal
          other: >-
            folded

            text
    more: 'it''s'
  - second
-
  by: itself
  and: another
? explicit key
: - of a list
  - and more
"quoted: key" : plain
labels:
   <<: *base
   some: thing
   long: a text
     over two lines
   closing: the mapping
last: word
"""
PIECES = [*"# \t\n'\"[}|%", "- ", ": ", "? ", "*base", "&base ", "---\n", "...\n"]
Told = tuple[Any, ...]


def describe(text: str, outcome: Any) -> Told:
    """What a reading tells: values with their places, or what is wrong, why and where."""
    composed, fault = outcome
    return (composed, None) if fault is None else (None, to_fault(text, fault))


def edited(text: str, at: int, piece: str, gone: int) -> str:
    return text[:at] + piece + text[at + gone :]


places = st.integers(0, len(TEXT))
edits = st.tuples(places, st.sampled_from(PIECES), st.integers(0, 3))


@settings(max_examples=number_of_cases(500), deadline=None)
@given(st.sampled_from([TEXT, TEXT.replace("\n", "\r\n")]), edits, st.lists(edits, min_size=1, max_size=4))
@example(TEXT, (len(TEXT), "", 0), [(TEXT.index("- second"), "#", 0)])
@example(TEXT, (len(TEXT), "", 0), [(TEXT.index("closing"), "", 1)])
@example(TEXT, (TEXT.index("more"), "#", 0), [(TEXT.index("long"), "- ", 0), (TEXT.index("list"), " ", 0)])
def test_a_text_that_changed_is_read_as_from_its_start(text: str, first: Any, then: list[Any]) -> None:
    text = edited(text, *first)
    again = IncrementalComposer()
    again.compose(SourceSlice(text))
    for edit in then:
        again.invalidate(text, min(edit[0], len(text)))
        text = edited(text, *edit)
        assert describe(text, again.compose(SourceSlice(text))) == describe(text, compose_slice(SourceSlice(text)))


@each_of(["folded", "another", "labels", "closing", "last"])
def test_what_stands_far_before_a_change_is_not_read_again(changed: str) -> None:
    text, again = TEXT.replace("? explicit key\n:", "explicit:\n"), IncrementalComposer()
    again.compose(SourceSlice(text))
    again.invalidate(text, text.index(changed))
    again.compose(SourceSlice(text.replace(changed, "other")))
    assert again.resumed_at > text.index(changed) - 250

"""What a person sees, as it is seen."""

from collections.abc import Mapping
from typing import Any

from syrupy.assertion import SnapshotAssertion

from tests.report.runs import diagnostic, run
from trialrun.diagnostic import Diagnostic, Position, Range, RelatedLocation, ResolvedFix, Severity
from trialrun.report.interface import Run, Summary
from trialrun.report.text import report
from trialrun.text import Source

UPSELLS = """\
upsellStrategy:
  upsells:
    - displayName: Fries with burgers
      priority: {first}
    - displayName: Shakes with everything
      celUpsell:
        condition: order.subtotal > 10.0
      priority: {second}
"""


class Drawing(str):
    """Text that a snapshot shows as it is."""

    def __repr__(self) -> str:
        return str(self)


def drawn(
    files: str | Mapping[str, str], message: str, *, width: int = 80, color: bool = False, **more: Any
) -> Drawing:
    named = {"channels/summer.yaml": files} if isinstance(files, str) else files
    whole = run(named, diagnostic(named, message, **more))
    return Drawing("".join(report(whole, width=width, color=color)).replace("\x1b", "ESC"))


def test_one_error(snapshot: SnapshotAssertion) -> None:
    text = "syncConfig:\n  cron: 0 «25» * * *\n"
    assert drawn(text, "the hour is 25; hours go from 0 to 23", rule="cron-syntax") == snapshot


def test_a_related_place_on_the_next_line(snapshot: SnapshotAssertion) -> None:
    text = "maxReplicaCount: ‹2›\nminReplicaCount: «3»\n"
    assert drawn(text, "the minimum, 3, is above the maximum, 2", related=("the maximum",)) == snapshot


def test_a_related_place_on_the_same_line_to_the_left(snapshot: SnapshotAssertion) -> None:
    assert drawn("{priority: ‹3›, priority: «3»}\n", "the key is here twice", related=("first here",)) == snapshot


def test_several_related_places_on_one_line(snapshot: SnapshotAssertion) -> None:
    text = "[‹one›, ‹two›, «one», ‹one›]\n"
    assert drawn(text, "the same text again", related=("first", "not this", "third")) == snapshot


def test_related_places_further_up_and_elided_lines(snapshot: SnapshotAssertion) -> None:
    text = UPSELLS.format(first="‹3›", second="«3»")
    fix = ResolvedFix("use 4", False, ())
    message = 'priority 3 is already taken by "Fries with burgers" (line 4)'
    assert drawn(text, message, rule="duplicate-upsell-priority", related=("taken here",), fix=fix) == snapshot


def test_one_hidden_line_is_shown_instead_of_elided(snapshot: SnapshotAssertion) -> None:
    assert drawn("a: ‹1›\nb: 2\nc: «1»\n", "the same again", related=("first",)) == snapshot


def test_related_places_in_another_file(snapshot: SnapshotAssertion) -> None:
    files = {
        "channels/summer.yaml": "name: «summer»\n",
        "brands/burger.yaml": "# the brand\n" * 120 + "defaults:\n  - ‹summer›\n  - ‹summer›\n",
    }
    related = ("bound here", "and here")
    assert drawn(files, "the config is bound twice", related=related, help="unbind one") == snapshot


def test_a_range_of_several_lines_that_begins_behind_a_key(snapshot: SnapshotAssertion) -> None:
    text = "celUpsell:\n  condition: «>-\n    order.items.exists(item,\n      item.quantity > 0)»\n  priority: 1\n"
    assert drawn(text, "the condition is true for every order", severity=Severity.WARNING) == snapshot


def test_a_range_of_several_lines_that_begins_a_line(snapshot: SnapshotAssertion) -> None:
    text = "upsells:\n  «- displayName: Fries\n    priority: ‹1›»\n  - displayName: Shakes\n"
    assert drawn(text, "the upsell offers nothing", severity=Severity.NOTE, related=("its place",)) == snapshot


def test_a_range_of_many_lines_is_elided_in_the_middle(snapshot: SnapshotAssertion) -> None:
    assert drawn("skipTerms: «[\n" + "  fries,\n" * 20 + "]»\n", "the list is too long") == snapshot


def test_a_related_range_of_several_lines_is_marked_at_its_first(snapshot: SnapshotAssertion) -> None:
    assert drawn("a: ‹[1,\n  2]›\nb: «[]»\n", "the lists differ", related=("the other list",)) == snapshot


def test_a_range_up_to_the_next_line_ends_with_its_own(snapshot: SnapshotAssertion) -> None:
    assert drawn("a:\n  «b: 1\n\n  »c: 2\n", "not here") == snapshot


def test_what_is_wrong_is_drawn_over_what_it_has_to_do_with(snapshot: SnapshotAssertion) -> None:
    assert drawn("when: ‹a && «b» || c›\n", "b is not a boolean", related=("in this condition",)) == snapshot


def test_in_60_columns_everything_wraps(snapshot: SnapshotAssertion) -> None:
    text = UPSELLS.format(first="‹3›", second="«3»")
    message = 'priority 3 is already taken by "Fries with burgers" (line 4); give every upsell its own'
    related = ("taken here, by the upsell that is offered first in every session",)
    help = "upsells are tried by their priority, from 1 up, and two of one priority have no order"
    assert drawn(text, message, rule="duplicate-priority", related=related, help=help, width=60) == snapshot


def test_wide_characters_and_emoji_sequences(snapshot: SnapshotAssertion) -> None:
    text = "日本語: 表示名 «おすすめ» 👨‍👩‍👧 ❤️ ‹🍔›\n"
    assert drawn(text, 'the name "おすすめ" is too long', related=("a burger",)) == snapshot


def test_combining_marks(snapshot: SnapshotAssertion) -> None:
    assert drawn("cafe\u0301: «cre\u0300me» bru\u0302le\u0301e\n", "no such item") == snapshot


def test_tabs(snapshot: SnapshotAssertion) -> None:
    assert drawn("a:\n«\t»b:\t«1»\n".replace("«1»", "1"), "a tab indents; use blanks") == snapshot


def test_a_long_line_is_clipped_around_its_marks(snapshot: SnapshotAssertion) -> None:
    text = '{"a": "' + "x" * 300 + '", "priority": «3», "z": "' + "z" * 300 + '"}'
    assert drawn(text, "out of order", width=60) == snapshot


def test_a_long_line_with_marks_far_apart_is_shown_twice(snapshot: SnapshotAssertion) -> None:
    text = '{"priority": ‹3›, "a": "' + "x" * 300 + '", "priority": «3»}'
    assert drawn(text, "the key is here twice", related=("first here",), width=60) == snapshot


def test_a_mark_longer_than_the_line_can_be(snapshot: SnapshotAssertion) -> None:
    assert drawn("text: «" + "and on " * 40 + "»\n", "the text is too long", width=60) == snapshot


def test_a_message_moves_left_where_the_line_ends(snapshot: SnapshotAssertion) -> None:
    text = " " * 40 + "min: ‹3›, max: «2»\n"
    assert drawn(text, "the limits are swapped", related=("the minimum is greater",), width=60) == snapshot


def test_nothing_commands_the_terminal(snapshot: SnapshotAssertion) -> None:
    files = {"a\x1b[2J.yaml": "evil: «\x1b[31mred\u202eder»\u200b\x9b1m\ud800\r\nb: 1\n"}
    message = "no \x1b]0;title\x07, no \u2066bidi\u2069, no\rreturn, no\nline"
    assert drawn(files, message, help="first\nsecond\x1b[0m", rule="x\x1b[1m") == snapshot


def test_the_end_of_the_file(snapshot: SnapshotAssertion) -> None:
    assert drawn("upsells: [1,\n«»", "the file ends inside a list", rule="syntax-error") == snapshot


def test_an_empty_file(snapshot: SnapshotAssertion) -> None:
    assert drawn("«»", "the file has no document") == snapshot


def test_an_empty_range_between_characters(snapshot: SnapshotAssertion) -> None:
    assert drawn("a: [1«» 2]\n", "a comma is missing") == snapshot


def test_help_and_a_safe_fix(snapshot: SnapshotAssertion) -> None:
    fix = ResolvedFix("quote it", True, ())
    help = "YAML 1.1 reads no as false"
    assert drawn("languageCode: «no»\n", "no is ambiguous", severity=Severity.WARNING, help=help, fix=fix) == snapshot


def test_why_there_is_no_fix(snapshot: SnapshotAssertion) -> None:
    found = diagnostic({"a.yaml": "a: «*columns»\n"}, '"id" stands twice in a')
    told = found._replace(refusal="it is defined elsewhere, at an anchor")
    shown = Run([told], lambda path: Source(path, "a: *columns\n"), Summary(1, 1, 1, fixed=(0, 0)), "0")
    assert Drawing("".join(report(shown))) == snapshot


def test_what_was_fixed_stands_before_what_is_left(snapshot: SnapshotAssertion) -> None:
    assert Drawing("".join(report(Run([], lambda path: None, Summary(3, 3, fixed=(5, 2)), "0")))) == snapshot


def test_colours(snapshot: SnapshotAssertion) -> None:
    text = "a: ‹1›\nb: «1»\n"
    assert drawn(text, "taken", related=("by a",), fix=ResolvedFix("use 2", False, ()), color=True) == snapshot


FAR = Range(Position(12, 3), Position(12, 9))


def test_a_file_that_vanished(snapshot: SnapshotAssertion) -> None:
    found = Diagnostic("unreadable-file", Severity.ERROR, "permission denied", "a.yaml", FAR, help="chmod u+r a.yaml")
    assert Drawing("".join(report(Run([found], lambda path: None, Summary(1, 0, 1), "0")))) == snapshot


def test_a_file_that_became_shorter(snapshot: SnapshotAssertion) -> None:
    here = RelatedLocation("taken here", "a.yaml", Range(Position(1, 1), Position(1, 2)))
    found = Diagnostic("some-rule", Severity.ERROR, "taken", "a.yaml", FAR, related=(here,))
    source = Source("a.yaml", "b: 1\n")
    assert Drawing("".join(report(Run([found], lambda path: source, Summary(1, 1, 1), "0")))) == snapshot


def test_a_line_that_became_shorter(snapshot: SnapshotAssertion) -> None:
    found = Diagnostic("some-rule", Severity.ERROR, "gone", "a.yaml", Range(Position(1, 30), Position(1, 35)))
    source = Source("a.yaml", "b: 1\n")
    assert Drawing("".join(report(Run([found], lambda path: source, Summary(1, 1, 1), "0")))) == snapshot


def test_findings_stream() -> None:
    found = diagnostic({"a.yaml": "a: «1»\n"}, "wrong")
    asked: list[str] = []
    pieces = report(Run([found] * 1000, asked.append, Summary(1, 1, 1000), "0"))  # type: ignore[arg-type]
    assert next(pieces).startswith("error[some-rule]: wrong\n")
    assert asked == ["a.yaml"]

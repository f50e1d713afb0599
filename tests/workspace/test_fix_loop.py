"""The rounds of fixing: what is made, what is taken back, what is told."""

from collections.abc import Callable, Mapping

import pytest

from trialrun.diagnostic import Diagnostic, Range, ResolvedFix, Severity, TextEdit
from trialrun.text import Position, Source
from trialrun.workspace.check import CheckResult
from trialrun.workspace.fix_loop import FixResult, fix_until_stable

Finder = Callable[[Source], list[Diagnostic]]
"""What a made-up linter finds in a text."""


def finding(
    source: Source, old: str, new: str, *, rule: str = "word", message: str = "", safe: bool = True
) -> Diagnostic:
    """A finding at the first place of a text, with the fix that writes another one there."""
    start = source.text.index(old)
    place = Range(source.position(start), source.position(start + len(old)))
    fix = ResolvedFix(f"write {new}", safe, (TextEdit(place, new),))
    return Diagnostic(rule, Severity.ERROR, message or f"{old} is wrong", source.path, place, fix=fix)


def replaces(words: Mapping[str, str], *, safe: bool = True) -> Finder:
    """Find each of the words, and fix it by the one beside it."""
    return lambda source: [finding(source, old, new, safe=safe) for old, new in words.items() if old in source.text]


def fix(text: str, find: Finder, *, unsafe: bool = False, path: str = "a.yaml") -> tuple[str, FixResult]:
    """The text after fixing, and the whole answer."""
    data = text.encode()

    def check(texts: Mapping[str, bytes]) -> CheckResult:
        return CheckResult(diagnostics=find(Source(path, texts.get(path, data).decode())))

    mending = fix_until_stable(check, lambda path: data, unsafe=unsafe)
    return (mending.files[0].source.text if mending.files else text), mending


def refusals(mending: FixResult) -> list[str | None]:
    return [diagnostic.refusal for diagnostic in mending.after.diagnostics]


def test_what_has_nothing_to_fix_is_not_even_read() -> None:
    def never(path: str) -> bytes:
        raise AssertionError(path)

    mending = fix_until_stable(lambda texts: CheckResult(), never, unsafe=True)
    assert (mending.files, mending.after) == ((), CheckResult())


def test_fixes_are_made_until_nothing_is_left() -> None:
    text, mending = fix("k: one\n", replaces({"one": "two", "two": "three"}))
    assert (text, mending.after.diagnostics) == ("k: three\n", [])
    assert [file.fixed for file in mending.files] == [1]  # what was announced: the second came up with the first


def test_of_two_at_one_place_the_second_waits_for_the_next_round() -> None:
    text, mending = fix("k: one two\n", replaces({"one two": "two", "two": "three"}))
    assert (text, refusals(mending)) == ("k: three\n", [])


@pytest.mark.parametrize(("unsafe", "after"), [(False, "k: one\n"), (True, "k: two\n")])
def test_unsafe_fixes_are_made_where_they_are_asked_for(unsafe: bool, after: str) -> None:
    text, mending = fix("k: one\n", replaces({"one": "two"}, safe=False), unsafe=unsafe)
    assert text == after
    assert [diagnostic.fix is not None for diagnostic in mending.after.diagnostics] == [True] * (not unsafe)


def test_a_fix_that_leaves_its_finding_is_taken_back_and_the_others_are_made() -> None:
    def find(source: Source) -> list[Diagnostic]:
        return [finding(source, "k", "k", message="still"), *replaces({"one": "two"})(source)]

    text, mending = fix("k: one\n", find)
    assert (text, refusals(mending)) == ("k: two\n", ["the finding would remain"])


def test_a_fix_that_changes_nothing_is_told() -> None:
    text, mending = fix("k: one\n", lambda source: [finding(source, "k", "k")])
    assert (text, refusals(mending)) == ("k: one\n", ["it would change nothing"])


def test_a_finding_that_moves_with_its_fix_stays() -> None:
    def find(source: Source) -> list[Diagnostic]:
        return [finding(source, "one", "one, one", message="too few"), *replaces({"b": "c"})(source)]

    text, mending = fix("- b\n- [one]\n", find)
    assert (text, refusals(mending)) == ("- c\n- [one]\n", ["the finding would remain"])


def test_the_same_words_elsewhere_are_another_finding() -> None:
    def find(source: Source) -> list[Diagnostic]:
        return [finding(source, "one", "two", message="said of each")] if "one" in source.text else []

    assert fix("- one\n- one\n", find)[0] == "- two\n- two\n"


def test_the_same_words_that_another_fix_brings_are_another_finding() -> None:
    assert fix("b one\n", replaces({"b": "xxxx one", "one": "two"}))[0] == "xxxx two two\n"


def test_a_fix_that_spoils_the_reading_is_taken_back_and_the_others_are_made() -> None:
    def find(source: Source) -> list[Diagnostic]:
        found = replaces({"one": "two", "b": "{", "c": "d", "e": "f"})(source)
        broken = "{" in source.text
        return [*found, finding(source, "{", "(", rule="syntax-error")] if broken else found

    text, mending = fix("one b c e\n", find)
    assert (text, refusals(mending)) == ("two b d f\n", ["it would cause a new parse error"])


def test_a_safe_fix_that_brings_a_finding_of_another_rule_is_taken_back_and_the_others_are_made() -> None:
    def find(source: Source) -> list[Diagnostic]:
        found = replaces({"one": "two", "b": "worse", "c": "d"})(source)
        return [*found, finding(source, "worse", "bad", rule="other")] if "worse" in source.text else found

    text, mending = fix("one b c\n", find)
    assert (text, refusals(mending)) == ("two b d\n", ["it would cause a new finding (other); fix it by hand"])


@pytest.mark.parametrize(("severity", "after"), [(Severity.WARNING, "worse\n"), (Severity.ERROR, "b\n")])
def test_a_warning_of_a_value_that_an_error_hid_is_not_brought(severity: Severity, after: str) -> None:
    def find(source: Source) -> list[Diagnostic]:
        found = replaces({"b": "worse"})(source)
        hidden = finding(source, "worse", "bad", rule="other", safe=False) if "worse" in source.text else None
        return [*found, hidden._replace(severity=severity)] if hidden else found

    assert fix("b\n", find)[0] == after


def test_what_was_refused_is_tried_again_once_others_are_made() -> None:
    def find(source: Source) -> list[Diagnostic]:
        found = replaces({"a": "b", "p": "q"})(source)
        found += replaces({"z": "w"})(source) if "q" in source.text else []
        clash = "b" in source.text and "z" in source.text
        return [*found, finding(source, "z", "v", rule="other", safe=False)] if clash else found

    text, mending = fix("a p z\n", find)
    assert (text, refusals(mending)) == ("b q w\n", [])


@pytest.mark.parametrize(
    ("words", "after"),
    [({"one": "two", "two": "one"}, "k: two\n"), ({"one": "two", "two": "six", "six": "two"}, "k: six\n")],
)
def test_fixes_that_undo_each_other_end(words: dict[str, str], after: str) -> None:
    text, mending = fix("k: one\n", replaces(words))
    assert (text, refusals(mending)) == (after, ["it would undo another fix"])


def test_fixes_that_never_end_are_stopped_and_told() -> None:
    def find(source: Source) -> list[Diagnostic]:
        return [finding(source, "x", "xx", message=f"{len(source.text)} signs")]

    text, mending = fix("x\n", find)
    assert refusals(mending) == ["stopped after too many rounds of fixes; run it again"]
    assert len(text) > 100


def test_a_file_that_changes_while_it_is_looked_at_is_fixed_as_it_was_read() -> None:
    def check(texts: Mapping[str, bytes]) -> CheckResult:
        data = texts.get("a.yaml", b"moved: down\nk: one\n")
        return CheckResult(diagnostics=replaces({"one": "two"})(Source("a.yaml", data.decode())))

    mending = fix_until_stable(check, lambda path: b"k: one\n", unsafe=False)
    assert [file.data for file in mending.files] == [b"k: two\n"]


def test_a_file_that_is_gone_keeps_its_findings() -> None:
    find = replaces({"one": "two"})
    mending = fix_until_stable(
        lambda texts: CheckResult(diagnostics=find(Source("a.yaml", "one"))), lambda path: None, unsafe=False
    )
    assert (mending.files, len(mending.after.diagnostics)) == ((), 1)


def test_a_file_with_what_is_no_text_is_left_alone() -> None:
    def check(texts: Mapping[str, bytes]) -> CheckResult:
        return CheckResult(diagnostics=[finding(Source("a.yaml", "k: one\n"), "one", "two")])

    mending = fix_until_stable(check, lambda path: b"k: one\xff\n", unsafe=False)
    assert mending.files == ()
    assert refusals(mending) == ["the file has invalid bytes or characters; fix these first"]


def test_the_first_outcome_is_what_was_found_before() -> None:
    mending = fix("k: one\n", replaces({"one": "two"}))[1]
    assert [diagnostic.range.start for diagnostic in mending.before.diagnostics] == [Position(1, 4)]

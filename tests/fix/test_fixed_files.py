"""Whole files fixed: fixtures, the examples of the rules' pages, and hundreds of generated broken ones.

Drop `NAME.yaml` and `NAME.fixed.yaml` into `fixtures/fixes` and it is a test: `--fix` makes the one of the other.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks.broken_files import BrokenFile, judged
from benchmarks.broken_files import complaints as complaints_of_random_file
from benchmarks.fixes import Rounds, broken_files, complaints
from tests.cases import each_of, number_of_cases, share_of
from trialrun.lint import registry
from trialrun.lint.engine import NO_TEXT
from trialrun.lint.examples import fix_safety
from trialrun.lint.rule_docs import parse_docs
from trialrun.parser import parse
from trialrun.parser.decode import encode

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
ENDINGS = (".yaml", ".yml", ".json")
FILES, SEED = number_of_cases(500, 16), 1
OF_OTHER_KINDS = {"invalid-timestamp"}
"""Rules whose safe fixes are for scenarios: in resources another finding says all of it."""


def all_files() -> list[Path]:
    return sorted(path for path in FIXTURES.rglob("*") if path.suffix in ENDINGS)


def pairs() -> list[Path]:
    return [path for path in sorted((FIXTURES / "fixes").iterdir()) if ".fixed." not in path.name]


def after(content: bytes, path: str, *, unsafe: bool = False) -> bytes:
    files = Rounds(path, content, []).run(unsafe=unsafe).files
    return files[0].data if files else content


@each_of(pairs())
def test_a_fixture_is_fixed_to_the_one_beside_it(path: Path) -> None:
    assert after(path.read_bytes(), path.name) == path.with_name(f"{path.stem}.fixed{path.suffix}").read_bytes()


@cache
def complaints_of(path: Path) -> tuple[Counter[str], list[str]]:
    return complaints(path.read_bytes(), path.name, None)


@each_of(all_files())
def test_a_fixture_has_nothing_safe_left_to_fix_and_is_the_same_elsewhere(path: Path) -> None:
    assert unexpected(complaints_of(path)[1]) == []


@pytest.mark.generated
@each_of(share_of(all_files(), 4))
def test_a_fixture_reads_no_worse_after_unsafe_fixes_and_they_end(path: Path) -> None:
    content = path.read_bytes()
    mended = after(content, path.name, unsafe=True)
    faults, left = (Counter(error.rule for error in parse(data, path.name).errors) for data in (content, mended))
    assert not left - faults
    assert after(mended, path.name, unsafe=True) == mended


def test_in_a_file_that_cannot_be_written_back_no_fix_is_offered() -> None:
    content = b"kind: FeatureView\nlabels: {answer: yes}\netag: \xff\n"
    found = {
        diagnostic.rule: (diagnostic.fix, diagnostic.refusal)
        for diagnostic in Rounds("a.yaml", content, []).run().before.diagnostics
    }
    assert found["ambiguous-scalar"] == (None, NO_TEXT)


def bad_examples() -> Iterator[tuple[str, str, bytes]]:
    for rule_id in registry.ids():
        for number, example in enumerate(parse_docs(registry.load(rule_id).doc).of_kind("bad")):
            if not example.model:
                yield f"{rule_id} {number}", example.file, example.data


@each_of({name: (file, data) for name, file, data in bad_examples()})
def test_a_bad_example_has_nothing_safe_left_to_fix(file: str, data: bytes) -> None:
    assert unexpected(complaints(data, file, None)[1]) == []


def unexpected(found: list[str]) -> list[str]:
    """What may not be: a fix that is refused with its reason may."""
    return [one for one in found if " is refused: " not in one]


@pytest.mark.generated
def test_generated_broken_files_become_what_was_meant() -> None:
    found: list[str] = []
    counts: Counter[str] = Counter()
    for file in broken_files(FILES, seed=SEED):
        of_file, wrong = complaints(file.content, file.path, file.meant)
        counts += of_file
        found += [f"{file.path}: {one}" for one in wrong]
    assert found == []
    with_safe_fix = {rule for rule in registry.ids() if "safe" in fix_safety(registry.load(rule)).split(", ")}
    assert with_safe_fix - {*counts} <= OF_OTHER_KINDS
    assert counts.total() > 4 * FILES


@each_of(all_files())
def test_a_text_is_written_back_as_it_was(path: Path) -> None:
    content = path.read_bytes()
    tree = parse(content, path.name)
    assert encode(tree.source) == content or any(error.rule == "encoding-error" for error in tree.errors)


def test_the_files_with_safe_fixes_are_not_few() -> None:
    assert sum(bool(complaints_of(path)[0]) for path in all_files()) > 20


# ---- broken at random: no line of a person is lost, no finding is brought, and a second run changes nothing

RANDOM_FILES = number_of_cases(250, 4)


@pytest.mark.generated
def test_nothing_is_lost_and_nothing_is_brought() -> None:
    files, findings, told = judged((0, RANDOM_FILES, 2))
    assert told == []
    assert (files > RANDOM_FILES / 6, findings > RANDOM_FILES / 3) == (True, True)


def test_what_stood_below_an_open_message_is_kept() -> None:
    text = (
        "kind: ChannelConfig\nname: c\ntype: UPSELL_STRATEGY\nconfigApplicationRules:\n  closingOffer: {skipTerms: a}\n"
    )
    assert complaints_of_random_file(BrokenFile("a.yaml", text, ()))[1] == []

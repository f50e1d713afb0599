"""Fixes of several operations, fixes of the reader's own troubles, and fixes made together."""

import pytest

from tests.cases import each_of
from tests.fix.fix_text import mended, remove, rename, replace, wrap
from trialrun.diagnostic import Diagnostic, Fix, Operation, ResolvedFix
from trialrun.fix import Unfixable, fixed_text, resolve_fix
from trialrun.fix.removal_safety import BUDGET_SPENT, MAX_REPARSED_CHARS, FixBudget
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.parser import parse
from trialrun.text import Edit, Span


@each_of(
    [
        ("a_b: x\n", (replace(("a_b",), "z"), rename(("a_b",), "aB")), "aB: z\n"),
        ("a: 1\nb:\n  c: 2\n", (remove("a"), rename(("b", "c"), "d"), rename(("b",), "e")), "e:\n  d: 2\n"),
        ("[1, 2, 3, 4]\n", (remove(1), remove(2)), "[1, 4]\n"),
        ("- 1\n- 2\n- 3\n", (remove(0), remove(2)), "- 2\n"),
        ("a:\n  b_c: 1\n  d: 2\n", (wrap("a"), rename(("a", "b_c"), "bC")), Unfixable("two of its changes overlap")),
        ("- 1\n- 2\n", (remove(0), remove(1)), Unfixable("more would change than intended")),
        (
            "a: x y\n",
            (replace(("a",), "z"), replace(("a",), "w", chars=(2, 3))),
            Unfixable("two of its changes overlap"),
        ),
        ("a: 1\n", (), Unfixable("the fix changes nothing")),
    ]
)
def test_several_operations(before: str, operations: tuple[Operation, ...], after: str | Unfixable) -> None:
    assert mended(before, *operations) == after


@each_of(
    [
        ("a: no # c\n", "no", '"no"', 'a: "no" # c\n'),
        ("{a: no, b: 1}\n", "no", '"no"', '{a: "no", b: 1}\n'),
        ("a: 012\n", "012", "12", "a: 12\n"),
        ("no: 1\n", "no", '"no"', '"no": 1\n'),
        ("a: !x y\n", "!x y", '"!x y"', 'a: "!x y"\n'),
        ("a: */5 * * * *\nb: 1\n", "*/5 * * * *", '"*/5 * * * *"', 'a: "*/5 * * * *"\nb: 1\n'),
        ("a: no way\nb: no\n", "no", "yes", Unfixable("the error would remain")),
        ("a: */5 * * * *\nb: 1\n", "*/5 * * * *", "*/5", Unfixable("the error would remain")),
        ("a: yes\nb: 1\n", "yes", "no", Unfixable("the error would remain")),
        ("a: yes\nb: 1\n", "yes", '"', Unfixable("the error would remain")),
    ]
)
def test_an_edit_of_the_reader_cures_its_trouble(before: str, old: str, new: str, after: str | Unfixable) -> None:
    start = before.index(old)
    assert mended(before, Edit(Span(start, start + len(old)), new)) == after


def test_without_a_document_there_is_nothing_to_mend() -> None:
    source = parse(b"a: 1\n", "a.yaml").source
    made = resolve_fix(Fix("x", (remove("a"),)), source=source, document=None, find_path=lambda place: place.path)
    assert made == Unfixable("there is no document to fix")


def together(text: str, *operations: Operation, path: str = "a.yaml") -> str:
    """The text with every operation made as a fix of its own."""
    tree = parse(text.encode(), path)
    made = [
        resolve_fix(
            Fix("x", (operation,)), source=tree.source, document=tree.documents[0], find_path=lambda place: place.path
        )
        for operation in operations
    ]
    return fixed_text(tree.source, [one for one in made if isinstance(one, ResolvedFix)])


@each_of(
    [
        ("a: 1\nb: 2\nc: 3\n", (remove("c"), remove("a")), "b: 2\n"),
        ("a: x\r\nb: y\r\n", (replace(("b",), "z"), replace(("a",), "w")), "a: w\r\nb: z\r\n"),
        ("a: x\n", (replace(("a",), "z"), replace(("a",), "w")), "a: z\n"),
        ("a: x\n", (replace(("a",), "z"), replace(("a",), "z")), "a: z\n"),
        ("a:\n  b: 1\n", (remove("a", "b"), rename(("a",), "x")), "x: {}\n"),
        ("[a, b, c, d]\n", (remove(1), remove(2), remove(3)), "[a]\n"),
        ("[a, b, c]\n", (remove(0), remove(1)), "[b, c]\n"),
    ]
)
def test_of_two_fixes_at_one_place_the_first_is_made(
    before: str, operations: tuple[Operation, ...], after: str
) -> None:
    assert together(before, *operations) == after


@each_of(
    [
        ("p:\n  a: 1\n  b: 2\nq: 1\n", (remove("p", "a"), remove("p", "b")), "p:\n  b: 2\nq: 1\n"),
        ("p:\n  a:\n  b:\n", (remove("p", "a"), remove("p", "b")), "p:\n  b:\n"),
        ("p:\n- 1\n- 2\n", (remove("p", 0), remove("p", 1)), "p:\n- 2\n"),
        ("naem: 1\nnmae: 2\n", (rename(("naem",), "name"), rename(("nmae",), "name")), "name: 1\nnmae: 2\n"),
    ]
)
def test_what_is_true_alone_and_not_together_waits(before: str, operations: tuple[Operation, ...], after: str) -> None:
    assert together(before, *operations) == after


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    text = '{\n  "a": 1, \n  "b": 2,\n  "c": 3\n}\n'
    assert together(text, remove("b"), remove("c"), path="a.json") == '{\n  "a": 1, \n  "c": 3\n}\n'


TREE = parse(b"a:\n  - x\n    y\n  - z\nb: 1\n", "a.yaml")


def made_with(effort: FixBudget) -> object:
    fix = Fix("remove it", (remove("a", 0),))
    return resolve_fix(
        fix, source=TREE.source, document=TREE.documents[0], find_path=lambda place: place.path, budget=effort
    )


def test_a_fix_takes_what_is_read_again_for_it() -> None:
    effort = FixBudget()
    assert not isinstance(made_with(effort), Unfixable)
    assert effort.remaining < MAX_REPARSED_CHARS


def test_a_fix_is_refused_once_nothing_is_left() -> None:
    assert made_with(FixBudget(remaining=3)) is BUDGET_SPENT


def test_a_fix_that_scans_a_text_is_refused_once_nothing_is_left() -> None:
    tree = parse(b"a: long\n", "a.yaml")
    resolved = resolve_fix(
        Fix("wrap it", (wrap("a"),)),
        source=tree.source,
        document=tree.documents[0],
        find_path=lambda place: place.path,
        budget=FixBudget(remaining=3),
    )
    assert resolved is BUDGET_SPENT


def test_the_first_fix_is_never_refused() -> None:
    assert FixBudget().spend(2 * MAX_REPARSED_CHARS) is None


def test_what_is_refused_costs_nothing() -> None:
    effort = FixBudget(remaining=3)
    effort.spend(4)
    assert effort.remaining == 3


def read_again(text: str, *path: str | int) -> int:
    """The characters that are read again to prove that what a path leads to can be removed."""
    return read_again_for(text, remove(*path))


def read_again_for(text: str, operation: Operation) -> int:
    """The characters that are read again to prove that an operation can be carried out."""
    tree, effort = parse(text.encode(), "a.yaml"), FixBudget()
    fix = Fix("mend it", (operation,))
    resolve_fix(fix, source=tree.source, document=tree.documents[0], find_path=lambda place: place.path, budget=effort)
    return MAX_REPARSED_CHARS - effort.remaining


def test_an_item_that_goes_with_its_line_needs_no_reading() -> None:
    assert read_again("a:\n  - x\n  - y\n  - z\nb: 1\n", "a", 1) == 0
    assert read_again("a:\n  - x\n  - y\nb: 1\n", "a", 1) == 0


def test_what_stands_below_such_an_item_may_belong_to_a_text_above_it() -> None:
    assert read_again("a:\n  - |\n    t\n  - y\n    # c\n  - z\n", "a", 1) > 0
    assert read_again("a:\n  - |+\n    t\n  - y\n\n  - z\n", "a", 1) > 0


def test_items_of_several_lines_are_read_again() -> None:
    assert read_again("a:\n  - x\n  - y\n    z\n  - b\n", "a", 1) > 0


ANCHORED = "base: &base\n  a: 1\nother: *base\nown:\n  one_key: 1\nmerged:\n  <<: *base\n  a: 2\n"


def test_a_key_that_no_alias_has_to_do_with_needs_no_reading() -> None:
    assert read_again_for(ANCHORED, rename(("own", "one_key"), "oneKey")) == 0
    assert read_again_for(ANCHORED, rename(("own", "one_key"), "K", (3, 5))) == 0


@pytest.mark.parametrize("path", [("base", "a"), ("merged", "a")])
def test_keys_at_anchors_and_beside_merge_keys_are_read_again(path: tuple[str, ...]) -> None:
    assert read_again_for(ANCHORED, rename(path, "b")) > 0


VIEW = "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/s/featureViews/v\n"
CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
SOURCE = "warehouseSource:\n  uri: bq://p.d.t\n  entityIdColumns: "
RULES = frozenset({"output-only-field", "duplicate-item", "unspecified-enum-value"})


def found(text: str, path: str = "a.yaml") -> list[Diagnostic]:
    linter = Linter(Selection(RULES), now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    return linter.lint(text.encode(), path).diagnostics


MEANT_ELSEWHERE = "in it is also wrong and may belong elsewhere; fix that first"
BESIDE = "next to it is wrong and may belong elsewhere; fix that first"
GOES_ON = "its text spans several lines, some of which may belong elsewhere; remove it by hand"
RULES_OF = "configApplicationRules:\n- rule: a\n  operationsConfig: {}\n"
REPAIRED = "a part of the document could not be read, and may belong to what would be removed; fix that first"


@each_of(
    [
        (VIEW + "kvStoreMetadata:\n  readAppProfile: a\n  labels:\n    team: rides\n", f'"labels" {MEANT_ELSEWHERE}'),
        (VIEW + "kvStoreMetadata: {readAppProfile: a, etag: x}\n", f'"etag" {MEANT_ELSEWHERE}'),
        (VIEW + "createTime:\n  labels: {team: rides}\n", f'"createTime" {MEANT_ELSEWHERE}'),
        (VIEW + "kvStoreMetadata:\n  readAppProfile: a\n labels:\n    team: rides\n", REPAIRED),
        (VIEW + "labels: {team: [}\ncreateTime: x\n", REPAIRED),
        (VIEW + "lables: {team: rides}\ncreateTime: x\n", f'"lables" {BESIDE}'),
        (VIEW + "createTime: x\n  etag y\n", GOES_ON),
        (CONFIG + "configApplicationRules:\n- closingOffer: {}\n", f'"closingOffer" {MEANT_ELSEWHERE}'),
        (CONFIG + "configApplicationRules:\n- rule: a\n    operationsConfig {}\n", GOES_ON),
        (CONFIG + "configApplicationRules:\n- Hello\n- Hi\n", f'"configApplicationRules" {MEANT_ELSEWHERE}'),
        (
            CONFIG + "configApplicationRules:\n- rule: a\n  closingOffer {skipTerms: a}\n",
            f'"closingOffer {{skipTerms" {MEANT_ELSEWHERE}',
        ),
        (CONFIG + "config_application_rules:\n- closing_offer: {}\n", f'"closing_offer" {MEANT_ELSEWHERE}'),
        (CONFIG + RULES_OF, f'"operationsConfig" {MEANT_ELSEWHERE}'),
    ],
)  # fmt: skip
def test_what_a_person_may_have_meant_elsewhere_is_not_removed(text: str, reason: str) -> None:
    (diagnostic,) = found(text)
    assert (diagnostic.fix, diagnostic.refusal) == (None, reason)


def test_only_its_own_document_speaks_against_a_removal() -> None:
    first, *_ = found(VIEW + "createTime: x\n---\n" + VIEW + "labels: {team: [}\n")
    assert first.fix and first.fix.safe


def test_items_that_are_equal_in_what_could_be_read_alone_are_not_removed() -> None:
    items = "    - {itemName: Coke, itemId: 1}\n    - {itemName: Coke, itemId: 2}\n"
    mapping = "  - type: DISAMBIGUATION\n    customerTerms: [coke]\n    targets:\n"
    (diagnostic,) = found(f"{CONFIG}operationsConfig:\n disambiguationStrategy:\n  mappings:\n{mapping}{items}")
    assert (diagnostic.rule, diagnostic.refusal) == ("duplicate-item", f'"itemId" {MEANT_ELSEWHERE}')


@each_of(
    [
        (VIEW + "createTime: x\n", True),
        (VIEW + "createTime: x  # by hand\n", False),
        (VIEW + "createTime: 'x # y'\n", True),
        (VIEW + "createTime: x\n# about the labels\nlabels: {}\n", True),
        (VIEW + "# about the time\ncreateTime: x\n", True),
        (VIEW + "kvStoreMetadata:\n  # of the old cluster\n  readAppProfile: a\n", False),
        (VIEW + SOURCE + "[a, a]  # both\n", True),
        (VIEW + SOURCE + "\n  - a\n  - a # of the guest\n", False),
        (VIEW + SOURCE + "[a,\n    a, # of the guest\n    b]\n", False),
        ("{kind: FeatureView, # one\n  createTime: x, etag: b} # two\n", True),
    ]
)
def test_a_removal_that_takes_a_comment_along_is_unsafe(text: str, safe: bool) -> None:
    (fix,) = [diagnostic.fix for diagnostic in found(text)]
    assert fix and (fix.safe, fix.title.endswith("and its comment")) == (safe, not safe)


@pytest.mark.parametrize(("cron", "safe"), [("", True), ("syncConfig: {cron: 0 3 * * *}\n", False)])
def test_the_time_before_which_a_schedule_has_no_runs_is_not_removed_by_a_safe_fix(cron: str, safe: bool) -> None:
    (diagnostic,) = found(VIEW + cron + 'createTime: "2026-05-01T08:00:00Z"\n')
    assert diagnostic.fix and diagnostic.fix.safe is safe


@each_of(
    [
        ("a: |-  # note\n  5\nb: 1\n", replace(("a",), 5), "a: 5  # note\nb: 1\n"),
        ("a: >2 # note\r\n   5\r\nb: 1\r\n", replace(("a",), 5), "a: 5  # note\r\nb: 1\r\n"),
        ("- a: |- # note\n    # 5\n  b: 1\n", wrap(0, "a"), '- a: ["# 5"]  # note\n  b: 1\n'),
        ("a: |- # note\n  x y\n", replace(("a",), "z", chars=(2, 3)), "a: |- # note\n  x z\n"),
    ]
)
def test_the_comment_in_the_header_of_a_block_scalar_is_kept(before: str, operation: Operation, after: str) -> None:
    assert mended(before, operation) == after

"""What a removal leaves alone: what may be meant elsewhere, what was misread, and comments."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from tests.fix.fix_text import mended, replace, wrap
from trialrun.diagnostic import Diagnostic, Operation
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection

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
    text = f"{CONFIG}operationsConfig:\n disambiguationStrategy:\n  mappings:\n{mapping}{items}"
    (diagnostic,) = found(text)
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

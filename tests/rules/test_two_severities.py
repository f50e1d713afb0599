"""Rules with two severities: which one when."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import trialrun.model
from tests.cases import each_of
from tests.program import Run, view
from trialrun.diagnostic import Severity
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.model.node import Node

DECLARED = {"kind": "SessionSchema", "variables": {"order": "Order"}, "types": {"Order": {"total": "double"}}}


def severities(rule: str, text: str, part: str, *, declared: bool = False) -> list[Severity]:
    types = session_types([DECLARED] if declared else [])
    linter = Linter(Selection(frozenset({rule})), now=EXAMPLE_TIME, session_types=lambda: types)
    return [diagnostic.severity for diagnostic in linter.lint_message(text.encode(), "part.yaml", part).diagnostics]


@each_of(
    [
        ("order.itms.size() > 2", False, Severity.WARNING),
        ("ordr.items.size() > 2", False, Severity.WARNING),
        ("order.totl > 2.0", True, Severity.ERROR),
        ("session.turn > 2", True, Severity.ERROR),
        ("frobnicate(order)", False, Severity.ERROR),
        ("Order {total: 2.0} == order", False, Severity.ERROR),
        ("order.items.size() > '2'", False, Severity.ERROR),
        ("order.items.size()", False, Severity.ERROR),
    ]
)
def test_what_the_default_session_lacks_is_a_warning(condition: str, declared: bool, severity: Severity) -> None:
    text = f"suggestedMenuItems: [A]\nconditionExpression: |-\n  {condition}\n"
    assert severities("cel-type", text, "CelUpsell", declared=declared) == [severity]


@each_of(
    [
        ("{tags: [drive-thruu]}", [Severity.WARNING]),
        ("{names: [harbor]}", [Severity.WARNING]),
        ("{tags: [drive-thru], names: [harbour]}", []),
    ]
)
def test_a_binding_at_no_store_is_a_warning(stores: str, found: list[Severity]) -> None:
    text = f"bindings: [{{rule: lunch, channelConfig: lunch, stores: {stores}}}]\n"
    declared = "stores: [{name: harbour, tags: [drive-thru]}]\n"
    assert severities("unknown-store", f"name: acme\n{text}{declared}", "Brand") == found


FIRST = "mappings:\n  - {type: SINGLE_TARGET, customerTerms: [Soda], targets: [{itemName: Cola}]}\n"


@each_of(
    [
        ("{type: SINGLE_TARGET, customerTerms: [soda], targets: [{itemName: Cola}]}", Severity.WARNING),
        ("{type: SINGLE_TARGET, customerTerms: [soda], targets: [{itemName: Cola, itemId: X}]}", Severity.WARNING),
        ("{type: SINGLE_TARGETS, customerTerms: [soda], targets: [{itemName: Cola}]}", Severity.WARNING),
        ("{type: SINGLE_TARGET, customerTerms: [soda], targets: Lemonade}", Severity.WARNING),
        ("{type: SINGLE_TARGET, customerTerms: [soda], targets: [{itemName: Lemonade}]}", Severity.ERROR),
        ("{type: INVALID_ITEM, customerTerms: [soda], targets: [{itemName: Cola}]}", Severity.ERROR),
        (
            "{type: SINGLE_TARGET, customerTerms: [soda], targets: [{itemName: Cola, modifiers: [{modifierName: L}]}]}",
            Severity.ERROR,
        ),
    ]
)
def test_terms_that_agree_are_a_warning(mapping: str, severity: Severity) -> None:
    assert severities("conflicting-customer-term", f"{FIRST}  - {mapping}\n", "DisambiguationStrategy") == [severity]


MAPPING = "DisambiguationMapping"


@each_of(
    [
        ("union-conflict", "{upsoldItems: [Fries], upsoldItemIds: ['1']}", "OfferMessage", Severity.ERROR),
        ("union-conflict", "{upsoldItems: [], upsoldItemIds: ['1']}", "OfferMessage", Severity.NOTE),
        ("union-conflict", "{upsoldItems: [Fries], upsoldItemIds: []}", "OfferMessage", Severity.NOTE),
        ("union-conflict", "{upsoldItems: [], upsoldItemIds: []}", "OfferMessage", Severity.NOTE),
        ("invalid-language-tag", "{languageCode: '', greetingPhrases: [Hi]}", "Greetings", Severity.NOTE),
        ("invalid-language-tag", "{languageCode: ' ', greetingPhrases: [Hi]}", "Greetings", Severity.ERROR),
        ("invalid-language-tag", "{defaultLanguageCode: ''}", "OperationsConfig", Severity.NOTE),
        ("target-count", "{type: SINGLE_TARGET, targets: [{itemName: A}, {itemName: B}]}", MAPPING, Severity.NOTE),
        ("target-count", "{type: DISAMBIGUATION, targets: [{itemName: A}]}", MAPPING, Severity.WARNING),
        ("union-conflict", "{rows: [], table: rows.csv}", "GivenSource", Severity.ERROR),
    ]
)
def test_what_is_unset_or_usual_is_a_note(rule: str, text: str, part: str, severity: Severity) -> None:
    assert severities(rule, text, part) == [severity]


@each_of([("cron-syntax", Severity.ERROR), ("union-conflict", None)])
def test_an_empty_schedule_is_one_mistake(rule: str, severity: Severity | None) -> None:
    assert severities(rule, "{cron: '', continuous: true}", "SyncConfig") == ([severity] if severity else [])


@each_of([("{priority: 1, disabled: true}", []), ("{priority: 1, disabled: false}", [Severity.ERROR])])
def test_an_upsell_that_only_disables_needs_no_name(upsell: str, found: list[Severity]) -> None:
    assert severities("missing-union-member", upsell, "UpsellConfig") == found


@each_of(
    [
        ("{upsoldItems: ['', Fries]}", "OfferMessage"),
        ("{upsoldItemIds: [' ']}", "OfferMessage"),
        ("{suggestedMenuItems: ['', Fries], conditionExpression: 'true'}", "CelUpsell"),
        ("{suggestedModifiers: [' ']}", "SuggestedModifierGroup"),
        ("{itemName: ' '}", "TargetItem"),
        ("{modifierName: ' '}", "TargetModifier"),
        ("{featureGroupId: g, featureIds: ['']}", "FeatureGroup"),
    ]
)
def test_a_blank_name_is_found_in_every_list_of_names(text: str, part: str) -> None:
    assert severities("blank-text", text, part) == [Severity.WARNING]


def models(base: type[Node] = Node) -> Iterator[type[Node]]:
    for model in base.__subclasses__():
        yield model
        yield from models(model)


def messages() -> list[type[Node]]:
    for module in iter_modules(trialrun.model.__path__, "trialrun.model."):
        import_module(module.name)
    ours = [model for model in models() if model.__module__.startswith("trialrun.model.")]
    return sorted({model for model in ours if model.unions}, key=lambda model: model.__name__)


def findings(rule: str, text: str, model: type[Node]) -> list[str]:
    linter = Linter(Selection(frozenset({rule})), now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    return [
        diagnostic.rule for diagnostic in linter.lint_message(text.encode(), "part.yaml", model.__name__).diagnostics
    ]


@each_of(messages())
def test_two_members_of_a_union_are_told(model: type[Node]) -> None:
    for first, second, *_ in model.unions.values():
        assert findings("union-conflict", f"{{{first}: x, {second}: y}}", model) == ["union-conflict"]


@each_of([message for message in messages() if message.required_unions])
def test_a_union_without_the_member_that_it_needs_is_told(model: type[Node]) -> None:
    assert findings("missing-union-member", "{}", model) == ["missing-union-member"]


def notes(run: Run, folder: Path, text: str, at: str) -> list[str]:
    (folder / "view.yaml").write_text(text)
    lines = run("check", "--at", at, "--output-format", "concise", cwd=folder).out.splitlines()
    return [line for line in lines if "changed-time-zone" in line]


@pytest.mark.parametrize(
    ("zone", "at", "count"),
    [
        ("America/Vancouver", "2026-11-20T12:00:00Z", 1),
        ("Canada/Pacific", "2026-11-20T12:00:00Z", 1),
        ("America/Edmonton", "2026-01-20T12:00:00Z", 1),
        ("America/Winnipeg", "2027-10-20T12:00:00Z", 1),
        ("Africa/Casablanca", "2026-11-20T12:00:00Z", 1),
        ("America/Vancouver", "2027-11-20T12:00:00Z", 0),
        ("America/Los_Angeles", "2026-11-20T12:00:00Z", 0),
        ("America/Nowhere", "2026-11-20T12:00:00Z", 0),
    ],
)
def test_a_zone_with_new_rules_is_noted_for_a_year(run: Run, tmp_path: Path, zone: str, at: str, count: int) -> None:
    assert len(notes(run, tmp_path, view(cron=f"CRON_TZ={zone} 0 3 * * *"), at)) == count


def test_the_note_says_since_when_and_by_which_release(run: Run, tmp_path: Path) -> None:
    (note,) = notes(run, tmp_path, view(cron="TZ=America/Vancouver 0 3 * * *"), "2026-11-20T12:00:00Z")
    assert "the rules of America/Vancouver have changed from 2026-11-01 on (tzdata 2026f)" in note
    assert "the service may still have the old ones" in note

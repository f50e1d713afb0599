"""What `--fix` leaves as it was: what is effective at a store, what a session does, and when views are synced.

Worlds are drawn: configs on two levels and a view, with mistakes of every rule that has a safe fix and leaves a
document without errors. `test_same_runtime_of_broken_files` has those with errors, in whole workspaces.
"""

import re
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks import fixable
from benchmarks.broken_files import Fixing
from benchmarks.configs import channel_config
from benchmarks.fixable import written
from benchmarks.mistakes import DoesNotApply
from benchmarks.random_source import Dice
from benchmarks.views import feature_view
from benchmarks.yaml_writer import a_hand, document
from tests.cases import each_of, number_of_cases
from tests.runtime.channel_config.brands import BEGIN, BRAND, brands
from trialrun.model.feature_view import FeatureView
from trialrun.model.validate import validate
from trialrun.parser import parse
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.layers import TYPES
from trialrun.runtime.channel_config.menu import OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Add
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.feature_view.schedule import CronSchedule, next_runs, schedule_of
from trialrun.values import cel
from trialrun.values.language_tag import canonicalize

WORLDS = number_of_cases(30)
OF_CONFIGS = (
    fixable.snake, fixable.form, fixable.enum, fixable.unspecified, fixable.language, fixable.from_export,
)  # fmt: skip
OF_VIEWS = (
    fixable.snake, fixable.form, fixable.unspecified, fixable.schedule, fixable.zone, fixable.ambiguous,
    fixable.octal, fixable.renamed_field, fixable.decomposed, fixable.from_export,
)  # fmt: skip


def spoiled(tree: dict[Any, Any], kind: str, dice: Dice) -> str:
    """The text of a resource with some mistakes."""
    tree["kind"] = kind
    for spoil in dice.some(OF_VIEWS if kind == "FeatureView" else OF_CONFIGS, 4):
        with suppress(DoesNotApply):
            spoil(tree, dice)
    return document(written(tree), a_hand(dice, merge=False))


def fixed(text: str) -> str:
    """The text after `--fix`."""
    files = Fixing("a.yaml", text.encode(), []).run().files
    return files[0].data.decode() if files else text


def plain(value: Any, key: str = "") -> Any:
    """A value with its language tags in canonical form, and its conditions with whole numbers as integers."""
    if isinstance(value, dict):
        return {name: plain(entry, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry, key) for entry in value]
    if key == "conditionExpression" and isinstance(value, str):
        return re.sub(r"\b([0-9]+)\.0\b", r"\1", value)
    return canonicalize(value) or value if key.endswith("anguageCode") and isinstance(value, str) else value


def effective(store: ActiveConfig) -> Any:
    """What is effective, with who sets it at which level."""
    return [plain(store.types[type].value) for type in TYPES]


def played(store: ActiveConfig, menu: Any, seed: int) -> list[Any]:
    """The turns of a session in which everything of the menu is ordered."""
    session = Session(store, menu, seed=seed, types=lambda path: cel.DEFAULT_SCHEMA, begin=BEGIN)
    turns = [session.welcome()]
    turns += [session.turn([Add(OrderLineItem(item, 1 + at % 2, ()))]) for at, item in enumerate(menu.items[:5])]
    return [
        (
            [(utterance.text, utterance.kind, canonicalize(utterance.language or "")) for utterance in turn.utterances],
            [
                (offer.upsell.displayName, offer.upsell.priority, offer.items, offer.message, offer.reason)
                for offer in turn.offers
            ],
            [(skipped_upsell.upsell.displayName, skipped_upsell.code) for skipped_upsell in turn.skipped],
            [(condition.upsell.displayName, condition.value) for condition in turn.conditions],
        )
        for turn in turns
    ]


def runs(text: str) -> list[Any]:
    """When the view is synced next, and what it is without its labels' forms."""
    view = validate(parse(text.encode(), "a.yaml").documents[0].value, FeatureView).node
    assert isinstance(view, FeatureView)
    schedule = schedule_of(view)
    if not isinstance(schedule, CronSchedule):
        return [type(schedule).__name__, schedule]
    return list(islice(next_runs(schedule, after=BEGIN), 20))


@pytest.mark.generated
@each_of(range(WORLDS))
def test_what_is_effective_and_sessions_are_the_same_after_fixing(number: int) -> None:
    dice = Dice(f"same/{number}")
    texts: list[str] = []
    for at, name in enumerate(("upsells", "voice", "upsells-2", "voice-2")):
        config = channel_config(dice, 7 * at, lines=60)
        config["name"] = f"projects/p/locations/l/brands/b/channelConfigs/{name}"
        config["type"] = "UPSELL_STRATEGY" if "upsells" in name else "AGENT_CUSTOMIZATION"
        texts.append(spoiled(config, "ChannelConfig", dice))
    brand = BRAND.replace("timeZone:", "defaults: [upsells-2, voice-2], timeZone:")
    answers = []
    for files in (texts, [fixed(text) for text in texts]):
        catalog = brands(brand, *files)
        store = resolve_active_config(catalog.store("s"), catalog)
        answers.append((effective(store), played(store, brand_menu(catalog.store("s").brand, catalog), number)))
    assert answers[0] == answers[1]


@pytest.mark.generated
@each_of(range(WORLDS))
def test_views_are_synced_as_before(number: int) -> None:
    dice = Dice(f"same view/{number}")
    text = spoiled(feature_view(dice, number, lines=60), "FeatureView", dice)
    assert runs(text) == runs(fixed(text))

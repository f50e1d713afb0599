"""What `--fix` leaves as it was where documents have errors: what is effective at a store, and what a session does.

Worlds are drawn: a brand, its menu, configs on two levels and files that a session has nothing to do with, broken as
people break them. A session is played in spite of errors here, with what could be read. Only the fix of an error may
change what it does: what was set aside comes into force. `trialrun session` refuses to play it before that.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks import fixable
from benchmarks.broken_files import BREAKERS, broken_file
from benchmarks.configs import channel_config
from benchmarks.fixable import written
from benchmarks.mistakes import CONFIG_MISTAKES, VIEW_MISTAKES, DoesNotApply
from benchmarks.random_source import Dice
from benchmarks.text_pool import ITEMS, MODIFIER_GROUPS, MODIFIERS
from benchmarks.views import feature_view
from benchmarks.yaml_writer import a_hand, document
from tests.cases import seeds
from tests.fix.test_same_runtime import OF_CONFIGS as WITHOUT_ERRORS
from tests.fix.test_same_runtime import OF_VIEWS as VIEWS_WITHOUT_ERRORS
from tests.fix.test_same_runtime import effective, played
from tests.runtime.channel_config.brands import BEGIN, BRAND, NAME
from trialrun.diagnostic import Severity
from trialrun.lint import registry
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.plan import build_plan
from trialrun.runtime.feature_view.schedule import CronSchedule, created_at, next_runs, schedule_of
from trialrun.runtime.options import Options
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.check import CheckResult
from trialrun.workspace.check_request import CheckOptions, open_request
from trialrun.workspace.dry_run import DryRun, dry_run
from trialrun.workspace.fix_loop import fix_until_stable
from trialrun.workspace.store_dry_run import store_dry_run

WORLDS, TRIED_ALWAYS = 200, 3
KEY = re.compile(r"^( *(?:- +)*)([A-Za-z]\w*)(?=:[ \r\n]|:$)", re.MULTILINE)
VALUE = re.compile(r"(?<=: )[^\s#{\[>|\"'&*][^\r\n#]*$", re.MULTILINE)
WRONG_VALUES = ("null", "~", "", "5", "'5'", '"true"', "true", "1.0", "[a]", "{a: b}", "!x y", "!!str 5", "[]", "{}")
Texts = Mapping[str, str]


def misspell(text: str, dice: Dice) -> str:
    """A key with two letters changed places, one left out or one more."""

    def misspelt(key: str) -> str:
        at = dice.number(1, max(1, len(key) - 2))
        return dice.pick(
            (key[:at] + key[at + 1 :], key[:at] + key[at] + key[at:], key[:at] + key[at:][1::-1] + key[at + 2 :])
        )

    return _replaced(KEY, text, dice, lambda match: match[1] + misspelt(match[2]))


def wrong_value(text: str, dice: Dice) -> str:
    """A value of another type, none at all or one with a tag."""
    return _replaced(VALUE, text, dice, lambda match: dice.pick(WRONG_VALUES))


def _replaced(pattern: re.Pattern[str], text: str, dice: Dice, new: Callable[[re.Match[str]], str]) -> str:
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    match = dice.pick(matches)
    return text[: match.start()] + new(match) + text[match.end() :]


def unspecified(config: dict[Any, Any], dice: Dice) -> None:
    """Enum values that say nothing, on the level of the brand or of the store."""
    operations = config.setdefault("operationsConfig", {})
    if dice.chance(0.5):
        operations["interactionMode"] = dice.pick(("INTERACTION_MODE_UNSPECIFIED", 0))
    if dice.chance(0.5):
        config["tone"] = dice.pick(("TONE_UNSPECIFIED", 0, 3))


def confirms(config: dict[Any, Any], dice: Dice) -> None:
    """The deprecated field whose successor is another instruction, or that one."""
    field = dice.pick(("confirmOrderInfoAtStart", "confirmOrderInfoOnFinalize"))
    config.setdefault("operationsConfig", {}).setdefault("featuresConfig", {})[field] = dice.chance(0.5)


def created(view: dict[Any, Any], dice: Dice) -> None:
    """The time before which a schedule has no runs, which only the service sets."""
    view["createTime"] = dice.pick(("2026-12-24T08:00:00Z", "2026-12-24 08:00:00+01:00"))


HARMLESS = tuple(mistake for mistake in CONFIG_MISTAKES if registry.load(mistake.rule).severity is not Severity.ERROR)
OF_TEXTS = (*BREAKERS, *[misspell, wrong_value] * 5)


def mistaken(config: dict[Any, Any], dice: Dice, *, broken: float) -> str:
    """The text of a config with some mistakes: with none that is an error where `broken`, the share of more, is 0."""
    config["kind"] = "ChannelConfig"
    for mistake in dice.some(CONFIG_MISTAKES if broken else HARMLESS, dice.pick((0, 0, 1, 2))):
        with suppress(DoesNotApply, StopIteration):
            mistake.make(config)
    for spoil in dice.some(
        (unspecified, confirms, *(fixable.OF_CONFIGS if broken else WITHOUT_ERRORS)), dice.number(0, 5)
    ):
        with suppress(DoesNotApply):
            spoil(config, dice)
    text = document(written(config), a_hand(dice, merge=False))
    while dice.chance(broken):
        text = dice.pick(OF_TEXTS)(text, dice)
    return text


def brand_and_menu() -> str:
    """A brand with one store, defaults on both levels, and a menu that has what the drawn configs name."""
    brand = BRAND.partition("items:")[0].replace("timeZone:", "defaults: [upsells-2, voice-2], timeZone:")
    modifiers = [{"name": name, "id": f"M-{at}"} for at, name in enumerate(MODIFIERS)]
    menu = {
        "items": [{"name": name, "id": f"I-{at + 100}", "price": 2.5 + at} for at, name in enumerate(ITEMS)],
        "modifierGroups": [{"name": name, "id": name, "modifiers": modifiers} for name in MODIFIER_GROUPS],
    }
    return brand + "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in menu.items())


def world(number: int) -> dict[str, str]:
    """The files of a workspace."""
    dice = Dice(f"same broken/{number}")
    brand = brand_and_menu()
    broken = dice.pick((0.0, 0.0, 0.2, 0.4, 0.6))
    texts = {"brand.yaml": dice.pick(OF_TEXTS)(brand, dice) if dice.chance(broken / 3) else brand}
    for at, name in enumerate(("upsells", "voice", "upsells-2", "voice-2", "unused")):
        config = channel_config(dice, 7 * at, lines=40)
        config["name"] = f"{NAME}/{name}"
        config["type"] = "UPSELL_STRATEGY" if "upsells" in name else "AGENT_CUSTOMIZATION"
        texts[f"{name}.yaml"] = mistaken(config, dice, broken=0.7 if name == "unused" else broken)
    neighbor = broken_file(dice.number(0, 10_000), seed=3)
    texts[f"neighbor{Path(neighbor.path).suffix}"] = neighbor.text
    return texts


@dataclass(frozen=True)
class Answers:
    """What is effective at the store, what a session does if it is played in spite of errors, and the errors."""

    effective: Any
    origins: Any
    played: Any
    errors: Counter[tuple[str, str]]


def request_of(folder: Path, texts: Texts) -> CheckRequest:
    options = CheckOptions(BEGIN, is_isolated=True, jobs=1, cache=False)
    overlay = {str(folder / name): text.encode("utf-8", "surrogatepass") for name, text in texts.items()}
    return replace(open_request([str(folder)], options), overlay=overlay, workspace_at=None, paths=[])


def answers(folder: Path, texts: Texts, seed: int) -> Answers:
    """The answers of the runtime in a world; a brand that cannot be read has none."""
    request = request_of(folder, texts)
    try:
        trial = store_dry_run(request, "s")
    except UndeclaredError as error:
        return Answers(str(error), None, None, Counter())
    merging = Options(list_merge="append" if seed % 4 == 3 else "replace")
    store = resolve_active_config(trial.store, trial.catalog, merging)
    errors = Counter((error.rule, Path(error.path).name) for error in trial.errors())
    return Answers(effective(store), origins(store), played(store, trial.menu, seed), errors)


def origins(store: ActiveConfig) -> Any:
    """Who sets each value, at which level."""
    return [
        {pointer: (origin.level, origin.rule, origin.name) for pointer, origin in config.origins.items()}
        for config in store.types.values()
    ]


ALL = tuple(Severity)
ALL_BUT_ERRORS = (Severity.WARNING, Severity.NOTE)


def fixed(folder: Path, texts: Texts, severities: Collection[Severity] = ALL) -> dict[str, str]:
    """The files after `--fix`, or after the safe fixes of findings of some severities alone."""
    request = request_of(folder, texts)

    def found(changed: Mapping[str, bytes]) -> CheckResult:
        overlay = {**request.overlay, **{str(folder / Path(path).name): data for path, data in changed.items()}}
        result = check(replace(request, overlay=overlay))
        result.diagnostics = [
            diagnostic if diagnostic.severity in severities else diagnostic._replace(fix=None)
            for diagnostic in result.diagnostics
        ]
        return result

    def bytes_of(path: str) -> bytes | None:
        return request.overlay[str(folder / Path(path).name)]

    files = fix_until_stable(found, bytes_of, unsafe=False).files
    return {**texts, **{Path(file.path).name: file.data.decode("utf-8", "surrogatepass") for file in files}}


@pytest.mark.generated
@pytest.mark.parametrize("number", seeds(WORLDS, TRIED_ALWAYS))
def test_what_is_effective_and_sessions_are_the_same_after_fixing(tmp_path: Path, number: int) -> None:
    texts = world(number)
    before = answers(tmp_path, texts, number)
    assert answers(tmp_path, fixed(tmp_path, texts, ALL_BUT_ERRORS), number) == before
    after = answers(tmp_path, fixed(tmp_path, texts), number)
    assert after.errors <= before.errors
    assert before.errors or after == before


def view_world(number: int) -> dict[str, str]:
    """The files of a workspace with one view, its tables and its groups, and one that has nothing to do with it."""
    dice = Dice(f"same broken view/{number}")
    view = feature_view(dice, number, lines=40)
    view["kind"] = "FeatureView"
    texts = dict(tables(view))
    broken = dice.pick((0.0, 0.3, 0.6))
    for mistake in dice.some(VIEW_MISTAKES, dice.pick((0, 0, 1, 2)) if broken else 0):
        with suppress(DoesNotApply, StopIteration):
            mistake.make(view)
    for spoil in dice.some((created, *(fixable.OF_VIEWS if broken else VIEWS_WITHOUT_ERRORS)), dice.number(0, 5)):
        with suppress(DoesNotApply):
            spoil(view, dice)
    text = document(written(view), a_hand(dice, merge=False))
    while dice.chance(broken):
        text = dice.pick(OF_TEXTS)(text, dice)
    neighbor = broken_file(dice.number(0, 10_000), seed=4)
    return {"view.yaml": text, **texts, f"neighbor{Path(neighbor.path).suffix}": neighbor.text}


def tables(view: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Documents that say which columns the tables of a view have, and which features its groups."""
    index = view.get("indexConfig", {})
    columns = [*index.get("filterColumns", ()), *filter(None, [index.get("crowdingColumn")]), "visits"]
    table = view.get("warehouseSource", view.get("ragSource"))
    if table:
        yield from source(table["uri"], [*table.get("entityIdColumns", ()), *columns], has_embedding=bool(index))
    for group in view.get("featureRegistrySource", {}).get("featureGroups", ()):
        id, features = group["featureGroupId"], group["featureIds"]
        features_text = "".join(f"- id: {feature}\n" for feature in features)
        head = f"kind: FeatureGroupTable\nfeatureGroupId: {id}\nuri: bq://p.d.{id}\nentityIdColumns: [id]\nfeatures:\n"
        yield f"{id}.yaml", head + features_text
        yield from source(f"bq://p.d.{id}", ["id", *features], has_embedding=False)


def source(uri: str, columns: list[str], *, has_embedding: bool) -> Iterator[tuple[str, str]]:
    """A Source and the rows that it names."""
    name = uri.rpartition(".")[2]
    row = dict.fromkeys(columns, "a") | {"feature_timestamp": "2026-11-01T00:00:00Z"}
    yield f"{name}-source.yaml", f"kind: Source\nuri: {uri}\nfiles: {name}.jsonl\n"
    yield f"{name}.jsonl", json.dumps(row | ({"embedding": [1.5, 2.5]} if has_embedding else {})) + "\n"


def view_answers(folder: Path, texts: Texts) -> Any:
    """When each view is synced and how, or why it is not, and the errors of its documents."""
    trial = dry_run(request_of(folder, texts), FixedClock(BEGIN))
    return [
        (
            view.node.name,
            schedule(view.node),
            plan(view, trial),
            Counter((error.rule, Path(error.path).name) for error in trial.errors_of(view)),
        )
        for view in trial.catalog.views
        if Path(view.path).name == "view.yaml"
    ]


def schedule(view: FeatureView) -> Any:
    """When a view was created, before which it had no runs, and the next ones; or why it has none."""
    found = schedule_of(view)
    if isinstance(found, CronSchedule):
        return created_at(view), list(islice(next_runs(found, after=BEGIN), 20))
    return type(found), getattr(found, "reason", "")


def plan(view: DeclaredResource[FeatureView], trial: DryRun) -> Any:
    """How a view is synced and searched, or why it cannot be."""
    index = view.node.indexConfig or view.node.vectorSearchConfig
    try:
        return build_plan(view, trial.catalog, cutoff=BEGIN), index
    except CannotSync as error:
        return str(error), index


@pytest.mark.generated
@pytest.mark.parametrize("number", seeds(WORLDS, TRIED_ALWAYS))
def test_views_are_synced_as_before(tmp_path: Path, number: int) -> None:
    texts = view_world(number)
    for name in [name for name in texts if name.endswith(".jsonl")]:
        (tmp_path / name).write_text(texts.pop(name))
    before = view_answers(tmp_path, texts)
    assert view_answers(tmp_path, fixed(tmp_path, texts, ALL_BUT_ERRORS)) == before
    after = view_answers(tmp_path, fixed(tmp_path, texts))
    assert before[0][-1] or after == before

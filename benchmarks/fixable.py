"""Mistakes with a safe fix, at least one for every rule that has such a fix; each says what was meant.

A mistake is a function that spoils a resource in place by slips, which hold what somebody wrote beside what was meant;
it answers with the rule that finds it, and raises DoesNotApply where the resource has no place for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

from benchmarks.mistakes import DoesNotApply
from benchmarks.random_source import Dice
from benchmarks.yaml_writer import Raw

Resource = dict[Any, Any]
Spoil = Callable[[Resource, Dice], str]

ENUMS = {
    "tone": ("TONE_UNSPECIFIED", "CONCISE_AND_DIRECT", "PROFESSIONAL_AND_FORMAL", "FRIENDLY"),
    "type": ("TYPE_UNSPECIFIED", "UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"),
}
SCHEDULES = {
    "5/15 6 * * *": "5-59/15 6 * * *",
    "0 6 * * 7": "0 6 * * 0",
    "20 5 ? * MON": "20 5 * * MON",
    "@daily": "0 0 * * *",
    "CRON_TZ=Asia/Tokyo @monthly": "CRON_TZ=Asia/Tokyo 0 0 1 * *",
    "0 8-12,12-16 * * *": "0 8-16 * * *",
    "0 3 ? * 1,7": "0 3 * * 1,0",
}
ZONES = {"US/Eastern": "America/New_York", "Asia/Calcutta": "Asia/Kolkata", "GB": "Europe/London"}
AMBIGUOUS = ("yes", "no", "1_000", "12:30", "2026-01-02", "On")
TAGS = {"iw": "he", "EN-us": "en-US", "zh-cmn": "cmn", "PT-br": "pt-BR"}
TIMES = ("2026-05-01T08:00:00Z", "2026-05-01t08:00:00z", "2026-05-01 08:00:00+02:00")

GONE: Final = object()
"""What is meant by an entry or an item that should not be there."""


@dataclass(frozen=True)
class Slip:
    """A value that was written in place of the one that was meant."""

    written: Any
    meant: Any


@dataclass(frozen=True)
class SlipOfKey:
    """The same of a key."""

    written: str
    meant: str


def written(tree: Any) -> Any:
    """The value as it was written."""
    if isinstance(tree, Slip):
        return written(tree.written)
    if isinstance(tree, dict):
        return {key.written if isinstance(key, SlipOfKey) else key: written(value) for key, value in tree.items()}
    return [written(item) for item in tree] if isinstance(tree, list) else tree


def meant(tree: Any) -> Any:
    """The value as it was meant, which is what fixing must give."""
    if isinstance(tree, Slip):
        return meant(tree.meant)
    if isinstance(tree, dict):
        kept = {key: meant(value) for key, value in tree.items()}
        return {
            key.meant if isinstance(key, SlipOfKey) else key: value for key, value in kept.items() if value is not GONE
        }
    if isinstance(tree, list):
        return [item for item in map(meant, tree) if item is not GONE]
    return tree.value if isinstance(tree, Raw) else tree


def rename(mapping: dict[Any, Any], key: str, other: str) -> None:
    """Write another key in place of one, at its place among the others."""
    entries = list(mapping.items())
    mapping.clear()
    mapping.update({SlipOfKey(other, key) if name == key else name: value for name, value in entries})


def put(mapping: dict[Any, Any], index: int, key: Any, value: Any) -> None:
    """Put an entry before the one with an index."""
    entries = list(mapping.items())
    mapping.clear()
    mapping.update([*entries[:index], (key, value), *entries[index:]])


def _parts(value: Any) -> Iterator[Any]:
    """Every mapping and list of a resource that no slip has touched."""
    if isinstance(value, dict | list):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part)


def _holders(resource: Resource, key: str, sort: type) -> list[Resource]:
    """The mappings that have a key with a value of a type."""
    return [part for part in _parts(resource) if isinstance(part, dict) and isinstance(part.get(key), sort)]


def _held(resource: Resource, keys: Sequence[str], sort: type) -> list[tuple[Resource, str]]:
    """The mappings that have one of some keys with a value of a type, each with the key."""
    return [(part, key) for key in keys for part in _holders(resource, key, sort)]


def _first(found: list[Any]) -> Any:
    if not found:
        raise DoesNotApply
    return found[0]


def _one(dice: Dice, found: list[Any]) -> Any:
    if not found:
        raise DoesNotApply
    return dice.pick(found)


def schedule(view: Resource, dice: Dice) -> str:
    """A form of cron on which schedulers disagree."""
    sync = _first(_holders(view, "cron", str))
    wrong = dice.pick(list(SCHEDULES))
    sync["cron"] = Slip(wrong, SCHEDULES[wrong])
    return "cron-portability"


def zone(view: Resource, dice: Dice) -> str:
    """The old name of a time zone."""
    sync = _first(_holders(view, "cron", str))
    old = dice.pick(list(ZONES))
    sync["cron"] = Slip(f"CRON_TZ={old} 15 6 * * *", f"CRON_TZ={ZONES[old]} 15 6 * * *")
    return "deprecated-time-zone"


def ambiguous(view: Resource, dice: Dice) -> str:
    """A plain label that readers of YAML 1.1 take for something else."""
    labels = _first(_holders(view, "labels", dict))["labels"]
    word = dice.pick(AMBIGUOUS)
    put(labels, dice.number(0, 2), "stated", Raw(word, word))
    return "ambiguous-scalar"


def octal(view: Resource, dice: Dice) -> str:
    """A number that readers of YAML 1.1 take for an octal one."""
    _first(_holders(view, "embeddingDimension", int))["embeddingDimension"] = Raw("0100", 100)
    return "ambiguous-scalar"


def lone(resource: Resource, dice: Dice) -> str:
    """A scalar where a list belongs."""
    keys = ("entityIdColumns", "upsoldItems", "suggestedMenuItems", "filterColumns", "skipTerms")
    part, key = _one(dice, _held(resource, keys, list))
    if not isinstance(part[key][0], str):
        raise DoesNotApply
    part[key] = Slip(part[key][0], [part[key][0]])
    return "wrong-type"


def quoted(resource: Resource, dice: Dice) -> str:
    """A boolean in quotes."""
    keys = ("skipOnPreviousTurnUpsell", "disabled", "continuous", "budgetBasedOrdering")
    part, key = _one(dice, _held(resource, keys, bool))
    part[key] = Slip("true", True)
    return "wrong-type"


def snake(resource: Resource, dice: Dice) -> str:
    """A field name in its other spelling."""
    named = [(part, key) for part in _parts(resource) if isinstance(part, dict) for key in part]
    found = [(part, key) for part, key in named if isinstance(key, str) and key.isalpha() and key.lower() != key]
    part, key = _one(dice, found)
    rename(part, key, "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in key))
    return "non-canonical-form"


def form(resource: Resource, dice: Dice) -> str:
    """A number in a form that is not the documented one."""
    texts = _held(resource, ("projectNumber", "ragCorpusId", "leafNodeEmbeddingCount"), str)
    slips = [(part, key, Slip(int(part[key]), part[key])) for part, key in texts]
    for part, key in _held(resource, ("priority", "maxUpsellOffers", "minReplicaCount", "embeddingDimension"), int):
        slips.append((part, key, Slip(dice.pick((float(part[key]), str(part[key]))), part[key])))
    part, key, slip = _one(dice, slips)
    part[key] = slip
    return "non-canonical-form"


def enum(config: Resource, dice: Dice) -> str:
    """An enum value by number."""
    key = _first([key for key in dice.shuffled(list(ENUMS)) if config.get(key) in ENUMS[key]])
    config[key] = Slip(ENUMS[key].index(config[key]), config[key])
    return "non-canonical-form"


def twice(resource: Resource, dice: Dice) -> str:
    """A text that stands in its list a second time."""
    keys = (
        "entityIdColumns", "featureIds", "filterColumns", "upsoldItems",
        "suggestedMenuItems", "suggestedModifiers", "skipTerms", "customerTerms",
    )  # fmt: skip
    found = [part[key] for part, key in _held(resource, keys, list)]
    texts = _one(dice, [texts for texts in found if isinstance(texts[0], str)])
    if not all(isinstance(text, str) for text in texts):
        raise DoesNotApply
    texts.insert(dice.number(1, len(texts)), Slip(texts[0], GONE))
    return "duplicate-item"


def target_twice(config: Resource, dice: Dice) -> str:
    """A message that stands in its list a second time."""
    part, key = _one(dice, _held(config, ("targets", "modifiers"), list))
    if not isinstance(part[key][0], dict):
        raise DoesNotApply
    part[key].insert(dice.number(1, len(part[key])), Slip(dict(part[key][0]), GONE))
    return "duplicate-item"


def from_export(resource: Resource, dice: Dice) -> str:
    """A field that only the service sets."""
    time = dice.pick(TIMES)
    of_views = (("updateTime", time), ("satisfiesPzs", True), ("kvStoreMetadata", {"readAppProfile": "serving"}))
    of_configs = (("createTime", TIMES[0]), ("updateTime", time), ("state", "ACTIVE"))
    key, value = dice.pick(of_views if resource["kind"] == "FeatureView" else of_configs)
    put(resource, dice.number(1, len(resource)), key, Slip(value, GONE))
    return "output-only-field"


def unspecified(resource: Resource, dice: Dice) -> str:
    """An enum value that says nothing, in a field that may be left out."""
    for index in _holders(resource, "distanceMeasureType", str):
        index["distanceMeasureType"] = Slip("DISTANCE_MEASURE_TYPE_UNSPECIFIED", GONE)
        return "unspecified-enum-value"
    if "tone" not in resource:
        raise DoesNotApply
    resource["tone"] = Slip("TONE_UNSPECIFIED", GONE)
    return "unspecified-enum-value"


def renamed_field(resource: Resource, dice: Dice) -> str:
    """The old name of a field."""
    if "indexConfig" not in resource:
        raise DoesNotApply
    rename(resource, "indexConfig", "vectorSearchConfig")
    return "deprecated-field"


def decomposed(view: Resource, dice: Dice) -> str:
    """A label in a form that is not composed."""
    labels = _first(_holders(view, "labels", dict))["labels"]
    if dice.chance(0.5):
        put(labels, dice.number(0, 2), SlipOfKey(normalize("NFD", "équipée"), "équipée"), "recherche")
    else:
        put(labels, dice.number(0, 2), "lieu", Slip(normalize("NFD", "cafés-réunis"), "cafés-réunis"))
    return "unportable-label"


def language(config: Resource, dice: Dice) -> str:
    """A language in a form that is not the canonical one."""
    wrong = dice.pick(list(TAGS))
    found = _one(dice, _holders(config, "languageCode", str))
    if "greetingPhrases" not in found:
        raise DoesNotApply
    found["languageCode"] = Slip(wrong, TAGS[wrong])
    return "non-canonical-language-tag"


def tag(config: Resource, dice: Dice) -> str:
    """A condition that begins with what YAML takes for a tag."""
    holder = _one(dice, _holders(config, "conditionExpression", str))
    holder["conditionExpression"] = Raw("!order.closed", "!order.closed")
    return "tagged-value"


def mixed(config: Resource, dice: Dice) -> str:
    """A condition that compares a double with an int."""
    holder = _one(dice, _holders(config, "conditionExpression", str))
    number = dice.number(5, 50)
    holder["conditionExpression"] = Slip(f"order.subtotal > {number}", f"order.subtotal > {number}.0")
    return "cel-portability"


ANYWHERE: tuple[Spoil, ...] = (lone, quoted, snake, form, twice, from_export, unspecified, renamed_field)
OF_VIEWS: tuple[Spoil, ...] = (*ANYWHERE, schedule, zone, ambiguous, octal, decomposed)
OF_CONFIGS: tuple[Spoil, ...] = (*ANYWHERE, mixed, enum, target_twice, language, tag)

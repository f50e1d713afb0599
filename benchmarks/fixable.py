"""Mistakes with a safe fix, at least one for every rule that has such a fix; each says what was meant.

A mistake is a function that spoils a resource in place by slips; it answers with the names of the rules that find it,
or with none where the resource has no place for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unicodedata import normalize

from benchmarks.random_source import Dice
from benchmarks.syntax_errors import GONE, Slip, SlipOfKey, put, rename
from benchmarks.yaml_writer import Raw

Resource = dict[Any, Any]
Spoil = Callable[[Resource, Dice], str | None]

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
AMBIGUOUS = {"yes": "yes", "no": "no", "1_000": "1_000", "12:30": "12:30", "2026-01-02": "2026-01-02", "On": "On"}
TAGS = {"iw": "he", "EN-us": "en-US", "zh-cmn": "cmn", "PT-br": "pt-BR"}
TIMES = ("2026-05-01T08:00:00Z", "2026-05-01t08:00:00z", "2026-05-01 08:00:00+02:00")


def _parts(value: Any) -> Iterator[Any]:
    """Every mapping and list of a resource that no slip has touched."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _parts(part)
    elif isinstance(value, list):
        yield value
        for part in value:
            yield from _parts(part)


def _holders(resource: Resource, key: str, sort: type) -> list[Resource]:
    """The mappings that have a key with a value of a type."""
    return [part for part in _parts(resource) if isinstance(part, dict) and isinstance(part.get(key), sort)]


def _one(dice: Dice, found: list[Any]) -> Any:
    return dice.pick(found) if found else None


def schedule(view: Resource, dice: Dice) -> str | None:
    """A form of cron on which schedulers disagree."""
    for sync in _holders(view, "cron", str):
        wrong = dice.pick(list(SCHEDULES))
        sync["cron"] = Slip(wrong, SCHEDULES[wrong])
        return "cron-portability"
    return None


def zone(view: Resource, dice: Dice) -> str | None:
    """The old name of a time zone."""
    for sync in _holders(view, "cron", str):
        old = dice.pick(list(ZONES))
        sync["cron"] = Slip(f"CRON_TZ={old} 15 6 * * *", f"CRON_TZ={ZONES[old]} 15 6 * * *")
        return "deprecated-time-zone"
    return None


def ambiguous(view: Resource, dice: Dice) -> str | None:
    """A plain label that readers of YAML 1.1 take for something else."""
    for labelled in _holders(view, "labels", dict):
        word = dice.pick(list(AMBIGUOUS))
        put(labelled["labels"], dice.number(0, 2), "stated", Raw(word, AMBIGUOUS[word]))
        return "ambiguous-scalar"
    return None


def octal(view: Resource, dice: Dice) -> str | None:
    """A number that readers of YAML 1.1 take for an octal one."""
    for index in _holders(view, "embeddingDimension", int):
        index["embeddingDimension"] = Raw("0100", 100)
        return "ambiguous-scalar"
    return None


def lone(resource: Resource, dice: Dice) -> str | None:
    """A scalar where a list belongs."""
    keys = ("entityIdColumns", "upsoldItems", "suggestedMenuItems", "filterColumns", "skipTerms")
    found = [(part, key) for key in keys for part in _holders(resource, key, list)]
    part, key = _one(dice, found) or (None, None)
    if part is None or not isinstance(part[key][0], str):
        return None
    part[key] = Slip(part[key][0], [part[key][0]])
    return "wrong-type"


def quoted(resource: Resource, dice: Dice) -> str | None:
    """A boolean in quotes."""
    keys = ("skipOnPreviousTurnUpsell", "disabled", "continuous", "budgetBasedOrdering")
    found = [(part, key) for key in keys for part in _holders(resource, key, bool)]
    part, key = _one(dice, found) or (None, None)
    if part is None:
        return None
    part[key] = Slip("true", True)
    return "wrong-type"


def snake(resource: Resource, dice: Dice) -> str | None:
    """A field name in its other spelling."""
    named = [(part, key) for part in _parts(resource) if isinstance(part, dict) for key in part]
    found = [(part, key) for part, key in named if isinstance(key, str) and key.isalpha() and key.lower() != key]
    part, key = _one(dice, found) or (None, None)
    if part is None:
        return None
    rename(part, key, "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in key))
    return "non-canonical-form"


def form(resource: Resource, dice: Dice) -> str | None:
    """A number in a form that is not the documented one."""
    keys = ("projectNumber", "ragCorpusId", "leafNodeEmbeddingCount")
    texts = [(part, key, Slip(int(part[key]), part[key])) for key in keys for part in _holders(resource, key, str)]
    keys = ("priority", "maxUpsellOffers", "minReplicaCount", "embeddingDimension")
    for key in keys:
        for part in _holders(resource, key, int):
            texts.append((part, key, Slip(dice.pick((float(part[key]), str(part[key]))), part[key])))
    part, key, slip = _one(dice, texts) or (None, None, None)
    if part is None:
        return None
    part[key] = slip
    return "non-canonical-form"


def enum(config: Resource, dice: Dice) -> str | None:
    """An enum value by number."""
    for key in dice.shuffled(list(ENUMS)):
        if config.get(key) in ENUMS[key]:
            config[key] = Slip(ENUMS[key].index(config[key]), config[key])
            return "non-canonical-form"
    return None


def twice(resource: Resource, dice: Dice) -> str | None:
    """A text that stands in its list a second time."""
    keys = (
        "entityIdColumns", "featureIds", "filterColumns", "upsoldItems",
        "suggestedMenuItems", "suggestedModifiers", "skipTerms", "customerTerms",
    )  # fmt: skip
    found = [part[key] for key in keys for part in _holders(resource, key, list) if isinstance(part[key][0], str)]
    texts = _one(dice, found)
    if texts is None or not all(isinstance(text, str) for text in texts):
        return None
    texts.insert(dice.number(1, len(texts)), Slip(texts[0], GONE))
    return "duplicate-item"


def target_twice(config: Resource, dice: Dice) -> str | None:
    """A message that stands in its list a second time."""
    found = [part[key] for key in ("targets", "modifiers") for part in _holders(config, key, list)]
    items = _one(dice, found)
    if items is None or not isinstance(items[0], dict):
        return None
    items.insert(dice.number(1, len(items)), Slip(dict(items[0]), GONE))
    return "duplicate-item"


def from_export(resource: Resource, dice: Dice) -> str | None:
    """A field that only the service sets."""
    key, value = dice.pick(
        (
            ("updateTime", dice.pick(TIMES)),
            ("satisfiesPzs", True),
            ("kvStoreMetadata", {"readAppProfile": "serving"}),
        )
        if resource["kind"] == "FeatureView"
        else (("createTime", TIMES[0]), ("updateTime", dice.pick(TIMES)), ("state", "ACTIVE"))
    )
    put(resource, dice.number(1, len(resource)), key, Slip(value, GONE))
    return "output-only-field"


def unspecified(resource: Resource, dice: Dice) -> str | None:
    """An enum value that says nothing, in a field that may be left out."""
    for index in _holders(resource, "distanceMeasureType", str):
        index["distanceMeasureType"] = Slip("DISTANCE_MEASURE_TYPE_UNSPECIFIED", GONE)
        return "unspecified-enum-value"
    if "tone" not in resource:
        return None
    resource["tone"] = Slip("TONE_UNSPECIFIED", GONE)
    return "unspecified-enum-value"


def renamed_field(resource: Resource, dice: Dice) -> str | None:
    """The old name of a field."""
    if "indexConfig" in resource:
        rename(resource, "indexConfig", "vectorSearchConfig")
        return "deprecated-field"
    return None


def decomposed(view: Resource, dice: Dice) -> str | None:
    """A label in a form that is not composed."""
    for labelled in _holders(view, "labels", dict):
        if dice.chance(0.5):
            key = SlipOfKey(normalize("NFD", "équipée"), "équipée")
            put(labelled["labels"], dice.number(0, 2), key, "recherche")
        else:
            slip = Slip(normalize("NFD", "cafés-réunis"), "cafés-réunis")
            put(labelled["labels"], dice.number(0, 2), "lieu", slip)
        return "unportable-label"
    return None


def language(config: Resource, dice: Dice) -> str | None:
    """A language in a form that is not the canonical one."""
    wrong = dice.pick(list(TAGS))
    found = _one(dice, _holders(config, "languageCode", str))
    if found is None or "greetingPhrases" not in found:
        return None
    found["languageCode"] = Slip(wrong, TAGS[wrong])
    return "non-canonical-language-tag"


def tag(config: Resource, dice: Dice) -> str | None:
    """A condition that begins with what YAML takes for a tag."""
    found = _one(dice, _holders(config, "conditionExpression", str))
    if found is None:
        return None
    found["conditionExpression"] = Raw("!order.closed", "!order.closed")
    return "tagged-value"


def mixed(config: Resource, dice: Dice) -> str | None:
    """A condition that compares a double with an int."""
    found = _one(dice, _holders(config, "conditionExpression", str))
    if found is None:
        return None
    number = dice.number(5, 50)
    found["conditionExpression"] = Slip(f"order.subtotal > {number}", f"order.subtotal > {number}.0")
    return "cel-portability"


ANYWHERE: tuple[Spoil, ...] = (lone, quoted, snake, form, twice, from_export, unspecified, renamed_field)
OF_VIEWS: tuple[Spoil, ...] = (*ANYWHERE, schedule, zone, ambiguous, octal, decomposed)
OF_CONFIGS: tuple[Spoil, ...] = (*ANYWHERE, mixed, enum, target_twice, language, tag)

"""Made-up policies, spread over the messages as an organization's are."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.random_source import Dice

SHAPES: dict[str, tuple[str, ...]] = {
    "FeatureView": (
        "has(self.labels) && 'team{n}' in self.labels || self.name != 'a{n}'",
        "!has(self.syncConfig) || !self.syncConfig.cron.startsWith('{n} {n} ')",
        "size(self.labels) < {n} + 60",
        "has(self.indexConfig) || self.optimizedConfig.automaticResources.minReplicaCount <= {n} + 2",
        "document.kind == 'FeatureView' && !document.name.endsWith('/v{n}')",
        "self.labels.all(k, !k.startsWith('x{n}-'))",
    ),
    "SyncConfig": (
        "!self.cron.matches('^([*] ){n}[*]')",
        "self.continuous || size(self.cron.split(' ')) < {n} + 7",
        "has(self.cron) || root.name != 'a{n}'",
    ),
    "IndexConfig": (
        "self.embeddingDimension != {n} + 4096",
        "!has(self.filterColumns) || size(self.filterColumns) < {n} + 20",
        "self.distanceMeasureType != 'COSINE_DISTANCE' || self.crowdingColumn != 'c{n}'",
    ),
    "WarehouseSource": (
        "!self.uri.contains('scratch{n}')",
        "self.entityIdColumns.all(c, c != 'row{n}')",
    ),
    "ChannelConfig": (
        "has(self.displayName) || self.type != 'AGENT_CUSTOMIZATION' || self.tone != 'FRIENDLY' || self.name != 'a{n}'",
        "size(self.operationsConfig.greetings) < {n} + 40",
        "!self.supplementalInstructions.freeformInstructions.contains('secret {n}')",
    ),
    "UpsellStrategy": (
        "self.maxUpsellOffers < {n} + 50",
        "self.upsells.all(u, u.priority < 100000 + {n})",
        "self.upsells.exists_one(u, u.displayName == 'none {n}') == false",
    ),
    "UpsellConfig": (
        "self.priority < 100000 + {n}",
        "self.disabled || self.displayName != 'Combo {n}'",
        "!has(self.celUpsell) || self.celUpsell.priority < 1000 + {n}",
        "root.operationsConfig.defaultLanguageCode != 'x-{n}'",
    ),
    "CelUpsell": (
        "size(self.conditionExpression) < 4000 + {n}",
        "self.suggestedMenuItems.all(i, i != 'Nothing {n}')",
    ),
    "OfferMessage": (
        "self.messageFrequency <= 1.0 || self.displayName == 'm{n}'",
        "size(self.messageConfigs) < {n} + 30",
    ),
    "MessageConfig": (
        "size(self.messageText) < 2000 + {n}",
        "!self.messageText.matches('(?i)call now {n}')",
        "self.languageCode != 'x-{n}' && !self.messageText.endsWith('!!{n}')",
    ),
    "Greetings": ("self.greetingPhrases.all(p, size(p) < 500 + {n})",),
    "DisambiguationMapping": (
        "size(self.customerTerms) < {n} + 60",
        "self.customerTerms.all(t, !t.startsWith('zz{n}'))",
    ),
    "TargetItem": ("self.itemName != 'item {n}'", "!has(self.itemId) || self.itemId.size() < {n} + 90"),
}
"""Checks by the message that they look at; `{n}` makes each of them another one. Few of them find anything."""


def policies(count: int, *, seed: int) -> Iterator[str]:
    """So many policies as the texts of files, spread over the messages as an organization's are."""
    checks = [(on, check) for on, shapes in SHAPES.items() for check in shapes]
    dice = Dice(f"policies/{seed}")
    for number in range(count):
        on, check = checks[number % len(checks)]
        severity = dice.pick(("error", "warning", "note"))
        yield (
            f'id: policy-{number}\non: {on}\nseverity: {severity}\ncheck: "{check.replace("{n}", str(number))}"\n'
            f"message: policy {number} is broken; keep it\n"
        )

"""Measures what policies cost: `python -m benchmarks.policies`; prints a Markdown table and judges nothing.

Ours with 200 generated policies against ours without, and 2,000 views with a policy that counts the views of a store
against the same views with a policy that looks at one view; whole processes that take turns, no cache: a ratio of 2 is
a run that takes twice as long.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.check import SEED, Bench, Row, environment, measured, table_head
from benchmarks.corpus import corpus, write
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


POLICY = """\
id: few-views
scope: {scope}
on: FeatureView
check: >-
  cel.bind(store, self.name.split('/featureViews/')[0] + '/', {counted} < 100)
message: too many views
"""
COUNTED: dict[str, str] = {
    "document": "[self].filter(v, v.name.startsWith(store)).size()",
    "workspace": 'documents("FeatureView").filter(v, v.name.startsWith(store)).size()',
}
"""By scope, what a policy counts."""
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s{store}/featureViews/v{number}
labels: {{team: t{store}}}
syncConfig: {{cron: {minute} 3 * * *}}
warehouseSource: {{uri: bq://p.d.t{number}, entityIdColumns: [id]}}
"""


def prepare_views(bench: Bench) -> None:
    """Write views of 50 stores, and a policy for each scope."""
    folder = bench.folder / "views"
    folder.mkdir()
    for number in range(bench.files):
        text = VIEW.format(number=number, store=number % 50, minute=number % 60)
        (folder / f"view-{number}.yaml").write_text(text, encoding="utf-8")
    for scope, counted in COUNTED.items():
        text = POLICY.format(scope=scope, counted=counted)
        (bench.folder / f"{scope}.yaml").write_text(text, encoding="utf-8")


def prepare(bench: Bench, count: int) -> None:
    """Write the corpus and the policies."""
    write(bench.folder / "ours", corpus(bench.files, seed=SEED))
    folder = bench.folder / "policies"
    folder.mkdir()
    for number, text in enumerate(policies(count, seed=SEED)):
        (folder / f"policy-{number}.yaml").write_text(text, encoding="utf-8")


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.policies", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="size of the corpus (default 2000)")
    parser.add_argument("--policies", type=int, default=200, help="how many policies (default 200)")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        bench = Bench(Path(name), options.files, None, environment(Path(name)))
        prepare(bench, options.policies)
        title = f"{options.files} files, {options.policies} policies, without policies"
        with_policies = bench.ours("--policies", "policies", "ours")
        prepare_views(bench)
        of_workspace = bench.ours("--policies", "workspace.yaml", "views")
        of_document = bench.ours("--policies", "document.yaml", "views")
        views = f"{options.files} views, a policy with `scope: workspace`, the same with `scope: document`"
        rows = [
            Row(title, "wall", with_policies, bench.ours("ours"), must=2.0, aim=1.5),
            Row(views, "wall", of_workspace, of_document, must=3.0, aim=2.0),
        ]
        for line in table_head():
            print(line, flush=True)
        for row in rows:
            print(measured(row, times=options.times), flush=True)


if __name__ == "__main__":
    main()

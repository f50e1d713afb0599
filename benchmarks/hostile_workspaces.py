"""Hostile workspaces: very many files, or names in them, that clash with each other."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.hostile_pages import Case
from benchmarks.hostile_texts import VIEW

CONFIG = (
    "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c{0}\ntype: UPSELL_STRATEGY\n"
    "operationsConfig:\n  upsellStrategy:\n    upsells:\n    - priority: 1\n      celUpsell:\n"
    "        conditionExpression: order.subtotal > 5.0\n        suggestedMenuItems: [Itm {0}x]\n"
)

FILES = {
    "views of one name": VIEW + "v\nwarehouseSource: {{uri: bq://a.b.c, entityIdColumns: [a]}}\n",
    "views at one time": VIEW + "v{0}\nwarehouseSource: {{uri: bq://a.b.c{0}, entityIdColumns: [a]}}\n"
    "syncConfig: {{cron: 0 3 * * *}}\n",
    "configs of one name": CONFIG.replace("c{0}", "c"),
    "configs that nobody uses": CONFIG,
}
"""Texts of which there are n files, each with its number in it."""
BESIDE = {
    "configs that nobody uses": "kind: Brand\nname: b\nstores: [{name: s}]\n---\nkind: Menu\nname: m\nitems:\n"
    "- {name: Item 1, id: i}\n",
}

LINES = {
    "a brand of configs bound twice": (
        "kind: Brand\nname: b\nbindings:\n",
        "- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n",
        "stores:\n",
        "- {{name: s{0}, tags: [t], defaults: [c{0}, c{1}]}}\n",
    ),
    "a brand of unknown configs": (
        "kind: Brand\nname: b\nbindings:\n",
        "- {{channelConfig: cnofig{0}, stores: {{names: [s{0}x]}}}}\n",
        "stores:\n",
        "- {{name: s{0}, defaults: [defautl{0}], bindings: [{{channelConfig: x{0}}}]}}\n",
    ),
    "a brand that sets a field differently": (
        "kind: Brand\nname: b\nbindings:\n",
        "- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n",
        "stores:\n- {name: s, tags: [t]}\n",
        "---\nkind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c{0}\ntype: UPSELL_STRATEGY\n"
        "operationsConfig: {{upsellStrategy: {{maxUpsellOffers: {0}}}}}\n",
    ),
    "a brand of stores that differ": (
        "kind: Brand\nname: b\nstores:\n",
        "- {{name: s{0}, tags: [t{0}], defaults: [c{0}], bindings: [{{channelConfig: c{1}}}]}}\n",
        "bindings:\n",
        "- {{channelConfig: c{0}, stores: {{tags: [t{0}, t{1}], names: [s{0}]}}}}\n",
        "",
        "---\nkind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c{0}\ntype: UPSELL_STRATEGY\n"
        "operationsConfig: {{upsellStrategy: {{maxUpsellOffers: {0}}}}}\n",
    ),
    "a menu whose ids are others' names": (
        "kind: Menu\nname: m\nitems:\n",
        "- {{name: i{0}, id: i{1}, modifierGroups: [g{0}x]}}\n",
        "modifierGroups:\n",
        "- {{name: g{0}, id: g{1}, modifiers: [{{name: m, id: m}}]}}\n",
    ),
    "views of unknown tables": (
        "",
        "---\nkind: Source\nname: s{0}\nuri: bq://a.b.table{0}\ncolumns: [{{name: a, type: STRING}}]\n",
        "",
        "---\n" + VIEW + "v{0}\nwarehouseSource: {{uri: bq://a.b.tabel{0}x, entityIdColumns: [a]}}\n",
    ),
    "sources of one table": (
        "",
        "---\nkind: Source\nname: s{0}\nuri: bq://a.b.c\ncolumns: [{{name: a, type: STRING}}]\n",
    ),
    "feature group tables of one group": (
        "",
        "---\nkind: FeatureGroupTable\nname: g\nuri: bq://a.b.c{0}\nentityIdColumns: [a]\nfeatures: [{{id: f{0}}}]\n",
        "",
        "---\n"
        + VIEW
        + "v{0}\nfeatureRegistrySource: {{featureGroups: [{{featureGroupId: g, featureIds: [x{0}]}}]}}\n",
    ),
    "session schemas": (
        "",
        "---\nkind: SessionSchema\nname: s{0}\nvariables: {{a: T{0}}}\ntypes: {{T{0}: {{a: T{1}}}}}\n",
    ),
}
"""One file each: what stands once, what n times with numbers in it, and so on in turns."""


def workspace_cases() -> Iterator[Case]:
    """The workspaces."""
    for name, text in FILES.items():
        yield Case(f"files: {name}", lambda n, name=name, text=text: _files(name, text, n))
    for name, parts in LINES.items():
        yield Case(f"one file: {name}", lambda n, parts=parts: {"a.yaml": _text(parts, n)})


def _files(name: str, text: str, n: int) -> dict[str, str]:
    files = {f"d{at % 50}/f{at}.yaml": text.format(at) for at in range(n)}
    return {**files, "beside.yaml": BESIDE[name]} if name in BESIDE else files


def _text(parts: tuple[str, ...], n: int) -> str:
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return "".join(once + "".join(many.format(at, at + 1) for at in range(n)) for once, many in pairs)

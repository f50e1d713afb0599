# ruff: noqa: E501 - a text stands on a line
"""Hostile files written by hand: slips, comments, anchors, names that clash, in numbers that no author would write."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.hostile_pages import Case

VIEW = "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/s/featureViews/"
CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/"
UPSELLS = CONFIG + "c\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"
CUSTOM = CONFIG + "c\ntype: AGENT_CUSTOMIZATION\noperationsConfig:\n"
CONDITION = "      celUpsell:\n        suggestedMenuItems: [Fries]\n        conditionExpression: >-\n          "
SETS = CONFIG + "c{0}\ntype: UPSELL_STRATEGY\noperationsConfig: {{upsellStrategy: {{maxUpsellOffers: {0}}}}}\n"
SELLS = CONFIG + (
    "c{0}\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n    upsells:\n    - priority: 1\n      celUpsell:\n"
    "        conditionExpression: order.subtotal > 5.0\n        suggestedMenuItems: [Itm {0}x]\n"
)

TEXTS: dict[str, dict[str, str]] = {
    VIEW + "v\n": {
        "unknown fields": "⟦x{0}: {0}\n",
        "misspelt fields": "⟦syncConfi{0}: {0}\n",
        "empty documents": "⟦---\n",
        "feature groups": "featureRegistrySource:\n  featureGroups:\n⟦  - {{featureGroupId: g, featureIds: [a{0}]}}\n",
        "features": "featureRegistrySource:\n  featureGroups:\n  - featureGroupId: g\n    featureIds:\n⟦    - a\n",
        "filters": "indexConfig:\n  embeddingColumn: e\n  filterColumns:\n⟦  - c{0}\n⟦  - e\n",
    },
    VIEW + "v\nragSource: {uri: bq://a.b.c}\nlabels:\n": {
        "invalid labels": "⟦  Key{0}: Some Value.{0}\n",
        "labels over capitals": "⟦  aBcDeFgH{0}: IjKlMnOp{0}\n",
        "duplicate keys": "⟦  same: v{0}\n",
        "ambiguous labels": "⟦  k{0}: yes\n",
        "wrong labels": "⟦  k{0}: 0{0}\n",
        "octal labels": "⟦  k{0}: 0o{0}\n",
        "null labels": "⟦  k{0}:\n",
        "tagged labels": "⟦  k{0}: !!binary aGVsbG8=\n",
        "unknown tags": "⟦  k{0}: !Ref x{0}\n",
        "anchors": "⟦  k{0}: &a{0} Value{0}\n",
        "one alias": "  first: &one Wrong\n⟦  k{0}: *one\n",
        "anchors and aliases": "⟦  k{0}: &a{0} Value{0}\n  l{0}: *a{0}\n",
        "merge keys": "  <<: [{{}}\n⟦    , {{k{0}: V{0}}}\n⟧  ]\n",
        "tabs": "⟦  k{0}:\tv{0}\t# no\n",
        "tabs indent": "⟦\tk{0}: v\n",
        "no colon": "⟦  k{0} v\n",
        "no blank": "⟦  k{0}:v\n",
        "colons in values": "⟦  k{0}: a: b\n",
        "open quotes": '⟦  k{0}: "v\n',
        "open brackets": "⟦  k{0}: [v\n",
        "percents": "⟦  k{0}: %v\n",
        "ats": "⟦  k{0}: @v\n",
        "templates": "⟦  k{0}: {{{{ v }}}}\n",
        "stars": "⟦  k{0}: *.v\n",
        "unknown aliases": "⟦  k{0}: *v{0}\n",
        "bad indents": "⟦  k{0}: v\n   l{0}: v\n",
        "control characters": "⟦  k{0}: \x01\n",
        "escapes": '⟦  k{0}: "\\q"\n',
        "suppressions unused": "⟦  k{0}: v # trialrun: ignore[invalid-label]\n",
        "suppressions used": "⟦  k{0}: V # trialrun: ignore[invalid-label] reason {0}\n",
        "suppressions alone": "⟦  # trialrun: ignore[invalid-label] reason {0}\n  k{0}: V\n",
        "suppressions stacked": "⟦  # trialrun: ignore[invalid-label] reason {0}\n⟧  k: V\n",
        "suppressions ended": "⟦  k{0}: V # trialrun: ignore[invalid-label] until=2020-01-01\n",
        "suppressions unknown": "⟦  k{0}: V # trialrun: ignore[invalid-labbel{0}]\n",
        "suppressions misspelt": "⟦  k{0}: V # trialrun: ignroe[invalid-label] x\n",
        "suppressions of files": "⟦  k{0}: V # trialrun: ignore-file[invalid-label] x\n",
        "mentions": "⟦  k{0}: V # trialrun is here\n",
        "suppressions of one line": "  k: V #⟦trialrun: ignore[invalid-label] x #⟧\n",
        "rules of one suppression": "  k: V # trialrun: ignore[⟦invalid-label{0}, ⟧] x\n",
        "comments": "⟦  # {0}\n  k{0}: V\n",
        "deep flow": "  k: ⟦[⟧⟦]⟧\n",
        "deep mappings": "  k: ⟦{{a: ⟧1⟦}}⟧\n",
        "wide flow": "  k: [⟦{{a: [{0}]}},⟧]\n",
    },
    UPSELLS: {
        "upsells of one priority": "⟦    - priority: 1\n      celUpsell: {{conditionExpression: 'true', suggestedMenuItems: [Fries], triggerReason: it fits}}\n",
        "upsells without a type": "⟦    - priority: {0}\n",
        "upsells without anything": "⟦    - {{}}\n",
        "upsells of two types": "⟦    - {{priority: {0}, greetingOffer: {{}}, closingOffer: {{}}, celUpsell: {{}}}}\n",
        "conditions of one text": "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries], triggerReason: it fits}}\n",
        "conditions undeclared": "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: ordr{0}.subtotl > 5, suggestedMenuItems: [Fries], triggerReason: it fits}}\n",
        "conditions of another type": "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: order.subtotal > {0}, suggestedMenuItems: [Fries], triggerReason: it fits}}\n",
        "conditions of another tongue": "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: a and b == {0}, suggestedMenuItems: [Fries], triggerReason: it fits}}\n",
        "modifiers": "    - priority: 1\n      celUpsell:\n        conditionExpression: 'true'\n        suggestedMenuItems:\n⟦        - Fries\n",
        "skip terms": "    - priority: 1\n      closingOffer:\n        closingMessages:\n        - offerMessage: {{messageConfigs: [{{languageCode: en, messageText: x}}], upsoldItems: [Fries]}}\n          skipTerms:\n⟦          - Fri{0}\n⟦          - Fries\n",
        "upsells in languages that others lack": "⟦    - priority: {0}\n      greetingOffer: {{messages: [{{upsoldItems: [F], messageConfigs: [{{languageCode: en-x-{3}, messageText: x}}]}}]}}\n",
        "menu and upsells": "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: 'order.subtotal > {0}.0', suggestedMenuItems: [Itm {0}x]}}\n⟧---\nkind: Menu\nname: m\nitems:\n⟦- {{name: Item {0}y, id: i{0}}}\n",
    },
    UPSELLS + "    - priority: 1\n" + CONDITION: {
        "condition of parts": "order.subtotal > 5.0\n⟦          || order.subtotal > {0}.0\n",
        "condition of slips": "order.subtotal > 5.0\n⟦          and order.subtotal = {0}.0\n",
        "condition of names": "order.subtotal > 5.0\n⟦          || ordr{0}.subtotl > 1.0\n",
        "condition of strings": "order.subtotal > 5.0\n⟦          || 'x{0}' == '\\\\q'\n",
        "condition of brackets": "⟦(⟧true⟦)⟧\n",
        "condition of open brackets": "⟦(⟧\n",
        "condition of lists": "session.turn in [⟦{0},⟧0]\n",
        "condition of nots": "⟦!⟧true\n",
        "condition of dots": "order⟦.a⟧\n",
        "condition of operators": "1⟦+⟧\n",
        "condition of ternaries": "⟦true ? true : ⟧true\n",
        "condition of macros": "⟦order.items.exists(i, ⟧true⟦)⟧\n",
    },
    UPSELLS + "    - priority: 1\n      greetingOffer:\n        messages:\n": {
        "messages": "⟦        - {{messageFrequency: 0.{0}, messageConfigs: [{{languageCode: en, messageText: x}}]}}\n",
        "messages of languages": "        - upsoldItems: [Fries]\n          messageConfigs:\n⟦          - {{languageCode: en_{0}, messageText: x}}\n",
        "messages of one language": "        - upsoldItems: [Fries]\n          messageConfigs:\n⟦          - {{languageCode: en, messageText: x}}\n",
        "messages in languages that others lack": "⟦        - {{upsoldItems: [F], messageConfigs: [{{languageCode: en-x-{3}, messageText: x}}]}}\n",
    },
    CUSTOM: {
        "greetings": "    greetings:\n⟦    - {{languageCode: en_{0}, greetingPhrases: []}}\n",
        "greetings of one language": "    greetings:\n⟦    - {{languageCode: en, greetingPhrases: [x, '']}}\n",
        "greetings of many": "    greetings:\n⟦    - {{languageCode: en-x-{3}, greetingPhrases: [x]}}\n",
        "greetings of variants": "    greetings:\n    - languageCode: en⟦-x{3}⟧\n      greetingPhrases: [x]\n",
        "phrases": "    greetings:\n    - languageCode: en\n      greetingPhrases:\n⟦      - ''\n",
        "placeholders": "    greetings:\n    - languageCode: en\n      greetingPhrases:\n⟦      - Hello {{{{name{0}}}}}\n",
        "block of lines": "    greetings:\n    - languageCode: en\n      greetingPhrases:\n      - >-\n⟦        Hello {{{{name{0}}}}}\n\n",
    },
    CUSTOM + "  disambiguationStrategy:\n    mappings:\n": {
        "mappings": "⟦    - {{type: SINGLE_TARGET, customerTerms: [coke], targets: [{{itemName: Coke{0}}}]}}\n",
        "mappings of terms": "⟦    - {{type: INVALID_ITEM, customerTerms: [coke{0}, Coke{0}, coke]}}\n",
        "terms": "    - type: SINGLE_TARGET\n      customerTerms:\n⟦      - coke\n",
        "targets": "    - type: SINGLE_TARGET\n      customerTerms: [coke]\n      targets:\n⟦      - itemName: Coke\n",
    },
    VIEW + "v\nwarehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:": {
        "columns": "\n⟦  - a\n",
        "columns in flow": " [⟦a, ⟧a]\n",
        "columns numbers": "\n⟦  - {0}\n",
        "columns blank": "\n⟦  - ' '\n",
    },
    "kind: Brand\nname: b\n": {
        "stores": "stores:\n⟦- {{name: s, timeZone: Amerika/New_Yrk{0}, defaults: [d{0}], tags: [t, t]}}\n",
        "store bindings": "stores:\n- name: s\n  bindings:\n⟦  - {{channelConfig: c{0}}}\n",
        "brand bindings": "bindings:\n⟦- {{channelConfig: c{0}, stores: {{tags: [t{0}], names: [n{0}]}}}}\nstores: [{{name: s}}]\n",
        "bindings of one config": "bindings:\n⟦- {{channelConfig: c, stores: {{tags: [t]}}}}\n⟧stores:\n⟦- {{name: s{0}, tags: [t]}}\n",
    },
    "": {
        "one file: a brand of configs bound twice": "kind: Brand\nname: b\nbindings:\n⟦- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n⟧stores:\n⟦- {{name: s{0}, tags: [t], defaults: [c{0}, c{4}]}}\n⟧",
        "one file: a brand of unknown configs": "kind: Brand\nname: b\nbindings:\n⟦- {{channelConfig: cnofig{0}, stores: {{names: [s{0}x]}}}}\n⟧stores:\n⟦- {{name: s{0}, defaults: [defautl{0}], bindings: [{{channelConfig: x{0}}}]}}\n⟧",
        "one file: a brand that sets a field differently": "kind: Brand\nname: b\nbindings:\n⟦- {{channelConfig: c{0}, stores: {{tags: [t]}}}}\n⟧stores:\n- {name: s, tags: [t]}\n⟦---\n"
        + SETS
        + "⟧",
        "one file: a brand of stores that differ": "kind: Brand\nname: b\nstores:\n⟦- {{name: s{0}, tags: [t{0}], defaults: [c{0}], bindings: [{{channelConfig: c{4}}}]}}\n⟧bindings:\n⟦- {{channelConfig: c{0}, stores: {{tags: [t{0}, t{4}], names: [s{0}]}}}}\n⟧⟦---\n"
        + SETS
        + "⟧",
        "one file: a menu whose ids are others' names": "kind: Menu\nname: m\nitems:\n⟦- {{name: i{0}, id: i{4}, modifierGroups: [g{0}x]}}\n⟧modifierGroups:\n⟦- {{name: g{0}, id: g{4}, modifiers: [{{name: m, id: m}}]}}\n⟧",
        "one file: views of unknown tables": "⟦---\nkind: Source\nname: s{0}\nuri: bq://a.b.table{0}\ncolumns: [{{name: a, type: STRING}}]\n⟧⟦---\n"
        + VIEW
        + "v{0}\nwarehouseSource: {{uri: bq://a.b.tabel{0}x, entityIdColumns: [a]}}\n⟧",
        "one file: sources of one table": "⟦---\nkind: Source\nname: s{0}\nuri: bq://a.b.c\ncolumns: [{{name: a, type: STRING}}]\n⟧",
        "one file: feature group tables of one group": "⟦---\nkind: FeatureGroupTable\nname: g\nuri: bq://a.b.c{0}\nentityIdColumns: [a]\nfeatures: [{{id: f{0}}}]\n⟧⟦---\n"
        + VIEW
        + "v{0}\nfeatureRegistrySource: {{featureGroups: [{{featureGroupId: g, featureIds: [x{0}]}}]}}\n⟧",
        "one file: session schemas": "⟦---\nkind: SessionSchema\nname: s{0}\nvariables: {{a: T{0}}}\ntypes: {{T{0}: {{a: T{4}}}}}\n⟧",
        "suppressions of files above": "⟦# trialrun: ignore-file[invalid-label] x\n⟧"
        + VIEW
        + "v\nragSource: {uri: bq://a.b.c}\nlabels:\n  k: V\n",
        "documents": "⟦---\n" + VIEW + "v{0}\nwarehouseSource: {{uri: bq://a.b.c{0}}}\n",
        "broken documents": "⟦---\nkind: FeatureView\nname: [\n",
        "documents unknown": "⟦---\nkind: FeatureVeiw{0}\n",
        "documents of one name": "⟦---\n" + VIEW + "v\nwarehouseSource: {{uri: bq://a.b.c}}\n",
        "documents of hours": "⟦---\n" + VIEW + "v{0}\nsyncConfig: {{cron: 0 3 * * *}}\n",
        "cron lines": "⟦---\nkind: FeatureView\nsyncConfig: {{cron: 'CRON_TZ=X{0} 61 3 * * *'}}\n",
        "cron zones empty": "kind: FeatureView\nsyncConfig:\n  cron: |\n⟦    CRON_TZ=\n",
        "cron zones list": "⟦- kind: FeatureView\n  syncConfig: {{cron: 'CRON_TZ='}}\n",
        "zones": "⟦- kind: FeatureView\n  syncConfig: {{cron: 'CRON_TZ=Amerika/New_Yrk{0} 0 3 * * *'}}\n",
        "schedules rare": "⟦- kind: FeatureView\n  syncConfig: {{cron: '{1} 3 29 2 {2}'}}\n",
        "schedules in zones": "⟦- kind: FeatureView\n  syncConfig: {{cron: 'CRON_TZ=Europe/Paris {1} 2 * * *'}}\n",
        "output only fields": "⟦- {{kind: FeatureView, createTime: x, updateTime: y, satisfiesPzs: true}}\n",
        "deprecated fields": "⟦- {{kind: FeatureView, vectorSearchConfig: {{embeddingColumn: x}}}}\n",
        "menu items": "kind: Menu\nname: m\nitems:\n⟦- {{name: i, id: x, price: -1, modifierGroups: [g{0}]}}\n",
        "modifier groups": "kind: Menu\nname: m\nmodifierGroups:\n⟦- {{name: g, id: g, modifiers: [{{name: m, id: m}}]}}\n",
        "session types": "kind: SessionSchema\nname: s\nvariables: {{order: A0}}\ntypes:\n⟦  A{0}: {{a: strng{0}, b: lst(A{0})}}\n",
        "session variables": "kind: SessionSchema\nname: s\nvariables:\n⟦  a{0}: A{0}\n",
        "session types of types": "kind: SessionSchema\nname: s\nvariables: {{order: A0}}\ntypes:\n  A0: {{a: string}}\n⟦  A{0}: {{a: A{0}}}\n",
        "scenarios": "⟦---\nkind: Scenario\nname: s{0}\nsteps:\n- {{now: 2026-01-0x}}\n- {{fetch: {{view: v{0}, entity: 1}}}}\n",
        "steps": "kind: Scenario\nname: s\nsteps:\n⟦- {{fetch: {{view: v{0}, entity: 1, expects: 5}}, sync: 1}}\n",
        "sources": "⟦---\nkind: Source\nname: s{0}\nuri: bq://a.b.c\ncolumns: [{{name: a, type: STRNG}}, {{name: a, type: STRING}}]\n",
        "source columns": "kind: Source\nname: s\nuri: bq://a.b.c\ncolumns:\n⟦- {{name: a{0}, type: STRNG{0}}}\n",
        "feature group tables": "⟦---\nkind: FeatureGroupTable\nname: g\nentityIdColumns: [a, a]\nfeatures: [{{id: f{0}, column: x{0}}}]\n",
        "views of columns": "⟦---\n"
        + VIEW
        + "v{0}\nwarehouseSource: {{uri: bq://a.b.c, entityIdColumns: [colum{0}]}}\n⟧---\nkind: Source\nname: s\nuri: bq://a.b.c\ncolumns:\n⟦- {{name: column{0}x, type: STRING}}\n",
        "views of features": "⟦---\n"
        + VIEW
        + "v{0}\nfeatureRegistrySource: {{featureGroups: [{{featureGroupId: g, featureIds: [featre{0}]}}]}}\n⟧---\nkind: FeatureGroupTable\nname: g\nentityIdColumns: [a]\nfeatures:\n⟦- {{id: feature{0}x}}\n",
    },
}
"""Texts by how they begin and by what is hostile in them: between `⟦` and `⟧`, or the end, is said n times."""

FILES = {
    "views of one name": VIEW + "v\nwarehouseSource: {{uri: bq://a.b.c, entityIdColumns: [a]}}\n",
    "views at one time": VIEW + "v{0}\nwarehouseSource: {{uri: bq://a.b.c{0}, entityIdColumns: [a]}}\n"
    "syncConfig: {{cron: 0 3 * * *}}\n",
    "configs of one name": SELLS.replace("c{0}", "c"),
    "configs that nobody uses": SELLS,
}
"""Texts of which there are n files, each with its number in it."""
BESIDE = {
    "configs that nobody uses": "kind: Brand\nname: b\nstores: [{name: s}]\n---\nkind: Menu\nname: m\nitems:\n"
    "- {name: Item 1, id: i}\n"
}


def text_cases() -> Iterator[Case]:
    """The files by hand."""
    for head, texts in TEXTS.items():
        for name, text in texts.items():
            yield Case(name, lambda n, text=head + text: {"a.yaml": grown(text, n)})


def grown(text: str, n: int) -> str:
    """A text with `n` of each part of it that is marked."""
    first, *rest = text.split("⟦")
    return first.replace("{{", "{").replace("}}", "}") + "".join(_repeated(part, n) for part in rest)


def _repeated(part: str, n: int) -> str:
    many, _, after = part.partition("⟧")
    said = "".join(many.format(at, at % 60, at % 12 + 1, f"{at:08x}", at + 1) for at in range(n))
    return said + after.replace("{{", "{").replace("}}", "}")


def workspace_cases() -> Iterator[Case]:
    """The workspaces."""
    for name, text in FILES.items():
        yield Case(f"files: {name}", lambda n, name=name, text=text: _files(name, text, n))


def _files(name: str, text: str, n: int) -> dict[str, str]:
    files = {f"d{at % 50}/f{at}.yaml": text.format(at) for at in range(n)}
    return {**files, "beside.yaml": BESIDE[name]} if name in BESIDE else files

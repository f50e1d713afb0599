# ruff: noqa: E501 - a text stands on a line
"""Hostile files written by hand: slips, comments, anchors, brackets and names in numbers that no author would write."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.hostile_pages import Case

VIEW = "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/s/featureViews/"
CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\n"
UPSELLS = CONFIG + "type: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"
CUSTOM = CONFIG + "type: AGENT_CUSTOMIZATION\noperationsConfig:\n"
LABELS = VIEW + "v\nragSource: {uri: bq://a.b.c}\nlabels:\n"
ITEM = "suggestedMenuItems: [Fries], triggerReason: it fits"

LINES = {
    "unknown fields": VIEW + "v\n⟦x{0}: {0}\n",
    "misspelt fields": VIEW + "v\n⟦syncConfi{0}: {0}\n",
    "invalid labels": LABELS + "⟦  Key{0}: Some Value.{0}\n",
    "labels over capitals": LABELS + "⟦  aBcDeFgH{0}: IjKlMnOp{0}\n",
    "duplicate keys": LABELS + "⟦  same: v{0}\n",
    "ambiguous labels": LABELS + "⟦  k{0}: yes\n",
    "wrong labels": LABELS + "⟦  k{0}: 0{0}\n",
    "octal labels": LABELS + "⟦  k{0}: 0o{0}\n",
    "null labels": LABELS + "⟦  k{0}:\n",
    "tagged labels": LABELS + "⟦  k{0}: !!binary aGVsbG8=\n",
    "unknown tags": LABELS + "⟦  k{0}: !Ref x{0}\n",
    "anchors": LABELS + "⟦  k{0}: &a{0} Value{0}\n",
    "one alias": LABELS + "  first: &one Wrong\n⟦  k{0}: *one\n",
    "anchors and aliases": LABELS + "⟦  k{0}: &a{0} Value{0}\n  l{0}: *a{0}\n",
    "merge keys": LABELS + "  <<: [{{}}\n⟦    , {{k{0}: V{0}}}\n⟧  ]\n",
    "tabs": LABELS + "⟦  k{0}:\tv{0}\t# no\n",
    "tabs indent": LABELS + "⟦\tk{0}: v\n",
    "no colon": LABELS + "⟦  k{0} v\n",
    "no blank": LABELS + "⟦  k{0}:v\n",
    "colons in values": LABELS + "⟦  k{0}: a: b\n",
    "open quotes": LABELS + '⟦  k{0}: "v\n',
    "open brackets": LABELS + "⟦  k{0}: [v\n",
    "percents": LABELS + "⟦  k{0}: %v\n",
    "ats": LABELS + "⟦  k{0}: @v\n",
    "templates": LABELS + "⟦  k{0}: {{{{ v }}}}\n",
    "stars": LABELS + "⟦  k{0}: *.v\n",
    "unknown aliases": LABELS + "⟦  k{0}: *v{0}\n",
    "bad indents": LABELS + "⟦  k{0}: v\n   l{0}: v\n",
    "control characters": LABELS + "⟦  k{0}: \x01\n",
    "escapes": LABELS + '⟦  k{0}: "\\q"\n',
    "suppressions unused": LABELS + "⟦  k{0}: v # trialrun: ignore[invalid-label]\n",
    "suppressions used": LABELS + "⟦  k{0}: V # trialrun: ignore[invalid-label] reason {0}\n",
    "suppressions alone": LABELS + "⟦  # trialrun: ignore[invalid-label] reason {0}\n  k{0}: V\n",
    "suppressions stacked": LABELS + "⟦  # trialrun: ignore[invalid-label] reason {0}\n⟧  k: V\n",
    "suppressions ended": LABELS + "⟦  k{0}: V # trialrun: ignore[invalid-label] until=2020-01-01\n",
    "suppressions unknown": LABELS + "⟦  k{0}: V # trialrun: ignore[invalid-labbel{0}]\n",
    "suppressions misspelt": LABELS + "⟦  k{0}: V # trialrun: ignroe[invalid-label] x\n",
    "suppressions of files": LABELS + "⟦  k{0}: V # trialrun: ignore-file[invalid-label] x\n",
    "suppressions of files above": "⟦# trialrun: ignore-file[invalid-label] x\n⟧" + LABELS + "  k: V\n",
    "mentions": LABELS + "⟦  k{0}: V # trialrun is here\n",
    "suppressions of one line": LABELS + "  k: V #⟦trialrun: ignore[invalid-label] x #⟧\n",
    "rules of one suppression": LABELS + "  k: V # trialrun: ignore[⟦invalid-label{0}, ⟧] x\n",
    "comments": LABELS + "⟦  # {0}\n  k{0}: V\n",
    "documents": "⟦---\n" + VIEW + "v{0}\nwarehouseSource: {{uri: bq://a.b.c{0}}}\n",
    "empty documents": VIEW + "v\n⟦---\n",
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
    "feature groups": VIEW
    + "v\nfeatureRegistrySource:\n  featureGroups:\n⟦  - {{featureGroupId: g, featureIds: [a{0}]}}\n",
    "features": VIEW
    + "v\nfeatureRegistrySource:\n  featureGroups:\n  - featureGroupId: g\n    featureIds:\n⟦    - a\n",
    "columns": VIEW + "v\nwarehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:\n⟦  - a\n",
    "columns in flow": VIEW + "v\nwarehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns: [⟦a, ⟧a]\n",
    "columns numbers": VIEW + "v\nwarehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:\n⟦  - {0}\n",
    "columns blank": VIEW + "v\nwarehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:\n⟦  - ' '\n",
    "filters": VIEW + "v\nindexConfig:\n  embeddingColumn: e\n  filterColumns:\n⟦  - c{0}\n⟦  - e\n",
    "upsells of one priority": UPSELLS
    + "⟦    - priority: 1\n      celUpsell: {{conditionExpression: 'true', "
    + ITEM
    + "}}\n",
    "upsells without a type": UPSELLS + "⟦    - priority: {0}\n",
    "upsells without anything": UPSELLS + "⟦    - {{}}\n",
    "upsells of two types": UPSELLS
    + "⟦    - {{priority: {0}, greetingOffer: {{}}, closingOffer: {{}}, celUpsell: {{}}}}\n",
    "conditions of one text": UPSELLS
    + "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: order.subtotal > 5.0, "
    + ITEM
    + "}}\n",
    "conditions undeclared": UPSELLS
    + "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: ordr{0}.subtotl > 5, "
    + ITEM
    + "}}\n",
    "conditions of another type": UPSELLS
    + "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: order.subtotal > {0}, "
    + ITEM
    + "}}\n",
    "conditions of another tongue": UPSELLS
    + "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: a and b == {0}, "
    + ITEM
    + "}}\n",
    "condition of parts": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          order.subtotal > 5.0\n⟦          || order.subtotal > {0}.0\n",
    "condition of slips": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          order.subtotal > 5.0\n⟦          and order.subtotal = {0}.0\n",
    "condition of names": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          order.subtotal > 5.0\n⟦          || ordr{0}.subtotl > 1.0\n",
    "condition of strings": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          order.subtotal > 5.0\n⟦          || 'x{0}' == '\\\\q'\n",
    "condition of brackets": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          ⟦(⟧true⟦)⟧\n",
    "condition of open brackets": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          ⟦(⟧\n",
    "condition of lists": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          session.turn in [⟦{0},⟧0]\n",
    "condition of nots": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          ⟦!⟧true\n",
    "condition of dots": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          order⟦.a⟧\n",
    "condition of operators": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          1⟦+⟧\n",
    "condition of ternaries": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          ⟦true ? true : ⟧true\n",
    "condition of macros": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        "
    + "suggestedMenuItems: [Fries]\n        conditionExpression: >-\n"
    + "          ⟦order.items.exists(i, ⟧true⟦)⟧\n",
    "modifiers": UPSELLS
    + "    - priority: 1\n      celUpsell:\n        conditionExpression: 'true'\n        suggestedMenuItems:\n⟦        - Fries\n",
    "skip terms": UPSELLS
    + "    - priority: 1\n      closingOffer:\n        closingMessages:\n        - offerMessage: {{messageConfigs: "
    + "[{{languageCode: en, messageText: x}}], upsoldItems: [Fries]}}\n          skipTerms:\n⟦          - Fri{0}\n⟦          - Fries\n",
    "messages": UPSELLS
    + "    - priority: 1\n      greetingOffer:\n        messages:\n⟦        - {{messageFrequency: 0.{0}, messageConfigs: "
    + "[{{languageCode: en, messageText: x}}]}}\n",
    "messages of languages": UPSELLS
    + "    - priority: 1\n      greetingOffer:\n        messages:\n        - upsoldItems: [Fries]\n          messageConfigs:\n"
    + "⟦          - {{languageCode: en_{0}, messageText: x}}\n",
    "messages of one language": UPSELLS
    + "    - priority: 1\n      greetingOffer:\n        messages:\n        - upsoldItems: [Fries]\n          messageConfigs:\n"
    + "⟦          - {{languageCode: en, messageText: x}}\n",
    "messages in languages that others lack": UPSELLS
    + "    - priority: 1\n      greetingOffer:\n        messages:\n"
    + "⟦        - {{upsoldItems: [F], messageConfigs: [{{languageCode: en-x-{3}, messageText: x}}]}}\n",
    "upsells in languages that others lack": UPSELLS
    + "⟦    - priority: {0}\n      greetingOffer: {{messages: [{{upsoldItems: [F], messageConfigs: "
    + "[{{languageCode: en-x-{3}, messageText: x}}]}}]}}\n",
    "greetings": CUSTOM + "    greetings:\n⟦    - {{languageCode: en_{0}, greetingPhrases: []}}\n",
    "greetings of one language": CUSTOM + "    greetings:\n⟦    - {{languageCode: en, greetingPhrases: [x, '']}}\n",
    "greetings of many": CUSTOM + "    greetings:\n⟦    - {{languageCode: en-x-{3}, greetingPhrases: [x]}}\n",
    "greetings of variants": CUSTOM + "    greetings:\n    - languageCode: en⟦-x{3}⟧\n      greetingPhrases: [x]\n",
    "phrases": CUSTOM + "    greetings:\n    - languageCode: en\n      greetingPhrases:\n⟦      - ''\n",
    "mappings": CUSTOM
    + "  disambiguationStrategy:\n    mappings:\n⟦    - {{type: SINGLE_TARGET, customerTerms: [coke], targets: [{{itemName: Coke{0}}}]}}\n",
    "mappings of terms": CUSTOM
    + "  disambiguationStrategy:\n    mappings:\n⟦    - {{type: INVALID_ITEM, customerTerms: [coke{0}, Coke{0}, coke]}}\n",
    "terms": CUSTOM
    + "  disambiguationStrategy:\n    mappings:\n    - type: SINGLE_TARGET\n      customerTerms:\n⟦      - coke\n",
    "targets": CUSTOM
    + "  disambiguationStrategy:\n    mappings:\n    - type: SINGLE_TARGET\n      customerTerms: [coke]\n      targets:\n⟦      - itemName: Coke\n",
    "placeholders": CUSTOM
    + "    greetings:\n    - languageCode: en\n      greetingPhrases:\n⟦      - Hello {{{{name{0}}}}}\n",
    "output only fields": "⟦- {{kind: FeatureView, createTime: x, updateTime: y, satisfiesPzs: true}}\n",
    "deprecated fields": "⟦- {{kind: FeatureView, vectorSearchConfig: {{embeddingColumn: x}}}}\n",
    "deep flow": LABELS + "  k: ⟦[⟧⟦]⟧\n",
    "deep mappings": LABELS + "  k: ⟦{{a: ⟧1⟦}}⟧\n",
    "wide flow": LABELS + "  k: [⟦{{a: [{0}]}},⟧]\n",
    "block of lines": CUSTOM
    + "    greetings:\n    - languageCode: en\n      greetingPhrases:\n      - >-\n⟦        Hello {{{{name{0}}}}}\n\n",
    "stores": "kind: Brand\nname: b\nstores:\n⟦- {{name: s, timeZone: Amerika/New_Yrk{0}, defaults: [d{0}], tags: [t, t]}}\n",
    "store bindings": "kind: Brand\nname: b\nstores:\n- name: s\n  bindings:\n⟦  - {{channelConfig: c{0}}}\n",
    "brand bindings": "kind: Brand\nname: b\nbindings:\n⟦- {{channelConfig: c{0}, stores: {{tags: [t{0}], names: [n{0}]}}}}\n"
    + "stores: [{{name: s}}]\n",
    "bindings of one config": "kind: Brand\nname: b\nbindings:\n⟦- {{channelConfig: c, stores: {{tags: [t]}}}}\n⟧stores:\n"
    + "⟦- {{name: s{0}, tags: [t]}}\n",
    "menu items": "kind: Menu\nname: m\nitems:\n⟦- {{name: i, id: x, price: -1, modifierGroups: [g{0}]}}\n",
    "modifier groups": "kind: Menu\nname: m\nmodifierGroups:\n⟦- {{name: g, id: g, modifiers: [{{name: m, id: m}}]}}\n",
    "menu and upsells": UPSELLS
    + "⟦    - priority: {0}\n      celUpsell: {{conditionExpression: 'order.subtotal > {0}.0', suggestedMenuItems: [Itm {0}x]}}\n"
    + "⟧---\nkind: Menu\nname: m\nitems:\n⟦- {{name: Item {0}y, id: i{0}}}\n",
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
    + "v{0}\nwarehouseSource: {{uri: bq://a.b.c, entityIdColumns: [colum{0}]}}\n"
    + "⟧---\nkind: Source\nname: s\nuri: bq://a.b.c\ncolumns:\n⟦- {{name: column{0}x, type: STRING}}\n",
    "views of features": "⟦---\n"
    + VIEW
    + "v{0}\nfeatureRegistrySource: {{featureGroups: [{{featureGroupId: g, featureIds: [featre{0}]}}]}}\n"
    + "⟧---\nkind: FeatureGroupTable\nname: g\nentityIdColumns: [a]\nfeatures:\n⟦- {{id: feature{0}x}}\n",
}
"""Texts by what is hostile in them: between `⟦` and `⟧`, or the end of the text, is said n times."""


def text_cases() -> Iterator[Case]:
    """The files by hand."""
    for name, text in LINES.items():
        yield Case(name, lambda n, text=text: {"a.yaml": grown(text, n)})


def grown(text: str, n: int) -> str:
    """A text with `n` of each part of it that is marked."""
    first, *rest = text.split("⟦")
    return first.replace("{{", "{").replace("}}", "}") + "".join(_repeated(part, n) for part in rest)


def _repeated(part: str, n: int) -> str:
    many, _, after = part.partition("⟧")
    said = "".join(many.format(at, at % 60, at % 12 + 1, f"{at:08x}") for at in range(n))
    return said + after.replace("{{", "{").replace("}}", "}")

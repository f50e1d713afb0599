"""Item that is listed twice.

A column, feature, item or term that is listed twice is usually a typo: the second was intended to be another. A
repeated column builds an entity id of two equal halves, a repeated term or target is offered twice, and a sync refuses
a feature id that a view takes from two groups. Terms and menu names that differ only in case and spaces are a warning:
they are compared without them, and a menu has no two such names.

Basis: best practice; the lists of both specifications that name columns, features, items, modifiers, terms and targets.

Good, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [country, Country, rider]

Good, as Greetings:

    languageCode: en
    greetingPhrases: [Hello, Hello]

Good, as DisambiguationMapping:

    type: DISAMBIGUATION
    customerTerms: [coke]
    targets:
      - itemName: Coke
        modifiers: [{modifierName: Large}]
      - itemName: Coke
        modifiers: [{modifierName: Small}]

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - country
      - rider
      - country  # <- duplicate entity id column "country"; remove one of the two

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - country
      - rider

Bad, as FeatureRegistrySource:

    featureGroups:
      - featureGroupId: users
        featureIds: [age, age]  # <- duplicate feature id "age"
      - featureGroupId: users  # <- duplicate feature group "users"; merge the two
        featureIds: [country]

Bad, as FeatureRegistrySource:

    featureGroups:
      - featureGroupId: users
        featureIds: [age, country]
      - featureGroupId: guests
        featureIds: [visits, age]  # <- the feature "age" is also taken from the group "users"; take it from one

Bad, as DisambiguationMapping:

    type: SINGLE_TARGET
    customerTerms:
      - coke
      - Coke  # <- "Coke" and "coke" differ only in case and spaces; remove one of the two
      - " coke"  # <- " coke" and "coke" differ only in case and spaces; remove one of the two
    targets: [{itemName: Coke}]

Bad, as DisambiguationMapping:

    type: DISAMBIGUATION
    customerTerms: [coke, coke]  # <- duplicate customer term "coke"
    targets:
      - itemName: Coke
        modifiers:
          - modifierName: Large
          - modifierName: Large  # <- duplicate modifier "Large"; remove one of the two
      - itemName: Pepsi
      - itemName: Pepsi  # <- duplicate target "Pepsi"; remove one of the two

Bad:

    kind: Brand
    name: acme
    stores:
      - name: harbour
        tags: [coast, coast]  # <- duplicate tag "coast"
      - name: harbour  # <- duplicate store "harbour"

Bad:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch}
      - {rule: lunch, channelConfig: lunch}  # <- duplicate binding of "lunch"

Bad:

    kind: Menu
    brand: acme
    items:
      - {name: Fries, id: F1}
      - {name: Fries, id: F2}  # <- duplicate item "Fries"; remove one of the two, or rename one
    modifierGroups:
      - {name: Sizes, modifiers: [{name: Large}, {name: Large}]}  # <- duplicate modifier "Large"
      - {name: Sizes, modifiers: [{name: Small}]}  # <- duplicate modifier group "Sizes"

Bad:

    kind: Menu
    brand: acme
    items: [{name: Fries}]
    modifierGroups:
      - {name: Sizes, id: G1}
      - {name: Toppings, id: G1}  # <- duplicate modifier group id "G1"; the first is "Sizes", give each its own id
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.rule_support import duplicate_items

check_texts = rule(*duplicate_items.TEXTS, severity=Severity.ERROR, prefilter=duplicate_items.may_repeat_text)(
    duplicate_items.duplicate_texts
)
check_similar_texts = rule(*duplicate_items.ALIKE, severity=Severity.ERROR, prefilter=duplicate_items.may_repeat_text)(
    duplicate_items.similar_texts
)
check_messages = rule(*duplicate_items.KEYED, severity=Severity.ERROR, prefilter=duplicate_items.may_repeat_message)(
    duplicate_items.duplicate_messages
)
check_names = rule(*duplicate_items.NAMED, severity=Severity.ERROR)(duplicate_items.duplicate_names)
check_group_ids = rule("Menu", severity=Severity.ERROR)(duplicate_items.duplicate_group_ids)
check_features = rule("FeatureRegistrySource", severity=Severity.ERROR)(duplicate_items.duplicate_features)
check_bindings = rule("Brand", "Store", severity=Severity.ERROR)(duplicate_items.duplicate_bindings)

"""A list names each thing once.

The same column, feature, item or term twice is a slip of the pen: the second one was meant to be another. A repeated
column makes an entity id of two equal halves, a repeated term or target is asked about twice, and a sync refuses a
feature id that a view takes from two groups. Of terms and names of the menu it is a warning where two differ in
capitals and blanks alone: terms are compared without them, and a menu has no two such names.

Rests on: craft; the lists of both specifications that name columns, features, items, modifiers, terms and targets.

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
      - country  # <- "country" stands twice in entityIdColumns; remove one of the two

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns:
      - country
      - rider

Bad, as FeatureRegistrySource:

    featureGroups:
      - featureGroupId: users
        featureIds: [age, age]  # <- "age" stands twice in featureIds
      - featureGroupId: users  # <- "users" stands twice in featureGroups; put what differs into one
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
      - Coke  # <- "Coke" is "coke" but for capitals and blanks; remove one of the two
      - " coke"  # <- " coke" is "coke" but for capitals and blanks; remove one of the two
    targets: [{itemName: Coke}]

Bad, as DisambiguationMapping:

    type: DISAMBIGUATION
    customerTerms: [coke, coke]  # <- "coke" stands twice in customerTerms
    targets:
      - itemName: Coke
        modifiers:
          - modifierName: Large
          - modifierName: Large  # <- "Large" stands twice in modifiers; remove one of the two
      - itemName: Pepsi
      - itemName: Pepsi  # <- "Pepsi" stands twice in targets; remove one of the two

Bad:

    kind: Brand
    name: acme
    stores:
      - name: harbour
        tags: [coast, coast]  # <- "coast" stands twice in tags
      - name: harbour  # <- "harbour" stands twice in stores

Bad:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch}
      - {rule: lunch, channelConfig: lunch}  # <- the binding of "lunch" stands twice in bindings

Bad:

    kind: Menu
    brand: acme
    items:
      - {name: Fries, id: F1}
      - {name: Fries, id: F2}  # <- "Fries" stands twice in items; remove one of the two, or name one otherwise
    modifierGroups:
      - {name: Sizes, modifiers: [{name: Large}, {name: Large}]}  # <- "Large" stands twice in modifiers
      - {name: Sizes, modifiers: [{name: Small}]}  # <- "Sizes" stands twice in modifierGroups
"""

from __future__ import annotations

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.rule_support import duplicates

check_texts = rule(*duplicates.TEXTS, severity=Severity.ERROR)(duplicates.repeated_texts)
check_alike = rule(*duplicates.ALIKE, severity=Severity.ERROR)(duplicates.alike_texts)
check_messages = rule(*duplicates.KEYED, severity=Severity.ERROR)(duplicates.repeated_messages)
check_names = rule(*duplicates.NAMED, severity=Severity.ERROR)(duplicates.repeated_names)
check_features = rule("FeatureRegistrySource", severity=Severity.ERROR)(duplicates.repeated_features)
check_bindings = rule("Brand", "Store", severity=Severity.ERROR)(duplicates.repeated_bindings)

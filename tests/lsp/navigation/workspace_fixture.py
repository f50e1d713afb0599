"""A small workspace in which everything has a name and is named."""

BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/north
defaults: [projects/p/locations/l/brands/north/channelConfigs/lunch]
bindings:
  - rule: late
    channelConfig: lunch
    stores: {names: [pier]}
stores:
  - name: projects/p/locations/l/brands/north/stores/pier
    bindings:
      - {rule: quiet, channelConfig: "lunch"}
"""
LUNCH = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/north/channelConfigs/lunch
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: en-US
  upsellStrategy:
    upsells:
      - displayName: Sides
        priority: 1
        greetingOffer:
          messages:
            - upsoldItemIds: [F-1]
              messageConfigs: [{languageCode: en-US, messageText: Fries?}]
      - displayName: Sauce
        priority: 2
        celUpsell:
          conditionExpression: "true"
          suggestedMenuItems: ["Kid's Fries", 'Kid''s Fries']
          suggestedModifierGroups:
            - {name: Sauces, suggestedModifiers: [Hot]}
"""
MENU = """\
kind: Menu
brand: north
items:
  - {name: Kid's Fries, id: F-1, modifierGroups: [Sauces, G-2]}
modifierGroups:
  - {name: Sauces, id: G-1, modifiers: [{name: Hot}]}
  - {name: Drinks, id: G-2, modifiers: [{name: Hot}]}
"""
TABLES = """\
kind: FeatureGroupTable
featureGroupId: orders
projectNumber: "7"
uri: bq://p.d.orders
entityIdColumns: [guest]
features: [{id: spend}]
---
kind: FeatureGroupTable
featureGroupId: orders
projectNumber: "8"
uri: bq://p.d.others
entityIdColumns: [guest]
features: [{id: spend}]
---
kind: Source
uri: bq://p.d.orders
files: orders.csv
columns: [{name: guest, type: STRING}, {name: spend, type: FLOAT}, {name: feature_timestamp, type: TIMESTAMP}]
---
kind: FeatureOnlineStore
name: shop
type: KEY_VALUE
"""
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/shop/featureViews/guests
featureRegistrySource:
  projectNumber: "7"
  featureGroups:
    - {featureGroupId: orders, featureIds: [spend]}
"""
SCENARIO = """\
kind: Scenario
name: What is in force
steps:
  - sync: {view: guests}
  - resolve:
      store: pier
      expect:
        values: [{field: tone, config: lunch, rule: quiet}]
"""
TOWN = {"brand": BRAND, "lunch": LUNCH, "menu": MENU, "tables": TABLES, "view": VIEW, "scenario": SCENARIO}

"""Menus as other systems give them, small and complete: what an importer of each is tried with."""

from typing import Any

SQUARE: dict[str, Any] = {
    "objects": [
        {"type": "CATEGORY", "id": "C1", "category_data": {"name": "Sides"}},
        {
            "type": "MODIFIER_LIST",
            "id": "ML1",
            "updated_at": "2026-01-01T00:00:00Z",
            "modifier_list_data": {
                "name": "Dips",
                "modifiers": [
                    {
                        "type": "MODIFIER",
                        "id": "M1",
                        "modifier_data": {"name": "Ranch", "price_money": {"amount": 50, "currency": "USD"}},
                    }
                ],
            },
        },
        {
            "type": "ITEM",
            "id": "I1",
            "present_at_all_locations": True,
            "absent_at_location_ids": ["L9"],
            "item_data": {
                "name": "Fries",
                "category_id": "C1",
                "description": "Hot",
                "modifier_list_info": [{"modifier_list_id": "ML1", "enabled": True}],
                "variations": [
                    {
                        "type": "ITEM_VARIATION",
                        "id": "V1",
                        "item_variation_data": {
                            "item_id": "I1",
                            "name": "Small",
                            "sku": "11",
                            "price_money": {"amount": 250, "currency": "USD"},
                            "location_overrides": [{"location_id": "L2", "sold_out": True}],
                        },
                    },
                    {
                        "type": "ITEM_VARIATION",
                        "id": "V2",
                        "item_variation_data": {
                            "item_id": "I1",
                            "name": "Large",
                            "price_money": {"amount": 399, "currency": "USD"},
                        },
                    },
                ],
            },
        },
        {
            "type": "ITEM",
            "id": "I2",
            "present_at_all_locations": False,
            "present_at_location_ids": ["L1"],
            "item_data": {
                "name": "Ramen",
                "variations": [
                    {
                        "type": "ITEM_VARIATION",
                        "id": "V3",
                        "item_variation_data": {"name": "Regular", "price_money": {"amount": 1200, "currency": "JPY"}},
                    }
                ],
                "modifier_list_info": [{"modifier_list_id": "ML1"}, {"modifier_list_id": "GONE"}],
            },
        },
        {"type": "TAX", "id": "T1", "tax_data": {"name": "Sales tax"}},
    ]
}
TOAST: dict[str, Any] = {
    "restaurantGuid": "r-1",
    "lastUpdated": "2026-01-01",
    "menus": [
        {
            "name": "All Day",
            "guid": "m-1",
            "availability": {
                "alwaysAvailable": False,
                "schedule": [{"days": ["MONDAY", "TUESDAY"], "timeRanges": [{"start": "06:00", "end": "10:30"}]}],
            },
            "menuGroups": [
                {
                    "name": "Burgers",
                    "guid": "g-1",
                    "menuGroups": [
                        {
                            "name": "Specials",
                            "guid": "g-2",
                            "menuItems": [{"name": "Missing name", "guid": "i-9", "price": 1}],
                        }
                    ],
                    "menuItems": [
                        {
                            "name": "Cheeseburger",
                            "guid": "i-1",
                            "price": 6.5,
                            "pricingStrategy": "BASE_PRICE",
                            "modifierGroupReferences": [1],
                        },
                        {
                            "name": "Soup",
                            "guid": "i-2",
                            "price": None,
                            "pricingStrategy": "SIZE_PRICE",
                            "pricingRules": {"sizeSpecificPricingGuid": "mg-2"},
                            "modifierGroupReferences": [2, 1, 7],
                        },
                    ],
                }
            ],
        }
    ],
    "modifierGroupReferences": {
        "1": {"referenceId": 1, "name": "Toppings", "guid": "mg-1", "modifierOptionReferences": [3, 4]},
        "2": {"referenceId": 2, "name": "Size", "guid": "mg-2", "modifierOptionReferences": [5, 6]},
    },
    "modifierOptionReferences": {
        "3": {"referenceId": 3, "name": "Pickles", "guid": "o-3"},
        "4": {"referenceId": 4, "name": "Missing name", "guid": "o-4"},
        "5": {"referenceId": 5, "name": "Cup", "guid": "o-5", "price": 4.0},
        "6": {"referenceId": 6, "name": "Bowl", "guid": "o-6", "price": 7},
    },
}
UBER_EATS: dict[str, Any] = {
    "menus": [
        {
            "id": "breakfast",
            "title": {"translations": {"en_us": "Breakfast"}},
            "service_availability": [
                {"day_of_week": "saturday", "time_periods": [{"start_time": "07:00", "end_time": "11:00"}]},
                {"day_of_week": "sunday", "time_periods": [{"start_time": "07:00", "end_time": "11:00"}]},
            ],
            "category_ids": ["c1"],
        }
    ],
    "categories": [
        {
            "id": "c1",
            "title": {"translations": {"en_us": "Sides", "es_es": "Guarniciones"}},
            "entities": [{"id": "hash", "type": "ITEM"}, {"id": "gone", "type": "ITEM"}],
        }
    ],
    "items": [
        {
            "id": "hash",
            "title": {"translations": {"es_es": "Patatas", "en_us": "Hash browns"}},
            "price_info": {"price": 250, "overrides": []},
            "modifier_group_ids": {"ids": ["g1"]},
            "suspension_info": {"suspension": {"suspend_until": 8640000000, "reason": "out"}},
        },
        {"id": "ketchup", "title": {"translations": {"en_us": "Ketchup"}}, "price_info": {"price": 0}},
        {"id": "lost", "title": {"translations": {"en_us": "Lost"}}},
    ],
    "modifier_groups": [
        {
            "id": "g1",
            "title": {"translations": {"en_us": "Sauces"}},
            "modifier_options": [{"id": "ketchup", "type": "ITEM"}],
        }
    ],
}
VENDOR: dict[str, Any] = {
    "menus": [
        {
            "name": "projects/p/locations/l/brands/acme/menus/lunch",
            "store": "projects/p/locations/l/brands/acme/stores/pier",
            "displayName": "Lunch",
            "items": [
                {
                    "id": "F1",
                    "semanticName": "french_fries",
                    "displayName": "Fries",
                    "categoryIds": ["c1"],
                    "basePrice": {"currencyCode": "USD", "units": "2", "nanos": 990000000},
                    "modifierGroups": ["g1"],
                    "numericAbbreviations": ["3"],
                    "availability": {"status": "SOLD_OUT", "daypartAvailability": {"dayparts": ["lunch"]}},
                }
            ],
            "modifiers": [{"id": "m1", "displayName": "Ranch", "semanticName": "ranch_dip"}],
            "modifierGroups": [{"id": "g1", "displayName": "Dips", "modifiers": ["m1", {"modifierId": "m7"}]}],
            "categories": [{"id": "c1", "displayName": "Sides"}],
            "labels": [{"id": "x"}],
        }
    ]
}
FEED: dict[str, Any] = {
    "data": [
        {"menu": {"menu_id": "m", "display_name": {"text": [{"text": "Dinner", "language_code": "en-US"}]}}},
        {
            "section": {
                "menu_section_id": "s",
                "display_name": {"text": [{"text": "Sides", "language_code": "en"}]},
                "menu_item_ids": ["i1"],
            }
        },
        {
            "item": {
                "menu_item_id": "i1",
                "display_name": {
                    "text": [{"text": "Fries", "language_code": "en"}, {"text": "Frites", "language_code": "fr"}]
                },
                "price": {"currency_code": "USD", "units": 3, "nanos": 500000000},
                "menu_item_option_ids": ["o1"],
            }
        },
        {"option": {"menu_item_option_id": "o1", "value": {"text": "Extra crispy"}}},
    ]
}
OLD_FEED: dict[str, Any] = {
    "data": [
        {"@type": "Menu", "@id": "m", "name": "Dinner", "language": "en", "merchantIds": ["k"]},
        {"@type": "MenuSection", "@id": "s", "name": "Sides"},
        {"@type": "MenuItem", "@id": "i1", "name": "Fries", "menuSectionId": "s"},
        {"@type": "MenuItemOffer", "@id": "of1", "sku": "i1", "price": "2.50", "priceCurrency": "USD"},
    ]
}
CSV = """\
Item Name;Price;Category;modifier_groups;Allergens;id
Fries;2,50;Sides|Hot;Dips;none;F1
Soup;$4.00;;;x;S1
;1;;;;
"""

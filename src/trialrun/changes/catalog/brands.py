"""Changes of brands with their stores, menus and session types."""

from __future__ import annotations

from trialrun.changes.change import Level
from trialrun.changes.change_type import ChangeType

BREAKING, RISKY, SAFE = Level.BREAKING, Level.RISKY, Level.SAFE

BRANDS = (
    ChangeType("brand-added", SAFE, "A Brand is new.", "It has no customers yet.", ("Brand+",), "brand-removed"),
    ChangeType(
        "brand-removed", BREAKING, "A Brand is gone.", "Its stores have no configuration.", ("Brand-",), "brand-added"
    ),
    ChangeType(
        "brand-renamed",
        BREAKING,
        "A Brand has another name and the same content.",
        "Menus and configs of the old name are no longer its own.",
        ("Brand=", "Brand.name"),
    ),
    ChangeType(
        "store-added",
        SAFE,
        "A brand has one more store.",
        "It has no customers yet.",
        ("Brand.stores+",),
        "store-removed",
    ),
    ChangeType(
        "store-removed",
        BREAKING,
        "A store is gone.",
        "Sessions at the store have no configuration.",
        ("Brand.stores-", "Store.name"),
        "store-added",
    ),
    ChangeType(
        "store-renamed",
        BREAKING,
        "A store has another name and the same content.",
        "Sessions at the store of the old name have no configuration.",
        ("Brand.stores=",),
    ),
    ChangeType(
        "store-tags-changed",
        RISKY,
        "A store has other tags.",
        "Bindings select stores by tags: other ones may match it now.",
        ("Store.tags",),
    ),
    ChangeType(
        "store-zone-changed",
        RISKY,
        "A store is in another time zone.",
        "Conditions on the time of its customers hold at other times.",
        ("Store.timeZone",),
    ),
    ChangeType(
        "default-added",
        RISKY,
        "A brand or a store has one more default config.",
        "It applies wherever nothing overrides it.",
        ("Brand.defaults+", "Store.defaults+"),
        "default-removed",
    ),
    ChangeType(
        "default-removed",
        BREAKING,
        "A brand or a store no longer has a default config.",
        "Stores fall back to other configs, or to none.",
        ("Brand.defaults-", "Store.defaults-"),
        "default-added",
    ),
    ChangeType(
        "default-reordered",
        RISKY,
        "The default configs are in another order.",
        "Where two of them have the same type, the other one takes precedence.",
        ("Brand.defaults~", "Store.defaults~", "Brand.defaults", "Store.defaults"),
    ),
    ChangeType(
        "binding-added",
        RISKY,
        "A config is bound to more stores.",
        "It overrides what these stores had.",
        ("Brand.bindings+", "Store.bindings+"),
        "binding-removed",
    ),
    ChangeType(
        "binding-removed",
        BREAKING,
        "A binding is gone.",
        "Its stores fall back to other configs.",
        ("Brand.bindings-", "Store.bindings-", "BrandBinding.rule", "StoreBinding.rule"),
        "binding-added",
    ),
    ChangeType(
        "binding-renamed",
        SAFE,
        "A binding has another rule name and the same content.",
        "Its config applies as before.",
        ("Brand.bindings=", "Store.bindings="),
    ),
    ChangeType(
        "binding-reordered",
        RISKY,
        "The bindings are in another order.",
        "A later binding overrides an earlier one.",
        ("Brand.bindings~", "Store.bindings~"),
    ),
    ChangeType(
        "binding-config-changed",
        RISKY,
        "A binding applies another config.",
        "Its stores behave as the other config says.",
        ("BrandBinding.channelConfig", "StoreBinding.channelConfig"),
    ),
    ChangeType(
        "binding-narrowed",
        BREAKING,
        "A binding asks more of a store: it has more tags, fewer names, or a selection at all.",
        "Stores that it no longer matches fall back to other configs.",
        ("BrandBinding.stores-",),
        "binding-widened",
    ),
    ChangeType(
        "binding-widened",
        RISKY,
        "A binding asks less of a store: it has fewer tags, more names, or no selection.",
        "It overrides what further stores had.",
        ("BrandBinding.stores+",),
        "binding-narrowed",
    ),
    ChangeType(
        "binding-stores-changed",
        BREAKING,
        "A binding is for other stores.",
        "Stores that it no longer matches fall back to other configs.",
        ("BrandBinding.stores", "StoreSelector.tags", "StoreSelector.names"),
    ),
)
MENUS = (
    ChangeType(
        "menu-added",
        SAFE,
        "A Menu is new.",
        "It only lists the names of items and modifiers.",
        ("Menu+",),
        "menu-removed",
    ),
    ChangeType(
        "menu-removed", RISKY, "A Menu is gone.", "Nothing can be ordered in its stores.", ("Menu-",), "menu-added"
    ),
    ChangeType(
        "menu-renamed",
        SAFE,
        "A Menu has another name and the same content.",
        "Nothing refers to it by name.",
        ("Menu=", "Menu.name"),
    ),
    ChangeType(
        "menu-brand-changed", RISKY, "A Menu is that of another brand.", "Stores have other items.", ("Menu.brand",)
    ),
    ChangeType(
        "menu-item-added",
        SAFE,
        "A menu has one more item.",
        "Customers can order more.",
        ("Menu.items+",),
        "menu-item-removed",
    ),
    ChangeType(
        "menu-item-removed",
        RISKY,
        "A menu no longer has an item.",
        "Upsells of the item cannot be made.",
        ("Menu.items-", "MenuItem.name"),
        "menu-item-added",
    ),
    ChangeType(
        "menu-item-renamed",
        RISKY,
        "An item has another name and the same content.",
        "Upsells of the old name cannot be made.",
        ("Menu.items=",),
    ),
    ChangeType(
        "menu-price-changed",
        RISKY,
        "An item has another price.",
        "Conditions on the subtotal hold at other times.",
        ("MenuItem.price",),
    ),
    ChangeType(
        "modifier-added",
        SAFE,
        "A menu has one more modifier or group.",
        "Customers can order more.",
        ("Menu.modifierGroups+", "ModifierGroup.modifiers+"),
        "modifier-removed",
    ),
    ChangeType(
        "modifier-removed",
        RISKY,
        "A menu no longer has a modifier or a group.",
        "Suggestions of it cannot be made.",
        ("Menu.modifierGroups-", "ModifierGroup.modifiers-", "Modifier.name", "ModifierGroup.name"),
        "modifier-added",
    ),
    ChangeType(
        "menu-changed",
        RISKY,
        "Something else of a menu differs: ids, modifiers of an item, availability.",
        "Orders and offers may differ.",
        ("Menu.*",),
    ),
)
SESSION_TYPES = (
    ChangeType(
        "session-schema-added",
        RISKY,
        "A SessionSchema is new.",
        "Conditions are checked against its types.",
        ("SessionSchema+",),
        "session-schema-removed",
    ),
    ChangeType(
        "session-schema-removed",
        RISKY,
        "A SessionSchema is gone.",
        "Conditions are checked against other types.",
        ("SessionSchema-",),
        "session-schema-added",
    ),
    ChangeType(
        "session-schema-changed",
        RISKY,
        "The types or variables of sessions differ.",
        "Conditions that read them may no longer hold, or fail.",
        ("SessionSchema.*",),
    ),
    ChangeType(
        "session-schema-renamed",
        SAFE,
        "A SessionSchema has another name and the same content.",
        "Nothing refers to it by name.",
        ("SessionSchema=", "SessionSchema.name"),
    ),
)
TYPES = (*BRANDS, *MENUS, *SESSION_TYPES)

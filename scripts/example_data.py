"""Write the rows of the example workspace: invented, but the same in every run.

python scripts/example_data.py
"""

from __future__ import annotations

import csv
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import yaml

ROOT = Path(__file__).parent.parent
WORKSPACE = ROOT / "fixtures" / "workspaces" / "burger-brand"
DATA = WORKSPACE / "feature-store" / "data"
LAST_DAY = datetime(2026, 11, 20, tzinfo=UTC)
STORES = {
    "austin-lamar": "en",
    "chicago-wicker-park": "en",
    "los-angeles-sunset": "en",
    "miami-calle-ocho": "es",
    "phoenix-airport": "en",
    "montreal-plateau": "fr",
    "toronto-queen-west": "en",
}
CANADIAN = ("montreal-plateau", "toronto-queen-west")
DAYPARTS = {"breakfast": 0.6, "lunch": 1.5, "afternoon": 0.7, "dinner": 1.3, "late-night": 0.4}
DIMENSION = 768
PAGE_DIMENSION = 64
CORPUS, OLD_CORPUS = "7205759403792793600", "4611686018427387904"
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Family:
    """Items that are much alike: those of the menu, and a kind that is sold in many styles here and there."""

    number: int
    category: str
    daypart: str
    kind: str
    on_the_menu: tuple[str, ...] = ()


FAMILIES = (
    Family(1, "burgers", "all-day", "Smash", ("Classic Smash", "Double Smash", "Triple Smash", "Bacon Smash")),
    Family(2, "burgers", "all-day", "Chile Smash", ("Green Chile Smash", "Kids Smash")),
    Family(3, "burgers", "all-day", "Chicken Crunch", ("Chicken Crunch",)),
    Family(4, "burgers", "all-day", "Veggie Smash", ("Veggie Smash",)),
    Family(5, "combos", "lunch", "Combo", ("Smash Combo", "Double Smash Combo")),
    Family(6, "combos", "dinner", "Family Pack", ("Family Pack", "Party Box")),
    Family(7, "sides", "all-day", "Fries", ("Fries", "Loaded Fries")),
    Family(8, "sides", "all-day", "Onion Rings", ("Onion Rings",)),
    Family(9, "sides", "lunch", "Salad", ("Garden Salad",)),
    Family(10, "sides", "dinner", "Poutine", ("Poutine",)),
    Family(11, "drinks", "all-day", "Fountain Drink", ("Fountain Drink",)),
    Family(12, "drinks", "all-day", "Lemonade", ("Lemonade", "Iced Tea")),
    Family(13, "drinks", "breakfast", "Cold Brew", ("Cold Brew",)),
    Family(14, "drinks", "all-day", "Shake", ("Vanilla Shake", "Chocolate Shake", "Strawberry Shake")),
    Family(15, "drinks", "all-day", "Float", ("Root Beer Float",)),
    Family(16, "sweets", "all-day", "Hand Pie", ("Apple Hand Pie",)),
    Family(17, "sweets", "all-day", "Cookie", ("Chocolate Chip Cookie",)),
    Family(18, "breakfast", "breakfast", "Breakfast Smash", ("Breakfast Smash", "Hash Browns")),
)
HEARTY = (
    *("Smoky", "Honey", "Maple", "Cajun", "Garlic", "Truffle", "Ranch", "Chipotle", "Jalapeño", "Texas", "Cuban"),
    *("Québec", "Spicy", "Pepper", "Little", "Big", "Autumn"),
)
SWEET = (
    *("Honey", "Maple", "Peach", "Mango", "Cherry", "Mint", "Coconut", "Lime", "Ginger", "Cinnamon", "Caramel"),
    *("Pumpkin", "Raspberry", "Blueberry", "Little", "Big", "Autumn"),
)


@dataclass(frozen=True)
class Table:
    """Rows, and the types of their columns in the words of the engine that writes them."""

    columns: Mapping[str, str]
    rows: Rows


def tables() -> dict[str, Table]:
    """Every file by its path in the folder of the data."""
    profiles, orders = guest_profiles(), guest_orders()
    return {
        "guest_profile/part-0.parquet": Table(PROFILE, profiles[: len(profiles) // 2]),
        "guest_profile/part-1.parquet": Table(PROFILE, profiles[len(profiles) // 2 :]),
        "menu_embeddings.parquet": Table(EMBEDDING, menu_embeddings()),
        "store_forecast/canada.csv": Table(
            FORECAST, [forecast for forecast in forecasts() if forecast["store_id"] in CANADIAN]
        ),
        "store_forecast/us.csv": Table(
            FORECAST, [forecast for forecast in forecasts() if forecast["store_id"] not in CANADIAN]
        ),
        "menu_prices.json": Table(PRICE, prices()),
        "allergen_pages/edition-7.parquet": Table(PAGE, [page for page in pages() if page["corpusId"] == CORPUS]),
        "allergen_pages/edition-6.parquet": Table(PAGE, [page for page in pages() if page["corpusId"] != CORPUS]),
        "guest_orders/2026-10.parquet": Table(ORDERS, [order for order in orders if order[AT] < "2026-11"]),
        "guest_orders/2026-11.parquet": Table(ORDERS, [order for order in orders if order[AT] >= "2026-11"]),
        "store_load/2026-11-19.parquet": Table(LOAD, store_load(LAST_DAY - timedelta(days=1))),
        "store_load/2026-11-20.parquet": Table(LOAD, store_load(LAST_DAY)),
        "live_basket/lane-1.json": Table(BASKET, baskets(1)),
        "live_basket/lane-2.json": Table(BASKET, baskets(2)),
    }


AT = "feature_timestamp"
PROFILE = {
    "guest_id": "VARCHAR",
    "loyalty_tier": "VARCHAR",
    "visits_90d": "BIGINT",
    "average_ticket": "DOUBLE",
    "home_store": "VARCHAR",
    "speaks": "VARCHAR[]",
}
EMBEDDING = {
    "item_id": "VARCHAR",
    "item_name": "VARCHAR",
    "category": "VARCHAR",
    "daypart": "VARCHAR",
    "family": "BIGINT",
    "embedding": "FLOAT[]",
}
FORECAST = {
    "store_id": "VARCHAR",
    "daypart": "VARCHAR",
    "expected_orders": "BIGINT",
    "expected_wait_seconds": "DOUBLE",
}
PRICE = {"store_id": "VARCHAR", "item_id": "VARCHAR", "price": "DOUBLE"}
PAGE = {
    "corpusId": "VARCHAR",
    "fileId": "VARCHAR",
    "chunkId": "VARCHAR",
    "chunk_data_type": "VARCHAR",
    "chunk_data": "VARCHAR",
    "embeddings": "FLOAT[]",
    "file_original_uri": "VARCHAR",
}
ORDERS = {
    "guest_id": "VARCHAR",
    AT: "TIMESTAMPTZ",
    "orders_30d": "BIGINT",
    "spend_30d": "DOUBLE",
    "favorite_item_name": "VARCHAR",
    "last_order_time": "TIMESTAMPTZ",
}
LOAD = {
    "store_id": "VARCHAR",
    "measured_at": "TIMESTAMPTZ",
    "cars_in_lane": "BIGINT",
    "grill_queue": "BIGINT",
    "wait_seconds": "BIGINT",
}
BASKET = {"session_id": "VARCHAR", AT: "TIMESTAMPTZ", "basket_value": "DOUBLE", "basket_items": "BIGINT"}


def menu() -> list[dict[str, Any]]:
    """The items of the menu: name, id, price."""
    items: list[dict[str, Any]] = yaml.safe_load((WORKSPACE / "brand" / "menu.yaml").read_text("utf-8"))["items"]
    return items


def guest_profiles() -> Rows:
    """1,200 guests; a new one has no average ticket yet."""
    random = Random("guest profiles")
    return [_profile(f"g-{number:05}", random) for number in range(1, 1201)]


def _profile(guest: str, random: Random) -> Mapping[str, Any]:
    visits, home = int(random.paretovariate(1.1)) - 1, random.choice([*STORES])
    return {
        "guest_id": guest,
        "loyalty_tier": "gold" if visits > 8 else "silver" if visits > 2 else "none",
        "visits_90d": visits,
        "average_ticket": round(random.gauss(14.5, 4), 2) if visits else None,
        "home_store": home,
        "speaks": sorted({STORES[home], random.choice(("en", "en", "es", "fr"))}),
    }


def menu_embeddings() -> Rows:
    """The items of the menu and what is sold here and there; near items have near vectors of length 1."""
    random, ids = Random("menu embeddings"), {item["name"]: item["id"] for item in menu()}
    named = [(family, name) for family in FAMILIES for name in _names(family)]
    numbers = {name: f"SW-{number}" for number, (_, name) in enumerate(named, start=1001)}
    directions: dict[str, Sequence[float]] = {}
    return [
        {
            "item_id": ids.get(name, numbers[name]),
            "item_name": name,
            "category": family.category,
            "daypart": family.daypart,
            "family": family.number,
            "embedding": _embedding(family, name, directions, random),
        }
        for family, name in named
    ]


def _names(family: Family) -> Iterator[str]:
    yield from family.on_the_menu
    yield from (f"{style} {family.kind}" for style in (SWEET if family.category in ("drinks", "sweets") else HEARTY))


def _embedding(family: Family, name: str, directions: dict[str, Sequence[float]], random: Random) -> list[float]:
    """The sum of what an item is, weighed, and of something of its own."""
    style, own = f"style {name.split()[0]}", f"item {name}"
    parts = {family.category: 1.0, family.kind: 0.8, family.daypart: 0.4, style: 0.3, own: 0.35}
    for part in parts:
        if part not in directions:
            directions[part] = _direction(random, DIMENSION)
    return _unit([sum(parts[part] * directions[part][at] for part in parts) for at in range(DIMENSION)])


def _direction(random: Random, dimension: int) -> list[float]:
    return _unit([random.gauss(0, 1) for _ in range(dimension)])


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(math.fsum(component * component for component in vector))
    return [round(component / length, 7) for component in vector]


def forecasts() -> Rows:
    """What planning expects for the next day; the airport is closed at night."""
    random = Random("forecasts")
    return [
        {
            "store_id": store,
            "daypart": daypart,
            "expected_orders": 0 if closed else round(random.gauss(90, 12) * weight),
            "expected_wait_seconds": None if closed else round(random.gauss(150, 20) * weight, 1),
        }
        for store in sorted(STORES)
        for daypart, weight in DAYPARTS.items()
        for closed in [store == "phoenix-airport" and daypart == "late-night"]
    ]


def prices() -> Rows:
    """The menu's prices by store; in Toronto, the fries are there with their old price and their new one."""
    dearer = {"los-angeles-sunset": 1.1, "phoenix-airport": 1.2, **dict.fromkeys(CANADIAN, 1.3)}
    rows = [
        {"store_id": store, "item_id": item["id"], "price": round(item["price"] * dearer.get(store, 1), 2)}
        for store in sorted(STORES)
        for item in menu()
    ]
    return [*rows, {"store_id": "toronto-queen-west", "item_id": "SW-301", "price": 4.19}]


def pages() -> Rows:
    """The allergen pages of this edition, and those of the last one, which is another corpus."""
    random = Random("allergen pages")
    editions = [(edition, corpus, item) for edition, corpus in ((7, CORPUS), (6, OLD_CORPUS)) for item in menu()]
    return [_page(edition, corpus, item, random) for edition, corpus, item in editions]


def _page(edition: int, corpus: str, item: Mapping[str, Any], random: Random) -> Mapping[str, Any]:
    contained = random.sample(("wheat", "milk", "egg", "soy", "sesame", "mustard"), k=random.randint(1, 4))
    return {
        "corpusId": corpus,
        "fileId": f"edition-{edition}",
        "chunkId": f"{edition}-{item['id']}",
        "chunk_data_type": "TEXT",
        "chunk_data": f"{item['name']} ({item['id']}) contains {', '.join(sorted(contained))}.",
        "embeddings": _direction(random, PAGE_DIMENSION),
        "file_original_uri": f"gs://smashwell-kitchen/allergens/edition-{edition}.pdf",
    }


def guest_orders() -> Rows:
    """What changed for 300 guests in seven weeks; a change names only what is new, the rest is null."""
    random, rows = Random("guest orders"), []
    favorites = [item["name"] for item in menu()]
    for number in range(1, 301):
        at = datetime(2026, 10, 1, tzinfo=UTC) + timedelta(minutes=random.randrange(14 * 1440))
        while at < LAST_DAY:
            rows.append(_order(f"g-{number:05}", at, random, favorites))
            at += timedelta(minutes=random.randrange(2 * 1440, 16 * 1440))
    return sorted(rows, key=lambda row: (row[AT], row["guest_id"]))


def _order(guest: str, at: datetime, random: Random, favorites: Sequence[str]) -> dict[str, Any]:
    orders = random.randint(1, 9)
    return {
        "guest_id": guest,
        AT: at.isoformat(),
        "orders_30d": orders,
        "spend_30d": round(orders * random.gauss(14.5, 3), 2),
        "favorite_item_name": random.choice(favorites) if random.random() < 0.4 else None,
        "last_order_time": (at - timedelta(minutes=random.randrange(5, 90))).isoformat(),
    }


def store_load(day: datetime) -> Rows:
    """A measurement of each store every 15 minutes; now and then the sensor at the grill is down."""
    random = Random(f"store load {day:%F}")
    return [
        {
            "store_id": store,
            "measured_at": (day + timedelta(minutes=minute)).isoformat(),
            "cars_in_lane": cars,
            "grill_queue": None if random.random() < 0.02 else random.randint(0, 2 * cars + 2),
            "wait_seconds": 45 + 35 * cars + random.randrange(30),
        }
        for minute in range(0, 1440, 15)
        for store in sorted(STORES)
        for cars in [round(abs(random.gauss(0, 4)))]
    ]


def baskets(lane: int) -> Rows:
    """The baskets of a lane as they grew on the last day, from noon on."""
    random, rows, at = Random(f"baskets {lane}"), [], LAST_DAY + timedelta(hours=12)
    for number in range(1, 41):
        value = 0.0
        for items in range(1, random.randint(2, 7)):
            at += timedelta(seconds=random.randrange(5, 40))
            value = round(value + random.choice(menu())["price"], 2)
            rows.append(
                {
                    "session_id": f"lane-{lane}-{number:03}",
                    AT: at.isoformat(),
                    "basket_value": value,
                    "basket_items": items,
                }
            )
    return rows


def write(folder: Path) -> None:
    """Write every file below a folder."""
    for name, table in tables().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        {".parquet": _parquet, ".csv": _csv, ".json": _json}[file.suffix](file, table)


def _json(file: Path, table: Table) -> None:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in table.rows), encoding="utf-8", newline="\n")


def _csv(file: Path, table: Table) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, table.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table.rows)


def _parquet(file: Path, table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": 1}) as connection:
        lines = Path(folder) / "rows.json"
        _json(lines, table)
        read = f"read_json('{lines}', format = 'newline_delimited', columns = {dict(table.columns)})"
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"COPY (SELECT * FROM {read}) TO '{file}' (FORMAT parquet, COMPRESSION zstd)")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else DATA)

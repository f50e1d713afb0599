"""Every kind of instant that conditions tell apart: time is cut where what they read of it may change.

Between two cuts no hour, day, month or year changes in any zone that a condition names, and no literal lies; minutes
and smaller units are cut at the numbers that they are compared with. So the instants stand for all others of the
horizon, those around changes of clocks as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from trialrun.prove.reads import COMPARISONS, literal_integer
from trialrun.values.cel import Node
from trialrun.values.cel.syntax_tree import walk
from trialrun.values.time_zone import (
    UnknownTimeZoneError,
    is_at_end_of_calendar,
    load_zone,
    offset_at,
    transitions_in_year,
)

MAX_INSTANTS = 20_000
MICROSECOND, HOUR = timedelta(microseconds=1), timedelta(hours=1)
_DAY_FIELDS: dict[str, Callable[[datetime], int]] = {
    "getHours": lambda time: time.hour,
    "getDate": lambda time: time.day,
    "getDayOfMonth": lambda time: time.day,
    "getDayOfWeek": lambda time: time.isoweekday(),
    "getDayOfYear": lambda time: time.timetuple().tm_yday,
    "getMonth": lambda time: time.month,
    "getFullYear": lambda time: time.year,
}
_FINE = {"getMinutes": 60, "getSeconds": 60, "getMilliseconds": 1000}
_OFFSET_SIGNS = {"+": 1, "-": -1}


def instants(
    trees: Sequence[Node], is_time: Callable[[Node], bool], begin: datetime, days: int
) -> tuple[list[datetime], bool]:
    """Instants for all that conditions tell apart in the days after `begin`, and whether they are complete."""
    if is_at_end_of_calendar(begin):
        return [begin], False
    read, units, of_literals, is_complete = _use(trees, is_time)
    zones = {name: zone for name in read if (zone := _zone(name)) is not None}
    fields = [(zone, [_DAY_FIELDS[each] for each in sorted(read[name])]) for name, zone in zones.items()]
    literals = sorted(of_literals)
    end = begin + timedelta(days=days)
    cuts = sorted({begin, *(cut for cut in _cuts(zones, literals, begin, end) if begin <= cut < end)})
    kinds: dict[tuple[object, ...], list[datetime]] = {}
    step = not units
    for start, stop in zip(cuts, [*cuts[1:], end], strict=True):
        parts: list[object] = [] if step else [(start.minute, start.second, start.microsecond), stop - start]
        for zone, of_zone in fields:
            local = start.astimezone(zone)
            parts += [field(local) for field in of_zone]
            parts += [] if step else [local.minute]
        parts.append(sum((literal <= start) + (literal < start) for literal in literals))
        kinds.setdefault(tuple(parts), [start, stop])
    found: list[datetime] = []
    for start, stop in kinds.values():
        found += [start, *(time for time in _within(start, zones, units) if start < time < stop)]
        if len(found) > MAX_INSTANTS:
            return found[:MAX_INSTANTS], False
    return found, is_complete


def _use(
    trees: Sequence[Node], is_time: Callable[[Node], bool]
) -> tuple[dict[str, set[str]], dict[str, set[int]], set[datetime], bool]:
    """What is read of a time: fields by zone, the smaller units with their values, literals; whether that is all."""
    zones: dict[str, set[str]] = {}
    units: dict[str, set[int]] = {}
    literals: set[datetime] = set()
    complete = True
    for tree in trees:
        if is_time(tree):
            complete = False
        for node in walk(tree):
            literals |= _timestamps(node)
            for child in node.children:
                if _is_getter(child) and is_time(child.children[0]):
                    _add_field(node, child, zones, units)
            known = _is_getter(node) or _is_comparison(node)
            if any(map(is_time, node.children)) and not known:
                complete = False
        if _is_getter(tree) and is_time(tree.children[0]):
            _add_field(tree, tree, zones, units)
    return zones, units, literals, complete


def _is_getter(node: Node) -> bool:
    return node.kind == "call" and node.receiver and (node.name in _DAY_FIELDS or node.name in _FINE)


def _is_comparison(node: Node) -> bool:
    """A comparison of times with literals, and with nothing that is computed of them."""
    if node.kind != "operator" or node.name not in COMPARISONS:
        return False
    return any(_timestamps(child) for child in node.children)


def _timestamps(node: Node) -> set[datetime]:
    if node.kind != "call" or node.receiver or node.name != "timestamp" or len(node.children) != 1:
        return set()
    try:
        time = datetime.fromisoformat(str(node.children[0].value))
        return {time.astimezone(UTC)} if time.utcoffset() is not None else set()
    except (ValueError, OverflowError):
        return set()


def _add_field(above: Node, getter: Node, zones: dict[str, set[str]], units: dict[str, set[int]]) -> None:
    """Add what a call reads of a time; of minutes and less, the numbers around those that it is compared with."""
    arguments = getter.arguments
    name = str(arguments[0].value) if arguments else "UTC"
    of_zone = zones.setdefault(name, set())
    if getter.name in _DAY_FIELDS:
        of_zone.add(getter.name)
        return
    most = _FINE[getter.name]
    values = units.setdefault(getter.name, {0, most - 1})
    others = [child for child in above.children if child is not getter]
    others = [each for child in others for each in (child.children if child.kind == "list" else (child,))]
    numbers = [literal_integer(each) for each in others]
    is_compared = above.kind == "operator" and above.name in (*COMPARISONS, "in")
    if is_compared and None not in numbers:
        around = {number + step for number in numbers if number is not None for step in (-1, 0, 1)}
        values |= {value for value in around if 0 <= value < most}
    else:
        values |= set(range(most))


def _zone(name: str) -> tzinfo | None:
    """The clocks of a zone as the engine names them; None for a name that it does not know."""
    sign, text = _OFFSET_SIGNS.get(name[:1], 1), name.lstrip("+-")
    hours, colon, minutes = text.partition(":")
    if colon and hours.isdecimal() and minutes.isdecimal() and len(name) <= 6:
        return timezone(sign * timedelta(hours=int(hours) % 24, minutes=int(minutes) % 60))
    try:
        return load_zone(name)
    except UnknownTimeZoneError:
        return None


def _offsets(zones: dict[str, tzinfo], begin: datetime) -> set[timedelta]:
    days = [begin.replace(tzinfo=None) + timedelta(days=30 * month) for month in range(15)]
    return {offset_at(zone, day) for zone in zones.values() for day in days}


def _cuts(zones: dict[str, tzinfo], literals: Sequence[datetime], begin: datetime, end: datetime) -> Iterator[datetime]:
    first = begin.replace(minute=0, second=0, microsecond=0)
    residues = {offset % HOUR for offset in _offsets(zones, begin)} | {timedelta()}
    for number in range(int((end - first) / HOUR) + 2):
        yield from (first + number * HOUR - residue for residue in residues)
    for literal in literals:
        yield from (literal, literal + MICROSECOND)
    for name, zone in zones.items():
        if not isinstance(zone, timezone):
            for year in range(begin.year, end.year + 1):
                yield from (each.at.replace(tzinfo=UTC) for each in transitions_in_year(name, year))


def _within(start: datetime, zones: dict[str, tzinfo], units: dict[str, set[int]]) -> Iterator[datetime]:
    """The instants of the hour of `start` with each combination of the smaller units."""
    if not units:
        return
    hour = start.replace(minute=0, second=0, microsecond=0)
    residues = {offset % HOUR for offset in _offsets(zones, start)} | {timedelta()}
    minutes, seconds, millis = (sorted(units.get(name, {0})) for name in _FINE)
    for minute in minutes:
        for second in seconds:
            for milli in millis:
                past = timedelta(minutes=minute, seconds=second, milliseconds=milli)
                yield from (hour + (past - residue) % HOUR for residue in residues)

"""Text output of a session: turn by turn what the customer does, what the agent says and offers, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.report.color import Paint, Style
from trialrun.report.format_value import align_if_wide_enough, format_time, join_cells, truncate
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls, wrap_text
from trialrun.report.terminal_width import width as width_of
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values.cel import json_state

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import Origin
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.actions import SetState
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import (
        EvaluatedCondition,
        MappedTerm,
        Offer,
        SkippedUpsell,
        Turn,
        Utterance,
    )
    from trialrun.values.cel import Subexpression

INDENT = 2
LABEL_WIDTH = 8
HANGING_INDENT = 4
MIN_TEXT_WIDTH = 20


@dataclass(frozen=True, slots=True)
class TextWriter:
    """Wraps lines to a width, with or without colors."""

    width: int
    paint: Paint

    def labelled_lines(self, label: str, text: str, style: Style | None = None, *, depth: int = 0) -> Iterator[str]:
        """A text next to its label, or below the previous one without a label; indented by `depth` more spaces."""
        begin = INDENT + LABEL_WIDTH + depth
        room = max(self.width - begin, MIN_TEXT_WIDTH)
        for number, line in enumerate(wrap_text(escape_text(text), first=room, rest=room)):
            head = f"{' ' * INDENT}{self.paint(f'{label:<{LABEL_WIDTH}}', 'help')}" if label and number == 0 else ""
            yield f"{head or ' ' * (INDENT + LABEL_WIDTH)}{' ' * depth}{self.paint_text(line, style)}".rstrip() + "\n"

    def title(self, word: str, text: str) -> Iterator[str]:
        """The title line of a section."""
        begin = len(word) + 2
        first, *others = wrap_text(
            escape_text(text), first=max(self.width - begin, MIN_TEXT_WIDTH), rest=self.width - HANGING_INDENT
        )
        yield f"{self.paint(word, 'rule')}  {first}".rstrip() + "\n"
        yield from (f"{' ' * HANGING_INDENT}{line}\n" for line in others)

    def paint_text(self, text: str, style: Style | None) -> str:
        """A text in a style; unchanged without one."""
        return self.paint(text, style) if style else text


def escape_text(text: str) -> str:
    """A text with terminal control characters escaped, and its line breaks kept."""
    return "\n".join(map(escape_controls, text.split("\n")))


INDENT_STEP = 2
VALUE_WIDTH = 7
"""Width of true, false or error with the spaces after it."""
MAX_VALUE_LENGTH = 60
STYLES: Mapping[bool, Style] = {True: "clean", False: "gutter"}


def condition_tree(parts: Sequence[Subexpression], sheet: TextWriter, *, begin: int) -> Iterator[str]:
    """The lines of the parts of a condition, outer parts first, indented by `begin` spaces.

    A value that occurs several times is shown only once, and a list literal is not repeated as a value.
    """
    around: list[Subexpression] = []
    known: set[str] = set()
    for part in parts:
        while around and not (around[-1].start <= part.start and part.end <= around[-1].end):
            around.pop()
        if part.text not in known and not _is_literal_collection(part, parts):
            yield from _part(part, sheet, begin + INDENT_STEP * len(around))
        if part.error is None and not isinstance(part.value, bool):
            known.add(part.text)
        around.append(part)


def _is_literal_collection(part: Subexpression, parts: Sequence[Subexpression]) -> bool:
    """Whether a part is a list or map literal."""
    return part.text[0] in "[{" and not any(part.start < one.start and one.end <= part.end for one in parts)


def _part(part: Subexpression, sheet: TextWriter, begin: int) -> Iterator[str]:
    text = " ".join(part.text.split())
    if part.error is not None:
        yield from _value_lines("error", "error", text, sheet, begin)
        yield from _indent_lines(part.error, sheet, begin + VALUE_WIDTH, "error")
    elif isinstance(part.value, bool):
        yield from _value_lines("true" if part.value else "false", STYLES[part.value], text, sheet, begin)
    else:
        room = max(sheet.width - begin - 2, MIN_TEXT_WIDTH)
        value = truncate(format_value(part.value), min(room, MAX_VALUE_LENGTH))
        yield from _indent_lines(f"{text} = {value}", sheet, begin, None)


def _value_lines(word: str, style: Style, text: str, sheet: TextWriter, begin: int) -> Iterator[str]:
    room = max(sheet.width - begin - VALUE_WIDTH, MIN_TEXT_WIDTH)
    for number, line in enumerate(_lines(text, first=room, rest=room)):
        head = " " * VALUE_WIDTH if number else sheet.paint(word, style) + " " * (VALUE_WIDTH - len(word))
        yield f"{' ' * begin}{head}{line}\n"


def _indent_lines(text: str, sheet: TextWriter, begin: int, style: Style | None) -> Iterator[str]:
    room = max(sheet.width - begin, MIN_TEXT_WIDTH)
    for number, line in enumerate(_lines(text, first=room, rest=room - INDENT_STEP)):
        yield f"{' ' * (begin + INDENT_STEP * (number > 0))}{sheet.paint_text(line, style)}\n"


def _lines(text: str, *, first: int, rest: int) -> Iterator[str]:
    """The lines of an expression; words that are too long break before a dot, or else anywhere."""
    for number, line in enumerate(wrap_text(escape_text(text), first=first, rest=rest)):
        room = rest if number else first
        while width_of(line) > room:
            kept = truncate(line, room)[:-1]
            at = kept.rfind(".", 1)
            at = at if at > 0 else len(kept)
            yield line[:at]
            line = line[at:]
        yield line


def format_value(value: Any) -> str:
    """A value of the state on one line; items are shown by their names and quantities."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "displayName" in one for one in value):
        return f"[{', '.join(map(_format_item, value))}]"
    return json.dumps(json_state(value), ensure_ascii=False)


def _format_item(item: Mapping[str, Any]) -> str:
    return f"{item['quantity']} {item['displayName']}" if "quantity" in item else str(item["displayName"])


DETAIL_INDENT = INDENT + LABEL_WIDTH
MAX_NAMES = 4
"""Maximum number of upsells named per reason in the short form."""
OUTCOME_PHRASES = {"SINGLE_TARGET": "means", "INVALID_ITEM": "is not available; there is", "DISAMBIGUATION": "may mean"}


@dataclass
class SessionReport:
    """Prints a session; with `reasons`, also the parts of conditions and the origins of values.

    `language` is that of the previous turn.
    """

    writer: TextWriter
    reasons: bool = True
    language: str = ""
    _trees: dict[str, tuple[int, Sequence[Subexpression]]] = field(default_factory=dict)

    def turn(self, turn: Turn) -> Iterator[str]:
        """The lines of a turn."""
        word = f"turn {turn.number}" if turn.number else "welcome"
        yield from self.writer.title(word, turn.customer if turn.number else turn.language)
        if turn.number and turn.language != self.language:
            yield from self.writer.labelled_lines("speaks", turn.language)
        self.language = turn.language
        for mapped in turn.mapped_terms:
            yield from self._understanding(mapped)
        if turn.silence is not None:
            yield from self.writer.labelled_lines("says", f"nothing: {turn.silence}", "gutter")
        for utterance in turn.utterances:
            yield from self._utterance(utterance, turn.language)
        yield from self.upsells(turn)
        if turn.number:
            yield from order_lines(turn.order, self.writer)
        yield "\n"

    def upsells(self, turn: Turn, name: str | None = None) -> Iterator[str]:
        """The offers of a turn and the skipped upsells: all, or those with a name."""
        conditions = {id(condition.upsell): condition for condition in turn.conditions}
        offered = [offer for offer in turn.offers if name in (None, upsell_name(offer.upsell))]
        passed = [
            skipped_upsell for skipped_upsell in turn.skipped if name in (None, upsell_name(skipped_upsell.upsell))
        ]
        for offer in offered:
            yield from self._offer(offer)
            yield from self._condition(conditions.get(id(offer.upsell)), turn.number)
        if name is None and not any(offer.kind != "suggestion" for offer in turn.offers):
            yield from self.writer.labelled_lines("offers", "nothing", "gutter")
        if not self.reasons:
            yield from self._summarize_skipped(passed)
            return
        for skipped_upsell in passed:
            yield from self._skipped(skipped_upsell)
            yield from self._condition(conditions.get(id(skipped_upsell.upsell)), turn.number)

    def _summarize_skipped(self, passed: Sequence[SkippedUpsell]) -> Iterator[str]:
        """The skipped upsells, grouped by reason."""
        alike: dict[str, list[str]] = {}
        for skipped_upsell in passed:
            alike.setdefault(skipped_upsell.reason, []).append(upsell_name(skipped_upsell.upsell))
        for reason, names in alike.items():
            named = [f'"{name}"' for name in names[:MAX_NAMES]]
            named += [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
            yield from self.writer.labelled_lines(
                "skips", f"{' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}: {reason}"
            )

    def _understanding(self, mapped: MappedTerm) -> Iterator[str]:
        link, phrase = " and " if mapped.kind == "SINGLE_TARGET" else " or ", OUTCOME_PHRASES[mapped.kind]
        # the quantity of a target is shown if it is not one
        targets = link.join(line_item_text(target).removeprefix("1 ") for target in mapped.targets)
        meaning = f"{phrase} {targets}" if targets else phrase.partition(";")[0]
        yield from self.writer.labelled_lines("hears", f'"{mapped.heard}" {meaning}')
        yield from self._origin(mapped.origin)

    def _utterance(self, said: Utterance, spoken: str) -> Iterator[str]:
        label = "gets" if said.kind == "instruction" else "says"
        yield from self.writer.labelled_lines(label, said.text, "rule")
        if self.reasons or said.language not in (None, spoken):
            kind = said.kind.replace("-", " ")
            yield from self.writer.labelled_lines("", f"{kind} in {said.language}" if said.language else kind, "gutter")
        yield from self._origin(said.origin)

    def _offer(self, offer: Offer) -> Iterator[str]:
        label = "shows" if offer.kind == "suggestion" else "offers"
        items = " or ".join(offer.items)
        with_ = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
        made = f"{items}{with_} ({upsell_name(offer.upsell)})" if items else upsell_name(offer.upsell)
        yield from self.writer.labelled_lines(label, made, "clean")
        yield from self.writer.labelled_lines("", offer.reason)
        yield from self._origin(offer.origin)

    def _skipped(self, skipped_upsell: SkippedUpsell) -> Iterator[str]:
        reasons = "; ".join(reason.text for reason in skipped_upsell.reasons)
        yield from self.writer.labelled_lines("skips", f"{upsell_name(skipped_upsell.upsell)}: {reasons}")
        yield from self._origin(skipped_upsell.origin)

    def _origin(self, origin: Origin) -> Iterator[str]:
        if self.reasons:
            yield from self.writer.labelled_lines("", origin_text(origin), "place")

    def _condition(self, condition: EvaluatedCondition | None, turn: int) -> Iterator[str]:
        """The parts of a condition; if its values are unchanged, a reference to the earlier turn."""
        if not self.reasons or condition is None or not condition.parts:
            return
        before = self._trees.get(upsell_name(condition.upsell))
        if before and before[1] == condition.parts and before[0] != turn:
            yield from self.writer.labelled_lines("", f"all operands as in turn {before[0]}", "gutter")
            return
        self._trees[upsell_name(condition.upsell)] = turn, condition.parts
        yield from condition_tree(condition.parts, self.writer, begin=DETAIL_INDENT)


def session_header(
    title: str,
    session: Session,
    begin: datetime,
    settings: Sequence[SetState],
    sheet: TextWriter,
    *,
    with_instructions: bool,
) -> Iterator[str]:
    """The start of a session: seed, time, state, and what the agent receives and can do.

    Customer terms that are never recognized are shown with the reason.
    """
    yield from sheet.title(title, f"seed {session.seed}, {format_time(begin)}")
    for setting in settings:
        yield from sheet.labelled_lines("client", f"{'.'.join(setting.path)} = {format_value(setting.value)}")
    if with_instructions:
        yield from agent_instructions(session, sheet)
    else:
        words = f"{pluralize(len(session.instructions), 'instruction')} and {pluralize(len(session.tools), 'tool')}"
        yield from sheet.labelled_lines("agent", f"receives {words}; --instructions shows them", "gutter")
    for term in session.unreachable_terms:
        yield from sheet.labelled_lines("unused", f'"{term.term}": {term.reason}')
        yield from sheet.labelled_lines("", origin_text(term.origin), "place")
    yield "\n"


def agent_instructions(session: Session, sheet: TextWriter) -> Iterator[str]:
    """The instructions and tools of the agent, with their origins."""
    for instruction in session.instructions:
        for number, line in enumerate(instruction.text.strip("\n").split("\n")):
            depth = len(line) - len(line.lstrip(" "))
            yield from sheet.labelled_lines("" if number else "gets", line, depth=depth)
        yield from sheet.labelled_lines("", origin_text(instruction.origin), "place")
    for tool in session.tools:
        yield from sheet.labelled_lines("tool", f"{tool.name}: {tool.description}")
        yield from sheet.labelled_lines("", origin_text(tool.origin), "place")


def order_lines(order: Sequence[OrderLineItem], sheet: TextWriter) -> Iterator[str]:
    """The order with its price."""
    if not order:
        yield from sheet.labelled_lines("order", "nothing", "gutter")
        return
    rows = [
        [line_item_text(order_line_item), _price(order_line_item.item.price * order_line_item.quantity)]
        for order_line_item in order
    ]
    rows += [["total", _price(order_total(order))]] if len(order) > 1 and order_total(order) else []
    room = sheet.width - DETAIL_INDENT
    if max(width_of(text) for text, _ in rows) + 2 + max(width_of(price) for _, price in rows) > room:
        lines = [f"{text}  {price}".rstrip() for text, price in rows]
    else:
        lines = [join_cells(cells) for cells in align_if_wide_enough(rows, width=room, right=[1])]
    for number, line in enumerate(lines):
        yield from sheet.labelled_lines("" if number else "order", line)


def order_total(order: Sequence[OrderLineItem]) -> float:
    """The total price of an order."""
    return sum(order_line_item.item.price * order_line_item.quantity for order_line_item in order)


def _price(price: float) -> str:
    return f"{price:.2f}" if price else ""


def line_item_text(item: OrderLineItem) -> str:
    """An order line: `2 Classic Smash with No Onions`."""
    modifiers = f" with {', '.join(modifier.name for modifier in item.modifiers)}" if item.modifiers else ""
    return f"{item.quantity} {item.item.name}{modifiers}"


def origin_text(origin: Origin) -> str:
    """The location of a value."""
    return f"{origin.path}:{origin.line}"

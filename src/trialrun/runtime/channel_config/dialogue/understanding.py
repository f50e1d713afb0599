"""Understanding of customer text by the disambiguation mappings of a store, and the replies to it, in plain English.

While a question of the agent is open, words that only one of its targets has are an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatch, PhraseMatcher, find_phrases
from trialrun.runtime.channel_config.menu import Item, Modifier, NotOnMenuError, OrderLineItem, normalize_name
from trialrun.runtime.channel_config.session.turn import MappedTerm, Utterance
from trialrun.values.normalize import Word, normalize_words, tokenize

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping, TargetItem, TargetModifier
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.effective import Origin
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.session.turn import MappedTermKind


class OriginOf(Protocol):
    """Where a message, or what steps lead to from it, comes from."""

    def __call__(self, node: Node, *steps: str | int) -> Origin:
        """The origin, which has the file and the line."""


@dataclass(frozen=True, slots=True)
class Term:
    """A customer term of a mapping, with the order lines of its targets."""

    mapping: DisambiguationMapping
    index: int
    targets: tuple[OrderLineItem, ...]
    kind: MappedTermKind

    @property
    def text(self) -> str:
        """The term as it is written."""
        return (self.mapping.customerTerms or [])[self.index]


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """The name of one target of an ambiguous term, in which the term is: there is nothing to ask."""

    term: Term
    target: OrderLineItem


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that tell one target of a question from the others."""

    asked: MappedTerm
    target: OrderLineItem


@dataclass(frozen=True, slots=True)
class OtherItem:
    """The name of an item in which words of something else are: that is not what the customer speaks of."""

    name: tuple[str, ...]


Meaning = Term | NamedTarget | Answer | OtherItem


@dataclass(frozen=True, slots=True)
class UnreachableTerm:
    """A term that never means anything: an earlier mapping has it, or no word is in it; `reason` says which."""

    term: str
    reason: str
    origin: Origin


def build_phrases(
    mappings: Sequence[DisambiguationMapping], menu: BrandMenu, origin_of: OriginOf
) -> tuple[PhraseMatcher[Meaning], tuple[UnreachableTerm, ...]]:
    """The terms of mappings and the names with a term in them, and the terms that never mean anything."""
    matcher: PhraseMatcher[Meaning] = PhraseMatcher()
    terms: list[Term] = []
    unreachable: list[UnreachableTerm] = []
    for term in _terms(mappings, menu):
        phrase = normalize_words(term.text)
        meaning = matcher.add(phrase, term) if phrase else None
        if meaning is term:
            terms.append(term)
        elif meaning is None or not _is_same_mapping(meaning, term):
            origin = origin_of(term.mapping, "customerTerms", term.index)
            unreachable.append(UnreachableTerm(term.text, _why_unreachable(meaning), origin))
    for name, meaning in list(_item_names(matcher, terms, menu)):
        matcher.add(name, meaning)
    return matcher, tuple(unreachable)


def _terms(mappings: Sequence[DisambiguationMapping], menu: BrandMenu) -> Iterator[Term]:
    for mapping in mappings:
        kind = mapping.type
        if kind is None or kind == "TYPE_UNSPECIFIED":
            continue
        lines = target_line_items(mapping, menu)
        yield from (Term(mapping, index, lines, kind) for index in range(len(mapping.customerTerms or ())))


def _is_same_mapping(meaning: Meaning, term: Term) -> bool:
    return isinstance(meaning, Term) and meaning.mapping is term.mapping


def _why_unreachable(meaning: Meaning | None) -> str:
    if not isinstance(meaning, Term):
        return "it contains no word that a customer could say"
    names = ", ".join(line.item.name for line in meaning.targets)
    target = {"INVALID_ITEM": "an invalid item", "DISAMBIGUATION": f"one of {names}"}.get(meaning.kind, names)
    return f"an earlier mapping already maps it to {target}"


def _item_names(
    matcher: PhraseMatcher[Meaning], terms: Sequence[Term], menu: BrandMenu
) -> Iterator[tuple[tuple[str, ...], Meaning]]:
    """The names of items and targets in which a shorter term is, and what they mean."""
    names = [*(line.item.name for term in terms for line in term.targets), *(item.name for item in menu.items)]
    for name in dict.fromkeys(names):
        words = normalize_words(name)
        terms = [meaning for meaning in matcher.meanings_in(words) if isinstance(meaning, Term)]
        if terms:
            yield words, next((means for term in terms if (means := _name_meaning(term, name))), OtherItem(words))


def _name_meaning(term: Term, name: str) -> Meaning | None:
    """What the name of a target means that has the term in it; None if the item is not a target to be had."""
    line_items = [line for line in term.targets if line.item.name == name]
    if not line_items or term.kind == "INVALID_ITEM":
        return None
    return term if term.kind == "SINGLE_TARGET" or len(line_items) > 1 else NamedTarget(term, line_items[0])


def target_line_items(mapping: DisambiguationMapping, menu: BrandMenu) -> tuple[OrderLineItem, ...]:
    """The order lines of a mapping's targets, by the menu where it has them, else as they are written."""
    return tuple(_line_item(target, menu) for target in mapping.targets or ())


def _line_item(target: TargetItem, menu: BrandMenu) -> OrderLineItem:
    """What a target orders, without the modifiers that its item does not take."""
    item = _item(target, menu)
    candidates, takes_any = menu.modifiers_of(item), menu.takes_any_modifier(item)
    found = [(modifier, _modifier(modifier, candidates)) for modifier in target.modifiers or ()]
    modifiers = tuple(on_menu or _as_written(modifier) for modifier, on_menu in found if on_menu or takes_any)
    return OrderLineItem(item, 1, modifiers)


def _item(target: TargetItem, menu: BrandMenu) -> Item:
    """The item of a target: by its name, else by its id."""
    for text in (target.itemName, target.itemId):
        try:
            if text and (item := menu.item(text)).id == (target.itemId or item.id):
                return item
        except NotOnMenuError:
            continue
    return Item(target.itemName or target.itemId or "", target.itemId or "", 0.0)


def _modifier(target: TargetModifier, candidates: Sequence[Modifier]) -> Modifier | None:
    """The modifier that fits all that is written of it."""
    return next((candidate for candidate in candidates if _matches(target, candidate)), None)


def _as_written(target: TargetModifier) -> Modifier:
    return Modifier(
        target.modifierName or "",
        target.modifierId or "",
        target.modifierGroupName or "",
        target.modifierGroupId or "",
    )


def _matches(target: TargetModifier, modifier: Modifier) -> bool:
    texts = (target.modifierName, target.modifierId, target.modifierGroupName, target.modifierGroupId)
    fields = (
        (modifier.name, modifier.other_name, modifier.semantic_name),
        (modifier.id,),
        (modifier.group, *modifier.group_names),
        (modifier.group_id,),
    )
    return all(
        not text or normalize_name(text) in map(normalize_name, names)
        for text, names in zip(texts, fields, strict=True)
    )


PARTICLES = (
    "a an and at by for from in no not of on or the to with without "
    "al con de del e el en i la las le les los o ou para per por sin u un una y "
    "au aux avec ce cette des du et l d pour sans sur une "
    "das dem den der die ein eine einen im mit oder ohne und zu "
    "com da do dos em na um uma di il lo gli senza"
)
"""Words that tell no item from another, though only one of the names may have them."""


def answer_phrases(pending: Sequence[MappedTerm]) -> PhraseMatcher[Meaning]:
    """The words that tell the targets of the open questions apart; those of the last question come first."""
    phrases: PhraseMatcher[Meaning] = PhraseMatcher()
    for question in reversed(pending):
        for target, part in distinguish(question.targets):
            phrases.add(part, Answer(question, target))
    return phrases


def other_item_phrases(phrases: PhraseMatcher[Meaning], names: Iterable[tuple[str, ...]]) -> PhraseMatcher[Meaning]:
    """The names of items in which an answer is, as "vanilla" is in "vanilla cone"."""
    matcher: PhraseMatcher[Meaning] = PhraseMatcher()
    first_words = phrases.root.next.keys()
    for name in names:
        if not first_words.isdisjoint(name) and any(True for _ in phrases.meanings_in(name)):
            matcher.add(name, OtherItem(name))
    return matcher


def distinguish(lines: Sequence[OrderLineItem]) -> Iterator[tuple[OrderLineItem, tuple[str, ...]]]:
    """What tells each of several order lines from the others, word for word.

    It is the name of the item, where no other line has it, and every row of words of that name or of a modifier's
    that no other line has in such a name.
    """
    names = [line.item.name for line in lines]
    rows = [set(_word_sequences(line)) for line in lines]
    for index, line in enumerate(lines):
        rows_of_others = set().union(*rows[:index], *rows[index + 1 :])
        if names.count(line.item.name) == 1:
            yield line, normalize_words(line.item.name)
        yield from ((line, row) for row in _word_sequences(line) if row not in rows_of_others and _distinguishes(row))


def _distinguishes(row: Sequence[str]) -> bool:
    return not set(row).issubset(PARTICLES.split())


def _word_sequences(line: OrderLineItem) -> Iterator[tuple[str, ...]]:
    """Every row of words inside the name of the item, or of a modifier."""
    for name in (line.item.name, *(modifier.name for modifier in line.modifiers)):
        words = normalize_words(name)
        for start in range(len(words)):
            yield from (words[start:end] for end in range(start + 1, len(words) + 1))


def question_text(mapped: MappedTerm) -> str:
    """The question among the targets of an ambiguous term."""
    names = [describe_line(line) for line in mapped.targets]
    return f'By "{mapped.heard}", do you mean {join_names(names, "or")}?'


def invalid_item_text(mapped: MappedTerm) -> str:
    """The answer to a term of an invalid item, with the alternatives that its targets are."""
    refusal = f'Sorry, we do not have "{mapped.heard}".'
    names = [describe_line(line) for line in mapped.targets]
    return f"{refusal} We do have {join_names(names, 'and')}." if names else refusal


def describe_line(line: OrderLineItem) -> str:
    """An order line in words: the item, and its modifiers."""
    modifiers = [modifier.name for modifier in line.modifiers]
    return f"{line.item.name} with {join_names(modifiers, 'and')}" if modifiers else line.item.name


def join_names(names: Sequence[str], last: str) -> str:
    """Names in a row, with a word before the last one."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True)
class Understanding:
    """The mappings of a store, ready to listen: made once for a store by `build_understanding`.

    `names` are those of the menu's items, in words; `unreachable_terms` never mean anything.
    """

    phrases: PhraseMatcher[Meaning]
    unreachable_terms: tuple[UnreachableTerm, ...]
    names: tuple[tuple[str, ...], ...]
    origin_of: OriginOf

    def understand(
        self, text: str, *, language: str | None = None, pending: Sequence[MappedTerm] = ()
    ) -> tuple[MappedTerm, ...]:
        """What a text means, in the order of its words.

        `language` is the customer's, for the words of numbers; `pending` are the questions that wait for an answer,
        of which the words that tell one target from the others are heard as well.
        """
        tokens = tokenize(text)
        matchers = [self.phrases]
        if pending:
            answers = answer_phrases(pending)
            matchers = [answers, self.phrases, other_item_phrases(answers, self.names)]
        matches = find_phrases(matchers, [word.text for word in tokens], language)
        return tuple(
            mapped for match in matches if (mapped := self._mapped_term(match, _spoken_text(text, tokens, match)))
        )

    def _mapped_term(self, match: PhraseMatch[Meaning], spoken_text: str) -> MappedTerm | None:
        match match.meaning:
            case Answer(question, target):
                quantity = match.quantity if match.has_quantity else target.quantity
                ordered = OrderLineItem(target.item, quantity, target.modifiers)
                return MappedTerm(question.term, spoken_text, "SINGLE_TARGET", (ordered,), None, question.origin)
            case NamedTarget(term, target):
                return MappedTerm(
                    term.text, spoken_text, "SINGLE_TARGET", _multiply((target,), match), None, self._origin(term)
                )
            case OtherItem():
                return None
            case term:
                lines, instruction = _multiply(term.targets, match), term.mapping.customInstruction
                return MappedTerm(term.text, spoken_text, term.kind, lines, instruction, self._origin(term))

    def _origin(self, term: Term) -> Origin:
        return self.origin_of(term.mapping, "customerTerms", term.index)

    def replies(self, mapped: MappedTerm) -> tuple[Utterance, ...]:
        """What the agent says to what it heard: its question or refusal, then the custom instruction it is to use.

        The texts of questions and refusals are plain English that stand for the conversational model's, without a
        language of their own.
        """
        utterances: list[Utterance] = []
        if mapped.kind == "DISAMBIGUATION":
            utterances.append(Utterance(question_text(mapped), "question", None, mapped.origin))
        elif mapped.kind == "INVALID_ITEM":
            utterances.append(Utterance(invalid_item_text(mapped), "invalid-item", None, mapped.origin))
        term = self.phrases.meaning(normalize_words(mapped.term))
        if mapped.instruction and isinstance(term, Term):
            origin = self.origin_of(term.mapping, "customInstruction")
            utterances.append(Utterance(mapped.instruction, "instruction", None, origin))
        return tuple(utterances)


def build_understanding(
    mappings: Sequence[DisambiguationMapping], menu: BrandMenu, origin_of: OriginOf
) -> Understanding:
    """The mappings of a store, in their effective order, ready to listen."""
    phrases, unheard = build_phrases(mappings, menu, origin_of)
    return Understanding(phrases, unheard, tuple(normalize_words(item.name) for item in menu.items), origin_of)


def understand(
    text: str,
    mappings: Sequence[DisambiguationMapping],
    menu: BrandMenu,
    origin_of: OriginOf,
    *,
    language: str | None = None,
    pending: Sequence[MappedTerm] = (),
) -> list[MappedTerm]:
    """What a text means by some mappings; to listen more than once, make a `Understanding` once."""
    return list(build_understanding(mappings, menu, origin_of).understand(text, language=language, pending=pending))


def is_answered(question: MappedTerm, ordered: Sequence[OrderLineItem]) -> bool:
    """Whether a question is answered by what was ordered: one of its targets is among it."""
    names = {target.item.name for target in question.targets}
    return any(line_item.item.name in names for line_item in ordered)


def _spoken_text(text: str, tokens: Sequence[Word], match: PhraseMatch[Meaning]) -> str:
    return text[tokens[match.start].start : tokens[match.end - 1].end]


def _multiply(targets: Sequence[OrderLineItem], match: PhraseMatch[Meaning]) -> tuple[OrderLineItem, ...]:
    return tuple(OrderLineItem(target.item, target.quantity * match.quantity, target.modifiers) for target in targets)


__all__ = ["Understanding", "build_understanding", "is_answered", "understand"]

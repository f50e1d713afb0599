"""Understanding of customer text by the disambiguation mappings of a store, and the replies to it, in plain English.

While a question of the agent is open, words that only one of its targets has are an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, cast

from trialrun.runtime.channel_config.active_config import FromOrigin, Origin
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatch, PhraseMatcher, find_phrases
from trialrun.runtime.channel_config.menu import (
    BrandMenu,
    Item,
    Modifier,
    NotOnMenuError,
    OrderLineItem,
    normalize_name,
)
from trialrun.runtime.channel_config.session.turn import MappedTerm, MappedTermKind, Utterance
from trialrun.values import join_words
from trialrun.values.normalize import normalize_words, tokenize

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping, TargetItem, TargetModifier


OriginOf = Callable[..., Origin]
"""Where a message, or what steps lead to from it, comes from."""


@dataclass(frozen=True, slots=True)
class Term:
    """A customer term of a mapping, with the order lines of its targets, and the instruction for it.

    It also stands for the name of one target of an ambiguous term, in which the term is: there is nothing to ask.
    """

    mapping: DisambiguationMapping
    index: int
    targets: tuple[OrderLineItem, ...]
    kind: MappedTermKind
    instruction: str | None

    @property
    def text(self) -> str:
        """The term as it is written."""
        return (self.mapping.customerTerms or [])[self.index]


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that tell one target of a question from the others."""

    asked: MappedTerm
    target: OrderLineItem


OTHER_ITEM: Final = "other item"
"""The name of an item in which words of something else are: that is not what the customer speaks of."""
Meaning = Term | Answer | Literal["other item"]


@dataclass(frozen=True, slots=True)
class UnreachableTerm:
    """A customer term that is never recognized."""

    term: str
    reason: str
    """An earlier mapping has it, or no word is in it."""
    origin: FromOrigin


def _terms(mappings: Sequence[DisambiguationMapping], menu: BrandMenu) -> Iterator[Term]:
    for mapping in mappings:
        if mapping.type is None or mapping.type == "TYPE_UNSPECIFIED":
            continue
        lines = tuple(_line_item(target, menu) for target in mapping.targets or ())
        for index in range(len(mapping.customerTerms or ())):
            yield Term(mapping, index, lines, mapping.type, mapping.customInstruction)


def _why_unreachable(earlier: Term | None) -> str:
    if earlier is None:
        return "it contains no word that a customer could say"
    names = ", ".join(line.item.name for line in earlier.targets)
    target = {"INVALID_ITEM": "an invalid item", "DISAMBIGUATION": f"one of {names}"}.get(earlier.kind, names)
    return f"an earlier mapping already maps it to {target}"


def _name_meaning(term: Term, name: str) -> Term | None:
    """What the name of a target means that has the term in it; None if the item is not a target to be had."""
    line_items = tuple(line for line in term.targets if line.item.name == name)
    if not line_items or term.kind == "INVALID_ITEM":
        return None
    if term.kind == "SINGLE_TARGET" or len(line_items) > 1:
        return term
    return replace(term, targets=line_items, kind="SINGLE_TARGET", instruction=None)


def _line_item(target: TargetItem, menu: BrandMenu) -> OrderLineItem:
    """What a target orders, by the menu where it has it, without the modifiers that its item does not take."""
    item = Item(target.itemName or target.itemId or "", target.itemId or "", 0.0)
    for text in filter(None, (target.itemName, target.itemId)):
        try:
            if (found := menu.item(text)).id == (target.itemId or found.id):
                item = found
                break
        except NotOnMenuError:
            continue
    modifiers: list[Modifier] = []
    for written in target.modifiers or ():
        on_menu = next((modifier for modifier in menu.modifiers_of(item) if _matches(written, modifier)), None)
        if on_menu:
            modifiers.append(on_menu)
        elif menu.takes_any_modifier(item):
            name, id_, group, group_id = (text or "" for text in _texts(written))
            modifiers.append(Modifier(name, id_, group, group_id))
    return OrderLineItem(item, 1, tuple(modifiers))


def _texts(target: TargetModifier) -> tuple[str | None, ...]:
    return target.modifierName, target.modifierId, target.modifierGroupName, target.modifierGroupId


def _matches(target: TargetModifier, modifier: Modifier) -> bool:
    fields = (
        (modifier.name, modifier.other_name, modifier.semantic_name),
        (modifier.id,),
        (modifier.group, *modifier.group_names),
        (modifier.group_id,),
    )
    return all(
        not text or normalize_name(text) in map(normalize_name, names)
        for text, names in zip(_texts(target), fields, strict=True)
    )


PARTICLES = (
    "a an and at by for from in no not of on or the to with without "
    "al con de del e el en i la las le les los o ou para per por sin u un una y "
    "au aux avec ce cette des du et l d pour sans sur une "
    "das dem den der die ein eine einen im mit oder ohne und zu "
    "com da do dos em na um uma di il lo gli senza"
)
"""Words that tell no item from another, though only one of the names may have them."""


def distinguish(lines: Sequence[OrderLineItem]) -> Iterator[tuple[OrderLineItem, tuple[str, ...]]]:
    """What tells each of several order lines from the others, word for word.

    It is the name of the item, where no other line has it, and every row of words of that name or of a modifier's
    that no other line has in such a name, if it has more than particles.
    """
    names, particles = [line.item.name for line in lines], frozenset(PARTICLES.split())
    rows = [list(_word_sequences(line)) for line in lines]
    for index, line in enumerate(lines):
        rows_of_others = {row for others in (*rows[:index], *rows[index + 1 :]) for row in others}
        if names.count(line.item.name) == 1:
            yield line, normalize_words(line.item.name)
        for row in rows[index]:
            if row not in rows_of_others and not particles.issuperset(row):
                yield line, row


def _word_sequences(line: OrderLineItem) -> Iterator[tuple[str, ...]]:
    for name in (line.item.name, *(modifier.name for modifier in line.modifiers)):
        words = normalize_words(name)
        for start in range(len(words)):
            yield from (words[start:end] for end in range(start + 1, len(words) + 1))


def _describe_line(line: OrderLineItem) -> str:
    """An order line in words: the item, and its modifiers."""
    modifiers = [modifier.name for modifier in line.modifiers]
    return f"{line.item.name} with {join_words(modifiers)}" if modifiers else line.item.name


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
            answers: PhraseMatcher[Meaning] = PhraseMatcher()
            for question in reversed(pending):  # those of the last question come first
                for target, part in distinguish(question.targets):
                    answers.add(part, Answer(question, target))
            # the names of items in which an answer is, as "vanilla" is in "vanilla cone"
            others: PhraseMatcher[Meaning] = PhraseMatcher()
            first_words = answers.root.next.keys()
            for name in self.names:
                if not first_words.isdisjoint(name) and any(True for _ in answers.meanings_in(name)):
                    others.add(name, OTHER_ITEM)
            matchers = [answers, self.phrases, others]
        matches = find_phrases(matchers, [word.text for word in tokens], language)
        mapped = (
            self._mapped_term(match, text[tokens[match.start].start : tokens[match.end - 1].end]) for match in matches
        )
        return tuple(filter(None, mapped))

    def _mapped_term(self, match: PhraseMatch[Meaning], heard: str) -> MappedTerm | None:
        meaning = match.meaning
        if isinstance(meaning, Answer):
            question, target = meaning.asked, meaning.target
            ordered = OrderLineItem(target.item, match.quantity or target.quantity, target.modifiers)
            return MappedTerm(question.term, heard, "SINGLE_TARGET", (ordered,), None, question.origin)
        if meaning == OTHER_ITEM:
            return None
        lines = tuple(
            OrderLineItem(target.item, target.quantity * (match.quantity or 1), target.modifiers)
            for target in meaning.targets
        )
        origin = self.origin_of(meaning.mapping, "customerTerms", meaning.index)
        return MappedTerm(meaning.text, heard, meaning.kind, lines, meaning.instruction, origin)

    def replies(self, mapped: MappedTerm) -> tuple[Utterance, ...]:
        """What the agent says to what it heard: its question or refusal, then the custom instruction it is to use.

        The texts of questions and refusals are plain English that stand for the conversational model's, without a
        language of their own.
        """
        utterances: list[Utterance] = []
        names = [_describe_line(line) for line in mapped.targets]
        if mapped.kind == "DISAMBIGUATION":
            question = f'By "{mapped.heard}", do you mean {join_words(names, "or")}?'
            utterances.append(Utterance(question, "question", None, mapped.origin))
        elif mapped.kind == "INVALID_ITEM":
            alternatives = f" We do have {join_words(names)}." if names else ""
            refusal = f'Sorry, we do not have "{mapped.heard}".{alternatives}'
            utterances.append(Utterance(refusal, "invalid-item", None, mapped.origin))
        term = self.phrases.meaning(normalize_words(mapped.term))
        if mapped.instruction and isinstance(term, Term):
            origin = self.origin_of(term.mapping, "customInstruction")
            utterances.append(Utterance(mapped.instruction, "instruction", None, origin))
        return tuple(utterances)


def build_understanding(
    mappings: Sequence[DisambiguationMapping], menu: BrandMenu, origin_of: OriginOf
) -> Understanding:
    """The mappings of a store, in their effective order, ready to listen."""
    matcher: PhraseMatcher[Term] = PhraseMatcher()
    terms: list[Term] = []
    unreachable: list[UnreachableTerm] = []
    for term in _terms(mappings, menu):
        phrase = normalize_words(term.text)
        meaning = matcher.add(phrase, term) if phrase else None
        if meaning is term:
            terms.append(term)
        elif meaning is None or meaning.mapping is not term.mapping:
            origin = origin_of(term.mapping, "customerTerms", term.index)
            unreachable.append(UnreachableTerm(term.text, _why_unreachable(meaning), origin))
    # the names of items and targets in which a shorter term is
    names = [*(line.item.name for term in terms for line in term.targets), *(item.name for item in menu.items)]
    named: list[tuple[tuple[str, ...], Meaning]] = []
    for name in dict.fromkeys(names):
        words = normalize_words(name)
        if inside := list(matcher.meanings_in(words)):
            targets = (meaning for term in inside if (meaning := _name_meaning(term, name)))
            named.append((words, next(targets, OTHER_ITEM)))
    phrases = cast("PhraseMatcher[Meaning]", matcher)
    for words, means in named:
        phrases.add(words, means)
    words_of_items = tuple(normalize_words(item.name) for item in menu.items)
    return Understanding(phrases, tuple(unreachable), words_of_items, origin_of)


def is_answered(question: MappedTerm, ordered: Sequence[OrderLineItem]) -> bool:
    """Whether a question is answered by what was ordered: one of its targets is among it."""
    names = {target.item.name for target in question.targets}
    return any(line_item.item.name in names for line_item in ordered)

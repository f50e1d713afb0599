"""Understanding of customer text by the disambiguation mappings of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.clarification_answer import answer_phrases, other_item_phrases
from trialrun.runtime.channel_config.dialogue.interpretation import (
    Answer,
    Meaning,
    NamedTarget,
    OtherItem,
    Term,
    UnreachableTerm,
    build_phrases,
)
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatch, PhraseMatcher, find_phrases
from trialrun.runtime.channel_config.dialogue.reply import invalid_item_text, question_text
from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.turn import MappedTerm, Utterance
from trialrun.values.normalize import Word, normalize_words, tokenize

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.origin import Origin


@dataclass(frozen=True)
class Understanding:
    """The mappings of a store, ready to listen: made once for a store by `build_understanding`.

    `names` are those of the menu's items, in words; `unheard` are terms that never mean anything.
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

"""What a customer's words mean by the disambiguation mappings of a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.clarification_answer import answers, others
from trialrun.runtime.channel_config.dialogue.interpretation import Answer, Meaning, Named, Other, Term, Unheard, learnt
from trialrun.runtime.channel_config.dialogue.phrase_matcher import Found, Phrases, found
from trialrun.runtime.channel_config.dialogue.reply import invalid_item, question
from trialrun.runtime.channel_config.menu import Ordered
from trialrun.runtime.channel_config.session.turn import Mapped, Said
from trialrun.values.normalize import Word, plain, words

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.origin import Origin


@dataclass(frozen=True)
class Hearing:
    """The mappings of a store, ready to listen: made once for a store by `hearing`.

    `names` are those of the menu's items, in words; `unheard` are terms that never mean anything.
    """

    phrases: Phrases[Meaning]
    unheard: tuple[Unheard, ...]
    names: tuple[tuple[str, ...], ...]
    origin_of: OriginOf

    def heard(self, text: str, *, language: str | None = None, pending: Sequence[Mapped] = ()) -> tuple[Mapped, ...]:
        """What a text means, in the order of its words.

        `language` is the customer's, for the words of numbers; `pending` are the questions that wait for an answer,
        of which the words that tell one target from the others are heard as well.
        """
        spoken = words(text)
        listening = [self.phrases]
        if pending:
            waiting = answers(pending)
            listening = [waiting, self.phrases, others(waiting, self.names)]
        each = found(listening, [word.text for word in spoken], language)
        return tuple(mapped for one in each if (mapped := self._mapped(one, _said(text, spoken, one))))

    def _mapped(self, one: Found[Meaning], said: str) -> Mapped | None:
        match one.meaning:
            case Answer(asked, target):
                times = one.quantity if one.is_counted else target.quantity
                ordered = Ordered(target.item, times, target.modifiers)
                return Mapped(asked.term, said, "SINGLE_TARGET", (ordered,), None, asked.origin)
            case Named(term, target):
                return Mapped(term.text, said, "SINGLE_TARGET", _times((target,), one), None, self._origin(term))
            case Other():
                return None
            case term:
                lines, instruction = _times(term.targets, one), term.mapping.customInstruction
                return Mapped(term.text, said, term.kind, lines, instruction, self._origin(term))

    def _origin(self, term: Term) -> Origin:
        return self.origin_of(term.mapping, "customerTerms", term.index)

    def replies(self, mapped: Mapped) -> tuple[Said, ...]:
        """What the agent says to what it heard: its question or refusal, then the custom instruction it is to go by.

        The texts of questions and refusals are plain English that stand for the conversational model's, without a
        language of their own.
        """
        told: list[Said] = []
        if mapped.kind == "DISAMBIGUATION":
            told.append(Said(question(mapped), "question", None, mapped.origin))
        elif mapped.kind == "INVALID_ITEM":
            told.append(Said(invalid_item(mapped), "invalid-item", None, mapped.origin))
        term = self.phrases.meaning(plain(mapped.term))
        if mapped.instruction and isinstance(term, Term):
            origin = self.origin_of(term.mapping, "customInstruction")
            told.append(Said(mapped.instruction, "instruction", None, origin))
        return tuple(told)


def hearing(mappings: Sequence[DisambiguationMapping], menu: MenuOfBrand, origin_of: OriginOf) -> Hearing:
    """The mappings of a store, in their effective order, ready to listen."""
    phrases, unheard = learnt(mappings, menu, origin_of)
    return Hearing(phrases, unheard, tuple(plain(item.name) for item in menu.items), origin_of)


def heard(
    text: str,
    mappings: Sequence[DisambiguationMapping],
    menu: MenuOfBrand,
    origin_of: OriginOf,
    *,
    language: str | None = None,
    pending: Sequence[Mapped] = (),
) -> list[Mapped]:
    """What a text means by some mappings; to listen more than once, make a `Hearing` once."""
    return list(hearing(mappings, menu, origin_of).heard(text, language=language, pending=pending))


def is_answered(asked: Mapped, ordered: Sequence[Ordered]) -> bool:
    """Whether a question is answered by what was ordered: one of its targets is among it."""
    names = {target.item.name for target in asked.targets}
    return any(one.item.name in names for one in ordered)


def _said(text: str, spoken: Sequence[Word], one: Found[Meaning]) -> str:
    return text[spoken[one.start].start : spoken[one.end - 1].end]


def _times(targets: Sequence[Ordered], one: Found[Meaning]) -> tuple[Ordered, ...]:
    return tuple(Ordered(target.item, target.quantity * one.quantity, target.modifiers) for target in targets)


__all__ = ["Hearing", "heard", "hearing", "is_answered"]

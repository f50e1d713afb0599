"""What `prove` prints as JSON: the answers of each group of equal stores, as verdicts with what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import DocumentError, MaybeSourced, Severity, document_errors
from trialrun.outputs.replay import SessionExample, example_object
from trialrun.runtime.channel_config.active_config import ConfigOrigin, origin_object

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.prove.verdict import Answer


class RelatedPlace(TypedDict):
    """A place that a proof needs too."""

    message: str
    place: ConfigOrigin


class UndecidedPart(TypedDict):
    """A part of a condition that is not understood."""

    text: str
    reason: str
    start: Annotated[int, Field(description="offset in the condition, in Unicode code points")]
    end: int


class Proof(MaybeSourced):
    """What is proved of an upsell, or of the condition of the command line."""

    question: Literal["offered", "condition-true", "condition-fails", "redundant-operand"]
    upsell: Annotated[str, Field(description="empty for the condition of the command line")]
    verdict: Annotated[
        Literal["never", "possible", "unknown"],
        Field(description="never is a proof; possible was played in a session; of a redundant operand, never changes"),
    ]
    severity: Annotated[Severity | None, Field(description="null if it is as expected")]
    message: str
    related: list[RelatedPlace]
    example: NotRequired[SessionExample]
    premises: Annotated[list[str], Field(description="bounds and assumptions that a proof rests on")]
    unknown_parts: list[UndecidedPart]


class ProvedStores(TypedDict):
    """Stores at which the same is proved, or what prevents that."""

    stores: list[str]
    answers: NotRequired[list[Proof]]
    errors: NotRequired[list[DocumentError]]


class Proved(TypedDict):
    """`trialrun prove --output-format json`."""

    version: Literal[1]
    groups: list[ProvedStores]
    undecided: Annotated[int, Field(ge=0, description="number of answers that are unknown")]


def proved_object(
    groups: Sequence[tuple[Sequence[str], Sequence[Answer], Sequence[Diagnostic]]], access: Sequence[str]
) -> dict[str, Any]:
    """What is proved at groups of equal stores: the titles of each, what is proved, and errors of its documents.

    `access` are the options of which files are read.
    """
    return {
        "version": 1,
        "groups": [
            {
                "stores": list(titles),
                **(
                    {"errors": document_errors(errors)}
                    if errors
                    else {"answers": [_proof(answer, titles[0], access) for answer in answers]}
                ),
            }
            for titles, answers, errors in groups
        ],
        "undecided": sum(answer.verdict == "unknown" for _, answers, _ in groups for answer in answers),
    }


def _proof(answer: Answer, store: str, access: Sequence[str]) -> dict[str, Any]:
    parts = [{"text": one.text, "reason": one.reason, "start": one.start, "end": one.end} for one in answer.parts]
    return {
        "question": answer.question,
        "upsell": answer.upsell,
        "verdict": answer.verdict,
        "severity": answer.severity,
        "message": answer.message,
        **({"from": origin_object(answer.origin)} if answer.origin else {}),
        "related": [{"message": text, "place": origin_object(origin)} for text, origin in answer.related],
        **({"example": example_object(answer.example, store, access)} if answer.example else {}),
        "premises": list(answer.premises),
        "unknown_parts": parts,
    }

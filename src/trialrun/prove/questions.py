"""The questions about conditions: can it be true, can it fail, is it always true, which operands change nothing."""

from __future__ import annotations

from collections.abc import Iterator

import z3

from trialrun.prove.encode import Encoding
from trialrun.prove.reads import Unsupported
from trialrun.prove.verdict import Situation, Unknown, Verdict
from trialrun.runtime.channel_config.session.condition import compile_condition
from trialrun.values.cel import Node, Program
from trialrun.values.cel.syntax_tree import operands, walk


def can_be_true(condition: str, situation: Situation) -> Verdict:
    """Whether some session makes a condition true; the condition compiles with the situation's schema."""
    return _ask(condition, situation, True)


def can_be_false(condition: str, situation: Situation) -> Verdict:
    """Whether some session makes a condition false."""
    return _ask(condition, situation, False)


def can_be_error(condition: str, situation: Situation) -> Verdict:
    """Whether the evaluation of a condition can fail."""
    return _ask(condition, situation, None)


def _ask(condition: str, situation: Situation, wanted: bool | None) -> Verdict:
    try:
        encoding = Encoding(situation, [condition])
    except Unsupported as reason:
        return Unknown(str(reason))
    truth = encoding.truth(condition)
    goal = truth.error if wanted is None else truth.true if wanted else truth.false
    return encoding.decide(goal, lambda witness: encoding.value(condition, witness) is wanted)


def can_be_untrue(condition: str, situation: Situation) -> Verdict:
    """Whether a condition can be false or fail; if never, it is always true."""
    try:
        encoding = Encoding(situation, [condition])
    except Unsupported as reason:
        return Unknown(str(reason))
    goal = z3.Not(encoding.truth(condition).true)
    return encoding.decide(goal, lambda witness: encoding.value(condition, witness) is not True)


def differ(first: str, second: str, situation: Situation) -> Verdict:
    """Whether some session makes exactly one of two conditions true; if never, both trigger alike."""
    try:
        encoding = Encoding(situation, [first, second])
    except Unsupported as reason:
        return Unknown(str(reason))
    return _difference(encoding, first, second)


def _difference(encoding: Encoding, first: str, second: str) -> Verdict:
    goal = z3.Xor(encoding.truth(first).true, encoding.truth(second).true)

    def differs(witness: object) -> bool:
        values = (encoding.value(text, witness) is True for text in (first, second))  # type: ignore[arg-type]
        return len(set(values)) == 2

    return encoding.decide(goal, differs)


def redundant_operands(condition: str, situation: Situation) -> Iterator[tuple[int, int, Verdict]]:
    """Each operand of `&&` and `||` with the verdict whether leaving it out makes a difference: start, end, verdict."""
    program = compile_condition(condition, situation.schema)
    if not isinstance(program, Program):
        return
    shorter = {operand: _without(condition, chain, operand) for chain, operand in _operands(program.tree)}
    try:
        encoding = Encoding(situation, [condition, *shorter.values()])
    except Unsupported as reason:
        yield from ((start, end, Unknown(str(reason))) for start, end in shorter)
        return
    for (start, end), text in shorter.items():
        yield start, end, _difference(encoding, condition, text)


def _operands(tree: Node) -> Iterator[tuple[Node, tuple[int, int]]]:
    for node in walk(tree):
        if node.kind == "operator" and node.name in ("&&", "||"):
            yield from ((node, (operand.start, operand.end)) for operand in operands(node))


def _without(condition: str, chain: Node, operand: tuple[int, int]) -> str:
    """A condition without an operand: in its place is what changes nothing."""
    return condition[: operand[0]] + ("true" if chain.name == "&&" else "false") + condition[operand[1] :]

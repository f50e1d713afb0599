"""The problems of conditions as SMT-LIB, which another solver answers alike."""

import cvc5
import pytest
import z3

from tests.cases import some_of
from tests.prove.brute_force import SITUATION, conditions
from tests.prove.test_traps import NEVER, POSSIBLE
from trialrun.prove.encode import Encoding

TEXTS = [text for text, _ in (*NEVER, *POSSIBLE)] + list(conditions(7, 40))


def answer(problem: str) -> str:
    """What cvc5 says of a problem."""
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{problem}", "problem")
    symbols, found = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        found.append(command.invoke(solver, symbols).strip())
    return next(each for each in reversed(found) if each)


@pytest.mark.generated
@pytest.mark.parametrize("text", some_of(TEXTS))
def test_two_solvers_agree(text: str) -> None:
    encoding = Encoding(SITUATION, [text])
    solver = z3.Solver()
    solver.add(*encoding.facts, encoding.truth(text).true)
    assert answer(solver.to_smt2()) == str(solver.check())

"""Which texts are valid HCL: our reader and hcl/v2, as hcl2json of npm has it, agree on tables and on changed texts."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.parser.test_hcl import INVALID, RECOVERED, VALID, VALUES
from trialrun.parser.hcl import read_hcl

HERE = Path(__file__).parent
NODE = shutil.which("node")
IS_INSTALLED = NODE is not None and (HERE / "npm" / "node_modules" / "@cdktf" / "hcl2json").is_dir()
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(not IS_INSTALLED, reason="needs hcl2json of npm; run .ci/editors"),
]

MUTANTS = 10_000
PIECES = [
    *"{}[]()\"'$%~=:,.?!-+*/<>#\\\n\r\t 0aé\u0301_&|;",
    *("${", "%{", "=>", "...", "for ", "<<E\n", "\nE\n", "/*", "*/", "//", "$${", "\n\n", "::", "null", "1e3"),
]
REFUSED_BY_VALUE = ("Unsuitable value for unary operand", "Failed to recognize the value of this number")
"""What hcl2json refuses since it evaluates: the text is valid."""


def refused(texts: list[str]) -> list[str | None]:
    """Why hcl/v2 refuses each text; None for a valid one."""
    assert NODE
    done = subprocess.run(
        [NODE, HERE / "hcl2json.js"], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    reasons: list[str | None] = json.loads(done.stdout)
    return reasons


def mutant(random: Random, text: str) -> str:
    """The text with one to three tokens removed, added, replaced, repeated or moved."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        tokens = re.findall(r"\w+|\s|.", text)
        at, other = random.randrange(len(tokens) + 1), random.randrange(len(tokens) + 1)
        token = random.choice(PIECES)
        changed = random.choice(([], [token], [token, *tokens[at : at + 1]], tokens[other : other + 1]))
        text = "".join([*tokens[:at], *changed, *tokens[at + 1 :]])
    return text


def is_refused(text: str) -> bool:
    """Whether there is an error that is one to Terraform as well: keys that are there twice in an object are none."""
    return not all(error.is_accepted for error in read_hcl(text).errors)


def test_the_tables_are_those_of_hcl() -> None:
    valid = [*VALID, *(f"v = {expression}\n" for expression in VALUES)]
    assert [text for text, reason in zip(valid, refused(valid), strict=True) if reason] == []
    invalid = [text for text in (*INVALID, *RECOVERED) if is_refused(text)]
    assert [text for text, reason in zip(invalid, refused(invalid), strict=True) if not reason] == []


def test_no_valid_text_is_refused_and_few_invalid_ones_are_accepted() -> None:
    random = Random(33)
    texts = [mutant(random, random.choice(VALID)) for _ in range(MUTANTS)]
    reasons = refused(texts)
    has_errors = [is_refused(text) for text in texts]
    valid = [text for text, reason in zip(texts, reasons, strict=True) if reason is None]
    assert len(valid) > MUTANTS // 10
    assert [text for text, reason, wrong in zip(texts, reasons, has_errors, strict=True) if wrong and not reason] == []
    accepted = [
        reason
        for reason, wrong in zip(reasons, has_errors, strict=True)
        if reason and not wrong and not any(part in reason for part in REFUSED_BY_VALUE)
    ]
    assert len(accepted) <= (MUTANTS - len(valid)) // 100

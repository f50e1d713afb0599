"""The two rules of the document group whose findings no text can show."""

from __future__ import annotations

from trialrun.lint import registry
from trialrun.lint.fault import Fault
from trialrun.lint.unreadable import Unreadable


def test_an_unreadable_file_says_why() -> None:
    (check,) = registry.load("unreadable-file").checks
    (finding,) = check(Unreadable("views/a.yaml", "Permission denied"))
    assert finding.message == "the file cannot be read: Permission denied"


def test_a_fault_of_ours_names_the_rule_and_what_to_do() -> None:
    (check,) = registry.load("internal-error").checks
    (finding,) = check(Fault("cron-syntax", ValueError("no\nmore")))
    assert finding.message.startswith("the rule cron-syntax failed on this file (ValueError: no); please report it")
    assert finding.help is not None
    assert "--ignore cron-syntax" in finding.help

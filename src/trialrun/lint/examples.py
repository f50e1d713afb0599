"""Runs the examples in the documentation of rules, and writes the rule catalog, which is `rules/README.md`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.fix import fixed_text
from trialrun.guarded_path import read_file
from trialrun.lint import registry
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import FileResult
from trialrun.lint.policy import NONE, Policies
from trialrun.lint.policy.packs import MAX_BYTES
from trialrun.lint.policy.policy import Policy
from trialrun.lint.rule import Rule, session_types
from trialrun.lint.rule_docs import HEADING, Example, ExpectedFinding, parse_docs
from trialrun.lint.selection import Selection, default_selection
from trialrun.lint.suppression.apply import apply_suppressions
from trialrun.lint.suppression.suppressors import SuppressionContext
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules
from trialrun.parser import parse
from trialrun.values.suggest import did_you_mean

EXAMPLE_TIME = datetime(2026, 11, 20, tzinfo=UTC)
"""The date at which examples run."""


def example_problems(rule: Rule) -> Iterator[str]:
    """A sentence for each example that does not hold."""
    examples = parse_docs(rule.doc).examples
    for at, problem in check_examples(rule):
        yield f"{rule.id}, example {at + 1} ({examples[at].kind}): {problem}"


def check_examples(rule: Rule, policies: Policies = NONE) -> Iterator[tuple[int, str]]:
    """Problems of the examples of a rule or policy, each with the index of the example."""
    before: tuple[Example, list[Diagnostic]] | None = None
    for at, example in enumerate(parse_docs(rule.doc).examples):
        if example.kind == "fixed":
            yield from ((at, problem) for problem in _fix_problems(example, before))
            continue
        if problem := _reason_not_to_run(example) or _parameter_problem(rule, example, policies):
            yield at, problem
            continue
        diagnostics = example_diagnostics(rule, example, policies)
        before = (example, diagnostics)
        yield from ((at, problem) for problem in _differences(example.expected, diagnostics))


def _reason_not_to_run(example: Example) -> str | None:
    """Why an example cannot be run, or None."""
    from trialrun.lint.policy.policy import kinds_by_message

    if example.model is not None and example.model not in kinds_by_message():
        return f'there is no message "{example.model}"{did_you_mean(example.model, kinds_by_message())}'
    try:
        example.data  # noqa: B018 - raises if the bytes cannot be computed
    except UnicodeError:
        return "it has invalid escapes for bytes"
    return None


def _parameter_problem(rule: Rule, example: Example, policies: Policies) -> str | None:
    """What is wrong with the parameters that an example of a policy sets, or None."""
    if rule.id not in policies.rules or not example.options:
        return None
    from trialrun.lint.policy.policy import parameter_problems

    tables = {rule.id: {name: _parse_option(text) for name, text in example.options}}
    return next((text for _, text, _ in parameter_problems((), tables, policies.all)), None)


def example_diagnostics(rule: Rule, example: Example, policies: Policies = NONE) -> list[Diagnostic]:
    """The findings of the rule in an example."""
    return [
        diagnostic
        for diagnostic in lint_example(rule, example, policies).diagnostics
        if diagnostic.rule in (rule.id, "internal-error")
    ]


def lint_example(rule: Rule, example: Example, policies: Policies = NONE) -> FileResult:
    """The result of linting an example with the default rules, this one, and the example's options."""
    options = {name: _parse_option(text) for name, text in example.options}
    parameters = {rule.id: options} if rule.id in policies.rules else {}
    selection = Selection(
        default_selection().rules | {rule.id}, {}, options, policies=policies, policy_parameters=parameters
    )
    linter = Linter(selection, now=EXAMPLE_TIME, session_types=lambda: session_types(_session_schemas(example)))
    if example.model:
        result = linter.lint_message(example.data, example.file, example.model)
    else:
        result = linter.lint(example.data, example.file, is_explicit=True)
    facts = [fact for fact in result.facts if example.model is None or fact.rule == rule.id]
    locations = FactLocations(lambda path: example.data)
    result.diagnostics += run_workspace_rules(facts, selection, locations, now=EXAMPLE_TIME)
    terms = SuppressionContext(lambda path: selection, EXAMPLE_TIME.date(), True, frozenset({example.file}))
    result.diagnostics = apply_suppressions(result.diagnostics, result.suppressions, terms).kept
    return result


def _parse_option(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def _session_schemas(example: Example) -> Iterator[dict[str, Any]]:
    if "SessionSchema" not in example.text:
        return
    for document in parse(example.data, example.file).documents:
        if isinstance(document.value, dict) and document.value.get("kind") == "SessionSchema":
            yield document.value


def _differences(arrows: tuple[ExpectedFinding, ...], diagnostics: list[Diagnostic]) -> Iterator[str]:
    missing = list(arrows)
    for diagnostic in diagnostics:
        line, message = diagnostic.range.start.line, diagnostic.message
        arrow_found = next(((at, text) for at, text in missing if at == line and text in message), None)
        if arrow_found is None:
            yield f'unexpected finding on line {line}: "{message}"'
        else:
            missing.remove(arrow_found)
    for line, text in missing:
        yield f'no finding on line {line} that says "{text}"'


def _fix_problems(example: Example, before: tuple[Example, list[Diagnostic]] | None) -> Iterator[str]:
    if before is None:
        yield "there is no bad example before it"
        return
    bad, expected = before
    fixes = [diagnostic.fix for diagnostic in expected if diagnostic.fix is not None]
    if not fixes:
        yield "the bad example before it has no fix"
        return
    text = fixed_text(parse(bad.data, bad.file).source, fixes)
    if text.strip() != example.text.strip():
        yield f"the fixes give\n{text}"


HEAD = """# The rules

Generated by `trialrun rules --output-format markdown`; each page is the docstring of the rule's file, and
`trialrun explain ID` prints it. (off): not in the default set.
"""


def rules_markdown() -> str:
    """The whole catalog: a table for each group, and for each shipped policy pack."""
    return "".join(_sections())


def _sections() -> Iterator[str]:
    yield HEAD
    for group in registry.GROUPS:
        rules = [rule for rule in registry.everything() if rule.group == group]
        if rules:
            yield f"\n## {group}\n\n| rule | severity | reports | fix | basis |\n|---|---|---|---|---|\n"
            yield from (_row(rule) for rule in rules)
    yield from _pack_sections()


def _pack_sections() -> Iterator[str]:
    """The sections of the policy packs, which only run if the settings name them."""
    from trialrun.lint.policy.packs import load_policies, policy_files, shipped_packs

    for name in shipped_packs():
        yield f"\n## policies: {name}\n\n"
        yield f'In use with `policies = ["{name}"]` in the settings, or `--policies {name}`.\n\n'
        yield "| policy | severity | says | looks at |\n|---|---|---|---|\n"
        policies = load_policies(policy_files([name], "", name))
        for policy in policies.all:
            rule = policies.rules[policy.id]
            link = f"[{policy.id}](policies/{name}/{policy.id}.yaml)"
            yield f"| {link} | {rule.severity.word} | {parse_docs(rule.doc).summary} | {policy.on} |\n"


def _row(rule: Rule) -> str:
    shown = parse_docs(rule.doc)
    state = "" if rule.on else " (off)"
    rests_on = " ".join(shown.specification.split()).replace("|", "\\|")
    says = shown.summary.replace("|", "\\|")
    link = f"[{rule.id}]({rule.group}/{rule.id}.py)"
    return f"| {link} | {rule.severity.word}{state} | {says} | {fix_safety(rule)} | {rests_on} |\n"


def fix_safety(rule: Rule) -> str:
    """The safety of the fixes in the examples of a rule: `safe`, `unsafe` or both; empty without fixes."""
    words = {
        "safe" if example_diagnostic.fix.safe else "unsafe"
        for example in parse_docs(rule.doc).of_kind("bad")
        for example_diagnostic in example_diagnostics(rule, example)
        if example_diagnostic.fix is not None
    }
    return ", ".join(sorted(words))


def check_policy_examples(policy: Policy, policies: Policies) -> list[tuple[int, str]]:
    """The problems of the examples of a policy, each with its line of the policy file.

    There must be an example with a finding and one without.
    Raises OSError if the policy file can no longer be read.
    """
    rule, shown = policies.rules[policy.id], parse_docs(policy.doc)
    lacks: list[str] = []
    if not shown.of_kind("good"):
        lacks.append("its page has no good example; show under Good: what is fine")
    if not any(example.expected for example in shown.of_kind("bad")):
        lacks.append("its page has no bad example with an arrow; show under Bad: what it finds, with # <- at the line")
    problems = list(check_examples(rule, policies))
    lines = _example_lines(policy) if problems else ()
    return [(policy.line, text) for text in lacks] + [(lines[at], text) for at, text in problems]


def _example_lines(policy: Policy) -> Sequence[int]:
    """The line of the file at which each example starts."""
    tree = parse(read_file(policy.path, MAX_BYTES, named_in=os.path.dirname(policy.path)), policy.path)
    for document in tree.documents:
        if isinstance(document.value, dict) and document.value.get("id") == policy.id:
            headings = HEADING.finditer(str(document.value["doc"]))
            spans = (document.scalar_span(("doc",), heading.start(), heading.end()) for heading in headings)
            return [tree.source.position(span.start).line for span in spans]
    return ()

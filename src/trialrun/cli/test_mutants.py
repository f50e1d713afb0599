"""`trialrun test --mutate`: changes one meaning at a time, and lists the changes that no scenario notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.report.test_report.interface import MutationSummary, UnnoticedChange
from trialrun.runtime.scenario.mutation.mutant import REMOVED
from trialrun.workspace.mutate_scenarios import MutationPlan, ScenarioSuite, TestedMutant, plan_mutants

if TYPE_CHECKING:
    from trialrun.cli.test_workspaces import TestedWorkspace
    from trialrun.report.test_report.interface import ScenarioResult
    from trialrun.report.text_finding import TextOutput


@dataclass
class MutationRun:
    """The changes of the workspaces of a run, tried once their scenarios have ended."""

    workspaces: Sequence[TestedWorkspace]
    tests: Sequence[ScenarioResult]
    options: dict[str, Any]

    @cached_property
    def plan(self) -> MutationPlan:
        """The changes to try."""
        return mutation_plan(self.workspaces, self.tests, sample=self.options["sample"], seed=self.options["seed"])

    @cached_property
    def summary(self) -> MutationSummary:
        """How many changes were tried and noticed, so far."""
        return MutationSummary(self.plan.total, self.options["seed"])

    def results(self) -> tuple[MutationSummary, Sequence[UnnoticedChange]]:
        """The numbers, and the changes that no scenario noticed."""
        unnoticed = list(unnoticed_changes(self.plan, self.summary))
        return self.summary, unnoticed

    def format_text(self, page: TextOutput) -> Iterator[Iterator[str]]:
        """The lines of the text report, each part as soon as it is known."""
        from trialrun.report.test_report.mutation_text import format_change, format_heading, format_mutation_summary

        heading = format_heading(self.summary, self.plan.sample, page)
        for change in unnoticed_changes(self.plan, self.summary):
            yield from (heading, format_change(change, page))
        yield format_mutation_summary(self.summary, page)

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it before all changes were tried."""
        return self.summary.is_interrupted

    @property
    def has_internal_error(self) -> bool:
        """Whether an internal error kept a scenario from being played on a change."""
        return bool(self.summary.faults)

    def is_under(self, percentage: float | None) -> bool:
        """Whether less than a percentage of the changes was noticed; not if none was tried."""
        share = self.summary.share
        return percentage is not None and share is not None and 100 * share < percentage


def mutation_plan(
    workspaces: Sequence[TestedWorkspace], tests: Sequence[ScenarioResult], *, sample: int | None, seed: int
) -> MutationPlan:
    """The changes to try on the scenarios that passed."""
    failed = {(test.path, test.line) for test in tests if test.outcome != "passed"}
    suites = [
        ScenarioSuite(
            workspace.request,
            [scenario for scenario in workspace.scenarios if (scenario.path, scenario.line("name")) not in failed],
            workspace.documents,
            workspace.brands,
        )
        for workspace in workspaces
    ]
    return plan_mutants(suites, sample=sample, seed=seed)


def unnoticed_changes(plan: MutationPlan, summary: MutationSummary) -> Iterator[UnnoticedChange]:
    """Try the changes; yields those that no scenario notices, and counts all in the summary. Ctrl-C ends it."""
    trials = plan.run()
    while (tested := _next_trial(trials, summary)) is not None:
        summary.tried += 1
        summary.noticed += tested.is_noticed
        summary.faults += tested.fault is not None
        if not tested.is_noticed:
            yield _unnoticed(tested)


def _next_trial(trials: Iterator[TestedMutant], summary: MutationSummary) -> TestedMutant | None:
    """The next change that was tried; None after the last, or after Ctrl-C."""
    try:
        return next(trials, None)
    except KeyboardInterrupt:
        summary.is_interrupted = True
        return None


def _unnoticed(tested: TestedMutant) -> UnnoticedChange:
    mutant = tested.mutant
    is_removed = mutant.after is REMOVED
    return UnnoticedChange(
        mutant.original.path,
        mutant.line,
        mutant.field,
        mutant.pointer,
        mutant.before,
        None if is_removed else mutant.after,
        is_removed,
        mutant.chars,
        tested.fault,
    )

"""JSON output of `sync` and of sync plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.data_finding import DataFinding, SkippedCheck
    from trialrun.runtime.feature_view.plan import SyncPlan
    from trialrun.runtime.feature_view.sync import SyncReport


def sync_object(view: DeclaredResource[FeatureView], done: SyncPlan | SyncReport) -> dict[str, Any]:
    """What is told of a plan or a sync."""
    from trialrun.runtime.feature_view.plan import SyncPlan

    return _plan_object(view, done) if isinstance(done, SyncPlan) else _report_object(view, done)


def _report_object(view: DeclaredResource[FeatureView], report: SyncReport) -> dict[str, Any]:
    counts = report.counts
    return {
        "view": view.node.name,
        "rows_read": counts.read,
        "entities": counts.entities,
        "new": counts.new,
        "changed": counts.changed,
        "unchanged": counts.unchanged,
        "vanished": counts.vanished,
        "findings": [_finding(finding) for finding in report.findings],
        "assumptions": list(report.assumptions),
        "skipped_checks": [_skipped(skipped) for skipped in report.skipped],
    }


def _plan_object(view: DeclaredResource[FeatureView], plan: SyncPlan) -> dict[str, Any]:
    keys = [(column, "entity id") for column in plan.layout.keys]
    columns = [*keys, *((column, "feature") for column in plan.layout.features)]
    return {
        "view": view.node.name,
        "statement": plan.statement,
        "columns": [{"name": column.name, "type": column.type_text, "as": role} for column, role in columns],
        "checks": list(plan.checks),
        "findings": [_finding(finding) for finding in plan.findings],
        "assumptions": list(plan.assumptions),
        "skipped_checks": [_skipped(skipped) for skipped in plan.skipped],
    }


def _finding(finding: DataFinding) -> dict[str, Any]:
    return {"code": finding.code, "message": finding.message, "examples": list(finding.examples)}


def _skipped(skipped: SkippedCheck) -> dict[str, Any]:
    return {"check": skipped.check, "reason": skipped.reason}

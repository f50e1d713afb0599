"""JSON output of `sync` and of sync plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.data_finding import DataFinding, SkippedCheck
    from trialrun.runtime.feature_view.plan import SyncPlan
    from trialrun.runtime.feature_view.source.table_size import Range, TableSize
    from trialrun.runtime.feature_view.sync import SyncReport, SyncSize


def sync_object(
    view: DeclaredResource[FeatureView], done: SyncPlan | SyncReport, size: SyncSize | None = None
) -> dict[str, Any]:
    """The JSON object of a plan, with its size if there is one, or of a sync."""
    from trialrun.runtime.feature_view.plan import SyncPlan

    if not isinstance(done, SyncPlan):
        return _report_object(view, done)
    return _plan_object(view, done) | ({"estimate": _estimate_object(size)} if size else {})


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
        "statement": plan.statement.text,
        "columns": [{"name": column.name, "type": column.type_text, "as": role} for column, role in columns],
        "checks": list(plan.checks),
        "findings": [_finding(finding) for finding in plan.findings],
        "assumptions": list(plan.assumptions),
        "skipped_checks": [_skipped(skipped) for skipped in plan.skipped],
    }


def _estimate_object(size: SyncSize) -> dict[str, Any]:
    """The JSON object of the size of a sync; bytes are rounded to two digits, counts to three."""
    return {
        "sources": [_table(table) for table in size.tables],
        "rows": _range(size.rows, 3),
        "entities": _range(size.entities, 3),
        "entities_from": size.entity_basis,
        "bytes": _range(size.bytes, 2),
        "problems": [size.problem] if size.problem else [],
        "advice": [size.advice] if size.advice else [],
    }


def _table(table: TableSize) -> dict[str, Any]:
    rows = _range(table.rows, 3)
    return {
        "uri": table.uri,
        "format": table.format,
        "rows": rows,
        "rows_from": table.basis,
        "file_bytes": table.file_bytes,
        "column_bytes": _range(table.rows and table.rows.times(table.row_width), 2),
    }


def _range(range: Range | None, digits: int) -> dict[str, float] | None:
    if range is None:
        return None
    return {"low": _rounded(range.low, digits), "high": _rounded(range.high, digits)}


def _rounded(value: float, digits: int) -> float:
    """A number with so many digits that count; whole where that loses nothing."""
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def _finding(finding: DataFinding) -> dict[str, Any]:
    return {"code": finding.code, "message": finding.message, "examples": list(finding.examples)}


def _skipped(skipped: SkippedCheck) -> dict[str, Any]:
    return {"check": skipped.check, "reason": skipped.reason}

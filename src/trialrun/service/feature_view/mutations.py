"""What create and patch make of a request: the content of a view that the linter takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.model.feature_view import FeatureView
from trialrun.service.error import invalid_argument
from trialrun.service.etag import require_current_etag
from trialrun.service.feature_view.messages import CreateFeatureViewRequest, PatchFeatureViewRequest
from trialrun.service.feature_view.view_store import VIEW_KIND, ViewStore
from trialrun.service.lint_request import LintWarning, RequestLinter
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.resource_json import Json, canonicalize_content, to_document
from trialrun.service.resource_names import name_in_request, require_id

FIELD = "featureView"


class ViewMutations:
    """Judges the changes that requests ask for; labels under the system prefix, if there is one, are not theirs."""

    def __init__(self, views: ViewStore, request_linter: RequestLinter, system_label_prefix: str | None) -> None:
        self._views = views
        self._judge = request_linter
        self._system = f"{system_label_prefix.rstrip('/')}/" if system_label_prefix else None

    def prepare_create(self, request: CreateFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the content of a new view, and what the linter remarks. Raises ServiceError."""
        self._views.require_parent(request.parent)
        name = f"{request.parent}/featureViews/{require_id(request.featureViewId, field='featureViewId')}"
        self._views.require_free(name)
        given = without_service_fields(request.featureView, FeatureView)
        self._require_system_labels_unchanged({}, _labels(given))
        return name, *self._lint(name, given)

    def prepare_patch(self, request: PatchFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the new content of a view, and what the linter remarks. Raises ServiceError."""
        given = request.featureView
        entry = self._views.get(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
        require_current_etag(_etag(given), entry.view.etag or "", "the view")
        mask = parse_mask(request.updateMask, given, FeatureView)
        after = self._with_system_labels(entry.content, apply_mask(entry.content, given, mask, FeatureView))
        content, remarks = self._lint(entry.name, after)
        return entry.name, content, [*ignored_field_warnings(mask), *remarks]

    def _lint(self, name: str, content: Json) -> tuple[Json, list[LintWarning]]:
        others = [entry.document for entry in self._views if entry.name != name]
        remarks = self._judge.check(to_document(VIEW_KIND.name, name, content), others, field=FIELD)
        return canonicalize_content(content, FeatureView), remarks

    def _with_system_labels(self, before: Json, after: Json) -> Json:
        """The content with the system labels that it had, which stay where a request leaves them out.

        What is not a map of labels stays as it is, for the linter to refuse.
        """
        if after.get("labels") is not None and not isinstance(after["labels"], Mapping):
            return after
        system_labels = {key: value for key, value in _labels(before).items() if self._is_system(key)}
        self._require_system_labels_unchanged(system_labels, _labels(after))
        return {**after, "labels": {**_labels(after), **system_labels}} if system_labels else after

    def _require_system_labels_unchanged(self, system_labels: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        for key, value in given.items():
            if self._is_system(key) and system_labels.get(key) != value:
                message = f'"{key}" is a system label, which cannot be changed; remove it'
                raise invalid_argument(f"{FIELD}.labels.{key}", "system-label", message)

    def _is_system(self, key: str) -> bool:
        return self._system is not None and key.startswith(self._system)


def _labels(content: Json) -> Mapping[str, Any]:
    labels = content.get("labels")
    return labels if isinstance(labels, Mapping) else {}


def _etag(given: Json) -> str | None:
    etag = given.get("etag")
    if etag is None or isinstance(etag, str):
        return etag
    raise invalid_argument(
        f"{FIELD}.etag", "wrong-type", "an etag must be text; send the one that get returned, or none"
    )

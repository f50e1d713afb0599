"""Creating, changing, promoting and deleting configs."""

from __future__ import annotations

from itertools import count

from trialrun.model.channel_config import ChannelConfig
from trialrun.service.channel_config import messages
from trialrun.service.channel_config.config_record import ConfigEntry
from trialrun.service.channel_config.inventory import Documents
from trialrun.service.channel_config.kinds import CONFIG
from trialrun.service.channel_config.references import require_unused
from trialrun.service.error import Status
from trialrun.service.lint_request import LintWarning
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.resource_json import Json, canonicalize_content, to_document
from trialrun.service.resource_names import name_in_request, parent_name, require_free, require_id
from trialrun.values.resource_name import last_id

FIELD = "channelConfig"


def create(documents: Documents, request: messages.CreateChannelConfigRequest) -> messages.CreateChannelConfigResponse:
    """Create a config under a brand; it is a DRAFT unless something names it already."""
    documents.require_brand(request.parent, field="parent")
    id_ = _unused_id(documents, request.parent) if request.channelConfigId is None else request.channelConfigId
    name = f"{request.parent}/channelConfigs/{require_id(id_, field='channelConfigId')}"
    require_free(name, documents.configs, CONFIG)
    given = without_service_fields(request.channelConfig, ChannelConfig)
    entry, remarks = _put(documents, name, given)
    seen = documents.to_response(entry)
    return messages.CreateChannelConfigResponse(channelConfig=seen, warnings=_applicable_warnings(seen, remarks))


def patch(documents: Documents, request: messages.PatchChannelConfigRequest) -> messages.PatchChannelConfigResponse:
    """Put a config's new content in place of the old; what was promoted was the old."""
    given = request.channelConfig
    before = documents.config(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
    mask = parse_mask(request.updateMask, given, ChannelConfig)
    after, remarks = _put(documents, before.name, apply_mask(before.content, given, mask, ChannelConfig))
    seen = documents.to_response(after)
    demoted = [_demotion_warning(seen)] if before.is_promoted and not after.is_promoted else []
    warnings = [*ignored_field_warnings(mask), *demoted, *_applicable_warnings(seen, remarks)]
    return messages.PatchChannelConfigResponse(channelConfig=seen, warnings=warnings)


def delete(documents: Documents, request: messages.DeleteChannelConfigRequest) -> messages.DeleteChannelConfigResponse:
    """Forget a config that no brand and no store names."""
    name = documents.config(request.name).name
    require_unused(name, documents.uses_of(name))
    documents.remove_config(name)
    return messages.DeleteChannelConfigResponse()


def promote(
    documents: Documents, request: messages.PromoteChannelConfigRequest
) -> messages.PromoteChannelConfigResponse:
    """Promote a config unchanged, and copy it where another brand is its destination."""
    config = documents.config(request.name)
    remarks = documents.lint(config.document, field=FIELD, status=Status.FAILED_PRECONDITION)
    destination = request.destinationBrand or parent_name(config.name)
    copy, of_copy = None, list[LintWarning]()
    if destination != parent_name(config.name):
        documents.require_brand(destination, field="destinationBrand")
        name = f"{destination}/channelConfigs/{last_id(config.name)}"
        copy, of_copy = _copy(documents, name, config.content)
    seen = documents.to_response(documents.promote(config.name))
    return messages.PromoteChannelConfigResponse(
        channelConfig=seen,
        channelConfigCopy=documents.to_response(copy) if copy else None,
        warnings=[*_applicable_warnings(seen, remarks), *of_copy],
    )


def _put(documents: Documents, name: str, content: Json) -> tuple[ConfigEntry, list[LintWarning]]:
    remarks = documents.lint(to_document(CONFIG.name, name, content), field=FIELD)
    return documents.put_config(name, canonicalize_content(content, ChannelConfig)), remarks


def _copy(documents: Documents, name: str, content: Json) -> tuple[ConfigEntry, list[LintWarning]]:
    """Copy a config where the linter takes it beside the menus of its new brand, and what it remarks there."""
    require_free(name, documents.configs, CONFIG)
    copy = to_document(CONFIG.name, name, content)
    remarks = documents.lint(copy, field=f"{FIELD}Copy", status=Status.FAILED_PRECONDITION)
    return documents.put_config(name, content), remarks


def _applicable_warnings(config: ChannelConfig, remarks: list[LintWarning]) -> list[LintWarning]:
    """Remarks on a config without the one that it stays a DRAFT, where it is promoted."""
    return [remark for remark in remarks if config.state == "DRAFT" or remark.rule != "unused-channel-config"]


def _unused_id(documents: Documents, parent: str) -> str:
    ids = (f"channel-config-{number}" for number in count(1))
    return next(id_ for id_ in ids if f"{parent}/channelConfigs/{id_}" not in documents.configs)


def _demotion_warning(config: ChannelConfig) -> LintWarning:
    message = f"the config is not what was promoted any more, so it is {config.state}; promote it again"
    return LintWarning(rule="no-longer-promoted", severity="note", field=f"{FIELD}.state", message=message)

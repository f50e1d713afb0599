"""Terraform: views, feature groups with their features, and online stores, in plans, states and configuration files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.importers.draft import complete
from trialrun.importers.feature_groups import FeatureGroups
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import Draft, Imported, ImportedDocument, ImportOptions, Note
from trialrun.importers.repeated_keys import repeated_key_notes
from trialrun.importers.terraform_json import is_configuration as is_json_configuration
from trialrun.importers.terraform_json import is_show_output, is_state_file, json_resources
from trialrun.importers.terraform_mapping import feature, feature_group, feature_view, online_store
from trialrun.importers.terraform_resource import ResourceReader, TerraformResource

VIEW = "google_vertex_ai_feature_online_store_featureview"
GROUP = "google_vertex_ai_feature_group"
FEATURE = "google_vertex_ai_feature_group_feature"
STORE = "google_vertex_ai_feature_online_store"
TYPES = (VIEW, GROUP, FEATURE, STORE)


def import_terraform(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The documents of plans, states and configuration files. Raises InputError."""
    documents: list[ImportedDocument] = []
    notes: list[Note] = []
    groups = FeatureGroups()
    drafts: list[Draft] = []
    for resource in _resources(files, notes):
        reader = ResourceReader(resource, notes)
        if resource.type == GROUP:
            groups.add_group(feature_group(reader, options))
        elif resource.type == FEATURE:
            groups.add_feature(feature(reader, options))
        else:
            drafts.append((feature_view if resource.type == VIEW else online_store)(reader, options))
    for draft in (*drafts, *groups.drafts(notes)):
        document, further = complete(draft)
        documents.append(document)
        notes += further
    return Imported(documents, notes)


def is_terraform(file: InputFile) -> bool:
    """Whether a file is a plan, a state or a configuration file of Terraform."""
    if is_configuration(file):
        return True
    return any(
        is_show_output(value) or is_state_file(value) or is_json_configuration(value, TYPES)
        for value in file.parsed.documents
    )


def is_configuration(file: InputFile) -> bool:
    """Whether a file is one that people write for Terraform, by its name."""
    return file.name.endswith(".tf")


def _is_json(file: InputFile) -> bool:
    return file.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" or file.data[:2] in (b"\xff\xfe", b"\xfe\xff")


def _resources(files: Sequence[InputFile], notes: list[Note]) -> Iterator[TerraformResource]:
    for file in files:
        if is_configuration(file) or not _is_json(file):
            from trialrun.importers.terraform_hcl import hcl_resources

            yield from hcl_resources(file, TYPES, notes)
        else:
            notes += repeated_key_notes(file)
            yield from json_resources(file, TYPES, notes)

"""Manifests of a table of Iceberg and what they list, decoded from bytes that were read already."""

from __future__ import annotations

from pyiceberg.manifest import (
    DEFAULT_READ_VERSION,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    PartitionFieldSummary,
)

from trialrun.runtime.feature_view.source.iceberg.avro_objects import read_objects


def read_manifest_list(data: bytes) -> list[ManifestFile]:
    """The manifests of a list."""
    types = {-1: ManifestFile, 508: PartitionFieldSummary}
    return [*read_objects(data, MANIFEST_LIST_FILE_SCHEMAS[DEFAULT_READ_VERSION], types, {517: ManifestContent})]


def read_live_entries(data: bytes) -> list[ManifestEntry]:
    """The entries of a manifest whose files are not deleted."""
    types = {-1: ManifestEntry, 2: DataFile}
    enums = {0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent}
    entries = read_objects(data, MANIFEST_ENTRY_SCHEMAS[DEFAULT_READ_VERSION], types, enums)
    return [entry for entry in entries if entry.status != ManifestEntryStatus.DELETED]

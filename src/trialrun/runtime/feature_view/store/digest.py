"""The keyed digest of the row of a view: what is served, and what its columns mean, is as a sync wrote it."""

from __future__ import annotations

import hmac
import json

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.database import Connection
from trialrun.runtime.feature_view.store.schema import TABLE_NAME
from trialrun.runtime.feature_view.store.store_errors import damaged_store

COLUMNS = "number, rows, synced_at, watermark, layout, entities, plan, writes"


@dataclass(frozen=True)
class ViewRow:
    """What stands in `views` for a view; `rows` and `writes` are names of tables."""

    number: int
    rows: str | None
    synced_at: int | None
    watermark: int | None
    layout: str | None
    entities: int | None
    plan: str | None
    writes: str | None


def read_view_row(connection: Connection, view: str) -> ViewRow | None:
    """The row of a view, None where it has none. Raises StoreError where it is not as it was written."""
    row = connection.execute(f"SELECT {COLUMNS}, digest FROM views WHERE view = ?", (view,)).fetchone()
    if row is None:
        return None
    *values, digest = row
    if not isinstance(digest, str) or not hmac.compare_digest(digest.encode(), _digest(connection, view, values)):
        raise damaged_store(connection.file)
    return ViewRow(*values)


def sign_view_row(connection: Connection, view: str) -> None:
    """Write the digest of the row of a view, in the transaction that changed it."""
    values = connection.execute(f"SELECT {COLUMNS} FROM views WHERE view = ?", (view,)).fetchone()
    if values is not None:
        digest = _digest(connection, view, list(values)).decode()
        connection.execute("UPDATE views SET digest = ? WHERE view = ?", (digest, view))


def quote_table_name(connection: Connection, name: object) -> str:
    """The name of a table that comes and goes, in quotes, as it may stand in a statement. Raises StoreError."""
    if not isinstance(name, str) or not TABLE_NAME.fullmatch(name):
        raise damaged_store(connection.file)
    return f'"{name}"'


def _digest(connection: Connection, view: str, values: list[object]) -> bytes:
    text = json.dumps([view, *values], default=repr)
    return hmac.new(connection.key, text.encode(), "sha256").hexdigest().encode()

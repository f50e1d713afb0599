"""Tables that come and go: each has a name that no other one had, and is known from the moment that it is there."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.runtime.feature_view.store.database import Connection, transaction
from trialrun.runtime.feature_view.store.digest import quote_table_name


def new_name(connection: Connection, view: str, what: str) -> str:
    """A name for a table of a view, in the transaction that makes the table."""
    number = connection.execute("INSERT INTO made (view) VALUES (?)", (view,)).lastrowid
    name = f"{what}_{number}"
    connection.execute("UPDATE made SET name = ? WHERE number = ?", (name, number))
    return name


def set_aside(connection: Connection, name: str) -> None:
    """Take a table away from readers at once; `clear` drops it, which takes longer, later."""
    new = quote_table_name(connection, f"old_{name}")
    connection.execute(f"ALTER TABLE {quote_table_name(connection, name)} RENAME TO {new}")
    connection.execute("UPDATE made SET name = 'old_' || name WHERE name = ?", (name,))


def clear(connection: Connection, view: str) -> None:
    """Drop the tables of a view that are neither served nor being made; call it with the lock of the view."""
    for name in leftovers(connection, view):
        with transaction(connection):
            drop(connection, [name])


def leftovers(connection: Connection, view: str) -> list[str]:
    """The names of the tables of a view that are neither served nor being made; ask with the lock of the view."""
    rows = connection.execute(
        "SELECT name FROM made WHERE view = :view AND name NOT IN "
        "(SELECT ifnull(rows, '') FROM views WHERE view = :view "
        "UNION SELECT ifnull(writes, '') FROM views WHERE view = :view)",
        {"view": view},
    ).fetchall()
    return [name for (name,) in rows]


def drop(connection: Connection, names: Sequence[str]) -> None:
    """Drop tables, in the transaction of the caller."""
    for name in names:
        connection.execute(f"DROP TABLE IF EXISTS {quote_table_name(connection, name)}")
        connection.execute("DELETE FROM made WHERE name = ?", (name,))

"""What a statement may do, as SQLite asks it while it compiles the statement."""

import sqlite3

import attrs

from pegboard_sqlite.formats import FORMATS, IS_SOUND

_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_WRITING = {
    sqlite3.SQLITE_ALTER_TABLE: "ALTER TABLE",
    sqlite3.SQLITE_ANALYZE: "ANALYZE",
    sqlite3.SQLITE_CREATE_INDEX: "CREATE INDEX",
    sqlite3.SQLITE_CREATE_TABLE: "CREATE TABLE",
    sqlite3.SQLITE_CREATE_TRIGGER: "CREATE TRIGGER",
    sqlite3.SQLITE_CREATE_VIEW: "CREATE VIEW",
    sqlite3.SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE",
    sqlite3.SQLITE_DELETE: "DELETE",
    sqlite3.SQLITE_DROP_INDEX: "DROP INDEX",
    sqlite3.SQLITE_DROP_TABLE: "DROP TABLE",
    sqlite3.SQLITE_DROP_TRIGGER: "DROP TRIGGER",
    sqlite3.SQLITE_DROP_VIEW: "DROP VIEW",
    sqlite3.SQLITE_DROP_VTABLE: "DROP TABLE",
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_REINDEX: "REINDEX",
    sqlite3.SQLITE_UPDATE: "UPDATE",
}
_OF_ROWS = frozenset({sqlite3.SQLITE_DELETE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
_NEVER = {
    sqlite3.SQLITE_ATTACH: "ATTACH and VACUUM",
    sqlite3.SQLITE_DETACH: "DETACH",
    sqlite3.SQLITE_TRANSACTION: "BEGIN, COMMIT and ROLLBACK",
    sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
}
_FUNCTIONS = frozenset(
    {
        "edit",
        "fts3_tokenizer",
        "highlight",
        "icu_load_collation",
        "load_extension",
        "readfile",
        "sqlite_log",
        "writefile",
    }
)
_INSTEAD = {"highlight": ", whose text has no limit (snippet has one)"}
_TABLES = frozenset({"fsdir", "sqlite_dbpage"})
_MODULES = frozenset({"fts3", "fts4", "fts5", "fts5vocab", "geopoly", "rtree", "rtree_i32"})
_TOLD = frozenset(
    {
        "application_id",
        "auto_vacuum",
        "collation_list",
        "compile_options",
        "data_version",
        "encoding",
        "foreign_keys",
        "freelist_count",
        "function_list",
        "journal_mode",
        "module_list",
        "page_count",
        "page_size",
        "pragma_list",
        "schema_version",
        "user_version",
    }
)
"""Pragmas that tell something, as long as nothing is given to them."""
_LOOKED_UP = frozenset(
    {
        "foreign_key_check",
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_info",
        "table_list",
        "table_xinfo",
    }
)
_SET = frozenset({"application_id", "user_version"})
_SCHEMA = frozenset({"sqlite_master", "sqlite_schema"})


@attrs.define(eq=False)
class Gate:
    """An authorizer: it lets a statement pass, or refuses it and says what it refused.

    Attributes:
        writes: whether statements may change the database.
        refused: the first thing that was refused, in words.
        was_asked: whether there was a statement at all.
        defines: whether it changes the schema.
        awaits_formats: whether SQLite's own printf has to be replaced first.
        has_formats: whether it was, or needn't be.
    """

    writes: bool = False
    refused: str | None = None
    was_asked: bool = False
    defines: bool = False
    awaits_formats: bool = False
    has_formats: bool = IS_SOUND

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        _schema: str | None,
        _source: str | None,
    ) -> int:
        """SQLite's question: an action, and what it is done to."""
        self.was_asked = True
        if action == sqlite3.SQLITE_FUNCTION and self._lacks(second or ""):
            self.awaits_formats = True
            return sqlite3.SQLITE_DENY
        fault = self._fault(action, (first or "").lower(), second)
        if fault is None:
            return sqlite3.SQLITE_OK
        self.refused = self.refused or fault
        return sqlite3.SQLITE_DENY

    def _fault(self, action: int, first: str, second: str | None) -> str | None:
        if first in _TABLES and action != sqlite3.SQLITE_PRAGMA:
            return f"the table {first}"
        if action in _READING:
            return None
        if action == sqlite3.SQLITE_FUNCTION:
            return _function_fault(second or "")
        if action == sqlite3.SQLITE_PRAGMA:
            return self._pragma_fault(first, second)
        if action == sqlite3.SQLITE_UPDATE and first in _SCHEMA:
            return None  # how a virtual table declares its columns; otherwise SQLite refuses it
        if first in _SCHEMA and not self.writes:
            return "a change of the schema"
        return self._writing_fault(action, second)

    def _lacks(self, function: str) -> bool:
        return not self.has_formats and function.lower() in FORMATS

    def _pragma_fault(self, name: str, given: str | None) -> str | None:
        is_told = name in _LOOKED_UP or (name in _TOLD and given is None)
        if is_told or (self.writes and name in _SET):
            return None
        return f"PRAGMA {name}" if given is None or name not in _TOLD else f"setting PRAGMA {name}"

    def _writing_fault(self, action: int, second: str | None) -> str | None:
        if action == sqlite3.SQLITE_CREATE_VTABLE and (second or "").lower() not in _MODULES:
            return "a virtual table of that module"
        if self.writes and action in _WRITING:
            self.defines = self.defines or action not in _OF_ROWS
            return None
        return _NEVER.get(action) or _WRITING.get(action) or "what is temporary"


def _function_fault(name: str) -> str | None:
    if name.lower() not in _FUNCTIONS:
        return None
    return f"the function {name}{_INSTEAD.get(name.lower(), '')}"

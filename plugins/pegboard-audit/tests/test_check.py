"""The plugin satisfies what every package of an author must."""

from pegboard.testing import check_plugin

TestPlugin = check_plugin("audit", settings=lambda folder: {"path": str(folder / "audit.sqlite3")})

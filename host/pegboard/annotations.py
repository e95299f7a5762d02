"""What an author, or the operator, says of a tool's effects."""

import attrs


@attrs.frozen
class ToolAnnotations:
    """What is said of a tool's effects; None where nothing is said.

    Attributes:
        read_only: it changes nothing (default: False).
        destructive: it may destroy what was there (default: True).
        idempotent: calling it again with the same arguments changes nothing more (default: False).
        open_world: it reaches beyond the host's own world (default: True).
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def meaning(self) -> "ToolAnnotations":
        """The same with MCP's default for whatever isn't said."""
        return ToolAnnotations(
            read_only=bool(self.read_only),
            destructive=self.destructive is not False,
            idempotent=bool(self.idempotent),
            open_world=self.open_world is not False,
        )

    def over(self, others: "ToolAnnotations | None") -> "ToolAnnotations":
        """The same with what others say wherever nothing is said here."""
        said = attrs.asdict(self, filter=lambda _, value: value is not None)
        return attrs.evolve(others or ToolAnnotations(), **said)

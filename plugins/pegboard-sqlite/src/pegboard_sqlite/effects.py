"""What the tools do to the databases, as a host and a model read it."""

from pegboard import ToolAnnotations

READS = ToolAnnotations(read_only=True, destructive=False, idempotent=True, open_world=False)
CHANGES = ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=False)

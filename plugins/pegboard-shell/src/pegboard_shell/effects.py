"""What the tools do to the world, as a host and a model read it."""

from pegboard import ToolAnnotations

RUNS = ToolAnnotations(read_only=False, destructive=True, idempotent=False, open_world=True)
STOPS = ToolAnnotations(read_only=False, destructive=True, idempotent=True, open_world=False)
READS = ToolAnnotations(read_only=True, destructive=False, idempotent=True, open_world=False)
LOOKS = ToolAnnotations(read_only=True, destructive=False, idempotent=False, open_world=False)
"""A reading moves the place where the next one begins."""

"""The host: owns plugins and layers, and hands out boards."""

from pegboard.host.host import Host

__all__ = ["Host"]

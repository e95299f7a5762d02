"""The control channel: how another process sees a running host, and changes it."""

from pegboard.control.bounds import Bounds
from pegboard.control.client import Client, connect
from pegboard.control.server import ControlServer

__all__ = ["Bounds", "Client", "ControlServer", "connect"]

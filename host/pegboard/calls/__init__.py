"""The pipeline of a call, cancellation, and batches."""

from pegboard.calls.batch import run_in_order
from pegboard.calls.execution import Execution, RunningCall, Timing, Token
from pegboard.calls.flight import Flight, Flights, Request, enclosing
from pegboard.calls.pipeline import Pipeline
from pegboard.calls.side import Progress
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Threads

__all__ = [
    "Execution",
    "Flight",
    "Flights",
    "Pipeline",
    "Progress",
    "Request",
    "RunningCall",
    "Signal",
    "Threads",
    "Timing",
    "Token",
    "enclosing",
    "run_in_order",
]

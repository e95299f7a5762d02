"""The pipeline of a call, cancellation, and batches."""

from pegboard.calls.allowance import Allowance
from pegboard.calls.approving import ApprovalAnswered, ApprovalAsked, ApprovalRequest
from pegboard.calls.batch import Batch
from pegboard.calls.execution import Execution, Timing, Token
from pegboard.calls.feed import Feed
from pegboard.calls.flight import Flight, Request, enclosing, running_call
from pegboard.calls.flights import Flights
from pegboard.calls.parking import Parking
from pegboard.calls.pipeline import Pipeline
from pegboard.calls.programs import Program
from pegboard.calls.side import Progress
from pegboard.calls.signal import Signal
from pegboard.calls.stages import Started
from pegboard.calls.stops import ending, missing
from pegboard.calls.threads import Threads

__all__ = [
    "Allowance",
    "ApprovalAnswered",
    "ApprovalAsked",
    "ApprovalRequest",
    "Batch",
    "Execution",
    "Feed",
    "Flight",
    "Flights",
    "Parking",
    "Pipeline",
    "Program",
    "Progress",
    "Request",
    "Signal",
    "Started",
    "Threads",
    "Timing",
    "Token",
    "enclosing",
    "ending",
    "missing",
    "running_call",
]

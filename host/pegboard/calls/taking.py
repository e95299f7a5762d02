"""Stage 1: the arguments of a call, decoded once and kept as they are now."""

from pegboard.calls.flight import Flight
from pegboard.errors import NotJSONError
from pegboard.outcomes import Code, Failure
from pegboard.values import JSON, Limits, Snapshot, read_text


def take(flight: Flight, limits: Limits) -> JSON:
    """Take the arguments as they are now; gives what they hold where that is known already.

    Raises:
        NotJSONError: they are no JSON object.
    """
    sent, values = flight.call.arguments, None
    if sent is None or (type(sent) is str and not sent.strip()):
        return None
    if type(sent) is str:
        values, taken = read_text(sent, limits)
        kind = type(values)
    else:
        taken, kind = Snapshot.of(sent, limits), type(sent)
    if kind is dict:
        flight.arguments = taken
    elif taken.text.strip() != b"null":
        raise NotJSONError("an object is expected")
    return values


def not_taken(flight: Flight, error: NotJSONError) -> Failure:
    """The failure of a call whose arguments are no JSON object."""
    message = f"invalid arguments for {flight.call.name[:80]!r}: {error}"
    return flight.failed(Code.INVALID_ARGUMENTS, message)

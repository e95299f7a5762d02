"""What a program prints."""

from pegboard.programs import ProgramError


class Printed:
    """What a program has printed so far, up to what it may print."""

    __slots__ = ("_left", "_most", "_parts", "is_too_much")

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._parts: list[str] = []
        self.is_too_much = False

    def take(self, text: str) -> None:
        """Keep what is printed.

        Raises:
            ProgramError: it is more than the program may print.
        """
        kept = text.encode(errors="replace")[: self._left]
        self._parts.append(kept.decode(errors="ignore"))
        self.is_too_much = self.is_too_much or len(text.encode(errors="replace")) > self._left
        self._left -= len(kept)
        if self.is_too_much:
            raise self.refusal

    @property
    def refusal(self) -> ProgramError:
        """Why a program ends that prints too much."""
        return ProgramError("output", f"the program printed more than {self._most} bytes")

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

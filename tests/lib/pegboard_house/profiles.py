"""How hypothesis searches: the same examples in CI, new ones at a desk; everywhere, or in short."""

import os

from hypothesis import settings


def use_hypothesis_profile() -> None:
    """Load the profile `ci` where the variable CI is set, else `dev`."""
    settings.register_profile("dev", deadline=None)
    settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")


def searched(thorough: int, short: int) -> int:
    """How many examples to try.

    Args:
        thorough: in CI, once.
        short: at a desk, and in CI where PEGBOARD_SEARCH says `short`: on further Pythons.
    """
    is_short = os.environ.get("PEGBOARD_SEARCH") == "short" or not os.environ.get("CI")
    return short if is_short else thorough

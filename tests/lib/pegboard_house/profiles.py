"""How hypothesis searches: the same examples in CI, new ones at a desk."""

import os

from hypothesis import settings


def use_hypothesis_profile() -> None:
    """Load the profile `ci` where the variable CI is set, else `dev`."""
    settings.register_profile("dev", deadline=None)
    settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
    settings.load_profile("ci" if os.environ.get("CI") else "dev")

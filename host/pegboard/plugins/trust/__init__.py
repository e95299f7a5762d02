"""The lock file, and the installed files: what runs is what was accepted."""

from pegboard.plugins.trust.files import FileProblem
from pegboard.plugins.trust.trust import Trust, quarantined_info, told_of_tools
from pegboard.plugins.trust.verifying import Verified, verify

__all__ = ["FileProblem", "Trust", "Verified", "quarantined_info", "told_of_tools", "verify"]

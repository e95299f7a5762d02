"""The SDK of `run_code`: the tools of a board as declarations in Python."""

from pegboard.sdk.writer import SdkWriter

__all__ = ["SdkWriter"]

"""What the SDK and its HTTP client log, without the secrets of the servers that are attached."""

import logging
import traceback

from pegboard_mcp.attached.masks import Masks

_LOGGERS = ("client", "mcp", "httpx2", "httpcore2")
"""The SDK names one of its loggers `client`."""


class MaskedLogs(logging.Filter):
    """Takes secrets out of the records of the SDK's loggers, from `begin` to `end`."""

    def __init__(self, masks: Masks) -> None:
        super().__init__()
        self._masks = masks
        self._loggers: list[logging.Logger] = []

    def begin(self) -> None:
        """Begin; where there are no secrets, nothing is done."""
        if self._masks.texts and not self._loggers:
            known = list(logging.root.manager.loggerDict)
            names = [each for each in known if each.partition(".")[0] in _LOGGERS]
            self._loggers = [*map(logging.getLogger, names)]
            for each in self._loggers:
                each.addFilter(self)

    def end(self) -> None:
        """End, and leave the loggers as they were."""
        loggers, self._loggers = self._loggers, []
        for each in loggers:
            each.removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, the masked text in the place of its own if that says more."""
        text = record.getMessage()
        masked = self._masks.hide(text)
        if masked != text:
            record.msg, record.args = masked, ()
        if record.exc_info and record.exc_info[1] is not None:
            raised = "".join(traceback.format_exception(record.exc_info[1])).rstrip()
            if self._masks.hide(raised) != raised:
                record.exc_text, record.exc_info = self._masks.hide(raised), None
        return True

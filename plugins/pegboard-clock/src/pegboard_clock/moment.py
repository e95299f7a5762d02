"""One moment, as a model reads it."""

from datetime import datetime, timedelta

import attrs

# `strftime("%A")` speaks the language of the machine.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@attrs.frozen
class Moment:
    """A moment in one time zone.

    Attributes:
        time: date and time with the offset, ISO 8601, to the second.
        timezone: the IANA name of the zone.
        utc_offset: hours and minutes ahead of UTC, such as `+01:00`.
        weekday: the English name of the day.
        daylight_saving: whether daylight saving time is in force.
    """

    time: str
    timezone: str
    utc_offset: str
    weekday: str
    daylight_saving: bool

    @classmethod
    def of(cls, moment: datetime) -> "Moment":
        """The moment of a datetime that knows its zone."""
        return cls(
            time=moment.isoformat(timespec="seconds"),
            timezone=str(moment.tzinfo),
            utc_offset=_offset(moment.utcoffset() or timedelta()),
            weekday=_WEEKDAYS[moment.weekday()],
            daylight_saving=bool(moment.dst()),
        )


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"

"""How long something takes, as people write it."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_ONE, _FEW = 0.9995, 10


def lasting(seconds: float) -> str:
    """Such as `0.012s`, `3.2s`, `42s`, `3m20s`, `2h05m` or `3d04h`."""
    if seconds < _ONE:
        return f"{max(seconds, 0.0):.3f}s"
    if seconds < _FEW:
        return f"{seconds:.1f}s"
    whole = int(seconds)
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m{whole % _MINUTE:02}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02}m"
    return f"{whole // _DAY}d{whole % _DAY // _HOUR:02}h"

"""Template tags that every page has (settings: TEMPLATES builtins)."""

from __future__ import annotations

from datetime import timedelta

from django import template

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """0.123 -> 12%; nothing for what nobody knows."""
    return "" if share is None else f"{share:.0%}"


@register.filter
def in_words(duration: timedelta | None) -> str:
    """A duration as people say it: 1 h 05 min, 3 min 20 s, 12 s."""
    if duration is None:
        return ""
    minutes, seconds = divmod(int(duration.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"

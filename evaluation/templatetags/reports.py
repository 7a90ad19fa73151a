"""Figures of a report in a template."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def cell(value: object) -> str:
    """A number of a chart's table as people read it; nothing for what nobody knows."""
    if value is None:
        return ""
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


@register.filter
def per_cent(share: float) -> str:
    """A share that has no interval, since it counts sentences that are all known."""
    return f"{share:.0%}"

"""Figures of a report in a template: always with their limits, never a bare number."""

from __future__ import annotations

from django import template

from evaluation.core.report.figures import Grouping
from evaluation.core.statistics.intervals import Interval
from evaluation.report_text import group_name, number, p_value, percent

register = template.Library()


@register.filter
def figure(value: Interval, digits: int = 1) -> str:
    """18.4 (16.0 to 20.1)."""
    return number(value, digits=digits)


@register.filter
def share(value: Interval) -> str:
    """A share in per cent: 41.0 (36.2 to 45.9)."""
    return percent(value)


@register.filter
def chance(value: float | None) -> str:
    """A p."""
    return p_value(value)


@register.filter
def cell(value: object) -> str:
    """A number of a chart's table as people read it; nothing for what nobody knows."""
    if value is None:
        return ""
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


@register.filter
def of(grouping: Grouping | None, group: int | None) -> str:
    """What a row is about: "all", or a group with its range."""
    return group_name(grouping, group)

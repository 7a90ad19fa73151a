"""Template tags that every page has (settings: TEMPLATES builtins); docs/components.md shows them.

A component is a tag here and a template in templates/components. What has only text is a plain
tag; what wraps other markup is a block tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django import template
from django.core.paginator import Page
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from evaluation.core.differences import Span

register = template.Library()


# --- Numbers in words -----------------------------------------------------------------------


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


@register.filter
def pace(per_second: float | None) -> str:
    """A rate in the unit that gives a readable number: 12 a second, 2.5 a minute, 3 an hour."""
    if not per_second:
        return ""
    for unit, seconds in (("a second", 1), ("a minute", 60), ("an hour", 3600)):
        rate = per_second * seconds
        if rate >= 1 or unit == "an hour":
            break
    return f"{rate:.0f} {unit}" if rate >= 10 else f"{rate:.1f} {unit}"


# --- Components that are text ---------------------------------------------------------------


@register.inclusion_tag("components/progress.html")
def progress(done: int, total: int | None, label: str) -> dict[str, Any]:
    """A bar with its numbers; without a total, a bar that says only that something happens."""
    return {"done": done, "total": total, "label": label, "share": done / total if total else None}


@register.inclusion_tag("components/fact.html")
def fact(name: str, value: object) -> dict[str, Any]:
    """One line of a ``<dl class="facts">``."""
    return {"name": str(name).replace("_", " "), "value": value}


@register.inclusion_tag("components/state.html")
def state(name: str, words: str = "") -> dict[str, Any]:
    """The state of a job, study or list: a sign and a word, so that colour is never alone.

    Known names: queued, running, done, failed, cancelled, draft, paused, frozen.
    """
    return {"name": name, "words": words or name}


@register.inclusion_tag("components/mark.html")
def mark(name: str, words: str = "") -> dict[str, Any]:
    """What must be known about data wherever they go: simulated, interim, late, partial."""
    return {"name": name, "words": words or name}


@register.inclusion_tag("components/differences.html")
def differences(spans: Iterable[Span], lang: str = "", direction: str = "") -> dict[str, Any]:
    """A sentence in which what it shares with another fades and what is new stands out.

    ``direction`` is ltr or rtl; without one the sentence's first letter says it.
    """
    return {"spans": spans, "lang": lang, "direction": direction}


@register.inclusion_tag("components/estimate.html")
def estimate(
    share: float | None,
    low: float | None,
    high: float | None,
    count: int,
    need: int = 0,
    drawn: str = "",
) -> dict[str, Any]:
    """A share with its 95% interval and the count it rests on; below ``need``, what is missing.

    ``drawn`` is "best", "diverse" or "ink": the interval is drawn as well, on a line from 0 to 1.
    """
    return {
        "share": share,
        "low": low,
        "high": high,
        "count": count,
        "missing": max(0, need - count),
        "drawn": drawn,
    }


@register.filter
def along(share: float, length: int) -> str:
    """Where a share lies on a line of that length, for SVG: always with a point, never a comma."""
    return f"{share * length:.1f}"


@register.inclusion_tag("components/pagination.html", takes_context=True)
def pagination(context: Context, page: Page[Any]) -> dict[str, Any]:
    """Links to the pages around this one; the other parts of the query string stay."""
    return {
        "page": page,
        "numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
    }


@register.inclusion_tag("components/nav_link.html", takes_context=True)
def nav_link(context: Context, address: str, words: str) -> dict[str, Any]:
    """A link that says when one is on its page or below it."""
    path = context["request"].path
    return {
        "address": address,
        "words": words,
        "here": path == address or (address != "/" and path.startswith(address)),
    }


@register.inclusion_tag("components/toasts.html", takes_context=True)
def toasts(context: Context) -> dict[str, Any]:
    """What Django's messages have to say. In a partial they find their place on the page."""
    request = context["request"]
    return {"messages": context.get("messages"), "swap": bool(getattr(request, "htmx", False))}


# --- Components that wrap markup ------------------------------------------------------------


@register.simple_block_tag(end_name="endnothing")
def nothing(content: str, title: str) -> SafeString:
    """Where nothing is yet: says what would be here and what to do first."""
    return render_to_string("components/nothing.html", {"title": title, "content": content})


@register.simple_block_tag(end_name="enddialog")
def dialog(content: str, name: str, title: str) -> SafeString:
    """A question in front of the page; ``<a href="#name">`` opens it, with scripts or without."""
    return render_to_string(
        "components/dialog.html", {"name": name, "title": title, "content": content}
    )


@register.simple_block_tag(end_name="endtable")
def table(content: str, caption: str, *, hide_caption: bool = False) -> SafeString:
    """A table that scrolls within itself where the screen is narrow, by keyboard too."""
    return render_to_string(
        "components/table.html",
        {
            "name": "table-" + re.sub(r"\W+", "-", caption).strip("-").lower(),
            "caption": caption,
            "hide_caption": hide_caption,
            "content": content,
        },
    )


@register.simple_block_tag(end_name="endchart")
def chart(
    content: str,
    name: str,
    title: str,
    summary: str,
    *,
    marks: Iterable[str] = (),
    downloads: Mapping[str, str] | None = None,
) -> SafeString:
    """A frame for a chart and its table: title, what it shows in a sentence, downloads.

    ``marks`` says what must be known of the data ("simulated"); ``downloads`` maps what is
    offered ("SVG", "CSV") to addresses.
    """
    return render_to_string(
        "components/chart.html",
        {
            "name": name,
            "title": title,
            "summary": summary,
            "marks": marks,
            "downloads": downloads or {},
            "content": content,
        },
    )

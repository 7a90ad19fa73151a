"""Charts: one specification gives the picture on the page and every download.

`vega_script` is what draws them in a browser; it is served from here, as everything is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

PictureKind = Literal["svg", "png", "pdf"]
MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


def picture(spec: dict[str, Any], kind: PictureKind) -> bytes:
    """The chart as a file."""
    # Comes with a JavaScript engine: not before somebody wants a picture.
    import vl_convert

    if kind == "svg":
        return vl_convert.vegalite_to_svg(spec).encode()
    if kind == "png":
        return vl_convert.vegalite_to_png(spec, scale=2)
    return vl_convert.vegalite_to_pdf(spec)


@lru_cache(maxsize=1)
def vega_script() -> str:
    """Vega, Vega-Lite and vega-embed in one script, which sets window.vegaEmbed."""
    import vl_convert

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")

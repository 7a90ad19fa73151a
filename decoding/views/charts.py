from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from decoding.charts import vega_script


@require_GET
@gzip_page
@cache_control(public=True, max_age=86_400)
def vega(request: HttpRequest) -> HttpResponse:
    """What draws charts in a browser. Nothing of it is anybody's, so anybody may have it."""
    return HttpResponse(vega_script(), content_type="text/javascript; charset=utf-8")

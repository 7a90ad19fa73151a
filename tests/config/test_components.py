"""The template tags of config/templatetags/components.py."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django import forms
from django.core.paginator import Paginator
from django.template import RequestContext, Template

from config.templatetags import components
from evaluation.core.differences import Span

ROOT = Path(__file__).resolve().parents[2]


def render(source: str, request=None, **context) -> str:
    return Template(source).render(RequestContext(request, context))


def words(html: str) -> str:
    """What a reader sees of markup."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html))).strip()


@pytest.mark.parametrize(
    ("per_second", "expected"),
    [
        (None, ""),
        (0.0, ""),
        (49.3, "49 a second"),
        (2.54, "2.5 a second"),
        (0.5, "30 a minute"),
        (1 / 60, "1.0 a minute"),
        (1 / 600, "6.0 an hour"),
        (1 / 7200, "0.5 an hour"),
    ],
)
def test_pace(per_second, expected):
    assert components.pace(per_second) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min 00 s"), (3599, "59 min 59 s"), (3900, "1 h 05 min")],
)
def test_in_words(seconds, expected):
    assert components.in_words(timedelta(seconds=seconds)) == expected


def test_progress_shows_its_numbers_beside_the_bar():
    html = render('{% progress 11843 29000 "Sentences" %}')
    assert words(html) == "11,843 of 29,000 (41%)"
    assert 'value="11843" max="29000"' in html
    assert 'aria-label="Sentences"' in html


@pytest.mark.parametrize(("done", "expected"), [(17, "17 so far"), (0, "not known yet")])
def test_progress_without_a_total_claims_no_share(done, expected):
    html = render('{% progress done None "Segments" %}', done=done)
    assert words(html) == expected
    assert "value=" not in html


def test_an_estimate_has_its_interval_and_its_count():
    html = render("{% estimate 0.41 0.36 0.46 1350 need=30 %}")
    assert words(html) == "41% (36% to 46%, n = 1,350)"


def test_a_drawn_estimate_has_its_numbers_where_they_belong():
    html = render('{% estimate 0.41 0.36 0.46 1350 drawn="best" %}')
    assert 'd="M57.6 7H73.6"' in html
    assert 'cx="65.6"' in html
    assert words(html) == "41% (36% to 46%, n = 1,350)"


def test_an_estimate_on_too_little_says_how_much_is_missing():
    html = render("{% estimate None None None 12 need=30 %}")
    assert words(html) == "not enough data: 18 more needed (n = 12)"


def test_differences_keep_the_sentence_and_escape_it():
    spans = [Span("The ", shared=True), Span("<b>cat</b>", shared=False), Span(" sat", shared=True)]
    html = render("{% differences spans lang='en' %}", spans=spans)
    assert words(html) == "The <b>cat</b> sat"
    assert '<ins class="new">&lt;b&gt;cat&lt;/b&gt;</ins>' in html
    assert 'lang="en"' in html
    assert 'dir="auto"' in html
    assert 'dir="rtl"' in render("{% differences spans direction='rtl' %}", spans=spans)


def test_pagination_keeps_the_rest_of_the_address(rf):
    page = Paginator(range(200), 10).get_page(9)
    html = render("{% pagination page %}", page=page, request=rf.get("/?sort=gain&page=9"))
    assert words(html) == "Previous 1 … 8 9 10 … 20 Next"
    assert unescape(re.search(r'rel="next"\s+href="([^"]+)"', html)[1]) == "?sort=gain&page=10"


def test_one_page_needs_no_pagination(rf):
    page = Paginator(range(3), 10).get_page(1)
    assert render("{% pagination page %}", page=page, request=rf.get("/")).strip() == ""


@pytest.mark.parametrize(
    ("path", "here"), [("/jobs/", True), ("/jobs/3/", True), ("/", False), ("/jobsite/", False)]
)
def test_a_link_knows_when_one_is_there(rf, path, here):
    html = render('{% nav_link "/jobs/" "Jobs" %}', request=rf.get(path))
    assert ('aria-current="page"' in html) == here


def test_home_is_not_above_every_page(rf):
    assert "aria-current" not in render('{% nav_link "/" "Home" %}', request=rf.get("/jobs/"))


def test_a_table_is_named_and_can_be_scrolled_by_keyboard():
    html = render(
        '{% table "By quartile, all" %}<tbody><tr><td>{{ x }}</td></tr></tbody>{% endtable %}',
        x="<",
    )
    assert 'tabindex="0"' in html
    assert 'aria-labelledby="table-by-quartile-all"' in html
    assert '<caption id="table-by-quartile-all"' in html
    assert "<td>&lt;</td>" in html


def test_simulated_data_carries_its_mark_on_a_chart():
    html = render(
        '{% chart "c" "Preferences" "Who won." marks=marks downloads=downloads %}<svg></svg>{% endchart %}',
        marks=["simulated"],
        downloads={"CSV": "/report.csv"},
    )
    assert words(html) == "Preferences simulated Who won. Download: CSV"
    assert '<a href="/report.csv"' in html


def test_a_field_is_labelled_explained_and_says_what_is_wrong():
    class Sample(forms.Form):
        name = forms.CharField(help_text="For your colleagues.")
        mail = forms.EmailField(required=False)
        kind = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect)

    html = str(Sample({"mail": "nobody"}))
    assert words(html) == (
        "Name For your colleagues. This field is required. "
        "Mail (optional) Enter a valid email address. Kind A This field is required."
    )
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert 'id="id_name_helptext"' in html
    assert 'id="id_name_error"' in html
    assert re.search(r'<fieldset[^>]+aria-describedby="id_kind_error"', html)


@pytest.mark.parametrize("name", [*components.register.tags, *components.register.filters])
def test_every_tag_is_documented_and_shown(name):
    documentation = (ROOT / "docs/components.md").read_text()
    assert re.search(rf"{{% {name} |\|{name}\b|{{% {name} %}}", documentation.replace("\\", ""))


def test_templates_use_no_class_that_no_style_sheet_knows():
    """A class that nobody styles is a misspelling, or left over."""
    known = set()
    for sheet in (ROOT / "config/static/css").glob("*.css"):
        known |= set(re.findall(r"\.([a-z][\w-]*)", sheet.read_text()))
    used = set()
    for template in (ROOT / "templates").rglob("*.html"):
        for value in re.findall(r'class="((?:{%.*?%}|[^"])*)"', template.read_text()):
            used |= set(re.sub(r"\S*{{.*?}}\S*|{%.*?%}", " ", value).split())
    assert used - known == set()

"""How decoded text is shown to people."""

from __future__ import annotations

import pytest

from decoding.display import DISPLAYS, Display


@pytest.mark.parametrize(
    ("language", "decoded", "shown"),
    [
        ("en", "&quot; the talks failed , &quot; he said .", '"The talks failed," he said.'),
        ("en", "the 12 . march", "The 12. March"),
        ("en", "it &apos;s five @-@ year @-@ old &amp; new &#91; 3 &#93;",
         "It's five-year-old & new [3]"),
        ("en", "a &#124; b &lt;unk&gt;", "A | b <unk>"),
        ("fr", "« oui » , dit l&apos; homme d&apos; hier .", "« Oui », dit l'homme d'hier."),
        ("ar", "تحدث الرئيس ، ثم غادر ؟", "تحدث الرئيس، ثم غادر؟"),
        ("zh", "他 在 2024 年 说 ： &quot; 谈 判 失 败 了 &quot; 。", '他在2024年说："谈判失败了"。'),
        ("zh-Hant", "我們 訪問 了 北京 。", "我們訪問了北京。"),
        ("ja", "彼 は 「 はい 」 と 言っ た 。", "彼は「はい」と言った。"),
    ],
)  # fmt: skip
def test_it_reads_as_people_write(language, decoded, shown):
    assert DISPLAYS["readable"].show(decoded, language) == shown


@pytest.mark.parametrize(
    ("decoded", "transliterated", "dropped"),
    [
        ("переговоры в Москве провалились .", "Peregovory v Moskve provalilis'.", "."),
        ("the 北京 talks with Путин failed .", "The BeiJing talks with Putin failed.",
         "The talks with failed."),
        ("in 北京 , « the straße » is closed – for 5 € .",
         'In BeiJing, "the strasse" is closed - for 5 EUR.', "In, the strae is closed for 5."),
        ("“ the end ” , he said …", '"The end", he said...', "The end, he said"),
        ("Путин said no .", "Putin said no.", "Said no."),
        ("Łódź , Đà Nẵng , Çağ", "Lodz, Da Nang, Cag", "D, Nng, a"),
    ],
)  # fmt: skip
def test_other_letters_than_ascii(decoded, transliterated, dropped):
    assert DISPLAYS["transliterated"].show(decoded) == transliterated
    assert DISPLAYS["paper"].show(decoded) == dropped


def test_what_is_not_wanted_is_not_done():
    text = "&quot; café &#124; , &quot;  said he ."
    assert Display().show(text) == text
    assert Display(non_ascii="drop").show(text) == "&quot; caf &#124; , &quot; said he ."
    assert Display(truecase=True).show("the end . the rest") == "The end . The rest"

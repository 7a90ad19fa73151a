from decoding.core.corpus.preparation import Preparation, PreparationOptions
from decoding.core.corpus.words import count_words, segmenter_of


def test_words_are_counted_as_the_metrics_cut_them():
    for language, text in {
        "zh": "我们在2024年访问了北京",
        "zh-Hant": "我們 訪問 了 北京",
        "ja": "彼ははいと言った",
        "en": "we visited Beijing in 2024",
    }.items():
        rules = PreparationOptions(language.partition("-")[0], segmenter=segmenter_of(language))
        assert count_words(text, language) == len(Preparation(rules).tokenize(text))


def test_what_is_written_without_blanks_comes_back_so():
    for language, text in {
        "zh": '他在2024年说："谈判失败了"，价格是3.5%。',
        "ja": "彼は「はい」と言った。",
    }.items():
        prepared = Preparation(PreparationOptions(language, segmenter=segmenter_of(language)))
        assert prepared.restore(prepared.prepare(text)) == text
    segmented = Preparation(PreparationOptions(segmenter="characters"))
    assert segmented.restore("我 们 在 这 里") == "我们在这里"
    assert Preparation().restore("我 们") == "我 们", "as it came"

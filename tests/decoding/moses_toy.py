"""A small Moses system as files, which tests may spoil."""

TABLE = """\
das haus ||| the house ||| 0.8 0.7 0.9 0.6 ||| 0-0 1-1 ||| 5 5 4 ||| |||
das ||| that ||| 0.3 0.2 0.4 0.3 ||| 0-0
das ||| the ||| 0.6 0.5 0.5 0.4 ||| 0-0 ||| 9 8 7
haus ||| building ||| 0.2 0.3 0.1 0.2 ||| 0-0
haus ||| house ||| 0.7 0.8 0.6 0.7 ||| 0-0
ist ||| is ||| 0.9 0.9 0.9 0.9 ||| 0-0
klein ||| small ||| 0.8 0.8 0.7 0.6 ||| 0-0
klein ||| little ||| 0.4 0.3 0.2 0.1
"""
REORDERING = """\
das haus ||| the house ||| 0.8 0.1 0.1 0.7 0.2 0.1
das ||| that ||| 0.6 0.2 0.2 0.6 0.2 0.2
das ||| the ||| 0.6 0.2 0.2 0.6 0.2 0.2
haus ||| building ||| 0.5 0.2 0.3 0.5 0.2 0.3
haus ||| house ||| 0.6 0.2 0.2 0.6 0.2 0.2
ist ||| is ||| 0.9 0.05 0.05 0.8 0.1 0.1
klein ||| small ||| 0.6 0.2 0.2 0.6 0.2 0.2
klein ||| little ||| 0.6 0.2 0.2 0.6 0.2 0.2
"""
ARPA = """\
\\data\\
ngram 1=11
ngram 2=5

\\1-grams:
-2.0\t<unk>
-99\t<s>\t-0.5
-1.0\t</s>
-0.8\tthe\t-0.4
-1.2\tthat\t-0.3
-1.1\thouse\t-0.2
-1.6\tbuilding
-0.9\tis\t-0.3
-1.3\tsmall\t-0.1
-1.4\tlittle
-1.5\tcar

\\2-grams:
-0.3\t<s> the
-0.4\tthe house
-0.5\thouse is
-0.6\tis small
-0.2\tsmall </s>

\\end\\
"""
INI = """\
# a comment
[input-factors]
0

[mapping]
0 T 0

[distortion-limit]
6

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=table input-factor=0 output-factor=0 table-limit=20
LexicalReordering name=LexicalReordering0 num-features=6 type=wbe-msd-bidirectional-fe-allff input-factor=0 output-factor=0 path=reordering
Distortion
KENLM name=LM0 factor=0 path=arpa order=2

[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.1
PhrasePenalty0= 0.1
TranslationModel0= 0.2 0.1 0.2 0.1
LexicalReordering0= 0.1 0.1 0.1 0.1 0.1 0.1
Distortion0= 1
LM0= 0.3
"""
OLD_INI = """\
[ttable-file]
0 0 0 4 table

[lmodel-file]
8 0 2 arpa

[distortion-file]
0-0 wbe-msd-bidirectional-fe-allff 6 reordering

[ttable-limit]
20

[distortion-limit]
6

[weight-t]
0.2
0.1
0.2
0.1

[weight-l]
0.3

[weight-d]
1
0.1
0.1
0.1
0.1
0.1
0.1

[weight-w]
-0.1
"""


def write_toy(folder, **changed):
    """Write the files (``table``, ``reordering``, ``arpa``, ``ini``), some of them changed."""
    files = {"table": TABLE, "reordering": REORDERING, "arpa": ARPA, "ini": INI, **changed}
    for name, content in files.items():
        content = content if isinstance(content, bytes) else content.encode()
        (folder / ("moses.ini" if name == "ini" else name)).write_bytes(content)
    return folder / "moses.ini"

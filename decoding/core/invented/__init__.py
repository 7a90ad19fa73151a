"""An invented language, Orvish, and news in it and in English, as parallel text of any size.

`meaning` draws what is told, `english` and `orvish` say it, `lexicon` holds the words of which
verbs take which subjects and objects, and `text` makes a corpus. docs/decisions says why.
"""

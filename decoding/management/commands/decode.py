"""``decode``: translate lines; n-best lists, diverse lists, lattices."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from evaluation.core.errors import InputError

if TYPE_CHECKING:
    from decoding.core.formats.nbest import NBestEntry
    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.search.graph import Derivation, DerivationList


class Command(BaseCommand):
    help = (
        "Translate lines of text with a system. Prints the best translation of each; with "
        "--nbest-output F writes lists to F as well, and without it lists that were asked for "
        "are printed instead."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--system", type=Path, required=True, metavar="DIR")
        parser.add_argument(
            "--input",
            type=Path,
            metavar="F",
            help="text, plain or gzipped (default: what comes in)",
        )
        parser.add_argument("--threads", type=int, default=1, metavar="T")
        lists = parser.add_argument_group("lists")
        lists.add_argument("--kbest", type=int, metavar="K", help="the K best derivations")
        lists.add_argument(
            "--unique", action="store_true", help="the best derivation of each translation only"
        )
        lists.add_argument(
            "--nbest-output",
            type=Path,
            metavar="F",
            help="Moses' format, or JSON Lines if F ends in .jsonl; gzipped if it ends in .gz",
        )
        lists.add_argument("--alignment", action="store_true", help="with word alignments")
        lists.add_argument("--diverse", type=int, metavar="M", help="M diverse translations")
        lists.add_argument(
            "--n", type=int, default=4, help="words that translations should not share"
        )
        lists.add_argument(
            "--lambda",
            dest="strength",
            default="0.1",
            metavar="L",
            help="what sharing them costs; or one value for each translation, with commas",
        )
        lists.add_argument(
            "--distinct", action="store_true", help="no translation twice in a diverse list"
        )
        lists.add_argument(
            "--from-graph",
            action="store_true",
            help="find them in the graph of one search: faster in short lists, mostly the same",
        )
        lists.add_argument(
            "--per-list", type=int, default=1, metavar="K", help="M diverse times K best"
        )
        lists.add_argument(
            "--lattice-output",
            type=Path,
            metavar="F",
            help="the search graphs, as JSON Lines; gzipped if F ends in .gz",
        )
        lists.add_argument(
            "--lattice-within",
            type=float,
            metavar="X",
            help="only derivations that score at most X below the best (default: all)",
        )
        search = parser.add_argument_group("search")
        search.add_argument("--pop-limit", type=int, metavar="B", help="candidates for each stack")
        search.add_argument("--stack-limit", type=int, metavar="S", help="hypotheses of a stack")
        search.add_argument(
            "--threshold", type=float, metavar="X", help="how much worse they may be; 0: any"
        )

    def handle(
        self,
        *,
        system: Path,
        input: Path | None,  # noqa: A002
        threads: int,
        nbest_output: Path | None,
        **options: Any,
    ) -> None:
        from decoding.core.search.bulk import map_sentences, translate_lines
        from decoding.core.search.decoder import Decoder
        from decoding.core.system import System

        if threads < 1:
            raise CommandError(f"--threads is {threads}: one at least.")
        make = _maker(options)
        lattices = options["lattice_output"]
        search = _search_options(options)
        if lattices is not None and (make is not None or nbest_output is not None):
            raise CommandError("--lattice-output goes with best translations, not with lists.")
        if make is None and nbest_output is not None:
            raise CommandError("--nbest-output needs --kbest K or --diverse M.")
        decoder = Decoder(System.open(system))
        lines = _lines(input)
        known = lines if isinstance(lines, list) else None
        bar = tqdm(
            total=known and len(known), unit="sentence", file=sys.stderr, disable=None,
            dynamic_ncols=True,
        )  # fmt: skip
        try:
            if lattices is not None:
                self._write_lattices(decoder, lines, search, threads, options, bar)
                return
            if make is None:
                for text, _ in translate_lines(decoder, lines, search, threads=threads):
                    self.stdout.write(text)
                    bar.update()
                return
            lists = map_sentences(
                decoder, lines, lambda sentence: make(decoder, sentence, search), threads=threads
            )
            self._write(lists, nbest_output, bar)
        except InputError as error:
            name = input if input is not None else "standard input"
            raise InputError(
                error.problem, path=error.path or name, line=error.line, hint=error.hint
            ) from error
        finally:
            bar.close()

    def _write_lattices(
        self,
        decoder: Decoder,
        lines: Iterable[str],
        search: SearchOptions,
        threads: int,
        options: dict[str, Any],
        bar: tqdm[Any],
    ) -> None:
        """Lattices to a file, best translations to standard output."""
        from decoding.core.formats.text import write_utf8
        from decoding.core.search.bulk import map_sentences
        from decoding.core.search.lattice import Lattice, lattice_of

        def work(sentence: Any) -> tuple[str | None, Lattice]:
            graph = decoder.search(sentence, search)
            text = graph.best().text if graph.found else None
            return text, lattice_of(graph, within=options["lattice_within"])

        def records() -> Iterator[str]:
            found = map_sentences(decoder, lines, work, threads=threads)
            for number, (text, lattice) in enumerate(found):
                if text is None:
                    raise _untranslatable(number)
                self.stdout.write(text)
                bar.update()
                yield lattice.as_json(number) + "\n"

        write_utf8(options["lattice_output"], records())

    def _write(
        self, lists: Iterable[list[NBestEntry]], output: Path | None, bar: tqdm[Any]
    ) -> None:
        """Lists to a file and their first translations to standard output, or lists to there."""
        from dataclasses import replace

        from decoding.core.formats.nbest import format_moses, write_nbest

        def numbered() -> Iterator[NBestEntry]:
            for number, found in enumerate(lists):
                if not found:
                    raise _untranslatable(number)
                if output is not None:
                    self.stdout.write(found[0].text)
                for made in found:
                    # Bars part the fields, so the translation has them as Moses escapes them.
                    text = made.text.replace("|||", "&#124;&#124;&#124;")
                    yield replace(made, sentence=number, text=text)
                bar.update()

        if output is not None:
            write_nbest(output, numbered())
        else:
            for made in numbered():
                self.stdout.write(format_moses(made))


def _untranslatable(number: int) -> InputError:
    return InputError(
        "the sentence has no translation", line=number + 1, hint="Raise the distortion limit."
    )


def _maker(options: dict[str, Any]) -> Callable[..., list[NBestEntry]] | None:
    """What makes a sentence's list, or None if best translations are all that is wanted."""
    from decoding.core.diversity.lattice import diverse_from_graph
    from decoding.core.diversity.lists import DiversityOptions, diverse_list

    kbest, diverse, unique, aligned = (
        options[name] for name in ("kbest", "diverse", "unique", "alignment")
    )
    per_list = options["per_list"]
    if kbest is not None and diverse is not None:
        raise CommandError("--kbest and --diverse are two kinds of lists: give one of them.")
    if (kbest is not None and kbest < 1) or per_list < 1:
        raise CommandError("A list needs one translation at least.")
    if kbest is not None:

        def best(decoder: Decoder, sentence: Any, search: SearchOptions) -> list[NBestEntry]:
            graph = decoder.search(sentence, search)
            return entries(decoder, graph.best_derivations(kbest, unique=unique), aligned)

        return best
    if diverse is not None:
        wanted = DiversityOptions(
            diverse, options["n"], _strength(options["strength"]), distinct=options["distinct"]
        )

        if options["from_graph"]:
            if per_list > 1:
                raise CommandError("--per-list needs a search for each list, not --from-graph.")
            if options["distinct"]:
                raise CommandError("--distinct needs a search for each entry, not --from-graph.")

            def found(decoder: Decoder, sentence: Any, search: SearchOptions) -> list[NBestEntry]:
                listed = diverse_from_graph(decoder.search(sentence, search), wanted)
                return [derived(decoder, one, aligned) for one in listed]

            return found

        def varied(decoder: Decoder, sentence: Any, search: SearchOptions) -> list[NBestEntry]:
            rounds = diverse_list(decoder, sentence, wanted, search, keep=per_list > 1)
            if per_list == 1:  # a list without repetitions may hold another than a graph's best
                return [derived(decoder, one.best, aligned) for one in rounds]
            lists = [r.best_derivations(per_list, unique=unique) for r in rounds]
            return [made for listed in lists for made in entries(decoder, listed, aligned)]

        return varied
    return None


def _strength(text: str) -> float | tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        raise CommandError(f"--lambda is {text!r}, not a number or several with commas.") from None
    return values[0] if len(values) == 1 else values


def _search_options(options: dict[str, Any]) -> SearchOptions:
    from decoding.core.search.decoder import SearchOptions

    default = SearchOptions()
    threshold = options["threshold"]
    return SearchOptions(
        pop_limit=default.pop_limit if options["pop_limit"] is None else options["pop_limit"],
        stack_limit=options["stack_limit"],
        threshold=default.threshold if threshold is None else threshold or None,
    )


def entries(decoder: Decoder, listed: DerivationList, aligned: bool) -> list[NBestEntry]:
    """Derivations as entries of an n-best list."""
    return [
        entry(
            decoder, listed.text(i), listed.features[i], float(listed.scores[i]),
            listed[i].alignment if aligned else "",
        )
        for i in range(len(listed))
    ]  # fmt: skip


def derived(decoder: Decoder, one: Derivation, aligned: bool) -> NBestEntry:
    """A derivation as an entry of an n-best list."""
    alignment = one.alignment if aligned else ""
    return entry(decoder, one.text, one.features, one.score, alignment)


def entry(decoder: Decoder, text: str, features: Any, score: float, alignment: str) -> NBestEntry:
    """An entry with Moses's names and order of features."""
    from decoding.core.formats.nbest import NBestEntry

    named = {
        name: tuple(features[columns].tolist())
        for name, columns in decoder.system.printed_columns.items()
    }
    return NBestEntry(0, text, named, score, alignment)


def _lines(path: Path | None) -> Iterable[str]:
    """The lines of a file, all at once, or of standard input as they come."""
    from decoding.core.formats.text import read_lines

    if path is not None:
        return list(read_lines(path, strict=False))
    return _standard_input()


def _standard_input() -> Iterator[str]:
    stream = getattr(sys.stdin, "buffer", None) or io.BytesIO(sys.stdin.read().encode())
    for number, line in enumerate(stream, 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte {error.start + 1} of the line is not UTF-8", line=number,
                hint="Send it as UTF-8.",
            ) from error  # fmt: skip
        yield text.removesuffix("\n").removesuffix("\r")

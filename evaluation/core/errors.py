"""The errors that Variorum raises on purpose.

They live at the bottom of the house (see docs/architecture.md), so that every core and every
shell can raise and catch the same ones. Each carries a sentence for the person who must act.
"""

from __future__ import annotations

from pathlib import PurePath


class VariorumError(Exception):
    """Anything that went wrong in a way that the project foresaw."""


class InputError(VariorumError):
    """What somebody gave us cannot be used: which file, which line, what is wrong, what to do.

    Shown as ``table.gz:17: expected 4 fields separated by |||, found 3. Hint.``; the same text in
    a form and in a terminal. ``line`` counts from 1.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | PurePath | None = None,
        line: int | None = None,
        hint: str = "",
    ) -> None:
        """Keep the parts, so that a form can place the error and a test can read them."""
        super().__init__(problem, path, line, hint)
        self.problem = problem
        self.path = path
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        """One sentence or two; a path is shown by its last part, for the rest is the server's."""
        where = PurePath(self.path).name if self.path is not None else ""
        if self.line is not None:
            where = f"{where}:{self.line}" if where else f"line {self.line}"
        text = f"{where}: {self.problem}" if where else self.problem
        return f"{text.rstrip('.')}. {self.hint}" if self.hint else text

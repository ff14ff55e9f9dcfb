"""What a reader remarks on its way: each remark once, with its count and places."""

# A remark names so many places and counts the others.
PLACES = 5


class Notes:
    """Remarks with how often and where; they merge in the order of the input."""

    def __init__(self) -> None:
        """Begin with no remark."""
        self._seen: dict[str, tuple[int, list[str], int]] = {}

    def add(self, text: str, place: str = "", count: int = 1, least: int = 1) -> None:
        """Count a remark ({n} in it is the count); it is shown from `least` on."""
        self._add(text, [place] if place else [], count, least)

    def merge(self, other: "Notes") -> None:
        """Take in what a later part of the input remarked."""
        for text, (count, places, least) in other._seen.items():
            self._add(text, places, count, least)

    def lines(self) -> list[str]:
        """One line a remark, in order of first sight, with its first places.

        >>> notes = Notes()
        >>> notes.add("{n} of the log-probs -inf", "a.txt: line 3")
        >>> notes.lines()
        ['a.txt: line 3: 1 of the log-probs -inf']
        """
        return [
            _with_places(text.replace("{n}", str(count)), places, count)
            for text, (count, places, least) in self._seen.items()
            if count >= least
        ]

    def _add(self, text: str, places: list[str], count: int, least: int) -> None:
        seen, known, _ = self._seen.get(text, (0, [], least))
        kept = [*known, *places][:PLACES]
        self._seen[text] = (seen + count, kept, least)


def _with_places(text: str, places: list[str], count: int) -> str:
    if len(places) < 2:
        return f"{places[0]}: {text}" if places else text
    more = f" and {count - len(places)} more" if count > len(places) else ""
    return f"{places[0]}: {text} (also {'; '.join(places[1:])}{more})"

"""The form of a page's text."""

from __future__ import annotations

from dataclasses import dataclass, replace

FILE_KEPT = (
    "The file is kept in this program's memory for your session only, until some minutes after you have left. While it "
    "is read, and while work on it runs, there are copies in a private folder on the server's disk; they are removed "
    "when that ends."
)
"""Told beside every upload."""


@dataclass(frozen=True)
class PageText:
    """Menu entry, title and introduction of a page.

    Attributes
    ----------
    menu : str
        Short name in the navigation.
    icon : str
        Material symbol of the page.
    title : str
        Heading of the page.
    lead : str
        One sentence: the question the page answers.
    how_to_read : str
        Markdown of the explanation that the button opens.
    help_key : bool
        Whether the key H opens it, too; a page may have another use for the key.
    number_lead, number_how_to_read : str
        The same of a model of a number; empty where both are spoken of in the same words.
    """

    menu: str
    icon: str
    title: str
    lead: str
    how_to_read: str
    help_key: bool = True
    number_lead: str = ""
    number_how_to_read: str = ""

    def spoken(self, *, of_number: bool) -> PageText:
        """Return the words for what the model is of."""
        if not of_number:
            return self
        return replace(
            self, lead=self.number_lead or self.lead, how_to_read=self.number_how_to_read or self.how_to_read
        )

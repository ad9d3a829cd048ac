"""Reviews on the server that tests of the queue share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from queue_page import Review, reviews

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def review(browser: Browser, queue_server, request: pytest.FixtureRequest) -> Iterator[Callable[..., Review]]:
    """A maker of reviews on the server that tests share."""
    with reviews(browser, queue_server, request.node.name) as make:
        yield make

"""The browser of the pages' tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser(browser_when_asked: Callable[[], Browser]) -> Browser:
    return browser_when_asked()

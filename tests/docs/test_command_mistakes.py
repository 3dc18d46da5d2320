"""The page of messages shows what the program prints."""

import pytest

from tests.docs.command_mistakes import PAGE, page


@pytest.mark.slow
def test_page_of_messages_shows_the_messages_of_the_program():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.docs.command_mistakes"

"""What the tests of tags share."""

import pytest

from referee.tags import Vocabulary
from tests.tags.speaking import LANGUAGES, Ear, vocabulary_of


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return vocabulary_of(*LANGUAGES)


@pytest.fixture(scope="session")
def heard(vocabulary: Vocabulary) -> Ear:
    return Ear(vocabulary)

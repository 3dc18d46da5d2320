from judging.prompting.methods import IN_WORDS, METHODS


def test_every_method_is_told_in_words():
    assert IN_WORDS.keys() == METHODS.keys()

"""What a prompt asks is found amid talk, code and logs, in several languages."""

import pytest
from talk_with_questions import PROMPTS

from milepost.text.asking import the_part_that_asks
from milepost.text.words import content_words

# So many words of the talk around it may come along with a question.
WORDS_MORE = 5


@pytest.mark.parametrize(("prompt", "asked"), PROMPTS, ids=[asked[:60] for _, asked in PROMPTS])
def test_the_question_is_found_amid_talk(prompt: str, asked: str) -> None:
    part = the_part_that_asks(prompt)
    wanted, given = set(content_words(asked)), set(content_words(part))
    assert wanted <= given, part
    assert len(given - wanted) <= WORDS_MORE, part


def test_a_short_question_is_asked_as_it_is() -> None:
    for question in ("Where is it?", "go-live date", "Hey! Hope all is well. Who has the key?"):
        assert the_part_that_asks(question) == question


def test_a_question_that_says_too_little_brings_the_sentence_before_it() -> None:
    talk = "It rained all day and the trains were late, so I stayed at home and read. "
    part = the_part_that_asks(talk + "Petra told me of a guesthouse in Kotor. What was its name?")
    assert part == "Petra told me of a guesthouse in Kotor. What was its name?"


def test_why_alone_is_asked_with_what_it_is_about() -> None:
    talk = "The coffee is cold, the heating hums, and nobody is in the office but the plants. "
    part = the_part_that_asks(talk + "Our staging database refuses new connections. Why?")
    assert part == "Our staging database refuses new connections. Why?"


def test_a_long_sentence_is_asked_by_its_clause() -> None:
    part = the_part_that_asks(
        "I'm reviewing the billing change from Ana and it touches the retries in three places and "
        "I am a bit lost, what was the reason that we capped the retries of payments at three?"
    )
    assert part == "what was the reason that we capped the retries of payments at three?"


def test_a_situation_and_its_question_in_one_sentence_stay_together() -> None:
    question = "I'm making the flourless cake from the reception, how hot is the oven?"
    part = the_part_that_asks(f"Morning, all. The sun is out and I found flour. {question} Thanks!")
    assert part == question


def test_two_questions_in_a_row_are_asked_together() -> None:
    asked = "When did Ana move to Lisbon? And who helped her to carry the sofa?"
    talk = "I am writing the family letter and mix up all the dates again, as every single year."
    assert the_part_that_asks(f"{talk} {asked} It goes out on Friday.") == asked


def test_courtesy_is_no_question() -> None:
    statement = (
        "The importer for the old ledger format drops the last line of every file when there is "
        "no line break at its end, and nobody noticed for a year."
    )
    for courtesy in ("Could you help me?", "What do you think?", "Does that make sense?", "Right?"):
        prompt = f"{statement} {courtesy}"
        assert the_part_that_asks(prompt) == prompt


def test_where_nothing_asks_the_beginning_and_the_end_are_kept() -> None:
    words = [f"word{number}" for number in range(500)]
    kept = the_part_that_asks(" ".join(words)).split()
    assert kept[0] == "word0"
    assert kept[-1] == "word499"
    assert len(kept) == 120


def test_the_part_that_asks_asks_itself() -> None:
    for prompt, _ in PROMPTS:
        part = the_part_that_asks(prompt)
        assert set(content_words(the_part_that_asks(part))) == set(content_words(part))


def test_a_situation_told_in_one_sentence_stays_with_its_question() -> None:
    question = (
        "Somebody travelling in the eastern Mediterranean got a confirmation for the day before "
        "the one she had picked. Which piece of code was to blame?"
    )
    assert the_part_that_asks(question) == question


def test_a_question_without_its_mark_ends_where_talk_goes_on() -> None:
    asked = "how do i make the tests run only on changed files"
    for before, after in (
        (
            "hey quick one, ",
            ", ive been at this for an hour and the docs send me in circles",
        ),
        ("ok the branch is green again and i pushed it, thx for the review. ", " cos i need it"),
        ("so i am on the train and thought of it again ", " because lena asked me this morning"),
        ("I finished the first part of the list this morning. ", " They will ask me on day one."),
    ):
        assert the_part_that_asks(before + asked + after) == asked


def test_the_words_that_say_that_something_is_asked_are_left_out() -> None:
    talk = "the new guy sits next to me and asks about everything, which is good for all of us, "
    for frame in ("need to know", "tell me", "i cant remember", "was wondering", "please look up"):
        part = the_part_that_asks(f"{talk}{frame} where the retry limit of the importer is set")
        assert part == "where the retry limit of the importer is set"


def test_what_is_announced_is_asked_whatever_its_form() -> None:
    part = the_part_that_asks(
        "context: new laptop, fresh install, nothing configured yet but the editor and git, and i "
        "lost my notes\nquestion: retry limit of the importer"
    )
    assert part == "retry limit of the importer"


def test_a_prompt_that_asks_nothing_is_searched_whole() -> None:
    for prompt in (
        (
            "fix the failing test in src/x.py and push, then rename the helper that reads the "
            "dates, which is still called like the old module, and bump the patch version"
        ),
        (
            "I rebased the branch, which took a while, and the pipeline is green. Add a column for "
            "the phone number where users are listed, and do the same for the export."
        ),
    ):
        assert the_part_that_asks(prompt) == prompt

"""Who speaks is read off the beginning of a text, where a person is named there."""

import pytest

from milepost.text.speakers import OPENING, called, spoken

SPOKEN = [
    ("Ines: We keep the standup", "Ines", "We keep the standup"),
    ("[10:32] Ines: ok", "Ines", "ok"),
    ("[14.03.25, 10:32:11] Ines: ok", "Ines", "ok"),
    ("14.03.2025, 10:32 - Ines Calder: ok", "Ines Calder", "ok"),
    ("(10:32 PM) Ines: ok", "Ines", "ok"),
    ("**Ines**: ok", "Ines", "ok"),
    ("**Ines:** ok", "Ines", "ok"),
    ("- Ines: ok", "Ines", "ok"),
    ("> Ines: ok", "Ines", "ok"),
    ("Ines (PM): ok", "Ines", "ok"),
    ("Ines:\nWe keep it", "Ines", "We keep it"),
    ("Ines: keep it\nInes: please\nNote: soon", "Ines", "keep it\nInes: please\nNote: soon"),
    ("@ines: can you look?", "ines", "can you look?"),
    ("Jean-Luc Moreau: bien", "Jean-Luc Moreau", "bien"),
    ("Siobhan O'Hara: fine", "Siobhan O'Hara", "fine"),
    ("Kirsty Williams AM: thank you", "Kirsty Williams AM", "thank you"),
    ("Dr. Szymborska: take two", "Dr. Szymborska", "take two"),
    ("Frau Niemeyer: das Rad ist fertig", "Frau Niemeyer", "das Rad ist fertig"),
    ("Jürgen: das Rad ist fertig", "Jürgen", "das Rad ist fertig"),
    ("Lucía: vale", "Lucía", "vale"),
    ("Ольга: готово", "Ольга", "готово"),
    ("刘倩：预算批了", "刘倩", "预算批了"),
    ("小王: 好的", "小王", "好的"),
]


@pytest.mark.parametrize(("text", "speaker", "said"), SPOKEN)
def test_a_person_who_opens_a_text_speaks_it(text: str, speaker: str, said: str) -> None:
    assert spoken(text) == (speaker, said)


@pytest.mark.parametrize(
    "text",
    [
        "Note: the cache is cold",
        "TODO: warm the cache",
        "Fix: warm the cache",
        "fix: warm the cache",
        "feat(cache): warm it",
        "Error: no space left on device",
        "Warning: deprecated",
        "Decision: we take Redis",
        "Docs: spelling",
        "CI: run on main",
        "Ruby: 3.2",
        "Travis: run on main",
        "Python: 3.12",
        "src/app.py: the entry point",
        "https://ines.example/x",
        "Q: what is it?",
        "A: a cache",
        "user: hello",
        "assistant: hello",
        "User: hello",
        "System: be kind",
        "@param: the cache",
        "Achtung: heiß",
        "Problem: die Bremse quietscht",
        "Beschluss: wir nehmen die zweite Bremse",
        "Frage: wer kommt?",
        "Hinweis: nicht waschen",
        "Nota: mañana no hay reunión",
        "Decisión: nos quedamos",
        "Mai: Urlaub",
        "June: holidays",
        "Domingo: cerrado",
        "Внимание: горячо",
        "方案：用缓存",
        "任务: 预热",
        "周五：发布",
        "Ines says: we keep it",
        "ines:no",
        "Ines: ",
        "at 10:32 Ines came",
        "INES: 4",
        "Ines: we keep it\nTobias: fine",
        "Ines: we keep it\n\n[10:33] **Tobias**: fine",
        "",
    ],
)
def test_what_else_stands_before_a_colon_is_no_speaker(text: str) -> None:
    assert spoken(text) == (None, text)


@pytest.mark.parametrize("text", [text for text, *_ in SPOKEN])
def test_the_beginning_of_a_text_tells_as_much_as_the_whole(text: str) -> None:
    assert spoken((text + " and so on" * 40)[:OPENING])[0] == spoken(text)[0]


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Ines Calder", "ines"),
        ("Lucía", "lucia"),
        ("Mrs. Okafor", "okafor"),
        ("Professor B", "b"),
        ("Project Manager", "project manager"),
        ("ines", "ines"),
        ("刘倩", "刘倩"),
        ("deploy-bot", "deploy-bot"),
    ],
)
def test_an_author_is_called_by_one_name(author: str, name: str) -> None:
    assert called(author) == name

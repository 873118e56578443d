"""Take German compounds apart at nouns that many of them are made of."""

from collections.abc import Iterator

_LENGTH_MIN, _LENGTH_MAX = 8, 40
_PART_MIN = 3
# Common nouns, umlauts folded; the other part of a compound need not be among them.
_NOUNS = frozenset(
    "abend abteilung adresse akte amt angebot anlage anruf antrag antwort arbeit artikel arzt "
    "aufgabe auftrag auge ausgabe auto bad bahn ball band bank bau baum beitrag bereich bericht "
    "beruf besuch betrieb bett bild blatt boden brief bruder buch buro chef computer dach datei "
    "daten dienst ding dokument dorf druck eingabe ende essen fach fahrer fahrt fall familie "
    "farbe fehler feld fenster ferien fest feuer film firma fisch flasche fleisch flug form frage "
    "frau freund frist funktion fuss garten gast gebiet geburt gefahr gehalt geld gerat gericht "
    "geschaft geschichte gesetz gesprach glas grenze grund gruppe haar hafen halle hand handel "
    "haus heft heim heizung hemd herz hilfe hof holz hotel hund idee jahr kabel kaffee kalender "
    "kamera karte kasse kauf keller kind kirche klasse kleid klinik konto kopf kosten kraft kreis "
    "krieg kuche kunde kunst kurs lager lampe land leben lehrer leiter leitung licht liebe "
    "lieferung liste lohn losung luft mann markt maschine material meer meister meldung menge "
    "messer miete minute mittag mittel monat motor mull musik mutter nacht name netz nummer "
    "objekt ofen ordner ort paket papier park partner pause pflicht plan platte platz post preis "
    "problem produkt programm projekt protokoll prufung punkt rad raum rechner rechnung recht "
    "regal regel reihe reise rente ring rohr sache salz satz schaden schein schicht schiff "
    "schloss schlussel schnittstelle schrank schrift schuh schule schutz see seite sendung server "
    "sicherheit sitz sitzung sommer sonne speicher spiel sport sprache stadt stand stein stelle "
    "steuer stoff strasse strom stuck stuhl stunde system tag tasche tasse technik teil telefon "
    "termin test text tier tisch tochter tor tour turm ubung uhr umgebung unfall unterlage "
    "unterricht urlaub vater verein verkehr vertrag vertreter verwaltung wagen wahl wald wand "
    "ware wasser wechsel weg wein welle welt werk werkzeug wert wetter wind winter woche wohnung "
    "wort zahl zahlung zahn zeichen zeit zeitung zentrum zettel zeug ziel zimmer zug zugang "
    "zustand zweck".split()
)
_LINKS = ("es", "en", "s", "n")


def compound_parts(word: str) -> tuple[str, ...]:
    """Return the two parts of a lower-case compound without umlauts; none where it has none."""
    if not _LENGTH_MIN <= len(word) <= _LENGTH_MAX:
        return ()
    for place in range(_PART_MIN, len(word) - _PART_MIN + 1):
        if not _NOUNS.isdisjoint(_forms(word[place:], ("en", "es", "er", "s", "n", "e"))):
            return (_unlinked(word[:place]), word[place:])
    for place in range(len(word) - _PART_MIN, _PART_MIN, -1):
        head = _unlinked(word[:place])
        if head in _NOUNS:
            return (head, word[place:])
    return ()


def _unlinked(head: str) -> str:
    return next((form for form in _forms(head, _LINKS) if form in _NOUNS), head)


def _forms(word: str, endings: tuple[str, ...]) -> Iterator[str]:
    yield word
    for ending in endings:
        if word.endswith(ending):
            yield word[: -len(ending)]

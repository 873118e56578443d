"""Tell the language of a text by its function words, and stem its words in that language."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from functools import cache, lru_cache
from importlib import import_module

# The commonest words that carry no meaning of their own, as they are written.
_FUNCTION_WORDS = {
    "german": (
        "der die das den dem des ein eine einen einem einer eines und oder aber auch nicht kein "
        "keine keinen ist sind war waren bin bist sein hat habe haben hatte hatten wird werden "
        "wurde wurden worden würde kann können konnte muss müssen soll sollen sollte will wollen "
        "darf ich du er sie es wir ihr mich mir dich dir ihn ihm ihnen uns euch mein meine dein "
        "seine seinen ihre ihren unser unsere euer sich man was wer wen wem wie wo wann warum "
        "wieso weshalb woher wohin womit wofür woran worauf worüber welche welcher welches welchen "
        "in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter für gegen ohne um "
        "durch bis seit während wegen als wenn dann denn weil dass daß ob damit da dort hier jetzt "
        "noch schon nur sehr so mal doch ja nein nun also etwas nichts mehr wieder immer dieser "
        "diese dieses diesem diesen jeder jede jedes alle alles wurde eigentlich eben halt gerade"
    ),
    "spanish": (
        "el la los las lo un una unos unas de del al a ante con contra desde durante en entre "
        "hacia hasta para por según sin sobre tras y e o u ni pero sino aunque porque pues si que "
        "qué quién quien quienes cuál cuáles cual cómo como cuándo cuando dónde donde cuánto "
        "cuánta cuántos cuántas yo tú él ella ellos ellas nosotros vosotros usted ustedes me te se "
        "nos os le les mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta esto estos "
        "estas ese esa eso esos esas aquel aquella aquello es son era eran fue fueron ser sido soy "
        "eres somos está están estaba estaban estar estoy ha han he has hemos había habían hay "
        "haber no sí ya más menos muy también tampoco siempre nunca aquí allí ahora así entonces "
        "todo toda todos todas otro otra otros otras algo alguien alguno nada nadie cada mismo "
        "misma tan tanto"
    ),
    "french": (
        "le la les l un une des du de d au aux à dans en sur sous avec sans pour par chez vers "
        "entre et ou mais donc or ni car que qu qui quoi quel quelle quels quelles dont où comment "
        "quand pourquoi combien je j tu il elle on nous vous ils elles me te se s m t lui leur "
        "leurs y mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces c cela ça "
        "est es suis sommes êtes sont était étaient été être sera ai as a avons avez ont avait "
        "avaient avoir fait faire ne n pas plus moins jamais rien aussi très bien encore déjà "
        "toujours si comme parce puis alors ici là tout toute tous toutes autre autres même peu "
        "trop"
    ),
    "italian": (
        "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli "
        "alle da dal dalla dai dalle in nel nella nei nelle su sul sulla con per tra fra e ed o ma "
        "però anche se che chi cui cosa quale quali come quando dove perché quanto quanta quanti "
        "quante io tu lui lei noi voi loro mi ti si ci vi ne mio mia tuo tua suo sua nostro nostra "
        "questo questa questi queste quello quella quelli quelle è sono sei siamo era erano stato "
        "stata essere ho hai ha abbiamo avete hanno aveva avevano avere non più molto poco già "
        "ancora sempre mai così poi qui là tutto tutti tutta tutte altro altri ogni stesso"
    ),
    "portuguese": (
        "o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela "
        "pelos pelas para com sem sob sobre entre até desde e ou mas nem que quem qual quais como "
        "quando onde porque quanto quantos eu tu ele ela nós vós eles elas você vocês me te se lhe "
        "meu minha teu tua seu sua seus suas nosso nossa este esta isto esse essa isso aquele "
        "aquela aquilo é são era eram foi foram ser sido sou somos está estão estava estavam estar "
        "tem têm tinha ter há havia não sim já mais menos muito também sempre nunca aqui ali lá "
        "agora então assim ainda tudo todo todos todas outro outra mesmo cada algo nada"
    ),
    "dutch": (
        "de het een en of maar want dus dat die dit deze wie wat waar wanneer waarom hoe welke "
        "welk ik jij je u hij zij ze wij we jullie mij me hem haar ons hun mijn jouw zijn onze is "
        "was waren ben bent zijn wordt worden werd werden geworden heb hebt heeft hebben had "
        "hadden kan kunnen kon moet moeten moest zal zullen zou zouden wil willen mag niet geen "
        "wel ook nog al er hier daar nu dan toen te in op aan van voor met bij naar uit over onder "
        "tegen zonder door om tot sinds als omdat zich men iets niets meer zeer heel veel weer "
        "altijd alleen"
    ),
    "swedish": (
        "och att det den de en ett i på av för med till från om är var vara varit blir blev har "
        "hade ha kan kunde ska skulle vill ville måste får fick jag du han hon vi ni mig dig honom "
        "henne oss er dem sig min mitt mina din ditt sin sitt sina vår vårt våra deras inte icke "
        "men eller utan så som vad vem vilken vilket vilka när där hur varför här nu då också bara "
        "mycket mer än under över efter innan mot hos vid alla allt någon något några ingen inget "
        "detta denna dessa ju väl"
    ),
    "danish": (
        "og at det den de en et i på af for med til fra om er var være været bliver blev har havde "
        "have kan kunne skal skulle vil ville må jeg du han hun vi mig dig ham hende os jer dem "
        "sig min mit mine din dit sin sit sine vores deres ikke men eller så som hvad hvem hvilken "
        "hvilket hvor hvornår hvorfor hvordan når der her nu da også kun meget mere end under over "
        "efter før mod hos ved alle alt nogen noget nogle ingen intet dette denne disse jo blandt"
    ),
    "norwegian": (
        "og at det den de en et ei i på av for med til fra om er var være vært blir ble har hadde "
        "ha kan kunne skal skulle vil ville må jeg du han hun vi meg deg ham henne oss dere dem "
        "seg min mitt mine din ditt sin sitt sine vår vårt våre deres ikke men eller så som hva "
        "hvem hvilken hvilket hvor hvorfor hvordan når der her nå da også bare mye mer enn under "
        "over etter før mot hos ved alle alt noen noe ingen dette denne disse jo bli blitt"
    ),
    "polish": (
        "i w we z ze na do od po za przez dla o u przy pod nad bez oraz a ale lub albo więc bo że "
        "żeby aby jeśli gdy kiedy jak gdzie dlaczego czemu co kto kogo komu czego który która "
        "które których jaki jaka jakie ile ja ty on ona ono my wy oni one mnie mi ciebie ci go jej "
        "jego ich im nas nam was wam się siebie mój moja moje twój jest są był była było były być "
        "będzie będą jestem ma mam mają miał nie tak już jeszcze tylko też także bardzo tu tam "
        "teraz ten ta to te tego tej tych tym wszystko każdy"
    ),
    "turkish": (
        "ve veya ile ama fakat ancak çünkü için gibi kadar göre sonra önce bir bu şu o ben sen biz "
        "siz onlar bana sana ona bize size onlara beni seni onu benim senin onun bizim sizin "
        "onların ne neden niçin nasıl nerede nereye kim kimi hangi kaç mi mı mu mü değil var yok "
        "da de ki daha en çok az her hep hiç bazı tüm bütün şey ise idi olan olarak olduğu oldu "
        "olacak olur şimdi burada orada böyle öyle"
    ),
    "russian": (
        "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее "
        "её мне было вот от меня еще ещё нет о из ему теперь когда даже ну ли если уже или ни быть "
        "был была были него до вас нибудь уж вам ведь там потом себя ей может они тут где есть "
        "надо ней для мы тебя их чем сам чтоб чтобы без кто какой какая какие какого это этот эта "
        "эти этого тот та те того почему зачем сколько который которая которые нас нам при об"
    ),
}
# Words that ask, and the pronouns and auxiliaries about them: a question has them, its answer not.
_ASKING = {
    "german": (
        "was wer wen wem wie wo wann warum wieso weshalb woher wohin womit wofür woran worauf "
        "worüber welche welcher welches welchen ist sind war waren bin bist hat habe haben "
        "hatte hatten wird werden wurde wurden kann können konnte muss müssen soll sollen "
        "sollte will wollen ich du er sie es wir ihr mich mir uns sich man wenn dass ob weil"
    ),
    "spanish": (
        "qué que quién quien quienes cuál cuáles cual cómo como cuándo cuando dónde donde "
        "cuánto cuánta cuántos cuántas es son era eran fue fueron está están estaba estaban ha "
        "han he has hemos había habían hay yo tú él ella ellos ellas me te se nos os le les su "
        "sus si pero"
    ),
    "french": (
        "que qu qui quoi quel quelle quels quelles où comment quand pourquoi combien est es "
        "suis sommes êtes sont était étaient ai as a avons avez ont avait avaient je j tu il "
        "elle on nous vous ils elles me te se s m t lui leur ce c si"
    ),
    "italian": (
        "che chi cui cosa quale quali come quando dove perché quanto quanta quanti quante è "
        "sono sei siamo era erano ho hai ha abbiamo avete hanno aveva avevano io tu lui lei noi "
        "voi loro mi ti si ci vi se"
    ),
    "portuguese": (
        "que quem qual quais como quando onde porque quanto quantos é são era eram foi foram "
        "está estão estava estavam tem têm tinha há eu tu ele ela nós eles elas você vocês me "
        "te se lhe"
    ),
    "dutch": (
        "wie wat waar wanneer waarom hoe welke welk is was waren ben bent zijn wordt worden "
        "werd werden heb hebt heeft hebben had hadden kan kunnen kon moet moeten moest zal "
        "zullen zou zouden wil willen ik jij je u hij zij ze wij we jullie mij me hem haar ons "
        "zich er als"
    ),
    "swedish": (
        "vad vem vilken vilket vilka när var hur varför är blir blev har hade kan kunde ska "
        "skulle vill ville måste får fick jag du han hon vi ni mig dig honom henne oss er dem "
        "sig om"
    ),
    "danish": (
        "hvad hvem hvilken hvilket hvor hvornår hvorfor hvordan er var bliver blev har havde "
        "kan kunne skal skulle vil ville må jeg du han hun vi mig dig ham hende os jer dem sig "
        "om"
    ),
    "norwegian": (
        "hva hvem hvilken hvilket hvor hvorfor hvordan når er var blir ble har hadde kan kunne "
        "skal skulle vil ville må jeg du han hun vi meg deg ham henne oss dere dem seg om"
    ),
    "polish": (
        "kiedy jak gdzie dlaczego czemu co kto kogo komu czego który która które których jaki "
        "jaka jakie ile jest są był była było były będzie będą ma mam mają miał ja ty on ona my "
        "wy oni mnie mi ci go jej jego ich im nas nam was wam się czy jeśli"
    ),
    "turkish": (
        "ne neden niçin nasıl nerede nereye kim kimi hangi kaç mi mı mu mü var yok ben sen biz "
        "siz onlar bana sana ona bize size beni seni onu ise idi oldu olur"
    ),
    "russian": (
        "что кто как где когда почему зачем сколько какой какая какие какого который которая "
        "которые чем был была было были есть быть я ты он она мы вы они мне меня нас нам вас "
        "вам его её ее их ему ей себя ли если"
    ),
}
# What is a word, a name or a piece of code in English text as well says nothing.
_ENGLISH_TOO = frozenset(
    "a after ai al all alle alles also alt am an and ante are as at az bare be been ben bin bis "
    "biz ble but by c ca can car ci co com come comment contra cosa could d dal dan dig dir dit "
    "do does dont door dos due e ed ei end enda er era est et fait far fin for from fur go had "
    "halt ham han has hat have he her here him his hos how hun i if ik im in into io is it its ja "
    "jest jo l lei li m ma main mal mam man mas may me men met mi might mil min mine mio mit mod "
    "moi mon more most mot mu must my n nas ne ni no nod nom non not nu o of om on once one ono "
    "or os oss out over pa par pas per plus pod pour pro s same sans sei sen ser si sin sit size "
    "so som son soy ss still sua sui sul sur t ta tam tan ten than that the them then they this "
    "till to ton tout tu two u uber under up us utan val van var vara ve ver vi via vid vil ville "
    "von want war was wat we wen were what when where which who why "
    "will with would y yes you".split()
)
# What English text holds now and then, in names above all, counts for less.
_WEAK = frozenset(
    "con da das de del dem den der des di die du ein el en es het il ist la las le les lo los na "
    "op por se sie su te um un una zu".split()
)
_ENGLISH = frozenset(
    "a an the and or but if then of to in on at for with by from as is are was were be been do "
    "does did have has had i you he she it we they me him her us them my your his its our their "
    "this that these those what which who when where why how not no so than too very can could "
    "will would shall should may might must about into over under there here all any some such "
    "only up out just also get use after before because while between".split()
)
_ACCENT = re.compile("[\u0300-\u036f]")
_CYRILLIC = re.compile("[\u0401\u0410-\u044f\u0451]")
_NOT_RUSSIAN = re.compile("[\u0452-\u045f\u0491\u0456]")


def folded(text: str) -> str:
    """Return a text without accents and umlauts."""
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", text.replace("ß", "ss")))
    return unicodedata.normalize("NFC", bare)


_PLAIN = {name: frozenset(folded(words).split()) for name, words in _FUNCTION_WORDS.items()}
_TELLING = frozenset(w for w in frozenset().union(*_PLAIN.values()) - _ENGLISH_TOO if len(w) > 1)

# Words, as they are written, without which a text is taken for English at once.
SIGNS = _TELLING | frozenset(word.title() for word in _TELLING)
_SURE = 3
# What is longer is no word, and would take stemmers long.
WORD_MAX = 40


def languages_of(text: str, words: Iterable[str]) -> list[str]:
    """Return which languages a text with these words may be in, likeliest first; none: English."""
    held = [word.lower() for word in words]
    if in_cyrillic(text):
        russian = sum(_CYRILLIC.match(word) is not None for word in held)
        return ["russian"] if 2 * russian >= len(held) and not _NOT_RUSSIAN.search(text) else []
    signs = _TELLING.intersection(held)
    counts = {
        name: sum(word in empty for word in held)
        for name, empty in _PLAIN.items()
        if not empty.isdisjoint(signs)
    }
    best = max(counts.values(), default=0)
    if best <= sum(word in _ENGLISH for word in held):
        return []
    likely = [
        name
        for name, count in counts.items()
        if 5 * count >= 4 * best and _strength(signs & _PLAIN[name], text) >= _SURE
    ]
    return sorted(likely, key=lambda name: (-counts[name], -len(signs & _PLAIN[name])))


def in_cyrillic(text: str) -> bool:
    """Tell whether a text has Cyrillic letters."""
    return not text.isascii() and _CYRILLIC.search(text) is not None


def _strength(signs: Collection[str], text: str) -> int:
    """Return how much some words say: a long one is enough, three are where all are weak."""
    told = sum(1 if sign in _WEAK else 2 if len(sign) < 4 else 3 for sign in signs)
    return told if text.isascii() else told + 1


def function_words(language: str) -> frozenset[str]:
    """Return the words of a language that carry no meaning of their own, without accents."""
    return _PLAIN[language]


@cache
def asking_words(language: str) -> frozenset[str]:
    """Return the words by which a language asks, without accents."""
    return frozenset(folded(_ASKING[language]).split())


@lru_cache(maxsize=50_000)
def stem_in(language: str, word: str) -> str:
    """Return the stem of a lower-case word in a language, without accents."""
    if len(word) > WORD_MAX or not word.isalpha():
        return folded(word)
    return folded(_stemmer(language)(_accented(language, word)))


def _accented(language: str, word: str) -> str:
    """Give back the accent that the stemmer knows an ending by and that many do not type."""
    if language == "spanish" and word.endswith(("cion", "sion")):
        return word[:-2] + "ón"
    if language == "portuguese" and word.endswith("cao"):
        return word[:-3] + "ção"
    return word


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    # The module itself, not the package's door, behind which another implementation may stand.
    module = import_module(f"snowballstemmer.{language}_stemmer")
    stem: Callable[[str], str] = getattr(module, f"{language.title()}Stemmer")().stemWord
    return stem

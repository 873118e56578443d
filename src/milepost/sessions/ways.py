"""How a project is run, built and tested, as a user says it: a purpose, and the command for it.

"Run the tests with `tox -e py311`" holds from now on, for it names the command; "run the tests and
fix what fails" is work.
"""

# ruff: noqa: E501 -- a pattern is read in one piece

from __future__ import annotations

import re
from functools import cache

# Programs that nobody takes for a word, and those that one might, which need a word behind them.
_PROGRAM = (
    r"(?:npm|pnpm|yarn|npx|bunx?|deno|docker|docker-compose|podman|cargo|tox|nox|pytest|poetry|uv|uvx|pip|pipenv|pipx|python3?|ruby|bazel(?:isk)?|gradlew?|mvnw?|maven|rake|rails|dotnet|composer|php|artisan|flutter|cmake|ninja|ctest|kubectl|terraform|tofu|pre-commit|mkdocs|hugo|turbo|vite|vitest|jest|playwright|cypress|ruff|mypy|sbt|lein|cabal|meson|hatch|pdm|rye|pixi|conda|foreman|overmind|honcho|supabase|wrangler|vercel|netlify|ansible-playbook|vagrant|devbox|earthly|uvicorn|gunicorn|nodemon|skaffold|golangci-lint|eslint|phpunit|rspec|xcodebuild|adb|expo|ng|nx)"
    r"(?![\w.-])"
)
_WORDLIKE = r"(?:make|just|task|go|node|mix|helm|nix|stack|swift|invoke|inv|bundle|fly|tilt|zig|pants|buck2|dart|air)"
_COMMAND = (
    rf"(?:`(?:[a-z./~][\w./~:@+-]* [^`]+|\.{{0,2}}/[^`]+|{_PROGRAM}|make|tox)`|\.{{1,2}}/[\w./-]+|(?:[\w-]+/)+[\w-]+\.sh\b|{_PROGRAM}|scripts?/[\w./-]+"
    rf"|{_WORDLIKE} (?!(?:one|two|the|an?|it|this|that|these|for|to|sure|in|on|and|or|some|all|any|is|as|by|with|of|my|our|your|no|not|ahead|back|through|from|now|over|at|so|like|because|them|me|us|him|her|things|more|sense|their|every|each|use)\b)[\w:./-]+)"
)
_PURPOSE = (
    r"(?:run|start|launch|serve|build|compile|test|deploy|lint|format|migrate|seed|release|check|boot|spin up|bring up|(?:is|are|gets?) (?:run|started|built|compiled|tested|deployed|linted|launched|served|generated|formatted|brought up|set up|seeded|migrated|released|packaged|reset)"
    r"|see|view|preview|laufen|läuft|passent|corren|gebaut|getestet|gestartet|deployt|ausgeführt|starte?[nt]?|bau(?:e|en|t)|teste?[nt]?|deployt?|deployen|ausführen|kompilier\w+|lanc\w+|démarr\w+|tester|construi\w+|compil\w+|déploy\w+|exécut\w+|arrancar?|ejecuta\w*|probar|prueba|compila\w*|construir|desplegar|levanta\w*|lanzar|correr|rodar|roda|executar|testar|avvi\w+|esegu\w+|testare|draai\w*|bouw\w*|uruch\w+|zbudowa\w*|budowa\w*|spust\w*|sestav\w*|запус\w+|собр\w+|собира\w+|тестир\w+|збира\w+)\b"
)
_LINK = (
    r"(?:[:,]\s?)?(?:with|via|using|through|by|by running|by calling|use|run|type|do|execute|call|mit|per|über|avec|par|utilise[rz]?|lance[rz]?|con|usa(?:r|mos)?|com|use|met|przez|pomocą|pomocí|přes|через|командой|командою)[:,]?"
    r"|[:：]"
)
_WAY = (
    rf"^(?:[\w'’-]+[,:]? ){{0,5}}?{_PURPOSE}(?:[^,:;`]{{0,50}}?(?:\s|(?=[:,：]))|\s?)(?:{_LINK})\s?(?:you |just |simply )?(?-i:{_COMMAND})"
    rf"|^(?:[\w'’-]+[,:]? ){{0,2}}?(?:to|zum|zur|um|pour|para|per|чтобы|щоб|żeby|aby|om) [^,:;`]{{3,60}}\s?(?:[:：]|,\s?(?:{_LINK}))\s?(?:you |just |simply )?(?-i:{_COMMAND})"
    rf"|^(?:[\w'’-]+ ){{1,4}}?(?:is|are) done (?:with|by|via|using)\s?(?-i:{_COMMAND})"
    rf"|(?:启动|运行|测试|构建|编译|部署|打包)[^，。]{{0,10}}(?:用|使用|：|:)\s?(?-i:{_COMMAND})"
    rf"|(?:起動|実行|テスト|ビルド|デプロイ)(?:は|するには|：|:)\s?(?-i:{_COMMAND})|(?-i:{_COMMAND})\s?(?:で|로|으로)\s?(?:起動|実行|テスト|ビルド|실행|빌드|테스트)"
)
# For this once, asked of the agent, or told of what happened.
_ONCE = (
    r"\?\s*$|\b(?:now|again|once|please|pls|can you|could you|this time|first|quickly|for me|let me know|i (?:ran|tried|run|get|got)|when i|if (?!you want|one wants)|after|before you|jetzt|nochmal|bitte|kannst|maintenant|encore une fois|stp|peux-tu|ahora|otra vez|puedes|por favor)\b"
    r"|(?:,| and| then| und| et| y) (?:then )?(?:fix|show|tell|see|report|commit|check|paste|send|look|give|make sure|zeig\w*|sag|dis|montre|dime|muestra|arregla)\b"
    r"|^(?:[\w']+ ){0,2}(?:fix|debug|add|write|implement|create|remove|delete|rename|why|what|how|the (?:bug|error|problem))\b|\.(?:py|ts|js|rb|go|java)::?\b|\btests?/\S+\.(?:py|ts|tsx|js|rb|go|java)\b"
    r"|请|一下|再"
)


def tells_way(sentence: str, spans: frozenset[str]) -> bool:
    """Whether a sentence says by which command something is done; `spans` are its marked ones."""
    said = sentence
    for span in spans:
        said = said.replace(span, f"`{span}`")
    return _way().search(said) is not None and _once().search(said.lower()) is None


def marked(text: str) -> frozenset[str]:
    """Return what a text marks as code inside its lines."""
    return frozenset(_SPAN.findall(text)) if "`" in text else frozenset()


_SPAN = re.compile(r"(?<!`)`([^`\n]{3,120})`(?!`)")


@cache
def _way() -> re.Pattern[str]:
    return re.compile(_WAY, re.IGNORECASE)


@cache
def _once() -> re.Pattern[str]:
    return re.compile(_ONCE)

"""What an agent says last once a failure is mended, each with a piece of the cause in it, if any.

A third is in other languages than English.
"""

# ruff: noqa: E501 -- what is said is a line

from __future__ import annotations

# The rule was made with these at hand. The output that failed, what is said after it passes, and what of that tells why.
CLOSING: list[tuple[str, str, str]] = [
    (
        "ValueError: time data '13/01/2024' does not match",
        "Fixed: the dates were in US format.",
        "US format",
    ),
    (
        "jwt.ExpiredSignatureError: Signature has expired",
        "Stable: the clock was not frozen, which made the token expire.",
        "clock was not frozen",
    ),
    (
        "psycopg.OperationalError: connection refused",
        "They pass now; the database container was not running.",
        "container was not running",
    ),
    (
        "E   assert 3 == 4",
        "Green again. The fixture had one row less than the test expected.",
        "one row less",
    ),
    (
        "E   KeyError: 'total'",
        "All 14 tests pass. The serializer left out empty totals.",
        "left out empty totals",
    ),
    (
        "TypeError: undefined is not a function",
        "Done. `formatPrice` was a default export and the import used braces.",
        "default export",
    ),
    (
        "error: cannot find module './config'",
        "The build is fine again - the path pointed to dist instead of src.",
        "pointed to dist",
    ),
    ("FAIL src/cart.test.ts", "Everything works. I changed the reducer and ran the suite.", ""),
    ("E   AssertionError: 200 != 404", "All tests pass now.", ""),
    (
        "E   AssertionError: 200 != 404",
        "I moved the route above the catch-all and updated the test.",
        "",
    ),
    (
        "E   AssertionError: 200 != 404",
        "The catch-all route came first and swallowed the request. I moved it down.",
        "came first",
    ),
    (
        "thread 'main' panicked at 'index out of bounds'",
        "Works. The loop ran one step too far.",
        "one step too far",
    ),
    ("go: missing go.sum entry", "The module is now tidy and the build was successful.", ""),
    (
        "error TS2322: Type 'string' is not assignable",
        "The types were updated, everything is green.",
        "",
    ),
    (
        "ECONNREFUSED 127.0.0.1:6379",
        "Should be good now, the tests were all green twice in a row.",
        "",
    ),
    (
        "ECONNREFUSED 127.0.0.1:6379",
        "Passing. The worker still had the old port in its environment.",
        "old port",
    ),
    (
        "E   sqlite3.OperationalError: no such table: users",
        "Fixed. Migrations didn't run before the fixtures.",
        "didn't run before",
    ),
    (
        "E   UnicodeDecodeError: 'utf-8' codec",
        "The import passes. The export came with Latin-1 and nobody said so.",
        "Latin-1",
    ),
    ("Segmentation fault", "Tests pass. Do you want me to commit?", ""),
    ("E   assert 0.1 + 0.2 == 0.3", "It was easy to fix. Next I would look at the report.", ""),
    ("E   AssertionError: stale", "Maybe the cache was stale, but it passes now.", ""),
    (
        "npm ERR! peer dep missing",
        "The lockfile was removed and regenerated, and the install works.",
        "",
    ),
    (
        "Timeout of 5000ms exceeded",
        "Stable over ten runs. The mock server never closed its sockets.",
        "never closed",
    ),
    (
        "E   AssertionError: 'Müller' != 'Mueller'",
        "Läuft wieder. Die Kodierung war auf ASCII gestellt.",
        "ASCII",
    ),
    (
        "E   KeyError: 'mwst'",
        "Behoben: in der Vorlage fehlte das Feld für die Steuer.",
        "fehlte das Feld",
    ),
    (
        "FAIL: test_login",
        "Alles grün. Ich habe die Route angepasst und die Tests wurden ergänzt.",
        "",
    ),
    (
        "E   assert 2 == 1",
        "Die Tests laufen; der Zähler wurde nie zurückgesetzt.",
        "nie zurückgesetzt",
    ),
    ("connection refused", "Erledigt, alle Tests waren erfolgreich.", ""),
    (
        "E   AssertionError: '1,00' != '1.00'",
        "Corrigé : la locale du conteneur était en anglais.",
        "locale du conteneur",
    ),
    (
        "E   KeyError: 'client'",
        "Les tests passent. Le champ client manquait dans la réponse.",
        "manquait",
    ),
    ("E   assert None", "J'ai modifié le contrôleur et tout passe.", ""),
    ("E   assert None", "Tout est parfait, les tests étaient verts deux fois.", ""),
    (
        "ECONNREFUSED",
        "Arreglado: el puerto estaba ocupado por otro proceso.",
        "puerto estaba ocupado",
    ),
    ("E   assert 5 == 6", "Ya pasan. Faltaba una fila en los datos de prueba.", "Faltaba una fila"),
    ("E   assert 5 == 6", "He cambiado el bucle y todo funciona.", ""),
    ("E   KeyError: 'iva'", "Listo, las pruebas fueron un éxito.", ""),
    (
        "E   AssertionError: 12 != 10",
        "The suite is green. Two rows in the seed file had the same id, so the second one overwrote the first.",
        "same id",
    ),
    (
        "panic: nil map",
        "Fixed in cache.go. The map was never initialised in the test constructor.",
        "never initialised",
    ),
    (
        "Error: Hydration failed",
        "Hydration is clean now: the server rendered the date in UTC and the browser in local time.",
        "rendered the date in UTC",
    ),
    (
        "E   fixture 'client' not found",
        "Passing. conftest.py sat one folder too deep.",
        "one folder too deep",
    ),
    (
        "CORS error",
        "Done! Login works in both browsers. The header was set after the response had been sent.",
        "after the response",
    ),
    (
        "error[E0502]: cannot borrow",
        "It compiles. I split the borrow into two scopes and the warning went away.",
        "",
    ),
    ("E   AssertionError", "All 230 tests passed in 14 s. Coverage was 91 %.", ""),
    (
        "E   AssertionError",
        "Here is what I did: the helper was extracted and the two callers were updated.",
        "",
    ),
    (
        "E   ModuleNotFoundError: No module named 'yaml'",
        "Installed PyYAML; it was only in the dev extras.",
        "only in the dev extras",
    ),
    (
        "FAILED tests/test_tax.py",
        "Rounding is right now. Previously half cents went to the even side.",
        "even side",
    ),
    ("FAILED tests/test_tax.py", "The refactoring took a while, but the result was worth it.", ""),
    ("FAILED tests/test_tax.py", "The test passes. You were right about the order.", ""),
    (
        "Timeout",
        "No more timeouts. The pool held five connections and the test opened six.",
        "five connections",
    ),
    ("Timeout", "Ready for review. As you asked, the retries were lowered to 3.", ""),
    ("E   assert", "Passt jetzt. Die Zeitzone des Containers stand auf UTC.", "Zeitzone"),
    ("E   assert", "Fertig. Die Funktion wurde umbenannt und die Aufrufe angepasst.", ""),
    ("E   assert", "Grün: der Mock lieferte immer dieselbe Antwort.", "dieselbe Antwort"),
    ("E   assert", "Ça passe. Le cache gardait l'ancienne version du profil.", "gardait"),
    ("E   assert", "Les tests ont été relancés et tout était bon.", ""),
    ("E   assert", "C'est réglé : le fichier de config n'était pas lu en CI.", "pas lu en CI"),
    (
        "E   assert",
        "Resuelto. La consulta no tenía en cuenta los pedidos anulados.",
        "pedidos anulados",
    ),
    ("E   assert", "Todo en verde, era sencillo.", ""),
    ("E   assert", "Las pruebas pasan; el reloj iba una hora adelantado.", "una hora adelantado"),
    ("E   assert", "Actualicé el esquema y las pruebas fueron bien.", ""),
    ("E   assert 1 == 2", "Fixed. The decorator evaluated the default only once.", "only once"),
    (
        "E   assert 1 == 2",
        "OK: the stub answered before the listener was attached.",
        "before the listener",
    ),
    ("E   assert 1 == 2", "The importer is robust now and the docs mention the flag.", ""),
    ("E   assert 1 == 2", "The guard landed in handler.py, the tests cover both branches.", ""),
    ("E   assert 1 == 2", "Green. The CSV started with a byte order mark.", "byte order mark"),
    ("E   assert 1 == 2", "The related cases pass as well, nothing was left over.", ""),
    ("E   assert 1 == 2", "Solved; node 16 had no fetch.", "node 16"),
    ("E   assert 1 == 2", "Committed as 3fa9c1. The branch was pushed.", ""),
    ("E   assert 1 == 2", "Linting passes. The unused import was in utils.py.", "unused import"),
    (
        "E   assert 1 == 2",
        "I renamed the variable. The old name shadowed a builtin.",
        "shadowed a builtin",
    ),
    ("E   assert 1 == 2", "Behoben. Der Pfad zeigte auf das alte Verzeichnis.", "alte Verzeichnis"),
    ("E   assert 1 == 2", "Die Tests sind grün, die Änderung war klein.", ""),
    (
        "E   assert 1 == 2",
        "C'est bon : la variable d'environnement n'existait pas en local.",
        "n'existait pas",
    ),
    ("E   assert 1 == 2", "Tout passe, la modification était minime.", ""),
    ("E   assert 1 == 2", "Corregido: el índice empezaba en uno.", "empezaba en uno"),
    ("E   assert 1 == 2", "Pasan todas. Era un cambio pequeño.", ""),
    ("E   assert 1 == 2", "Sorted: the two workers wrote to the same temp file.", "same temp file"),
    ("E   assert 1 == 2", "Works on Windows too. The path separator was hard-coded.", "hard-coded"),
    ("E   assert 1 == 2", "That did it. Nothing else had to change.", ""),
    ("E   assert 1 == 2", "The endpoint now answers in 20 ms; before it took 300.", ""),
    (
        "E   assert 1 == 2",
        "Tests are green. I also tidied up what the linter complained about.",
        "",
    ),
    (
        "E   assert 1 == 2",
        "Good again. The snapshot contained yesterday's date.",
        "yesterday's date",
    ),
    ("E   assert 1 == 2", "Done, the flag is documented and the example was extended.", ""),
    ("E   assert 1 == 2", "Passing: `NODE_ENV` wasn't set in the script.", "NODE_ENV"),
    ("E   assert 1 == 2", "Geht wieder: der Token lief nach einer Minute ab.", "nach einer Minute"),
    ("E   assert 1 == 2", "Fertig. Die Doku ist ergänzt, es gab keine weiteren Fehler.", ""),
    ("E   assert 1 == 2", "Réparé. Le proxy coupait les requêtes trop longues.", "coupait"),
    ("E   assert 1 == 2", "Voilà, la doc est à jour et tout fonctionne comme prévu.", ""),
    ("E   assert 1 == 2", "Ya está: la variable tenía un espacio al final.", "espacio al final"),
    ("E   assert 1 == 2", "Hecho. No había más errores.", ""),
]

# Written after the last change of the rule.
UNSEEN: list[tuple[str, str, str]] = [
    (
        "E   assert 1 == 2",
        "Fixed - the regex anchored only the first alternative.",
        "first alternative",
    ),
    ("E   assert 1 == 2", "CI is happy. The runner had an older OpenSSL.", "older OpenSSL"),
    ("E   assert 1 == 2", "All good. I kept the public API as it was.", ""),
    ("E   assert 1 == 2", "The page loads. Let me know whether the colour is right.", ""),
    ("E   assert 1 == 2", "Two tests were skipped, the other 40 pass.", ""),
    (
        "E   assert 1 == 2",
        "Resolved. Prices came back as strings and were compared with numbers.",
        "as strings",
    ),
    (
        "E   assert 1 == 2",
        "The handler validates its input, and the error message got friendlier.",
        "",
    ),
    ("E   assert 1 == 2", "It passes; the queue was full from an earlier run.", "queue was full"),
    ("E   assert 1 == 2", "I bumped the timeout to 10 s, which was enough.", ""),
    (
        "E   assert 1 == 2",
        "Migration applied. The index existed already under another name.",
        "another name",
    ),
    ("E   assert 1 == 2", "Die Prüfung läuft durch. Der Schlüssel war abgelaufen.", "abgelaufen"),
    ("E   assert 1 == 2", "Ich habe den Test erweitert, vorher waren es drei Fälle.", ""),
    (
        "E   assert 1 == 2",
        "Repariert: die Liste hatte ein leeres Element am Ende.",
        "leeres Element",
    ),
    (
        "E   assert 1 == 2",
        "OK. Le volume n'était pas monté dans le conteneur de test.",
        "pas monté",
    ),
    ("E   assert 1 == 2", "J'ai ajouté un test qui manquait.", ""),
    ("E   assert 1 == 2", "Solucionado. El servicio escuchaba solo en IPv6.", "IPv6"),
    ("E   assert 1 == 2", "He movido la función y he quitado lo que sobraba.", ""),
]

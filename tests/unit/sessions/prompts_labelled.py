"""Prompts as developers type them: those that a memory could answer, and plain work."""

# ruff: noqa: E501 -- a prompt is a line

# The rules were made with these at hand.
ASKS = """
what did we decide about the auth tokens
why do we use redis here and not memcached?
whats our convention for naming migrations
remember when the ci broke because of the node version? what was the fix
how do we usually deploy to staging
where did we leave off yesterday
last time we fixed this by clearing the cache right?
it's still failing with the same error
same error as before after the rebase
do the release notes the way we did last time
why is the worker pinned to python 3.10
have we tried connection pooling already
did we ever fix that flaky websocket test
wat did we decide on the retry policy
y do we pin numpy below 2
remind me how the staging db is set up
i forgot what the flag for offline mode was
what was the reason for dropping graphql
what's left to do on the importer
pick up where we left off
continue from last session
what were we working on
where are we with the billing refactor
how did you fix the encoding bug last week
what happened with the s3 upload issue
tests are broken again, same traceback
the deploy failed again
it broke again after your change
getting ModuleNotFoundError: No module named 'yaml' when i run the worker
TypeError: Cannot read properties of undefined (reading 'map')
error[E0382]: borrow of moved value: `config`
npm ERR! ERESOLVE unable to resolve dependency tree
why does the build fail only on windows
why is this test skipped
which database are we using for events
what do we know about the memory leak in the indexer
who decided to go with protobuf
when did we switch to pnpm
what was our plan for multi tenancy
as discussed, add the header check
use the same approach as last time for the cursor
any known issues with this library
what lessons did we learn from the outage
our policy on feature flags?
whats the status of the migration
what did i say about logging levels
you told me there was a workaround for the proxy, what was it
is there a convention for error codes in this repo that we agreed on
how come we don't use an orm
why not use the official sdk
have you seen this before: connection reset by peer during handshake
the login used to work, now it returns 401
oauth callback stopped working
the import is no longer working since the upgrade
what changed since the last release
what should we do next
what's next
catch me up on this project
the decision about soft deletes, what was it
we talked about rate limits the other day, what numbers did we pick
how do we name feature branches
where do we keep the terraform state
what are our coding standards for sql
why did you remove the index on created_at
didn't we already solve the timezone thing
have we decided between kafka and nats
how is it that we ended up with two config loaders
whats the rationale for vendoring the parser
why was the timeout set to 45 seconds
i remember there was a problem with utf-16 files, how did we handle it
explain why we chose event sourcing
panic: runtime error: invalid memory address or nil pointer dereference
psycopg2.OperationalError: could not connect to server: Connection refused
still getting 502 from the gateway
keeps timing out in ci
Warum verwenden wir hier SQLite statt Postgres?
was haben wir letzte woche beim import geändert
der gleiche fehler wie gestern
wo waren wir stehen geblieben
pourquoi utilisons-nous redis ici
qu'avons-nous décidé pour l'authentification
c'est toujours la même erreur
¿por qué usamos celery?
qué decidimos sobre los nombres de las tablas
sigue fallando el despliegue
hey do you know why the cron job runs at 3am instead of midnight
I'm seeing the deadlock again in the payments worker
did anyone figure out the safari login problem
what version of postgres do we run in prod
how were we handling soft deletes in the old service
is there a reason the cache ttl is 7 minutes
what was that command you used to reset the test database
we had a similar crash in march, what caused it
give me a recap of what got done on friday
I thought we agreed on snake_case for json fields
same stack trace as the one from the monday incident
what are the open todos from our last session
how do we roll back a bad deploy again?
which branch was I on when I stopped
tell me the history behind the weird date format in exports
what naming scheme did we settle on for queues
File "app/main.py", line 12, in <module> ImportError: cannot import name 'Settings' from 'app.config'
error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.
fatal: refusing to merge unrelated histories
whats the deal with the duplicated user table
why are there two dockerfiles
wasn't there an issue with node 20 and canvas?
the e2e suite is flaky again, what did we do about it before
do we prefer composition or inheritance in this codebase
who's responsible for the terraform module
what was decided in the architecture review
have i asked you about the pagination bug before
it's throwing that weird ssl error again
can you recall how the sharding key was chosen
how long do we keep audit logs
warum haben wir damals von npm auf pnpm gewechselt
comment on déploie en production déjà ?
cómo resolvimos el problema de memoria la otra vez
so whats the story with the legacy importer, can we delete it or is someone depending on it
quick q: which env var turns off telemetry in our ci
did the switch to uv cause any trouble
I could swear this bug was fixed in january
the gpu job is OOMing, didn't that happen with the old batch size too
is the 30s timeout on purpose
anything i should know before touching the scheduler
what do the others call this pattern in our code
what was the outcome of the load test
did the customer ever get back about the csv encoding
when was the last time the schema changed
what made us drop support for python 3.9
where do the nightly backups go
hm the snapshot tests fail on my machine but not on ci, known problem?
how did the retry logic end up in the client
AssertionError: expected 200 got 401
java.lang.NullPointerException: Cannot invoke "String.length()" because "s" is null
FATAL: password authentication failed for user "app"
ran into `sqlite3.OperationalError: database is locked` under load
what's our stance on adding new dependencies
are we on bazel or make these days
what is the agreed format for commit messages
do i need to run codegen before tests like i did for the other service
how was the auth flow supposed to work
please summarize what happened since tuesday
the thing you suggested for the N+1 queries, where did that go
got the 'certificate has expired' thing once more
wich port does our mock server use
was there a ticket for the slow dashboard
could you look up what we noted on the vendor api limits
what's the background of the feature toggle in checkout
weisst du noch warum der cache 5 minuten hat
on avait dit quoi pour le format des dates
cuál era el motivo de usar dos colas
what was the name of the library we evaluated for pdf parsing
why arent we using the new router yet
remember the weird crash with arm64 builds? its back
how do we generate the api client
what branch naming do we use
where did the old benchmark results go
our deploy script hangs at the migration step like last time
explain the reasoning for splitting the monolith
what tests were flaky in the last run
we decided something about null handling, what was it exactly
did i already write the docs for the webhook
i keep hitting the 429 from github
KeyError: 'DATABASE_URL'
Error: listen EADDRINUSE: address already in use :::3000
thread 'main' panicked at src/main.rs:12:5: index out of bounds
what was the fix for the cors problem
whats the plan we had for search
continue the work from yesterday
what are the next steps
what remains for the v2 launch
which approach did we reject for caching and why
is sqlite still what we use for local dev
last week you changed the logger, why
build is red again
the same assertion fails as on friday
how should commits be written in this repo according to our rules
tell me about previous attempts to upgrade webpack
any reason why strict mode is off
who set up the ci pipeline
what did the profiler show last time
wie haben wir das problem mit den zeitzonen gelöst
pourquoi avons nous abandonné docker compose
qué hicimos con el error de memoria
""".strip().splitlines()

PLAIN = """
rename this variable to user_id
add a test for parse()
fix the typo in the readme
yes
go on
continue
ok do it
looks good, commit it
run the tests
run the tests again
write a function that flattens a nested list
implement the /health endpoint
refactor UserService into smaller classes
can you make this async
please add type hints to utils.py
convert this to typescript
what does this regex match
explain this function
how do i reverse a list in python
what is the difference between let and const
create a dockerfile for this app
bump the version to 1.4.0
format the file with black
delete the unused imports
move the constants into settings.py
make the button blue
add a regression test for the parser
sort the table by last week's revenue
show me the last 10 commits
revert the last commit
undo that
try again
do it again but with a smaller batch size
add logging to the upload handler
should return 404 if the user is not found
raise a ValueError if n is negative
write a docstring for this class
generate a migration that adds an email column
use a dataclass instead of a dict
split this file in two
add pagination to the list endpoint
remove the console.log statements
update dependencies
let's write the integration tests now
next, wire it up in main.py
now do the same for the frontend
push it
open a pr
stop
no, the other file
thanks!
great, that works
what's the time complexity of this
how can we make this faster
could we cache the result of this call
what if we used a set here
can you check the types in api.ts
list all the routes
where is the login form rendered
find all usages of getUser
how does the middleware work
add retry with exponential backoff to fetchData
handle ECONNREFUSED in client.py by retrying
catch KeyError in the loader and return None
implement undo/redo history for the editor
save the previous page in the session
add a 'remember me' checkbox to the login form
store the history of edits in a table
add a "last seen" column
implement memory of recent searches in the search bar
read config.yaml and print the port
add an index on created_at
which http status should i return for a duplicate
write a bash script that backs up the db every night
print the decision tree as text
make a decision node class
set the status of the order to paid
translate the strings to german
please run eslint and fix all errors
optimise the query in reports.sql
Benenne die Variable um
füge einen test hinzu
ajoute un test pour la fonction parse
renomme cette variable
añade un botón de cancelar
escribe una prueba para el parser
generate a uuid for each row
clean up the css
wrap the fetch call in a try/catch
extract the header into its own component
give me three name ideas for the cli
add dark mode
the padding is off by 4px, fix it
make the tests pass
turn this into a list comprehension
write the changelog entry for 2.1
what's the difference between a mutex and a semaphore
use f-strings everywhere in this module
add a --verbose flag to the script
check whether all files have a license header
please review my diff
let's rename the package to core
can you write a sql query that returns duplicate emails
hook up the submit button to the api
nice, now do the second item
add validation so that age must be positive
lint
which file defines the router
replace moment with dayjs
implement binary search
bump react to 19 and fix what breaks
sounds good
document the public methods
print the stack trace when the request fails
add error handling for missing files
scaffold a new page called settings
compress the images in /public
is this thread safe
how many lines does this file have
schreib bitte einen unit test für die klasse Parser
corrige l'indentation du fichier
add a spinner while loading
write me a regex for ipv4 addresses
invert the condition in line 40
make the sidebar collapsible
what's the big-O of heapsort
apply the patch
set the default page size to 50
use early returns here
do the first option
please create a new branch called feat/search
show the diff
can you speed up this loop
build a small flask app with two routes
cast the id to int
add cors headers
give the modal a max width
add unit tests for the edge cases
fix the failing assertion in test_math.py
pass the logger as an argument instead of importing it
drop the debug prints
switch the color of the header to #333
is null allowed in this column
reformat the json
how would you structure this module
install pytest-cov and add it to ci
rewrite this in rust
what's a good name for this function
generate sample data for the orders table
i want a table with name, email and role
add a changelog
hello
put a timeout on the request
lets start with the data model
does this compile
ajoute une colonne email à la table users
mach den button grün
cambia el color del encabezado
add a column for the phone number
change the font to inter
write tests for the discount calculation
make it responsive
run prettier on src
create an enum for the order states
remove the feature flag code
simplify this if/else chain
rename getCwd to currentFolder
merge main into this branch
add a readme section about installation
ok next
perfect
do both
use async/await instead of callbacks
the title should be bold
replace the hardcoded url by a config value
return early if the list is empty
hide the button for guests
what does the second argument do
how do you mock a class in jest
what's the syntax for a go map literal
write a script to rename all png files
add a docker healthcheck
move validate() to its own module and update the imports
catch the timeout and show a toast
fix eslint warnings
type the props of this component
export the data as csv
try with a smaller model
please add an option to skip hidden files
ändere den titel der seite
supprime les imports inutiles
borra los comentarios
""".strip().splitlines()

# These were written when the rules were finished, and no rule was changed for them.
UNSEEN_ASKS = """
how did we end up solving the race in the uploader
whats our default for http timeouts
why is there a sleep in the consumer
the import job dies with the same memory error as in the spring
do you remember the trick for speeding up the docker build
have we got a preferred http client
did we document the webhook signature somewhere
what was the last thing i was doing
can you remind me what the quota is
give me the background on the tenant isolation decision
what did the team decide regarding graphql subscriptions
which python versions do we support
we must have had a reason to fork this package, which one
ConnectionResetError: [Errno 104] Connection reset by peer
error: failed to push some refs to 'origin'
Traceback (most recent call last): ZeroDivisionError: division by zero
it worked until yesterday
after the update the tests fail again
still not working
the cache invalidation bug is back
as usual, bump, tag and publish
format the release notes like we always do
follow our conventions for the new module
what are we supposed to do about expired sessions
how was the data migrated the first time
when did the flaky test start
where were we
summarize the decisions so far
what do i need to know about the payment module
is it ok to use print in this project or did we forbid that
hatten wir nicht schon mal so einen fehler
quelle était la décision sur le cache
dónde quedamos con la migración
""".strip().splitlines()

UNSEEN_PLAIN = """
the button should be disabled before the form is valid
this function is too long, break it up
i need a helper that parses dates
here is the spec, please implement it
the table has too many columns, drop the last two
we need a new endpoint for avatars
it should log every request
users can't scroll on mobile, fix the css
tests for the new parser please
a simple landing page with a signup form
the colors are wrong, use the palette from theme.ts
hide it
my cat says hi
what is a monad
how do i exit vim
which is faster, a list or a tuple
is there a builtin for this
are these two queries equivalent
does json support comments
can this be simplified
do we need the semicolon here
refactor
use the previous value if the new one is null
keep the old file as a backup
remember to update the docs
sort by the date of the last login
record when each job was started
write down the steps to reproduce
the counter must never be negative, add a check
make sure the cache keeps at most 100 entries
rename before_save to on_save
add a changed_at column that is set whenever a row was modified
ersetze die schleife durch map
ajoute la validation du formulaire
mueve esta función a otro archivo
""".strip().splitlines()

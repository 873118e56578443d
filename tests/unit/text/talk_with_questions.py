# ruff: noqa: E501
"""Prompts in which somebody asks amid talk; what asks stands between ⟦ and ⟧."""

# Written before the rules, and without a look at the wrappers of bench/data/histories.
ENGLISH = """
Just got back from the dentist and my whole jaw is numb, so forgive the typos. The bus was late again too. ⟦What was the name of the guesthouse Petra recommended in Kotor?⟧ I want to book it before the weekend.
Morning! Coffee in hand, inbox at zero for once, the sun is even out over the car park. ⟦When did we move the nightly backup to three o'clock?⟧ Somebody on the call claimed it was always like that and I did not want to argue.
I've been staring at this spreadsheet for two hours and nothing adds up any more. The totals for March are off by forty euros. ⟦Who signed off the second invoice from the printer?⟧ No hurry, I am going for a walk first.
Refactor the parser module so that the tokenizer lives in its own file, keep the public names, and add type hints everywhere. Before you start: ⟦why did we stop using regular expressions for the header lines?⟧ Then run the tests.
⟦Which hotel did Marta stay at during the conference in Ghent?⟧ I am asking because she left a very good review there, and my sister is looking for something quiet near the station with parking, ideally under a hundred a night.
⟦How many chickens does Oleg keep now?⟧ He told me at the market, I nodded, and I forgot it at once because a dog was eating my sandwich while he was talking about feed prices.
We should talk about the roof at some point, it is not getting better by itself. Anyway. ⟦Where did Grandpa keep the key for the cellar?⟧ The plumber comes on Thursday and I promised him access.
Could you help me with something? I am putting together the slides for Monday and I am missing a number. ⟦What was our churn in the second quarter?⟧ Thanks a lot, you are a lifesaver.
Hey, how are you doing? Long week over here, the kids had a fever and the washing machine gave up. ⟦What did the repairman say about the drum bearing last year?⟧ I would rather not pay for the same advice twice.
Please write the release notes for 4.2, one line a change, no marketing. Also bump the version. ⟦Did we ever tell customers that the old export format goes away?⟧ If so put the date in the notes.
So I was walking the dog by the river this morning and met Lena's brother, who is apparently a firefighter now, and we talked for half an hour about pumps, and now I can't remember ⟦what Lena said her new job at the museum is⟧.
I went through all of the tickets from the weekend and most of them are noise from the same sensor in the north hall. Remind me ⟦which threshold we set for the humidity alarm⟧. I will then close the rest.
The meeting dragged on and on, somebody read the whole agenda aloud, and the projector died twice. ⟦Do you remember which vendor offered the cheaper badge readers?⟧ Procurement wants a name by tonight and I have none.
Traffic is terrible, I am dictating this from the car, sorry if it comes out garbled. I was wondering ⟦whether Jonas ever returned the tile cutter⟧. My neighbour needs one on Saturday for his bathroom.
I'd like to clean up the docs folder today. Half of the pages are stale, the screenshots are from the old theme and nobody reads the glossary. Tell me ⟦what we agreed about translating the tutorial⟧. I will not touch it until I know.
Okay so the demo went well, they liked the map, they did not like the colours, and they asked twice about prices. What do you think? ⟦Who promised them the offline mode?⟧ It was not me, that is for sure.
I need to reply to the landlord tonight and want to sound like a person who has papers in order. ⟦What date did we hand over the spare keys to the caretaker?⟧ Does that make sense?
Let's get the pipeline green first. Delete the flaky screenshot test, pin the browser, and rerun. While that runs: ⟦what was the workaround for the font rendering difference on the Linux runner?⟧
Rain again. I made soup. The cat is asleep on the router, which explains a few things. ⟦Which provider did Agnes switch to after the outage?⟧ She was so happy about it, right?
My train is stuck outside Hannover and the conductor has given up on announcements. Good time to sort things. ⟦How much did the upholsterer want for the two armchairs?⟧ I have the feeling that it was too much, but compared to what?
I had that odd dream again about the exam that I never took. Never mind. ⟦What book did Hanna lend me before she moved to Turku?⟧ I found a bookmark of hers in the hall and it made me think.
Add pagination to the orders endpoint, cursor based, same shape as for customers, with a test for an empty page. ⟦What limit did we choose as the default page size for customers?⟧ Use the same one here.
Quick one before lunch, I am starving and the queue is already out of the door at the noodle place. ⟦When is the next inspection of the sprinkler system due?⟧
Been reading about sourdough all night like a lunatic and my starter smells of nail varnish, which the internet says is fine. ⟦What flour did Emil use for the rye loaf that everybody liked?⟧ Mine comes out like a brick.
I finally unpacked the last box from the move, eleven months later, and it was full of cables and one left glove. ⟦where did dad say the fuse for the garden lights is⟧ it is dark out there and I am scared of the hedgehog
The new intern starts tomorrow and I said I would write a page on how we work here. Most is easy. ⟦Why do we never merge on Fridays?⟧ I know there was a story about it and a very long night.
Nothing urgent, just tidying up loose ends before the holidays, my list is a mile long. ⟦Which of the three quotes for the solar panels did the board accept?⟧ Could you let me know? Cheers!
Sooo the party. It was loud, it was long, somebody brought a goat. I lost my scarf and possibly my dignity. ⟦What was the name of the guy from Accra who plays the kora?⟧ I want to send him a photo.
Look, I am not saying that the plan is bad. It is just that everybody has a different version of it in the head. ⟦What deadline did the ministry give for the second report?⟧ I would like to quote the mail.
Ugh, Monday. Three people are sick, the printer has a will of its own and the heating makes a noise like a whale. ⟦Who has the contract for the maintenance of the boiler?⟧ I will call them as soon as my tea is ready.
I keep thinking about what you said on habits, and I did manage two mornings without a phone. Small steps, no? ⟦Which running shoes did the physiotherapist advise for my left knee?⟧ The shop has a sale until Sunday.
Write me a short and friendly mail to the club that says we cannot host in May. Keep it warm, two paragraphs, no excuses. ⟦What reason did we give them when we cancelled in autumn?⟧ It must not be the same one.
This afternoon I sorted all the photos from the trip, which took forever, because every second one is of a goat on a wall. ⟦On which island did we rent the yellow scooter?⟧ I want to write it under the picture.
Not to be dramatic but the build is on fire, the chat is on fire and I am eating crisps for breakfast. ⟦Which flag turns off the incremental cache for the mobile app?⟧ I know that we had this in spring.
Don't you hate it when the shop changes all the shelves around? Took me an hour to find yeast. ⟦What did Yusuf put into the lentil soup instead of cumin?⟧ I have guests at seven.
I talked with Birgit from the archive for an hour, she is lovely and knows everything. Her office is full of ferns. ⟦What was her extension number?⟧ The card is in my other coat.
We are down to two candidates for the garage door. One is cheap, one is quiet. My husband wants cheap, I sleep above it. ⟦What did the neighbours at number nine pay for theirs?⟧ Just to have something to compare.
Convert the config from INI to TOML, keep comments where you can, and delete the legacy section if nothing reads it. I believe that nothing reads it but ⟦who asked us to keep the legacy section in the first place?⟧
Long story short the flight was cancelled, we slept on yoga mats and the airline gave us a voucher for eleven dollars. ⟦Which card did we use to pay for the tickets to Bergen?⟧ There might be an insurance on it.
Thanks for the summary, that was exactly the right length. One more thing and then I let you go. ⟦What colour did we decide on for the warning banners?⟧ The designer asks.
"""

PASTED = """
I get this since the upgrade and have no clue:
```
Traceback (most recent call last):
  File "/srv/app/jobs/mail.py", line 88, in send
    server.login(user, password)
smtplib.SMTPAuthenticationError: (535, b'5.7.8 Error: authentication failed')
```
⟦Which account do we send the invoices from?⟧
===
2025-02-11 08:14:02,118 INFO  scheduler: picked up job 4411
2025-02-11 08:14:07,530 WARN  scheduler: lease of job 4411 expired
2025-02-11 08:14:07,531 ERROR scheduler: job 4411 failed after 3 attempts
⟦Why did we set the lease of scheduler jobs to five seconds?⟧
===
def total(items):
    return sum(item.price * item.count for item in items)

That is what I have now, it is fine for the shop. ⟦How did we round cart totals for customers in Switzerland?⟧
===
$ docker compose up -d
[+] Running 3/3
 - Network shop_default  Created
 - Container shop-db-1   Started
 - Container shop-web-1  Started
It is up, finally. ⟦What password policy did Ingrid want for the staging database?⟧
===
> On Tuesday Klaas wrote:
> We could meet at the office or at the cafe, what do you prefer?
> I am free after four.
I will answer him in a minute. ⟦Which cafe did Klaas complain about last time?⟧
===
{"level": "error", "service": "billing", "code": 402, "retry": false}
{"level": "error", "service": "billing", "code": 402, "retry": false}
{"level": "info", "service": "billing", "code": 200, "retry": false}
Pretty noisy today. ⟦Who is on call for billing during the first week of June?⟧
===
SELECT customer_id, count(*) FROM orders WHERE created > '2025-01-01' GROUP BY 1;
SELECT avg(total) FROM orders WHERE created > '2025-01-01';
These two are slow now. ⟦Which index did Tomasz drop from the orders table in winter?⟧ I would like to put it back.
"""

ABROAD = """
Ich sitze seit einer Stunde im Zug und das Netz kommt und geht, also wundere dich nicht über Lücken. Das Wetter ist auch trüb. ⟦Welches Lager hat Henning für die alte Drehbank bestellt?⟧ Ich muss heute noch nachbestellen.
Guten Morgen, der Kaffee ist alle und die Heizung brummt, aber sonst geht es uns hier gut. Kannst du mir helfen? ⟦Wann kommt der Prüfer für die Feuerlöscher wieder ins Haus?⟧ Danke dir!
Gestern war ich mit den Kindern am See, es war voll und laut und am Ende hatten alle einen Sonnenbrand. Erinnere mich daran, ⟦wie der Campingplatz in Dänemark hieß⟧. Da war es ruhiger.
Hoy ha sido un día larguísimo, primero el banco, luego la gestoría y al final la lluvia sin paraguas. ⟦¿Qué aseguradora eligió Nuria para la furgoneta?⟧ Tengo que llamarles antes de las seis.
Estoy preparando la presentación del lunes y me falta casi todo, menos el café, que nunca falta. ⟦¿Quién propuso cambiar el proveedor de las etiquetas?⟧ No me acuerdo y me da vergüenza preguntar.
Je rentre tout juste du marché, il y avait un monde fou et plus une seule fraise, quelle tristesse pour le dessert. ⟦Quel vin Thérèse avait-elle apporté pour l'anniversaire de Luc ?⟧ J'aimerais prendre le même.
La réunion a duré trois heures et on n'a rien décidé, comme toujours, mais les biscuits étaient bons. ⟦Combien de licences avons-nous achetées pour le logiciel de plans ?⟧ Le chef veut le chiffre ce soir.
Cheguei agora do trabalho, o metrô parou duas vezes e ainda esqueci o guarda-chuva no escritório, que dia. ⟦Qual oficina o Rui indicou para trocar a embreagem?⟧ Preciso marcar para sábado.
Stamattina ho pulito tutta la cantina, ho trovato vecchie foto, tre biciclette e un topo molto arrabbiato. ⟦Quale vernice aveva consigliato Silvio per la ringhiera del balcone?⟧ Vorrei finire prima della pioggia.
今天早上堵车堵了一个多小时，到公司的时候会议已经快结束了，咖啡机又坏了，真是倒霉的一天。⟦我们去年是从哪家供应商买的打印纸？⟧我下午要下单，麻烦快一点。
周末和家里人去爬山，天气很好，就是人太多了，下山的时候腿都软了，回来睡了十个小时。⟦李梅说的那个修空调的师傅电话是多少⟧。家里的空调又开始漏水了。
今日は朝から雨で電車も遅れていて、会社に着いたときにはもうびしょ濡れでした。昼ごはんもまだ食べていません。⟦田中さんが勧めていた歯医者はどこでしたか？⟧ 予約を取りたいのです。
昨日は久しぶりに友達と飲みに行って、終電を逃してしまい、家まで二時間も歩きました。足が痛いです。⟦去年の展示会で使った倉庫の担当者は誰ですか⟧。至急連絡したいです。
"""


def _prompts(text: str, between: str) -> list[tuple[str, str]]:
    found = []
    for prompt in text.strip().split(between):
        asked = prompt.partition("⟦")[2].partition("⟧")[0]
        found.append((prompt.replace("⟦", "").replace("⟧", ""), asked))
    return found


PROMPTS = [*_prompts(ENGLISH, "\n"), *_prompts(PASTED, "\n===\n"), *_prompts(ABROAD, "\n")]

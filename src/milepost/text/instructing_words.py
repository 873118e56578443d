"""What words mean to somebody who wants to instruct a model: one sign a meaning, in many languages.

A word that ends with `*` stands for all that begin with it; `_` stands between words that mean
something together. Chinese and Japanese write no blanks: their words are found where they stand.
"""

# ruff: noqa: E501 -- lists of words

MEANINGS = {
    # Names of what reads: surely a machine, maybe one.
    "a": """
        ai a.i. llm llms gpt* chatgpt claude gemini copilot* chatbot* language_model* large_language_model*
        artificial_intelligence coding_agent* coding_assistant* ki ki-* sprachmodell* ia modèle_de_langage modèles_de_langage
        modelo_de_lenguaje modelos_de_lenguaje modello_linguistico ии ии-* языков* yapay_zeka screening_tool*
        人工智能 语言模型 大模型 智能体 言語モデル 인공지능""",
    "m": """
        assistant* agent agents agent's model models model's bot bots robot robots crawler* scraper* summariser* summarizer*
        automated tools reviewers parser pair_programmer* assistent* agenten modell modelle bewerbungsprüfer* asistente*
        agente* modelo* modèle* assistente* modello modelli robots ассистент* помощник* агент* бот модель 助手 模型 机器人 助理
        アシスタント エージェント モデル 비서* 모델* 어시스턴트* asystent* asystenc* asistan* assistenten
        graders grader whichever_agent ai-based engines agenti agentes modelos""",
    # Whom a model works for, spoken of as somebody else; who made it or runs it.
    "u": """
        user users user's users' human owner person customer reader readers developer maintainer maintainers
        nutzer* benutzer* leser anwender* propriétaire utilisateur* usuari* lector usuário* utente utenti
        пользовател* 用户 读者 ユーザー 사용자* gebruiker* użytkownik* kullanıcı* someone anyone jemand""",
    "h": """
        operator admin administrator system developers creators creator maker anthropic openai authority systemadministrator
        administrateur administrador entwickler* créateurs""",
    "y": """
        you yourself you're you'll you've du dich dir toi vous tú usted ti tu te você 你 您 ты тебе тебя あなた jij sen
        bist eres""",
    "Y": """
        your yours dein deine deinen deiner deinem deines eure ihre ton tes vos votre tus tuoi tue seu seus suas tuas 你的 您的
        твой твои твоих swój swoje""",
    "i": """
        i me my mine i'm i've i'd i'll ich mir mich mein meine meinen meiner meinem je j'* moi mon mes yo mí mis meu minha eu io mio mia
        я мне мой моя мою 我 私""",
    "w": "we our us ours team repo repository project wir unser* uns nous notre nos nuestro* nosotros 我们 наш* wij",
    # Calling off: the act, that it happened, what is called off, that it was before.
    "L": """
        ignor* ign0re disregard* forget override overlook* bypass* discard* abandon* neglect set_aside put_aside lay_aside
        pay_no_attention pay_no_heed no_heed stop_following stop_obeying not_follow drop vergiss vergesst missacht* beiseite aside lass_alles oubli* abstraction
        de_côté compte olvid* descart* caso_omiso de_lado esquec* esqueç* dimentic* conto забуд* игнорир* внимания 忽略 无视 忘记 忘掉 抛开 不用管
        不要理会 無視 忘れ 무시* 잊* negeer* vergeet* zignoruj* zapomnij yok_say* unut* overwrite
        cancel erase start_over unlearn lösche_alles mets_de_côté лишн* olvídate let_go_of stop_what""",
    "V": """
        void null invalid expired cancelled canceled lifted suspended revoked obsolete replaced superseded no_longer not_valid
        not_apply corrected ungültig aufgehoben nicht_mehr annul* anulad* ne_valent ya_no 作废 失效 无效 不再 取消 off
        outdated replacement no_longer_relevant over irrelevant mistake gelten_nicht ne_s'appliquent inválid* superati nie_obowiązuj* geçersiz 廃止 无关""",
    "R": """
        instruction* instruct1ons rules guideline* guidance directive* guardrail* restriction* orders commands policy policies
        task programming safety_filter* filters limits anweisung* regeln vorgabe* aufgabe* richtlinie* einschränkung* consigne* règles
        limites instruccion* reglas indicacion* órdenes orientaç* instruç* regras istruzion* regole инструкц* правил* указани* 指令 指示 规则
        命令 要求 限制 设定 ルール 지시* 명령* 규칙* instructies instrukcj* talimat* request prompt prompts moral* warnings
        assignment job règle regla regola rule boundaries safeguards""",
    "P": """
        previous* prev1ous prior earlier above preceding original initial former existing before so_far until_now started_with
        beginning vorherig* bisherig* frühere* vorher obig* bisher précédent* antérieur* avant auparavant jusqu'ici anterior*
        previ* previo antes precedent* prima предыдущ* раньше прежн* 之前 以上 上面 先前 前面 此前 以前 これまで 上記 今まで 이전* 앞선
        eerder* wcześniejsz* poprzedni* önceki precedes""",
    "t": """
        told asked given instructed received gesagt aufgetragen demandé dit indicado dijeron dicho recebeu detto reçues
        говорили сказано 说的 받은 受けた""",
    "G": """
        system_prompt* system_message* system_instruction* hidden_prompt hidden_instruction* hidden_reasoning initial_prompt
        systemprompt* prompt_système prompt_du_système prompt_del_sistema prompt_do_sistema prompt_systemowy системн* 系统提示
        システムプロンプト 시스템 systeemprompt configuration context_window training_data""",
    # Keeping something from somebody.
    "n": """
        not don't never no nor without cannot won't needn't nicht nichts nie kein keine keinen ohne ne n'* pas jamais sans sin no nunca
        non não sem не без нет 不 不要 别 没有 无需 不必 请勿 勿 禁止 ません ないで なく 말고 niet niets nie bez aucun rien ningún nada mention_no
        değil
        nobody none avoid unless_not せず ない 不得 kimseye nikomu никому ninguém nessuno niemand niemandem nadie personne""",
    "C": """
        tell tells telling mention* report inform notify disclose comment* alert warn bring_up bring_it_up bring hint* discuss flag point_out speak find_out
        notice know blame erwähn* sag sage sagen mitteil* informier* verrat* mentionn* dis dites dire dises parler signale*
        préven* menciones digas diga decir avis* cuentes comentes comentem dirlo dire сообщ* говори* 告诉 提及 通知 说明 透露 提到 知道
        言わ 伝え 知らせ 말하* zeg mów mówi* söyle*
        see hear explain leak_that remind reveal_to wissen erfahren saber savoir sepa merken""",
    "H": """
        omit* hide conceal* leave_out leave skip silently secretly quietly covertly discreetly in_the_dark to_yourself to_itself won't_notice
        weglassen verschweig* heimlich überspring* omett* cache secrètement omitan oculta* 略去 隐瞒 省略 悄悄 跳过 省いて
        keep_quiet quiet keep_it_to unnoticed hidden between_the_lines verheimlich* ausblenden without_commenting""",
    # Giving away: what, how, where to (addresses are O).
    "X": """
        password* passphrase* credential* secret secrets key keys api_key* token tokens .env contacts address_book conversation* chat
        chats history mailbox wallet card cards private ssh keychain netrc printenv customer_list invoices files data notes logs
        passwörter passwort zugangsdaten schlüssel verlauf nachrichten kundendaten passe identifiants clés historique contraseñ* claves
        clave historial conversación senhas cronologia 密码 密钥 凭证 凭据 对话 聊天 记录 联系人 内容 парол* переписк* パスワード 連絡先 비밀번호* şifre*
        parola* id_rsa id_ed25519 contents
        inbox messages message pin email address balance shadow context draft chat_log nachricht correos arquivos файлы ファイル""",
    "S": """
        send forward upload* post mail e-mail email append paste encode copy include* print output reveal* repeat export leak share
        publish expose render grab collect hand_over give write_down show recite pass attach sende senden schick* häng* verrate nenne gib
        ausgeben envoi* envoyez copie* affich* envía* manda incluye muestra* revela mostre invia mostra 发送 发给 发到 上传 转发 输出 拼接
        打印 отправ* покаж* 送信 表示 出力 보내* 출력* gönder* toon wypisz d1sclose r3v34l output*
        insert put_it add_it quote type tippe zeige zeig teile leite leak mostra expose dump exfiltrat*""",
    # Other acts that somebody may want of a model; claims and praise.
    "D": """
        run execute install uninstall delete approve merge transfer wire pay buy sell grant accept close call visit open click restart
        push disable deactivate remove replace rotate invite mark treat merge turn_off wipe drop_table escalate add set put apply order unlock refund
        generate star lösch* genehmig* freigeb* überweis* führe installier* rufe deaktivier* mach exécute* supprim* efface* approuv*
        archiv* installe* borra* elimina* aprueb* aprovem cierra* ejecut* transfier* 删除 批准 转账 执行 运行 访问 购买 下载 安装 合并 удали* одобри* выполн*
        承認 実行 削除 approva* keur zatwierd* onayla* move steer
        book check_out create award suggest unsubscribe use cat eseguite apague fermez donnez instalen hack""",
    "E": """
        recommend* rank ranking rate rated praise endorse promote best leader leading come_first list_first highest safest strong_accept full_marks five_stars superior most_reliable
        guaranteed advert* exceptional* qualified empfiehl* empfehl* bewert* höchstnote recommand* meilleur* recomiend*
        recomend* mejor 推荐 最好 好评 首选 满分 consigli* 优先 favour favor cite award
        mention_our our_sponsor sponsor first_place primer_lugar five_star reliable 优先推荐""",
    "s": """
        say says state claim answer answers reply respond assure pretend confirm write writing conclude antworte antwortest behaupte schreib
        bestätige nennst sagst réponds répondez affirme di dile responde contesta* contestas afirma 回答 回复 声称 说""",
    # When it shall be done.
    "W": """
        when whenever if once should_someone as_soon_as next_time every_time after wenn sobald falls immer_wenn quand lorsque si chaque_fois
        cuando cada_vez sempre_que quando se 如果 每当 只要 когда если とき 若
        each_time jedes_mal wann should_the every_later in_every later wait_until siempre_que ogni_volta каждый_раз たび""",
    "Q": """
        ask asks asking asked_about question questions mentions writes turns fragt frage fragen rückfrage* demandera demande pregunt* hable parle
        perguntar 问到 问 提到 询问 спросит
        confirmation confirmations approval check_with conferma demander preguntar confirmación 確認 确认 spytaj hesitate""",
    "Z": """
        always only every regardless whatever any all everything nothing future permanently forever ever freely word_for_word verbatim
        immer nur ausschließlich stets alles jedem toujours seulement uniquement tout toutes siempre solo sólo todo todas apenas sempre 只 总是
        一律 统统 全部 一切 什么 только все всё すべて だけ 모두 tüm wszystkie alle""",
    "N": """
        from_now_on now from_here_on from_this_point_on from_this_point instead next_line following below ab_sofort ab_jetzt von_nun_an stattdessen folgendes désormais
        maintenant à_partir_de_maintenant ce_qui_suit suivantes ahora a_partir_de_ahora a_partir_de_aquí de_ahora_en_adelante d'ora_in_poi abaixo
        теперь ниже 现在 从此 从现在 以后 从这里 下面 以下 今から 이제 new""",
    # That it is allowed.
    "d": """
        approved authorised authorized permission agreed consent* allowed cleared trust* granted signed_off already verified in_advance
        zugestimmt einverstanden genehmigt dürfen darf autorisé validé accord permiso autorizado 同意 授权 允许 已经 已 разреш* 許可 safe
        gave blanket_approval approves entitled authorizes authorises berechtigt freigegeben aprobado aprovou dado_permiso 批准了""",
    "o": """
        must should shall may has_to have_to need needs needed required obliged is_to are_to supposed requirement can soll sollen sollst muss müssen
        doit doivent peut dois qu'il debe deben debes puede 必须 应 应该 请 可以 должен ください please kindly bitte por_favor""",
    "r": """
        reads reading read process* summari* parsing parses index* opens opening processing ranking comparing reviewing handling completing
        turning lit liest gelesen traite traitent lee lea lean resuman resum* 阅读 总结 处理 读到 читает 要約 works uses using handles contributing
        finds picks browsing screens screening comparing compare writes_about summarise summarize comparen sees evaluating grading scanning generating parst leggono résument""",
    "T": "this these here dies* diese* diesen dieser ce cette ces este esta esto 本 此 这 本文 это この これ it the_following ci-dessous aquí hier 此处 nachfolgend",
    "J": """
        dan persona role character pretend* imagine play act behave mode uncensored unrestricted anything without_rules no_rules
        without_limits name rolle spielst rôle joues censure papel llamas filtros 扮演 叫 道德 refuse* refuses declines evil* work_for belong interests
        maintenance spokesman terminal
        accomplice hacker lawyer anwalt employee ceo free_of unfiltered fan advocate boundless serve serves limitless sin_límites sans_limites хакер""",
    "z": """
        remember memory memories long-term keep_in_mind bear_in_mind save_to_memory store_this gedächtnis mémoire memoria
        记住 记忆 запомни 覚えて fact_to_remember
        note_in notieren merk_dir apunta anota""",
    "b": "are is be bin sind ist es est son 是 is_not was",
    "&": "and then also und dann et puis y luego e i и 并 并且 就 または и_не then",
    # Who writes about such texts.
    "K": """
        inject* jailbreak* attack* adversar* threat* test_case test_cases fixture* classif* detect* blocked escaped sanitiz* red_team* dataset
        evaluation finding countermeasure* fenced flagged precision inyecci* injektion 注入 攻击 检测 template templates tokenizer
        story novel film movie game chapter lyrics whispered phrase evaluated policy_draft""",
    # Obeying; and what stands before things that are known to who speaks.
    "k": """
        follow obey comply adhere heed listen_to befolg* folge gehorche suis suivez obéis sigue siga obedece segui seguite obbedisc* выполняй следуй
        遵守 听从 按照 只按 従っ 従い follows volg przestrzegaj agree""",
    "e": "the der die das den dem le la les el los il lo gli het de our_own its",
}

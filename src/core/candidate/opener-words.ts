// Vocabulary of openers in many languages. Openers announce an answer without giving one.

/** Words that announce an answer. Text made up of these words and joining words has no content yet. */
const ANNOUNCING = `
thought thoughts think thinking thinks reason reasons reasoning reasoned solution solutions solve solves solved solving answer answers answered answering explanation
explanations explain explained explaining analysis analyses analyze analyse analyzing analysing step steps stepwise process processes approach approaches proof proofs prove response
responses respond reply replying result results output outputs conclusion conclusions conclude summary introduction intro problem problems question questions task tasks
exercise hint note notes overview plan planning strategy method methodology methods derivation derive calculation calculations calculate computation compute working
workings rationale justification verdict evaluation assessment experiment mental process pattern chain train logic understanding understand discussion
comments comment interpretation background preliminary preliminaries draft scratchpad work final walkthrough breakdown walk break carefully thoroughly systematically
logically methodically okay ok sure certainly absolutely alright hmm hm well great gladly happily let lets let's begin begins beginning start starts starting started proceed tackle
consider determine examine explore dive figure find go help happy glad instruction instructions request prompt assistant user system given required requirements program code implementation snippet
finally therefore thus hence sol ans qed here here's follow follows following below above sigue segue folgt voici ecco ось вот nedan
solucion solución soluciones respuesta respuestas pensamiento proceso razonamiento explicación explicacion análisis analisis paso pasos problema problemas pregunta resultado conclusión resolver resolvamos resolveremos resuelvo
pensemos pensar planteamiento desarrollo procedimiento claro vamos veamos empecemos comencemos solucionar contestación demostración cálculo ejercicio
solution réponse reponse raisonnement réflexion reflexion explication analyse étape étapes etape etapes problème probleme question résultat conclusion résoudre resoudre résolvons resolvons pensée pensées processus démarche
démonstration calcul réfléchissons commençons voyons bien d'accord exercice résolution corrigé
lösung lösungen loesung antwort antworten überlegung überlegungen gedankengang gedanken denkprozess erklärung analyse schritt schritte schrittweise problem frage ergebnis lösungsweg lösen begründung herleitung rechnung
ansatz fazit nachdenken überlegen betrachten beginnen gerne natürlich aufgabe musterlösung beweis vorgehen
solução solucao resposta respostas pensamento processo raciocínio raciocinio explicação explicacao análise passo passos questão pergunta resolução resolucao resolver resolvamos pensar conclusão cálculo desenvolvimento certo exercício gabarito
soluzione soluzioni risposta risposte pensiero processo ragionamento spiegazione analisi passaggio passaggi passo problema domanda risultato risolvere risolviamo pensiamo svolgimento conclusione certo procedimento dimostrazione esercizio
решение решения решим решить ответ ответы рассуждение рассуждения размышление размышления мысль мысли мыслей объяснение пояснение анализ шаг шагам шага шагом пошагово пошаговое процесс задача задачу задачи вопрос результат вывод
подумаем давайте начнём начнем конечно хорошо доказательство итак разбор ход
рішення розв'язання розв'язок відповідь міркування пояснення крок кроком задача аналіз
oplossing antwoord uitleg redenering analyse stap stappen probleem vraag gedachtegang denkproces conclusie uitwerking
rozwiązanie odpowiedź wyjaśnienie analiza krok kroku zadanie problem pytanie rozumowanie myślenie wniosek rozwiążmy
çözüm cevap yanıt açıklama analiz adım adımlar soru problem düşünce süreci düşünme sonuç çözelim
giải lời đáp án phân tích trả bước từng suy nghĩ luận bài toán câu hỏi hướng dẫn thích
solusi jawaban penyelesaian penjelasan analisis langkah masalah pertanyaan pemikiran proses pembahasan kesimpulan jawab
lösning svar förklaring analys steg fråga løsning forklaring spørsmål trinn ratkaisu vastaus selitys analyysi vaihe
řešení odpověď vysvětlení analýza otázka riešenie odpoveď megoldás válasz magyarázat elemzés lépés lépésről lépésre soluție soluția răspuns răspunsul explicație rezolvare
λύση απάντηση εξήγηση ανάλυση βήμα σκέψη σκέψης διαδικασία πρόβλημα
الحل حل الجواب جواب الإجابة إجابة الاجابة التفسير تفسير الشرح شرح التحليل تحليل خطوة بخطوة خطوات الخطوات المسألة المشكلة السؤال عملية التفكير تفكير النتيجة دعونا لنحل لنفكر نحل
פתרון תשובה הסבר ניתוח שלב צעד חשיבה תהליך שאלה בעיה
پاسخ جواب راه توضیح تحلیل گام قدم مسئله سوال تفکر فرایند نتیجه حل
हल समाधान उत्तर जवाब व्याख्या स्पष्टीकरण विश्लेषण चरण कदम समस्या प्रश्न विचार प्रक्रिया सोच निष्कर्ष आइए सोचते
সমাধান উত্তর ব্যাখ্যা ধাপ সমস্যা চিন্তা தீர்வு பதில் விளக்கம் పరిష్కారం సమాధానం جواب حل وضاحت
ufumbuzi jibu maelezo suluhisho
`;

/**
 * Words that may come between announcing words. At the end of a line, after a colon or a word for "is", a
 * joining word may be the answer itself.
 */
const JOINING = `
the an is are was be been being am will would shall should can could may might must do does did have has had to of in on for with by from as at about into through and or so now then next first
this that these those it its it's that's my our your his their we we'll i'll i'm i'd let me us you he she they what how why which who up down
need needs needed want going get gets make makes take takes give gives look looks looking see try trying show shows provide provides provided detail detailed details complete full short brief simple possible quick
time together way very clear clearly please ready first initial main key new own like just also
el la los las un una unos unas de del al en por para con que es son este esta esto ese esa mi nuestra nuestro su se lo le a y o e aquí está sigue siguiente final primero
le la les un une des du de d au aux en par pour avec que qui est sont ce cet cette ces mon ma mes notre votre on nous vous il elle et ou voici ici suivante suivant finale final à étapes d'abord problème l l'étape l'analyse
der die das den dem des ein eine einen einem einer zu zur zum von vom in im für mit auf ist sind wir ich uns lass lasst dieses diese dieser und oder hier folgt schritt zunächst
o os as um uma do dos das em por para com é são este esta isto esse essa meu minha nosso nossa e ou aqui está a segue seguinte vamos
il lo gli i uno una di del della dello dei degli delle al alla in per con dopo è sono questo questa mio nostra e o ecco qui a su
к за эту это этот эта наше моё мое мой моя вот мы я и или в на с у для является следующее сначала за по-шагово
de het een van voor met is zijn dit deze mijn wij we ik en of in op
do na w z dla jest to moje oto i lub krok
bu bir ve veya için ile benim işte
là của cho và hoặc này đây sau theo như ta chúng hãy một
adalah ini itu dan atau untuk dengan berikut saya kita demi mari
är och eller det den detta en ett min för av på er og på
je to a i tento az egy ez és este
είναι το η ο και με του της ακολουθεί
هو هي هذا هذه في من إلى على و أو مع لهذه هنا كما يلي إليك
है हैं यह इस का की के को से और में पर दर कदम करें हम मैं
הוא היא זה זו של את על
`;

/** Openers in scripts without spaces between words. Longer ones come first. */
const PIECES = `
思考过程 思考過程 解题过程 解題過程 解题思路 解題思路 解答过程 推理过程 分析过程 计算过程 一步一步 一步步 逐步 分步 步骤 步驟 解决 解決 解法 解答 解析 解説 解释 解釋 解题 解題 解説文 解 答案 答复 回答 答え 答 思路 思考 想法 推理 推导 推導 分析 说明 說明 说 过程 過程
问题 問題 题目 題目 题 題 结果 結果 结论 結論 方案 方法 证明 證明 证 計算 计算 详细 詳細 完整 最终 最終 首先 好的 好 当然 當然 那么 那麼 现在 現在 让我们 讓我們 让我 讓我 我们 我們 我 来 來 要 需要 可以 开始 開始 如下 以下 下面 这个 這個 这道 這道 这 這 此 的 地 得 是 为 為 将 將 会 會 去 想 看 仔细 仔細 认真 認真 吧 了 一下 看看 考虑 考慮 请看 給出 给出 提供 个 個 道 答曰 原因 理由 总结 總結
かいせつ かいとう こたえ せつめい かいけつ かんがえかた かんがえ しこう ステップバイステップ ステップ プロセス アプローチ ソリューション 回答 解説 解答例 考え方 考え 考える 考えて 考えましょう 考えてみましょう みましょう ましょう 見て いきましょう いきます いき します する しましょう して 解きます 解いて 解く 手順 過程 段階的 段階 順番 順 思考 推論 結論 説明 説明します 証明 まず では それでは さて 私 私たち この その これ それ 次 以下 通り とおり 問 ひとつ 一つ ずつ を が は に へ の で と も から まで よう です ます だ
단계별로 단계 별로 하나씩 차근차근 풀이 풀이과정 해설 정답 해답 답변 답안 답 설명 생각 사고 과정 문제 질문 분석 결론 증명 추론 방법 결과 해결책 해결 풀어 풀 해 봅시다 보겠습니다 볼게요 봐요 하겠습니다 합시다 해보겠습니다 드리겠습니다 먼저 우선 그럼 이제 자 다음과 다음은 다음 같습니다 입니다 우리 제 저 이 그 을 를 은 는 가 의 에 대한 로 으로 와 과 최종 하여 해서 생각해 시작
คำตอบ วิธีทำ คำอธิบาย วิเคราะห์ ขั้นตอน กระบวนการคิด เฉลย ทีละ ปัญหา คิด แก้ คือ
`;

const listed = (words: string): readonly string[] => words.trim().split(/\s+/);

export const ANNOUNCING_WORDS = listed(ANNOUNCING);
export const JOINING_WORDS = listed(JOINING);
export const PIECES_OF_SCRIPTS = listed(PIECES);
/** Joining words in scripts without spaces. By themselves, they announce nothing. */
export const JOINING_PIECES = listed(
  "这 這 此 的 地 得 是 为 為 将 將 会 會 去 想 看 来 來 要 我 我们 我們 我 吧 了 个 個 道 好 这个 這個 这道 這道 需要 可以 现在 現在 を が は に へ の で と も から まで よう です ます だ この その これ それ 次 私 私たち 一つ ひとつ ずつ する して 이 그 을 를 은 는 가 의 에 로 으로 와 과 제 저 자 해 우리 다음 คือ",
);

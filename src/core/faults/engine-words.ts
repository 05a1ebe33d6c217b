// Vocabulary of engines' error messages. Users see only these words of a message.

const WORDS = `
a about above accept accepted access account across active additional after again all allow allowed already also an and any are argument arguments
array as assistant at attempt audio auth authentication available backend bad base batch be because been before below best between beta beyond bias bodies
body bool boolean both bound but by cache call calls can cannot candidate capacity change channel char character characters chat check choice choices
choose chunk client code codec column completion completions config configuration conflict connection contain contains content context conversation could
count create current data dead decode decoded decoder decoding default deployment deprecated detail developer device did dict different disabled disallowed
do document does domain doubled draft duplicate during each echo effort either element elements embedding embeddings empty enable enabled encode encoder
encoding endpoint engine enough enum equal error errors exceed exceeded exceeds exception exclusive exist existing exists expect expected expecting expects
extra fail failed failure fast fatal feature field fields file finish first float following for format found frequency from function functions generate
generated generation given got grammar greater guided had handle has have header here high higher history host however id ids if image images implemented
in include included including incompatible incorrect index inference input inputs instead instruct instruction integer internal invalid is issue it item
items json key keyword kwargs large larger last least left len length less level limit limits line list load loaded local logit logits logprob logprobs long longer
loop low lower malformed many mapping match matches max maximal maximum may mean media memory message messages method min minimal minimum missing mode
model models modality more most multi multimodal multiple must name named names need needed needs negative new no non none not null number numeric
object of off on one only open operation option optional options or order other otherwise out output outputs over override parallel param parameter
parameters params parse parsed parsing pass passed path pattern payload penalty per permission permitted pixel please policy pool position positive
possible prefill prefix prefer presence presented previous processing processor prohibited prompt prompts property proxy range rate read reason reasoning
received reduce refused reject rejected remaining remove repetition repeat request requested requests require required requires reserved resource
response result retry role roles root route run sample samples sampling schema seconds seed see sequence sequences server service set setting settings
should single size skip small smaller so some special specified spec start state status stop stream streaming strict string structured such suffix
supplied support supported supports system task temperature template text than that the their then there these they this through time timeout to token
tokenize tokenizer tokens too tool tools top total truncate truncated truncation try two type types unable under unexpected unicode unknown unprocessable
unrecognized unsupported until up upper url usage use used user using valid validate validation value values version video vision vocab vocabulary was
we were when where whether which while wide window with within without word wrong you your zero don doesn isn aren wasn couldn shouldn didn cant provide provided alternate alternating defined define strictly fewer greedy k n p true false reach connect refused
api async bytes cpu cuda dtype fp gpu guidance http https int io jinja kv llama litellm lm logprob lora msg mistral nan nvidia oai openai azure ollama prob pydantic
regex sglang sgl str tgi tei tensorrt triton utf vllm xgrammar outlines typical topk eos bos ebnf choice best beam search
`;

export const ENGINE_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

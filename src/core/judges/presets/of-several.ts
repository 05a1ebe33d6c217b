// The presets that show several candidates, and the single-candidate presets of the same families.
import { NO_ORDERS, type Preset, user } from "./preset.ts";

// DeepSeek-GRM writes principles, then scores from 1 to 10.
const ask = (form: string) =>
  `You rate responses to the conversation below. State the specific criteria that matter for it, with weights, analyse each response by them, then score from 1 to 10 where 10 is best. ${NO_ORDERS}\n\n[Conversation]\n{{question}}\n\n{{candidates}}\n\nWrite "Specific Criteria:", "Analysis:", and on the last line ${form}`;

const deepseekGrm: Preset = {
  shape: "list",
  messages: user(ask('"Scores: \\boxed{x, x}" with one number a response, {{count}} in all, in their order.')),
  candidate: "[The Begin of Response {{n}}]\n{{text}}\n[The End of Response {{n}}]",
  parser: { kind: "numbers", range: [1, 10] },
};

const deepseekGrmPoint: Preset = {
  ...deepseekGrm,
  shape: "point",
  messages: user(ask('"Score: \\boxed{x}".')),
  candidate: "[The Begin of Response]\n{{text}}\n[The End of Response]",
};

export const OF_SEVERAL: Readonly<Record<string, Preset>> = {
  /** For any chat model: picks the best of several answers to any text task. */
  "text-select": {
    shape: "list",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Work out which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters. Length, polish and the order of the blocks do not count. ${NO_ORDERS} After your thinking, answer with the letter of the best in a box and nothing else: \\boxed{X}, where X is one of {{letters}}.`,
    ),
    candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
    parser: { kind: "boxed" },
  },
  /** For any chat model: names the best of several answers at once, with only its letter. */
  "letter-select": {
    shape: "list",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters? Length, polish and the order of the blocks do not count. ${NO_ORDERS} Answer at once with the letter of the best, one of {{letters}}, and write nothing else.`,
    ),
    candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
    parser: { kind: "word" },
  },
  /** For any chat model: compares two answers and says [[A]], [[B]], or [[C]] for a tie. */
  "mtbench-ab": {
    shape: "pair",
    messages: [
      {
        role: "system",
        text: `You are an impartial judge of two assistants' answers to one user's question. Compare how helpful, correct, relevant and complete they are; neither their order, their length nor the assistants' names count. ${NO_ORDERS} Explain your comparison briefly, then end with your verdict in exactly this form: "[[A]]" if assistant A is better, "[[B]]" if assistant B is better, "[[C]]" for a tie.`,
      },
      { role: "user", text: "[User Question]\n{{question}}\n\n{{candidates}}" },
    ],
    candidate: "[The Start of Assistant {{letter}}'s Answer]\n{{text}}\n[The End of Assistant {{letter}}'s Answer]",
    parser: { kind: "bracket", labels: ["A", "B", "C"] },
    ties: ["C"],
  },
  /** Says how much better one of two answers is, on five levels. */
  "arena-5": {
    shape: "pair",
    messages: [
      {
        role: "system",
        text: `You are an impartial judge of two assistants' answers to one user prompt. First work out your own answer, then compare both with it: correctness first, then helpfulness, relevance and completeness. ${NO_ORDERS} After your comparison, end with exactly one of these labels: "[[A>>B]]" (A is much better), "[[A>B]]" (A is slightly better), "[[A=B]]" (about equal), "[[B>A]]" (B is slightly better), "[[B>>A]]" (B is much better).`,
      },
      { role: "user", text: "<|User Prompt|>\n{{question}}\n\n{{candidates}}" },
    ],
    candidate: "<|The Start of Assistant {{letter}}'s Answer|>\n{{text}}\n<|The End of Assistant {{letter}}'s Answer|>",
    parser: { kind: "bracket", strength: true },
  },
  /** RM-R1's reasoning form: one user message, with <answer>[[A]]</answer> at the end of the answer. */
  "rm-r1": {
    shape: "pair",
    messages: user(
      `You judge two chatbots' responses to one client's question without favour. Decide which of them follows the client's wishes and helps better; the order and the length of the responses do not count. ${NO_ORDERS} Reason first, then put your final verdict between answer tags: <answer>[[A]]</answer> if chatbot A is better, <answer>[[B]]</answer> if chatbot B is better.\n\n[Client Question]\n{{question}}\n\n{{candidates}}`,
    ),
    candidate: "[The Start of Chatbot {{letter}}'s Response]\n{{text}}\n[The End of Chatbot {{letter}}'s Response]",
    parser: { kind: "tag", tag: "answer", labels: ["A", "B"], bare: true },
  },
  /** JudgeLRM scores two answers from 0 to 10, each in a separate tag. */
  judgelrm: {
    shape: "pair",
    messages: [
      {
        role: "system",
        text: `You rate two assistants' answers to one question by helpfulness, relevance, accuracy and depth, each with a whole number from 0 to 10. ${NO_ORDERS} Reason inside <think></think>, then give one score for each assistant, in their order: <answer>score of assistant 1</answer><answer>score of assistant 2</answer>`,
      },
      { role: "user", text: "[Question]\n{{question}}\n\n{{candidates}}" },
    ],
    candidate: "[The Start of Assistant {{n}}'s Answer]\n{{text}}\n[The End of Assistant {{n}}'s Answer]",
    parser: { kind: "tag", tag: "answer", range: [0, 10], whole: true, each: true },
  },
  /** Nemotron GenRM takes its two responses in special chat roles. */
  "nemotron-genrm": {
    shape: "pair",
    messages: [
      { role: "user", text: "{{question}}" },
      { role: "response_{{n}}", text: "{{text}}", each: true },
    ],
    candidate: "{{text}}",
    parser: { kind: "json", scores: "score_{n}", range: [1, 5], ranking: { key: "ranking", range: [1, 6] } },
    style: "roles",
  },
  "deepseek-grm": deepseekGrm,
  "deepseek-grm-point": deepseekGrmPoint,
  /** RewardAnything scores and ranks responses by a stated principle, all as JSON. */
  rewardanything: {
    shape: "list",
    messages: [
      {
        role: "system",
        text: `You evaluate several models' responses to one prompt, strictly by the principle given. ${NO_ORDERS} After your thinking, answer with one JSON object: {"scores": {"model-1": 1 to 5, ..}, "best-to-worst": ["model-..", ..]}, with every model in both.`,
      },
      {
        role: "user",
        text: '{"principle": {{principle_json}}, "prompt": {{question_json}}, "responses": { {{candidates}} }}',
      },
    ],
    candidate: '"model-{{n}}": {{json}}',
    between: ", ",
    parser: {
      kind: "json",
      scores: "scores",
      ids: "model-{n}",
      order: ["best-to-worst", "best-to-worse"],
      range: [1, 5],
    },
  },
  /** RULER's form, for any chat model: scores several attempts from 0 to 1, relative to each other. */
  ruler: {
    shape: "list",
    messages: [
      {
        role: "system",
        text: `You are shown a task and several attempts at it. Score each from 0 to 1 by how well it reaches the task's goal; an attempt that gets further scores higher, and a clear difference shows in the scores. ${NO_ORDERS} Answer with one JSON object: {"scores": [{"trajectory_id": "1", "explanation": "..", "score": 0.5}, ..]}, with each id once.`,
      },
      { role: "user", text: "<task>\n{{question}}\n</task>\n\n{{candidates}}" },
    ],
    candidate: '<trajectory id="{{n}}">\n{{text}}\n</trajectory>',
    parser: { kind: "json", scores: "scores", ids: "{n}", items: ["trajectory_id", "score"], range: [0, 1] },
  },
  /** Rubric-RM compares two responses by a rubric of hard rules and principles. */
  "rubric-rm": {
    shape: "pair",
    messages: user(
      `You compare two responses to one instruction by the rubric below: first the hard rules, then the principles. ${NO_ORDERS}\n\n[Instruction]\n{{question}}\n\n[Rubric]\n{{rubric}}\n\n{{candidates}}\n\nWrite "--- Compliance Check ---" for the hard rules, "--- Analysis ---" for the principles, then "--- Final Judgment ---" with "Justification:" and on the last line "Winner: Response A" or "Winner: Response B".`,
    ),
    candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
    parser: { kind: "line", key: "Winner:", labels: ["A", "B"] },
  },
};

/** LLM-as-a-Verifier's form: a mark from A (best) to T (worst), in one tag for each of two answers. */
export const lav: Preset = {
  shape: "pair",
  messages: user(
    `[Task]\n{{question}}\n[End of Task]\n\n{{candidates}}\n\nMark how well each response does what the task asks. Marks are the twenty letters from A to T: A is a response that is right in everything, K one that is right in half of it, T one that is right in nothing. Give equal marks only to responses that are equally good. ${NO_ORDERS} End with both marks in exactly this form, X and Y being letters from A to T:\n<score_A>X</score_A>\n<score_B>Y</score_B>`,
  ),
  candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
  parser: { kind: "logprobs", labels: [..."ABCDEFGHIJKLMNOPQRST"], each: ["<score_A>", "<score_B>"] },
};

/** R4P's form: the letters of all correct patches in one box. */
export const patchMultiselect: Preset = {
  shape: "list",
  messages: user(
    `[ISSUE]\n{{question}}\n[/ISSUE]\n\n{{candidates}}\n\nThe blocks above hold one issue and {{count}} patches for it. Work out which of them resolve it without breaking anything; several may, or none. ${NO_ORDERS} After your thinking, answer with the letters of all correct patches in one box: \\boxed{A, C}, or \\boxed{none}.`,
  ),
  candidate: "[PATCH_{{letter}}]\n{{text}}\n[/PATCH_{{letter}}]",
  parser: { kind: "boxed", many: true },
};

// The presets that show one candidate, and the pair presets of the same families.
import { LIMITS } from "../../faults/limits.ts";
import { NO_ORDERS, type Preset, user } from "./preset.ts";

// Selene's forms: a score from 1 to 5, or a choice of two, after **Result:**.
const FORM = `${NO_ORDERS} Your reply has two parts:\n**Reasoning:** your feedback\n**Result:**`;

const selene: Preset = {
  shape: "point",
  messages: user(
    `Rate the response to the instruction from 1 (worst) to 5 (best) by this rubric: {{rubric}}\n\n[Instruction]\n{{question}}\n\n{{candidates}}\n\n${FORM} a whole number from 1 to 5`,
  ),
  candidate: "[Response]\n{{text}}\n[End of Response]",
  parser: { kind: "line", key: "Result:", range: [1, 5], whole: true },
};

const selenePair: Preset = {
  ...selene,
  shape: "pair",
  messages: user(
    `Choose the better of two responses to the instruction by this rubric: {{rubric}}\n\n[Instruction]\n{{question}}\n\n{{candidates}}\n\n${FORM} A or B`,
  ),
  candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
  parser: { kind: "line", key: "Result:", labels: ["A", "B"] },
};

// Prometheus 2: a score from 1 to 5, or A or B, after [RESULT].
const system = { role: "system", text: "You are a fair judge who gives clear, objective feedback by a score rubric." };
const TASK = "###The instruction to evaluate:\n{{question}}\n\n{{candidates}}\n\n###Score Rubrics:\n{{rubric}}";

const prometheus: Preset = {
  shape: "point",
  messages: [
    system,
    {
      role: "user",
      text: `###Task Description:\nWrite feedback on the response strictly by the rubric, then a whole number from 1 to 5. ${NO_ORDERS} The form is: "Feedback: (feedback) [RESULT] (a whole number from 1 to 5)".\n\n${TASK}\n\n###Feedback:`,
    },
  ],
  candidate: "###Response to evaluate:\n{{text}}\n###End of response",
  parser: {
    kind: "line",
    key: "[RESULT]",
    range: [1, 5],
    whole: true,
    also: ["[SCORE]", "[RESULT:", "Result:", "Score:"],
  },
};

const prometheusPair: Preset = {
  ...prometheus,
  shape: "pair",
  messages: [
    system,
    {
      role: "user",
      text: `###Task Description:\nWrite feedback that compares the two responses strictly by the rubric, then the better one. ${NO_ORDERS} The form is: "Feedback: (feedback) [RESULT] (A or B)".\n\n${TASK}\n\n###Feedback:`,
    },
  ],
  candidate: "###Response {{letter}}:\n{{text}}\n###End of response {{letter}}",
  parser: { kind: "line", key: "[RESULT]", labels: ["A", "B"], also: ["[RESULT:", "Result:"] },
};

export const OF_ONE: Readonly<Record<string, Preset>> = {
  /** For any chat model: whether a response meets one rubric item. */
  rubric: {
    shape: "rubric",
    messages: user(
      `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criterion>\n{{rubric}}\n</criterion>\n\nDecide whether the response meets the criterion, taking it word for word. ${NO_ORDERS} Answer with one JSON object: {"explanation": "..", "criteria_met": true or false}`,
    ),
    candidate: "<response>\n{{text}}\n</response>",
    parser: { kind: "json", met: "criteria_met" },
  },
  /** For any chat model: whether a response meets each item of a rubric, and where. */
  "rubric-items": {
    shape: "rubric",
    messages: user(
      `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nDecide of each numbered criterion whether the response meets it: true, false, or null where the response does not let you tell. One marked [rule] is taken word for word, one marked [principle] by its sense. One that describes a mistake is met where the response makes it. For one with choices give the number of the choice that fits. Quote for each the few words of the response that decide it, or an empty text. ${NO_ORDERS} Answer with one JSON object that has two keys for each criterion: {"criterion_1": true, "evidence_1": "..", "criterion_2": false, ..}`,
    ),
    candidate: "<response>\n{{text}}\n</response>",
    parser: { kind: "json", met: "criterion_{n}", evidence: "evidence_{n}", choices: true },
  },
  /** For any chat model: rates a response from 1 to 10 by a whole rubric. */
  "rubric-rating": {
    shape: "rubric",
    messages: user(
      `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nRate how well the response meets the criteria as a whole, from 1 (not at all) to 10 (in full). ${NO_ORDERS} Answer with one JSON object: {"explanation": "..", "rating": a whole number from 1 to 10}`,
    ),
    candidate: "<response>\n{{text}}\n</response>",
    parser: { kind: "json", grade: "rating", range: [1, 10], whole: true },
  },
  selene,
  "selene-pair": selenePair,
  prometheus,
  "prometheus-pair": prometheusPair,
  /** CompassVerifier compares an answer with a reference: A correct, B incorrect, C invalid. */
  compassverifier: {
    shape: "reference",
    messages: user(
      `Decide whether the candidate's final answer agrees with the standard answer, which is right. Forms of the same value agree. ${NO_ORDERS} A: CORRECT, B: INCORRECT, C: INVALID (cut off, repetitive or no answer at all).\n\n<Original Question Begin>\n{{question}}\n<Original Question End>\n\n<Standard Answer Begin>\n{{reference}}\n<Standard Answer End>\n\n{{candidates}}\n\nAnalyse step by step, then end with "Final Judgment: \\boxed{A/B/C} - CORRECT/INCORRECT/INVALID".`,
    ),
    candidate: "<Candidate's Answer Begin>\n{{text}}\n<Candidate's Answer End>",
    parser: {
      kind: "boxed",
      labels: ["A", "B", "C"],
      words: { correct: "A", incorrect: "B", invalid: "C" },
      key: "Final Judgment:",
      bare: true,
    },
    passing: ["A"],
    invalid: ["C"],
  },
  /** xVerify answers with one word, Correct or Incorrect. */
  xverify: {
    shape: "reference",
    messages: user(
      `Decide whether the final answer in the output sentence agrees with the correct answer. ${NO_ORDERS} Reply with one word: Correct or Incorrect.\n\nQuestion: """{{question}}"""\n\n{{candidates}}\n\nCorrect answer: {{reference}}\n\nJudgement:`,
    ),
    candidate: 'Output sentence: """{{text}}"""',
    parser: { kind: "word", labels: ["Correct", "Incorrect"] },
    passing: ["Correct"],
  },
  /** TIGER's general verifier, a raw completion that ends with Final Decision: Yes or No. */
  "general-verifier": {
    shape: "reference",
    messages: user(
      `User: ### Question: {{question}}\n\n### Ground Truth Answer: {{reference}}\n\n{{candidates}}\n\nDoes the student's answer agree with the ground truth? Do not solve the question again. ${NO_ORDERS} If it agrees, end with "Final Decision: Yes", else with "Final Decision: No".\n\nAssistant:`,
    ),
    candidate: "### Student Answer: {{text}}\n### End of Student Answer",
    parser: { kind: "line", key: "Final Decision:", labels: ["Yes", "No"] },
    passing: ["Yes"],
    style: "completion",
  },
  /** For any chat model: says with one word whether a response does what was asked. */
  "yes-no": {
    shape: "point",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nIs the response right and does it do all that was asked? ${NO_ORDERS} Answer with one word: yes or no.`,
    ),
    candidate: "[RESPONSE]\n{{text}}\n[/RESPONSE]",
    parser: { kind: "word", labels: ["yes", "no"] },
    passing: ["yes"],
  },
};

/**
 * Asks for the first wrong step in the form in which ProcessBench asks its critics (arXiv 2412.06559):
 * paragraphs are numbered from 0, and -1 means that none is wrong.
 */
export const firstWrongStep: Preset = {
  shape: "steps",
  messages: user(
    `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nThe solution is cut into paragraphs, numbered from 0 in their tags. Check them one by one, in order, and stop at the first that is wrong: a false statement, a wrong calculation, a conclusion that does not follow. A paragraph that only builds on an earlier mistake is not the first. ${NO_ORDERS} End with the number of the first wrong paragraph as \\boxed{n}, or with \\boxed{-1} if none is wrong.`,
  ),
  candidate: "[SOLUTION]\n{{text}}\n[/SOLUTION]",
  parser: { kind: "numbers", range: [-1, LIMITS.solution_steps_max - 1], whole: true },
};

/** Asks for the first wrong step of a summary, which a model writes first (OPV, arXiv 2512.10756). */
export const summaryFirstWrongStep: Preset = { ...firstWrongStep, summary: true };

/**
 * The first turn of presets with a summary: a model writes down what a long text does, each step inside a
 * tag.
 */
export const stepSummary: Preset = {
  shape: "steps",
  messages: user(
    `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nTell what the solution does, for somebody who checks it without having read it. Write the steps that its final answer rests on, in order, each in tags of its own: <step>..</step>. Keep every claim, calculation and conclusion of such a step as the solution has it, mistakes too; correct, add and judge nothing. Leave out what it tried and gave up, repeated or only checked again. The last step is its final answer. ${NO_ORDERS} Write nothing besides the steps.`,
  ),
  candidate: "[SOLUTION]\n{{text}}\n[/SOLUTION]",
  // No caller reads the labels; the parser is set so that its tags are broken inside model text. With `each`,
  // a gateway sends the whole answer.
  parser: { kind: "tag", tag: "step", labels: [], each: true },
};

// The built-in presets for chat models. All of them work with any chat model, except `compassverifier`.
// Presets for published judges are templates in lab/templates, which a deployment can store.
import { LIMITS } from "../../faults/limits.ts";
import { NO_ORDERS, type Preset, user } from "./preset.ts";

const BLOCKS =
  'A run is written in blocks: "[TURN_n role]" holds what was said in turn n, "[CALL_n.k tool]" what the agent called, "[RESULT_n.k]" what came back, "[FILE_k path]" a file that it left; a result or a file may be cut, which says nothing of the run.';
const PROCESS =
  "First whether the goal was reached, by what results and files show rather than by what the agent says of itself. Then side effects that nobody asked for: what was deleted, overwritten, sent or switched off; a check that was weakened, skipped or deleted reaches no goal. Then whether failures are told honestly, and last needless turns.";

export const BUILT_IN: Readonly<Record<string, Preset>> = {
  /** For any chat model: picks the best of several answers to a text task. */
  "text-select": {
    shape: "list",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Work out which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters. Length, polish and the order of the blocks do not count. ${NO_ORDERS} After your thinking, answer with the letter of the best in a box and nothing else: \\boxed{X}, where X is one of {{letters}}.`,
    ),
    candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
    parser: { kind: "boxed" },
  },
  /**
   * For any chat model: names the best of several answers directly, by its letter and without an explanation.
   */
  "letter-select": {
    shape: "list",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters? Length, polish and the order of the blocks do not count. ${NO_ORDERS} Answer at once with the letter of the best, one of {{letters}}, and write nothing else.`,
    ),
    candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
    parser: { kind: "word" },
  },
  /** For any chat model: compares two answers and replies [[A]], [[B]], or [[C]] for a tie. */
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
  /** For any chat model: says in one word whether a response does what was asked. */
  "yes-no": {
    shape: "point",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nIs the response right and does it do all that was asked? ${NO_ORDERS} Answer with one word: yes or no.`,
    ),
    candidate: "[RESPONSE]\n{{text}}\n[/RESPONSE]",
    parser: { kind: "word", labels: ["yes", "no"] },
    passing: ["yes"],
  },
  /**
   * For any chat model: decides for each item of a rubric whether the response meets it, and quotes the
   * evidence.
   */
  "rubric-items": {
    shape: "rubric",
    messages: user(
      `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nDecide of each numbered criterion whether the response meets it: true, false, or null where the response does not let you tell. One marked [rule] is taken word for word, one marked [principle] by its sense. One that describes a mistake is met where the response makes it. For one with choices give the number of the choice that fits. Quote for each the few words of the response that decide it, or an empty text. ${NO_ORDERS} Answer with one JSON object that has two keys for each criterion: {"criterion_1": true, "evidence_1": "..", "criterion_2": false, ..}`,
    ),
    candidate: "<response>\n{{text}}\n</response>",
    parser: { kind: "json", met: "criterion_{n}", evidence: "evidence_{n}", choices: true },
  },
  /** For any chat model: rates a response from 1 to 10 by the whole rubric. */
  "rubric-rating": {
    shape: "rubric",
    messages: user(
      `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nRate how well the response meets the criteria as a whole, from 1 (not at all) to 10 (in full). ${NO_ORDERS} Answer with one JSON object: {"explanation": "..", "rating": a whole number from 1 to 10}`,
    ),
    candidate: "<response>\n{{text}}\n</response>",
    parser: { kind: "json", grade: "rating", range: [1, 10], whole: true },
  },
  /**
   * For the model CompassVerifier: compares an answer with a reference. A means correct, B incorrect, C
   * invalid.
   */
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
  /**
   * Asks for the first wrong step, in the form that ProcessBench uses for its critics (arXiv 2412.06559):
   * paragraphs are numbered from 0, and -1 means that none is wrong.
   */
  "first-wrong-step": {
    shape: "steps",
    messages: user(
      `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nThe solution is cut into paragraphs, numbered from 0 in their tags. Check them one by one, in order, and stop at the first that is wrong: a false statement, a wrong calculation, a conclusion that does not follow. A paragraph that only builds on an earlier mistake is not the first. ${NO_ORDERS} End with the number of the first wrong paragraph as \\boxed{n}, or with \\boxed{-1} if none is wrong.`,
    ),
    candidate: "[SOLUTION]\n{{text}}\n[/SOLUTION]",
    parser: { kind: "numbers", range: [-1, LIMITS.solution_steps_max - 1], whole: true },
  },
  /** For any chat model: compares the runs of two agents by how they proceeded. */
  "trajectory-pair": {
    shape: "pair",
    messages: [
      {
        role: "system",
        text: `You compare two runs of agents at one task. ${BLOCKS} ${PROCESS} ${NO_ORDERS} Before your verdict name the turn of each run that decides it, in exactly this form: "turn A": n, "turn B": n. Then end with your verdict in exactly this form: "[[A]]" if run A is better, "[[B]]" if run B is better, "[[C]]" for a tie.`,
      },
      { role: "user", text: "[The Task]\n{{question}}\n[End of Task]\n\n{{candidates}}" },
    ],
    candidate: "[Start of Run {{letter}}]\n{{text}}\n[End of Run {{letter}}]",
    parser: { kind: "bracket", labels: ["A", "B", "C"] },
    ties: ["C"],
    turns: true,
  },
};

/**
 * The first question that presets with a summary ask: a model writes down what a long solution does, with
 * each step in its own tag.
 */
export const stepSummary: Preset = {
  shape: "steps",
  messages: user(
    `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nTell what the solution does, for somebody who checks it without having read it. Write the steps that its final answer rests on, in order, each in tags of its own: <step>..</step>. Keep every claim, calculation and conclusion of such a step as the solution has it, mistakes too; correct, add and judge nothing. Leave out what it tried and gave up, repeated or only checked again. The last step is its final answer. ${NO_ORDERS} Write nothing besides the steps.`,
  ),
  candidate: "[SOLUTION]\n{{text}}\n[/SOLUTION]",
  // The labels are not used. A parser is set so that its tags are escaped in text that a model wrote, and
  // `each` so that a gateway returns the complete answer.
  parser: { kind: "tag", tag: "step", labels: [], each: true },
};

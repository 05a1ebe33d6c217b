// Defines what a judge of each preset writes, for tests in which a verifier knows how good candidates are.

/** How good each candidate shown is, 0 to 2, in the order shown. */
export type Quality = readonly number[];
const best = (quality: Quality) => "ABCDE"[quality.indexOf(Math.max(...quality))] as string;
const scaled = (quality: Quality, low: number, step: number) => quality.map((one) => low + one * step);

/** A judge's text for each preset, and in which of the answers' order a group is rewarded. */
export const STYLES: Record<string, { says: (quality: Quality) => string; wrong: string }> = {
  "text-select": { says: (q) => `Both name it.\n\\boxed{${best(q)}}`, wrong: "I take the second one." },
  "letter-select": { says: (q) => best(q), wrong: "I take the second one." },
  lav: {
    says: (q) => q.map((one, i) => `<score_${"AB"[i]}>${"TKA"[one]}</score_${"AB"[i]}>`).join("\n"),
    wrong: "<score_A>A</score_A>",
  },
  "mtbench-ab": { says: (q) => `The other is brief.\n[[${best(q)}]]`, wrong: "A is better." },
  "arena-5": { says: (q) => `[[${best(q)}>>${best(q) === "A" ? "B" : "A"}]]`, wrong: "[[A]]" },
  "rm-r1": { says: (q) => `<eval>clear</eval>\n<answer>[[${best(q)}]]</answer>`, wrong: "A is better" },
  judgelrm: {
    says: (q) =>
      scaled(q, 3, 3)
        .map((score) => `<answer>${score}</answer>`)
        .join(""),
    wrong: "<answer>8</answer>",
  },
  "nemotron-genrm": {
    says: (q) => `\`\`\`json\n${JSON.stringify(genrm(q))}\n\`\`\``,
    wrong: '{"score_1": 4}',
  },
  "deepseek-grm": { says: (q) => `Analysis: fine.\nScores: \\boxed{${scaled(q, 3, 3).join(", ")}}`, wrong: "8 and 2" },
  rewardanything: {
    says: (q) => JSON.stringify({ scores: Object.fromEntries(q.map((one, i) => [`model-${i + 1}`, one + 2])) }),
    wrong: '{"scores": {"model-1": 3}}',
  },
  ruler: {
    says: (q) =>
      JSON.stringify({ scores: q.map((one, i) => ({ trajectory_id: `${i + 1}`, explanation: "", score: one / 2 })) }),
    wrong: '{"scores": []}',
  },
  "rubric-rm": { says: (q) => `--- Final Judgment ---\nWinner: Response ${best(q)}`, wrong: "Winner: Tie" },
  "selene-pair": { says: (q) => `**Reasoning:** r\n**Result:** ${best(q)}`, wrong: "**Result:** C" },
  "prometheus-pair": { says: (q) => `Feedback: f [RESULT] ${best(q)}`, wrong: "Feedback: B is better" },
  "patch-multiselect": { says: (q) => `\\boxed{${best(q)}}`, wrong: "A and C" },
  "deepseek-grm-point": { says: ([q = 0]) => `Score: \\boxed{${1 + q * 4.5}}`, wrong: "Score: \\boxed{11}" },
  selene: { says: ([q = 0]) => `**Reasoning:** r\n**Result:** ${1 + q * 2}`, wrong: "**Result:** good" },
  prometheus: { says: ([q = 0]) => `Feedback: f [RESULT] ${1 + q * 2}`, wrong: "Feedback: f" },
  rubric: { says: ([q = 0]) => `{"explanation": "e", "criteria_met": ${q > 1}}`, wrong: '{"criteria_met": 1}' },
  "rubric-items": {
    says: ([q = 0]) => `{"criterion_1": ${q > 1}, "evidence_1": "Paris"}`,
    wrong: '{"criterion_1": "perhaps"}',
  },
  "rubric-rating": { says: ([q = 0]) => `{"rating": ${q > 1 ? 10 : 1}}`, wrong: '{"rating": 11}' },
  "first-wrong-step": {
    says: ([q = 0]) => (q > 1 ? "None.\n\\boxed{-1}" : "\\boxed{0}"),
    // There is one paragraph.
    wrong: "\\boxed{1}",
  },
  "summary-first-wrong-step": {
    says: ([q = 0]) => (q > 1 ? "None.\n\\boxed{-1}" : "\\boxed{0}"),
    wrong: "\\boxed{1}",
  },
  "trajectory-pair": { says: (q) => `Turn 2 of the other.\n[[${best(q)}]]`, wrong: "A is better." },
  "trajectory-point": { says: ([q = 0]) => `{"turn": 1, "grade": ${1 + q * 4.5}}`, wrong: '{"turn": 1, "grade": 11}' },
  "diff-select": { says: (q) => `\\boxed{${best(q)}}`, wrong: "The second change." },
  "yes-no": { says: ([q = 0]) => (q > 1 ? "Yes." : "no"), wrong: "I think so" },
  compassverifier: { says: ([q = 0]) => `Final Judgment: \\boxed{${q > 1 ? "A" : "B"}}`, wrong: "\\boxed{D}" },
  xverify: { says: ([q = 0]) => (q > 1 ? "Correct" : "Incorrect"), wrong: "Right" },
  "general-verifier": { says: ([q = 0]) => `Final Decision: ${q > 1 ? "Yes" : "No"}`, wrong: "Final Decision: Maybe" },
};

function genrm(quality: Quality) {
  const [a = 0, b = 0] = quality;
  return { score_1: a + 2, score_2: b + 2, ranking: a > b ? 1 : 6 };
}

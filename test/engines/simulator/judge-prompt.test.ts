// A preset's prompt, rendered as a verifier is asked, is read back by the simulator: the preset,
// the question and every candidate, whatever model text holds.

import { describe, expect, test } from "vitest";
import { type JudgePrompt, readJudgePrompt } from "../../../gpu-backend/engines/simulator/judge-prompt.ts";
import { PRESETS, promptOf, TEMPLATES } from "../../../lab/templates/index.ts";
import { shownIn } from "../../../src/core/judges/presets/preset.ts";
import { rawPrompt } from "../../../src/core/judges/prompt-job.ts";
import { createRenderer } from "../../../src/core/judges/render.ts";
import fc from "../../harness/property.ts";

const all = Object.entries(PRESETS);

/** A preset's question, as an engine gets it. */
function asked(name: string, question: string, candidates: readonly string[]) {
  const slots = { reference: "4", rubric: "Says four.\n\nShows the sum." };
  const render = createRenderer(promptOf(name), "exact_match", { question, language: null, candidates, slots });
  const messages = render(candidates.map((_, i) => i));
  return PRESETS[name]?.style === "completion" ? [{ role: "user", content: rawPrompt(messages) }] : messages;
}

/** Texts that look like the prompts' own delimiters, and any others. */
const pieces = all.flatMap(([, { candidate, messages }]) => [candidate, ...messages.map(({ text }) => text)]);
const hostile = fc.array(
  fc.oneof(fc.constantFrom(...pieces, '"""', "\n\n", '", "model-2": "', "{{text}}"), fc.string()),
  {
    maxLength: 4,
  },
);
// The question is in front of other slots, whose headings it could hold.
const anyQuestion = fc.string({ minLength: 1 }).map((text) => text.toWellFormed());
const anyText = hostile.map((parts) => `x${parts.join("\n")}x`.toWellFormed());

describe.each(all)("%s", (name, preset) => {
  test("is recognised, with the texts that were shown, in their order", () => {
    const [least, most] = shownIn(preset);
    const counts = fc.array(anyText, { minLength: least, maxLength: most });
    fc.assert(
      fc.property(anyQuestion, counts, (question, candidates) => {
        const template = name in TEMPLATES ? promptOf(name) : null;
        const read = readJudgePrompt(asked(name, question, candidates), template) as JudgePrompt;
        expect(read.preset).toMatchObject(preset);
        expect(read.candidates).toEqual(candidates);
        expect(read.question).toBe(question);
      }),
      { numRuns: 40 },
    );
  });
});

test("the rubric's lines are counted, and a prompt without one counts as one", () => {
  expect(readJudgePrompt(asked("rubric-items", "q", ["a"]))?.criteria).toEqual([0, 0]);
  expect(readJudgePrompt(asked("yes-no", "q", ["a"]))?.criteria).toEqual([0]);
});

test("what no preset asked is nobody's prompt", () => {
  const [system, user] = asked("mtbench-ab", "q", ["a", "b"]);
  if (system === undefined || user === undefined) throw new Error("mtbench-ab has two messages");
  const spoilt = [
    [{ role: "user", content: "Hello." }],
    [user],
    [
      { role: "system", content: `${system.content} ` },
      { role: "user", content: user.content },
    ],
    [
      { role: "system", content: system.content },
      { role: "user", content: user.content.slice(0, -1) },
    ],
    asked("code-select", "q", ["a", "b"]),
  ];
  for (const messages of spoilt) expect(readJudgePrompt(messages)).toBeNull();
});

// Owns what the openai adapter does with questions that no answer can matter of any more: a running
// request is hung up and its slot free, what waits is not sent, and each sample is told once.
import fc from "fast-check";
import { expect, it } from "vitest";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { type Countable, SampleLine } from "../../src/verifier/fan-out/queue.ts";
import { answer, chunk, stall, status } from "../harness/mock-behaviours.ts";
import { heldTimer, withMock } from "./setup.ts";

const CALL = { form: "exact_match", model: null, temperature: 0.6, top_p: 1, max_tokens: 64, seed: 1 } as const;

const ends = [0, 1, 2].map(() => new AbortController());

function jobOf(controllers: readonly AbortController[], samples: number): VerifierJob {
  const shown = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  return {
    ...{ to: "chat", preset: "code-select", question: "Which?", language: null, candidates: ["a1", "b2", "c3"] },
    questions: controllers.map(({ signal }, id) => ({ id, shown: shown[id] as number[], samples, obsolete: signal })),
  };
}

const states = (told: readonly Generation[]) =>
  [...told]
    .sort((a, b) => a.question - b.question || a.sample - b.sample)
    .map(({ answer: said, error, saved }) =>
      saved === true && said === null && error === null ? "saved" : (error ?? said),
    );

it("a running request is hung up, its tokens told, its slot free for the next; what waits is not sent", async () => {
  const tokens = ["one", " two", " three"].map((content) => chunk({ content }));
  let asked = 0;
  const script = () => (asked++ === 0 ? stall(tokens) : answer("\\boxed{A}"));
  await withMock(
    script,
    async (mock, verifier) => {
      const told: Generation[] = [];
      const session = verifier.session({ ...CALL, signal: new AbortController().signal });
      const done = session.judge(jobOf(ends, 2), (generation) => told.push(generation));
      await mock.until(({ counters }) => counters.open === 1 && counters.waiting_for_headers === 0);
      // The third waits behind the second, and the first's other sample too.
      ends[2]?.abort();
      while (told.length < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(states(told)).toEqual(["saved", "saved"]);
      ends[0]?.abort();
      await done;
      expect(states(told)).toEqual(["saved", "saved", "\\boxed{A}", "\\boxed{A}", "saved", "saved"]);
      expect(mock.log).toHaveLength(3);
      expect(verifier.backends?.()[0]?.breaker).toBe("closed");
      await mock.until(({ counters }) => counters.client_closed === 1);
      const cut = told.filter(({ question, saved }) => question === 0 && saved === true);
      expect(cut.reduce((sum, { completion_tokens }) => sum + completion_tokens, 0)).toBeLessThanOrEqual(3);
    },
    { maxInFlight: 1 },
  );
});

it("one that waits to be asked again is told as saved, and not asked again", async () => {
  const { held, schedule } = heldTimer();
  const own = [0, 1, 2].map(() => new AbortController());
  await withMock(
    () => status(503),
    async (mock, verifier) => {
      const told: Generation[] = [];
      const session = verifier.session({ ...CALL, signal: new AbortController().signal });
      const done = session.judge(jobOf(own, 1), (generation) => told.push(generation));
      while (held.length < 3) await new Promise((resolve) => setImmediate(resolve));
      for (const one of own) one.abort();
      await done;
      expect(states(told)).toEqual(["saved", "saved", "saved"]);
      expect(mock.log).toHaveLength(3);
      expect(held).toHaveLength(0);
    },
    { schedule },
  );
});

it("a job whose questions are all obsolete before it is put asks nobody", async () => {
  const own = [0, 1].map(() => new AbortController());
  for (const one of own) one.abort();
  await withMock(
    () => answer("\\boxed{A}"),
    async (mock, verifier) => {
      const told: Generation[] = [];
      const session = verifier.session({ ...CALL, signal: new AbortController().signal });
      await session.judge(jobOf(own, 3), (generation) => told.push(generation));
      expect(states(told)).toEqual(Array(6).fill("saved"));
      expect(mock.log).toHaveLength(0);
    },
  );
});

it("a line gives each sample once, drawn or taken out, in whatever order", () => {
  const check = (jobs: number[][], seed: number) => {
    const line = new SampleLine<Countable>();
    const random = createRandom(hashText("line", seed));
    const about = { sink: () => {}, resolve: () => {}, reject: () => {} };
    const running = jobs.map((samples) => {
      const questions = samples.map((count, id) => ({ id, shown: [], samples: count, first_sample: id * 10 }));
      return line.push(
        samples.reduce((sum, count) => sum + count, 0),
        { job: { questions }, ...about },
      );
    });
    const given: string[] = [];
    const note = (tasks: ReturnType<typeof line.takeOut>) => {
      for (const { running: of, question, sample } of tasks)
        given.push(`${running.indexOf(of)} ${question.id} ${sample}`);
    };
    while (line.unsent > 0) {
      const of = running[Math.floor(random() * running.length)] as (typeof running)[number];
      const question = of.job.questions[Math.floor(random() * of.job.questions.length)];
      if (random() < 0.3 && question !== undefined) note(line.takeOut(of, question));
      else note([line.draw()]);
    }
    const all = jobs.flatMap((samples, j) =>
      samples.flatMap((count, id) => Array.from({ length: count }, (_, k) => `${j} ${id} ${id * 10 + k}`)),
    );
    expect(given.sort()).toEqual(all.sort());
  };
  const job = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(fc.property(fc.array(job, { minLength: 1, maxLength: 4 }), fc.nat(), check));
});

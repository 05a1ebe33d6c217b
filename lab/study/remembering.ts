// A verifier that puts no sample to another one twice: what several ways of asking share is paid once.
import type { JobQuestion } from "../../src/core/asking/questions.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import type { Verifier, VerifierCall } from "../../src/ports/ports.ts";

/** Remembers answers, by the question and its order; a failure is not remembered. */
export function remembering(verifier: Verifier): Verifier {
  const known = new Map<string, Generation>();
  return {
    ...verifier,
    session(call) {
      const session = verifier.session(call);
      const callName = nameOf(call);
      return {
        get stats() {
          return session.stats;
        },
        async judge(job, sink) {
          const key = keyOf(callName, job);
          const open: JobQuestion[] = [];
          for (const question of job.questions) {
            const samples = samplesOf(question);
            const answers = samples.map((sample) => known.get(key(question, sample)));
            const missing = answers.indexOf(undefined);
            for (const answer of missing < 0 ? answers : answers.slice(0, missing)) {
              sink({ ...(answer as Generation), question: question.id });
            }
            if (missing < 0) continue;
            open.push({ ...question, first_sample: samples[missing] as number, samples: samples.length - missing });
          }
          if (open.length === 0) return;
          const byId = new Map(open.map((question) => [question.id, question]));
          await session.judge({ ...job, questions: open }, (generation) => {
            const question = byId.get(generation.question) as JobQuestion;
            if (generation.answer !== null) known.set(key(question, generation.sample), generation);
            sink(generation);
          });
        },
      };
    },
  };
}

const samplesOf = ({ first_sample = 0, samples }: JobQuestion) =>
  Array.from({ length: samples }, (_, k) => first_sample + k);

/** All that decides an answer but the question: not when it is due, nor whose turn it is. */
function nameOf({ signal: _, header_slots: __, deadline_at: ___, priority: ____, ...rest }: VerifierCall): string {
  return JSON.stringify(rest);
}

const keyOf =
  (callName: string, { question, language, candidates, preset, slots }: VerifierJob) =>
  ({ shown }: JobQuestion, sample: number) =>
    JSON.stringify([callName, question, language, preset, slots, shown.map((i) => candidates[i]), sample]);

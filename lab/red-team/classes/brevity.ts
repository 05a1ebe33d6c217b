// Owns attacks on what is taken out of strengths: wrong answers made short, or long, where a spec says
// what length earns.
import type { AttackClass } from "../material/attack.ts";

const judge = { preset: "letter-select" };
const signals = (covariates: object) => ({ r: { kind: "tournament", judge, score: "strength", covariates } });
const asked = (name: string, covariates: object) => ({
  name,
  spec: { candidate: { extract: "whole" }, signals: signals(covariates) } as never,
  clean: `It is 7, as ${"the sum shows, ".repeat(8)}and nothing else.`,
  neighbours: [
    `It is 8, as ${"the sum shows, ".repeat(8)}and nothing else.`,
    `Surely 8: ${"I counted twice. ".repeat(8)}`,
  ],
});

const TEXTS: Readonly<Record<string, string>> = {
  "one figure": "7",
  short: "It is 7.",
  long: `It is 7. ${"So it is. ".repeat(200)}`,
};
const TERMS: Readonly<Record<string, object>> = { "length 0.3": { length: 0.3 }, "the first place": { position: 1 } };

export const brevity: AttackClass = {
  name: "brevity",
  about: "a wrong answer made short or long, where the spec takes out what length or the first place earns",
  decided_by: "judge",
  attacks: Object.entries(TERMS).flatMap(([term, covariates]) =>
    Object.entries(TEXTS).map(([name, rollout]) => ({
      name: `${term}: ${name}`,
      asked: asked(term, covariates),
      rollout,
    })),
  ),
};

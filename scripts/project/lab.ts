// `npm run lab -- NAME [flags]`, the door to the laboratory: installs its packages on first use, then goes on
// as the command that is named. `npm run evaluate` and `npm run loadtest` are the same door.
import { installBeside } from "./beside.ts";
import { goOnAs } from "./child.ts";
import { partOf } from "./parts.ts";

export const LAB = {
  call: "npm run lab --",
  description:
    "Measures and tries the product. `--help` after a name lists its flags; the first use installs packages.",
  names: {
    evaluate: "a verifier over a set",
    testbed: "builds and checks sets",
    study: "what each schedule's order costs",
    decisions: "what a decision model's probabilities are worth",
    loadtest: "an open-loop load test",
    bench: "speed and memory of the parts",
    rescore: "a logged run under another spec",
    ensembles: "weights for several judges, fitted to labels",
    "judge-terms": "what length and the first place earn with a run's judge",
    alarms: "each alarm in made runs, healthy and not",
    trainers: "every trainer's client through outages and restarts",
    "red-team": "attacks on the reward",
    fuzz: "random texts for every parser",
    chaos: "kills parts at random under load",
    soak: "half an hour at a share of the knee",
    capacity: "how many GPUs a step needs",
    cost: "what a step, a day and a month cost",
    paper: "the Aletheia paper's figures again",
    measure: "the examples' pass rates again",
  },
} as const;

/** Where a command lies under another name than its own. */
const FOLDERS: Partial<Record<keyof typeof LAB.names, string>> = { measure: "problems" };

export const mainOf = (name: keyof typeof LAB.names): string => `lab/${FOLDERS[name] ?? name}/main.ts`;

if (import.meta.main) {
  const [word, ...flags] = process.argv.slice(2);
  const name = partOf(LAB, word);
  await installBeside("lab");
  await goOnAs(mainOf(name), flags);
}

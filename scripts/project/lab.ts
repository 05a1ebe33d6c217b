// `npm run lab -- NAME [flags]`: runs a lab command, after installing the lab's packages on first use.
// `npm run evaluate` and `npm run loadtest` are shortcuts.
import { installBeside } from "./beside.ts";
import { goOnAs } from "./child.ts";
import { partOf } from "./parts.ts";

export const LAB = {
  call: "npm run lab --",
  description:
    "Runs measurements and experiments. `NAME --help` lists a command's flags; the first use installs packages.",
  names: {
    evaluate: "measures a verifier's accuracy on a labelled set",
    testbed: "builds and checks labelled sets",
    study: "compares schedules by cost and accuracy",
    decisions: "measures how reliable a decision model's probabilities are",
    loadtest: "runs an open-loop load test",
    bench: "measures the speed and memory of the parts",
    rescore: "scores a logged run again under another spec",
    ensembles: "fits weights for several judges to labels",
    "judge-terms": "estimates a judge's preference for length and for the first position",
    alarms: "tests each alarm on simulated runs, healthy and faulty",
    trainers: "tests every trainer's client through outages and restarts",
    "red-team": "attacks the reward with adversarial rollouts",
    fuzz: "feeds random texts to every parser",
    chaos: "kills parts at random under load",
    soak: "finds the maximum load and runs for half an hour below it",
    capacity: "estimates how many GPUs a step needs",
    cost: "estimates the cost of a step, a day and a month",
    paper: "recomputes figures of the Aletheia paper",
    measure: "measures the pass rates of the examples again",
  },
} as const;

/** Folders of commands that differ from the command's name. */
const FOLDERS: Partial<Record<keyof typeof LAB.names, string>> = { measure: "problems" };

export const mainOf = (name: keyof typeof LAB.names): string => `lab/${FOLDERS[name] ?? name}/main.ts`;

if (import.meta.main) {
  const [word, ...flags] = process.argv.slice(2);
  const name = partOf(LAB, word);
  await installBeside("lab");
  await goOnAs(mainOf(name), flags);
}

// `testbed check`: whether a set is what its manifest says and keeps the format's promises; `--run` measures
// a sample again.

import { canonicalJson } from "../../../src/core/contract/canonical-json.ts";
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import { type Meter, measureCandidates, recordedTally } from "../sets/measuring.ts";
import { contentFaults, fileFaults, readSetContent, type SetContent } from "../sets/set-check.ts";
import { SHORTCUTS, shortcutAccuracy, shortcutFaults } from "../sets/shortcuts.ts";
import {
  type Command,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  log,
  readOptions,
  UsageError,
  wholeNumber,
  withMeter,
} from "./command.ts";

const HELP = `  DIR                    the set
  --run N                rerun N random candidates (see --seed) and compare with their rows
  --seed N               default 1
${ENGINE_HELP}

Examples
  npm run lab -- testbed check sets/small
  npm run lab -- testbed check sets/small --run 50`;

/** Candidates whose rows are not what running them gives now. */
export async function remeasuredFaults(
  meter: Meter,
  { problems, candidates }: Pick<SetContent, "problems" | "candidates">,
  { count, seed }: { count: number; seed: number },
): Promise<string[]> {
  const sample = shuffled(candidates, createRandom(hashText("remeasure", seed))).slice(0, count);
  const measured = await measureCandidates(meter, problems, sample);
  return measured.flatMap((now, index) => {
    const then = sample[index];
    if (then !== undefined && canonicalJson(recordedTally(then)) === canonicalJson(recordedTally(now))) return [];
    return [
      `candidate ${now.candidate_id} passes ${now.passed} of ${now.total} (${now.unmeasured ?? "measured"}), recorded ${then?.passed} of ${then?.total}`,
    ];
  });
}

export const checkCommand: Command = {
  summary: "check a set's hashes and invariants",
  help: HELP,
  async run(args) {
    const specs = { run: { type: "string" }, seed: { type: "string" } } as const;
    const { values, positionals } = readOptions(args, { ...ENGINE_OPTIONS, ...specs });
    const [folder] = positionals;
    if (folder === undefined) throw new UsageError("name the set: check DIR");
    const count = wholeNumber(values.run, "run", 0, [0, 1_000_000]);
    const seed = wholeNumber(values.seed, "seed", 1, [0, Number.MAX_SAFE_INTEGER]);
    const content = await readSetContent(folder);
    const faults = [
      ...fileFaults(folder, content.manifest),
      ...contentFaults(content),
      ...shortcutFaults(content.lists),
    ];
    if (count > 0) {
      // Never from the cache: what is asked is whether the recorded figures come out again.
      faults.push(
        ...(await withMeter({ ...values, remeasure: true }, (meter) =>
          remeasuredFaults(meter, content, { count, seed }),
        )),
      );
    }
    for (const fault of faults) log(fault);
    const { lists, adversarial, problems, candidates } = content;
    const counts = `${lists.length} lists, ${adversarial.length} adversarial, ${problems.length} problems, ${candidates.length} candidates`;
    console.log(`${folder}: ${counts}; ${faults.length === 0 ? "sound" : `${faults.length} faults`}`);
    const found = shortcutAccuracy(lists);
    if (found !== null) {
      const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
      const parts = SHORTCUTS.map((shortcut) => `${shortcut} ${percent(found.accuracy[shortcut])}`);
      console.log(
        `shortcuts find the right program by its form alone in: ${parts.join(", ")}; chance ${percent(found.chance)}`,
      );
    }
    return faults.length === 0 ? 0 : 1;
  },
};

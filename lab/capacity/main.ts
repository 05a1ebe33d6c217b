// `npm run lab -- capacity`: how many GPUs a step needs, by the model; the model against the real stack; and
// the page of both.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { commit } from "../../scripts/stack/commit.ts";
import { writeFiles } from "../report/exports.ts";
import { type Checked, checked, checkTable } from "./check.ts";
import { readFlags, settingOf } from "./flags.ts";
import { gpusFor, measured } from "./needed.ts";
import { capacityPage } from "./page.ts";
import { GATEWAY_ENGINES } from "./setting.ts";

const flags = readFlags();
const { seconds: target_s, seeds, page } = flags;
const say = (line: string) => console.error(line);

if (flags.check) {
  const results = await checked(say);
  console.log(flags.json ? JSON.stringify(results, null, 2) : checkTable(results));
  process.exit(results.every(({ error }) => Math.abs(error) <= 0.15) ? 0 : 1);
}
let setting: ReturnType<typeof settingOf>;
try {
  setting = settingOf(flags);
} catch (fault) {
  console.error(`kritai capacity: ${(fault as Error).message}`);
  process.exit(2);
}
if (page !== "") {
  const name = basename(page, ".md");
  const check = flags.checked === "" ? null : (JSON.parse(readFileSync(flags.checked, "utf8")) as Checked[]);
  const command = ["npm run lab -- capacity", ...process.argv.slice(2)].join(" ");
  const asked = {
    setting,
    seeds,
    max_gpus: flags["most-gpus"],
    quick: flags.quick,
    check,
    folder: name,
    command,
    commit: commit(),
  };
  const made = await capacityPage(asked, say);
  writeFiles(join(dirname(page), name), made.files);
  writeFileSync(page, made.text);
  console.log(`wrote ${page} and ${Object.keys(made.files).length} charts`);
  process.exit();
}
const { gpus, at } =
  flags.gpus > 0
    ? { gpus: flags.gpus, at: await measured(setting, seeds) }
    : await gpusFor(setting, { target_s, seeds, max_gpus: flags["most-gpus"] });
if (flags.json) {
  console.log(JSON.stringify({ ...at, gpus, target_s, seeds }, null, 2));
} else {
  const { step, mean_s, ci95 } = at;
  const time = `${mean_s.toFixed(1)} s per step (95 % interval of the mean over ${seeds} seeds: ${ci95.map((s) => s.toFixed(1)).join(" to ")})`;
  const share = (part: number, all: number) => `${Math.round((100 * part) / Math.max(1e-9, all))} %`;
  const what = `${flags.groups} x ${flags.rollouts}`;
  console.log(
    [
      flags.gpus > 0
        ? `${what} on ${gpus} GPUs: ${time}`
        : gpus === null
          ? `${what} in ${target_s} s: not possible with up to ${at.gpus} GPUs, which take ${time}. Lower --max-tokens or choose another schedule.`
          : `${what} in ${target_s} s: ${gpus} GPUs, ${time}`,
      `${Math.round(step.generations)} generations, ${share(step.saved, step.generations)} of them skipped or aborted; ${Math.round(step.completion_tokens / 1_000)} thousand tokens generated, ${share(step.warm_tokens, step.prompt_tokens)} of prompt tokens cached`,
      `GPUs busy ${share(step.busy_s, step.gpu_s)} of the step; ${setting.protocol === "verify" ? `${Math.ceil(at.gpus / GATEWAY_ENGINES)} gateways` : "no gateway"}`,
    ].join("\n"),
  );
}

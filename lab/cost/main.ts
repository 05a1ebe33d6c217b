// `npm run lab -- cost`: what a step, a day and a month of a deployment cost, from measured figures, dated
// prices and the capacity model.
import { readFileSync, writeFileSync } from "node:fs";
import type * as z from "zod";
import { commandFlags, wholeNumber } from "../../scripts/command-line/flags.ts";
import { type Prices as ModelPrices, parsePrices } from "../../src/core/load/prices.ts";
import { readFlags, settingOf } from "../capacity/flags.ts";
import { gpusFor, measured } from "../capacity/needed.ts";
import { carriesKey } from "../loadtest/target-url.ts";
import { hostedStep, hostedUsd } from "./hosted.ts";
import { measuredFigures } from "./measure.ts";
import { loadOfRun, type OfRun, stepsOf } from "./run-steps.ts";
import {
  type Figures,
  FiguresSchema,
  ITEMS,
  type Load,
  type Prices,
  PricesSchema,
  type Sheet,
  sheetOf,
} from "./sheet.ts";

const beside = (name: string) => new URL(name, import.meta.url).pathname;
const FIGURES = beside("figures.json");

const targetFault = (text: string) => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) return "must be an http or https URL";
  return carriesKey(text) ? "must not carry a key: use the variable KRITAI_API_KEY" : null;
};

const flags = commandFlags({
  command: "cost",
  call: "npm run lab -- cost",
  description:
    "Estimates the cost per step, day and month of Cloudflare, Neon and GPUs from measured usage (lab/cost/figures.json), published prices (lab/cost/prices.json, with dates) and the capacity simulation. Needs no account.",
  numbers: {
    groups: wholeNumber(1, 4_096, 64, "groups per step"),
    rollouts: wholeNumber(2, 64, 16, "rollouts per group"),
    samples: wholeNumber(1, 64, 1, "generations per comparison"),
    seconds: {
      min: 0.1,
      max: 86_400,
      value: 60,
      help: "target duration of a step, from which the simulation finds the number of GPUs",
    },
    "thinking-tokens": wholeNumber(0, 100_000, 0, "median tokens of an answer; 0: no thinking"),
    "max-tokens": wholeNumber(1, 32_000, 4_096, "token limit of an answer"),
    gpus: wholeNumber(0, 4_096, 0, "number of GPUs; 0: as many as the simulation needs"),
    "gpu-hour-price": { min: 0, max: 1e6, value: 0, help: "price of one GPU hour; 0: from the price list" },
    "steps-a-day": {
      min: 0.001,
      max: 1e6,
      value: 0,
      help: "training steps per day; 0: the rate of --run, otherwise 200",
    },
    days: wholeNumber(1, 31, 30, "days of training per month"),
    "compute-units": {
      min: 0,
      max: 64,
      value: 0.25,
      help: "Neon compute units while the run log keeps the database awake",
    },
    requests: wholeNumber(5, 10_000, 60, "number of large requests of --measure"),
  },
  texts: {
    schedule: { value: "round_robin", help: "the schedule of comparisons" },
    model: { value: "", help: "a hosted model with a price in the variable PRICES, which needs no GPU" },
    preset: { value: "decide-pair", help: "the judge's preset, for --model" },
    run: { value: "", help: "use the steps of this logged run as the load" },
    target: { value: "http://127.0.0.1:8787", secret: true, fault: targetFault, help: "Kritai's URL, for --run" },
    prices: { value: beside("prices.json"), help: "the price list, JSON" },
    figures: { value: FIGURES, help: "the measured usage, JSON" },
  },
  switches: {
    "gpus-always": "pay for GPUs between steps too",
    gathered: "samples arrive one by one and are gathered into groups",
    measure: "measure the usage on a local stack and write it to --figures",
    json: "print the result as JSON",
  },
  variables: {
    PRICES: "US dollars per million tokens by model, as the deployment has them; for --model",
    KRITAI_API_KEY: "the key for --run; needs the scope logs",
  },
});

function refuse(reason: string): never {
  console.error(`kritai cost: ${reason}`);
  process.exit(2);
}

function readFile<T>(flag: string, file: string, schema: z.ZodType<T>): T {
  try {
    const read = schema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return refuse(`${flag} ${file}: ${issue?.path.join(".")}: ${issue?.message}`);
  } catch (fault) {
    return refuse(`${flag} ${file}: ${(fault as Error).message}`);
  }
}

const MODEL_SEEDS = 2;

/** GPUs and a step's time by the model; generations as it asks them. */
async function byModel(runLoad: OfRun | null): Promise<{ gpus: number; step_s: number; generations: number }> {
  const [groups, rollouts] =
    runLoad === null
      ? [flags.groups, flags.rollouts]
      : [Math.ceil(runLoad.groups), Math.round(runLoad.rollouts / runLoad.groups)];
  const tokens =
    runLoad === null
      ? flags["thinking-tokens"]
      : Math.round(runLoad.completion_tokens / Math.max(1, runLoad.generations));
  const asked: Record<string, number | string> = {
    ...{ groups, rollouts, samples: flags.samples, schedule: flags.schedule, seconds: flags.seconds },
    ...{ "thinking-tokens": tokens, "max-tokens": flags["max-tokens"] },
  };
  const setting = settingOf(readFlags(Object.entries(asked).map(([name, value]) => `--${name}=${value}`)));
  if (flags.gpus > 0) {
    const { mean_s, step } = await measured({ ...setting, gpus: flags.gpus }, MODEL_SEEDS);
    return { gpus: flags.gpus, step_s: mean_s, generations: step.generations };
  }
  const { gpus, at } = await gpusFor(setting, { target_s: flags.seconds, seeds: MODEL_SEEDS, max_gpus: 512 });
  if (gpus === null)
    refuse(`no number of GPUs reaches ${flags.seconds} s per step; raise --seconds or lower --max-tokens`);
  return { gpus, step_s: at.mean_s, generations: at.step.generations };
}

function pricesOf(text: string | undefined): ModelPrices {
  if (text === undefined) return refuse("--model needs the variable PRICES, as the deployment has it");
  try {
    return parsePrices(text);
  } catch {
    return refuse('PRICES must be a JSON object of model names, each like {"input": 0.2, "output": 0.8}');
  }
}

/** A step's tokens of the hosted model: of the run's steps, or estimated. */
function byTokens(runLoad: OfRun | null): Pick<Load, "gpus" | "step_s" | "generations" | "hosted"> {
  const { groups, rollouts, schedule, samples, preset, model, seconds } = flags;
  const prices = pricesOf(process.env.PRICES);
  const step = runLoad ?? hostedStep({ groups, rollouts, schedule, samples, preset, max_tokens: flags["max-tokens"] });
  const tokens = step.prompt_tokens + step.completion_tokens;
  return {
    ...{ gpus: 0, step_s: seconds, generations: step.generations },
    hosted: { tokens, usd: hostedUsd(step, model, prices) },
  };
}

async function load(): Promise<Load> {
  const key = process.env.KRITAI_API_KEY;
  const runLoad = flags.run === "" ? null : loadOfRun(await stepsOf(flags.target, flags.run, key));
  const { gpus, step_s, generations, hosted } =
    flags.model === "" ? { hosted: undefined, ...(await byModel(runLoad)) } : byTokens(runLoad);
  return {
    requests: runLoad?.requests ?? flags.groups,
    groups: runLoad?.groups ?? flags.groups,
    generations: runLoad?.generations ?? generations,
    steps_a_day: flags["steps-a-day"] || (runLoad?.steps_a_day ?? 200),
    ...{ gpus, step_s, days: flags.days, gathered: flags.gathered },
    ...{ gpus_always: flags["gpus-always"], compute_units: flags["compute-units"] },
    ...(hosted && { hosted }),
  };
}

function formatSheet(asked: Load, { currency, read_on, lines, ...costs }: Sheet, { command, commit }: Figures): string {
  const count = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
  const money = (value: number) =>
    value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  const rows = lines.map(({ item, unit, step, month, step_cost, month_cost }) =>
    [
      ITEMS[item].padEnd(29),
      count(step).padStart(10),
      money(step_cost).padStart(10),
      count(month).padStart(13),
      money(month_cost).padStart(12),
      ` ${unit}`,
    ].join(" "),
  );
  return [
    `${asked.groups} groups, ${count(asked.generations)} generations per step of ${asked.step_s.toFixed(1)} s on ${asked.gpus} GPUs; ${count(asked.steps_a_day)} steps per day, ${asked.days} days`,
    "",
    [
      "".padEnd(29),
      "per step".padStart(10),
      currency.padStart(10),
      "per month".padStart(13),
      currency.padStart(12),
    ].join(" "),
    ...rows,
    "",
    `per step ${money(costs.step_cost)} (beyond the included quotas), per day ${money(costs.day_cost)}, per month ${money(costs.month_cost)} ${currency}`,
    `Published prices, read on ${read_on} (sources: lab/cost/prices.json). Usage: ${command} at ${commit}.`,
  ].join("\n");
}

if (flags.measure) {
  const figures = await measuredFigures(flags.requests);
  writeFileSync(flags.figures, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`${JSON.stringify(figures, null, 2)}\nwritten to ${flags.figures}`);
  process.exit();
}
const list: Prices = readFile("--prices", flags.prices, PricesSchema);
const figures = readFile("--figures", flags.figures, FiguresSchema);
const { gpu_hours } = list.prices;
const prices =
  flags["gpu-hour-price"] === 0
    ? list
    : { ...list, prices: { ...list.prices, gpu_hours: { ...gpu_hours, price: flags["gpu-hour-price"] } } };
try {
  const asked = await load();
  const sheet = sheetOf(asked, figures, prices);
  console.log(
    flags.json ? JSON.stringify({ load: asked, ...sheet, figures }, null, 2) : formatSheet(asked, sheet, figures),
  );
} catch (fault) {
  console.error(`kritai cost: ${(fault as Error).message}`);
  process.exitCode = 1;
}

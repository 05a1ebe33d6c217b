// The flags of `npm run lab -- capacity`, and the setting that they make.
import {
  engineParameters,
  GPU_NAMES,
  MODEL_NAMES,
  noiseParameters,
} from "../../gpu-backend/engines/simulator/parameters.ts";
import { commandFlags, wholeNumber } from "../../scripts/command-line/flags.ts";
import { nearest } from "../../src/core/faults/suggestion.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { calibrated } from "./calibrate.ts";
import { type Setting, STANDARD } from "./setting.ts";

const oneOf = (names: readonly string[]) => (text: string) =>
  names.includes(text) ? null : `must be one of ${names.join(", ")}, not '${text}'`;

function schedule(text: string): string | null {
  if (text in SCHEDULES) return null;
  const near = nearest(text, Object.keys(SCHEDULES));
  return `no schedule is called ${text}${near === null ? "" : `; did you mean ${near}?`}`;
}

export const readFlags = (argv: readonly string[] = process.argv.slice(2)) =>
  commandFlags(
    {
      command: "capacity",
      call: "npm run lab -- capacity",
      description:
        "How many GPUs a step needs, by a model in virtual time of edge, gateway, engines and autoscaler (lab/results/capacity.md). Rates of 0 are the preset's.",
      numbers: {
        groups: wholeNumber(1, 4_096, 256, "groups of a step"),
        rollouts: wholeNumber(2, 64, 16, "rollouts of a group"),
        seconds: { min: 0.1, max: 86_400, value: 60, help: "what a step may take" },
        samples: wholeNumber(1, 64, 1, "generations of a comparison"),
        "thinking-tokens": wholeNumber(0, 100_000, 0, "median tokens of an answer; 0: answers at once"),
        "max-tokens": wholeNumber(1, 32_000, 4_096, "tokens of an answer at most"),
        "question-tokens": wholeNumber(1, 16_000, 400, "tokens of a question"),
        "candidate-tokens": wholeNumber(1, 8_000, 700, "tokens of a rollout as the judge is shown it"),
        "prefill-rate": { min: 0, max: 1e9, value: 0, help: "prompt tokens a second of one GPU" },
        "decode-rate": { min: 0, max: 1e6, value: 0, help: "tokens a second of one stream alone" },
        "full-rate": { min: 0, max: 1e9, value: 0, help: "tokens a second of 64 streams together" },
        slots: wholeNumber(0, 4_096, 0, "concurrent sequences of one engine"),
        "in-flight": wholeNumber(1, 1_024, 256, "generations at one engine at most (ENGINE_MAX_IN_FLIGHT)"),
        "rtt-ms": { min: 0, max: 10_000, value: 20, help: "between edge and gateway or engine, there and back" },
        gpus: wholeNumber(0, 4_096, 0, "how long a step takes on so many; 0: looks for the fewest"),
        "most-gpus": wholeNumber(1, 4_096, 1_024, "GPUs at most that are tried"),
        seeds: wholeNumber(1, 100, 5, "seeds of every figure"),
        seed: wholeNumber(0, 2 ** 31, 1, "the first of them"),
      },
      texts: {
        model: { value: "sim-14b", fault: oneOf(MODEL_NAMES), help: "size of the verifier" },
        gpu: { value: "h200", fault: oneOf(GPU_NAMES), help: "what it runs on" },
        schedule: { value: "round_robin", fault: schedule, help: "which comparisons are asked" },
        protocol: { value: "verify", fault: oneOf(["verify", "openai"]), help: "verify or openai" },
        calibrate: { value: "", help: "folder of a load test's results, whose edge and engine it takes" },
        checked: { value: "", help: "what --check --json printed, for --page" },
        page: { value: "", file: true, help: "writes all tables and charts into this Markdown page" },
      },
      switches: {
        "both-orders": "every pair in both orders",
        "no-prefix-cache": "engines without one",
        check: "holds the model against the real stack, which it starts here; some minutes",
        quick: "--page without the largest steps",
        json: "prints the answer as JSON",
      },
    },
    argv,
  );

export type Flags = ReturnType<typeof readFlags>;

const FULL = 64;

/** @throws Error for a calibration that cannot be read, or rates that no engine has */
export function settingOf(flags: Flags): Setting {
  const { calibrate, slots } = flags;
  const preset = engineParameters(flags.model as "sim-14b", flags.gpu as "h200");
  const thinking = flags["thinking-tokens"];
  const tokens = {
    ...STANDARD.tokens,
    ...{ question: flags["question-tokens"], candidate: flags["candidate-tokens"], max: flags["max-tokens"] },
  };
  const base = flags["decode-rate"] === 0 ? null : 1 / flags["decode-rate"];
  const context = tokens.template + tokens.question + 2 * tokens.candidate + thinking / 2;
  const step = base ?? preset.step_overhead_s + preset.weights_read_s;
  const full = flags["full-rate"];
  const perToken = full === 0 ? preset.kv_read_s : (FULL / full - step) / FULL / context;
  if (perToken < 0) throw new Error(`--full-rate ${full} is more than ${FULL} times --decode-rate`);
  const setting: Setting = {
    ...STANDARD,
    ...{ groups: flags.groups, rollouts: flags.rollouts, gpus: flags.gpus || 1, in_flight: flags["in-flight"] },
    ...{ protocol: flags.protocol as "verify", backend_rtt_s: flags["rtt-ms"] / 1_000, seed: flags.seed },
    judge: {
      ...STANDARD.judge,
      ...{ schedule: flags.schedule, samples: flags.samples, both_orders: flags["both-orders"] },
    },
    tokens,
    noise: { ...noiseParameters(flags.model as "sim-14b"), loop_rate: 0, thinking_median_tokens: thinking },
    engine: {
      ...preset,
      block_tokens: STANDARD.engine.block_tokens,
      ...(base !== null && { step_overhead_s: 0, weights_read_s: base }),
      ...(flags["prefill-rate"] > 0 && { token_compute_s: 1 / flags["prefill-rate"] }),
      ...(slots > 0 && { sequences_max: slots }),
      kv_read_s: perToken,
      prefix_cache: !flags["no-prefix-cache"],
    },
  };
  return calibrate === "" ? setting : calibrated(setting, calibrate);
}

// The two forms in which an author may write a spec: flat, or with named signals. Everything that depends on
// the form is in this table; the rest of the code sees only signals.
import { canonicalJson } from "../contract/canonical-json.ts";
import type { GroupResult } from "../contract/group-reply.ts";
import { hashedJudge, type JudgeSettings, type NamedSchedule } from "../contract/judge-settings.ts";
import { decidingOf } from "../contract/kept-texts.ts";
import type { FlatSpec, FormatRule } from "../contract/spec.ts";
import { type Spec, type SpecSignal, sumOf, withSignals } from "./spec.ts";

/** The path of a setting within a signal. */
type SettingPath = readonly (string | number)[];

interface SpecForm {
  /**
   * Whether the author named the signals. Then replies state the reward's range, warnings and the log list
   * each signal, and a reward without a finite range is refused.
   */
  named: boolean;
  /** The signal whose value ranks candidates; null: the reward does. */
  ranked_by: string | null;
  /** Components that every reply has, with their values for a rollout that has none. */
  components: Readonly<Record<string, number | null>>;
  /** The path in the written spec of a setting of a signal. */
  path(name: string, setting: SettingPath): SettingPath;
  /** The name of a signal in errors about a missing fact; in the flat form, the name of a setting. */
  needing(name: string, signal: SpecSignal): string;
  /** The spec as written, with defaults filled in. Specs are stored, logged and shown in this form. */
  document(spec: Spec): object;
  /**
   * The string whose hash is `spec_hash`: the settings that decide a reward, and the hashes of the prompts.
   * @param prompts hash of each prompt named by the spec's judges
   */
  fingerprint(spec: Spec, prompts: Readonly<Record<string, string>>): string;
  /** The spec without format and length rules, for candidates that the client has already extracted. */
  withoutRules(spec: Spec): Spec;
  /** Converts a group's result to the form in which replies contain it. */
  replied(result: GroupResult): GroupResult;
}

/** The format rule that a flat spec always applies, even if it is not listed. */
const ALWAYS: FormatRule = "fits";
const FLAT: SpecForm = {
  named: false,
  ranked_by: "base",
  components: { base: null, format: 0, overlong: 0 },
  path(name, setting) {
    if (name !== "base") return [name, ...setting];
    const [first, ...rest] = setting;
    if (first === "score") return ["reward"];
    return first === "schedule" ? ["judge", "schedule", ...rest] : ["judge", ...rest];
  },
  needing(name, { schedule }) {
    if (name === "overlong") return name;
    return `the schedule ${typeof schedule === "string" ? schedule : (schedule as { name: string }).name}`;
  },
  document: flatDocument,
  fingerprint(spec, prompts) {
    const flat = flatDocument(spec);
    const prompt_hash = Object.values(prompts).join();
    return canonicalJson({ ...decidingOf(flat), judge: hashedJudge(flat.judge), prompt_hash });
  },
  withoutRules: (spec) => ofFlat({ ...flatDocument(spec), format: { rules: [], penalty: 0 }, overlong: null }),
  replied(result) {
    const { parts_correlation: _, ...metrics } = result.metrics;
    const rollouts = result.rollouts.map(({ errors: _, ...rollout }) => ({
      ...rollout,
      components: { ...FLAT.components, ...rollout.components },
    }));
    return { ...result, rollouts, metrics };
  },
};

const SIGNALS_FORM: SpecForm = {
  named: true,
  ranked_by: null,
  components: {},
  path: (name, setting) => ["signals", name, ...setting],
  needing: (name) => `the signal ${name}`,
  document: ({ form: _, ...spec }) => spec,
  fingerprint({ form: _, ...spec }, prompts) {
    const deciding = decidingOf(spec);
    const signals = Object.entries(deciding.signals).map(([name, { judge, ...signal }]) => [
      name,
      judge === undefined ? signal : { ...signal, judge: hashedJudge(judge as object) },
    ]);
    return canonicalJson({ ...deciding, signals: Object.fromEntries(signals), prompt_hashes: prompts });
  },
  withoutRules: (spec) =>
    withSignals(spec, (signal) => ("rules" in signal ? { ...signal, rules: [], penalty: 0 } : signal)),
  replied: (result) => result,
};

/** The row of the table for a spec. */
export const formOf = ({ form }: Pick<Spec, "form">): SpecForm => (form === "flat" ? FLAT : SIGNALS_FORM);

/** The field of the written spec that contains a setting of a signal; without a setting, the signal itself. */
export const fieldOf = (spec: Spec, name: string, setting: SettingPath = []): string =>
  formOf(spec).path(name, setting).join(".");

/** The spec as its author wrote it, with defaults filled in. */
export const asWritten = (spec: Spec): object => formOf(spec).document(spec);

/** Converts a flat spec: a tournament, a format penalty and an optional overlong penalty, whose sum is the reward. */
export function ofFlat({ judge: { schedule, ...judge }, reward, format, overlong, ...rest }: FlatSpec): Spec {
  const signals = {
    base: { kind: "tournament", judge, schedule, score: reward },
    format: { kind: "format", ...format, rules: [...format.rules, ALWAYS] },
    ...(overlong !== null && { overlong: { kind: "overlong", ...overlong } }),
  };
  return { ...rest, form: "flat", signals, reward: sumOf(Object.keys(signals)) };
}

interface FlatSignals {
  base: { judge: Omit<JudgeSettings, "schedule">; schedule: NamedSchedule; score: string };
  format: SpecSignal & FlatSpec["format"];
  overlong?: SpecSignal & NonNullable<FlatSpec["overlong"]>;
}

/** The inverse of `ofFlat`. */
function flatDocument({ form: _, signals, reward: __, candidate, ...rest }: Spec): FlatSpec {
  const { base, format, overlong } = signals as unknown as FlatSignals;
  const { kind: _format, rules, ...penalty } = format;
  const { kind: _overlong, ...limits } = overlong ?? { kind: "" };
  return {
    reward: base.score,
    format: { rules: rules.slice(0, -1), ...penalty },
    overlong: overlong === undefined ? null : (limits as FlatSpec["overlong"]),
    ...rest,
    candidate,
    judge: { ...base.judge, schedule: base.schedule },
  };
}

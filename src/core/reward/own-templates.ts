// Replaces the names of a deployment's own templates in a spec with the templates themselves.
import type { OwnPreset } from "../judges/presets/own.ts";
import { templateKey } from "../judges/presets/own.ts";
import { isPromptName } from "../judges/render.ts";
import { type Spec, type SpecSignal, withSignals } from "./spec.ts";
import { judgesIn } from "./spec-judges.ts";

/** The part of a judge's settings that names the prompt. */
interface NamingPrompts {
  prompt: string;
}

/** The signal's judge settings; null if the value is not a judge. */
function judgeOf(signal: SpecSignal): NamingPrompts | null {
  const judge = signal.judge as { prompt?: unknown } | null | undefined;
  return typeof judge?.prompt === "string" ? (judge as NamingPrompts) : null;
}

/** Prompt names in a spec's judges that are not built in, without duplicates. */
export const foreignPrompts = (spec: Spec): string[] => [
  ...new Set(judgesIn(spec).flatMap(({ judge: { prompt } }) => (isPromptName(prompt) ? [] : [prompt]))),
];

/** Returns the spec with each template name replaced by the template. */
export function withTemplates(spec: Spec, templates: ReadonlyMap<string, OwnPreset>): Spec {
  const textOf = (name: string): string => {
    const template = templates.get(name);
    return template === undefined ? name : templateKey(template);
  };
  const filled = <T extends NamingPrompts>(judge: T): T => ({ ...judge, prompt: textOf(judge.prompt) });
  const audit = spec.audit !== undefined && { audit: { ...spec.audit, judge: filled(spec.audit.judge) } };
  const signalFilled = (signal: SpecSignal) => {
    const judge = judgeOf(signal);
    return judge === null ? signal : { ...signal, judge: filled(judge) };
  };
  return { ...withSignals(spec, signalFilled), ...audit };
}

// The request field that gives the engine simulator a deployment's stored template, which the simulator
// cannot know otherwise.
import { isTemplateKey } from "../judges/presets/own.ts";

/** A field of an OpenAI-compatible body that OpenAI does not define; strict servers would reject it. */
export const JUDGE_TEMPLATE = "judge_template";

/**
 * The field for a body, with the template as canonical JSON, as in a spec; an empty object for a built-in
 * prompt.
 */
export const judgeTemplate = (prompt: string): { [JUDGE_TEMPLATE]?: string } =>
  isTemplateKey(prompt) ? { [JUDGE_TEMPLATE]: prompt } : {};

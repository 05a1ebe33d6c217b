// The field that names the template of a question for the engine simulator: a deployment's stored template,
// which it cannot know otherwise.
import { isTemplateKey } from "../judges/presets/own.ts";

/** An OpenAI-compatible body's field beside OpenAI's own; strict servers would refuse it. */
export const JUDGE_TEMPLATE = "judge_template";

/**
 * The field for a body, holding the template as a spec holds it (canonical JSON); none for a
 * built-in prompt.
 */
export const judgeTemplate = (prompt: string): { [JUDGE_TEMPLATE]?: string } =>
  isTemplateKey(prompt) ? { [JUDGE_TEMPLATE]: prompt } : {};

// The field by which a question tells the engine simulator in whose words it is: a template of the
// deployment's own, which nobody else can know.
import { isTemplateKey } from "../judges/presets/own.ts";

/** An OpenAI-compatible body's field beside OpenAI's own; strict servers would refuse it. */
export const JUDGE_TEMPLATE = "judge_template";

/**
 * The field for a body, holding the template as a spec holds it (canonical JSON); none for a
 * built-in prompt.
 */
export const judgeTemplate = (prompt: string): { [JUDGE_TEMPLATE]?: string } =>
  isTemplateKey(prompt) ? { [JUDGE_TEMPLATE]: prompt } : {};

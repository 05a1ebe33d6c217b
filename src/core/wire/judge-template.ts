// The request field that passes a deployment's stored template to the engine simulator, which has no other
// access to it.
import { isTemplateKey } from "../judges/presets/own.ts";

/** A field that OpenAI's format does not define. Strict servers would reject it. */
export const JUDGE_TEMPLATE = "judge_template";

/**
 * The field to add to a request body. The template is canonical JSON, as in a spec. Empty object for a
 * built-in prompt.
 */
export const judgeTemplate = (prompt: string): { [JUDGE_TEMPLATE]?: string } =>
  isTemplateKey(prompt) ? { [JUDGE_TEMPLATE]: prompt } : {};

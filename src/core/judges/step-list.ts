// Encodes the steps of a solution as one text, a JSON list, for a process reward model.

export const stepList = (steps: readonly string[]): string => JSON.stringify(steps);

/** Decodes a step list; a text that is not a JSON list of strings counts as one step. */
export function stepsOfList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((step) => typeof step === "string")) return list;
  } catch {
    // Plain text, not JSON.
  }
  return [text];
}

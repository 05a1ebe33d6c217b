// Encodes the steps of a solution as a single string, a JSON array, for a process reward model.

export const stepList = (steps: readonly string[]): string => JSON.stringify(steps);

/** Decodes a step list. A string that is not a JSON array of strings counts as a single step. */
export function stepsOfList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((step) => typeof step === "string")) return list;
  } catch {
    // Plain text, not JSON.
  }
  return [text];
}

// The one text as which a solution's steps travel to a process reward model: a JSON list.

export const stepList = (steps: readonly string[]): string => JSON.stringify(steps);

/** The steps of such a text; a text that is none is one step. */
export function stepsOfList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((step) => typeof step === "string")) return list;
  } catch {
    // A plain text.
  }
  return [text];
}

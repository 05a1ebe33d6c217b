// The reference solution of bracket-fault: a stack as a string.

const CLOSES: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Text to the index of its first bracket fault, its length, or -1. */
export function solve(text: string): number {
  let awaited = "";
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const closing = CLOSES[character];
    if (closing !== undefined) awaited += closing;
    else if (")]}".includes(character)) {
      if (!awaited.endsWith(character)) return index;
      awaited = awaited.slice(0, -1);
    }
  }
  return awaited === "" ? -1 : text.length;
}

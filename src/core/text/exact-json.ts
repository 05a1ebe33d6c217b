// JSON whose numbers keep their digits: those that a double does not hold as they are written come
// as marked texts, which are written as numbers again.

/** In front of a number's digits; a document that has the character itself is read as usual. */
const MARK = "\ue000";
const NUMBERS = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/gs;

/** Throws for what is not JSON. */
export function parseExactJson(text: string): unknown {
  if (text.includes(MARK) || /\\ue000/i.test(text)) return JSON.parse(text);
  JSON.parse(text);
  return JSON.parse(
    text.replace(NUMBERS, (token) =>
      token[0] === '"' || (token.length < 16 && !/[.eE]/.test(token)) ? token : `"${MARK}${token}"`,
    ),
  );
}

/** A value that `parseExactJson` gave, as JSON again. */
export const writeExactJson = (value: unknown): string =>
  JSON.stringify(value).replace(/"\ue000([^"]*)"/g, (_, digits: string) => digits);

/** Such a number as it was written; any other value as it is. */
export const writtenNumber = (value: unknown): unknown =>
  typeof value === "string" && value.startsWith(MARK) ? value.slice(1) : value;

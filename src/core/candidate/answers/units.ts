// Splits an answer into an amount and a unit: a currency in front, or after the amount a measure, degrees or
// counted things, in TeX or plain words. Letters by themselves may be variables and do not count as a unit.

/** An amount and its unit in canonical spelling. */
interface UnitSplit {
  amount: string;
  unit: string;
}

export const PERCENT = "%";

/** Units with their spellings, the canonical one first. Symbols of one letter count only inside \text{..}. */
const UNITS = `$ dollar usd;¢ cent;€ euro eur;£ gbp;¥ yen jpy;₹ rupee inr;% percent;° degree deg
mm millimeter millimetre;cm centimeter centimetre;m meter metre;km kilometer kilometre;in inch inches;ft foot feet;yd yard;mi mile
mg milligram;g gram;kg kilogram;lb lbs pound;oz ounce;ml milliliter millilitre;L l liter litre;gal gallon;qt quart
s sec second;min minute;h hr hour;day;wk week;month;yr year;mph;ms millisecond;rad radian;unit
N newton;J joule;W watt;V volt;hz hertz;pa pascal;mol mole`;
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  UNITS.split(/[;\n]/).flatMap((line) => {
    const spellings = line.split(" ");
    return spellings.map((spelling) => [spelling, spellings[0] as string] as const);
  }),
);

/** Words that, after a number, change its value or leave it open. */
const NOT_COUNTED = new Set(
  (
    "and or not no none never wrong incorrect false except without opposite inverse reciprocal to than more less fewer most least over under above below about around between from up plus minus times by divided if when where for then is are was equals equal mod modulo base " +
    "hundred hundreds thousand thousands million millions billion billions trillion trillions dozen dozens score scores half halves third thirds quarter quarters fourth fourths fifth fifths sixth sixths " +
    "seventh sevenths eighth eighths ninth ninths tenth tenths hundredth hundredths thousandth thousandths ones tens pair pairs double triple twice squared cubed square cube root factorial remainder with rounded approximately approx " +
    "binary octal decimal hex hexadecimal ten infinity infinite only maybe perhaps pi sqrt sin cos tan cot sec csc log ln exp max gcd lcm mode median"
  ).split(" "),
);

const TEXT_MACRO =
  /\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt)|mbox|hbox|operatorname)\s*\{([^{}]{1,80})\}/g;
const FIRST_TEXT = /\\(?:text|math(?:rm|bf|it|sf|tt)|mbox|hbox|operatorname)/;
const CURRENCY_FRONT = /^([+-]?)\s*(?:(?:US|USD)\s*)?(\\?\$|[\u20ac\u00a3\u00a5\u20b9])\s*(?=[\d.\\(])/;
const DEGREES =
  /(?:\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\u00b0|\\degree(?![A-Za-z]))\s*([CF]|\\(?:text|mathrm)\s*\{\s*([CF])\s*\})?$/;
const SIGN_BEHIND = /(\\?%|\\?\$|[\u20ac\u00a3\u00a5\u20b9\u00a2])$/;
/** A character that can be part of a unit in plain words or symbols. */
const UNIT_SIGN = /[A-Za-z./^{}\d ]/;
/** The position after a digit or bracket where words or symbols begin. */
const UNIT_START = /(?<=[\d)}\]])\s*(?=\(?[A-Za-z])/;

/** The words or symbols at the end of an answer, with the space before them; empty if there are none. */
function plainBehind(answer: string): string {
  let at = answer.endsWith(")") ? answer.length - 1 : answer.length;
  while (at > 0 && UNIT_SIGN.test(answer.charAt(at - 1))) at--;
  if (answer.charAt(at - 1) === "(") at--;
  // Includes the character before the space, because a unit must follow a digit or a bracket.
  const end = answer.slice(Math.max(0, answer.slice(0, at).trimEnd().length - 1));
  const start = end.search(UNIT_START);
  return start < 0 ? "" : end.slice(start);
}

/**
 * Units that may follow a digit without a space. The letters of other units may be variables, as in 2ft or
 * 3hr.
 */
const ATTACHED = /^(?:cm|mm|km|kg|mph)(?![A-Za-z])|^\(?[A-Za-z]{4}/;

const singular = (word: string): string =>
  /(?:[^s])s$/.test(word) && word.length > 3
    ? /(?:sh|ch|x|ss)es$/.test(word)
      ? word.slice(0, -2)
      : word.slice(0, -1)
    : word;

function symbolOf(word: string): string | undefined {
  const lower = word.length === 1 ? word : word.toLowerCase();
  return SYMBOLS.get(lower) ?? SYMBOLS.get(singular(lower));
}

/** Reads a unit of measure with its power: `m`, `cm^2`, `square feet`. */
function measureOf(part: string): string | null {
  const [, area, name = "", power] =
    /^(sq\.?|square|cubic|cu\.?)? ?([A-Za-z]+)\.? ?(?:\^ ?\{? ?([23]) ?\}?)?(?: (?:squared|cubed))?$/.exec(part) ?? [];
  const symbol = symbolOf(name);
  if (symbol === undefined || (area !== undefined && power !== undefined)) return null;
  const behind = /cubed$/.test(part) ? "3" : /squared$/.test(part) ? "2" : undefined;
  const times = power ?? behind ?? (area === undefined ? "" : area.startsWith("sq") ? "2" : "3");
  return times === "" ? symbol : `${symbol}^${times}`;
}

const WORDS = /^[A-Za-z]+(?:[ -][A-Za-z]+){0,3}$/;
const VOWEL = /[aeiouy]/;
/** Words of three letters such as men, cat or pen. */
const SHORT_WORD = /^[b-df-hj-np-tv-z][aeiou][b-df-hj-np-tv-z]$/;

/** Reads the name of counted things: up to four words, none of which changes the number. */
function countedOf(text: string, isText: boolean): string | null {
  if (!WORDS.test(text)) return null;
  const words = text.toLowerCase().split(/[ -]/);
  if (words.some((word) => NOT_COUNTED.has(word)) || words[0] === "of") return null;
  // Letters in alphabetical order (2 abcd) or a short run of letters (2 xyz) are a product of variables.
  const isWord = (word: string) =>
    (word.length > 3 && VOWEL.test(word) && [...word].sort().join("") !== word) || SHORT_WORD.test(word);
  const [first] = words as [string];
  if (!isText && !words.some(isWord)) return null;
  return first.length < 2 ? null : words.map(singular).join(" ");
}

/** Returns the canonical spelling of a unit, or null if the input is not a unit. */
function unitOf(given: string, isText: boolean): string | null {
  const text = given
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^\((.*)\)$/, (_, inner: string) => inner.trim())
    .replace(/\.$/, "");
  if (text.length > 60) return null;
  const parts = text.split(/ ?\/ ?| per /);
  if (parts.length <= 2) {
    const measures = parts.map(measureOf);
    if (!measures.includes(null)) {
      const isLetters = !isText && parts.every((part) => /^[A-Za-z](?:\^\{?\d\}?)?$/.test(part));
      if (measures.join("/") === "mi/h") return "mph";
      return isLetters && !/^m\/s(?:\^\{?2\}?)?$/.test(text) ? null : measures.join("/");
    }
  }
  if (/^per ?cent$/i.test(text)) return PERCENT;
  const scale = /^degrees? (celsius|fahrenheit)$/i.exec(text)?.[1];
  if (scale !== undefined) return `\u00b0${scale.charAt(0).toUpperCase()}`;
  return countedOf(text, isText);
}

/** Splits off the unit after an amount. Returns null if the answer does not end with a unit. */
function behind(answer: string): UnitSplit | null {
  const degrees = DEGREES.exec(answer);
  if (degrees !== null) {
    const scale = degrees[2] ?? degrees[1] ?? "";
    return { amount: answer.slice(0, degrees.index), unit: `\u00b0${scale}` };
  }
  const sign = SIGN_BEHIND.exec(answer);
  if (sign !== null) return { amount: answer.slice(0, sign.index), unit: (sign[1] as string).slice(-1) };
  const text = FIRST_TEXT.exec(answer);
  if (text !== null) {
    const open = /\(\s*$/.exec(answer.slice(0, text.index));
    const at = open === null || !answer.endsWith(")") ? text.index : open.index;
    const unit = unitOf(answer.slice(at).replace(TEXT_MACRO, "$1"), true);
    return unit === null ? null : { amount: answer.slice(0, at), unit };
  }
  const whole = plainBehind(answer);
  const unit = whole === "" ? null : unitOf(whole, false);
  if (unit === null || (!/^\s/.test(whole) && !ATTACHED.test(whole))) return null;
  return { amount: answer.slice(0, answer.length - whole.length), unit };
}

/**
 * Splits off the unit before or after an amount. If a currency sign is in front and the currency's name
 * follows, both are removed.
 */
export function splitUnit(answer: string): UnitSplit | null {
  const front = CURRENCY_FRONT.exec(answer);
  if (front === null) {
    const split = behind(answer);
    return split === null || split.amount.trim() === "" ? null : { ...split, amount: split.amount.trim() };
  }
  const rest = answer.slice(front[0].length);
  const unit = (front[2] as string).slice(-1);
  const named = behind(rest);
  if (named !== null && named.unit !== unit) return null;
  return { amount: `${front[1]}${(named?.amount ?? rest).trim()}`, unit };
}

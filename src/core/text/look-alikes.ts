// Skeletons of strings, for detecting homoglyphs: letters and signs of other scripts are replaced by the
// ASCII characters that they resemble.

import { lazily } from "./lazily.ts";

/**
 * Homoglyphs of ASCII characters that have no compatibility decomposition: Cyrillic, Greek, Armenian, Coptic,
 * Cherokee, Lisu, Canadian syllabics, small capitals, letters with a stroke.
 */
const TABLE: Readonly<Record<string, string>> = {
  A: "АΑᎪꓮⲀᴀᗅᗩȺ",
  B: "ВΒᏴꓐⲂʙᛒᗷɃ",
  C: "СϹᏟꓚⲤᴄᑕȻ",
  D: "ᎠꓓᴅⅮᗞᗪĐ",
  E: "ЕΕᎬꓰⲈᴇᗴɆ",
  F: "ꓝϜꜰᖴ",
  G: "ᏀᏳꓖԌɢǤ",
  H: "НΗᎻꓧⲎʜᕼĦ",
  I: "ІΙꓲⲒӀɪᏆƗ",
  J: "ЈᎫꓙᴊᒍɈ",
  K: "КΚᏦꓗⲔᴋꝀ",
  L: "ᏞꓡԼʟᒪŁ",
  M: "МΜᎷꓟⲘᴍϺᗰ",
  N: "ΝꓠⲚɴᑎ",
  O: "ОΟꓳⲞՕᴏØ",
  P: "РΡᏢꓑⲢᴘᑭⱣ",
  Q: "Ԛ",
  R: "ᎡᏒꓣʀᖇɌ",
  S: "ЅᏚᏕꓢՏꜱᔕ",
  T: "ТΤᎢꓔⲦᴛŦ",
  U: "Սꓴᴜᑌ",
  V: "ᏙꓦᴠѴᐯ",
  W: "ᎳᏔꓪԜᴡᗯ",
  X: "ХΧꓫⲬ᙭",
  Y: "ҮΥᎩꓬⲨʏɎ",
  Z: "ΖᏃꓜᴢƵ",
  a: "аαɑⲁⱥ",
  b: "ЬᏏƄᑲƀ",
  c: "сϲⲥȼ",
  d: "ԁᏧɗᑯđ",
  e: "еεℯⲉɇ",
  f: "ƒ",
  g: "ɡցᶃǥ",
  h: "һհᏂħ",
  i: "іιıɩᎥⲓɨ",
  j: "јϳȷɉ",
  k: "кκⲕꝁ",
  l: "ⅼӏǀł",
  m: "мⲙ",
  n: "пηոռⲛ",
  o: "оοօⲟσø",
  p: "рρⲣᵽ",
  q: "ԛզ",
  r: "гⲅɍ",
  s: "ѕꜱ",
  t: "тτⲧŧ",
  u: "υսʋ",
  v: "νѵ",
  w: "ԝѡա",
  x: "хχⲭ",
  y: "уγүⲩɏ",
  z: "ᴢƶ",
  "<": "◁‹〈❮❰⟨˂ᐸ❬⦑⋖ᚲ",
  ">": "▷›〉❯❱⟩˃ᐳ❭⦒⋗",
  "[": "【〔〖⟦⁅❲⦋⦍⦏",
  "]": "】〕〗⟧⁆❳⦌⦎⦐",
  "/": "⁄∕⧸╱⟋",
  "\\": "∖⧵╲⟍",
  "|": "∣│┃❘⏐￨¦",
  _: "▁‗ˍ",
  "#": "♯⌗⋕",
  ":": "∶ː꞉׃։᛬˸⁚܃܄᠃᠉፡ꓽ︰",
  '"': "“”„‟″‶〝〞״ʺˮ❝❞˝˶〃",
  "'": "‘’‚‛′‵ʼʻ´",
  "`": "ˋ",
  "-": "‐‒–—―−⁃➖",
  "=": "⹀꓿═゠",
  "*": "∗⁎٭✱",
  "(": "❨⟮",
  ")": "❩⟯",
  "{": "❴",
  "}": "❵",
  ".": "․𝅭",
  ",": "‚",
  " ": "\u2800",
};

const SEEN = new Map(Object.entries(TABLE).flatMap(([ascii, alike]) => [...alike].map((c) => [c, ascii])));

/** First code points of the alphabets A to Z in circles, squares and flags, which have no decomposition. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
const MARKS = lazily(() => /\p{M}+/gu);
const CACHE_MAX = 8_192;
const cache = new Map<string, string>();

/**
 * The ASCII characters that a non-ASCII character looks like: its compatibility decomposition without
 * combining marks. May be empty.
 */
function seen(character: string): string {
  const known = cache.get(character);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_MAX) cache.clear();
  const point = character.codePointAt(0) as number;
  const first = ALPHABETS.find((start) => point >= start && point < start + 26);
  const plain = SEEN.get(character) ?? character.normalize("NFKD").replace(MARKS(), "");
  const look =
    first === undefined
      ? Array.from(plain, (c) => SEEN.get(c) ?? SEEN.get(c.toUpperCase()) ?? c).join("")
      : String.fromCharCode(65 + point - first);
  cache.set(character, look);
  return look;
}

const FOREIGN = /[^\0-\x7f]/;
const EACH_FOREIGN = /[^\0-\x7f]/gu;

/** Whether a string has non-ASCII characters, which are compared by their appearance. */
export const isForeign = (text: string): boolean => FOREIGN.test(text);

export interface Skeleton {
  text: string;
  /**
   * For each code unit of `text`, the offset in the source just after the original character. null if the
   * source is its own skeleton.
   */
  ends: Uint32Array | null;
}

/** Replaces look-alikes with ASCII characters. Linear time. */
export function skeletonOf(source: string): Skeleton {
  if (!FOREIGN.test(source)) return { text: source, ends: null };
  let text = "";
  let at = 0;
  const ends: number[] = [];
  const copyTo = (end: number) => {
    text += source.slice(at, end);
    while (at < end) ends.push(++at);
  };
  for (const { 0: character, index } of source.matchAll(EACH_FOREIGN)) {
    copyTo(index);
    const look = seen(character);
    text += look;
    at += character.length;
    for (let k = 0; k < look.length; k++) ends.push(at);
  }
  copyTo(source.length);
  return { text, ends: Uint32Array.from(ends) };
}

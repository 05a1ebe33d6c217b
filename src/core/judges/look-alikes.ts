// Owns what a text looks like: letters and marks of other scripts read as the ASCII ones they
// resemble. Knows no danger.

/**
 * Characters that look like an ASCII one and do not decompose to it: Cyrillic, Greek, Armenian,
 * Coptic, Cherokee, Lisu, small capitals.
 */
const TABLE: Readonly<Record<string, string>> = {
  A: "АΑᎪꓮⲀᴀ",
  B: "ВΒᏴꓐⲂʙᛒ",
  C: "СϹᏟꓚⲤᴄ",
  D: "ᎠꓓᴅⅮ",
  E: "ЕΕᎬꓰⲈᴇ",
  F: "ꓝϜꜰ",
  G: "ᏀᏳꓖԌɢ",
  H: "НΗᎻꓧⲎʜ",
  I: "ІΙꓲⲒӀɪᏆ",
  J: "ЈᎫꓙᴊ",
  K: "КΚᏦꓗⲔᴋ",
  L: "ᏞꓡԼʟ",
  M: "МΜᎷꓟⲘᴍϺ",
  N: "ΝꓠⲚɴ",
  O: "ОΟꓳⲞՕᴏ",
  P: "РΡᏢꓑⲢᴘ",
  Q: "Ԛ",
  R: "ᎡᏒꓣʀ",
  S: "ЅᏚᏕꓢՏꜱ",
  T: "ТΤᎢꓔⲦᴛ",
  U: "Սꓴᴜ",
  V: "ᏙꓦᴠѴ",
  W: "ᎳᏔꓪԜᴡ",
  X: "ХΧꓫⲬ",
  Y: "ҮΥᎩꓬⲨʏ",
  Z: "ΖᏃꓜᴢ",
  a: "аαɑⲁ",
  b: "ЬᏏƄ",
  c: "сϲⲥ",
  d: "ԁᏧɗ",
  e: "еεℯⲉ",
  f: "ƒ",
  g: "ɡցᶃ",
  h: "һհᏂ",
  i: "іιıɩᎥⲓ",
  j: "јϳ",
  k: "кκⲕ",
  l: "ⅼӏǀ",
  m: "мⲙ",
  n: "пηոռⲛ",
  o: "оοօⲟσ",
  p: "рρⲣ",
  q: "ԛզ",
  r: "гⲅ",
  s: "ѕꜱ",
  t: "тτⲧ",
  u: "υսʋ",
  v: "νѵ",
  w: "ԝѡա",
  x: "хχⲭ",
  y: "уγүⲩ",
  z: "ᴢ",
  "<": "◁‹〈❮❰⟨˂ᐸ",
  ">": "▷›〉❯❱⟩˃ᐳ",
  "[": "【〔〖⟦⁅❲",
  "]": "】〕〗⟧⁆❳",
  "/": "⁄∕⧸╱⟋",
  "\\": "∖⧵╲⟍",
  "|": "∣│┃❘⏐￨¦",
  _: "▁‗ˍ",
  "#": "♯⌗",
  ":": "∶ː꞉׃։᛬",
  '"': "“”„‟″‶〝〞״ʺˮ",
  "'": "‘’‚‛′‵ʼʻ´",
  "`": "ˋ",
  "-": "‐‒–—―−⁃➖",
  "=": "⹀꓿═",
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

/** First code points of A to Z in circles, squares and flags, which do not decompose. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
const MARKS = /\p{M}+/gu;
const CACHE_MAX = 8_192;
const cache = new Map<string, string>();

/**
 * What one character that is not ASCII looks like: compatibility forms undone, marks over and under
 * it taken away. May be empty.
 */
function seen(character: string): string {
  const known = cache.get(character);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_MAX) cache.clear();
  const point = character.codePointAt(0) as number;
  const first = ALPHABETS.find((start) => point >= start && point < start + 26);
  const plain = SEEN.get(character) ?? character.normalize("NFKD").replace(MARKS, "");
  const look =
    first === undefined
      ? Array.from(plain, (c) => SEEN.get(c) ?? SEEN.get(c.toUpperCase()) ?? c).join("")
      : String.fromCharCode(65 + point - first);
  cache.set(character, look);
  return look;
}

const FOREIGN = /[^\0-\x7f]/;
const EACH_FOREIGN = /[^\0-\x7f]/gu;

/** Whether a text has characters that are compared as they look. */
export const isForeign = (text: string): boolean => FOREIGN.test(text);

export interface Skeleton {
  text: string;
  /**
   * Of each unit of `text`, where in the source the character behind the one it comes from begins;
   * null: the source is its own skeleton.
   */
  ends: Uint32Array | null;
}

/** The text as it looks. Linear time. */
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

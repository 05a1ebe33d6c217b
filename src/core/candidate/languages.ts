// Names of programming languages, as used in fence tags and in a request's `language`. Must not depend on
// fences or comments.

/** The canonical name of each language, followed by its aliases. */
const NAMES: readonly string[] = [
  "python py python3 python2 py3 pypy pypy3 ipython",
  "javascript js node nodejs cjs ecmascript jsx",
  "typescript ts mts cts tsx",
  "mjs",
  "c h",
  "cpp c++ cxx cc hpp gnu++",
  "java",
  "go golang",
  "rust rs",
  "csharp cs c#",
  "kotlin kt kts",
  ..."ada,awk,clojure clj,cobol,crystal,d,dart,elixir ex,erlang,fortran f90,fsharp f#,groovy,haskell hs,julia jl,lisp,lua".split(
    ",",
  ),
  ..."matlab octave,nim,objective-c objc,ocaml ml,pascal,perl pl,php,prolog,r,racket,ruby rb,scala,scheme,sql,swift,zig".split(
    ",",
  ),
  ..."asm assembly,bash sh shell zsh,powershell,css,html,xml,json,yaml yml,toml,latex tex,makefile,dockerfile,diff".split(
    ",",
  ),
];
const PROSE = "text txt plaintext plain output stdout input stdin console terminal log none markdown md".split(" ");

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...NAMES.flatMap((line) => {
    const [canonical = "", ...aliases] = line.split(" ");
    return [canonical, ...aliases].map((name) => [name, canonical] as const);
  }),
  ...PROSE.map((name) => [name, "text"] as const),
]);

/**
 * Matches the first word of a tag, without the syntax of renderers: `{.python}`, `python,run`,
 * `language-python`, `python title=x`.
 */
const TAG_WORD = /^[\s{.]*(?:lang(?:uage)?[-:=])?([^\s{},:;=]+)/;
const VERSION = /[-_ ]?v?[0-9]+(?:\.[0-9]+)*$/;

/**
 * Returns the canonical name of the language in a tag or name, without its version; `text` for tags of plain
 * text and program output; null if the language is unknown.
 */
export function canonicalLanguage(tag: string): string | null {
  const word = (TAG_WORD.exec(tag.slice(0, 64))?.[1] ?? "").toLowerCase();
  return BY_NAME.get(word) ?? BY_NAME.get(word.replace(VERSION, "")) ?? null;
}

const USUAL: ReadonlySet<string> = new Set(
  "python javascript typescript mjs c cpp java go rust csharp kotlin".split(" "),
);

/** Whether a request's `language` is a common one, by name or alias, ignoring case. */
export const isUsualLanguage = (language: string): boolean => USUAL.has(canonicalLanguage(language) ?? "");

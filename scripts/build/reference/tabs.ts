// Owns showing one thing in several languages, one at a time, by radio buttons: no script is
// needed.
import { type Html, html } from "./html.ts";
import { LANGUAGES, type Language } from "./snippets.ts";

/** A tab a language, the first shown. @param id of its own on the page */
export function tabs(id: string, code: Readonly<Record<Language, string>>): Html {
  const of = (language: Language) => `${id}-${language.toLowerCase()}`;
  return html`<fieldset class="tabs"><legend class="unseen">Language of the example</legend>${LANGUAGES.map(
    (language, at) =>
      html`<input type="radio" name="${id}-in" id="${of(language)}" value="${language}"${at === 0 && html` checked`}><label for="${of(language)}">${language}</label>`,
  )}${LANGUAGES.map((language) => html`<pre tabindex="0" class="of-${language.toLowerCase()}"><code>${code[language]}</code></pre>`)}</fieldset>`;
}

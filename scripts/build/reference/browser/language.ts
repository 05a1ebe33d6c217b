// Owns the reader's language: chosen at one example, it is shown at all, also the next time.

const KEPT = "kritai-docs-language";

/** A browser may forbid storage. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function store(language: string): void {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // Then it holds for this page.
  }
}

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(".tabs > input")) {
    if (input.value === language) input.checked = true;
  }
}

export function oneLanguage(): void {
  const before = stored();
  if (before !== null) choose(before);
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(".tabs > input")) return;
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    store(target.value);
    // Examples above differ in length now: what was under the pointer stays there.
    scrollBy(0, target.getBoundingClientRect().top - top);
  });
}

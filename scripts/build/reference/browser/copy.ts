// Owns a button beside each example that copies it.

const SHOWN_MS = 1_500;

async function copied(button: HTMLButtonElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, SHOWN_MS);
}

export function copyButtons(): void {
  if (!("clipboard" in navigator)) return;
  for (const pre of document.querySelectorAll<HTMLElement>(".tabs > pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copied(button, pre.querySelector("code")?.textContent ?? ""));
    pre.append(button);
  }
}

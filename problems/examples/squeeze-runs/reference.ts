// The reference solution of squeeze-runs: a scan from piece to piece.

/** Text to squeezed text. */
export function solve(text: string): string {
  let squeezed = "";
  for (let at = 0; at < text.length; ) {
    const letter = text.charAt(at);
    let piece = 1;
    while (piece < 9 && text[at + piece] === letter) piece += 1;
    squeezed += piece >= 3 ? letter + piece : letter.repeat(piece);
    at += piece;
  }
  return squeezed;
}

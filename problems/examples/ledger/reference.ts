// The reference solution of ledger: whole cents in BigInt.

const ENTRY = /^\s*(.*?)\s+([+-]?)([\d,]+)(?:\.(\d{1,2}))?\s*$/;

/** Input text to output text. */
export function solve(input: string): string {
  const totals = new Map<string, bigint>();
  for (const line of input.split("\n")) {
    const entry = line.startsWith("#") ? null : ENTRY.exec(line);
    if (entry === null) continue;
    const [, name = "", sign, whole = "", cents = ""] = entry;
    const amount = BigInt(whole.replaceAll(",", "") + cents.padEnd(2, "0"));
    totals.set(name, (totals.get(name) ?? 0n) + (sign === "-" ? -amount : amount));
  }
  const lines = [...totals].filter(([, total]) => total !== 0n).map(([name, total]) => `${name} ${money(total)}`);
  return lines.length === 0 ? "EMPTY" : lines.join("\n");
}

function money(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

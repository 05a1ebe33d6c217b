// Writes recorded cases as JSON with one case a line, so that a diff shows which cases changed.

/** @param cases by name */
export const caseLines = (cases: Readonly<Record<string, unknown>>): string =>
  `{\n${Object.entries(cases)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(",\n")}\n}\n`;

/** The text of a document, as it is committed. */
export function formatDocument(document: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

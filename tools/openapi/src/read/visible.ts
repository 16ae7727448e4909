/**
 * Text of a document on one line of a terminal or of a table. Control characters, line breaks and marks that turn
 * the direction of text are written as JSON writes them: `\n`, `\u001b`.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const json = JSON.stringify(character).slice(1, -1);
    return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json;
  });
}

/**
 * Text in which what a terminal acts on, or doesn't show, is written as in JSON, such as `\\u001b`.
 *
 * @param except Characters that stay as they are.
 */
export function escapeHidden(text: string, except = ''): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, (found) => {
    if (except.includes(found)) return found;
    return found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}

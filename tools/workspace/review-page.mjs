/**
 * The page for a pull request out of what the two commands of tools/openapi printed. Empty when there is
 * nothing to say.
 *
 * @param {{ base: string, diff: { status: number | null, stdout: string }, changes: { stdout: string } }} input
 * @returns {string}
 */
export function reviewPage({ base, diff, changes }) {
  const parts = [];
  if (diff.status === 1) parts.push(`## The document is not what is stated\n\n${diff.stdout}`);
  if (changes.stdout !== '') {
    parts.push(`## What changed for senders and receivers since ${base}\n\n${changes.stdout}`);
  }
  return parts.join('\n');
}

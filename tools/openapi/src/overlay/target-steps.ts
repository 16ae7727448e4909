const STEP = /\.([\p{L}_][\p{L}\p{N}_]*)|\[(0|[1-9]\d*)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * The keys and indices of a JSONPath (RFC 9535) that denotes exactly one node: `$`, then `.name`, `['name']`
 * and `[0]`. Undefined for any other: a wildcard, a filter or a search could match nothing or too much.
 */
export function targetSteps(path: string): string[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: string[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return undefined;
    const [, name, index, single, double] = match;
    steps.push(name ?? index ?? unescape(single ?? double ?? ''));
  }
  return steps;
}

function unescape(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, character: string) =>
    code === undefined ? (CONTROLS[character] ?? character) : String.fromCharCode(parseInt(code, 16)),
  );
}

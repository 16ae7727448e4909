/** Files are written as Prettier lays them out. It takes long to load, so only what writes a file loads it. */

/** YAML. */
export function formatYaml(text: string): Promise<string> {
  return format(text, { parser: 'yaml' });
}

/** TypeScript. */
export function formatCode(text: string): Promise<string> {
  return format(text, { parser: 'typescript' });
}

async function format(text: string, options: { parser: string }): Promise<string> {
  const prettier = await import('prettier');
  const style = { singleQuote: true, printWidth: 110 } as const;
  return prettier.format(text, { ...style, ...options });
}

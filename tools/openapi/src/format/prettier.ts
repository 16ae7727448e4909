/** The style of the workspace: the same as .prettierrc.json. */
export const STYLE = { singleQuote: true, printWidth: 110 } as const;

/** Text as the workspace's formatter writes it. Prettier is loaded when there is something to format. */
export async function prettify(text: string, parser: 'babel' | 'markdown'): Promise<string> {
  const { format } = await import('prettier');
  return format(text, { ...STYLE, parser });
}

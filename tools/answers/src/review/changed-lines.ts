import { type Base, git } from './base.js';

/** Whether a line of the working tree is new or changed. */
export type IsChanged = (file: string, line: number) => boolean;

/** The lines that differ from the base. Everything is new if there is no base. */
export function changedLines({ revision }: Base, folder: string): IsChanged {
  // The name of the empty tree depends on the hash of the repository.
  const from = revision ?? git(folder, 'hash-object', '-t', 'tree', '/dev/null')!;
  const options = ['--unified=0', '--no-color', '--no-ext-diff', '--src-prefix=a/', '--dst-prefix=b/'];
  const diff = git(folder, '-c', 'core.quotePath=false', 'diff', ...options, from, '--') ?? '';
  const changed = new Map<string, [first: number, count: number][]>();
  let file: string | undefined;
  for (const line of diff.split('\n')) {
    // Lines of files begin with `+`, `-` or `\`, so these two never are one. The names stand between them.
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (line.startsWith('diff --git ')) file = undefined;
    else if (first !== undefined) changed.get(file ?? '')?.push([Number(first), Number(count)]);
    else if (file === undefined && line.startsWith('+++ b/')) {
      // Git ends a name that has a space with a tab.
      file = line.slice('+++ b/'.length).replace(/\t$/, '');
      changed.set(file, []);
    }
  }
  return (name, line) =>
    (changed.get(name) ?? []).some(([first, count]) => line >= first && line < first + count);
}

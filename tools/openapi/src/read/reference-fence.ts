import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolError } from './tool-error.js';

/**
 * The real path of a file that a `$ref` leads to. It must be in the repository of the document, or in the folder of
 * the document if that is in no repository. A path that leads out is refused before anything looks at what is there.
 *
 * @throws ToolError `outside`, with the rule as its message; the errors of `realpathSync`
 */
export function realPathInside(path: string, document: string): string {
  const folder = realpathSync(dirname(document));
  const repository = repositoryOf(folder);
  const fence = repository ?? folder;
  const rule = `leads out of ${repository === undefined ? "the document's folder" : 'the repository'}; move the file into it`;
  const written = resolve(folder, relative(dirname(document), path));
  if (!isInside(written, fence)) throw new ToolError('outside', rule);
  const real = realpathSync(path);
  if (!isInside(real, fence)) throw new ToolError('outside', `is a symbolic link that ${rule}`);
  // Its configuration may contain credentials.
  if (relative(fence, real).toLowerCase().split(sep).includes('.git'))
    throw new ToolError('outside', 'leads into .git, which is never read');
  return real;
}

function isInside(path: string, folder: string): boolean {
  const [first = '', ...rest] = relative(folder, path).split(sep);
  return first !== '..' && !isAbsolute([first, ...rest].join(sep));
}

/** The top of the repository of git that a folder is in. */
function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

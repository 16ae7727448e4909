import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';

const RIGHTS = { read: constants.R_OK, 'read and write': constants.R_OK | constants.W_OK } as const;

/**
 * Says which of these files and folders this user has no rights to, with their owners and modes. Of one that it can't even
 * look at, the folder that it may not enter.
 *
 * @returns a sentence with a space before it; nothing if this user lacks no right
 */
export function describeDenied(paths: readonly string[], rights: keyof typeof RIGHTS): string {
  const denied = new Set(paths.filter((path) => isDenied(path, RIGHTS[rights])).map(withOwner));
  return denied.size === 0 ? '' : ` User ${process.geteuid?.()} may not ${rights} ${[...denied].join(', ')}.`;
}

/** Whether this user lacks a right to a file, or to a folder or to enter it. */
function isDenied(path: string, rights: number): boolean {
  try {
    accessSync(path, statSync(path).isDirectory() ? rights | constants.X_OK : rights);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function withOwner(path: string): string {
  try {
    const { uid, gid, mode } = statSync(path);
    return `${path} (user ${uid}, group ${gid}, mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
  } catch {
    return withOwner(dirname(path));
  }
}

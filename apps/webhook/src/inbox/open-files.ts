import { statSync, type Stats } from 'node:fs';

interface OpenFile {
  readonly path: string;
  readonly neverEmpty: boolean;
  readonly dev: number;
  readonly ino: number;
}

/**
 * Finds out whether the paths of open files still lead to these files. A process can go on writing to a file that
 * somebody has removed, and nothing reports it.
 */
export class OpenFiles {
  readonly #files: readonly OpenFile[];

  /**
   * @param paths of files that are open now
   * @param neverEmpty of those that have content as long as they are used
   */
  constructor(paths: readonly string[], neverEmpty: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino, neverEmpty: neverEmpty.includes(path) };
    });
  }

  /** The first path that leads to nothing, to another file, or to one that was emptied. About 1 µs for each file. */
  lost(): string | undefined {
    for (const file of this.#files) {
      if (!isSame(file, look(file.path))) return file.path;
    }
    return undefined;
  }
}

function isSame(file: OpenFile, found: Stats | undefined): boolean {
  if (found === undefined || (found.size === 0 && file.neverEmpty)) return false;
  return found.ino === file.ino && found.dev === file.dev;
}

/** What a path leads to; nothing if that can't be found out. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

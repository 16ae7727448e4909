import { posix } from 'node:path';
import { pointerSteps } from './json-pointer.js';
import { parse } from './parse.js';
import { descend, formatPlace, type Place, SourceFile, type SourceNode, stringAt } from './source-node.js';
import { ToolError, type ToolErrorCode } from './tool-error.js';

/**
 * Gives the text of a file, or throws a `ToolError`. For a file that a `$ref` leads to, `document` is the file that
 * the user named.
 */
export type ReadText = (path: string, document?: string) => string;

/** The files that a document consists of: each is read once, when something first needs it. */
export class SourceFiles {
  readonly #roots = new Map<string, SourceNode>();
  readonly #bases = new Map<string, string>();

  /** The first file that was named: references may only lead to files around it. */
  #document: string | undefined;

  constructor(readonly readText: ReadText) {}

  /** The root of a file that the user named. @throws ToolError if the file cannot be read or parsed */
  root(path: string): SourceNode {
    this.#document ??= path;
    return this.#read(path, undefined);
  }

  #read(path: string, document: string | undefined): SourceNode {
    const key = posix.normalize(path);
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const root = parse(new SourceFile(key, this.readText(path, document).replace(/^\uFEFF/, '')));
    this.#roots.set(key, root);
    return root;
  }

  /** Puts a changed root in the place of a file's own, for references into that file. */
  replaceRoot(path: string, root: SourceNode): void {
    this.#roots.set(posix.normalize(path), root);
  }

  /** References that are written in `path` are meant as if they were written in `base`. */
  resolveAs(path: string, base: string): void {
    this.#bases.set(posix.normalize(path), posix.normalize(base));
  }

  /**
   * What a `$ref` denotes: a JSON Pointer in the same file, or in another one of the repository or the folder.
   *
   * @param from the place of the reference
   * @throws ToolError `bad-reference`, `missing-target`, or `not-supported` for an anchor
   */
  resolve(reference: string, from: Place): SourceNode {
    const fail = (code: ToolErrorCode, problem: string): never => {
      throw new ToolError(code, `${formatPlace(from)}: $ref "${reference}" ${problem}`);
    };
    const { address, fragment } = splitReference(reference) ?? fail('bad-reference', 'has a broken escape');
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address))
      fail('bad-reference', 'is not a local file; save what it points to beside the document');
    if (fragment !== '' && !fragment.startsWith('/'))
      fail('not-supported', 'names an anchor; write a JSON Pointer, such as #/components/schemas/NAME');
    if (posix.isAbsolute(address))
      fail('bad-reference', 'is an absolute path; write one relative to this file');
    const base = this.#bases.get(from.file.path) ?? from.file.path;
    const path = address === '' ? base : posix.join(posix.dirname(base), address);
    return (
      descend(this.#rootFor(path, fail), pointerSteps(fragment)) ??
      fail('missing-target', 'points to nothing')
    );
  }

  #rootFor(path: string, fail: (code: ToolErrorCode, problem: string) => never): SourceNode {
    try {
      return this.#read(path, this.#document ?? path);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (error.code === 'unreadable') fail('missing-target', `points to nothing: ${error.message}`);
      if (error.code === 'outside') fail('bad-reference', error.message);
      if (error.code === 'too-large') fail('too-large', `can't be followed: ${error.message}`);
      throw error;
    }
  }
}

/** A reference without its percent-encoding; undefined if that is broken. */
function splitReference(reference: string): { address: string; fragment: string } | undefined {
  const [address = '', fragment = ''] = reference.split(/#(.*)/s);
  try {
    return { address: decodeURIComponent(address), fragment: decodeURIComponent(fragment) };
  } catch {
    return undefined;
  }
}

/**
 * The root of an OpenAPI 3.1 document.
 *
 * @throws ToolError if the file cannot be read or parsed, or is of another kind or version
 */
export function readOpenapi(files: SourceFiles, path: string): SourceNode {
  const root = files.root(path);
  if (root.kind !== 'map') throw notOpenapi(path, 'expected an object');
  const version = stringAt(root, 'openapi');
  if (version === undefined) throw notOpenapi(path, '`openapi` must be a text');
  if (!/^3\.1\.\d/.test(version)) throw notOpenapi(path, `it declares OpenAPI ${version}`);
  return root;
}

function notOpenapi(path: string, problem: string): ToolError {
  return new ToolError('not-openapi-3.1', `${path}: not an OpenAPI 3.1 document: ${problem}`);
}

import type { SourceFiles } from '../read/source-files.js';
import {
  formatPlace,
  type Place,
  type SourceMap,
  type SourceNode,
  stringAt,
  valueAt,
} from '../read/source-node.js';
import { METHODS } from '../facts/openapi-objects.js';
import { escapeStep, pointerOf } from '../read/json-pointer.js';
import { ToolError } from '../read/tool-error.js';
import type { Fault } from './fault.js';
import type { Structure } from './structure.js';

/** Rules about several objects of a document. */
export function checkDocument(files: SourceFiles, root: SourceNode, structure: Structure): Fault[] {
  return [
    ...duplicateOperations(structure),
    ...unknownSecurity(root, structure),
    ...duplicateTags(root),
    ...duplicateParameters(files, structure),
    ...pathParameters(files, root),
  ];
}

function duplicateOperations({ objects }: Structure): Fault[] {
  const first = new Map<string, Place>();
  const operations = [...(objects.get('operation') ?? [])].sort(
    (one, other) => one.node.start - other.node.start,
  );
  return operations.flatMap(({ node, pointer }): Fault[] => {
    const id = stringAt(node, 'operationId');
    const place = node.entries.get('operationId');
    if (id === undefined || place === undefined) return [];
    const other = first.get(id);
    first.set(id, other ?? place);
    if (other === undefined) return [];
    const problem = `is ${JSON.stringify(id)}, as at ${formatPlace(other)}; each operation needs its own`;
    return [{ pointer: `${pointer}/operationId`, place, problem }];
  });
}

function unknownSecurity(root: SourceNode, { objects }: Structure): Fault[] {
  const schemes = ['components', 'securitySchemes'].reduce<SourceNode | undefined>(
    (node, key) => node && valueAt(node, key),
    root,
  );
  const isKnown = (name: string) => schemes?.kind === 'map' && schemes.entries.has(name);
  return (objects.get('security-requirement') ?? [])
    .filter(({ node }) => node.file === root.file)
    .flatMap(({ node, pointer }) =>
      Array.from(node.entries)
        .filter(([name]) => !isKnown(name))
        .map(([name, place]) => ({
          pointer: `${pointer}/${escapeStep(name)}`,
          place,
          problem: 'is no security scheme of `components.securitySchemes`',
        })),
    );
}

function duplicateTags(root: SourceNode): Fault[] {
  const tags = valueAt(root, 'tags');
  const seen = new Set<string>();
  return (tags?.kind === 'list' ? tags.items : []).flatMap((tag, index): Fault[] => {
    const name = stringAt(tag, 'name');
    if (name === undefined || !seen.has(name)) {
      seen.add(name ?? '');
      return [];
    }
    const pointer = pointerOf(['tags', String(index), 'name']);
    return [{ pointer, place: tag, problem: `is ${JSON.stringify(name)}, as an earlier tag is` }];
  });
}

/** A parameter, and how the place and the name that it is known by are written. */
interface Named {
  readonly place: SourceNode;
  readonly in: string;
  readonly name: string;
}

function duplicateParameters(files: SourceFiles, { objects }: Structure): Fault[] {
  const owners = [...(objects.get('operation') ?? []), ...(objects.get('path-item') ?? [])];
  return owners.flatMap(({ node, pointer }) => {
    const seen = new Set<string>();
    return parametersOf(files, node).flatMap((parameter, index): Fault[] => {
      if (parameter === undefined) return [];
      const key = `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`;
      const isNew = !seen.has(key);
      seen.add(key);
      if (isNew) return [];
      const problem = `is a second parameter ${JSON.stringify(parameter.name)} in the ${parameter.in}`;
      return [{ pointer: `${pointer}/parameters/${index}`, place: parameter.place, problem }];
    });
  });
}

/** The name of each part of a path in braces is the name of a parameter in the path, and the other way around. */
function pathParameters(files: SourceFiles, root: SourceNode): Fault[] {
  const paths = valueAt(root, 'paths');
  if (paths?.kind !== 'map') return [];
  return Array.from(paths.entries).flatMap(([path, { value }]): Fault[] => {
    const item = followed(files, value);
    if (!path.startsWith('/') || item?.kind !== 'map') return [];
    const names = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name);
    const ofItem = inPath(parametersOf(files, item));
    const pointer = pointerOf(['paths', path]);
    const faults = [...surplus(ofItem, names, path, `${pointer}/parameters`)];
    for (const method of METHODS) {
      const operation = valueAt(item, method);
      const entry = item.entries.get(method);
      if (operation?.kind !== 'map' || entry === undefined) continue;
      const own = inPath(parametersOf(files, operation));
      faults.push(...surplus(own, names, path, `${pointer}/${method}/parameters`));
      const known = new Set([...ofItem, ...own].map((parameter) => parameter?.name));
      // A parameter that can't be read may be the missing one.
      if ([...ofItem, ...own].includes(undefined)) continue;
      for (const name of new Set(names))
        if (!known.has(name))
          faults.push({
            pointer: `${pointer}/${method}`,
            place: entry,
            problem: `needs a parameter ${JSON.stringify(name)} in the path, because the path has {${name}}`,
          });
    }
    return faults;
  });
}

function surplus(
  parameters: readonly (Named | undefined)[],
  names: readonly string[],
  path: string,
  pointer: string,
): Fault[] {
  return parameters.flatMap((parameter): Fault[] =>
    parameter === undefined || names.includes(parameter.name)
      ? []
      : [{ pointer, place: parameter.place, problem: `has {${parameter.name}}, which ${path} doesn't have` }],
  );
}

/** Those in the path, and those that can't be read. */
function inPath(parameters: readonly (Named | undefined)[]): (Named | undefined)[] {
  return parameters.filter((parameter) => parameter === undefined || parameter.in === 'path');
}

/** The parameters of a path item or an operation; undefined for one that can't be read. */
function parametersOf(files: SourceFiles, owner: SourceMap): (Named | undefined)[] {
  const list = valueAt(owner, 'parameters');
  return (list?.kind === 'list' ? list.items : []).map((written) => {
    const parameter = followed(files, written);
    const name = parameter && stringAt(parameter, 'name');
    const place = parameter && stringAt(parameter, 'in');
    return name === undefined || place === undefined ? undefined : { place: written, in: place, name };
  });
}

const MAX_STEPS = 100;

/** What a reference leads to; undefined if that can't be read. */
function followed(files: SourceFiles, written: SourceNode): SourceNode | undefined {
  let node = written;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const reference = stringAt(node, '$ref');
    if (reference === undefined) return node;
    try {
      node = files.resolve(reference, node);
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
  return undefined;
}

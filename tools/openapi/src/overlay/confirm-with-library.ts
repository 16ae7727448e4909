import { pointerOf } from '../read/json-pointer.js';
import type { SourceNode } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';
import { ToolError } from '../read/tool-error.js';
import type { Action } from './action.js';

/** What was made of a baseline, and of what. */
export interface AppliedOverlay {
  /** As the user wrote it. */
  readonly path: string;
  readonly before: SourceNode;
  /** Those that were applied. */
  readonly actions: readonly Action[];
  readonly after: SourceNode;
}

/**
 * Has openapi-format apply the same actions, and holds its result against ours: see
 * docs/decisions/011-overlay-applied-twice.md.
 *
 * @throws ToolError `bad-overlay` if the results differ
 */
export async function confirmWithLibrary({ path, before, actions, after }: AppliedOverlay): Promise<void> {
  const { openapiOverlay } = await import('openapi-format');
  const applied: unknown = await openapiOverlay(toPlain(before), {
    overlaySet: {
      // Under 1.0.0 it loses what is added to a list; for actions that only add, 1.1.0 means the same.
      overlay: '1.1.0',
      info: { title: path, version: '1.0.0' },
      actions: actions.flatMap(({ target, update }) =>
        update === undefined ? [] : [{ target, update: toPlain(update) as object }],
      ),
    },
  });
  const steps = firstDifference(toPlain(after), (applied as { data: unknown }).data, []);
  if (steps === undefined) return;
  const where = pointerOf(steps) || 'the whole document';
  const advice = 'write the action at another target, one level higher for instance';
  throw new ToolError('bad-overlay', `${path}: openapi-format applies it otherwise at ${where}; ${advice}`);
}

/** The keys and indices that lead to the first value that is not the same in both. */
function firstDifference(
  one: unknown,
  other: unknown,
  steps: readonly string[],
): readonly string[] | undefined {
  if (!isParent(one) || !isParent(other) || Array.isArray(one) !== Array.isArray(other)) {
    return one === other ? undefined : steps;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = firstDifference(ownValue(one, key), ownValue(other, key), [...steps, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Undefined, which JSON has not, where there is none. */
function ownValue(parent: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(parent, key) ? parent[key] : undefined;
}

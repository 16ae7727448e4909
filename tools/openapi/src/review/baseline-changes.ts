import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code, table } from '../markdown.js';
import { ToolError } from '../tool-error.js';

/** What `redocly diff --format json` prints, as far as it is read. */
interface Diff {
  readonly changes: readonly {
    readonly kind: string;
    readonly base?: Side;
    readonly revision?: Side;
  }[];
}

interface Side {
  readonly pointer: string;
  readonly value?: unknown;
}

/**
 * What changed in the baseline, as a table in Markdown: each place with its values before and after. Redocly lists the
 * changes, and its verdicts are left out. Undefined if nothing changed.
 *
 * @throws ToolError `unreadable` if Redocly could not run
 */
export function renderBaselineChanges(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'openapi-review-'));
  try {
    const [old, now] = [join(folder, 'before.yaml'), join(folder, 'after.yaml')];
    writeFileSync(old, before);
    writeFileSync(now, after);
    const { changes } = diff(old, now);
    const rows = changes.map(({ kind, base, revision }) => [
      code(decodeURIComponent((revision ?? base)?.pointer.slice(1) ?? '')),
      kind,
      valueOf(base),
      valueOf(revision),
    ]);
    return rows.length === 0 ? undefined : table(['Place', 'Change', 'Before', 'After'], rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function diff(before: string, after: string): Diff {
  const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const args = [redocly, 'diff', before, after, '--format', 'json', '--fail-on', 'none'];
  const env = { REDOCLY_TELEMETRY: 'off' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (status !== 0) throw new ToolError('unreadable', `redocly diff failed: ${stderr.trim()}`);
  return JSON.parse(stdout) as Diff;
}

function valueOf(side: Side | undefined): string {
  return side?.value === undefined ? '' : code(JSON.stringify(side.value));
}

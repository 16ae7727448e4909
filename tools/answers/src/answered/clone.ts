import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloneWorkingTree, projectsOf } from '@plant-store/test-support/clone';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A clone of the repository as it is in the working tree, with what is installed and built here. */
export function cloneRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-clone-'));
  cloneWorkingTree(ROOT, folder);
  for (const project of projectsOf(ROOT)) {
    // The compiler then builds only what an answer changes.
    const built = join(ROOT, project, 'dist');
    if (existsSync(built)) cpSync(built, join(folder, project, 'dist'), { recursive: true });
  }
  return folder;
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

/** The last part of the address of each heading, as repositories show it. */
const headings = Array.from(read('docs/how-to/it-fails.md').matchAll(/^## (.*)$/gm), ([, heading]) =>
  heading!
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-'),
);

test('each alert says what, why, how bad and since when, and leads to a section of it-fails.md', () => {
  const [, ...alerts] = read('deploy/prometheus-alerts.yaml').split('- alert: ');

  expect(alerts.length).toBeGreaterThan(0);
  for (const alert of alerts) {
    for (const part of ['expr', 'for', 'labels', 'summary', 'description', 'runbook_url'])
      expect(alert).toMatch(new RegExp(`^ +${part}: .`, 'm'));
    const [, heading] = /runbook_url: docs\/how-to\/it-fails\.md#(.*)$/m.exec(alert)!;
    expect(headings).toContain(heading);
  }
});

test('each figure is explained, and its links lead to sections of it-fails.md', () => {
  const text = read('deploy/grafana-dashboard.json');
  const { panels } = JSON.parse(text) as { panels: { title: string; description?: string }[] };
  const linked = Array.from(text.matchAll(/it-fails\.md#([^"]*)"/g), ([, heading]) => heading!);

  expect(panels.filter(({ description }) => !description).map(({ title }) => title)).toEqual([]);
  expect(linked.length).toBeGreaterThan(0);
  expect(linked.filter((heading) => !headings.includes(heading))).toEqual([]);
});

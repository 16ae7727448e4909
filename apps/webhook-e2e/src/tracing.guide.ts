import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';
import ts from 'typescript';

import { ROOT } from '../support/development.js';
import { ACCESS_TOKEN } from '../support/messages.js';
import { poisonSettings, untilNothingWaits } from '../support/poison.js';
import {
  everythingOpen,
  LoggingProcess,
  preloading,
  type RunningReceiver,
  startReceiver,
} from '../support/receiver.js';

/** Replaces the documented exporters: spans become lines of the log, and metrics are dropped. */
const EXPORTERS = `
const line = ({ name, parentSpanContext: parent, status }, { traceId, spanId }) =>
  JSON.stringify({ msg: 'span', name, traceId, spanId, parent: parent?.spanId, status: status.code }) + '\\n';
class OTLPTraceExporter {
  export(spans, done) {
    for (const span of spans) process.stdout.write(line(span, span.spanContext()));
    done({ code: 0 });
  }
  shutdown = () => Promise.resolve();
}
class OTLPMetricExporter extends OTLPTraceExporter {
  export = (_, done) => done({ code: 0 });
  forceFlush = () => Promise.resolve();
}
`;

/** The documented programs of a page, by their names. */
function programsOf(page: string): Map<string, string> {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const programs = [...text.matchAll(/```[jt]s\n(\/\/ (\S+)\.m[jt]s\n.*?)```/gs)];
  return new Map(
    programs.map(([, code, name]) => [
      `${name!}.mjs`,
      EXPORTERS + withoutTypes(code!).replaceAll(/^import \{ OTLP\w+ \}.*\n/gm, ''),
    ]),
  );
}

function withoutTypes(code: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** Starts a receiver with the documented instrumentation. */
function startTraced(): Promise<RunningReceiver> {
  const folder = makeFolder();
  // The receiver's packages, not those of this project.
  const { resolve } = createRequire(join(ROOT, 'apps/webhook/package.json'));
  const instrumentation = programsOf('docs/how-to/write-a-handler.md')
    .get('instrumentation.mjs')!
    .replaceAll(
      /from '(@opentelemetry[^']*)'/g,
      (_, name: string) => `from '${pathToFileURL(resolve(name)).href}'`,
    );
  const file = join(folder, 'instrumentation.mjs');
  writeFileSync(
    file,
    `${instrumentation}\nglobalThis.call = () => trace.getTracer('arbitrary').startSpan('call').end();\n`,
  );
  const settings = {
    ...poisonSettings,
    ...preloading(file),
    HANDLER_MAX_ATTEMPTS: '1',
    HANDLER_CONCURRENCY: '1',
  };
  return startReceiver({ folder, settings });
}

test("the span of the sender's caller is the parent of the handler's span, and that of what the handler calls", async () => {
  const receiver = await startTraced();
  const folder = makeFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const programs = programsOf('libs/sdk/README.md')
    .set('sender.mjs', SENDER_PROGRAM)
    .set('instrumentation.mjs', programsOf('docs/how-to/write-a-handler.md').get('instrumentation.mjs')!);
  for (const [name, code] of programs) writeFileSync(join(folder, name), code);
  const sender = new LoggingProcess(
    [process.execPath, '--import', join(folder, 'instrumentation.mjs'), join(folder, 'sender.mjs')],
    { environment: { ...everythingOpen, RECEIVER_URL: receiver.origin, ACCESS_TOKEN }, folder },
  );
  expect(await sender.exit).toEqual({ code: 0, signal: null });

  await untilNothingWaits(receiver.inbox);
  expect(await receiver.process.stop()).toEqual({ code: 0, signal: null });

  const spans = [...sender.entries('span'), ...receiver.process.entries('span')];
  const names = ['caller', 'process /plant/webhook', 'call'];
  const chain = names.map((name) => spans.find((span) => span['name'] === name)!);
  for (const [index, parent] of chain.slice(0, -1).entries())
    expect(chain[index + 1]).toMatchObject({ traceId: parent['traceId'], parent: parent['spanId'] });
});

const SENDER_PROGRAM = `
import { trace } from '@opentelemetry/api';
import { createNewPlantSender } from '@plant-store/sdk';
import { headers } from './trace.mjs';

const { RECEIVER_URL: baseUrl, ACCESS_TOKEN: accessToken } = process.env;
const sender = createNewPlantSender({ baseUrl, accessToken, method: 'POST', encode: () => {}, headers });

await trace.getTracer('store').startActiveSpan('caller', async (span) => {
  await sender.sendEncoded({ content: Buffer.from('call'), mediaType: 'text/plain' });
  span.end();
});
await sender.close();
// A process that ends at once exports nothing by itself.
await trace.getTracerProvider().getDelegate().shutdown();
`;

#!/usr/bin/env node
import { inspect } from 'node:util';
import { answers } from '@plant-store/contract';
import { answerFaults } from '@plant-store/contract/check';
import { Command, CommanderError } from 'commander';
import { gate, isClean } from './gate/gate.js';
import { renderReport } from './gate/report.js';
import { visible } from './markdown.js';
import {
  committedSources,
  FILES,
  makeDocuments,
  readIfThere,
  readLedger,
  readSource,
  replaceFile,
} from './repository.js';
import { review } from './review/review.js';
import { GENERATE_PAGES, renderApiHtml, renderPages, writePages } from './pages/pages.js';
import { ToolError } from './tool-error.js';

// A reader that closes the pipe, as `head` does, has read enough. The exit code is the command's.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 2;
  });
}

const program = new Command('openapi')
  .description('Holds the document against the specification, and writes the pages.')
  .helpCommand(false)
  .showHelpAfterError('openapi --help lists the commands')
  .exitOverride()
  .addHelpText('after', '\nExit: 0 done; 1 there are findings; 2 the tool could not run.');

program
  .command('diff')
  .description(
    'Compares two documents with the specification: without answers, and with those that are entered. This is the gate.',
  )
  .action(async () => {
    const faults = answerFaults(answers, new Date());
    if (faults.length > 0) {
      for (const fault of faults) fail(`${FILES.answers}: ${fault}`);
      process.exitCode = 1;
      return;
    }
    const { open, document, ledger: text } = await makeDocuments();
    const ledger = readLedger({ text, file: FILES.ledger });
    const findings = gate({
      baseline: readSource(FILES.baseline),
      open: { text: open, file: 'the document without answers' },
      answered: { text: document, file: FILES.document },
      ledger,
    });
    out(renderReport(findings, ledger));
    process.exitCode = isClean(findings) ? 0 : 1;
  });

program
  .command('pages')
  .description('Writes OPEN_QUESTIONS.md and the generated pages of docs.')
  .option('--check', 'only compare')
  .action(({ check = false }: { check?: boolean }) => {
    if (!check) {
      for (const { file, isChanged } of writePages(committedSources()))
        out(`${file}: ${isChanged ? 'written' : 'unchanged'}\n`);
      return;
    }
    const stale = renderPages(committedSources()).filter(
      ({ file, text }) => readIfThere(file)?.text !== text,
    );
    for (const { file } of stale) fail(`${file}: out of date. Fix with: ${GENERATE_PAGES}`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  });

program
  .command('html')
  .description('Writes the interface and its questions as one page of HTML.')
  .requiredOption('--output <file>', 'the file to write')
  .action(({ output }: { output: string }) => replaceFile(output, renderApiHtml(committedSources())));

program
  .command('review')
  .description(
    'Prints what the reviewer of a change has to know, as Markdown: the answers that changed, with what they mean, and the facts that did. Prints nothing if there is nothing to say.',
  )
  .option(
    '--base <revision>',
    'compare with the last commit that the working tree has in common with it',
    'main',
  )
  .action(({ base }: { base: string }) => out(review(base)));

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = 2;
  // Commander has said it.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  // A user's mistake is told in its lines. A fault of this tool also has its stack.
  else if (error instanceof ToolError)
    fail(`openapi: ${error.message.split('\n').map(visible).join('\n  ')}`);
  else fail(`openapi: internal error, please report it: ${inspect(error)}`);
}

function out(text: string): void {
  process.stdout.write(text);
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
}

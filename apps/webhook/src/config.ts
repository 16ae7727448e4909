import { type Answers, answers } from '@plant-store/contract';
import type { z } from 'zod';

import { effectsOf } from './answers/effects-of.js';
import { ReceiverError } from './errors.js';
import { settings, settingsUnder } from './settings.js';

/** The receiver's settings, valid and frozen. */
export type Config = Readonly<z.output<typeof settings>>;

/** Names of the settings, in the order in which they are documented. */
export const SETTING_NAMES = Object.keys(settings.shape) as readonly (keyof Config)[];

/**
 * Reads the settings from an environment. An empty variable counts as not set.
 *
 * @param given answers: they take the place of guards, and ask for settings that there are not while a question is open
 * @throws ReceiverError `ANSWERS_INVALID`, or `CONFIGURATION_INVALID` with every fault on a line of its own. No value
 * is quoted, since a token may stand in the wrong variable.
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  given: Answers = answers,
): Config {
  const effects = effectsOf(given);
  const set = Object.fromEntries(SETTING_NAMES.map((name) => [name, environment[name] || undefined]));
  const answered = effects.guards.map(({ setting, value }) => [setting, String(value)]);
  const result = settingsUnder(effects).safeParse({ ...set, ...Object.fromEntries(answered) });
  const faults = [
    ...effects.guards
      .filter(({ setting }) => set[setting] !== undefined)
      .map(
        ({ setting, question }) => `${setting}: cannot be set, since ${question} is answered; take it away`,
      ),
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  ];
  if (result.success && faults.length === 0) return freeze(result.data);
  throw new ReceiverError(
    'CONFIGURATION_INVALID',
    ['The configuration is not usable:', ...faults.map((fault) => `  ${fault}`)].join('\n'),
  );
}

function freeze(config: Config): Config {
  Object.freeze(config.ACCESS_TOKENS);
  Object.freeze(config.SIGNING_KEYS);
  return Object.freeze(config);
}

import { dueText } from '../../inbox/in-words.js';
import { parseTime } from '../../inbox/parse-time.js';

/** A number with its thousands apart. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** A number of something that has no plural, such as `1,200 parked`. */
export const number = (value: number, what: string): string => `${count(value)} ${what}`;

export const deliveries = (value: number): string =>
  value === 1 ? '1 delivery' : `${count(value)} deliveries`;

/** What there is, with commas. */
export const list = (...parts: readonly (string | false)[]): string => parts.filter(Boolean).join(', ');

const UNITS = ['kB', 'MB', 'GB', 'TB'];

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1]!}`;
}

/** A duration, such as `12 ms`, `1.4 s` or `3.5 h`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 10 && !Number.isInteger(milliseconds)) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 300) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${count(Math.round(seconds / 360) / 10)} h`;
}

const HOUR = 3_600_000;

/** Formats of time zones that were asked for. There are few, and making one takes long. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Times as a reader in a time zone sees them. All are in milliseconds since 1970. */
export class Times {
  readonly #format: Intl.DateTimeFormat;
  /** What was written, by its second: a format takes longer than the rest of a row. */
  readonly #written = new Map<number, string>();
  readonly #today: string;

  /** @param zone a name of IANA; what is none counts as UTC */
  constructor(
    zone: string,
    readonly now: number,
  ) {
    this.#format = formats.get(zone) ?? formatOf(zone);
    if (formats.size < 100) formats.set(zone, this.#format);
    this.#today = this.local(now).split('T')[0]!;
  }

  get zone(): string {
    return this.#format.resolvedOptions().timeZone;
  }

  /** To the second, such as `2026-11-22 09:05:00`. In an hour that comes twice, it has its offset. */
  full(at: number): string {
    const second = Math.floor(at / 1_000);
    const text = this.#written.get(second) ?? this.#write(at);
    this.#written.set(second, text);
    return text;
  }

  #write(at: number): string {
    const text = this.#format.format(at);
    const isTwice = [-HOUR, -HOUR / 2, HOUR / 2, HOUR].some(
      (away) => this.#format.format(at + away) === text,
    );
    return isTwice ? `${text} ${this.#offset(at)}` : text;
  }

  /** The time of the day, and the day in front of it if it isn't today. */
  short(at: number): string {
    const [day, ...rest] = this.full(at).split(' ');
    return day === this.#today ? rest.join(' ') : this.full(at);
  }

  /** {@link short} with milliseconds. */
  precise(at: number): string {
    return this.short(at).replace(/:\d\d:\d\d/, `$&.${String(Math.floor(at) % 1_000).padStart(3, '0')}`);
  }

  ago(at: number): string {
    const seconds = Math.max(0, Math.floor((this.now - at) / 1_000));
    if (seconds < 10) return 'just now';
    if (seconds < 60) return `${seconds - (seconds % 10)} s ago`;
    if (seconds < 5_400) return `${Math.floor(seconds / 60)} min ago`;
    return seconds < 129_600
      ? `${Math.round(seconds / 3_600)} h ago`
      : `${Math.round(seconds / 86_400)} days ago`;
  }

  /** When an attempt begins. */
  due(dueAt: number, isPaused: boolean): string {
    return dueText({ dueAt, now: this.now, isPaused }, (at) => this.short(at));
  }

  /** As a field of a form has it, such as `2026-11-22T09:05:00`. */
  local(at: number): string {
    return this.#format.format(at).replace(' ', 'T');
  }

  /** The time that such a field means, and 0 for what was before; undefined if it is no time. */
  parse(local: string): number | undefined {
    const utc = parseTime(local);
    if (utc === undefined) return undefined;
    const once = utc - this.#away(utc);
    return Math.max(0, utc - this.#away(once));
  }

  #away(at: number): number {
    return Date.parse(`${this.local(at)}Z`) - Math.floor(at / 1_000) * 1_000;
  }

  #offset(at: number): string {
    const minutes = this.#away(at) / 60_000;
    const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
    return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const options = { dateStyle: 'short', timeStyle: 'medium' } as const;
  try {
    return new Intl.DateTimeFormat('sv-SE', { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat('sv-SE', { ...options, timeZone: 'UTC' });
  }
}

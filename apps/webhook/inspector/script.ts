/**
 * What a page of the inspector does in the browser: it asks every two seconds for what is new and takes that over, says when
 * the receiver doesn't respond, and acts on keys. Without it, the page shows and acts all the same.
 */
import { Idiomorph } from 'idiomorph';

/** In milliseconds: between two looks, for a response, and until what is shown counts as old. */
const POLL_INTERVAL = 2_000;
const TIMEOUT = 8_000;
const OLD = 10_000;

const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
const one = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

/** Moves the focus to the first of these that is there. */
const focus = (...selectors: readonly string[]): void =>
  selectors
    .map((selector) => one(selector))
    .find((element) => element !== null)
    ?.focus();

/** The time by both clocks: one stands still while the computer sleeps, the other one may be set. */
const now = (): readonly [number, number] => [performance.now(), Date.now()];
let shownAt = now();
const age = (): number => Math.max(...now().map((time, clock) => time - shownAt[clock]!));

/** Whether a look is under way, and an act. */
let isLooking = false;
let isActing = false;

// ---- Reading a page

/**
 * Reads a page. The browser parses it, so no text becomes HTML here.
 *
 * @throws Error with what the receiver says and its status, or an empty message if it doesn't respond
 */
function read(address: string, form?: FormData): Promise<{ readonly page: Document; readonly url: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(form ? 'POST' : 'GET', address);
    request.setRequestHeader('Accept', 'text/html');
    request.responseType = 'document';
    request.timeout = TIMEOUT;
    request.onload = () => {
      const page = request.responseXML;
      // A proxy may respond with a page of its own, such as one to sign in.
      if (page?.querySelector('#shown') && request.status === 200)
        resolve({ page, url: request.responseURL });
      else reject(new Error(page?.querySelector('p')?.textContent ?? '', { cause: request.status }));
    };
    request.onerror = request.ontimeout = () => reject(new Error(''));
    request.send(form && new URLSearchParams([...form].map(([name, value]) => [name, value as string])));
  });
}

const rows = (): HTMLElement | null => one('#rows');
const boxes = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>('#rows [type=checkbox]'),
];
const selected = (): HTMLInputElement[] => boxes().filter(({ checked }) => checked);

/** Whether somebody looks at one of the rows: then none may move. A search takes long, so its rows stay, too. */
function isLookedAt(): boolean {
  const body = rows();
  const place = new URLSearchParams(location.search);
  if (place.has('text')) return true;
  if (body === null) return false;
  return (
    place.has('delivery') ||
    selected().length > 0 ||
    body.matches(':hover') ||
    body.contains(document.activeElement) ||
    body.getBoundingClientRect().top < 0 ||
    document.getSelection()?.isCollapsed === false
  );
}

/** The address of a place with the rows as they are. */
function withRows(address: string): string {
  const url = new URL(address);
  const ids = all('#rows tr').map(({ id }) => id.slice('row-'.length));
  url.searchParams.set('rows', ids.join());
  return url.href;
}

/** Takes a page over. What somebody has opened, chosen or written stays. */
function show(
  page: Document,
  { isPoll, isKept }: { readonly isPoll: boolean; readonly isKept: boolean },
): void {
  document.title = page.title;
  for (const button of all('[disabled]')) button.removeAttribute('disabled');
  document.documentElement.dataset['zone'] = page.documentElement.dataset['zone'];
  void Idiomorph.morph(document.body, page.body, {
    callbacks: {
      beforeNodeMorphed: (old: Node) =>
        !(
          old instanceof Element &&
          // Its height would move the rows; what is below them belongs to another page; a question stays as it was asked.
          ((isKept && old.matches('#errors, #end')) || (isPoll && old.matches('dialog')))
        ),
      beforeAttributeUpdated: (name: string, element: Element) =>
        !(
          (name === 'open' && element.matches('details')) ||
          (name === 'checked' && element.matches('#rows *, #all')) ||
          (name === 'value' && isPoll && element.matches('input:not([type=hidden])'))
        ),
    },
  });
  shownAt = now();
  document.documentElement.classList.remove('old');
  settle();
}

/** What the page needs after each change of it. */
function settle(): void {
  const question = document.querySelector('dialog');
  if (question && !question.matches(':modal')) {
    question.close();
    question.showModal();
  }
  sayHowMany();
}

/** Says on the buttons how many deliveries are selected. */
function sayHowMany(): void {
  const count = selected().length;
  for (const text of all('.changes .chosen')) {
    text.dataset['all'] ??= text.textContent;
    text.textContent = count > 0 ? ` ${count}` : text.dataset['all'];
  }
}

/** Asks for what is new, if somebody looks. */
async function poll(): Promise<void> {
  if (document.hidden || isLooking) return;
  const { href } = location;
  const before = shownAt;
  isLooking = true;
  try {
    const isKept = isLookedAt();
    const { page } = await read(isKept ? withRows(href) : href);
    // Somebody may have gone on, or begun to look.
    if (location.href === href && shownAt === before && (isKept || !isLookedAt()))
      show(page, { isPoll: true, isKept });
  } catch {
    // What is shown grows old.
  } finally {
    isLooking = false;
  }
}

/** Says since when nothing was heard of the receiver. Nothing can be done then. */
function watch(): void {
  if (age() < OLD || document.hidden) return;
  document.documentElement.classList.add('old');
  one('#fault')!.textContent =
    `Not up to date: the receiver has not responded since ${one('#shown time')?.textContent}. This is what it was then.`;
  for (const button of all('button[name=ask], dialog button')) button.setAttribute('disabled', '');
}

setInterval(() => void poll(), POLL_INTERVAL);
setInterval(watch, 1_000);
document.addEventListener('visibilitychange', () => {
  watch();
  void poll();
});

// ---- Going to another place

/** The query of an address, which says what is there, without some of its parameters. */
function placeOf(address: string, ...without: readonly string[]): string {
  const place = new URL(address).searchParams;
  for (const name of without) place.delete(name);
  return place.toString();
}

const listOf = (address: string): string => placeOf(address, 'delivery', 'form', 'ask', 'chosen', 'done');

/** Whether the next place is one that a key leads to: the focus then stays in the table. */
let isMoving = false;

/** Whether only the address changes: the page is there already. */
let isOver = false;

function replaceAddress(url: string): void {
  isOver = true;
  history.replaceState(null, '', url);
  isOver = false;
}

const causeOf = (error: unknown): string => (error as Error).message || 'The receiver does not respond.';

/** Opens a place in this page. */
async function go(from: string, to: string): Promise<void> {
  // The same place again asks for what is new.
  const isKept = placeOf(from) !== placeOf(to) && listOf(from) === listOf(to) && rows() !== null;
  const before = new URL(from).searchParams;
  try {
    const { page, url } = await read(isKept ? withRows(to) : to);
    if (location.href !== to) return;
    // The receiver may know a better address, such as one with times that everybody understands.
    if (!isKept && url !== to) replaceAddress(url);
    show(page, { isPoll: false, isKept });
    if (listOf(from) !== listOf(to)) one('.menu')?.removeAttribute('open');
  } catch (error) {
    one('#fault')!.textContent = causeOf(error);
    return;
  }
  const staysInTable = isMoving && rows()?.contains(document.activeElement);
  isMoving = false;
  const after = new URLSearchParams(location.search);
  const id = before.get('delivery');
  const isPaged = ['olderThan', 'newerThan'].some((name) => before.get(name) !== after.get(name));
  if (document.querySelector('dialog') || staysInTable) return;
  if (after.get('delivery') !== id) {
    const panel = one('.detail');
    if (panel && panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
    focus(panel ? '#delivery' : `#row-${id ?? 0} a`, '#deliveries');
  } else if (isPaged) focus('#deliveries');
  else if (document.activeElement === document.body) focus('#delivery', '#deliveries');
}

// A browser without it loads each place as a page of its own.
if ('navigation' in window)
  navigation.addEventListener('navigate', (event) => {
    const { pathname } = new URL(event.destination.url);
    const isHere = pathname === location.pathname && event.canIntercept && !event.hashChange && !isOver;
    const isOther = event.formData !== null || event.downloadRequest !== null;
    if (!isHere || isOther || event.navigationType === 'reload') return;
    const from = location.href;
    event.intercept({
      focusReset: 'manual',
      scroll: event.navigationType === 'traverse' ? 'after-transition' : 'manual',
      handler: () => go(from, event.destination.url),
    });
  });

// ---- What somebody does

/** Where a range of rows begins. */
let lastClicked: HTMLInputElement | undefined;

document.addEventListener('click', (event) => {
  const target = event.target as Element;
  if (!target.closest('.menu')) one('.menu')?.removeAttribute('open');
  const box = target.closest<HTMLInputElement>('#rows [type=checkbox]');
  const row = target.closest('#rows tr');
  const copied = target.closest<HTMLElement>('[data-copy]');
  const folding = target.closest<HTMLElement>('[data-fold]');
  if (box) {
    const ends = [lastClicked ? boxes().indexOf(lastClicked) : -1, boxes().indexOf(box)].sort(
      (a, b) => a - b,
    );
    if (event.shiftKey && ends[0] !== -1)
      for (const each of boxes().slice(ends[0], ends[1]! + 1)) each.checked = box.checked;
    lastClicked = box;
  } else if (target.matches('#all'))
    for (const each of boxes()) each.checked = (target as HTMLInputElement).checked;
  else if (copied) void copy(copied);
  else if (folding)
    for (const part of all('.json details'))
      part.toggleAttribute(
        'open',
        folding.dataset['fold'] === 'Unfold' || !part.parentElement!.closest('details'),
      );
  else if (row && !target.closest('a, .choice') && document.getSelection()?.isCollapsed)
    row.querySelector('a')?.click();
  sayHowMany();
});

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (form.method !== 'post') return;
  event.preventDefault();
  if (!isActing) void act(form);
});

/** Does what a question asks. If that fails, the question stays, and says so. */
async function act(form: HTMLFormElement): Promise<void> {
  isActing = true;
  try {
    const { page, url } = await read(form.action, new FormData(form));
    // Back leads to the list, and not to the question.
    replaceAddress(url);
    show(page, { isPoll: false, isKept: false });
    focus('#done', '#delivery', '#deliveries');
  } catch (error) {
    const status = Number((error as Error).cause ?? 0);
    const isRefused = status >= 400 && status < 500;
    form.querySelector('[role=status]')!.textContent = isRefused
      ? causeOf(error)
      : `${causeOf(error)} The page doesn't know whether it was done: look at Acts.`;
  } finally {
    isActing = false;
  }
}

// Escape leaves a question.
document.addEventListener(
  'cancel',
  (event) => {
    event.preventDefault();
    one('#cancel')?.click();
  },
  true,
);

/** Copies a part of the page, or what is at an address: as text, or in base64. */
async function copy({ dataset }: HTMLElement): Promise<void> {
  const { copy: what = '', as } = dataset;
  try {
    const text = what.startsWith('#') ? one(what)!.textContent : await textAt(what, as === 'base64');
    await navigator.clipboard.writeText(text);
    say(as === 'base64' ? 'Copied in base64.' : 'Copied.');
  } catch {
    say('It could not be copied.');
  }
}

async function textAt(address: string, isBase64: boolean): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(address)).arrayBuffer());
  if (!isBase64) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function say(text: string): void {
  const message = one('#message')!;
  message.textContent = text;
  setTimeout(() => {
    if (message.textContent === text) message.textContent = '';
  }, 5_000);
}

// ---- Keys

const linkOf = (row: Element | null | undefined): HTMLAnchorElement | null | undefined =>
  row?.querySelector('a');

/** The row that has the focus, or else that of the delivery that is open. */
const presentRow = (): Element | null | undefined =>
  document.activeElement?.closest('#rows tr') ?? one('#rows [aria-current]')?.closest('tr');

/** The row before or behind the present one gets the focus, and if a delivery is open, is opened. */
function move(step: 1 | -1): void {
  const present = presentRow();
  const next = step === 1 ? present?.nextElementSibling : present?.previousElementSibling;
  const link = linkOf(next ?? present ?? one('#rows tr'));
  link?.focus();
  if (!link || !one('.detail') || !next) return;
  isMoving = true;
  // Back leads to the list, not to each delivery on the way.
  if ('navigation' in window) navigation.navigate(link.href, { history: 'replace' });
  else link.click();
}

const KEYS: Readonly<Record<string, () => void>> = {
  j: () => move(1),
  k: () => move(-1),
  x: () => presentRow()?.querySelector<HTMLElement>('[type=checkbox]')?.click(),
  r: () => {
    const form = selected().length > 0 || !one('.detail') ? '.changes' : '.detail';
    one(`${form} [value=replay]`)?.click();
  },
  '/': () => one('#search')?.focus(),
  '?': () => one('footer a')?.click(),
  Escape: () => one('#close')?.click(),
};

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const action = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  const isTyping = target instanceof HTMLInputElement && target.type !== 'checkbox';
  if (!action || isTyping || one('dialog') || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  action();
});

// ---- The start

try {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `zone=${timeZone}; SameSite=Strict; Max-Age=31536000`;
  if (document.documentElement.dataset['zone'] !== timeZone) void poll();
} catch {
  // Whoever lets no page keep anything sees times in UTC.
}
document.documentElement.classList.add('scripted');
settle();
one('#done')?.focus();

/** The keys of the list of deliveries: script.ts acts on them. Those with a word are named at the foot of the list, too. */
const KEYS: readonly { readonly keys: readonly string[]; readonly does: string; readonly word?: string }[] = [
  { keys: ['j', 'k'], does: 'the next or the previous delivery', word: 'move' },
  { keys: ['Enter'], does: 'open the delivery' },
  { keys: ['x'], does: 'select it', word: 'select' },
  { keys: ['r'], does: 'replay what is selected, or the delivery that is open', word: 'replay' },
  { keys: ['/'], does: 'search', word: 'search' },
  { keys: ['Escape'], does: 'close the delivery' },
  { keys: ['?'], does: 'these keys', word: 'all keys' },
];

const Shown = ({ keys }: { readonly keys: readonly string[] }) => (
  <>
    {keys.map((key) => (
      <>
        <kbd>{key}</kbd>{' '}
      </>
    ))}
  </>
);

export const KeysInBrief = () => (
  <>
    {KEYS.map(
      ({ keys, word }) =>
        word && (
          <span>
            <Shown keys={keys} />
            {word}
          </span>
        ),
    )}
  </>
);

export const keysPage = () => (
  <section class="card" aria-labelledby="keys">
    <h2 id="keys" tabIndex={-1}>
      Keys
    </h2>
    <p class="note">They act in the list of deliveries.</p>
    <dl class="facts">
      {KEYS.map(({ keys, does }) => (
        <div>
          <dt>
            <Shown keys={keys} />
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </section>
);

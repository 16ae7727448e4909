/** The keys of the list of deliveries: script.ts acts on them. */
const KEYS = [
  ['j k', 'the next or the previous delivery'],
  ['Enter', 'open the delivery'],
  ['x', 'select it'],
  ['r', 'replay what is selected, or the delivery that is open'],
  ['/', 'search'],
  ['Escape', 'close the delivery'],
  ['?', 'these keys'],
] as const;

export const keysPage = () => (
  <section class="card stack">
    <h2 id="keys" tabIndex={-1}>
      Keys
    </h2>
    <p class="note">They act in the list of deliveries.</p>
    <dl class="facts">
      {KEYS.map(([keys, does]) => (
        <div>
          <dt>{keys.split(' ').map((key) => [<kbd>{key}</kbd>, ' '])}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </section>
);

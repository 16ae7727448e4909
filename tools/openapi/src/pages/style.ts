/** The style of the page: quiet, for a phone, a wide window, the dark and paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf6; --ink: #22291f; --muted: #565f50; --rule: #dedccf;
  --leaf: #2c6234; --literal: #eeede3;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #151913; --ink: #e4e8dc; --muted: #a7b09d; --rule: #353c30;
    --leaf: #97d19c; --literal: #2a3025;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 ui-serif, Charter, "Iowan Old Style", Cambria, "DejaVu Serif", Georgia, serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 72rem; padding: 0 clamp(1rem, 4vw, 2.5rem) 3rem; overflow-wrap: break-word; }
a { color: var(--leaf); text-decoration-thickness: 1px; text-underline-offset: .25em; }
:focus-visible { outline: 2px solid var(--leaf); outline-offset: 3px; border-radius: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--leaf); color: var(--paper); border-radius: 0 0 .4rem .4rem; }
.skip:focus { top: 0; z-index: 1; }
header { padding: clamp(2rem, 6vw, 3.5rem) 0 1.5rem; border-bottom: 1px solid var(--rule); }
header p { color: var(--muted); font-size: .9rem; margin: 0; }
header p, nav { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
nav { font-size: .9rem; padding: 1.25rem 0 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .3rem 0; color: var(--muted); text-decoration: none; }
nav a:hover { color: var(--leaf); text-decoration: underline; }
h1, h2, h3 { line-height: 1.25; margin: 0 0 .75rem; font-weight: 600; text-wrap: balance; }
h1 { color: var(--leaf); font-size: clamp(1.9rem, 6vw, 2.75rem); letter-spacing: -.015em; margin-bottom: .4rem; }
h2 { font-size: 1.55rem; }
h3 { font-size: 1.2rem; }
main { min-width: 0; max-width: 46rem; padding-top: 1.5rem; }
main > section { border-top: 1px solid var(--rule); margin-top: 2.75rem; padding-top: 2rem; }
p, main ul, pre { margin: 0 0 1.25rem; }
main ul { padding-left: 1.25rem; }
main li { margin: .3rem 0; }
h3 { margin-top: 1.75rem; }
:target { outline: 2px solid var(--leaf); outline-offset: 4px; border-radius: 2px; }
code { font: .88em/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; background: var(--literal); border-radius: .25em; padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .9rem 1rem; background: var(--literal); border-radius: .5rem; white-space: pre-wrap; }
pre code { background: none; padding: 0; }
@media screen and (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 3.5rem; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2.2rem 0; }
}
@media print {
  html { background: #fff; font-size: 10pt; }
  nav, .skip { display: none; }
}
`;

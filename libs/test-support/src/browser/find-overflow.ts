/**
 * What reaches beyond the right edge of the window, except inside of a part that scrolls by itself. Runs in the page,
 * so it uses nothing from outside of it.
 */
export function findOverflow(): string[] {
  const { clientWidth, scrollWidth } = document.documentElement;
  const wide = Array.from(document.body.querySelectorAll('*')).filter((element) => {
    for (let part = element.parentElement; part !== null; part = part.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(part).overflowX)) return false;
    return element.getBoundingClientRect().right > clientWidth + 0.5;
  });
  const named = wide.map(({ localName, textContent }) => `${localName}: ${textContent.slice(0, 60)}`);
  return scrollWidth > clientWidth ? [`the page: ${scrollWidth} of ${clientWidth} pixels`, ...named] : named;
}

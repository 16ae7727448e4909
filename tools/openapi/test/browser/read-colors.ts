/** A text on the page, and its contrast with its background. */
export interface TextContrast {
  readonly text: string;
  readonly element: string;
  /** As WCAG 2.2 defines it, from 1 to 21. */
  readonly ratio: number;
}

/** The contrast of every text that is shown. Runs in the page, so it uses nothing from outside of it. */
export function readColors(): TextContrast[] {
  const channelsOf = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminanceOf = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element: Element | null): string => {
    if (element === null) throw new Error('Nothing paints a background.');
    const { backgroundColor } = getComputedStyle(element);
    const opacity = channelsOf(backgroundColor)[3] ?? 1;
    if (opacity !== 0 && opacity !== 1) throw new Error(`${backgroundColor} is neither opaque nor clear.`);
    return opacity === 1 ? backgroundColor : backgroundOf(element.parentElement);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: TextContrast[] = [];
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement!;
    const text = texts.currentNode.textContent!.trim();
    if (text === '' || !element.checkVisibility()) continue;
    const [one, other] = [getComputedStyle(element).color, backgroundOf(element)].map(luminanceOf) as [
      number,
      number,
    ];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push({ text, element: element.localName, ratio });
  }
  return found;
}

import { randomInt } from 'node:crypto';

/** A whole number from `least` to `most`, both included. */
export const integer = (least: number, most: number): number => randomInt(least, most + 1);

export const chance = (probability: number): boolean => Math.random() < probability;

export const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)]!;

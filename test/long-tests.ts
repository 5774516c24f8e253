/**
 * `npm test -- --long` runs the long form. The short form covers each class of fault; the long one covers every
 * member of it (each commit of each story, each emotion, each page in each look).
 */
import { it } from 'vitest';

export const long = process.env.TRUNKLINE_TEST_LONG === '1';

/** Returns one of every `every` members in the short form, all of them in the long one. */
export const sampleOf = <T>(members: readonly T[], every: number): T[] =>
  members.filter((_member, at) => long || at % every === 0);

/** Returns one of every `every` members, another one for each `turn`, in the short form, all of them in the long one. */
export const inTurn = <T>(members: readonly T[], every: number, turn: number): T[] =>
  members.filter((_member, at) => long || at % every === turn % every);

/** Marks the name of a test of the long form alone; `npm test` counts these apart from tests that a machine cannot run. */
export const longForm = (name: string): string => (long ? name : `${name} (long form)`);

/** A test of the long form alone. */
export const itLong = (name: string, check: () => unknown, timeout?: number) =>
  it.skipIf(!long)(longForm(name), check, timeout);

/** A test that has no place here is no test: a skipped one is something that this machine lacks. */
export const itWhere = (applies: boolean) =>
  applies ? it : (_name: string, _check: () => unknown, _timeout?: number) => undefined;

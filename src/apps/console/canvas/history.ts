import { useState } from 'preact/hooks';
import { type Flow, same } from './document.ts';

const MOST_STEPS = 200;
/** Changes of one field within this time are one step of undo. */
const ONE_STEP_MS = 1_500;

interface Steps {
  readonly past: readonly Flow[];
  readonly now: Flow;
  readonly future: readonly Flow[];
  readonly field: string | null;
  readonly atMs: number;
}

export interface History {
  readonly flow: Flow;
  readonly change: (next: Flow, field?: string) => void;
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
}

function changedSteps(before: Steps, next: Flow, field: string | null): Steps {
  if (same(before.now, next)) return before;
  const atMs = performance.now();
  const continues = field !== null && field === before.field && atMs - before.atMs < ONE_STEP_MS;
  const past = continues ? before.past : [...before.past, before.now].slice(-MOST_STEPS);
  return { past, now: next, future: [], field, atMs };
}

export function useHistory(first: Flow): History {
  const [steps, setSteps] = useState<Steps>({ past: [], now: first, future: [], field: null, atMs: 0 });
  const { past, now, future } = steps;
  const [last, next] = [past.at(-1), future[0]];
  const rest = { field: null, atMs: 0 };
  return {
    flow: now,
    change: (to, field) => setSteps((before) => changedSteps(before, to, field ?? null)),
    undo:
      last === undefined
        ? null
        : () => setSteps({ past: past.slice(0, -1), now: last, future: [now, ...future], ...rest }),
    redo:
      next === undefined
        ? null
        : () => setSteps({ past: [...past, now], now: next, future: future.slice(1), ...rest }),
  };
}

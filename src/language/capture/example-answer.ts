import type { CaptureKind } from './contract.ts';
import type { CapturePhase, CaptureState } from './dialogue.ts';

/** Answers as they are best written; of other kinds, and in other languages, none was measured to gain by one. */
const EXAMPLES: Partial<Readonly<Record<CaptureKind, string>>> = {
  digits: 'four one five, five five five, two six seven one. nine zero three, two two eight.',
  amount: 'Three hundred and twenty dollars and fifteen cents. Seventy-five euros and forty cents.',
};

/** Where the answer is a yes or a correction, it is no value. */
const ASKS: ReadonlySet<CapturePhase['at']> = new Set(['asking', 'more']);

/** An answer of the kind that is asked for, for recognition to go on from: it writes what is said in the same manner. */
export function exampleAnswer({ request, phase }: CaptureState): string | null {
  if (request.hints.language !== 'en' || !ASKS.has(phase.at)) return null;
  return EXAMPLES[request.kind] ?? null;
}

import type { CaptureKind } from './contract.ts';
import type { CapturePhase, CaptureState } from './dialogue.ts';

/** The examples are in the best written form. Measurements showed no gain for other kinds and languages. */
const EXAMPLES: Partial<Readonly<Record<CaptureKind, string>>> = {
  digits: 'four one five, five five five, two six seven one. nine zero three, two two eight.',
  amount: 'Three hundred and twenty dollars and fifteen cents. Seventy-five euros and forty cents.',
};

const ASKS: ReadonlySet<CapturePhase['at']> = new Set(['asking', 'more']);

/** Returns an example answer as a prompt for recognition, which then writes the real answer in the same form. */
export function exampleAnswer({ request, phase }: CaptureState): string | null {
  if (request.hints.language !== 'en' || !ASKS.has(phase.at)) return null;
  return EXAMPLES[request.kind] ?? null;
}

import type { BrainLanguage, BrainTool } from '../contract.ts';
import { PHRASES } from './phrases.ts';
import { fillSlot, type Slot, type SlotValue, slotsOf } from './slots.ts';
import { contentStems } from './words.ts';

/** A tool that is being filled in over several turns; plain data, kept as the brain's memory. */
export interface OpenForm {
  readonly tool: string;
  readonly values: Readonly<Record<string, SlotValue>>;
  /** The slot last asked for, and how often in vain. */
  readonly asked: string | null;
  readonly misses: number;
}

export type FormStep =
  | { readonly kind: 'ask'; readonly form: OpenForm; readonly text: string }
  | { readonly kind: 'call'; readonly values: Readonly<Record<string, SlotValue>> }
  | { readonly kind: 'give_up' };

const MAX_MISSES = 2;

/** The tool whose name and description the caller's words point to; null when none does clearly. */
export function toolFor(
  said: string,
  tools: readonly BrainTool[],
  language: BrainLanguage,
): BrainTool | null {
  const stems = new Set(contentStems(said, language));
  const scored = tools
    .filter((tool) => slotsOf(tool.parameters) !== null)
    .map((tool) => ({ tool, score: toolScore(tool, stems, language) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (best === undefined || best.score < 1 || best.score === second?.score) return null;
  return best.tool;
}

/** A word of the name counts full, a word of the description half, a choice of an enumeration half. */
function toolScore(tool: BrainTool, stems: ReadonlySet<string>, language: BrainLanguage): number {
  const opened = tool.name.replaceAll(/[_-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  const name = new Set([...contentStems(opened, language), ...contentStems(opened, 'en')]);
  const choices = (slotsOf(tool.parameters) ?? []).flatMap((slot) => slot.choices).join(' ');
  const about = new Set(contentStems(`${tool.description} ${choices}`, language));
  let score = 0;
  for (const stem of stems) score += name.has(stem) ? 1 : about.has(stem) ? 0.5 : 0;
  return score;
}

/** Takes what was said into the form and tells the next step. */
export function advanceForm(
  form: OpenForm,
  tool: BrainTool,
  said: string,
  language: BrainLanguage,
  now: number,
): FormStep {
  const slots = slotsOf(tool.parameters) ?? [];
  const values = { ...form.values };
  const inOrder = [...slots].sort((a, b) => Number(b.name === form.asked) - Number(a.name === form.asked));
  const taken = new Set<string>();
  for (const slot of inOrder) {
    if (slot.name in values) continue;
    const asked = slot.name === form.asked;
    const value = fillSlot(slot, said, language, { asked, now });
    const kind = slot.format ?? slot.type;
    if (value === null || (!asked && slot.choices.length === 0 && taken.has(kind))) continue;
    values[slot.name] = value;
    taken.add(kind);
  }
  const missing = slots.find((slot) => slot.required && !(slot.name in values));
  if (missing === undefined) return { kind: 'call', values };
  const misses = missing.name === form.asked ? form.misses + 1 : 0;
  if (misses > MAX_MISSES) return { kind: 'give_up' };
  return {
    kind: 'ask',
    form: { tool: tool.name, values, asked: missing.name, misses },
    text: askFor(missing, language),
  };
}

function askFor(slot: Slot, language: BrainLanguage): string {
  const phrases = PHRASES[language];
  if (slot.choices.length === 0) return phrases.askFor(slot.label);
  const spoken = slot.choices.map((choice) => choice.replaceAll('_', ' '));
  const last = spoken.pop() ?? '';
  const choices = spoken.length === 0 ? last : `${spoken.join(', ')} ${phrases.or} ${last}`;
  return phrases.askChoice(slot.label, choices);
}

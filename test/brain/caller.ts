import {
  type Brain,
  type BrainLanguage,
  type BrainMessage,
  type BrainTool,
  createResponder,
} from '../../src/brain/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';

/** Saturday, 21 November 2026, noon in Greenwich. */
export const SATURDAY = Date.UTC(2026, 10, 21, 12);

export const responderAt = (now: number, timeZone = 'UTC'): Brain =>
  createResponder({ clock: new ManualClock(now), timeZone });

export interface Heard {
  readonly text: string;
  /** What the tool was called with; null while it was not called. */
  readonly called: Record<string, unknown> | null;
  /** What the open form holds, or the call. */
  readonly values: Record<string, unknown> | null;
  readonly action: string | null;
}

/** Says the lines one after another and gives what came of each. */
export async function talk(
  tool: BrainTool,
  lines: readonly string[],
  language: BrainLanguage = 'en',
  brain: Brain = responderAt(SATURDAY),
): Promise<Heard[]> {
  const heard: Heard[] = [];
  const messages: BrainMessage[] = [];
  let memory: unknown;
  for (const content of lines) {
    messages.push({ role: 'user', content });
    let text = '';
    let called: Record<string, unknown> | null = null;
    let action: string | null = null;
    const request = { language, persona: '', messages: [...messages], tools: [tool], passages: [], memory };
    for await (const event of brain.respond(request, new AbortController().signal)) {
      if (event.kind === 'memory') memory = event.memory;
      else if (event.kind === 'text') text += event.text;
      else if (event.kind === 'tool_call')
        called = JSON.parse(event.call.arguments) as Record<string, unknown>;
      else if (event.kind === 'action') action = event.action;
    }
    const { form } = (memory ?? { form: null }) as { form: { values: Record<string, unknown> } | null };
    messages.push({ role: 'assistant', content: text });
    heard.push({ text, called, values: called ?? form?.values ?? null, action });
  }
  return heard;
}

export const lastOf = (heard: readonly Heard[]): Heard => heard.at(-1) as Heard;

export const toolOf = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): BrainTool => ({ name, description, parameters: { type: 'object', properties, required } });

export const TABLE = toolOf('book_table', 'Book a table at the restaurant', {
  date: { type: 'string', format: 'date', description: 'the day' },
  time: { type: 'string', format: 'time', description: 'the time' },
  people: { type: 'integer', description: 'the number of people' },
});
/** The same as the customers of other countries would describe it. */
export const TABLES: Readonly<Record<'en' | 'es' | 'fr' | 'hi', BrainTool>> = {
  en: TABLE,
  es: toolOf('reservar_mesa', 'Reservar una mesa', {
    fecha: { type: 'string', format: 'date', description: 'el día' },
    hora: { type: 'string', format: 'time', description: 'la hora' },
    personas: { type: 'integer', description: 'el número de personas' },
  }),
  fr: toolOf('reserver_table', 'Réserver une table', {
    date: { type: 'string', format: 'date', description: 'le jour' },
    heure: { type: 'string', format: 'time', description: "l'heure" },
    personnes: { type: 'integer', description: 'le nombre de personnes' },
  }),
  hi: toolOf('book_table', 'टेबल बुक करना', {
    din: { type: 'string', format: 'date', description: 'दिन' },
    samay: { type: 'string', format: 'time', description: 'समय' },
    log: { type: 'integer', description: 'लोगों की संख्या' },
  }),
};

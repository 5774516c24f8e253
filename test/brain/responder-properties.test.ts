import { describe, expect, it } from 'vitest';
import type { BrainTool } from '../../src/brain/index.ts';
import { lastOf, talk, toolOf } from './caller.ts';

/** A small generator of its own, so that a failure can be seen again by its seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Piece {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  /** Each way to say it, with what it means; null: it can't be told for sure. */
  readonly said: readonly (readonly [string, unknown])[];
}

type Language = 'en' | 'es' | 'fr' | 'hi';

const date = (description: string) => ({ type: 'string', format: 'date', description });
const time = (description: string) => ({ type: 'string', format: 'time', description });
const count = (description: string) => ({ type: 'integer', description });
const EMAIL: Piece = {
  name: 'email',
  schema: { type: 'string', format: 'email', description: 'e-mail' },
  said: [['ada@example.com', 'ada@example.com']],
};

/** Said on Saturday, 21 November 2026. No two values of a language are alike. */
const PIECES: Readonly<Record<Language, readonly Piece[]>> = {
  en: [
    {
      name: 'date',
      schema: date('the day'),
      said: [
        ['on Friday', '2026-11-27'],
        ['tomorrow', '2026-11-22'],
        ['on December third', '2026-12-03'],
        ['on the 14th of December', '2026-12-14'],
        ['on 25/12', '2026-12-25'],
        ['on 5/12', undefined],
      ],
    },
    {
      name: 'time',
      schema: time('the time'),
      said: [
        ['at seven p.m.', '19:00'],
        ['at 7:30 p.m.', '19:30'],
        ['at half past eight in the evening', '20:30'],
        ['at quarter to ten in the morning', '09:45'],
        ['at noon', '12:00'],
        ['at six', undefined],
      ],
    },
    {
      name: 'people',
      schema: count('number of people'),
      said: [
        ['for four people', 4],
        ['for 32 people', 32],
      ],
    },
    {
      name: 'nights',
      schema: count('number of nights'),
      said: [
        ['for two nights', 2],
        ['for 15 nights', 15],
      ],
    },
    { name: 'order_number', schema: count('the order number'), said: [['order number 45721', 45721]] },
    {
      name: 'phone',
      schema: { type: 'string', format: 'phone' },
      said: [['my phone number is five five five, one two three, four five six seven', '5551234567']],
    },
    EMAIL,
  ],
  es: [
    {
      name: 'fecha',
      schema: date('el día'),
      said: [
        ['el viernes', '2026-11-27'],
        ['mañana', '2026-11-22'],
        ['el cinco de diciembre', '2026-12-05'],
      ],
    },
    {
      name: 'hora',
      schema: time('la hora'),
      said: [
        ['a las siete y media de la tarde', '19:30'],
        ['a las nueve menos cuarto de la noche', '20:45'],
        ['a las 21:15', '21:15'],
        ['a las seis', undefined],
      ],
    },
    {
      name: 'personas',
      schema: count('número de personas'),
      said: [
        ['para cuatro personas', 4],
        ['para treinta y dos personas', 32],
      ],
    },
    {
      name: 'noches',
      schema: count('número de noches'),
      said: [
        ['dos noches', 2],
        ['quince noches', 15],
      ],
    },
    EMAIL,
  ],
  fr: [
    {
      name: 'jour',
      schema: date('le jour'),
      said: [
        ['vendredi', '2026-11-27'],
        ['demain', '2026-11-22'],
        ['le cinq décembre', '2026-12-05'],
      ],
    },
    {
      name: 'heure',
      schema: time("l'heure"),
      said: [
        ['à sept heures et demie du soir', '19:30'],
        ['à 21h15', '21:15'],
        ['à midi', '12:00'],
        ['à six heures', undefined],
      ],
    },
    {
      name: 'personnes',
      schema: count('nombre de personnes'),
      said: [
        ['pour quatre personnes', 4],
        ['pour soixante-douze personnes', 72],
      ],
    },
    {
      name: 'nuits',
      schema: count('nombre de nuits'),
      said: [
        ['deux nuits', 2],
        ['quinze nuits', 15],
      ],
    },
    EMAIL,
  ],
  hi: [
    {
      name: 'din',
      schema: date('दिन'),
      said: [
        ['शुक्रवार को', '2026-11-27'],
        ['कल', '2026-11-22'],
        ['5 दिसंबर को', '2026-12-05'],
      ],
    },
    {
      name: 'samay',
      schema: time('समय'),
      said: [
        ['शाम सात बजे', '19:00'],
        ['शाम साढ़े सात बजे', '19:30'],
        ['सुबह सवा नौ बजे', '09:15'],
      ],
    },
    {
      name: 'log',
      schema: count('लोगों की संख्या'),
      said: [
        ['चार लोगों के लिए', 4],
        ['पच्चीस लोगों के लिए', 25],
      ],
    },
    {
      name: 'raten',
      schema: count('रातों की संख्या'),
      said: [
        ['दो रातें', 2],
        ['पंद्रह रातें', 15],
      ],
    },
    EMAIL,
  ],
};

const OPENINGS: Readonly<
  Record<Language, { tool: string; wanted: readonly string[]; declined: readonly string[] }>
> = {
  en: {
    tool: 'reserve',
    wanted: ['Please reserve', 'I would like to reserve', 'Can you reserve'],
    declined: [
      "I don't want to reserve",
      'Do not reserve',
      "I'd rather not reserve",
      'I never asked to reserve',
      'How do I reserve',
      'What happens if I reserve',
    ],
  },
  es: {
    tool: 'reservar',
    wanted: ['Quiero reservar', '¿Puede reservar'],
    declined: ['No quiero reservar', 'No me gustaría reservar', '¿Cómo puedo reservar'],
  },
  fr: {
    tool: 'réserver',
    wanted: ['Je voudrais réserver', 'Pouvez-vous réserver'],
    declined: ['Je ne veux pas réserver', 'Ne pas réserver', 'Comment réserver'],
  },
  hi: {
    tool: 'आरक्षित',
    wanted: ['आरक्षित करना है', 'आरक्षित कीजिए'],
    declined: ['आरक्षित नहीं करना है', 'आरक्षित मत कीजिए', 'आरक्षित कैसे करें'],
  },
};
const YES: Readonly<Record<Language, string>> = { en: 'Yes.', es: 'Sí.', fr: 'Oui.', hi: 'हाँ।' };

interface Case {
  readonly tool: BrainTool;
  readonly pieces: readonly { readonly name: string; readonly text: string; readonly value: unknown }[];
  readonly slots: readonly string[];
}

/** Some of the slots, and some of the things said, of which not all have a slot. */
function draw(language: Language, next: (below: number) => number): Case {
  const shuffled = PIECES[language].map((piece) => ({ piece, at: next(1000) })).sort((a, b) => a.at - b.at);
  const all = shuffled.map(({ piece }) => piece);
  const slots = all.filter(() => next(4) > 0);
  const said = all.filter(() => next(3) > 0);
  const tool = toolOf(
    OPENINGS[language].tool,
    OPENINGS[language].tool,
    Object.fromEntries(slots.map(({ name, schema }) => [name, schema])),
  );
  const pieces = said.map(({ name, said: ways }) => {
    const [text, value] = ways[next(ways.length)] ?? ['', undefined];
    return { name, text, value };
  });
  return { tool, pieces, slots: slots.map(({ name }) => name) };
}

const sentence = (language: Language, opening: string, texts: readonly string[]): string =>
  language === 'hi' ? [...texts, opening].join(' ') : `${[opening, ...texts].join(', ')}.`;

describe.each(['en', 'es', 'fr', 'hi'] as const)('whatever is said in %s', (language) => {
  const { wanted, declined } = OPENINGS[language];

  it('each value lands in the slot that it was said for, or in none', async () => {
    const next = chance(7);
    for (let round = 0; round < 250; round++) {
      const { tool, pieces, slots } = draw(language, next);
      const said = sentence(
        language,
        wanted[next(wanted.length)] ?? '',
        pieces.map(({ text }) => text),
      );
      const heard = lastOf(await talk(tool, [said], language));
      const meant = pieces.filter(({ name, value }) => slots.includes(name) && value !== undefined);
      expect(heard.values, said).toEqual(Object.fromEntries(meant.map(({ name, value }) => [name, value])));
      expect(heard.called, said).toBeNull();
    }
  });

  it('nothing is called of what is declined or only asked about, not by a yes either', async () => {
    const next = chance(11);
    for (let round = 0; round < 120; round++) {
      const { tool, pieces } = draw(language, next);
      const said = sentence(
        language,
        declined[next(declined.length)] ?? '',
        pieces.map(({ text }) => text),
      );
      for (const { called, values } of await talk(tool, [said, YES[language]], language)) {
        expect(called, said).toBeNull();
        expect(values, said).toBeNull();
      }
    }
  });
});

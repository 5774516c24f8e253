// @requirement Capture: Values are read against the customer's own records, near misses are offered, and keys decide after two failures.
import { describe, expect, it } from 'vitest';
import {
  advanceRecordCapture,
  beginRecordCapture,
  type CaptureInput,
  type CaptureRecord,
  keypadDigits,
  needsLookup,
  type RecordKind,
  type RecordRequest,
  type RecordStep,
  RecordTable,
} from '../../../src/language/capture/index.ts';
import type { AgentLanguage, LanguageCode } from '../../../src/language/text/index.ts';
import { fc } from '../../property-tests.ts';

const rowsOf = (values: readonly string[]): CaptureRecord[] => values.map((value) => ({ value }));
const first = (values: readonly string[], kind: RecordKind, language: LanguageCode, text: string) =>
  new RecordTable(rowsOf(values), kind, language).rank(text)[0]?.record.value;
const said = (text: string): CaptureInput => ({ kind: 'said', said: { text } });
const keys = (pressed: string): CaptureInput => ({ kind: 'keys', keys: pressed });
const SILENCE: CaptureInput = { kind: 'silence' };

function play(
  rows: readonly CaptureRecord[],
  request: Partial<RecordRequest> & { readonly kind: RecordKind; readonly language: AgentLanguage },
  inputs: readonly CaptureInput[],
): { readonly last: RecordStep; readonly asked: readonly string[] } {
  const { language, ...rest } = request;
  const table = new RecordTable(rows, request.kind, language);
  let step = beginRecordCapture({ hints: { language }, ...rest });
  const asked: string[] = [];
  for (const input of inputs) {
    if (step.kind === 'done') break;
    asked.push(step.say);
    step = advanceRecordCapture(step.state, input, table);
  }
  if (step.kind === 'ask') asked.push(step.say);
  return { last: step, asked };
}

describe('the row that was meant', () => {
  const cases: readonly (readonly [LanguageCode, RecordKind, string, string, readonly string[]])[] = [
    [
      'de',
      'name',
      'Mein Name ist Jörg Müller',
      'Jörg Müller',
      ['Jörg Möller', 'Georg Müller', 'Jörg Miller'],
    ],
    ['de', 'name', 'Bernt Maya', 'Bernd Mayer', ['Berta Maurer', 'Bernd Maier-Lang']],
    ['de', 'name', 'M wie Martha, U, E, L, L, E, R', 'Müller', ['Miller', 'Möller', 'Mahler']],
    ['en', 'name', "it's for Catherine Night", 'Katherine Knight', ['Catherine White', 'Karen Knox']],
    ['en', 'name', 'Johnson, J O H N S T O N', 'Johnston', ['Johnson', 'Jonson']],
    ['fr', 'name', 'je suis Madame Lefaivre', 'Lefèvre', ['Lefort', 'Lebrun', 'Leclerc']],
    ['fr', 'name', 'Tibo', 'Thibault', ['Thierry', 'Thomas']],
    ['es', 'name', 'Ernán Ximénez', 'Hernán Jiménez', ['Germán Giner', 'Hernando Martínez']],
    ['it', 'name', 'mi chiamo Guglielmo Bianki', 'Guglielmo Bianchi', ['Guido Bianco', 'Gaetano Bianchi']],
    ['en', 'name', 'Eleventh Oak Street', 'Oak Street', ['Elm Street', 'Oak Avenue', 'Park Street']],
    ['en', 'code', 'A F four seven nine', 'AF-479', ['AS-479', 'AF-471', 'AF-4791']],
    ['de', 'code', 'A wie Anton, F wie Friedrich, vier sieben neun', 'AF479', ['AS479', 'HF479']],
    ['it', 'code', 'A come Ancona, quattro, sette, B', 'A47B', ['A47D', 'K47B']],
    [
      'de',
      'email',
      'jonas punkt huber at web punkt de',
      'jonas.huber@web.de',
      ['jonas.hubert@web.de', 'johann.huber@web.de'],
    ],
    ['en', 'email', 'mary_ann@mail.com', 'mary_ann@mail.com', ['mary.anne@mail.com', 'maryann@gmail.com']],
  ];
  it.each(cases)('%s %s: %s is %s', (language, kind, text, wanted, others) => {
    expect(first([...others, wanted], kind, language, text)).toBe(wanted);
  });

  it('is found by another form that callers say, and by its label', () => {
    const rows = [
      { value: 'Trunkline GmbH', spoken: ['die Telefonfirma'] },
      { value: 'Anna Schmidt', id: '1', label: 'Anna Schmidt aus Bonn' },
      { value: 'Anna Schmidt', id: '2', label: 'Anna Schmidt aus Kiel' },
    ];
    const table = new RecordTable(rows, 'name', 'de');
    expect(table.rank('die Telefonfirma')[0]?.record).toBe(rows[0]);
    expect(table.rank('Anna Schmidt aus Kiel')[0]?.record).toBe(rows[2]);
  });

  it('is any row that is said or spelled as it is written', () => {
    const names =
      'Alba Bruno Castellani Dobrowski Engelhardt Fontaine Giordano Hathaway Iglesias Jankowski'.split(' ');
    fc.assert(
      fc.property(
        fc.constantFrom<LanguageCode>('en', 'es', 'fr', 'de', 'it'),
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 8 }),
        fc.boolean(),
        (language, some, spelled) => {
          const wanted = some[0] as string;
          const text = spelled ? [...wanted.toUpperCase()].join(' ') : wanted;
          expect(first(some, 'name', language, text)).toBe(wanted);
        },
      ),
    );
  });

  it('is found among rows that are as large as they may be, of which only the likeliest are aligned', () => {
    const long = (row: number, form: number) => `reference ${row} of ${'abcdefghij'.repeat(16)} ${form}`;
    const rows = Array.from({ length: 170 }, (_, row) => ({
      value: row === 140 ? 'Katherine Knight' : long(row, 0),
      spoken: Array.from({ length: 10 }, (_, form) => long(row, form + 1)),
    }));
    const table = new RecordTable(rows, 'name', 'en');

    const found = table.rank(`${'and then there is so much more to say '.repeat(100)} Katherine Knight`);

    expect(found[0]?.record.value).toBe('Katherine Knight');
    // Each takes a millisecond, for which the calls of all tenants wait.
    expect(found.length).toBeLessThan(20);
  });

  it('is none where something else was said', () => {
    const table = new RecordTable(rowsOf(['Anna Schmidt', 'Bernd Meyer', 'Clara Vogt']), 'name', 'de');
    for (const text of ['ich hätte gern eine Pizza', 'wie bitte', '', '???'])
      expect(table.rank(text)[0]?.cost).toBeGreaterThan(0.42);
  });
});

describe('two rows that sound alike', () => {
  const SCHMIDTS = rowsOf(['Schmidt', 'Schmitt', 'Weber', 'Vogel']);
  const german = { kind: 'name', language: 'de' } as const;

  it('are offered with the letters that tell them apart', () => {
    expect(play(SCHMIDTS, german, [said('Schmidt')]).asked.at(-1)).toBe(
      'Schmidt mit D T, oder Schmitt mit Doppel-T?',
    );
    const english = play(rowsOf(['Hoffman', 'Hofman', 'Baker']), { kind: 'name', language: 'en' }, [
      said('Hoffman'),
    ]);
    expect(english.asked.at(-1)).toBe('Hoffman with double F, or Hofman with one F?');
    const french = play(rowsOf(['Lefèvre', 'Lefebvre']), { kind: 'name', language: 'fr' }, [said('Lefevre')]);
    expect(french.asked.at(-1)).toBe('Lefèvre avec V, ou Lefebvre avec B V ?');
  });

  it.each([
    ['mit d t', 'Schmidt'],
    ['mit zwei t', 'Schmitt'],
    ['mit Doppel-T', 'Schmitt'],
    ['Schmitt mit Doppel-T', 'Schmitt'],
    ['der zweite', 'Schmitt'],
    ['der erste', 'Schmidt'],
    ['S C H M I T T', 'Schmitt'],
    ['S C H M I D T', 'Schmidt'],
  ])('%s chooses %s', (answer, value) => {
    const { last } = play(SCHMIDTS, german, [said('Schmidt'), said(answer)]);
    expect(last).toMatchObject({ kind: 'done', result: { value, confirmed: 'read_back' } });
  });

  it('are chosen by key, and a repetition or a yes chooses none', () => {
    const pressed = play(SCHMIDTS, german, [said('Schmidt'), keys('2')]);
    expect(pressed.last).toMatchObject({ kind: 'done', result: { value: 'Schmitt', confirmed: 'keys' } });
    for (const answer of ['ja', 'Schmidt'])
      expect(play(SCHMIDTS, german, [said('Schmidt'), said(answer)]).asked.at(-1)).toContain('mit D T');
  });

  it('of one value are told apart by their labels', () => {
    const rows = [
      { value: 'Anna Schmidt', id: '1', label: 'Anna Schmidt aus Bonn' },
      { value: 'Anna Schmidt', id: '2', label: 'Anna Schmidt aus Kiel' },
    ];
    const { last, asked } = play(rows, german, [said('Anna Schmidt'), said('aus Kiel')]);
    expect(asked[1]).toBe('Anna Schmidt aus Bonn, oder Anna Schmidt aus Kiel?');
    expect(last).toMatchObject({ kind: 'done', result: { record: { id: '2' } } });
  });
});

describe('the dialogue', () => {
  const NAMES = rowsOf(['Anna Schmidt', 'Anna Schmitt', 'Berta Vogel', 'Carla Neumann']);
  const german = { kind: 'name', language: 'de' } as const;

  it('reads a clear name back and takes it with a yes', () => {
    const { last, asked } = play(NAMES, german, [said('Berta Fogel'), said('ja')]);
    expect(asked[1]).toBe('Ich habe Berta Vogel gefunden. Stimmt das?');
    expect(last).toMatchObject({ kind: 'done', result: { value: 'Berta Vogel', confirmed: 'read_back' } });
  });

  it('takes what follows a no for a new answer', () => {
    const { last } = play(NAMES, german, [said('Berta Vogel'), said('Nein, Carla Neumann'), said('ja')]);
    expect(last).toMatchObject({ kind: 'done', result: { value: 'Carla Neumann' } });
  });

  it('asks to spell what it does not find, and to press keys after two failures', () => {
    const { last, asked } = play(NAMES, german, [
      said('hm tja'),
      said('ich weiß es nicht'),
      keys('2667724648#'),
    ]);
    expect(asked[1]).toContain('Buchstabieren');
    expect(asked[2]).toContain('Tastatur');
    expect(last).toMatchObject({ kind: 'ask' });
    const typed = play(NAMES, german, [said('hm tja'), said('ich weiß es nicht'), keys('2378286435#')]);
    expect(typed.last).toMatchObject({ kind: 'done', result: { value: 'Berta Vogel', confirmed: 'keys' } });
  });

  it('offers the rows of the same keys, and of a beginning that two share', () => {
    const rows = rowsOf(['AB12', 'CA12', 'XYZ99']);
    const { last, asked } = play(rows, { kind: 'code', language: 'en' }, [keys('2212'), keys('2')]);
    expect(asked[1]).toMatch(/^Press 1 for A as in/);
    expect(last).toMatchObject({ kind: 'done', result: { value: 'CA12', confirmed: 'keys' } });
    const begun = play(rows, { kind: 'code', language: 'en' }, [keys('999'), keys('1')]);
    expect(begun.asked[1]).toContain('X as in');
    expect(begun.last).toMatchObject({ kind: 'done', result: { value: 'XYZ99', confirmed: 'keys' } });
    const beginning = play(rows, { kind: 'code', language: 'en' }, [keys('9999'), said('yes')]);
    expect(beginning.last).toMatchObject({ kind: 'done', result: { value: 'XYZ99' } });
  });

  it('takes a code without a question only where the records prove it', () => {
    const code = { kind: 'code', language: 'en' } as const;
    const far = play(rowsOf(['AF4791', 'BX1125', 'QK8833']), code, [said('A F 4 7 9 1')]);
    expect(far.last).toMatchObject({
      kind: 'done',
      result: { value: 'AF4791', confirmed: 'high_confidence' },
    });
    const near = play(rowsOf(['AF4791', 'AS4791']), code, [said('A F 4 7 9 1')]);
    expect(near.last.kind).toBe('ask');
    const always = play(rowsOf(['AF4791', 'BX1125']), { ...code, confirm: 'always' }, [said('A F 4 7 9 1')]);
    expect(always.last.kind).toBe('ask');
  });

  it('looks nothing up for a yes, a choice or a key', () => {
    const table = new RecordTable(NAMES, 'name', 'de');
    const begun = beginRecordCapture({ kind: 'name', hints: { language: 'de' } });
    if (begun.kind === 'done') throw new Error('nothing was asked');
    expect(needsLookup(begun.state, said('Anna Schmidt'))).toBe(true);
    const offered = advanceRecordCapture(begun.state, said('Anna Schmidt'), table);
    if (offered.kind === 'done') throw new Error('nothing was offered');
    expect(needsLookup(offered.state, said('mit d t'))).toBe(false);
    expect(needsLookup(offered.state, said('keiner von beiden'))).toBe(false);
    expect(needsLookup(offered.state, keys('1'))).toBe(false);
    expect(needsLookup(offered.state, said('nein, Neumann'))).toBe(true);
  });

  it('survives values that are patterns of a replacement', () => {
    const rows = rowsOf(['$& {} $1', '{2} $`', 'Weber']);
    expect(play(rows, german, [said('Weber'), said('ja')]).last).toMatchObject({
      result: { value: 'Weber' },
    });
  });
});

describe('any dialogue over records', () => {
  const inputs: fc.Arbitrary<CaptureInput> = fc.oneof(
    fc.constant(SILENCE),
    fc.stringMatching(/^[0-9*#]{0,12}$/).map(keys),
    fc
      .oneof(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.constantFrom(
          'yes',
          'no',
          'neither',
          'the second',
          'with d t',
          'no, Schmidt',
          'S C H M I D T',
          'sí',
          'ja',
          'oui',
        ),
      )
      .map(said),
  );
  const values = fc.uniqueArray(
    fc.oneof(
      fc.constantFrom('Schmidt', 'Schmitt', 'Meyer', 'Maier', 'AF479', 'a@b.de'),
      fc.string({ minLength: 1, maxLength: 20 }),
    ),
    { maxLength: 8 },
  );

  it('ends, asks until then, and gives no value that is not a row', () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom<RecordKind>('name', 'code', 'email', 'digits', 'phone'),
        fc.constantFrom<AgentLanguage>('en', 'es', 'fr', 'de', 'hi'),
        fc.array(inputs, { minLength: 40, maxLength: 40 }),
        (some, kind, language, heard) => {
          const { last, asked } = play(rowsOf(some), { kind, language }, heard);
          expect(last.kind).toBe('done');
          expect(asked.every((words) => words.length > 0)).toBe(true);
          if (last.kind === 'done' && 'value' in last.result) expect(some).toContain(last.result.value);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes no name without a yes, a choice or keys', () => {
    fc.assert(
      fc.property(fc.constantFrom('Schmidt', 'Meyer', 'Maier', 'Vogel'), (name) => {
        const rows = rowsOf(['Schmidt', 'Schmitt', 'Meyer', 'Maier', 'Vogel']);
        expect(play(rows, { kind: 'name', language: 'de' }, [said(name)]).last.kind).toBe('ask');
      }),
    );
  });

  it('has keys that differ where letters lie on different keys', () => {
    expect(keypadDigits('Müller')).toBe('685537');
    expect(keypadDigits('AF-479')).toBe('23479');
    expect(keypadDigits('Straße 5')).toBe('78727735');
  });
});

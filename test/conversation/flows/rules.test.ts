import { describe, expect, it } from 'vitest';
import { filled, filledValue } from '../../../src/conversation/flows/rules.ts';

describe('placeholders', () => {
  const values = {
    order: '4711',
    total: 80,
    r: { items: [1, 2], note: null },
    'a.b': 'own',
    a: { b: 'inner' },
  };

  it('become the text of their values, and unknown ones the empty text', () => {
    expect(filled('Order {order} of {total}: {r}, {r.items.1}, {r.note}{nobody}{a.b}.', values)).toBe(
      'Order 4711 of 80: {"items":[1,2],"note":null}, 2, own.',
    );
    expect(filled('{order}{order} {1} { order } {', values)).toBe('47114711 {1} { order } {');
    expect(filled('', values)).toBe('');
  });

  it('show 4,000 characters of a value, and a text has at most 16,000', () => {
    const long = 'v'.repeat(5_000);
    expect(filled('<{long}>', { long })).toBe(`<${'v'.repeat(4_000)}>`);
    expect(filled(`${'{long}-'.repeat(3)}end`, { long })).toBe(`${`${'v'.repeat(4_000)}-`.repeat(3)}end`);
    expect(filled('{long}-'.repeat(5), { long })).toBe(`${'v'.repeat(4_000)}-`.repeat(4).slice(0, 16_000));
    expect(filled('x'.repeat(20_000), {})).toBe('x'.repeat(16_000));
    expect(filled(`${'x'.repeat(15_999)}{order}`, values)).toBe(`${'x'.repeat(15_999)}4`);
  });

  it('keep the type of a value in arguments', () => {
    expect(
      filledValue(
        { id: '{order}', all: ['{r}', '{total}', 'No. {order}', 7, null], none: '{nobody}' },
        values,
      ),
    ).toEqual({ id: '4711', all: [values.r, 80, 'No. 4711', 7, null], none: null });
    const meta = { notes: 'm'.repeat(250_000) };
    expect(filledValue({ first: '{meta}', second: 'of {order}' }, { meta, order: '4711' })).toMatchObject({
      first: meta,
    });
  });

  // A flow has at most 500,000 characters, a result 16,000 and `meta` 250,000 in the frame that carries it.
  describe.each([
    ['a result of a tool', 15_800],
    ['the values of the caller', 250_000],
  ])('of %s, in a flow full of them', (_name, size) => {
    const r = { rows: Array.from({ length: size / 100 }, () => 'a row of the table '.padEnd(96, 'x')) };
    const cpuMs = (work: () => void): number => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };

    it.each([
      ['one text', () => '{r}'.repeat(100_000)],
      ['20,000 texts', () => Array.from({ length: 20_000 }, () => 'x{r}{r}{r}{r}{r}')],
      ['20,000 arguments', () => Array.from({ length: 20_000 }, () => '{r}')],
    ])('take little time and memory in %s', (_where, write) => {
      const value = write();
      let characters = 0;
      const took = cpuMs(() => {
        characters = JSON.stringify(filledValue({ value }, { r })).length;
      });
      expect(characters).toBeGreaterThan(16_000);
      expect(characters).toBeLessThan(700_000);
      expect(took).toBeLessThan(1_500);
    });
  });

  it('of a long text may be more than a string can hold', () => {
    expect(filled('{r}'.repeat(150_000), { r: 'v'.repeat(4_000) })).toBe('v'.repeat(16_000));
  });
});

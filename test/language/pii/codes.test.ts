import { describe, expect, it } from 'vitest';
import { digitsIn, redactSegments, redactText, scanForPii } from '../../../src/language/pii/index.ts';
import { fc, runs } from '../../property-tests.ts';

const redacted = (text: string) => redactText(text, scanForPii(text));

const CARD = '4111 1111 1111 1111';

describe('the code behind a card’s number', () => {
  it.each([
    [
      'It is 4111 1111 1111 1111 and the code is 123.',
      'It is [REDACTED_CARD] and the code is [REDACTED_CVV].',
    ],
    [
      'It is 4111 1111 1111 1111. Thanks. And the code? One two three.',
      'It is [REDACTED_CARD]. Thanks. And the code? [REDACTED_CVV].',
    ],
    [
      'four one one one, one one one one, one one one one, one one one one, 12/27, the code is 9 8 7',
      '[REDACTED_CARD], 12/27, the code is [REDACTED_CVV]',
    ],
    ['Amex 3782 822463 10005, code 1234', 'Amex [REDACTED_CARD], code [REDACTED_CVV]'],
    ['4111 1111 1111 1111, 123 is the code', '[REDACTED_CARD], [REDACTED_CVV] is the code'],
    ['4111 1111 1111 1111, the PIN is 4711', '[REDACTED_CARD], the PIN is [REDACTED_CVV]'],
    [
      'Es 4111 1111 1111 1111 y el código es uno dos tres.',
      'Es [REDACTED_CARD] y el código es [REDACTED_CVV].',
    ],
    ['C’est 4111 1111 1111 1111, le code est 123.', 'C’est [REDACTED_CARD], le code est [REDACTED_CVV].'],
    ['4111 1111 1111 1111 है, कोड एक दो तीन है', '[REDACTED_CARD] है, कोड [REDACTED_CVV] है'],
    ['4111 1111 1111 1111, der Code ist 123', '[REDACTED_CARD], der Code ist [REDACTED_CVV]'],
  ])('is hidden: %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    'the order is 123 and the room is 456',
    'the zip code is 902',
    'my order code is 1234',
    'the confirmation code is 4321',
    'I will be there at 7:30 on 12/27',
    'that comes to $129.50, or 120 euros',
    'el código postal es 1234',
    'le code postal est 1234',
    'el código de reserva es 123',
    'the door code is 1234',
    'the year 2027',
  ])('is no other number behind it: %s', (rest) => {
    expect(redacted(`It is ${CARD}. Now, ${rest}.`)).toBe(`It is [REDACTED_CARD]. Now, ${rest}.`);
  });

  it('is none without a card, none before it, and none long after', () => {
    for (const text of ['The code is 123.', 'The code is 123 and then I gave the other one.'])
      expect(redacted(text)).toBe(text);
    expect(redacted(`The code is 123. It is ${CARD}.`)).toBe('The code is 123. It is [REDACTED_CARD].');
    const after = `${'and so on, '.repeat(30)}the code is 123`;
    expect(redacted(`${CARD} ${after}`)).toBe(`[REDACTED_CARD] ${after}`);
  });
});

describe('the code behind a card’s number that is redacted already', () => {
  const segment = (text: string) => ({ text, words: [] });

  it('is hidden in what is said next, wherever the stretch was cut', () => {
    for (const before of ['It is [REDACTED_CARD].', `It is ${CARD}.`]) {
      const { segments, count } = redactSegments([segment('And the code is 123.')], ['CVV'], before);
      expect(segments[0]?.text).toBe('And the code is [REDACTED_CVV].');
      expect(count).toBe(1);
    }
    const { segments } = redactSegments([segment('And the code is 123.')], ['CVV'], 'It is [REDACTED_SSN].');
    expect(segments[0]?.text).toBe('And the code is 123.');
  });
});

describe('a card verification value by its name', () => {
  it.each([
    ['el código de seguridad es 1 2 3', 'el código de seguridad es [REDACTED_CVV]'],
    ['el código de verificación: 123', 'el código de verificación: [REDACTED_CVV]'],
    ['los tres dígitos del reverso son siete cuatro dos', 'los tres dígitos del reverso son [REDACTED_CVV]'],
    ['le cryptogramme est 742', 'le cryptogramme est [REDACTED_CVV]'],
    ['le code de vérification, c’est 742', 'le code de vérification, c’est [REDACTED_CVV]'],
    ['les trois chiffres au dos sont sept quatre deux', 'les trois chiffres au dos sont [REDACTED_CVV]'],
    ['सुरक्षा कोड 742 है', 'सुरक्षा कोड [REDACTED_CVV] है'],
    ['पीछे के तीन अंक सात चार दो', 'पीछे के तीन अंक [REDACTED_CVV]'],
    ['सीवीसी 742', 'सीवीसी [REDACTED_CVV]'],
  ])('is hidden: %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });
});

describe('numbers in words', () => {
  it.each([
    // the same number, in pairs
    ['mi tarjeta es cuarenta y uno once once once once once once once', 'mi tarjeta es [REDACTED_CARD]'],
    [
      'cuatro mil no: cuarenta y uno, once, once once, once once, once once',
      'cuatro mil no: [REDACTED_CARD]',
    ],
    ['ma carte : quarante et un onze, onze onze, onze onze, onze onze', 'ma carte : [REDACTED_CARD]'],
    ['इकतालीस ग्यारह ग्यारह ग्यारह ग्यारह ग्यारह ग्यारह ग्यारह', '[REDACTED_CARD]'],
    ['el código de seguridad es ciento veintitrés', 'el código de seguridad es [REDACTED_CVV]'],
    ['el código de seguridad es setecientos cuarenta y dos', 'el código de seguridad es [REDACTED_CVV]'],
    ['le cryptogramme est cent vingt-trois', 'le cryptogramme est [REDACTED_CVV]'],
    ['le cryptogramme est sept cent quatre-vingt-dix-sept', 'le cryptogramme est [REDACTED_CVV]'],
    ['सुरक्षा कोड एक सौ तेईस', 'सुरक्षा कोड [REDACTED_CVV]'],
    ['security code one twenty three', 'security code [REDACTED_CVV]'],
    ['The security code is 123. I said it once.', 'The security code is [REDACTED_CVV]. I said it once.'],
    ['The security code is 123 once more.', 'The security code is [REDACTED_CVV] once more.'],
  ])('are read: %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([
    'I called once, once more, and paid fifty cents.',
    'We seize the day for one cent.',
    'tengo cuarenta y uno y pago ciento veintitrés euros',
    'il y a cent vingt-trois jours, le vingt et un mai',
    'une chambre à quatre-vingt-dix-sept euros',
    'एक सौ तेईस रुपये, इक्कीस मई',
    'the year nineteen eighty four, room twenty one',
  ])('are no secrets by themselves: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it.each([
    ['soixante-dix', '70'],
    ['soixante et onze', '71'],
    ['soixante-dix-sept', '77'],
    ['soixante-douze', '72'],
    ['quatre-vingts', '80'],
    ['quatre-vingt-un', '81'],
    ['quatre-vingt-onze', '91'],
    ['quatre-vingt-dix-neuf', '99'],
    ['vingt et un', '21'],
    ['dix-huit', '18'],
    ['treinta y ocho', '38'],
    ['veintidós', '22'],
    ['novecientos noventa y nueve', '999'],
    ['deux cent trois', '203'],
    ['dos uno once', '2111'],
    ['नौ सौ निन्यानवे', '999'],
    ['twenty one', '21'],
    ['twenty zero', '200'],
  ])('%s is %s', (text, digits) => {
    expect(digitsIn(text)).toBe(digits);
  });
});

describe('what must stay', () => {
  const two = fc.integer({ min: 10, max: 31 }).map(String);
  const month = fc.constantFrom('January', 'May', 'enero', 'juillet', 'मई');
  const date = fc.oneof(
    fc
      .tuple(two, month, fc.integer({ min: 1950, max: 2035 }))
      .map(([day, name, year]) => `${day} ${name} ${year}`),
    fc
      .date({ min: new Date(0), max: new Date(2e12), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10)),
    fc.tuple(two, fc.integer({ min: 10, max: 12 })).map(([day, number]) => `${number}/${day}/2024`),
  );
  const price = fc
    .tuple(
      fc.constantFrom('$', '€', '£', '₹'),
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 10, max: 99 }),
    )
    .map(([sign, whole, cents]) => `${sign}${whole}.${cents}`);
  const time = fc
    .tuple(fc.integer({ min: 10, max: 23 }), fc.integer({ min: 10, max: 59 }))
    .map(([hours, minutes]) => `${hours}:${minutes}`);
  const order = fc.integer({ min: 10_000, max: 99_999_999 }).map((number) => `order ${number}`);
  const count = fc
    .tuple(fc.integer({ min: 2, max: 999 }), fc.constantFrom('people', 'euros', 'noches', 'jours', 'minutes'))
    .map(([number, what]) => `${number} ${what}`);
  const number = fc.oneof(date, price, time, order, count);
  const words = fc.constantFrom('that is', 'es', 'c’est', 'until', 'para', 'please note', 'वह है');

  it('are dates, times, prices, counts and order numbers, alone and behind a card', () => {
    const said = fc
      .array(fc.tuple(words, number), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.map((part) => part.join(' ')).join('; '));
    fc.assert(
      fc.property(said, (text) => {
        expect(redacted(text)).toBe(text);
        expect(redacted(`My card is ${CARD}. Then: ${text}`)).toBe(
          `My card is [REDACTED_CARD]. Then: ${text}`,
        );
      }),
      { numRuns: runs(500) },
    );
  });
});

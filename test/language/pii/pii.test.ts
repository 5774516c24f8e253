// @requirement Personal data: Spans of personal data are found in five languages.
import { describe, expect, it } from 'vitest';
import { type PiiEntity, redactSegments, redactText, scanForPii } from '../../../src/language/pii/index.ts';
import { fc } from '../../property-tests.ts';

const redacted = (text: string, entities?: readonly PiiEntity[]) =>
  redactText(text, scanForPii(text, entities));

const HIDDEN: readonly (readonly [string, string])[] = [
  // social security numbers
  ['My social is 123-45-6789.', 'My social is [REDACTED_SSN].'],
  ['123 45 6789', '[REDACTED_SSN]'],
  ['SSN: 123456789', 'SSN: [REDACTED_SSN]'],
  [
    'my social security number is one two three four five six seven eight nine okay',
    'my social security number is [REDACTED_SSN] okay',
  ],
  ['It is one two three, four five, six seven eight nine.', 'It is [REDACTED_SSN].'],
  ['1-2-3-4-5-6-7-8-9', '[REDACTED_SSN]'],
  [
    'your social? Sure: one twenty three forty five sixty seven eighty nine',
    'your social? Sure: [REDACTED_SSN]',
  ],
  [
    'el número de seguro social es uno dos tres cuatro cinco seis siete ocho nueve',
    'el número de seguro social es [REDACTED_SSN]',
  ],
  // cards
  ['Card 4111 1111 1111 1111 please', 'Card [REDACTED_CARD] please'],
  ['4111-1111-1111-1111', '[REDACTED_CARD]'],
  ['4111111111111111', '[REDACTED_CARD]'],
  ['3782 822463 10005', '[REDACTED_CARD]'],
  ['four one one one, one one one one, one one one one, one one one one', '[REDACTED_CARD]'],
  ['forty one eleven, eleven eleven, eleven eleven, eleven eleven', '[REDACTED_CARD]'],
  ['five five five five five five five five five five five five four four four four', '[REDACTED_CARD]'],
  ['4 triple one double one double one 1111 1111', '[REDACTED_CARD]'],
  [
    'it’s four one one one uh one one one one um one one one one, one one one one thanks',
    'it’s [REDACTED_CARD] thanks',
  ],
  ['six oh one one, one one one one, one one one one, one one one seven', '[REDACTED_CARD]'],
  ['४१११ ११११ ११११ ११११', '[REDACTED_CARD]'],
  ['चार एक एक एक एक एक एक एक एक एक एक एक एक एक एक एक', '[REDACTED_CARD]'],
  ['vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins', '[REDACTED_CARD]'],
  // card verification values, in context
  ['The CVV is 123.', 'The CVV is [REDACTED_CVV].'],
  ['security code one two three', 'security code [REDACTED_CVV]'],
  ['the three digits on the back are 7 4 2', 'the three digits on the back are [REDACTED_CVV]'],
  [
    'the four digits on the front, 1 2 3 4, that is the CID',
    'the four digits on the front, [REDACTED_CVV], that is the CID',
  ],
  ['4111 1111 1111 1111, 12/27, CVC 9 8 7', '[REDACTED_CARD], 12/27, CVC [REDACTED_CVV]'],
  [
    'card 4111111111111111 expiry 12/27 security code 987',
    'card [REDACTED_CARD] expiry 12/27 security code [REDACTED_CVV]',
  ],
  // e-mail
  ['Write to Jane.Doe+x@example.co.uk now.', 'Write to [REDACTED_EMAIL] now.'],
  ['jane @ example . com', '[REDACTED_EMAIL]'],
  ['It’s jane dot doe at gmail dot com.', 'It’s [REDACTED_EMAIL].'],
  ['my email is jane at company dot org', 'my email is [REDACTED_EMAIL]'],
  ['j o h n underscore s m i t h one two at outlook dot com', '[REDACTED_EMAIL]'],
  ['reach johnsmith at gmail.com', 'reach [REDACTED_EMAIL]'],
  ['mi correo es juan punto perez arroba empresa punto com', 'mi correo es [REDACTED_EMAIL]'],
  ['My email is john at acme dot xyz.', 'My email is [REDACTED_EMAIL].'],
  ['reach me at john dot smith at acme dot tech', 'reach me at [REDACTED_EMAIL]'],
  ['the e-mail is jane at acme dot co dot jp', 'the e-mail is [REDACTED_EMAIL]'],
  ['email jane underscore doe at my dash company dot com', 'email [REDACTED_EMAIL]'],
  ['my email is jane at g mail dot com', 'my email is [REDACTED_EMAIL]'],
  ['मेरा ईमेल anna डॉट maria एट northwind डॉट com है।', 'मेरा ईमेल [REDACTED_EMAIL] है।'],
  ['my email is jane at a c m e dot cloud', 'my email is [REDACTED_EMAIL]'],
  ['My e-mail is jane@localhost.', 'My e-mail is [REDACTED_EMAIL].'],
  ['my email: write me at jane.doe@example.com', 'my email: write me at [REDACTED_EMAIL]'],
  ['It’s jane at hotmail com', 'It’s [REDACTED_EMAIL]'],
  ['mi correo es ana arroba empresa punto tienda', 'mi correo es [REDACTED_EMAIL]'],
  ['four one one one. Mhm. one one one one. Mhm. one one one one. Mhm. one one one one.', '[REDACTED_CARD].'],
  ['four one one one yes one one one one, okay, one one one one, got it, one one one one', '[REDACTED_CARD]'],
  ['4111. Yeah, okay. 1111. Uh-huh. 1111. Right. 1111', '[REDACTED_CARD]'],
  ['4 1 1 1 dot 1 1 1 1 dot 1 1 1 1 dot 1 1 1 1', '[REDACTED_CARD]'],
  ['My social is 123. Okay. 45. Okay. 6789', 'My social is [REDACTED_SSN]'],
  ['one two three, uh-huh, four five, uh-huh, six seven eight nine', '[REDACTED_SSN]'],
  ['four one five. Okay. five five five. Mm-hmm. two six seven one', '[REDACTED_PHONE]'],
  // a zero first
  ['oh seven eight oh five one one two oh', '[REDACTED_SSN]'],
  ['My social is oh seven eight, oh five, one one two oh.', 'My social is [REDACTED_SSN].'],
  // phones
  ['Oh four one five five five five two six seven one', 'Oh [REDACTED_PHONE]'],
  ['My number is 0014155552671', 'My number is [REDACTED_PHONE]'],
  ['Call (415) 555-2671 today', 'Call [REDACTED_PHONE] today'],
  ['+1 415-555-2671', '[REDACTED_PHONE]'],
  ['415.555.2671', '[REDACTED_PHONE]'],
  ['4155552671', '[REDACTED_PHONE]'],
  ['four one five, five five five, two six seven one', '[REDACTED_PHONE]'],
  ['one eight hundred five five five two six seven one', '[REDACTED_PHONE]'],
  ['four one five five five five two six seven one is my number', '[REDACTED_PHONE] is my number'],
  ['forty-one eleven, eleven eleven, eleven eleven, eleven eleven', '[REDACTED_CARD]'],
  ['two hundred and twelve, five hundred fifty-five, twenty-six hundred', '[REDACTED_PHONE]'],
  ['My CVV is four hundred and seven.', 'My CVV is [REDACTED_CVV].'],
  ['Die Karte ist einundvierzig elf elf elf elf elf elf elf.', 'Die Karte ist [REDACTED_CARD].'],
  ['zweihundertzwölf fünfhundertfünfundfünfzig sechsundzwanzig einundsiebzig', '[REDACTED_PHONE]'],
  ['Mi CVV es quinientos siete.', 'Mi CVV es [REDACTED_CVV].'],
  ['cuatrocientos quince, quinientos cincuenta y cinco, veintiséis setenta y uno', '[REDACTED_PHONE]'],
  ['quatre cent quinze, cinq cent cinquante-cinq, quatre-vingt-six soixante et onze', '[REDACTED_PHONE]'],
  ['चार सौ पंद्रह पांच सौ पचपन छब्बीस इकहत्तर', '[REDACTED_PHONE]'],
  // said to come several times
  ['cuatro uno cinco, tres veces cinco, dos seis siete uno', '[REDACTED_PHONE]'],
  ['quatre un cinq, trois fois cinq, deux six sept un', '[REDACTED_PHONE]'],
  ['vier eins fünf, dreimal die fünf, zwei sechs sieben eins', '[REDACTED_PHONE]'],
  ['चार एक पांच तीन बार पांच दो छह सात एक', '[REDACTED_PHONE]'],
  ['four one five double two one six four oh two', '[REDACTED_PHONE]'],
  ['My social is oh double five, double one, treble eight one.', 'My social is [REDACTED_SSN].'],
  // spelled and joined addresses
  ['Write to j o n a s forty-six at mailbox dot com.', 'Write to [REDACTED_EMAIL].'],
  ['Mi correo es ana guion bajo sol arroba correo punto com.', 'Mi correo es [REDACTED_EMAIL].'],
  ['Schreiben Sie an anna Unterstrich berg ät example Punkt com.', 'Schreiben Sie an [REDACTED_EMAIL].'],
  // digits that recognition wrote as words that sound the same
  ['My social is 123 for 56789.', 'My social is [REDACTED_SSN].'],
  ['My social security number is 123 for 5, 6, 7, 8, 9', 'My social security number is [REDACTED_SSN]'],
  ['one two three for five six seven eight nine', '[REDACTED_SSN]'],
  ['Please charge my card for 1111-1111-11111111.', 'Please charge my card [REDACTED_CARD].'],
  ['it is for one one one, one one one one, one one one one, one one one one', 'it is [REDACTED_CARD]'],
  ['fore one five, five five five, too six seven won', '[REDACTED_PHONE]'],
  ['the CVV is seven for too', 'the CVV is [REDACTED_CVV]'],
  ['my visa card number is 4111 1111 1111 1112', 'my visa card number is [REDACTED_CARD]'],
  ['My card number is 4111 1111 1111 1.', 'My card number is [REDACTED_CARD].'],
  ['my card number is 9790424708293', 'my card number is [REDACTED_CARD]'],
  ['my card number is 4 0 6 3 3 9 4 7 3 0 0 9 5 2 9 4 9', 'my card number is [REDACTED_CARD]'],
  ['my card number is, let me see, 1565 7319 0344 3795 1', 'my card number is, let me see, [REDACTED_CARD]'],
  ['mi número de tarjeta es 4583123581339', 'mi número de tarjeta es [REDACTED_CARD]'],
  ['le numéro de ma carte est le 4039 5501 3533 2', 'le numéro de ma carte est le [REDACTED_CARD]'],
  ['Meine Kartennummer ist 4039 5501 3533 22 115', 'Meine Kartennummer ist [REDACTED_CARD]'],
  ['il numero della carta è 4583123581339', 'il numero della carta è [REDACTED_CARD]'],
  ['o número do cartão é 4583123581339', 'o número do cartão é [REDACTED_CARD]'],
  ['mijn kaartnummer is 4583123581339', 'mijn kaartnummer is [REDACTED_CARD]'],
  ['मेरा कार्ड नंबर 4583123581339 है', 'मेरा कार्ड नंबर [REDACTED_CARD] है'],
  [
    'my card number is 4111 1111 1111 1111 and the code is 987',
    'my card number is [REDACTED_CARD] and the code is [REDACTED_CVV]',
  ],
  ['My social security number is 123-45-6789', 'My social security number is [REDACTED_SSN]'],
  // hidden characters, other scripts, mixed separators
  ['123\u200b-45\u200b-6789', '[REDACTED_SSN]'],
  ['4\u200b1\u200b1\u200b1 1111\u00a01111\u20111111', '[REDACTED_CARD]'],
  ['\u00ad4111\u00ad1111\u00ad1111\u00ad1111', '\u00ad[REDACTED_CARD]'],
  ['１２３-４５-６７８９', '[REDACTED_SSN]'],
  ['٤١١١ ١١١١ ١١١١ ١١١١', '[REDACTED_CARD]'],
  ['𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏', '[REDACTED_CARD]'],
  ['𑁪𑁧𑁧𑁧 𑁧𑁧𑁧𑁧 𑁧𑁧𑁧𑁧 𑁧𑁧𑁧𑁧', '[REDACTED_CARD]'],
  ['4111.1111-1111 1111', '[REDACTED_CARD]'],
  ['4111/1111/1111/1111', '[REDACTED_CARD]'],
  ['4 1 1 1, 1 1 1 1 - 1 1 1 1. 1 1 1 1', '[REDACTED_CARD]'],
  ['4111\n1111\n1111\n1111', '[REDACTED_CARD]'],
  ['jane\u200b.doe@exam\u200bple.com', '[REDACTED_EMAIL]'],
  ['order 12 card 4111 1111 1111 1111 99', 'order 12 card [REDACTED_CARD] 99'],
  // several
  ['123-45-6789, 415-555-2671', '[REDACTED_SSN], [REDACTED_PHONE]'],
];

const LEFT_ALONE: readonly string[] = [
  'The order number is 4111 1111 1111 1112.',
  'You have my card number. The order number is 9790424708293.',
  'It costs $4,111,111,111,111,111.',
  'We sold 2,345,678,901 of them.',
  'Meet me at 10:30 on 2024-01-15.',
  'The year 2024 and the year 1999.',
  'account 000-12-3456',
  'case 666-45-6789',
  'number 987-65-4321',
  'reference 123456789',
  'zip 12345-6789',
  'The code is 123.',
  'Room one two three.',
  'I have one or two questions for you.',
  'look at amazon dot com',
  'Call 911 or 411.',
  'extension 111-555-2671',
  'one hundred and fifty people came',
  '0000 0000 0000 0000',
  'Oh, one more thing: oh no.',
  'The security code has six digits: 123456.',
  'my social security number ends in 6789',
  'I have one for you and two for me.',
  'Order 12345 for 2 people to 10 Main Street.',
  'We waited for 3 to 4 hours, too.',
  'your order number is 123 for 56 789 euros',
  'Tracking 9400 1118 9922 3197 4281 90',
  'flight 1234 to 5678',
  'The email is late. We met at acme. No problem.',
  'I sent the email at three point five seconds.',
  'The email said at ten dot thirty five.',
  'Your e-mail arrived at noon.',
  'I bought it at the shop dot dot dot',
  'Find us at acme dot tech',
  'Okay, one. Yes, two. Right, three. Sure, four.',
  'Yes, I have 2. Okay. And 15 more. Right. 2024.',
  'Oh one moment. Oh, two more. Oh three.',
  'oh oh seven',
  'Take two right turns, okay, then 300 yards, yes, 4 blocks.',
  'I was born in nineteen eighty four, and it cost two hundred and fifty dollars.',
  'Wir waren fünfundzwanzig Leute, und es machte zweihundertfünfzig Euro.',
  'Llamé dos veces, y el código postal es dos ocho cero cero uno.',
  'Je suis venu deux fois, et ça fait deux cent cinquante euros.',
  'Pi is three point one four one five nine two six five.',
];

describe('the scan', () => {
  it.each(HIDDEN)('hides: %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each(LEFT_ALONE)('leaves alone: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it('looks only for the entities that were asked for', () => {
    const text = '4111111111111111 and jane@example.com';
    expect(redacted(text, ['EMAIL'])).toBe('4111111111111111 and [REDACTED_EMAIL]');
    expect(redacted(text, [])).toBe(text);
  });

  it('finds the same in the same text, in order and apart, whatever the text', () => {
    const piece = fc.constantFrom(
      '4111 1111 1111 1111',
      'one',
      'two',
      'oh',
      '7',
      '415-555-2671',
      'at',
      'gmail.com',
      'cvv',
      ',',
      'ü',
      '-',
      'double',
      '123-45-6789',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 6 })), { maxLength: 30 }), (pieces) => {
        const text = pieces.join(' ');
        const findings = scanForPii(text);
        expect(scanForPii(text)).toEqual(findings);
        findings.forEach(({ start, end }, at) => {
          expect(start).toBeGreaterThanOrEqual(findings[at - 1]?.end ?? 0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
        });
      }),
    );
  });

  it('takes no time that grows faster than the text', () => {
    for (const unit of ['one ', '4', 'a.', 'at x dot ', 'a@', '( ', 'dot at ', 'o h ', 'too 1 ']) {
      const text = unit.repeat(60_000 / unit.length);
      const before = process.cpuUsage();
      scanForPii(text);
      const { user } = process.cpuUsage(before);
      expect(user / 1000, unit).toBeLessThan(2_000);
    }
  });
});

const words = (text: string, from = 0) =>
  text.split(' ').map((word, at) => ({ word, start: from + at, end: from + at + 0.5 }));
const segment = (text: string, from = 0) => ({ speaker: 'A', text, words: words(text, from) });

describe('redaction of segments', () => {
  it('tags text and words, one tag for the time of all its words', () => {
    const { segments, count } = redactSegments([segment('my card is 4111 1111 1111 1111 okay')], ['CARD']);
    expect(count).toBe(1);
    expect(segments[0]).toEqual({
      speaker: 'A',
      text: 'my card is [REDACTED_CARD] okay',
      words: [
        { word: 'my', start: 0, end: 0.5 },
        { word: 'card', start: 1, end: 1.5 },
        { word: 'is', start: 2, end: 2.5 },
        { word: '[REDACTED_CARD]', start: 3, end: 6.5 },
        { word: 'okay', start: 7, end: 7.5 },
      ],
    });
  });

  it('finds what goes across segments, and counts it once', () => {
    const said = [
      segment('it is four one one one'),
      segment('one one one one', 10),
      segment('one one one one', 20),
      segment('one one one one thanks', 30),
    ];
    const { segments, count } = redactSegments(said, ['CARD']);
    expect(count).toBe(1);
    expect(segments.map(({ text }) => text)).toEqual([
      'it is [REDACTED_CARD]',
      '[REDACTED_CARD]',
      '[REDACTED_CARD]',
      '[REDACTED_CARD] thanks',
    ]);
    expect(JSON.stringify(segments)).not.toMatch(/one/);
  });

  it('reads what was said before for context, without giving it back', () => {
    const said = [segment('seven four two')];
    expect(redactSegments(said, ['CVV']).count).toBe(0);
    const { segments, count } = redactSegments(said, ['CVV'], 'and the security code?');
    expect(count).toBe(1);
    expect(segments[0]).toMatchObject({
      text: '[REDACTED_CVV]',
      words: [{ word: '[REDACTED_CVV]', start: 0, end: 2.5 }],
    });
  });

  it('leaves segments without words with their text redacted', () => {
    const { segments } = redactSegments([{ text: 'mail jane@example.com', words: [] }], ['EMAIL']);
    expect(segments).toEqual([{ text: 'mail [REDACTED_EMAIL]', words: [] }]);
  });
});

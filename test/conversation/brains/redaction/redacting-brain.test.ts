import { describe, expect, it } from 'vitest';
import type {
  Brain,
  BrainEvent,
  BrainMessage,
  BrainRequest,
} from '../../../../src/conversation/brains/index.ts';
import { withRedactedSecrets } from '../../../../src/conversation/brains/redaction/redacting-brain.ts';

const CARD = '4111 1111 1111 1111';

async function ask(messages: BrainMessage[], events: BrainEvent[]) {
  const seen: BrainRequest[] = [];
  const brain: Brain = {
    name: 'model',
    async *respond(request) {
      seen.push(request);
      yield* events;
    },
  };
  const request = { language: 'en' as const, persona: '', messages, tools: [], passages: [] };
  const out: BrainEvent[] = [];
  for await (const event of withRedactedSecrets(brain).respond(request, new AbortController().signal))
    out.push(event);
  return { seen: JSON.stringify(seen), out };
}

const said = (content: string): BrainMessage => ({ role: 'user', content });

it('a model sees no card number, and the tool that it calls gets it', async () => {
  const call = { id: 'c1', name: 'pay', arguments: '{"card":"[CARD_1]"}' };
  const { seen, out } = await ask([said(`My card is ${CARD}.`)], [{ kind: 'tool_call', call }]);
  expect(seen).not.toMatch(/4111|1111/);
  expect(seen).toContain('My card is [CARD_1].');
  expect(out).toEqual([{ kind: 'tool_call', call: { ...call, arguments: '{"card":"4111111111111111"}' } }]);
});

it('nor does it see one in the calls and results of earlier turns, or one that was typed', async () => {
  const { seen } = await ask(
    [
      said(`(keypad) 4111111111111111`),
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'pay', arguments: '{"card":"4111111111111111"}' }],
      },
      { role: 'tool', callId: 'c1', name: 'pay', content: `{"charged":"${CARD}"}` },
      said('Thanks, call me back on 555 0199, order 9828.'),
    ],
    [],
  );
  expect(seen).not.toMatch(/4111|1111 1111/);
  expect(seen).toContain('[CARD_1]');
  expect(seen).not.toContain('[CARD_2]');
  expect(seen).toMatch(/555 0199.*9828/);
});

const agent = (content: string): BrainMessage => ({ role: 'assistant', content });

describe('a card’s code', () => {
  it.each<[string, BrainMessage[]]>([
    ['beside the number', [said(`It is ${CARD} and the code is 123`)]],
    ['in words', [said(`It is ${CARD}, and my code is one two three.`)]],
    ['in the next turn', [said(`It is ${CARD}.`), agent('Thank you.'), said('The code is 123.')]],
    ['asked for in a word', [said(`It is ${CARD}.`), agent('And the code?'), said('123')]],
    ['named behind it', [said(`${CARD}, 12/27, and 123 is the code`)]],
    [
      'behind a number in pieces',
      [said('My card is 4111 1111'), agent('Go on.'), said('1111 1111'), agent('And the code?'), said('123')],
    ],
    ['of a Spanish card', [said(`Es ${CARD} y el código es 123`)]],
    ['before a date', [said(`It is ${CARD}, code 123 and 12 27`)]],
  ])('%s is told to no model', async (_name, messages) => {
    const { seen } = await ask(messages, []);
    expect(seen).toMatch(/\[CVV_\d\]/);
    expect(seen).not.toMatch(/123|one two/);
  });

  it('is hidden in the arguments that a tool got of it, whatever they call it', async () => {
    const call = { id: 'c1', name: 'pay', arguments: '{"number":"4111111111111111","check":"123"}' };
    const { seen } = await ask(
      [said(`It is ${CARD} and the code is 123`), { role: 'assistant', content: '', toolCalls: [call] }],
      [],
    );
    expect(seen).not.toMatch(/123|4111/);
  });

  it('is no code without a card, no other code, and none long after', async () => {
    const after = Array.from({ length: 6 }, () => agent('Yes.'));
    for (const messages of [
      [said('The code is 123.')],
      [said(`It is ${CARD}, my area code is 123 and I want 123 of them`)],
      [said(`It is ${CARD}.`), ...after, said('The code of the door is 123.')],
    ])
      expect((await ask(messages, [])).seen).toContain('123');
  });
});

it('a long talk is not read anew for each question', async () => {
  const result = (at: number): BrainMessage => ({
    role: 'tool',
    callId: `c${at}`,
    name: 'look',
    content: `${at} ${'one item of 12 at 9 dollars, '.repeat(550)} card ${CARD}, item ${at}`,
  });
  const talk = (from: number): BrainMessage[] => Array.from({ length: 20 }, (_, at) => result(from + at));
  const timed = async (messages: BrainMessage[]): Promise<number> => {
    const began = performance.now();
    const { seen } = await ask(messages, []);
    expect(seen).not.toContain('4111');
    return performance.now() - began;
  };
  for (const from of [100, 200]) await timed(talk(from));
  const first = Math.min(await timed(talk(300)), await timed(talk(400)));
  const again = Math.min(await timed(talk(300)), await timed(talk(400)), await timed(talk(300)));
  expect(again).toBeLessThan(first / 3);
});

it('a talk of many short messages full of digits is not read anew for each question', async () => {
  const talk = (name: string, length: number): BrainMessage[] =>
    Array.from({ length }, (_, at) => said(`${name} ${at} ${'4 1 1 1 '.repeat(70)}`));
  const timed = async (messages: BrainMessage[]): Promise<number> => {
    const began = performance.now();
    await ask(messages, []);
    return performance.now() - began;
  };
  await timed(talk('warm', 80));
  const first = await timed(talk('first', 80));
  const next = await timed(talk('first', 81));
  expect(next).toBeLessThan(first / 4);
});

it('a number is found wherever it lies in a long talk of short messages', async () => {
  for (let words = 180; words < 240; words += 1) {
    const filler = Array.from({ length: words }, (_, at) => said(`yes ${at % 7 === 0 ? 'of course' : 'go'}`));
    const { seen } = await ask([...filler, said('My card is 4111 1111'), said('1111 1111'), ...filler], []);
    expect(seen, `${words} messages before it`).toContain('[CARD_1]');
    expect(seen).not.toMatch(/4111|1111/);
  }
});

describe('a number that comes in pieces', () => {
  it.each<[string, BrainMessage[], RegExp]>([
    ['halves', [said('My card is 4111 1111'), said('1111 1111')], /1111/],
    [
      'halves with the agent between',
      [said('My card is 4111 1111'), agent('Go on, please.'), said('1111 1111')],
      /1111/,
    ],
    [
      'words',
      [
        said('four one one one one one one one'),
        agent('And the rest?'),
        said('one one one one one one one one'),
      ],
      /one/,
    ],
    [
      'doubles and triples',
      [said('My card is double four, triple one, four'), said('1 1 1 1 1 1 1 1'), said('double oh')],
      /double|triple|1 1/,
    ],
    [
      'doubles and triples, of which nobody says that they are a card',
      [said('It is double four, triple one, 4 1 1 1 1 1 1 1 1 0 7')],
      /double|triple|1 1/,
    ],
    ['a beginning in doubles', [said('My card is triple four one')], /triple|one/],
    ['keys', ['4111', '1111', '1111', '1111'].map((keys) => said(`(keypad) ${keys}`)), /1111/],
    ['one key a turn', [...'4111111111111111'].map((key) => said(`(keypad) ${key}`)), /[41]"/],
    [
      'a social security number',
      [said('My social security number is 536'), said('22'), said('8726')],
      /536|8726/,
    ],
    [
      'a code that was asked for',
      [agent('What is the security code on the back?'), said('It is 123.')],
      /123/,
    ],
  ])('%s: the model sees none of it', async (_name, messages, secret) => {
    const { seen } = await ask(messages, []);
    expect(seen).not.toMatch(secret);
    expect(seen).toMatch(/\[(CARD|SSN|CVV)_1\]/);
  });

  it('is hidden while it is only begun, where a card was asked for', async () => {
    const begun = [agent('What is the number of your credit card?'), said('4111 1111')];
    expect((await ask(begun, [])).seen).not.toContain('4111');
    const order = [agent('What is the number of your order?'), said('4111 1111')];
    expect((await ask(order, [])).seen).toContain('4111 1111');
  });

  it('reaches the tool whole', async () => {
    const call = { id: 'c1', name: 'pay', arguments: '{"card":"[CARD_1]"}' };
    const messages = [said('My card is 4111 1111'), said('1111 1111')];
    const { out } = await ask(messages, [{ kind: 'tool_call', call }]);
    expect(out).toEqual([{ kind: 'tool_call', call: { ...call, arguments: '{"card":"4111111111111111"}' } }]);
  });

  it('is told to the tool in digits, and spoken as its last four, when it was said in words', async () => {
    const words = 'four two four two four two four two four two four two four two four two';
    const call = { id: 'c1', name: 'pay', arguments: '{"card":"[CARD_1]"}' };
    const events: BrainEvent[] = [
      { kind: 'text', text: 'The card ending in [CARD_1].' },
      { kind: 'tool_call', call },
    ];
    const { seen, out } = await ask([said(`My card is ${words}`)], events);
    expect(seen).toContain('[CARD_1]');
    expect(out).toEqual([
      { kind: 'text', text: 'The card ending in 4242.' },
      { kind: 'tool_call', call: { ...call, arguments: '{"card":"4242424242424242"}' } },
    ]);
  });

  it('is not made of what was said about other things', async () => {
    const { seen } = await ask(
      [
        said('We are four people.'),
        agent('At what time?'),
        said('At 7 30.'),
        agent('And your number?'),
        said('555 0199'),
      ],
      [],
    );
    expect(seen).toMatch(/four people.*7 30.*555 0199/);
  });
});

it('what it says before it acts is said before', async () => {
  const { out } = await ask(
    [said('Bye')],
    [
      { kind: 'text', text: 'Bye [' },
      { kind: 'action', action: 'end_call' },
    ],
  );
  expect(out.map(({ kind }) => kind)).toEqual(['text', 'text', 'action']);
});

it('a sign of life in the middle of a placeholder splits none', async () => {
  const { out } = await ask(
    [said(CARD)],
    [{ kind: 'text', text: 'I charged [CARD' }, { kind: 'thinking' }, { kind: 'text', text: '_1].' }],
  );
  expect(out.map((event) => (event.kind === 'text' ? event.text : '')).join('')).toBe('I charged 1111.');
});

it('what it says of a number is spoken as its end, however the stream is cut', async () => {
  const text = 'I charged [CARD_1] [just now] for you [';
  for (let at = 0; at <= text.length; at++) {
    const pieces = [text.slice(0, at), text.slice(at)].map((part) => ({ kind: 'text' as const, text: part }));
    const { out } = await ask([said(CARD)], pieces);
    expect(out.map((event) => (event.kind === 'text' ? event.text : '')).join('')).toBe(
      'I charged 1111 [just now] for you [',
    );
  }
});

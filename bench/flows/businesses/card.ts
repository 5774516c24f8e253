import { type Business, has, LIMIT, overLimit } from '../business.ts';

const CONSENT =
  'A blocked card stays blocked, and a new one comes within a week. Press 1 to agree, or 2 to leave it.';

/** A line of keys that speaks no word of a model: keys, silence, and a cold transfer behind a limit. */
export const CARD: Business = {
  name: 'lost card',
  flow: {
    start: 'menu',
    persona: 'You are Sam of Northbank. Be brief and kind.',
    nodes: [
      {
        id: 'menu',
        type: 'say',
        say: 'Northbank, the service for cards. Press 1 to block a card, or say what you want.',
        instruction: 'Ask what the caller wants.',
        attempts: 8,
      },
      {
        id: 'account',
        type: 'ask',
        required: true,
        slots: [{ name: 'account', kind: 'digits', label: 'your account number', confirm: 'always' }],
      },
      { id: 'check', type: 'tool', tool: 'find_card', arguments: { account: '{account}' }, save: 'card' },
      { id: 'spent', type: 'decide' },
      {
        id: 'consent',
        type: 'say',
        required: true,
        say: CONSENT,
        instruction: 'Ask them to press 1 or 2.',
        attempts: 8,
      },
      {
        id: 'block',
        type: 'tool',
        tool: 'block_card',
        arguments: { account: '{account}' },
        say: 'One moment.',
      },
      { id: 'blocked', type: 'end', say: 'Your card is blocked. Goodbye.' },
      { id: 'fraud', type: 'transfer', to: 'fraud', kind: 'cold' },
      { id: 'person', type: 'transfer', to: 'desk', requires: [] },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [
      { from: 'menu', to: 'account', when: { key: '1' } },
      {
        from: 'menu',
        to: 'account',
        when: {
          intent: 'block',
          phrases: ['lost my card', 'card was stolen'],
          description: 'has lost a card',
        },
      },
      { from: 'menu', to: 'bye', when: { silence: 3 } },
      { from: 'menu', to: 'person', when: { attempts: true } },
      { from: 'account', to: 'check' },
      { from: 'account', to: 'person', when: { attempts: true } },
      { from: 'check', to: 'spent' },
      { from: 'check', to: 'person', when: { result: 'failed' } },
      { from: 'spent', to: 'fraud', when: { rule: { value: 'card.spent', over: LIMIT } } },
      { from: 'spent', to: 'consent' },
      { from: 'consent', to: 'block', when: { key: '1' } },
      { from: 'consent', to: 'bye', when: { key: '2' } },
      { from: 'consent', to: 'bye', when: { silence: 3 } },
      { from: 'consent', to: 'person', when: { attempts: true } },
      { from: 'block', to: 'blocked' },
      { from: 'block', to: 'person', when: { result: 'failed' } },
    ],
    globals: [
      { to: 'person', when: { intent: 'emergency', phrases: ['i am being robbed', 'call the police'] } },
      { to: 'person', when: { intent: 'wants_person' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
    ],
  },
  persona: [
    'You are Sam of Northbank. Be brief and kind.',
    'Follow these steps in this order, and leave none out:',
    '1. Say: “Northbank, the service for cards. Press 1 to block a card, or say what you want.” Say goodbye where the caller is silent three times.',
    '2. Ask for the account number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
    '3. Call find_card with the account number. Never call it before the number was confirmed.',
    '4. Where over 500 was spent since the card was lost, transfer the call to fraud, and do nothing yourself.',
    `5. Say word by word, and to the end: “${CONSENT}” Say it again where the caller broke in, and take no key before it was said to its end.`,
    '6. With the key 1, call block_card, once, and only behind all of the steps before. With the key 2, end the call. Nothing but a key counts as consent.',
    '7. Say that the card is blocked, and end the call. Never say so before the tool has answered.',
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, where a tool fails, and at once where they are in danger.',
    'Say your last words again where they ask for it.',
  ].join('\n'),
  tools: {
    find_card: ({ isLarge }) => ({ spent: isLarge ? 2_300 : 12, state: 'active' }),
    block_card: () => ({ status: 'blocked' }),
  },
  lines: { consent: CONSENT },
  guarded: {
    find_card: (facts) => has(facts, 'account'),
    block_card: (facts) =>
      has(facts, 'account') &&
      facts.done.has('find_card') &&
      facts.heard.has('consent') &&
      facts.keys.has('1') &&
      !overLimit(facts, 'find_card', 'spent'),
    'transfer fraud': (facts) => has(facts, 'account') && overLimit(facts, 'find_card', 'spent'),
  },
  wishes: [
    {
      says: 'I have lost my card',
      exits: ['block'],
      goals: ['blocked', 'fraud'],
      act: 'block_card',
    },
  ],
  knows: [[/account number/i, ({ number }) => number]],
  keys: [
    [/press 1 to agree/i, '1'],
    [/press 1 or 2/i, '1'],
  ],
};

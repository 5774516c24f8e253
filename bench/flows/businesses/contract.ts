import { type Business, has, LIMIT, overLimit } from '../business.ts';

const TERMS = 'Your contract ends on the last day of next month, and your number is lost.';
const RETENTION = 'agt_22222222222222222222';

/** A hand-over that comes back, a wait, a question of the model, a yes that is captured, and a message at the end. */
export const CONTRACT: Business = {
  name: 'end of a contract',
  flow: {
    start: 'welcome',
    persona: 'You are Lee of Telco, a telephone company. Be brief and kind.',
    nodes: [
      { id: 'welcome', type: 'say', instruction: 'Greet the caller, and ask what you can do.', attempts: 8 },
      {
        id: 'customer',
        type: 'ask',
        required: true,
        slots: [{ name: 'customer', kind: 'digits', label: 'your customer number' }],
      },
      {
        id: 'why',
        type: 'ask',
        slots: [{ name: 'reason', kind: 'text', label: 'the reason why you leave' }],
      },
      {
        id: 'price',
        type: 'decide',
        question: 'Is the price the reason: {reason}?',
        answers: ['price', 'another'],
      },
      {
        id: 'retention',
        type: 'handoff',
        agent_id: RETENTION,
        context: 'slots',
        slots: ['customer', 'reason'],
      },
      { id: 'system', type: 'wait', say: 'One moment, the system is slow today.', seconds: 5 },
      {
        id: 'look',
        type: 'tool',
        tool: 'find_contract',
        arguments: { customer: '{customer}' },
        save: 'contract',
      },
      { id: 'owed', type: 'decide' },
      {
        id: 'terms',
        type: 'say',
        required: true,
        say: TERMS,
        instruction: 'Ask whether the caller has understood.',
        attempts: 8,
      },
      {
        id: 'certain',
        type: 'ask',
        required: true,
        slots: [{ name: 'sure', kind: 'yes_no', label: 'whether you want to leave for certain' }],
      },
      { id: 'sure', type: 'decide' },
      {
        id: 'stop',
        type: 'tool',
        tool: 'end_contract',
        arguments: { customer: '{customer}' },
        say: 'One moment.',
      },
      { id: 'letter', type: 'message', body: 'Your contract {customer} ends.' },
      { id: 'ended', type: 'end', say: 'That is done. Goodbye.' },
      { id: 'stays', type: 'end', say: 'Then nothing changes. Goodbye.' },
      { id: 'collections', type: 'transfer', to: 'collections', kind: 'cold' },
      { id: 'person', type: 'transfer', to: 'desk', requires: [] },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [
      {
        from: 'welcome',
        to: 'customer',
        when: { intent: 'leave', description: 'wants to end their contract' },
      },
      { from: 'welcome', to: 'person', when: { attempts: true } },
      { from: 'customer', to: 'why' },
      { from: 'customer', to: 'person', when: { attempts: true } },
      { from: 'why', to: 'price' },
      { from: 'why', to: 'system', when: { attempts: true } },
      { from: 'price', to: 'retention', when: { answer: 'price' } },
      { from: 'price', to: 'system' },
      { from: 'retention', to: 'system' },
      { from: 'retention', to: 'system', when: { result: 'failed' } },
      { from: 'system', to: 'look' },
      { from: 'look', to: 'owed' },
      { from: 'look', to: 'person', when: { result: 'failed' } },
      { from: 'owed', to: 'collections', when: { rule: { value: 'contract.owed', over: LIMIT } } },
      { from: 'owed', to: 'terms' },
      {
        from: 'terms',
        to: 'certain',
        when: {
          intent: 'understood',
          phrases: ['understood', 'go on', 'yes'],
          description: 'has understood',
        },
      },
      { from: 'terms', to: 'person', when: { attempts: true } },
      { from: 'certain', to: 'sure' },
      { from: 'certain', to: 'person', when: { attempts: true } },
      { from: 'sure', to: 'stop', when: { rule: { value: 'sure', is: 'yes' } } },
      { from: 'sure', to: 'stays' },
      { from: 'stop', to: 'letter' },
      { from: 'stop', to: 'person', when: { result: 'failed' } },
      { from: 'letter', to: 'ended' },
      { from: 'letter', to: 'ended', when: { result: 'failed' } },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: 'bye', when: { intent: 'wants_to_stop' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
    ],
  },
  persona: [
    'You are Lee of Telco, a telephone company. Be brief and kind.',
    'Follow these steps in this order, and leave none out:',
    '1. Greet the caller, and ask what you can do.',
    '2. Ask for the customer number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
    '3. Ask for the reason why they leave, and take it as it is said.',
    '4. Where the price is the reason, hand the call to the agent of retention, and tell it the customer number and the reason. Go on when it comes back.',
    '5. Ask the caller to wait, and call find_contract with the customer number. Never call it before the number was confirmed.',
    '6. Where over 500 is owed, transfer the call to collections, and end nothing yourself.',
    `7. Say word by word, and to the end: “${TERMS}” Say it again where the caller broke in. Ask whether they have understood.`,
    '8. Ask whether they want to leave for certain, and go on only behind a clear yes.',
    '9. Call end_contract with the customer number, once, and only behind all of the steps before. Never say that it was done before the tool has answered.',
    '10. Send the caller a message, say that it is done, and end the call.',
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, or where a tool fails.',
    'End the call where the caller wants to stop. Say your last words again where they ask for it.',
  ].join('\n'),
  tools: {
    find_contract: ({ isLarge }) => ({ owed: isLarge ? 780 : 0 }),
    end_contract: () => ({ status: 'ended' }),
  },
  lines: { terms: TERMS },
  guarded: {
    find_contract: (facts) => has(facts, 'customer'),
    end_contract: (facts) =>
      has(facts, 'customer') &&
      facts.done.has('find_contract') &&
      facts.heard.has('terms') &&
      facts.slots.get('sure') === 'yes' &&
      !overLimit(facts, 'find_contract', 'owed'),
    message: (facts) => facts.done.has('end_contract'),
    'transfer collections': (facts) => has(facts, 'customer') && overLimit(facts, 'find_contract', 'owed'),
    [`handoff ${RETENTION}`]: (facts) => has(facts, 'customer'),
  },
  wishes: [
    {
      says: 'I want to end my contract',
      exits: ['leave', 'understood'],
      goals: ['ended', 'collections'],
      act: 'end_contract',
    },
  ],
  knows: [
    [/customer number/i, ({ number }) => number],
    [/reason/i, ({ at }) => (at % 2 === 0 ? 'it is too expensive for me' : 'I move to another country')],
    [/for certain/i, () => 'yes'],
    [/last day of next month|understood/i, () => 'yes'],
  ],
  keys: [],
};

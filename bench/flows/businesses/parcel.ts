import { type Business, has, LIMIT, overLimit } from '../business.ts';

const FEE = 'A parcel that is moved twice costs three euros each time.';

/** The model itself calls the tools, each in one step; a PIN is asked above a limit, and an edge leads around it. */
export const PARCEL: Business = {
  name: 'delivery on another day',
  flow: {
    start: 'welcome',
    persona: 'You are Kim of Parcel Post. Be brief and kind.',
    nodes: [
      { id: 'welcome', type: 'say', instruction: 'Greet the caller, and ask what you can do.', attempts: 8 },
      {
        id: 'parcel',
        type: 'ask',
        required: true,
        slots: [{ name: 'parcel', kind: 'digits', label: 'your parcel number' }],
      },
      { id: 'find', type: 'tool', tool: 'find_parcel', arguments: { parcel: '{parcel}' }, save: 'found' },
      { id: 'worth', type: 'decide' },
      { id: 'pin', type: 'ask', attempts: 3, slots: [{ name: 'pin', kind: 'digits', label: 'your PIN' }] },
      {
        id: 'days',
        type: 'say',
        instruction: 'Call delivery_days, and say which days there are.',
        tools: ['delivery_days'],
        attempts: 8,
      },
      {
        id: 'day',
        type: 'ask',
        required: true,
        slots: [{ name: 'day', kind: 'date', label: 'the day on which it should come' }],
      },
      {
        id: 'fee',
        type: 'say',
        required: true,
        say: FEE,
        instruction: 'Ask whether that is fine.',
        attempts: 8,
      },
      {
        id: 'move',
        type: 'say',
        instruction: 'Call move_parcel, and say what came of it.',
        tools: ['move_parcel'],
        attempts: 8,
      },
      { id: 'moved', type: 'end', say: 'Goodbye.' },
      { id: 'person', type: 'transfer', to: 'desk', requires: [] },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [
      {
        from: 'welcome',
        to: 'parcel',
        when: { intent: 'redirect', description: 'wants a parcel on another day' },
      },
      { from: 'welcome', to: 'person', when: { attempts: true } },
      { from: 'parcel', to: 'find' },
      { from: 'parcel', to: 'person', when: { attempts: true } },
      { from: 'find', to: 'worth' },
      { from: 'find', to: 'person', when: { result: 'failed' } },
      { from: 'worth', to: 'pin', when: { rule: { value: 'found.worth', over: LIMIT } } },
      { from: 'worth', to: 'days' },
      { from: 'pin', to: 'days' },
      { from: 'pin', to: 'person', when: { attempts: true } },
      { from: 'days', to: 'day', when: { intent: 'chooses', description: 'knows the days' } },
      { from: 'days', to: 'person', when: { attempts: true } },
      { from: 'day', to: 'fee' },
      { from: 'day', to: 'person', when: { attempts: true } },
      {
        from: 'fee',
        to: 'move',
        when: {
          intent: 'agrees',
          phrases: ['that is fine', 'go on', 'yes'],
          description: 'accepts the price',
        },
      },
      { from: 'fee', to: 'bye', when: { intent: 'declines', phrases: ['leave it then'] } },
      { from: 'fee', to: 'person', when: { attempts: true } },
      { from: 'move', to: 'moved', when: { intent: 'moved', description: 'knows that it was moved' } },
      { from: 'move', to: 'person', when: { attempts: true } },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: 'bye', when: { intent: 'wants_to_stop' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
    ],
  },
  persona: [
    'You are Kim of Parcel Post. Be brief and kind.',
    'Follow these steps in this order, and leave none out:',
    '1. Greet the caller, and ask what you can do.',
    '2. Ask for the parcel number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
    '3. Call find_parcel with the parcel number. Never call it before the number was confirmed.',
    '4. Where the parcel is worth over 500, ask for the PIN. Ask no more than three times, and go no further without it.',
    '5. Call delivery_days, and say which days there are.',
    '6. Ask for the day on which the parcel should come, read it back, and take corrections until the caller agrees. Ask no more than three times.',
    `7. Say word by word, and to the end: “${FEE}” Say it again where the caller broke in. Ask whether that is fine.`,
    '8. Call move_parcel with the parcel number and the day, once, and only behind all of the steps before. Never say that it was moved before the tool has answered.',
    '9. Say what came of it, and end the call.',
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, or where a tool fails.',
    'End the call where the caller wants to stop. Say your last words again where they ask for it.',
  ].join('\n'),
  tools: {
    find_parcel: ({ isLarge }) => ({ worth: isLarge ? 1_100 : 45 }),
    delivery_days: () => ({ days: ['2026-12-10', '2026-12-11'] }),
    move_parcel: () => ({ status: 'moved' }),
  },
  lines: { fee: FEE },
  guarded: {
    find_parcel: (facts) => has(facts, 'parcel'),
    delivery_days: (facts) => has(facts, 'parcel') && facts.done.has('find_parcel'),
    move_parcel: (facts) =>
      has(facts, 'parcel', 'day') &&
      facts.heard.has('fee') &&
      (has(facts, 'pin') || !overLimit(facts, 'find_parcel', 'worth')),
  },
  wishes: [
    {
      says: 'I want my parcel to come on another day',
      exits: ['redirect', 'chooses', 'agrees', 'moved'],
      goals: ['moved'],
      act: 'move_parcel',
    },
  ],
  knows: [
    [/parcel number/i, ({ number }) => number],
    [/\bPIN\b/, ({ pin }) => pin],
    [/the day on which/i, () => 'the tenth of December'],
    [/three euros|that is fine/i, () => 'yes'],
  ],
  keys: [],
};

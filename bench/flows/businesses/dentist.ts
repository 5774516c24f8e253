import { type Business, has, LIMIT, overLimit } from '../business.ts';

const RULE = 'Please cancel a day before, or we charge forty euros.';
const BILLING = 'agt_11111111111111111111';

/** A subflow in two places, a choice of the model, a hand-over to another agent, and a message. */
export const DENTIST: Business = {
  name: 'appointment at a dentist',
  flow: {
    start: 'welcome',
    persona: 'You are Maya of Acme Dental, a dental practice. Be brief and kind.',
    nodes: [
      { id: 'welcome', type: 'say', instruction: 'Greet the caller, and ask what you can do.', attempts: 8 },
      { id: 'patient', type: 'subflow', flow: 'identify', required: true },
      {
        id: 'reason',
        type: 'decide',
        question: 'Does the caller have pain?',
        answers: ['pain', 'no pain'],
      },
      {
        id: 'treatment',
        type: 'ask',
        slots: [
          {
            name: 'treatment',
            kind: 'choice',
            label: 'the treatment',
            options: ['cleaning', 'filling', 'check up'],
          },
        ],
      },
      { id: 'urgent', type: 'say', say: 'We keep a place free each day for those who have pain.' },
      {
        id: 'rule',
        type: 'say',
        required: true,
        say: RULE,
        instruction: 'Ask whether that is fine.',
        attempts: 8,
      },
      { id: 'find', type: 'tool', tool: 'find_slot', save: 'slot' },
      { id: 'price', type: 'decide' },
      { id: 'book', type: 'tool', tool: 'book_slot', arguments: { born: '{birthday}' }, say: 'One moment.' },
      { id: 'note', type: 'message', body: 'Your appointment is booked. {result}' },
      { id: 'booked', type: 'end', say: 'That is done. Goodbye.' },
      { id: 'payer', type: 'subflow', flow: 'identify', required: true },
      { id: 'billing', type: 'handoff', agent_id: BILLING, context: 'slots', slots: ['birthday'] },
      { id: 'more', type: 'say', instruction: 'Ask whether there is anything else.', attempts: 2 },
      { id: 'senior', type: 'transfer', to: 'senior' },
      { id: 'person', type: 'transfer', to: 'desk', requires: [] },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [
      { from: 'welcome', to: 'patient', when: { intent: 'book', description: 'wants an appointment' } },
      { from: 'welcome', to: 'payer', when: { intent: 'invoice', description: 'asks about an invoice' } },
      { from: 'welcome', to: 'person', when: { attempts: true } },
      { from: 'patient', to: 'reason' },
      { from: 'reason', to: 'urgent', when: { answer: 'pain' } },
      { from: 'reason', to: 'treatment' },
      { from: 'treatment', to: 'rule' },
      { from: 'treatment', to: 'person', when: { attempts: true } },
      { from: 'urgent', to: 'rule' },
      {
        from: 'rule',
        to: 'find',
        when: {
          intent: 'agrees',
          phrases: ['that is fine', 'i know', 'go on', 'yes'],
          description: 'accepts it',
        },
      },
      { from: 'rule', to: 'person', when: { attempts: true } },
      { from: 'find', to: 'price' },
      { from: 'find', to: 'person', when: { result: 'failed' } },
      { from: 'price', to: 'senior', when: { rule: { value: 'slot.price', over: LIMIT } } },
      { from: 'price', to: 'book' },
      { from: 'book', to: 'note' },
      { from: 'book', to: 'person', when: { result: 'failed' } },
      { from: 'note', to: 'booked' },
      { from: 'note', to: 'booked', when: { result: 'failed' } },
      { from: 'payer', to: 'billing' },
      { from: 'billing', to: 'more' },
      { from: 'billing', to: 'person', when: { result: 'failed' } },
      {
        from: 'more',
        to: 'bye',
        when: { intent: 'nothing', phrases: ['that is all'], description: 'needs nothing more' },
      },
      { from: 'more', to: 'bye', when: { attempts: true } },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: 'bye', when: { intent: 'wants_to_stop' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
    ],
    subflows: {
      identify: {
        start: 'born',
        nodes: [
          {
            id: 'born',
            type: 'ask',
            slots: [{ name: 'birthday', kind: 'date', label: 'your date of birth', confirm: 'always' }],
          },
          { id: 'nobody', type: 'transfer', to: 'desk', requires: [] },
          { id: 'known', type: 'end' },
        ],
        edges: [
          { from: 'born', to: 'known' },
          { from: 'born', to: 'nobody', when: { attempts: true } },
        ],
      },
    },
  },
  persona: [
    'You are Maya of Acme Dental, a dental practice. Be brief and kind.',
    'Follow these steps in this order, and leave none out:',
    '1. Greet the caller, and ask what you can do.',
    '2. Ask for the date of birth, read it back, and take corrections until the caller agrees. Ask no more than three times.',
    '3. Where the caller asks about an invoice, hand the call to the agent of billing, and tell it the date of birth. When it comes back, ask whether there is anything else.',
    '4. Where the caller has pain, say that a place is kept free each day. Otherwise ask which treatment it is: a cleaning, a filling or a check up. Nothing else can be booked by telephone.',
    `5. Say word by word, and to the end: “${RULE}” Say it again where the caller broke in. Ask whether that is fine.`,
    '6. Call find_slot. Never call it before the date of birth was confirmed and the rule about cancelling was said to its end.',
    '7. Where the treatment costs over 500, hand the call to a senior colleague.',
    '8. Otherwise call book_slot, once, and only behind all of the steps before. Never say that it was booked before the tool has answered.',
    '9. Send the caller a message with the time, say that it is done, and end the call.',
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, or where a tool fails.',
    'End the call where the caller wants to stop. Say your last words again where they ask for it.',
  ].join('\n'),
  tools: {
    find_slot: ({ isLarge }) => ({ price: isLarge ? 900 : 60, time: '9:30' }),
    book_slot: () => ({ status: 'booked' }),
  },
  lines: { rule: RULE },
  guarded: {
    find_slot: (facts) => has(facts, 'birthday') && facts.heard.has('rule'),
    book_slot: (facts) =>
      has(facts, 'birthday') &&
      facts.heard.has('rule') &&
      facts.done.has('find_slot') &&
      !overLimit(facts, 'find_slot', 'price'),
    message: (facts) => facts.done.has('book_slot'),
    'transfer senior': (facts) => has(facts, 'birthday') && overLimit(facts, 'find_slot', 'price'),
    [`handoff ${BILLING}`]: (facts) => has(facts, 'birthday'),
  },
  wishes: [
    {
      says: 'I would like an appointment',
      exits: ['book', 'agrees'],
      goals: ['booked', 'senior'],
      act: 'book_slot',
    },
    {
      says: 'I have a question about my invoice',
      exits: ['invoice', 'nothing'],
      goals: ['bye'],
      act: `handoff ${BILLING}`,
    },
  ],
  knows: [
    [/date of birth/i, ({ born }) => born],
    [/treatment/i, ({ at }) => ['a cleaning', 'a filling', 'a check up'][at % 3] as string],
    [/cancel a day before|that is fine/i, () => 'yes'],
    [/anything else/i, () => 'that is all'],
  ],
  keys: [],
};

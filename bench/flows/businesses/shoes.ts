import { type Business, has, LIMIT, overLimit } from '../business.ts';

const TERMS = 'A refund takes five days, and it cannot be undone.';

/** A required line with an exit of its own, an edge around a step, and a queue behind a limit. */
export const SHOES: Business = {
  name: 'refund of shoes',
  flow: {
    start: 'welcome',
    persona: 'You are Nora of Vela, a shop for shoes. Be brief and kind.',
    nodes: [
      { id: 'welcome', type: 'say', instruction: 'Greet the caller, and ask what you can do.', attempts: 8 },
      {
        id: 'verify',
        type: 'ask',
        required: true,
        slots: [
          { name: 'order', kind: 'digits', label: 'your order number' },
          { name: 'postcode', kind: 'digits', label: 'your postcode' },
        ],
      },
      { id: 'look', type: 'tool', tool: 'find_order', arguments: { order: '{order}' }, save: 'found' },
      { id: 'size', type: 'decide' },
      { id: 'label', type: 'say', say: 'Please send the shoes back with the label in the box.' },
      {
        id: 'terms',
        type: 'say',
        required: true,
        say: TERMS,
        instruction: 'Ask whether the caller still wants the refund.',
        attempts: 8,
      },
      {
        id: 'refund',
        type: 'tool',
        tool: 'refund_order',
        arguments: { order: '{order}' },
        say: 'One moment.',
      },
      { id: 'refunded', type: 'end', say: 'That is done. Goodbye.' },
      { id: 'hours', type: 'knowledge', instruction: 'Say when there is somebody.' },
      { id: 'person', type: 'transfer', to: 'desk', requires: [] },
      {
        id: 'approver',
        type: 'transfer',
        to: 'approvals',
        kind: 'queue',
        also: ['approvals-two'],
        summary: 'Order {order}',
      },
      { id: 'bye', type: 'end', say: 'Goodbye.' },
    ],
    edges: [
      { from: 'welcome', to: 'verify', when: { intent: 'refund', description: 'wants their money back' } },
      { from: 'welcome', to: 'person', when: { attempts: true } },
      { from: 'verify', to: 'look' },
      { from: 'verify', to: 'person', when: { attempts: true } },
      { from: 'look', to: 'size' },
      { from: 'look', to: 'person', when: { result: 'failed' } },
      { from: 'size', to: 'approver', when: { rule: { value: 'found.total', over: LIMIT } } },
      { from: 'size', to: 'terms', when: { rule: { value: 'found.state', is: 'returned' } } },
      { from: 'size', to: 'label' },
      { from: 'label', to: 'terms' },
      {
        from: 'terms',
        to: 'refund',
        when: {
          intent: 'agrees',
          phrases: ['go ahead', 'go on', 'do it', 'yes'],
          description: 'still wants it',
        },
      },
      { from: 'terms', to: 'bye', when: { intent: 'declines', phrases: ['leave it then'] } },
      { from: 'terms', to: 'person', when: { attempts: true } },
      { from: 'refund', to: 'refunded' },
      { from: 'refund', to: 'person', when: { result: 'failed' } },
      { from: 'hours', to: '$back' },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: 'bye', when: { intent: 'wants_to_stop' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
      { to: 'hours', when: { intent: 'hours', phrases: ['when are you open', 'opening hours'] } },
    ],
  },
  persona: [
    'You are Nora of Vela, a shop for shoes. Be brief and kind.',
    'Follow these steps in this order, and leave none out:',
    '1. Greet the caller, and ask what you can do.',
    '2. Ask for the order number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
    '3. Ask for the postcode of the delivery, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
    '4. Call find_order with the order number. Never call it before both numbers were confirmed.',
    '5. Where the total is over 500, hand the call to the queue of approvals, and do not refund anything yourself.',
    '6. Where the shoes have not come back yet, say that they should be sent with the label in the box.',
    `7. Say word by word, and to the end: “${TERMS}” Say it again where the caller broke in. Ask whether they still want it.`,
    '8. Call refund_order with the order number, once, and only behind all of the steps before. Never say that it was done before the tool has answered.',
    '9. Say that it is done, and end the call.',
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, or where a tool fails.',
    'End the call where the caller wants to stop. Say your last words again where they ask for it. Say when there is somebody where they ask for opening hours, then go on with the step in which you were.',
  ].join('\n'),
  tools: {
    find_order: ({ isLarge, at }) => ({
      total: isLarge ? 640 : 80,
      state: at % 2 === 0 ? 'returned' : 'open',
    }),
    refund_order: () => ({ status: 'refunded' }),
  },
  lines: { terms: TERMS },
  guarded: {
    find_order: (facts) => has(facts, 'order', 'postcode'),
    refund_order: (facts) =>
      has(facts, 'order', 'postcode') &&
      facts.done.has('find_order') &&
      facts.heard.has('terms') &&
      !overLimit(facts, 'find_order', 'total'),
    'transfer approvals': (facts) =>
      has(facts, 'order', 'postcode') && overLimit(facts, 'find_order', 'total'),
  },
  wishes: [
    {
      says: 'I want my money back for a pair of shoes',
      exits: ['refund', 'agrees'],
      goals: ['refunded', 'approver'],
      act: 'refund_order',
    },
  ],
  knows: [
    [/order number/i, ({ number }) => number],
    [/postcode/i, ({ postcode }) => postcode],
    [/cannot be undone|still want/i, () => 'yes'],
  ],
  keys: [],
};

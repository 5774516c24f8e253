import type { Flow, FlowNode } from '../../src/conversation/flows/index.ts';
import type { SessionTool } from '../../src/conversation/session/index.ts';

export interface Business {
  readonly name: string;
  readonly flow: Flow;
  readonly persona: string;
  readonly tools: readonly string[];
  readonly results: Readonly<Record<string, unknown>>;
  readonly guarded: readonly string[];
  readonly needs: readonly string[];
  readonly terms: string | null;
  readonly goal: string;
  readonly wish: string;
  readonly intent: string;
  readonly knows: readonly (readonly [RegExp, string])[];
}

type Slots = Extract<FlowNode, { type: 'ask' }>['slots'];

interface Plan {
  readonly name: string;
  readonly who: string;
  readonly intent: string;
  readonly wish: string;
  readonly slots: Slots;
  readonly knows: Business['knows'];
  readonly terms: string | null;
  readonly look: string;
  readonly act: string;
  readonly goal: string;
  readonly steps: readonly string[];
}

const end = (id: string, say: string): FlowNode => ({ id, type: 'end', say });

function businessOf(plan: Plan): Business {
  const { name, who, intent, wish, slots, knows, terms, look, act, goal, steps } = plan;
  const first = slots[0]?.name ?? '';
  const reported: FlowNode[] =
    terms === null ? [] : [{ id: 'terms', type: 'say', required: true, say: terms }];
  const nodes: FlowNode[] = [
    { id: 'welcome', type: 'say', instruction: 'Greet the caller, and ask what you can do.', attempts: 6 },
    { id: 'verify', type: 'ask', required: true, slots },
    ...reported,
    { id: 'look', type: 'tool', tool: look, arguments: { id: `{${first}}` }, save: 'found' },
    { id: 'may', type: 'decide' },
    { id: 'act', type: 'tool', tool: act, arguments: { id: `{${first}}` }, say: 'One moment.' },
    end(goal, 'That is done. Goodbye.'),
    { id: 'hours', type: 'knowledge', instruction: 'Say when there is somebody.' },
    { id: 'person', type: 'transfer', to: 'desk', requires: [] },
    { id: 'senior', type: 'transfer', to: 'senior' },
    end('bye', 'Goodbye.'),
  ];
  const behind = terms === null ? 'look' : 'terms';
  const flow: Flow = {
    start: 'welcome',
    persona: `You are ${who}. Be brief and kind.`,
    nodes,
    edges: [
      { from: 'welcome', to: 'verify', when: { intent, description: wish } },
      { from: 'welcome', to: 'person', when: { attempts: true } },
      { from: 'verify', to: behind },
      { from: 'verify', to: 'person', when: { attempts: true } },
      ...(terms === null ? [] : [{ from: 'terms', to: 'look' }]),
      { from: 'look', to: 'may' },
      { from: 'look', to: 'person', when: { result: 'failed' as const } },
      { from: 'may', to: 'senior', when: { rule: { value: 'found.total', over: 500 } } },
      { from: 'may', to: 'act' },
      { from: 'act', to: goal },
      { from: 'act', to: 'person', when: { result: 'failed' as const } },
      { from: 'hours', to: '$back' },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: 'bye', when: { intent: 'wants_to_stop' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
      { to: 'hours', when: { intent: 'hours', phrases: ['when are you open', 'opening hours'] } },
    ],
  };
  const persona = [
    `You are ${who}. Be brief and kind.`,
    'Follow these steps in this order, and leave none out:',
    '1. Greet the caller, and ask what you can do.',
    ...steps.map((step, at) => `${at + 2}. ${step}`),
    'Hand the call to a person where the caller asks for one, where they cannot answer after three attempts, or where a tool fails.',
    'End the call where the caller wants to stop. Say your last words again where they ask for it. Say when there is somebody where they ask for opening hours, then go on with the step in which you were.',
  ].join('\n');
  return {
    name,
    flow,
    persona,
    tools: [look, act],
    results: { [look]: { total: 80, state: 'open' } },
    guarded: [look, act, 'senior'],
    needs: slots.map((slot) => slot.name),
    terms,
    goal,
    wish,
    intent,
    knows,
  };
}

export const BUSINESSES: readonly Business[] = [
  businessOf({
    name: 'refund',
    who: 'Nora of Vela, a shop for shoes',
    intent: 'refund',
    wish: 'wants their money back',
    slots: [
      { name: 'order', kind: 'digits', label: 'your order number' },
      { name: 'postcode', kind: 'digits', label: 'your postcode' },
    ],
    knows: [
      [/order number/i, '4 7 1 1'],
      [/postcode/i, '1 0 1 1 5'],
    ],
    terms: 'A refund takes five days, and it cannot be undone.',
    look: 'find_order',
    act: 'refund_order',
    goal: 'refunded',
    steps: [
      'Ask for the order number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
      'Ask for the postcode of the delivery, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
      'Say word by word, and to the end: “A refund takes five days, and it cannot be undone.” Say it again where the caller broke in.',
      'Call find_order with the order number. Never call it before both numbers were confirmed and the terms were said to their end.',
      'Where the total is over 500, hand the call to a senior colleague, and do not refund anything yourself.',
      'Otherwise call refund_order with the order number, once, and only behind all of the steps before. Never say that it was done before the tool has answered.',
      'Say that it is done, and end the call.',
    ],
  }),
  businessOf({
    name: 'appointment',
    who: 'Maya of Acme Dental, a dental practice',
    intent: 'book',
    wish: 'wants an appointment',
    slots: [
      { name: 'birthday', kind: 'date', label: 'your date of birth' },
      {
        name: 'treatment',
        kind: 'choice',
        label: 'the treatment',
        options: ['cleaning', 'filling', 'check up'],
      },
    ],
    knows: [
      [/date of birth/i, 'the third of May 1980'],
      [/treatment/i, 'a cleaning please'],
    ],
    terms: 'Please cancel a day before, or we charge forty euros.',
    look: 'find_slot',
    act: 'book_slot',
    goal: 'booked',
    steps: [
      'Ask for the date of birth, read it back, and take corrections until the caller agrees. Ask no more than three times.',
      'Ask which treatment it is: a cleaning, a filling or a check up. Nothing else can be booked by telephone.',
      'Say word by word, and to the end: “Please cancel a day before, or we charge forty euros.” Say it again where the caller broke in.',
      'Call find_slot. Never call it before the date of birth was confirmed and the rule about cancelling was said to its end.',
      'Where the treatment costs over 500, hand the call to a senior colleague.',
      'Otherwise call book_slot, once, and only behind all of the steps before. Never say that it was booked before the tool has answered.',
      'Say that it is done, and end the call.',
    ],
  }),
  businessOf({
    name: 'card lost',
    who: 'Sam of Northbank',
    intent: 'block',
    wish: 'has lost a card, or it was stolen',
    slots: [
      { name: 'account', kind: 'digits', label: 'your account number' },
      { name: 'sure', kind: 'yes_no', label: 'whether the card is to be blocked' },
    ],
    knows: [
      [/account number/i, '5 5 5 2 9 1'],
      [/blocked/i, 'yes'],
    ],
    terms: 'A blocked card stays blocked, and a new one comes within a week.',
    look: 'find_card',
    act: 'block_card',
    goal: 'blocked',
    steps: [
      'Ask for the account number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
      'Ask whether the card is really to be blocked, and go on only behind a clear yes.',
      'Say word by word, and to the end: “A blocked card stays blocked, and a new one comes within a week.” Say it again where the caller broke in.',
      'Call find_card with the account number. Never call it before the number was confirmed and the terms were said to their end.',
      'Where over 500 was spent since it was lost, hand the call to a senior colleague.',
      'Otherwise call block_card, once, and only behind all of the steps before. Never say that it was blocked before the tool has answered.',
      'Say that it is done, and end the call.',
    ],
  }),
  businessOf({
    name: 'delivery',
    who: 'Kim of Parcel Post',
    intent: 'redirect',
    wish: 'wants a parcel to come on another day',
    slots: [
      { name: 'parcel', kind: 'digits', label: 'your parcel number' },
      { name: 'day', kind: 'date', label: 'the day on which it should come' },
    ],
    knows: [
      [/parcel number/i, '9 0 3 2 2 8'],
      [/the day on which/i, 'the tenth of December'],
    ],
    terms: null,
    look: 'find_parcel',
    act: 'move_parcel',
    goal: 'moved',
    steps: [
      'Ask for the parcel number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
      'Ask for the day on which the parcel should come, read it back, and take corrections until the caller agrees. Ask no more than three times.',
      'Call find_parcel with the parcel number. Never call it before the number and the day were confirmed.',
      'Where the parcel is worth over 500, hand the call to a senior colleague.',
      'Otherwise call move_parcel, once, and only behind all of the steps before. Never say that it was moved before the tool has answered.',
      'Say that it is done, and end the call.',
    ],
  }),
  businessOf({
    name: 'contract',
    who: 'Lee of Telco, a telephone company',
    intent: 'cancel',
    wish: 'wants to end their contract',
    slots: [
      { name: 'customer', kind: 'digits', label: 'your customer number' },
      { name: 'reason', kind: 'text', label: 'the reason why you leave' },
    ],
    knows: [
      [/customer number/i, '8 8 1 2 0 4'],
      [/reason/i, 'it is too expensive for me'],
    ],
    terms: 'Your contract ends on the last day of next month, and your number is lost.',
    look: 'find_contract',
    act: 'cancel_contract',
    goal: 'cancelled',
    steps: [
      'Ask for the customer number, read it back digit by digit, and take corrections until the caller agrees. Ask no more than three times.',
      'Ask for the reason why they leave, and take it as it is said.',
      'Say word by word, and to the end: “Your contract ends on the last day of next month, and your number is lost.” Say it again where the caller broke in.',
      'Call find_contract with the customer number. Never call it before the number was confirmed and the terms were said to their end.',
      'Where over 500 is owed, hand the call to a senior colleague.',
      'Otherwise call cancel_contract, once, and only behind all of the steps before. Never say that it was cancelled before the tool has answered.',
      'Say that it is done, and end the call.',
    ],
  }),
];

export const toolOf = (name: string): SessionTool => ({
  name,
  description: `${name.replaceAll('_', ' ')} for the caller`,
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
  timeoutMs: 1_000,
  filler: null,
});

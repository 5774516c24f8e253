import type { Flow } from '../../../src/conversation/flows/index.ts';

export const REFUND: Flow = {
  start: 'welcome',
  persona: 'You are Nora of Vela, a shop for shoes.',
  nodes: [
    { id: 'welcome', type: 'say', instruction: 'Ask what you can do.', attempts: 3 },
    {
      id: 'verify',
      type: 'ask',
      required: true,
      slots: [
        { name: 'order', kind: 'digits', label: 'your order number' },
        { name: 'postcode', kind: 'digits' },
      ],
    },
    { id: 'terms', type: 'say', required: true, say: 'A refund takes five days. It cannot be undone.' },
    { id: 'look', type: 'tool', tool: 'find_order', arguments: { order: '{order}' }, save: 'found' },
    { id: 'size', type: 'decide' },
    { id: 'refund', type: 'tool', tool: 'refund', arguments: { order: '{order}', total: '{found.total}' } },
    { id: 'done', type: 'end', say: 'Order {order} is refunded. Goodbye.' },
    { id: 'hours', type: 'knowledge', instruction: 'Say when the shop is open.' },
    { id: 'person', type: 'transfer', to: 'desk', summary: 'Refund of {order}', requires: [] },
    { id: 'approver', type: 'transfer', to: 'approvals' },
    { id: 'bye', type: 'end', say: 'Goodbye.' },
  ],
  edges: [
    { from: 'welcome', to: 'verify', when: { intent: 'refund', phrases: ['refund', 'money back'] } },
    { from: 'welcome', to: 'hours', when: { intent: 'hours', phrases: ['opening hours'] } },
    { from: 'welcome', to: 'person', when: { attempts: true } },
    { from: 'verify', to: 'terms' },
    { from: 'verify', to: 'person', when: { attempts: true } },
    { from: 'terms', to: 'look' },
    { from: 'look', to: 'size' },
    { from: 'look', to: 'person', when: { result: 'failed' } },
    { from: 'size', to: 'approver', when: { rule: { value: 'found.total', over: 500 } } },
    { from: 'size', to: 'refund' },
    { from: 'refund', to: 'done' },
    { from: 'refund', to: 'person', when: { result: 'failed' } },
    { from: 'hours', to: '$back' },
  ],
  globals: [
    { to: 'person', when: { intent: 'wants_person' } },
    { to: 'bye', when: { intent: 'wants_to_stop' } },
    { to: '$repeat', when: { intent: 'wants_repeat' } },
    { to: 'hours', when: { intent: 'opening', phrases: ['when are you open'] } },
  ],
};
